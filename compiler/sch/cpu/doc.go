// Package cpu holds the default schedule rules for CPUs with vectors: what is cheap is
// inlined, reductions (convolutions, matrix products, pools, sums) are computed in tiles of
// results that stay in registers, the rest is fused and vectorised along contiguous axes.
//
// Tiles of products are computed from the Machine of the target, by what a step of the sum takes for each shape that its registers hold (shape.go), and the
// loops around them are put in an order for its caches (arrange.go). There is no table of shapes. What a reduction without reuse reads, as a depthwise convolution or a pool, is padded
// in front of it, as much at a time as the second cache holds (local.go, border.go); machine code reads it where it is, with loops of their own for the few tiles at the edges
// (interior.go, clamp.go). Copies from one contiguous axis to another are made in tiles that machine code transposes in registers (transpose.go, open.go), and where
// places that are read come again after a few steps, as in images that grow, it picks lanes from vectors that it reads whole (picked.go).
//
// The pass ApplyDefaultSchedule uses it. It is built on the primitives of package sch, of which
// some are for it alone (sch/kinds_tile.go), so that the schedule of a kernel is a trace (Machine.Trace). It
// knows no passes and no code generator.
package cpu
