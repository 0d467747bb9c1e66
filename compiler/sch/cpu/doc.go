// Package cpu holds the default schedule rules for CPUs with vectors of 128 bits, such as
// WebAssembly's: what is cheap is inlined, reductions (convolutions, matrix products, pools,
// sums) are computed in tiles of results that stay in registers, the rest is fused and
// vectorised along contiguous axes.
//
// The pass ApplyDefaultSchedule uses it. It is built on the primitives of package sch, of which
// some are for it alone (sch/kinds_tile.go), so that the schedule of a kernel is a trace (Machine.Trace). It
// knows no passes and no code generator.
package cpu
