package parse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// constantsOf returns the constants of a module by the keys under which they are printed.
func constantsOf(m *ir.Module) map[string]*ir.Blob {
	const keyLen = 12
	out := map[string]*ir.Blob{}
	for _, f := range m.Funcs() {
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.Constant:
				out[n.Data.Digest()[:keyLen]] = n.Data
			case *tir.AllocateConst:
				out[n.Data.Digest()[:keyLen]] = n.Data
			}
			return true
		})
	}
	return out
}

// roundTrip reports where printing and reading m does not give m back.
func roundTrip(m *ir.Module) error {
	text := script.Module(m, script.Options{}).Source
	got, diags := parse.Module("printed.py", text, parse.Options{Constants: constantsOf(m)})
	if len(diags) > 0 {
		return fmt.Errorf("%d errors, first\n%s", len(diags), parse.Format(diags[0]))
	}
	if again := script.Module(got, script.Options{}).Source; again != text {
		a, b := strings.Split(text, "\n"), strings.Split(again, "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				return fmt.Errorf("line %d prints as\n%s\nafter reading\n%s", i+1, strings.Join(b[i:min(i+1, len(b))], ""), a[i])
			}
		}
		return fmt.Errorf("the text grew from %d to %d lines", len(a), len(b))
	}
	if d := ir.FirstModuleMismatch(m, got, ir.EqualOpts{}); d != nil {
		return fmt.Errorf("the text reads back as another module: %s", d)
	}
	return nil
}

// checked returns an instrument that makes the round trip after every pass.
func checked(t *testing.T, name string) *pass.Instrument {
	var last *ir.Module
	reported := map[string]bool{}
	check := func(m *ir.Module, when string) {
		if m == last {
			return
		}
		last = m
		if err := roundTrip(m); err != nil && !reported[when] {
			reported[when] = true
			t.Errorf("%s %s: %v", name, when, err)
		}
	}
	return &pass.Instrument{
		Name:          "round trip",
		RunBeforePass: func(m *ir.Module, _ *pass.Step) error { check(m, "before the first pass"); return nil },
		RunAfterPass:  func(m *ir.Module, s *pass.Step) error { check(m, "after "+s.Pass.Name); return nil },
	}
}

func compileChecked(t *testing.T, c onnxtest.Case, level int) {
	c.Seeded = false
	mod, err := onnx.Import(t.Context(), c.Model(t), onnx.Options{})
	if err != nil {
		t.Skipf("%s: %v", c.Name, err)
	}
	_, err = compiler.Passes(context.Background(), compiler.Request{
		Module: mod, OptLevel: &level, Instruments: []*pass.Instrument{checked(t, fmt.Sprintf("%s at opt_level %d", c.Name, level))},
	})
	if err != nil {
		t.Logf("%s: the pipeline stopped: %v", c.Name, err)
	}
}

// TestGalleryRoundTrips prints and reads every gallery model after every pass of the default
// pipeline at each opt_level.
func TestGalleryRoundTrips(t *testing.T) {
	for _, c := range onnxtest.Gallery(t) {
		for level := range 4 {
			t.Run(fmt.Sprintf("%s/%d", c.Name, level), func(t *testing.T) { compileChecked(t, c, level) })
		}
	}
}

// TestPublishedModelsRoundTrip does the same for published models at the default level.
func TestPublishedModelsRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: run without -short")
	}
	for _, c := range append(onnxtest.Real(t), onnxtest.Light(t)...) {
		t.Run(c.Name, func(t *testing.T) { compileChecked(t, c, pass.DefaultOptLevel) })
	}
}
