import{a}from"./chunk-ZQJOZYBO.js";import"./chunk-CSKSU5A5.js";export{a as popMenu};
