import{a}from"./chunk-WPUEVOCA.js";import"./chunk-AMLMXXLW.js";export{a as popMenu};
