import{a}from"./chunk-BERWNCQR.js";import"./chunk-CSKSU5A5.js";export{a as addAccesses};
