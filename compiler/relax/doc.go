// Package relax is the graph level of the IR: functions of binding blocks in A-normal form
// over tensors with symbolic shapes.
//
// Nodes are immutable structs behind the sealed interfaces Expr, Binding and StructInfo,
// dispatched by type switch; see package ir for the rules. Shapes are expressions of
// package tir. Build functions with a BlockBuilder, which keeps A-normal form and infers
// struct info, and rewrite them with an ExprMutator, which goes through one. A Mapper is for
// what changes no value: substitutions, origins. The traversal methods in nodes_gen.go and the
// With methods in with_gen.go are generated from the structs.
//
// It may be imported by everything under compiler/ that knows graphs; it knows no passes.
package relax

//go:generate go run ../ir/nodegen -level relax
