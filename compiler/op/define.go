package op

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// LegalizeFunc is TVM's FLegalize: it returns what a call becomes, a call of a kernel that it adds with AddFunc, or other operators. What it
// needs before, it emits. It returns the call itself where it leaves that alone.
type LegalizeFunc func(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error)

var definedName = regexp.MustCompile(`^relax(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// Define makes an operator of a program, beside those of the tables. Its calls are made with Call and carry it with them: they are inferred,
// verified, printed and lowered as o says, and text is read back where the reader is told of o. A rule that is nil means what it means
// in the table: Infer must be there; an operator without Legalize has no kernel.
//
// The name begins with relax. and is in no table. Names of arguments and attributes differ; optional arguments come last, a variadic one at the
// very end; the defaults of attributes are of their types. An error says what is wrong.
func Define(o Op) (*Op, error) {
	fail := func(format string, args ...any) (*Op, error) {
		return nil, fmt.Errorf("operator %s: %s", o.Name, fmt.Sprintf(format, args...))
	}
	if !definedName.MatchString(o.Name) {
		return nil, fmt.Errorf("operator %q: expected a name like relax.twice", o.Name)
	}
	if Lookup(o.Name) != nil {
		return fail("there is one of that name already")
	}
	if o.Infer == nil {
		return fail("it has no Infer, which says what its result is")
	}
	seen := map[string]bool{}
	o.Args, o.Attrs = slices.Clone(o.Args), slices.Clone(o.Attrs)
	optional := false
	for i, a := range o.Args {
		switch {
		case a.Name == "" || seen[a.Name]:
			return fail("the name %q of argument %d is empty or taken", a.Name, i)
		case optional && !a.Optional && !a.Variadic:
			return fail("argument %s stands behind an optional one, but is not optional", a.Name)
		case a.Variadic && i != len(o.Args)-1:
			return fail("argument %s stands for any number, but is not the last", a.Name)
		}
		seen[a.Name], optional = true, optional || a.Optional
	}
	for i := range o.Attrs {
		a := &o.Attrs[i]
		switch {
		case a.Name == "" || seen[a.Name]:
			return fail("the name %q of attribute %d is empty or taken", a.Name, i)
		case !a.Required && !a.accepts(a.Default):
			return fail("the default of attribute %s is %s, expected %s", a.Name, formatValue(a.Default), a.Type)
		}
		seen[a.Name] = true
		if !a.Required {
			o.defaults = o.defaults.With(a.Name, a.Default)
		}
	}
	out := &o
	out.ref = ir.DefinedOp(o.Name, out)
	return out, nil
}

// Call returns a call with all attributes: those given and the defaults of the others. Struct info is inferred when the call is emitted.
func (o *Op) Call(args []relax.Expr, attrs *ir.Attrs) (*relax.Call, error) {
	if err := o.checkAttrs(attrs); err != nil {
		return nil, err
	}
	return o.call(args, attrs), nil
}

// DefinedIn returns the operators of programs that the Relax functions of a module call, each once, in the order of their first calls.
func DefinedIn(m *ir.Module) []*Op {
	var out []*Op
	seen := map[*Op]bool{}
	for _, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			if ref, ok := n.(*ir.Op); ok {
				if o, ok := ref.Def().(*Op); ok && !seen[o] {
					seen[o] = true
					out = append(out, o)
				}
			}
			return true
		})
	}
	return out
}
