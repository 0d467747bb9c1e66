import{a}from"./chunk-ZBQ2IOBG.js";import"./chunk-AMLMXXLW.js";export{a as addAccesses};
