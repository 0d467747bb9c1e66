import{a,b}from"./chunk-D2RTD2GU.js";import"./chunk-AEQOQ6AY.js";import"./chunk-BSLGK3F6.js";export{a as RunChips,b as spelled};
