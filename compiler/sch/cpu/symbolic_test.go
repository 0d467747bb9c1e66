package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// symbolicKernels are kernels of which h and w are symbolic extents.
func symbolicKernels(h, w *tir.Var) map[string][]*te.Tensor {
	out := map[string][]*te.Tensor{}
	image := in("x", 2, 4, h, w)
	add := func(name string, weights *te.Tensor, y *te.Tensor, c int) {
		b := in("b", 1, c, 1, 1)
		out[name] = []*te.Tensor{image, weights, b, relu(must(topi.Binary("add", topi.T(y), topi.T(b))))}
	}
	for _, c := range []struct {
		k           int
		stride, pad int64
	}{{1, 1, 0}, {3, 1, 1}, {3, 2, 1}, {5, 1, 2}} {
		full, depth := in("w", 6, 4, c.k, c.k), in("w", 4, 1, c.k, c.k)
		add(fmt.Sprintf("conv %d by %d", c.k, c.stride), full, conv(image, full, c.stride, c.pad, 1), 6)
		add(fmt.Sprintf("depthwise %d by %d", c.k, c.stride), depth, conv(image, depth, c.stride, c.pad, 4), 4)
	}
	out["max pool"] = []*te.Tensor{image, pool("max", image, 3, 2, 1)}
	out["global mean"] = []*te.Tensor{image, must(topi.Reduce("mean", image, []int{2, 3}, true))}
	a, b, c := in("a", h, 20), in("b", 20, w), in("c", w, 20)
	out["matmul"] = []*te.Tensor{a, b, relu(must(topi.Matmul(a, b, topi.MatmulOpts{})))}
	out["matmul transposed"] = []*te.Tensor{a, c, must(topi.Matmul(a, c, topi.MatmulOpts{TransposeB: true}))}
	p, q := in("p", 6, h), in("q", h, w)
	out["matmul along a symbol"] = []*te.Tensor{p, q, must(topi.Matmul(p, q, topi.MatmulOpts{}))}
	out["softmax"] = []*te.Tensor{q, topi.Softmax(q, 1)}
	out["sum of rows"] = []*te.Tensor{q, must(topi.Reduce("sum", q, []int{0}, false))}
	wide := te.Placeholder("wide", dtype.Float64T, h, w)
	out["product of doubles"] = []*te.Tensor{wide, must(topi.Reduce("sum", wide, []int{0}, false))}
	out["scaled"] = []*te.Tensor{image, must(topi.Binary("multiply", topi.T(relu(image)), topi.T(image)))}
	return out
}

// TestSymbolicExtents compares scheduled kernels with symbolic extents, interpreted and
// compiled, with the plain ones: for extents below, at and above those of tiles.
func TestSymbolicExtents(t *testing.T) {
	extents := []int64{1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33}
	h, w := tir.NewVar("h", dtype.Int64T), tir.NewVar("w", dtype.Int64T)
	for name, args := range symbolicKernels(h, w) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := create(t, kernel{args: args})
			g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tir.Verify(name, g) {
				t.Error(d.Message)
			}
			code := compile(t, f)
			r := rand.New(rand.NewPCG(3, uint64(len(name))))
			for i, n := range extents {
				m := extents[r.IntN(len(extents))]
				k := kernel{args, map[*tir.Var]int64{h: m, w: n}}
				want := run(t, f, k.arguments(t))
				compare(t, want, code.run(t, k.arguments(t)))
				if i%3 == 0 {
					compare(t, want, run(t, g, k.arguments(t)))
				}
			}
		})
	}
}

// TestEmptyExtents: nothing is written and nothing is read where a result has no elements.
func TestEmptyExtents(t *testing.T) {
	h, w := tir.NewVar("h", dtype.Int64T), tir.NewVar("w", dtype.Int64T)
	kernels := symbolicKernels(h, w)
	for _, name := range []string{"matmul", "matmul transposed", "scaled", "conv 1 by 1"} {
		for _, dims := range [][2]int64{{0, 1}, {0, 9}, {1, 0}, {9, 0}, {0, 0}} {
			k := kernel{kernels[name], map[*tir.Var]int64{h: dims[0], w: dims[1]}}
			compile(t, create(t, k)).run(t, k.arguments(t))
		}
	}
}
