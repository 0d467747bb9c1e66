import{a}from"./chunk-GKW2N4QE.js";import"./chunk-PKDVECQ7.js";export{a as addAccesses};
