import"./chunk-Z4K2VU2K.js";function c(){let e=document.querySelector(".doc-nav [aria-current]"),o=e?.closest(".doc-nav");o&&(o.scrollTop=e.offsetTop-o.clientHeight/2)}export{c as open};
