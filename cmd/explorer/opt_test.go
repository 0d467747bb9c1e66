package main

import (
	"errors"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestOptRefusesWhatPassesBreak runs a pass that leaves a call with an axis that its tensor
// does not have.
func TestOptRefusesWhatPassesBreak(t *testing.T) {
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 2, 3)}
	b := op.NewBlockBuilder(nil)
	b.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	out, err := b.Emit(op.Softmax(x, 1), "out")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.EndFunction(out); err != nil {
		t.Fatal(err)
	}
	breaks := &pass.Pass{Name: "Breaks", Kind: pass.Module, Doc: "Breaks.", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		mp := &relax.Mapper{}
		mp.Expr = func(e relax.Expr) relax.Expr {
			if c, ok := e.(*relax.Call); ok {
				return c.WithAttrs(c.Attrs.With("axis", int64(7)))
			}
			return mp.MapExpr(e)
		}
		f := m.Lookup("main").(*relax.Function)
		return m.With("main", f.WithBody(mp.MapSeq(f.Body))), nil
	}}
	cmd := optCommand()
	cmd.SetContext(t.Context())
	req := compiler.Request{Module: b.Module(), Pipeline: pass.NewSequential("passes", breaks)}
	_, err = optimize(cmd, &compileFlags{}, &optFlags{}, req, frontend.Source{}, false)
	if !errors.Is(err, instruments.ErrIllFormed) {
		t.Errorf("got %v, want an error that the module is not well-formed", err)
	}
	if _, err := optimize(cmd, &compileFlags{}, &optFlags{}, req, frontend.Source{}, true); err != nil {
		t.Errorf("with --no-verify: %v", err)
	}
}
