import{a}from"./chunk-KQLEYYT7.js";import"./chunk-RJUIPAAA.js";export{a as popMenu};
