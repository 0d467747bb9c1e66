package te_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestScan computes a running sum along the first axis, and the numbers of Fibonacci with a state of two.
func TestScan(t *testing.T) {
	f := dtype.Float32T
	m := tir.NewSizeVar("m", dtype.Int64T)
	x, state := te.Placeholder("X", f, m, tir.Int(2)), te.Placeholder("state", f, m, tir.Int(2))
	init := te.Compute("init", []tir.Expr{tir.Int(1), tir.Int(2)}, func(i []tir.Expr) tir.Expr { return x.At(tir.Int(0), i[1]) })
	update := te.Compute("update", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Add(state.At(tir.Sub(i[0], tir.Int(1)), i[1]), x.At(i[0], i[1]))
	})
	sum, err := te.Scan("sum", []*te.Tensor{init}, []*te.Tensor{update}, []*te.Tensor{state})
	if err != nil {
		t.Fatal(err)
	}
	fn := create(t, x, sum[0])
	for _, n := range []int64{1, 2, 5} {
		in, out := tensor.MustNew(f, n, 2), tensor.MustNew(f, n, 2)
		var want []float64
		total := [2]float64{}
		for i := range int(n) * 2 {
			in.SetFloat(i, float64(i*i+1))
			total[i%2] += float64(i*i + 1)
			want = append(want, total[i%2])
		}
		run(t, fn, in, out)
		if got := out.Floats(); !slices.Equal(got, want) {
			t.Errorf("of %d rows it makes %v, want %v", n, got, want)
		}
	}

	// A product of all that was before, and how often it was taken: each reads both states, one by a reduction over what is done.
	s, n := te.Placeholder("s", f, tir.Int(6)), te.Placeholder("n", f, tir.Int(6))
	one := te.Compute("one", []tir.Expr{tir.Int(2)}, func([]tir.Expr) tir.Expr { return tir.FloatConst(f, 1) })
	back := func(x *te.Tensor, t tir.Expr, by int64) tir.Expr { return x.At(tir.Sub(t, tir.Int(by))) }
	next := te.Compute("next", s.Shape, func(i []tir.Expr) tir.Expr { return tir.Add(back(s, i[0], 1), back(s, i[0], 2)) })
	k := te.ReduceAxis("k", tir.Int(2))
	last := te.Compute("last", s.Shape, func(i []tir.Expr) tir.Expr {
		return te.Sum(tir.Add(n.At(tir.Sub(tir.Sub(i[0], tir.Int(1)), k.Var)), back(s, i[0], 1)), k)
	})
	ts, err := te.Scan("pair", []*te.Tensor{one, one}, []*te.Tensor{next, last}, []*te.Tensor{s, n})
	if err != nil {
		t.Fatal(err)
	}
	a, b := tensor.MustNew(f, 6), tensor.MustNew(f, 6)
	run(t, create(t, ts[0], ts[1]), a, b)
	if want := []float64{1, 1, 2, 3, 5, 8}; !slices.Equal(a.Floats(), want) {
		t.Errorf("it makes %v, want %v", a.Floats(), want)
	}
	if want := []float64{1, 1, 4, 9, 19, 38}; !slices.Equal(b.Floats(), want) {
		t.Errorf("it makes %v, want %v", b.Floats(), want)
	}

	for _, c := range []struct {
		init, update, state *te.Tensor
		want                string
	}{
		{init, x, state, "the update X is no computation"},
		{init, update, update, "the state update is no placeholder"},
		{one, update, state, "the value to begin with, one has another type or other extents"},
		{init, te.Compute("far", x.Shape, func(i []tir.Expr) tir.Expr { return update.At(i...) }), state, "update is computed from a state"},
	} {
		if _, err := te.Scan("bad", []*te.Tensor{c.init}, []*te.Tensor{c.update}, []*te.Tensor{c.state}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := te.Scan("bad", nil, nil, nil); err == nil {
		t.Error("a scan of nothing is taken")
	}
}
