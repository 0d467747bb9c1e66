// Package codegen holds what every code generator takes and gives, so that the compiler needs to know
// no more of one than a row of a table.
//
// Code generators below target/ and the facade of the compiler import it; it knows no generator and
// no pass.
package codegen

import (
	"context"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// Build makes one module of kernels of lowered functions, for a target of the generator's kind.
// Functions with a global_symbol become kernels of that name; the others may be called by them. The
// same input gives the same bytes. Errors name the function and the node.
type Build func(ctx context.Context, funcs []Func, t target.Target) (*Library, error)

// Func is a function to compile, with its name in its module.
type Func struct {
	Name string
	Prim *tir.PrimFunc
}

// Funcs lists the PrimFuncs of a module in its order.
func Funcs(m *ir.Module) []Func {
	var out []Func
	for gv, f := range m.Funcs() {
		if p, ok := f.(*tir.PrimFunc); ok {
			out = append(out, Func{gv.Name, p})
		}
	}
	return out
}

// Library is a compiled module.
type Library struct {
	Format  string // of Bytes: the name of the loader that takes them
	Bytes   []byte
	Kernels []Kernel // in the order of the functions that were given
	// Refused lists the functions that the generator does not take, in their order: they have no kernel here and are left to the
	// generator that stands in for it. Only a generator that has such a one may refuse.
	Refused []Refusal
}

// Refusal says why a generator does not take a function.
type Refusal struct {
	Name   string // in the IR module
	Reason string // for readers, as in "calls a function of the host: expf"
}

// Kernel is the code of one function.
type Kernel struct {
	Name   string // in the IR module
	Symbol string // name of the kernel; empty for a private function
	Bytes  int    // size of its code in the library
	// Language names the form of Text, for a highlighter.
	Language string
	// Text prints the code for readers; it is made at each call.
	Text func() string
	// Lines prints the code too, and returns the statement that each line is for, nil where it is for none. It is nil where the
	// generator does not tell.
	Lines func() (string, []tir.Stmt)
}

// Symbols lists the names of the kernels in alphabetical order.
func (l *Library) Symbols() []string {
	names := []string{}
	for _, k := range l.Kernels {
		if k.Symbol != "" {
			names = append(names, k.Symbol)
		}
	}
	slices.Sort(names)
	return names
}
