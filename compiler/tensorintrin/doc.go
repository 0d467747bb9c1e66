// Package tensorintrin holds the tensor intrinsics that TVM v0.23 registers itself, under its names: dot products of x86, Arm, Hexagon and GPUs, and
// the matrix units of NVIDIA, AMD and Apple.
//
// An intrinsic is a pair of functions, a description by loops and an implementation by the instruction, which are texts of TVMScript with parameters.
// They are read when an intrinsic is first looked up. The package may be imported by everything above sch and script/parse.
package tensorintrin
