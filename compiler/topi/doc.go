// Package topi is the inventory of operators as tensor expressions: what LegalizeOps turns
// graph-level operators into. Each function takes tensors and plain parameters, which struct
// info inference has checked before, and returns what a kernel computes. Names of tensors,
// and so of blocks, follow TVM's topi.
//
// It may be imported by compiler/transform; it knows tensor expressions and the loop level,
// neither the graph level nor its operator table.
package topi
