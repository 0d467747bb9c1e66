// Package tir is the loop level of the IR, TensorIR: buffers with memory scopes, loops,
// blocks with reads, writes and iteration variables, and below them flat buffers, lets and
// intrinsics.
//
// Nodes are immutable structs behind the sealed interfaces Expr and Stmt, dispatched by type
// switch; see package ir for the rules. Walk nodes with ir.Walk.
// Rewrites are functions that call each other through a Mapper; those that ask what holds at a
// place are hooks of an arith.Mutator. The traversal methods in nodes_gen.go and the With methods in
// with_gen.go are generated from the structs in this package.
//
// It may be imported by everything under compiler/ and by code generators; it knows
// neither the graph level nor passes.
package tir

//go:generate go run ../ir/nodegen -level tir
