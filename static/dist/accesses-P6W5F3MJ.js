import{a}from"./chunk-ZUVW6ZCR.js";import"./chunk-HQPOQ3TB.js";export{a as addAccesses};
