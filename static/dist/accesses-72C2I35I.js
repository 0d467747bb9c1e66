import{a}from"./chunk-JA5IRQGM.js";import"./chunk-BSLGK3F6.js";export{a as addAccesses};
