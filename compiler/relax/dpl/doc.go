// Package dpl is a language of patterns over the graph level, after TVM's relax.dpl: what an expression is a call of, with which operands,
// attributes, shape and element type. Match compares one expression, RewriteCalls puts something else in the place of what matches.
//
//	x, w, b := dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()
//	p := dpl.Op("relax.add", dpl.Op("relax.matmul", x, w), b)
//
// A pattern is a node, equal to itself only: one that stands in two places matches the same value in both. Variables are looked
// through: a pattern of a call matches the variable that the call is bound to.
//
// Passes and what defines passes may import it. It knows the IR, and no pass or operator by name.
package dpl
