import{a}from"./chunk-5PLMJSEW.js";import"./chunk-HQPOQ3TB.js";export{a as addAccesses};
