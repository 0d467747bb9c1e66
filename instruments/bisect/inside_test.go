package bisect_test

import (
	"errors"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/bisect"
)

// inner returns a pass that runs others one after the other; one whose name is in caught may fail.
func inner(caught string, list ...*pass.Pass) *pass.Pass {
	return &pass.Pass{Name: "Outer", Kind: pass.Module, Doc: "Runs others.", Foreign: true, Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		for _, p := range list {
			out, err := c.Run(p, m)
			switch {
			case err == nil:
				m = out
			case p.Name != caught:
				return nil, err
			}
		}
		return m, nil
	}}
}

// TestInside finds the step inside of the pass at fault, however the fault shows, and the rewrites of that step alone.
func TestInside(t *testing.T) {
	right := func(name, operator string) *pass.Pass {
		return calls(name, operator, func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return c.WithArgs(c.Args) })
	}
	wrong := calls("Wrong", "relax.subtract", swapped)
	wrong.Line, wrong.Title = 4, "swap the operands"
	fails := &pass.Pass{Name: "Fails", Kind: pass.Module, Doc: "Fails.", Foreign: true, Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no") }}
	invalid := &pass.Pass{Name: "Invalid", Kind: pass.Module, Doc: "Wrong.", Foreign: true, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		return m.With("broken", &tir.PrimFunc{RetType: ir.VoidType(), Body: &tir.Evaluate{Value: tir.NewVar("x", tir.Int32(0).Type)}}), nil
	}}
	other, found := parse.Module("other.py", model, parse.Options{})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	elsewhere := &pass.Pass{Name: "Outer", Kind: pass.Module, Doc: "Runs a pass on another module.", Foreign: true, Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := c.Run(wrong, other)
		if err != nil {
			return nil, err
		}
		return m.With("main", out.Lookup("main")).With("gate", out.Lookup("gate")), nil
	}}
	nested := inner("", right("First", "relax.tanh"), wrong)
	nested.Name = "Nested"
	for _, c := range []struct {
		name, predicate string
		outer           *pass.Pass
		pass            string // "" where it is not known
		at              string
	}{
		{"wrong", "wrong", inner("", right("First", "relax.tanh"), wrong, right("Last", "relax.exp")), "Wrong", ".2/Wrong"},
		{"the first", "wrong", inner("", wrong, right("Last", "relax.exp")), "Wrong", ".1/Wrong"},
		{"deeper", "wrong", inner("", right("Begin", "relax.exp"), nested), "Wrong", ".2.2/Wrong"},
		{"contains", `contains=R\.log`, inner("", right("First", "relax.tanh"), calls("Logs", "relax.exp", func(_ *relax.ExprMutator, c *relax.Call) relax.Expr { return op.Unary("log", c.Args[0]) })), "Logs", ".2/Logs"},
		{"crash", "crash", inner("", right("First", "relax.tanh"), fails, wrong), "Fails", ".2/Fails"},
		{"invalid", "invalid", inner("", right("First", "relax.tanh"), invalid, right("Last", "relax.exp")), "Invalid", ".2/Invalid"},
		{"behind a failure that is caught", "wrong", inner("Fails", fails, wrong), "Wrong", ".2/Wrong"},
		{"of another module", "wrong", elsewhere, "", ""},
		{"without steps", "wrong", wrong, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := bisect.Parse(c.predicate)
			if err != nil {
				t.Fatal(err)
			}
			f, err := bisect.Find(t.Context(), subject(t, put(t, "CanonicalizeBindings", c.outer)), p, hooks(), bisect.Options{Evaluations: 1})
			if err != nil {
				t.Fatal(err)
			}
			if c.pass == "" {
				if f.Inside != nil {
					t.Errorf("found %+v inside of %s", f.Inside, f.Step)
				}
				return
			}
			above := f.Step[:len(f.Step)-len("/Outer")]
			if f.Pass != "Outer" || f.Inside == nil || f.Inside.Pass != c.pass || f.Inside.Step != above+c.at {
				t.Fatalf("found %+v inside of %s, want %s%s", f.Inside, f.Step, above, c.at)
			}
			if c.pass == "Wrong" && (f.Inside.Line != 4 || f.Inside.Title != "swap the operands" || len(f.Rewrites) != 1 || f.Rewrites[0].Name != "replace relax.subtract") {
				t.Errorf("found %+v with the rewrites %+v", f.Inside, f.Rewrites)
			}
		})
	}
}
