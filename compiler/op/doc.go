// Package op is the table of graph-level operators: for each its arguments, its attributes
// with types and defaults, how the struct info of a call follows from its arguments, whether
// it is pure, and how it fuses. Names and attributes are those of TVM v0.23.
//
// All and Lookup read the one written list, table.go. New and the typed constructors build
// calls with complete attributes; Table gives package relax what it must know of operators.
//
// Everything under compiler/ may import it. It knows the node sets and integer analysis, but
// no pass, no importer and no kernel: lowering to loops is in package topi.
package op
