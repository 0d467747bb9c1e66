package highlight_test

import (
	"context"
	"os"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/highlight"
)

// step is what a pass did to the function main.
type step struct{ pass, before, after string }

// steps runs graph passes on a model and returns the ones that change main.
func steps(t testing.TB, name string, data []byte) (out []step) {
	t.Helper()
	src, _, err := frontend.One(context.Background(), name, data, frontend.Options{Form: frontend.ONNX})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	list, err := pipeline.Parse("LegalizeOps,AnnotateTIROpPattern,FoldConstant,FuseOps,FuseTIR", pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	text := func(m *ir.Module) string {
		return script.Function("main", m.Lookup("main"), script.Options{}).Source
	}
	_, err = compiler.Passes(context.Background(), compiler.Request{
		Module: src.Module, Pipeline: pass.NewSequential("graph", list...),
		Instruments: []*pass.Instrument{{Name: "Texts", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if before, after := text(s.Input), text(m); len(s.Pass.Children) == 0 && before != after {
				out = append(out, step{s.Pass.Name, before, after})
			}
			return nil
		}}},
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// models returns the models of the gallery and, where test data is at hand, a language model with hundreds of bindings.
func models(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	for _, m := range gallery.Models() {
		out[m.Name] = m.Bytes
	}
	if os.Getenv("IRSCOPE_TESTDATA") == "" {
		return out
	}
	for _, c := range onnxtest.Real(t) {
		if c.Name == "tinystories260k" {
			data, err := os.ReadFile(c.Path)
			if err != nil {
				t.Fatal(err)
			}
			out[c.Name] = data
		}
	}
	return out
}

// TestOldAboveNew checks that each binding that LegalizeOps replaces stands right above the one that replaces it.
func TestOldAboveNew(t *testing.T) {
	for name, data := range models(t) {
		for _, s := range steps(t, name, data) {
			if s.pass != "LegalizeOps" {
				continue
			}
			after := map[string]int{} // the lines that bind a name
			xs, ys := linediff.Lines(s.before), linediff.Lines(s.after)
			for i, l := range ys {
				after[linediff.Bound(l)] = i + 1
			}
			l := highlight.NewDiff(document(s.before), document(s.after)).Layout(highlight.Unified, highlight.All)
			rows := decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows))
			pairs := 0
			for i, r := range rows {
				if r.Kind != highlight.RowDel {
					continue
				}
				bound := linediff.Bound(xs[r.Before-1])
				want := after[bound]
				if bound == "" || want == 0 {
					continue
				}
				if next := rows[i+1]; next.Kind != highlight.RowAdd || next.After != want {
					t.Errorf("%s: under line %d, which binds %s, stands a row %s of line %d, want line %d", name, r.Before, bound, next.Kind, next.After, want)
				}
				pairs++
			}
			t.Logf("%s: %d bindings replaced", name, pairs)
			if pairs == 0 {
				t.Errorf("%s: LegalizeOps replaced nothing", name)
			}
		}
	}
}

// BenchmarkFirstDiff opens the diff of LegalizeOps of each model as the page does: both texts, their difference, the first rows.
func BenchmarkFirstDiff(b *testing.B) {
	for name, data := range models(b) {
		for _, s := range steps(b, name, data) {
			if s.pass != "LegalizeOps" {
				continue
			}
			for _, form := range []highlight.Form{highlight.Exact, highlight.Compact} {
				b.Run(name+"/"+string(form), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						l := highlight.NewDiff(document(s.before), document(s.after)).Read(highlight.Unified, 3, form)
						l.AppendRows(nil, 0, 400)
					}
				})
			}
		}
	}
}
