package starpass_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/target"
)

// BenchmarkWalk runs a mutator that changes nothing over the kernels of a model, without
// handlers and with one that is called for every load.
func BenchmarkWalk(b *testing.B) {
	m := lowered(b)
	nodes := 0
	for _, f := range m.Funcs() {
		ir.Walk(f, func(ir.Node) bool { nodes++; return true })
	}
	for _, c := range []struct{ name, handlers string }{
		{"default", `{}`},
		{"handler", `{"BufferLoad": lambda self, n: self.visit_default(n)}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			prog, err := starpass.Compile("b.star", "p = prim_func_pass(mutator("+c.handlers+"), opt_level=0, name=\"P\")", starpass.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			ctx := passContext(b)
			b.ReportAllocs()
			for b.Loop() {
				if out, err := ctx.Run(prog.Passes()[0], m); err != nil || out != m {
					b.Fatal(out, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		})
	}
}

// lowered returns a model of the gallery as loops.
func lowered(b *testing.B) *ir.Module {
	b.Helper()
	g, ok := gallery.Lookup("transformer")
	if !ok {
		b.Fatal("the gallery has no transformer")
	}
	src, _, err := frontend.One(context.Background(), g.Name, g.Bytes, frontend.Options{})
	if err != nil {
		b.Fatal(err)
	}
	p, err := pipeline.Lookup("zero", target.Default())
	if err != nil {
		b.Fatal(err)
	}
	m, err := passContext(b).Run(p, src.Module)
	if err != nil {
		b.Fatal(err)
	}
	return m
}
