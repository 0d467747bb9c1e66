import{a}from"./chunk-RS7G52Y3.js";import"./chunk-34WDKNZM.js";export{a as addAccesses};
