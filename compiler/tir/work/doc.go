// Package work counts what one call of a PrimFunc does: floating-point operations, calls of mathematical functions, and bytes
// of its arguments that it reads and writes. It is an analysis of the loops: nothing runs.
//
// Profiles put measured times beside these counts. The package knows the nodes of package tir only; tests compare it with the
// counts of the interpreter.
package work
