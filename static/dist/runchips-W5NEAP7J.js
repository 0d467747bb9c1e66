import{a,b}from"./chunk-2JBTKNF4.js";import"./chunk-AEQOQ6AY.js";import"./chunk-Z4K2VU2K.js";export{a as RunChips,b as spelled};
