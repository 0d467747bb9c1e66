package dlight_test

import (
	"math/rand/v2"
	"slices"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// kernel is a random function of a form that some rule is for.
type kernel struct {
	tensors []*te.Tensor // inputs, then results
	results int
	sizes   map[*tir.Var]int64 // what a run takes for extents that are no numbers
	rough   bool               // its results are rounded, so that another order of sums gives others
}

// gen draws kernels.
type gen struct {
	r *rand.Rand
	k *kernel
	n int // inputs so far
}

func newGen(r *rand.Rand) *gen {
	return &gen{r: r, k: &kernel{results: 1, sizes: map[*tir.Var]int64{}}}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// one is true once in n times.
func (g *gen) one(n int) bool { return g.r.IntN(n) == 0 }

func num(n int64) tir.Expr { return tir.Int(n) }

// extent is a number that may be 1, odd, or a power of two.
func (g *gen) extent(most int64) tir.Expr {
	list := []int64{1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64, 65, 96, 127, 128, 200, 256, 257, 512, 700}
	list = slices.DeleteFunc(list, func(n int64) bool { return n > most })
	return num(pick(g.r, list...))
}

// symbol is an extent that only a run knows, which may be 0.
func (g *gen) symbol(most int64) tir.Expr {
	v := tir.NewVar("n", dtype.Int64T)
	g.k.sizes[v] = pick(g.r, 0, 1, 2, 3, g.r.Int64N(most)+1, g.r.Int64N(most)+1, most)
	return v
}

// either is a number, or once in some times a symbol.
func (g *gen) either(most int64, times int) tir.Expr {
	if g.one(times) {
		return g.symbol(most)
	}
	return g.extent(most)
}

// in is a further input.
func (g *gen) in(d dtype.DType, shape ...tir.Expr) *te.Tensor {
	x := te.Placeholder(string(rune('A'+g.n)), d, shape...)
	g.n++
	g.k.tensors = append(g.k.tensors, x)
	return x
}

// out ends the kernel with its result.
func (g *gen) out(x *te.Tensor) *kernel {
	g.k.tensors = append(g.k.tensors, x)
	return g.k
}

func must(x *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return x
}

func relu(x *te.Tensor) *te.Tensor { return must(topi.Unary("relu", x)) }

func add(x, y *te.Tensor) *te.Tensor { return must(topi.Binary("add", topi.T(x), topi.T(y))) }

// before has an input go through a spatial block or two, or none.
func (g *gen) before(x *te.Tensor) *te.Tensor {
	for g.one(4) {
		x = pick(g.r, relu, topi.Copy)(x)
	}
	return x
}

// after has a result go through spatial blocks, or none.
func (g *gen) after(x *te.Tensor) *te.Tensor {
	switch g.r.IntN(5) {
	case 0:
		return relu(x)
	case 1:
		return add(x, g.in(x.DType, x.Shape...))
	case 2:
		return relu(add(x, g.in(x.DType, x.Shape[len(x.Shape)-1])))
	}
	return x
}

// packed is a matrix of n by k, or of k by n if outer is set, of weights of 4 bits, eight of them in an element along k, with a scale for 32.
func (g *gen) packed(n, k tir.Expr, d dtype.DType, outer bool) *te.Tensor {
	shape := func(n, k tir.Expr) []tir.Expr {
		if outer {
			return []tir.Expr{k, n}
		}
		return []tir.Expr{n, k}
	}
	w := g.in(dtype.UInt32T, shape(n, tir.FloorDiv(k, num(8)))...)
	s := g.in(d, shape(n, tir.FloorDiv(k, num(32)))...)
	return te.Compute("dequantize", shape(n, k), func(i []tir.Expr) tir.Expr {
		row, at := i[0], i[1]
		if outer {
			row, at = i[1], i[0]
		}
		shift := tir.CastTo(dtype.UInt32T, tir.Mul(tir.FloorMod(at, num(8)), num(4)))
		word := w.At(shape(row, tir.FloorDiv(at, num(8)))...)
		bits := tir.NewCall(tir.OpBitwiseAnd, tir.NewCall(tir.OpShiftRight, word, shift), tir.Const(dtype.UInt32T, 15))
		return tir.Mul(tir.Sub(tir.CastTo(d, bits), tir.CastTo(d, num(7))), s.At(shape(row, tir.FloorDiv(at, num(32)))...))
	})
}

// matmulKernel is a product of matrices, either of which may be transposed, perhaps of several at once.
func matmulKernel(g *gen) *kernel {
	d, out := dtype.Float32T, dtype.Float32T
	switch g.r.IntN(4) {
	case 0:
		d, out = dtype.Float16T, dtype.Float32T
	case 1:
		d, out = dtype.Float16T, dtype.Float16T
	case 2:
		d, out = dtype.Int8T, dtype.Int32T
	}
	n, m, k := g.either(70, 3), g.extent(130), g.extent(70)
	if g.one(4) { // large enough for tensor cores
		n, m, k = g.symbol(140), num(pick(g.r, int64(65), 72, 128)), num(pick(g.r, int64(65), 80, 96))
	}
	x, y := []tir.Expr{n, k}, []tir.Expr{k, m}
	o := topi.MatmulOpts{TransposeA: g.one(3), TransposeB: g.one(2), Out: out}
	if o.TransposeA {
		slices.Reverse(x)
	}
	if o.TransposeB {
		slices.Reverse(y)
	}
	if g.one(3) {
		b := g.extent(3)
		x = slices.Insert(x, 0, b)
		if g.one(2) {
			y = slices.Insert(y, 0, b)
		}
	}
	a, b := g.before(g.in(d, x...)), g.before(g.in(d, y...))
	return g.out(g.after(must(topi.Matmul(a, b, o))))
}

// batchKernel is a product of matrices in a batch, whose number of rows, and often of matrices, only a run knows.
func batchKernel(g *gen) *kernel {
	b, n, m, k := g.either(4, 2), g.symbol(40), g.extent(70), g.extent(40)
	x, y := []tir.Expr{b, n, k}, []tir.Expr{k, m}
	if g.one(2) {
		y = []tir.Expr{b, k, m}
	}
	return g.out(g.after(must(topi.Matmul(g.in(dtype.Float32T, x...), g.in(dtype.Float32T, y...), topi.MatmulOpts{}))))
}

// gemvKernel is a product of a vector and a matrix, which may be packed and have the reduction outside, or of some of each.
func gemvKernel(g *gen) *kernel {
	d := pick(g.r, dtype.Float16T, dtype.Float32T)
	n, k := g.either(257, 4), pick(g.r, g.extent, g.round, g.round, g.round)(700)
	if g.one(2) {
		n = g.round(257)
	}
	outer := g.one(4)
	if g.one(2) {
		k = num(32 * pick(g.r, int64(1), 2, 3, 4, 8, 16))
		x := g.before(g.in(d, num(1), k))
		w := g.packed(n, k, d, outer)
		return g.out(g.after(must(topi.Matmul(x, w, topi.MatmulOpts{TransposeB: !outer}))))
	}
	if g.one(3) {
		b := pick(g.r, int64(2), 3, 5)
		x, y := []tir.Expr{num(b), num(1), k}, []tir.Expr{num(b), n, k}
		if outer {
			y[1], y[2] = k, n
		}
		return g.out(g.after(must(topi.Matmul(g.in(d, x...), g.in(d, y...), topi.MatmulOpts{TransposeB: !outer}))))
	}
	y := []tir.Expr{n, k}
	if outer {
		y[0], y[1] = k, n
	}
	return g.out(g.after(must(topi.Matmul(g.before(g.in(d, num(1), k)), g.before(g.in(d, y...)), topi.MatmulOpts{TransposeB: !outer}))))
}

// longKernel is a product of a vector and a matrix of which only a run knows how many elements are summed.
func longKernel(g *gen) *kernel {
	n, k := g.round(257), g.symbol(300)
	return g.out(g.after(must(topi.Matmul(g.in(dtype.Float32T, num(1), k), g.in(dtype.Float32T, n, k), topi.MatmulOpts{TransposeB: true}))))
}

// lowBatchKernel is a product of a matrix and vectors, of which only a run knows how many there are.
func lowBatchKernel(g *gen) *kernel {
	d := pick(g.r, dtype.Float16T, dtype.Float32T)
	batch, n := g.symbol(7), g.extent(130)
	x := func(k tir.Expr) *te.Tensor {
		shape := []tir.Expr{batch, k}
		if g.one(2) {
			shape = []tir.Expr{batch, num(1), k}
		}
		return g.in(d, shape...)
	}
	if g.one(2) {
		outer := g.one(2)
		k := num(32 * pick(g.r, int64(1), 2, 4, 5))
		a := x(k)
		return g.out(g.after(must(topi.Matmul(a, g.packed(n, k, d, outer), topi.MatmulOpts{TransposeB: !outer}))))
	}
	k := pick(g.r, g.extent, g.round)(256)
	return g.out(g.after(must(topi.Matmul(x(k), g.in(d, n, k), topi.MatmulOpts{TransposeB: true}))))
}

// round is an extent that most schedules of reductions share out evenly.
func (g *gen) round(most int64) tir.Expr {
	list := slices.DeleteFunc([]int64{1, 2, 8, 16, 32, 64, 128, 256, 512, 1024, 1536}, func(n int64) bool { return n > most })
	return num(pick(g.r, list...))
}

// reductionKernel is a sum over some axes, with blocks before and after it.
func reductionKernel(g *gen) *kernel {
	shape := make([]tir.Expr, 1+g.r.IntN(3))
	for i := range shape {
		shape[i] = pick(g.r, g.extent, g.round, g.round)([]int64{4096, 130, 33}[len(shape)-1])
	}
	if g.one(3) {
		shape[g.r.IntN(len(shape))] = g.symbol(40)
	}
	var axes []int
	for i := range shape {
		if g.one(2) {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		axes = []int{g.r.IntN(len(shape))}
	}
	x := g.before(g.in(dtype.Float32T, shape...))
	keep := g.one(2)
	sum := must(topi.Reduce("sum", x, axes, keep))
	if keep && g.one(2) { // spreads the sum over what was summed
		return g.out(add(sum, g.in(dtype.Float32T, shape...)))
	}
	if len(sum.Shape) == 0 {
		return g.out(sum)
	}
	return g.out(g.after(sum))
}

// chainKernel is a chain of reductions, as of softmax and norms.
func chainKernel(g *gen) *kernel {
	g.k.rough = true
	d := dtype.Float32T
	n, m := g.either(9, 3), g.extent(257)
	switch g.r.IntN(5) {
	case 0:
		return g.out(topi.Softmax(g.in(d, num(2), n, m), 2))
	case 1:
		return g.out(topi.LogSoftmax(g.in(d, n, m), 1))
	case 2:
		return g.out(topi.LayerNorm(g.in(d, n, m), g.in(d, m), g.in(d, m), []int{1}, 1e-5))
	case 3:
		groups := pick(g.r, int64(1), 2, 4)
		c := num(groups * pick(g.r, int64(1), 3, 8))
		return g.out(topi.GroupNorm(g.in(d, n, c, g.extent(33)), g.in(d, c), g.in(d, c), groups, 1, []int{2}, 1e-5))
	}
	return g.out(topi.RMSNorm(g.in(d, num(1), n, m), g.in(d, m), []int{2}, 1e-5))
}

// normKernel is a norm by the root of the mean of squares, as models have it.
func normKernel(g *gen) *kernel {
	g.k.rough = true
	d := pick(g.r, dtype.Float16T, dtype.Float32T)
	n, m := g.either(9, 2), pick(g.r, g.extent(700), num(4096), num(512))
	return g.out(topi.RMSNorm(g.in(d, num(1), n, m), g.in(d, m), []int{2}, 1e-5))
}

// transposeKernel swaps two axes of a matrix, which may be packed.
func transposeKernel(g *gen) *kernel {
	d := pick(g.r, dtype.Float16T, dtype.Float32T)
	n, m := g.either(130, 4), g.either(130, 4)
	if g.one(3) {
		return g.out(g.after(topi.PermuteDims(g.packed(n, num(32*pick(g.r, int64(1), 2, 3)), d, g.one(2)), []int{1, 0})))
	}
	shape, axes := []tir.Expr{n, m}, []int{1, 0}
	if g.one(3) {
		shape, axes = []tir.Expr{n, num(1), m}, pick(g.r, []int{2, 1, 0}, []int{1, 2, 0})
	}
	return g.out(g.after(topi.PermuteDims(g.before(g.in(d, shape...)), axes)))
}

// anyKernel is one of the others, or one that only Fallback fits.
func anyKernel(g *gen) *kernel {
	switch g.r.IntN(4) {
	case 0:
		x := g.in(dtype.Float32T, g.either(33, 3), g.extent(65))
		return g.out(g.after(add(relu(x), g.before(x))))
	case 1:
		x, y := g.in(dtype.Float32T, num(1), num(2), g.extent(9), num(7)), g.in(dtype.Float32T, num(4), num(2), num(1), num(3))
		return g.out(relu(must(topi.Conv(x, y, topi.ConvOpts{
			Strides: []int64{1, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW",
		}))))
	}
	return pick(g.r, matmulKernel, gemvKernel, reductionKernel, chainKernel, transposeKernel)(g)
}
