import{a,b}from"./chunk-J3I5RAQP.js";import"./chunk-AEQOQ6AY.js";import"./chunk-SRMICDV6.js";export{a as RunChips,b as spelled};
