package driver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
)

// TestOffers offers a reproducer for faults of passes and for limits, and none for errors about the input.
func TestOffers(t *testing.T) {
	j, problems, err := driver.Resolve(t.Context(), driver.Request{Source: driver.Source{Name: "in.py", Data: []byte(faulty)}, Settings: request.Settings{OptLevel: 2}})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	m, err := j.Source.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run     pass.RunFunc
		offered bool
		want    string
	}{
		"panic": {func(*pass.Context, *ir.Module) (*ir.Module, error) { panic("oh no") }, true, `"kind":"panic"`},
		"limit": {func(c *pass.Context, _ *ir.Module) (*ir.Module, error) { c.Budget().Spend(1 << 62); return nil, nil }, true, `steps`},
		"invalid": {func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
			return m.With("f", &tir.PrimFunc{RetType: ir.VoidType(), Body: &tir.Evaluate{Value: tir.NewVar("x", tir.Int32(0).Type)}}), nil
		}, true, `"verified":true`},
		"error": {func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no such function") }, false, `"kind":"pass"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pass.Pass{Name: "Bad", Kind: pass.PrimFunc, Run: c.run}
			if name == "limit" {
				p.Run = pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
					c.Budget().Spend(1 << 62)
					return f, nil
				})
			}
			legalize := j.Registry.Lookup("LegalizeOps")
			var failing driver.Failing
			req := j.Compiler(m.Module, pass.NewSequential("x", legalize, p), failing.Instrument(), instruments.WellFormed(false))
			_, err := compiler.Passes(context.Background(), req)
			if err == nil || failing.Offers(err) != c.offered {
				t.Fatalf("offered: %t (%v)", failing.Offers(err), err)
			}
			file := string(failing.File(j, "1.2", err))
			r, rerr := driver.ReadReproducer([]byte(file))
			if rerr != nil || r == nil || r.Program != "1.2" || r.Passes != "Bad" || r.Step != "1.2/Bad" || !strings.Contains(file, c.want) || !strings.Contains(file, "R.call_tir") {
				t.Errorf("%v, %+v\n%.600s", rerr, r, file)
			}
		})
	}
	var none driver.Failing
	if none.Offers(err) || none.File(j, "", errors.New("before any pass")) != nil {
		t.Error("a reproducer of no pass")
	}
	if r, err := driver.ReadReproducer([]byte(faulty)); r != nil || err != nil {
		t.Errorf("a module is no reproducer: %v, %v", r, err)
	}
}
