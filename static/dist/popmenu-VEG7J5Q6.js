import{a}from"./chunk-IGAPWAP5.js";import"./chunk-BMKYLWZZ.js";export{a as popMenu};
