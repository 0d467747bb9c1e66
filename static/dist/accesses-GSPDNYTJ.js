import{a}from"./chunk-RCQQ2OYD.js";import"./chunk-2KHIFHVX.js";export{a as addAccesses};
