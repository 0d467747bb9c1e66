// Package region finds which regions of which buffers a block reads and writes.
//
// Everything above compiler/arith may import it; it knows PrimFuncs and arith only, no passes.
package region
