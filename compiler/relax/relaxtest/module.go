// Package relaxtest makes random Relax functions for tests, as tirtest makes functions of loops. Tests alone import it.
package relaxtest

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Source makes the choices of a random module.
type Source interface {
	// IntN returns a number from 0 to n-1.
	IntN(n int) int
}

// Module returns a random valid module with a function main(c: bool, x: float32[batch, 4], y: float32[batch, 2, 6, 6]), where batch is
// a small number or a variable: dataflow blocks of operators on what there is so far, mostly with a conditional between two of them.
func Module(src Source) *ir.Module {
	g := &gen{BlockBuilder: op.NewBlockBuilder(nil), src: src, seed: 1}
	batch := tir.Expr(tir.Int(int64(1 + src.IntN(3))))
	if g.coin() {
		g.n = symbol("n")
		batch = g.n
	}
	input := func(name string, dims ...tir.Expr) *relax.Var {
		return &relax.Var{Name: name, SInfo: relax.TensorOf(dtype.Float32T, dims...)}
	}
	x, y := input("x", batch, tir.Int(4)), input("y", batch, tir.Int(2), tir.Int(6), tir.Int(6))
	c := &relax.Var{Name: "c", SInfo: relax.StaticTensor(dtype.BoolT)}
	g.pool = []*relax.Var{x, y}
	g.BeginFunction("main", []*relax.Var{c, x, y}, relax.FuncOpts{})
	g.block()
	if src.IntN(4) > 0 {
		g.branch(c)
		g.block()
	}
	must(g.EndFunction(g.result()))
	return g.Module()
}

// gen holds a pool of tensors that grows by operators on them.
type gen struct {
	*relax.BlockBuilder
	src  Source
	n    *tir.Var // symbolic extent, nil in static functions
	pool []*relax.Var
	seed uint64
}

func (g *gen) coin() bool { return g.src.IntN(2) == 1 }

func (g *gen) e(x relax.Expr) *relax.Var { return must(g.Emit(x, "")) }

// block emits a dataflow block; two of its values are visible afterwards.
func (g *gen) block() {
	before := len(g.pool)
	g.BeginDataflow()
	for range 1 + g.src.IntN(8) {
		g.step()
	}
	keep := append([]*relax.Var{}, g.pool[:before]...)
	for i := range 2 {
		keep = append(keep, must(g.EmitOutput(op.Relu(g.pool[len(g.pool)-1-i]), "")))
	}
	g.EndDataflow()
	g.pool = keep
}

func (g *gen) branch(c *relax.Var) {
	v := g.pick()
	pool := g.pool
	out := must(g.EmitIf(c, func() (relax.Expr, error) {
		return g.e(op.Add(g.e(op.Softmax(v, -1)), v)), nil
	}, func() (relax.Expr, error) {
		if g.coin() { // it passes on what it was given
			return v, nil
		}
		return g.e(op.Relu(v)), nil
	}, ""))
	g.pool = append(append([]*relax.Var{}, pool...), out)
}

// result returns some of the values as a tuple.
func (g *gen) result() relax.Expr {
	var fields []relax.Expr
	for i := range min(3, len(g.pool)) {
		fields = append(fields, g.pool[len(g.pool)-1-i])
	}
	return g.e(&relax.Tuple{Fields: fields})
}

func (g *gen) pick() *relax.Var { return g.pool[g.src.IntN(len(g.pool))] }

func (g *gen) oneOf(names ...string) string { return names[g.src.IntN(len(names))] }

func dimsOf(v *relax.Var) []tir.Expr {
	d, _ := v.SInfo.(*relax.TensorStructInfo).Dims()
	return d
}

// step emits one operator on values of the pool.
func (g *gen) step() {
	v := g.pick()
	dims := dimsOf(v)
	g.seed++
	add := func(e relax.Expr) { g.pool = append(g.pool, g.e(e)) }
	switch kind := g.src.IntN(14); kind {
	case 0:
		add(op.Unary(g.oneOf("nn.relu", "negative", "tanh", "sigmoid"), v))
	case 1, 2:
		w := g.pick()
		name := g.oneOf("add", "subtract", "multiply", "maximum")
		if !sameDims(dims, dimsOf(w)) {
			w = v
		}
		add(op.Binary(name, v, w))
	case 3: // broadcast a constant along the last axis
		if last, ok := tir.AsInt(dims[len(dims)-1]); ok {
			add(op.Add(v, weight(g.seed, last)))
		}
	case 4:
		add(op.Multiply(v, scalar(float64(kind)/3)))
	case 5:
		if len(dims) == 2 {
			if k, ok := tir.AsInt(dims[1]); ok {
				add(op.Matmul(v, weight(g.seed, k, 4), dtype.Void))
			}
		}
	case 6:
		if c, ok := channels(dims); ok {
			conv := g.e(op.Conv2D(v, weight(g.seed, c, c, 3, 3), op.Conv2DAttrs{Padding: []int64{1}}))
			add(op.Add(conv, weight(g.seed+1, c, 1, 1)))
		}
	case 7:
		add(op.Reduce(g.oneOf("sum", "mean", "max"), v, []int64{int64(len(dims) - 1)}, true))
	case 8: // join the last two axes, or split the last one
		if len(dims) > 2 {
			joined := append(append([]tir.Expr{}, dims[:len(dims)-2]...), tir.Mul(dims[len(dims)-2], dims[len(dims)-1]))
			add(op.Reshape(v, joined...))
		} else if len(dims) == 2 {
			add(op.ExpandDims(v, 1))
		}
	case 9:
		axes := make([]int64, len(dims))
		for i := range axes {
			axes[i] = int64(i)
		}
		axes[0], axes[len(axes)-1] = axes[len(axes)-1], axes[0]
		add(op.PermuteDims(v, axes...))
	case 10:
		add(op.Concat(int64(len(dims)-1), v, v))
	case 11:
		add(op.Softmax(v, -1))
	case 12: // a name, or a field of a tuple
		if g.coin() {
			pair := g.e(&relax.Tuple{Fields: []relax.Expr{v, g.pick()}})
			add(&relax.TupleGetItem{Tuple: pair, Index: 0})
		} else {
			add(v)
		}
	case 13:
		info := v.SInfo
		if g.n != nil && dims[0] == tir.Expr(g.n) {
			info = relax.TensorOf(dtype.Float32T, append([]tir.Expr{symbol(fmt.Sprintf("m%d", g.seed))}, dims[1:]...)...)
		}
		g.pool = append(g.pool, must(g.EmitMatchCast(v, info, "")))
	}
}

func sameDims(a, b []tir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !ir.StructuralEqual(a[i], b[i], ir.EqualOpts{}) {
			return false
		}
	}
	return true
}

// channels returns the channels of a 4-D value that a small convolution takes.
func channels(dims []tir.Expr) (int64, bool) {
	if len(dims) != 4 {
		return 0, false
	}
	for _, d := range dims[1:] {
		if n, ok := tir.AsInt(d); !ok || n > 12 {
			return 0, false
		}
	}
	return tir.AsInt(dims[1])
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func symbol(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }

// weight is a constant with seeded random elements.
func weight(seed uint64, shape ...int64) *relax.Constant {
	t := tensor.MustNew(dtype.Float32T, shape...)
	t.FillUniform(seed, -1, 1)
	return &relax.Constant{Data: must(ir.NewBlob(t.DType, shape, t.Data))}
}

func scalar(v float64) relax.Expr { return must(op.Scalar(dtype.Float32T, v)) }
