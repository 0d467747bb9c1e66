import{a,b}from"./chunk-E3XV3ENO.js";import"./chunk-AEQOQ6AY.js";import"./chunk-AMLMXXLW.js";export{a as RunChips,b as spelled};
