import{a}from"./chunk-XD6SIWYP.js";import"./chunk-Z4K2VU2K.js";export{a as addAccesses};
