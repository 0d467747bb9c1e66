import{a}from"./chunk-I77C4AFP.js";import"./chunk-34WDKNZM.js";export{a as popMenu};
