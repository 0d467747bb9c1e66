import{a}from"./chunk-FGBCR57U.js";import"./chunk-BSLGK3F6.js";export{a as popMenu};
