import{a,b}from"./chunk-ASBPLUO7.js";import"./chunk-AEQOQ6AY.js";import"./chunk-KL5MMKGE.js";export{a as RunChips,b as spelled};
