// Package interp runs PrimFuncs in plain Go. It is the oracle for the passes and
// code generators, and the default evaluator of constants.
//
// A function is first compiled to closures over a frame of numbered slots, then run: no
// maps and no type switches in loops. It accepts every form that a PrimFunc takes on its
// way down: blocks, loops of all kinds (run serially), vectors (run lane by lane),
// flattened buffers, allocations, calls of other functions and the packed calling
// convention. Arithmetic is that of the types: integers wrap, each operation on floats
// rounds to its type. Every access is checked against the shape of its buffer. Memory that
// nothing was written to reads as NaN or as all ones.
//
// Loops over threads and the attributes that launch them run as on a GPU where a program says so: threads are coroutines that wait for each other
// at barriers, shuffles and reductions (plan.go decides, thread.go and grid.go run them), and shadow memory finds races
// (shadow.go). Programs without threads pay nothing for it. The instructions of tensor cores
// run by warps (mma.go, ldmatrix.go). Options.Barriers says whether the barriers of a program are written already.
//
// Everything under compiler/ may import it; it knows the loop level only, no passes and no
// graph level.
package interp
