import{a,b}from"./chunk-FIO6765A.js";import"./chunk-AEQOQ6AY.js";import"./chunk-WZT747UN.js";export{a as RunChips,b as spelled};
