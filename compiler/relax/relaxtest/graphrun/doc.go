// Package graphrun runs Relax functions in plain Go, at every stage between LegalizeOps and
// VMShapeLower: calls of kernels go to the interpreter of PrimFuncs, tensors live where
// the program allocates them, and a value that was killed cannot be used again. It is the
// oracle for the passes of package transform.
//
// Only tests import it.
package graphrun
