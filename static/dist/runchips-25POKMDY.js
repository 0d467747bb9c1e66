import{a,b}from"./chunk-W4NHJ4GY.js";import"./chunk-AEQOQ6AY.js";import"./chunk-34WDKNZM.js";export{a as RunChips,b as spelled};
