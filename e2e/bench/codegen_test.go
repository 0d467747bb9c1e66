package bench

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/target"
)

// BenchmarkCodegen generates code for the lowered kernels of a model, over and over. The metric is the processor time of one kernel.
func BenchmarkCodegen(b *testing.B) {
	x86, err := compiler.ForMachine(target.Of("x86"))
	for _, tgt := range []target.Target{target.Default(), x86} {
		b.Run(tgt.Kind().Name, func(b *testing.B) {
			if tgt.IsZero() {
				b.Skip(err)
			}
			res, err := compiler.Passes(b.Context(), compiler.Request{Module: importModel(b, light(b, "light_resnet50")), Target: tgt})
			must(b, err)
			kernels := 0
			b.ReportAllocs()
			start := processTime()
			for b.Loop() {
				c, err := compiler.Compile(b.Context(), compiler.Request{Module: res.Module, Target: tgt, Pipeline: pass.NewSequential("none")})
				must(b, err)
				kernels += len(c.Kernels)
			}
			b.ReportMetric((processTime()-start).Seconds()*1e3/float64(kernels), "ms/kernel")
		})
	}
}
