import{a}from"./chunk-IXPVGLZQ.js";import"./chunk-KL5MMKGE.js";export{a as popMenu};
