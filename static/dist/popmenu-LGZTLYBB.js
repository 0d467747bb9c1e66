import{a}from"./chunk-QT4KXFKS.js";import"./chunk-Z4K2VU2K.js";export{a as popMenu};
