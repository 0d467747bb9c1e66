package roundtrip

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Error is what the instrument stops a run with.
type Error struct {
	// When says before or after which step the module did not read back.
	When string
	Err  error
}

// Error names the step and what went wrong.
func (e *Error) Error() string { return "round trip " + e.When + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// Instrument returns an instrument that checks the module before the first pass and after
// each one that changed it. Its *Error names the step and stops the run. Each time only the
// functions are checked that were replaced since, so that it costs no more than printing and
// reading what passes make.
func Instrument() *pass.Instrument {
	var last *ir.Module
	check := func(m *ir.Module, when string) error {
		from := last
		if m == from {
			return nil
		}
		last = m
		if err := Check(changed(from, m)); err != nil {
			return &Error{When: when, Err: err}
		}
		return nil
	}
	return &pass.Instrument{
		Name: "round trip",
		RunBeforePass: func(m *ir.Module, s *pass.Step) error {
			return check(m, "before "+s.Path())
		},
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			return check(m, "after "+s.Path())
		},
	}
}

// changed returns the module of the functions of m that from does not share, and of those
// that they refer to: of PrimFuncs the signature only. from may be nil.
func changed(from, m *ir.Module) *ir.Module {
	if from == nil {
		return m
	}
	keep := map[string]ir.Function{}
	m.EachChange(from, func(name string, _, after ir.Function) {
		if after != nil {
			keep[name] = after
		}
	})
	var need func(f ir.Function)
	need = func(f ir.Function) {
		ir.Walk(f, func(n ir.Node) bool {
			var gv *ir.GlobalVar
			switch n := n.(type) {
			case *ir.GlobalVar:
				gv = n
			case *tir.Call:
				gv, _ = n.Op.(*ir.GlobalVar)
			}
			if gv == nil || keep[gv.Name] != nil {
				return true
			}
			switch g := m.Lookup(gv.Name).(type) {
			case nil:
			case *tir.PrimFunc:
				keep[gv.Name] = signature(g)
			case *relax.Function, *relax.ExternFunc:
				keep[gv.Name] = g
				need(g)
			default:
				panic(fmt.Sprintf("roundtrip: unknown kind of function %T", g))
			}
			return true
		})
	}
	for gv := range m.Funcs() {
		if f := keep[gv.Name]; f != nil {
			need(f)
		}
	}
	e := m.Edit()
	for gv, f := range m.Funcs() {
		switch g := keep[gv.Name]; g {
		case nil:
			e.Remove(gv.Name)
		case f:
		default:
			e.Set(gv.Name, g)
		}
	}
	return e.Done()
}

// signature returns f with a body that does nothing.
func signature(f *tir.PrimFunc) *tir.PrimFunc {
	return f.WithBody(&tir.Evaluate{Value: tir.Int32(0)})
}
