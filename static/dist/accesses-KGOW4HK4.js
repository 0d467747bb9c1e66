import{a}from"./chunk-CRMDQVHK.js";import"./chunk-WZT747UN.js";export{a as addAccesses};
