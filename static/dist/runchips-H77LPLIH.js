import{a,b}from"./chunk-2Y3Y3LWC.js";import"./chunk-AEQOQ6AY.js";import"./chunk-SRMICDV6.js";export{a as RunChips,b as spelled};
