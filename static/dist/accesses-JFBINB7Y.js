import{a}from"./chunk-RBLIYLTM.js";import"./chunk-E2ILFM4I.js";export{a as addAccesses};
