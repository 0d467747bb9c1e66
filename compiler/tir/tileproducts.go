package tir

// AttrTileProducts is the annotation of the outermost of the loops that add products of words of bytes to sums in local memory, a matrix of them by another one, where the schedule
// wants code for it on registers for whole matrices. It changes no meaning: what has no such registers runs the loops.
const AttrTileProducts = "tile_products"
