package script_test

import (
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// layers is a module of n convolution layers and as many kernels.
func layers(tb testing.TB, n int) *ir.Module {
	tb.Helper()
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(f32, 1, 64, 56, 56)}
	w := &relax.Var{Name: "w", SInfo: relax.StaticTensor(f32, 64, 64, 3, 3)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
	bb.BeginDataflow()
	cur := x
	for i := range n {
		v, err := bb.Emit(op.Relu(op.Conv2D(cur, w, op.Conv2DAttrs{Padding: []int64{1}})), "layer"+strconv.Itoa(i))
		if err != nil {
			tb.Fatal(err)
		}
		cur = v
	}
	out, err := bb.EmitOutput(cur, "")
	if err != nil {
		tb.Fatal(err)
	}
	bb.EndDataflow()
	if _, err := bb.EndFunction(out); err != nil {
		tb.Fatal(err)
	}
	e := bb.Module().Edit()
	for i := range n {
		body := stmtSamples()
		for _, s := range body {
			if s.name == "For/grid" {
				e.Set("kernel"+strconv.Itoa(i), &tir.PrimFunc{
					Params: []*tir.Var{tir.NewVar("a", f32), vx}, Buffers: []*tir.Buffer{bufA, nil}, RetType: ir.VoidType(), Body: s.node.(tir.Stmt),
				})
			}
		}
	}
	return e.Done()
}

func BenchmarkModule(b *testing.B) {
	m := layers(b, 300)
	n := len(script.Module(m, script.Options{}).Source)
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		script.Module(m, script.Options{})
	}
}
