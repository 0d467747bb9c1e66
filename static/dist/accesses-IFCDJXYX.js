import{a}from"./chunk-M3HHNTXT.js";import"./chunk-U3UEZTRT.js";export{a as addAccesses};
