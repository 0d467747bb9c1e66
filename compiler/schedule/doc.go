// Package schedule transforms PrimFuncs by primitives that keep their meaning:
// it splits, fuses and moves loops, inlines and caches blocks and marks loops for vectors.
// The primitives have the names that TensorIR's schedule gives them.
//
// A Schedule takes one immutable function apart into a tree of loops and blocks. Handles
// (*Loop, *Block) are nodes of that tree, so they survive all primitives but those that
// remove what they stand for. A primitive checks before it changes anything; its error names
// primitive, block, loop and reason. Func builds the function again.
//
// It may be imported by package transform and by rules such as schedule/cpu; it knows no
// passes, no targets and no graph level.
package schedule
