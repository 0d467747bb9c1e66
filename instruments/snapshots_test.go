package instruments_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments"
)

// alone checks that a snapshot is what its function prints as on its own, in memory that nothing else has used.
func alone(t *testing.T, at string, s *instruments.Snapshot, fn ir.Function) {
	t.Helper()
	want := script.Function(s.Name, fn, script.Options{})
	if s.Text != want.Source {
		t.Errorf("%s: the snapshot of %s is\n%s\nexpected, printed alone,\n%s", at, s.Name, s.Text, want.Source)
	}
	if !slices.Equal(s.Nodes, want.Lines) {
		t.Errorf("%s: the lines of the snapshot of %s show other nodes than those of the function printed alone", at, s.Name)
	}
}

// TestSnapshotsOfRuns compiles a model without random passes, and compares what is printed of each change, in memory that all prints
// share and out of the texts before, with what is printed alone.
func TestSnapshotsOfRuns(t *testing.T) {
	models := gallery.Models()
	var optional []string
	for _, p := range pipeline.All() {
		if !p.Lowering {
			optional = append(optional, p.Name)
		}
	}
	seed.Each(t, seed.Cases(4, 100), func(t *testing.T, r *rand.Rand) {
		g := models[r.IntN(len(models))]
		model, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := onnx.Import(t.Context(), model, onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		without := map[string]bool{}
		for range r.IntN(6) {
			without[optional[r.IntN(len(optional))]] = true
		}
		snaps, compared := instruments.NewSnapshots(), 0
		var stale []instruments.FuncDelta
		look := func(m *ir.Module, s *pass.Step) error {
			if len(s.Pass.Children) > 0 {
				return nil
			}
			snaps.Forget(stale)
			stale = snaps.Delta(s.Input, m)
			for _, d := range stale {
				if d.After != nil {
					compared++
					alone(t, s.Path(), d.After, m.Lookup(d.Name))
				}
			}
			return nil
		}
		_, err = compiler.Passes(t.Context(), compiler.Request{
			Module: m, Disabled: slices.Sorted(maps.Keys(without)), Instruments: []*pass.Instrument{{Name: "look", RunAfterPass: look}},
		})
		if compared == 0 {
			t.Errorf("%s: no pass changed anything: %v", g.Name, err)
		}
	})
}

// TestSnapshotsOfKernels prints random kernels of all stages one after the other in the same memory, long ones between short ones.
func TestSnapshotsOfKernels(t *testing.T) {
	snaps := instruments.NewSnapshots()
	seed.Each(t, seed.Cases(200, 20000), func(t *testing.T, r *rand.Rand) {
		fn, _ := tirtest.Lowered(r)
		if r.IntN(2) == 0 {
			fn, _ = tirtest.Function(r)
		}
		alone(t, "a random kernel", snaps.Of("k", fn), fn)
	})
}
