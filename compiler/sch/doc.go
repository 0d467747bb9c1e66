// Package sch transforms modules of PrimFuncs by schedule primitives, as users write them: TVM's tir.Schedule.
//
// A State is a module and does not change. A primitive checks TVM's conditions on it and returns another State, which shares with the first
// whatever the primitive did not change, so that to undo a step is to keep the State before it. Blocks and loops are referred to by a *Block and a
// *Loop, which mean the same block or loop in all states in which it exists: a loop is known by its variable, a block by what primitives say
// that became of it.
//
// A Schedule is a State that calls move forward, with the trace of the instructions that were called. What can be called, under what names and
// with what parameters, is the table Kinds: scripts, traces, and the text and JSON of traces all follow it.
//
// The conditions and the forms of the results are those of TVM v0.23 (src/tir/schedule). What a block depends on (stage pipelines, the cover
// of regions, affine bindings) is derived from the program when a primitive asks, where TVM keeps flags.
//
// The primitives of kinds_tile.go are not TVM's. The default schedule for CPUs (package cpu below) needs them: tiles of reductions that stay in
// registers, loops with symbolic extents that are cut, and block variables that are fused. They keep the meaning of programs as the others do, and the
// others keep it behind them: most refuse programs with the views that flatten_access leaves.
//
// It may be imported by everything under compiler/ above arith but passes that it would need; it knows PrimFuncs, arith,
// the printer and irjson, which writes the index maps of traces, only.
package sch
