import{a}from"./chunk-4OSU7JKK.js";import"./chunk-UOUZ2LJ3.js";export{a as addAccesses};
