import{a}from"./chunk-XZTF745V.js";import"./chunk-U3UEZTRT.js";export{a as popMenu};
