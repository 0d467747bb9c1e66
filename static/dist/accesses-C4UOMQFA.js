import{a}from"./chunk-MU7HPEJ4.js";import"./chunk-BMKYLWZZ.js";export{a as addAccesses};
