import"./chunk-RJUIPAAA.js";function c(){let e=document.querySelector(".doc-nav [aria-current]"),o=e?.closest(".doc-nav");o&&(o.scrollTop=e.offsetTop-o.clientHeight/2)}export{c as open};
