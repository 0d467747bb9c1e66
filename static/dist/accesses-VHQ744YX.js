import{a}from"./chunk-V6YG7OSV.js";import"./chunk-RJUIPAAA.js";export{a as addAccesses};
