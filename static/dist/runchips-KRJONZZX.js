import{a,b}from"./chunk-RJGDYS4G.js";import"./chunk-AEQOQ6AY.js";import"./chunk-E2ILFM4I.js";export{a as RunChips,b as spelled};
