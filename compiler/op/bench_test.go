package op_test

import (
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// buildChain builds a function of n convolutions with relu and add, 3n bindings.
func buildChain(n int, batch tir.Expr) (*relax.BlockBuilder, error) {
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(f32, batch, tir.Int(64), tir.Int(56), tir.Int(56))}
	w := &relax.Var{Name: "w", SInfo: relax.StaticTensor(f32, 64, 64, 3, 3)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
	bb.BeginDataflow()
	cur, err := x, error(nil)
	for i := range n {
		e := op.Relu(op.Add(op.Conv2D(cur, w, op.Conv2DAttrs{Padding: []int64{1}}), cur))
		if cur, err = bb.Emit(e, "layer"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	out, err := bb.EmitOutput(op.Relu(cur), "")
	if err != nil {
		return nil, err
	}
	bb.EndDataflow()
	_, err = bb.EndFunction(out)
	return bb, err
}

func BenchmarkBuild(b *testing.B) {
	for name, batch := range map[string]tir.Expr{"static": tir.Int(1), "symbolic": n} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := buildChain(100, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*300), "ns/binding")
		})
	}
}

// BenchmarkWellFormed tells that the cost of a binding does not grow with their number.
func BenchmarkWellFormed(b *testing.B) {
	for _, layers := range []int{100, 3334} {
		b.Run("bindings="+strconv.Itoa(layers*3), func(b *testing.B) {
			bb, err := buildChain(layers, n)
			if err != nil {
				b.Fatal(err)
			}
			mod := bb.Module()
			b.ReportAllocs()
			for b.Loop() {
				if d := relax.WellFormed(mod, op.VerifyOpts()); d != nil {
					b.Fatal(d)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*layers*3), "ns/binding")
		})
	}
}
