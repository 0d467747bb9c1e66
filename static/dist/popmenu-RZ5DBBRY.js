import{a}from"./chunk-3XYIMG5Q.js";import"./chunk-2KHIFHVX.js";export{a as popMenu};
