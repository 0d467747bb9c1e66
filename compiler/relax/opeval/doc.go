// Package opeval computes operators by their definitions, those of NumPy and ONNX, in plain loops. It shares nothing with LegalizeOps, package topi, or
// package te: what they make of an operator can be compared with it.
//
// It knows the operators of common models on tensors of float32 and float64, see Known. Sums are made in the order of the elements and rounded to the element type at
// each step, as a plain loop would; elementary functions are those of Go's math, rounded once.
//
// What checks passes imports it. It knows package relax and its interpreter, and no pass.
package opeval
