import{a}from"./chunk-35F7LPG5.js";import"./chunk-PKDVECQ7.js";export{a as popMenu};
