package te_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestRecurrence steps two states that depend on each other, one by a product, and yields what only a step has, from the last place to the first.
func TestRecurrence(t *testing.T) {
	f := dtype.Float32T
	steps, m := tir.NewSizeVar("steps", dtype.Int64T), tir.NewSizeVar("m", dtype.Int64T)
	x, w := te.Placeholder("x", f, steps, m), te.Placeholder("w", f, m, m)
	start := te.Placeholder("start", f, m)
	count := te.Compute("count", []tir.Expr{tir.Int(1)}, func([]tir.Expr) tir.Expr { return tir.FloatConst(f, 0) })
	h, n := te.Placeholder("h", f, m), te.Placeholder("n", f, tir.Int(1))
	step := tir.NewVar("t", dtype.Int64T)
	k := te.ReduceAxis("k", m)
	product := te.Compute("product", h.Shape, func(i []tir.Expr) tir.Expr { return te.Sum(tir.Mul(h.At(k.Var), w.At(k.Var, i[0])), k) })
	at := tir.Sub(tir.Sub(steps, tir.Int(1)), step)
	next := te.Compute("next", h.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Add(tir.Add(product.At(i[0]), x.At(at, i[0])), n.At(tir.Int(0)))
	})
	more := te.Compute("more", n.Shape, func(i []tir.Expr) tir.Expr { return tir.Add(n.At(i[0]), h.At(tir.Int(0))) })
	states, each := te.Recurrence{
		Name: "recur", Step: step, Steps: steps, Init: []*te.Tensor{start, count}, State: []*te.Tensor{h, n},
		Next: []*te.Tensor{next, more}, Each: []*te.Tensor{product}, At: at,
	}.Results()
	fn := create(t, x, w, start, states[0], states[1], each[0])
	for _, size := range [][2]int{{0, 2}, {1, 3}, {4, 2}, {3, 1}} {
		steps, m := size[0], size[1]
		fill := func(dims ...int64) *tensor.Tensor {
			v := tensor.MustNew(f, dims...)
			for i := range v.Len() {
				v.SetFloat(i, float64(i%5-2))
			}
			return v
		}
		xs, ws, hs := fill(int64(steps), int64(m)), fill(int64(m), int64(m)), fill(int64(m))
		hOut, nOut, ys := tensor.MustNew(f, int64(m)), tensor.MustNew(f, 1), tensor.MustNew(f, int64(steps), int64(m))
		run(t, fn, xs, ws, hs, hOut, nOut, ys)
		state, total, want := hs.Floats(), 0.0, make([]float64, steps*m)
		for s := steps - 1; s >= 0; s-- {
			next := make([]float64, m)
			for j := range m {
				for k := range m {
					want[s*m+j] += state[k] * ws.Float(k*m+j)
				}
				next[j] = want[s*m+j] + xs.Float(s*m+j) + total
			}
			total += state[0]
			state = next
		}
		if !slices.Equal(hOut.Floats(), state) || nOut.Float(0) != total || !slices.Equal(ys.Floats(), want) {
			t.Errorf("%v: it makes %v, %v and %v, want %v, %g and %v", size, hOut.Floats(), nOut.Floats(), ys.Floats(), state, total, want)
		}
	}
	// A second function of the same tensors shares no variables with the first.
	variables := func(fn *tir.PrimFunc) map[*tir.Var]bool {
		out := map[*tir.Var]bool{}
		ir.Walk(fn.Body, func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.For:
				out[n.LoopVar] = true
			case *tir.IterVar:
				out[n.Var] = true
			}
			return true
		})
		return out
	}
	first := variables(fn)
	for v := range variables(create(t, x, w, start, states[0], states[1], each[0])) {
		if first[v] {
			t.Errorf("variable %s is that of the other function", v.Name)
		}
	}
}
