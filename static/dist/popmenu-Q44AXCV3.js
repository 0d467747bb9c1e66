import{a}from"./chunk-SDMIDWLA.js";import"./chunk-WZT747UN.js";export{a as popMenu};
