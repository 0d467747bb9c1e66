import{a}from"./chunk-5Q5NUHSI.js";import"./chunk-KL5MMKGE.js";export{a as addAccesses};
