// Package analysis answers questions about loop-level code: which regions of which buffers
// a block reads and writes.
//
// Everything under compiler/ but compiler/tir and compiler/arith may import it; it knows the
// loop level and arith only, no passes.
package analysis
