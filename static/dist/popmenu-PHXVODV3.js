import{a}from"./chunk-CAZ5F4SS.js";import"./chunk-E2ILFM4I.js";export{a as popMenu};
