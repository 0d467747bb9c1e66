// Package onnx imports ONNX models into the compiler: a model becomes a module with one
// Relax function, main.
//
// Read the file with package onnxpb, then call Import. Operator sets 1 to 28 are known; what
// an operator means in each is in the op_*.go files, and Domains lists them, with those of
// other domains. Weights become constants, optional operands and attributes take their
// defaults, and computations on shapes are carried out during the import, so that shapes in
// the result are expressions over the symbolic dimensions of the inputs.
//
// The facade and tests import it. It knows the operators of package op, and no pass.
package onnx
