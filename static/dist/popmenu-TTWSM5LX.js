import{a}from"./chunk-WTJCQKDB.js";import"./chunk-HQPOQ3TB.js";export{a as popMenu};
