import{a}from"./chunk-VATJDNTL.js";import"./chunk-SRMICDV6.js";export{a as addAccesses};
