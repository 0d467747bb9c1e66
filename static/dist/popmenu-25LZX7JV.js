import{a}from"./chunk-EN7BMPKF.js";import"./chunk-SRMICDV6.js";export{a as popMenu};
