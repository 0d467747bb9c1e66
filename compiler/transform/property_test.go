package transform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// randomGraph draws valid functions: a pool of tensors that grows by operators on them.
type randomGraph struct {
	*builder
	t    *rapid.T
	n    *tir.Var // symbolic extent, nil in static functions
	pool []*relax.Var
	seed uint64
}

func drawModule(t *rapid.T) *ir.Module {
	g := &randomGraph{builder: newBuilder(), t: t, seed: 1}
	batch := any(rapid.IntRange(1, 3).Draw(t, "batch"))
	if rapid.Bool().Draw(t, "symbolic") {
		g.n = symbol("n")
		batch = g.n
	}
	x, y := f32in("x", batch, 4), f32in("y", batch, 2, 6, 6)
	c := boolIn("c")
	g.pool = vars(x, y)
	flow := rapid.IntRange(0, 3).Draw(t, "control flow") > 0
	g.fn("main", vars(c, x, y), false, func() relax.Expr {
		g.block()
		if flow {
			g.branch(c)
			g.block()
		}
		return g.result()
	})
	return g.module()
}

// block emits a dataflow block; two of its values are visible afterwards.
func (g *randomGraph) block() {
	before := len(g.pool)
	g.BeginDataflow()
	for range rapid.IntRange(1, 8).Draw(g.t, "bindings") {
		g.step()
	}
	keep := append([]*relax.Var{}, g.pool[:before]...)
	for i := range 2 {
		keep = append(keep, g.out(op.Relu(g.pool[len(g.pool)-1-i]), ""))
	}
	g.EndDataflow()
	g.pool = keep
}

func (g *randomGraph) branch(c *relax.Var) {
	v := g.pick("branch value")
	pool := g.pool
	g.pool = append(append([]*relax.Var{}, pool...), g.cond(c, "", func() relax.Expr {
		return g.e(op.Add(g.e(op.Softmax(v, -1), ""), v), "")
	}, func() relax.Expr {
		if rapid.Bool().Draw(g.t, "branch that passes on") {
			return v
		}
		return g.e(op.Relu(v), "")
	}))
}

// result returns some of the values as a tuple.
func (g *randomGraph) result() relax.Expr {
	var fields []relax.Expr
	for i := range min(3, len(g.pool)) {
		fields = append(fields, g.pool[len(g.pool)-1-i])
	}
	return g.e(&relax.Tuple{Fields: fields}, "")
}

func (g *randomGraph) pick(label string) *relax.Var {
	return rapid.SampledFrom(g.pool).Draw(g.t, label)
}

func dimsOf(v *relax.Var) []tir.Expr {
	d, _ := v.SInfo.(*relax.TensorStructInfo).Dims()
	return d
}

// step emits one operator on values of the pool.
func (g *randomGraph) step() {
	v := g.pick("operand")
	dims := dimsOf(v)
	g.seed++
	add := func(e relax.Expr) { g.pool = append(g.pool, g.e(e, "")) }
	switch kind := rapid.IntRange(0, 13).Draw(g.t, "operator"); kind {
	case 0:
		add(op.Unary(rapid.SampledFrom([]string{"nn.relu", "negative", "tanh", "sigmoid"}).Draw(g.t, "unary"), v))
	case 1, 2:
		w := g.pick("second")
		name := rapid.SampledFrom([]string{"add", "subtract", "multiply", "maximum"}).Draw(g.t, "binary")
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
			conv := g.e(op.Conv2D(v, weight(g.seed, c, c, 3, 3), op.Conv2DAttrs{Padding: []int64{1}}), "")
			add(op.Add(conv, weight(g.seed+1, c, 1, 1)))
		}
	case 7:
		add(op.Reduce(rapid.SampledFrom([]string{"sum", "mean", "max"}).Draw(g.t, "reduction"), v, []int64{int64(len(dims) - 1)}, true))
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
		if rapid.Bool().Draw(g.t, "tuple") {
			pair := g.e(&relax.Tuple{Fields: []relax.Expr{v, g.pick("field")}}, "")
			add(&relax.TupleGetItem{Tuple: pair, Index: 0})
		} else {
			add(v)
		}
	case 13:
		info := v.SInfo
		if g.n != nil && dims[0] == tir.Expr(g.n) {
			info = relax.TensorOf(dtype.Float32T, append([]tir.Expr{symbol(fmt.Sprintf("m%d", g.seed))}, dims[1:]...)...)
		}
		g.pool = append(g.pool, g.cast(v, info, ""))
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

// TestPassesKeepMeaning runs the whole lowering on random functions, one pass after the
// other, and after each compares what main computes.
func TestPassesKeepMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		want := outputs(t, m, 2, false)
		c := newPassContext(t, pass.OptLevel(rapid.IntRange(0, 3).Draw(t, "opt_level")))
		legalized := false
		for _, p := range lowering {
			if ok, _ := c.PassEnabled(p); !ok || !p.Lowering && rapid.IntRange(0, 9).Draw(t, "disabled") == 0 {
				continue
			}
			before := m
			m, _ = check(t, c, p, before)
			legalized = legalized || p == transform.LegalizeOps
			sameOutputs(t, want, outputs(t, m, 2, legalized))
			if t.Failed() {
				t.Fatalf("%s made\n%s\nof\n%s", p.Name, script.Module(m, script.Options{}).Source, script.Module(before, script.Options{}).Source)
			}
		}
	})
}
