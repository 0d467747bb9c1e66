package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// randomKernel draws a convolution, a matrix product, a pool, a reduction or a softmax with
// random extents, strides, padding and epilogue. Some extents are known only when it runs.
func randomKernel(r *rand.Rand) (string, kernel) {
	n := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	syms := map[*tir.Var]int64{}
	dim := func(lo, hi int) any {
		if r.IntN(4) > 0 {
			return n(lo, hi)
		}
		v := tir.NewVar("n"+strconv.Itoa(len(syms)), dtype.Int64T)
		syms[v] = int64(n(0, hi))
		return v
	}
	switch r.IntN(10) {
	case 0:
		g, k, h, w := n(1, 3), n(1, 3), n(4, 12), n(4, 18)
		ic, oc := g*n(1, 3), g*n(1, 6)
		x, f, b := in("x", n(1, 2), ic, h, w), in("w", oc, ic/g, k, n(1, 3)), in("b", 1, oc, 1, 1)
		o := topi.ConvOpts{
			Strides: []int64{int64(n(1, 3)), int64(n(1, 3))}, Dilation: []int64{1, int64(n(1, 2))}, Groups: int64(g),
			Before: []int64{int64(n(0, 2)), int64(n(0, 2))}, After: []int64{int64(n(0, 1)), int64(n(0, 2))}, Data: "NCHW", Kernel: "OIHW",
		}
		y := must(topi.Conv(x, f, o))
		return fmt.Sprintf("conv %v %v %+v", x.Shape, f.Shape, o), kernel{args: []*te.Tensor{x, f, b, relu(must(topi.Binary("add", topi.T(y), topi.T(b))))}}
	case 1:
		m, k, c := dim(1, 20), dim(1, 40), dim(1, 40)
		o := topi.MatmulOpts{TransposeA: r.IntN(2) == 0, TransposeB: r.IntN(2) == 0}
		a, b := []any{m, k}, []any{k, c}
		if o.TransposeA {
			a = []any{k, m}
		}
		if o.TransposeB {
			b = []any{c, k}
		}
		if r.IntN(2) == 0 {
			a = append([]any{dim(1, 3)}, a...)
			if r.IntN(2) == 0 {
				b = append([]any{a[0]}, b...)
			}
		}
		x, y := in("a", a...), in("b", b...)
		return fmt.Sprintf("matmul %v %v %+v %v", a, b, o, syms), kernel{[]*te.Tensor{x, y, relu(must(topi.Matmul(x, y, o)))}, syms}
	case 2:
		x := in("x", n(1, 2), n(1, 5), n(5, 14), n(5, 30))
		o := topi.PoolOpts{
			Size: []int64{int64(n(1, 4)), int64(n(1, 4))}, Strides: []int64{int64(n(1, 3)), int64(n(1, 3))}, Dilation: []int64{1, 1},
			Before: []int64{int64(n(0, 1)), int64(n(0, 1))}, After: []int64{int64(n(0, 1)), int64(n(0, 1))},
			CeilMode: r.IntN(2) == 0, Layout: "NCHW",
		}
		kind := []string{"max", "avg"}[r.IntN(2)]
		return fmt.Sprintf("%s pool %v %+v", kind, x.Shape, o), kernel{args: []*te.Tensor{x, must(topi.Pool(kind, x, o))}}
	case 3:
		x := in("x", dim(1, 9), dim(1, 9), dim(1, 50))
		axes := [][]int{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}}[r.IntN(7)]
		kind := []string{"sum", "max", "min", "mean", "prod"}[r.IntN(5)]
		return fmt.Sprintf("%s %v over %v %v", kind, x.Shape, axes, syms), kernel{[]*te.Tensor{x, must(topi.Reduce(kind, x, axes, false))}, syms}
	case 4: // channels in blocks, each for itself
		l, c, h, w := []int{4, 8, 16}[r.IntN(3)], n(1, 3), n(3, 12), n(5, 12)
		x, f := in("x", n(1, 2), c, h, w, l), in("w", c, 1, n(1, 3), n(1, 3), 1, l)
		o := topi.ConvOpts{
			Strides: []int64{int64(n(1, 2)), int64(n(1, 2))}, Dilation: []int64{1, int64(n(1, 2))}, Groups: int64(c * l),
			Before: []int64{int64(n(0, 2)), int64(n(0, 2))}, After: []int64{int64(n(0, 2)), int64(n(0, 2))}, Data: fmt.Sprintf("NCHW%dc", l), Kernel: fmt.Sprintf("OIHW1i%do", l),
		}
		return fmt.Sprintf("depthwise conv %v %v %+v", x.Shape, f.Shape, o), kernel{args: []*te.Tensor{x, f, relu(blockedConv(x, f, o))}}
	case 5:
		l := []int{4, 8}[r.IntN(2)]
		x := in("x", n(1, 2), n(1, 3), n(5, 10), n(5, 10), l)
		o := topi.PoolOpts{
			Size: []int64{int64(n(1, 3)), int64(n(1, 3))}, Strides: []int64{int64(n(1, 3)), int64(n(1, 3))}, Dilation: []int64{1, 1},
			Before: []int64{int64(n(0, 1)), int64(n(0, 1))}, After: []int64{int64(n(0, 1)), int64(n(0, 1))}, Layout: fmt.Sprintf("NCHW%dc", l),
		}
		kind := []string{"max", "avg"}[r.IntN(2)]
		return fmt.Sprintf("%s pool %v %+v", kind, x.Shape, o), kernel{args: []*te.Tensor{x, must(topi.Pool(kind, x, o))}}
	case 6:
		x := in("x", dim(1, 3), dim(1, 40), dim(1, 5), dim(1, 40))
		axes := r.Perm(4)
		return fmt.Sprintf("transpose %v by %v %v", x.Shape, axes, syms), kernel{[]*te.Tensor{x, topi.PermuteDims(x, axes)}, syms}
	case 7:
		l := []int{4, 8, 16}[r.IntN(3)]
		blocks, h, w := n(1, 3), dim(1, 9), dim(1, 9)
		names := [2]string{"NCHW", fmt.Sprintf("NCHW%dc", l)}
		x, y := in("x", 1, blocks*l, h, w), in("y", 1, blocks, h, w, l)
		if r.IntN(2) == 0 {
			names[0], names[1], x, y = names[1], names[0], y, x
		}
		m, err := tensorlayout.IndexMap(layout(names[0]), layout(names[1]))
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf("%s to %s %v %v", names[0], names[1], x.Shape, syms), kernel{[]*te.Tensor{x, topi.LayoutTransform(x, sch.TypedMap(m, x.Shape), y.Shape, nil)}, syms}
	}
	if r.IntN(2) == 0 {
		rows, width, depth := dim(1, 40), 4*n(1, 8), 2*n(1, 16)
		k := quantizedProduct(in("x", rows, depth), n(1, 3), depth, width, []int{1, 2, 4, depth}[r.IntN(4)], r.IntN(2) == 0)
		k.syms = syms
		return fmt.Sprintf("product by integers %v %v %v", k.args[0].Shape, k.args[1].Shape, syms), k
	}
	x := in("x", dim(1, 9), dim(1, 40), dim(1, 12))
	axis := r.IntN(3)
	return fmt.Sprintf("softmax %v along %d %v", x.Shape, axis, syms), kernel{[]*te.Tensor{x, topi.Softmax(x, axis)}, syms}
}

// layout is a layout by name.
func layout(name string) tensorlayout.Layout {
	l, err := tensorlayout.Parse(name)
	if err != nil {
		panic(err)
	}
	return l
}

// blockedConv is a convolution of channels in blocks.
func blockedConv(x, w *te.Tensor, o topi.ConvOpts) *te.Tensor {
	y, ok, err := topi.ConvBlocked(x, w, o)
	if err != nil || !ok {
		panic(fmt.Sprint("no convolution by parts: ", err))
	}
	return y
}

// TestRandomKernels schedules random kernels and compares them with the functions before.
func TestRandomKernels(t *testing.T) {
	parallel := 0
	defer func() {
		if parallel == 0 {
			t.Error("no kernel has a parallel loop")
		}
	}()
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		name, k := randomKernel(r)
		t.Log(name)
		f := create(t, k)
		want := run(t, f, k.arguments(t))
		g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tir.Verify(name, g) {
			t.Error(d.Message)
		}
		compare(t, want, run(t, g, k.arguments(t)))
		// Small caches, so that there are blocks of tiles.
		m := cpu.Machine{Lanes: []int64{8, 16}[r.IntN(2)], Registers: []int64{16, 32}[r.IntN(2)], L1: 512, L2: 1 << (7 + r.IntN(9)), Spreads: true, Threads: int64(1 + r.IntN(3)), ForkWork: 1}
		if g, err = m.Schedule(f, nil, nil); err != nil {
			t.Fatal(err)
		}
		for _, d := range tir.Verify(name, g) {
			t.Errorf("%+v: %s", m, d.Message)
		}
		compare(t, want, run(t, g, k.arguments(t)))
		if back, loops := tirtest.Backwards(g); loops > 0 {
			compare(t, want, run(t, back, k.arguments(t)))
			parallel++
		}
		if r.IntN(5) == 0 {
			compare(t, want, compile(t, f).run(t, k.arguments(t)))
		}
	})
}
