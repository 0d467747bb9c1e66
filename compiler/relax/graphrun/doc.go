// Package graphrun runs Relax functions in plain Go, at every stage between LegalizeOps and the last pass of a pipeline: calls of
// kernels go to the interpreter of PrimFuncs, tensors live where the program allocates them, and a value that was killed
// cannot be used again. Memory that nobody wrote reads as NaN. It is the reference for the passes of package transform: it
// shares no code with them, with the code generators, or with the virtual machine.
//
// An operator that LegalizeOps turns into a kernel is an *Unsupported error, unless the options know it: package opeval computes the common ones.
//
// Everything under compiler/ that may import interp may import it, and so may what checks the results of passes. It knows no pass.
package graphrun
