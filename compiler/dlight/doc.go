// Package dlight schedules PrimFuncs by rules without tuning, after TVM's DLight: a rule recognizes a kind of kernel (a matrix product,
// a reduction, a transposition) by its blocks, and writes its schedule in the primitives of compiler/sch for a target.
//
// A rule never changes what a function computes: all that it does are primitives, each of which checks its conditions. A rule that
// does not fit says why. Passes use it through Parse and Rule.Apply; it knows no passes.
package dlight
