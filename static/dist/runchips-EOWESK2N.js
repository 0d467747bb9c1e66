import{a,b}from"./chunk-AREWMR6J.js";import"./chunk-AEQOQ6AY.js";import"./chunk-U3UEZTRT.js";export{a as RunChips,b as spelled};
