import{a,b}from"./chunk-AZL2VIKD.js";import"./chunk-AEQOQ6AY.js";import"./chunk-RJUIPAAA.js";export{a as RunChips,b as spelled};
