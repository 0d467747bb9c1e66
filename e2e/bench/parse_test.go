package bench

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
)

// BenchmarkLines reads what is printed of light models: the module behind LegalizeOps, of graphs and blocks, and that behind the last
// pass, of loops and calls. Besides the time on the clock it reports bytes by processor time, which has the collection of garbage. compiler/script/parse has the same for a text of the same lines over and over.
func BenchmarkLines(b *testing.B) {
	for _, name := range []string{"light_resnet50", "light_densenet121"} {
		var legalized *ir.Module
		res, err := compiler.Passes(b.Context(), compiler.Request{Module: importModel(b, light(b, name)), Instruments: []*pass.Instrument{{
			Name: "keep",
			RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				if s.Pass.Name == "LegalizeOps" {
					legalized = m
				}
				return nil
			},
		}}})
		must(b, err)
		for i, m := range []*ir.Module{legalized, res.Module} {
			text := script.Module(m, script.Options{}).Source
			opts := parse.Options{Constants: roundtrip.Constants(m), Operators: op.DefinedIn(m)}
			b.Run(name+"/"+[]string{"legalized", "lowered"}[i], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				start := processTime()
				for b.Loop() {
					if _, diags := parse.Module("printed.py", text, opts); len(diags) > 0 {
						b.Fatal(diags[0].Format())
					}
				}
				b.ReportMetric(float64(len(text))*float64(b.N)/(processTime()-start).Seconds()/1e6, "cpu-MB/s")
			})
		}
	}
}
