"use strict";(()=>{(()=>{let e="system";try{e=localStorage.getItem("irscope.theme")??"system"}catch{}(e==="light"||e==="dark")&&(document.documentElement.dataset.theme=e)})();})();
