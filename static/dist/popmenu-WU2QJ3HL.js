import{a}from"./chunk-NXXK6RVZ.js";import"./chunk-UOUZ2LJ3.js";export{a as popMenu};
