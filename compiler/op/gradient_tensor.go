package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// reduced returns the adjoint e of a reduction with the axes that it lost.
func (g *GradientContext) reduced(e relax.Expr) relax.Expr {
	if axes := g.Call.Attrs.Ints("axis"); len(axes) > 0 && !g.Call.Attrs.Bool("keepdims", false) {
		return ExpandDims(e, axes...)
	}
	return e
}

// gradSum: g along the axes that were added up.
func gradSum(g *GradientContext) []relax.Expr {
	return []relax.Expr{g.like(g.reduced(g.Grad), 0)}
}

// count returns the number of elements that a reduction puts together.
func (g *GradientContext) count() float64 {
	d := g.static(0)
	n := 1.0
	v, _ := g.Call.Attrs.Get("axis")
	if v == nil {
		for _, e := range d {
			n *= float64(e)
		}
		return n
	}
	for _, a := range g.Call.Attrs.Ints("axis") {
		if a < 0 {
			a += int64(len(d))
		}
		if a >= 0 && a < int64(len(d)) {
			n *= float64(d[a])
		}
	}
	return n
}

// gradMean: g divided by the number of elements.
func gradMean(g *GradientContext) []relax.Expr {
	return []relax.Expr{g.like(g.reduced(Divide(g.Grad, g.number(g.count()))), 0)}
}

// gradVariance: g (2 x / n - 2 sum(x) / n²) for n elements.
func gradVariance(g *GradientContext) []relax.Expr {
	x, n := g.Call.Args[0], g.count()
	total := build("relax.sum", g.Call.Attrs.With("keepdims", true), x)
	each := Subtract(Multiply(g.number(2/n), x), Multiply(g.number(2/n/n), total))
	return []relax.Expr{Multiply(g.reduced(g.Grad), each)}
}

// gradCumsum adds g up from behind: the sum of all less the one up to here, and, unless the sum is exclusive, g itself. TVM v0.23 takes
// exclusive sums for others.
func gradCumsum(g *GradientContext) []relax.Expr {
	x := g.infoOf(0)
	out, ok := g.bb.Context().SInfoOf(g.Result).(*relax.TensorStructInfo)
	if x == nil || !ok || !out.DType.IsFloat() {
		return g.none()
	}
	exclusive := g.Call.Attrs.Bool("exclusive", false)
	var e relax.Expr
	if axis, given := g.Call.Attrs.Get("axis"); given && axis != nil {
		a := g.Call.Attrs.Int("axis", 0)
		e = Subtract(Reduce("sum", g.Grad, []int64{a}, true), build("relax.cumsum", ir.NewAttrs("axis", a), g.Grad))
		if !exclusive {
			e = Add(e, g.Grad)
		}
	} else {
		e = Subtract(Reduce("sum", g.Grad, nil, true), build("relax.cumsum", nil, g.Grad))
		if !exclusive {
			e = Add(e, build("relax.flatten", nil, g.Grad))
		}
		e = Reshape(e, g.shape(0)...)
	}
	if out.DType != x.DType {
		e = AsType(e, x.DType)
	}
	return []relax.Expr{e}
}

// gradTriu: g above the same diagonal.
func gradTriu(g *GradientContext) []relax.Expr {
	return []relax.Expr{build("relax.triu", nil, g.Grad, g.Call.Args[1]), nil}
}

// gradPermuteDims moves the axes back.
func gradPermuteDims(g *GradientContext) []relax.Expr {
	axes := g.Call.Attrs.Ints("axes")
	if len(axes) == 0 {
		return []relax.Expr{PermuteDims(g.Grad)}
	}
	back := make([]int64, len(axes))
	for i, a := range axes {
		if a < 0 {
			a += int64(len(axes))
		}
		back[a] = int64(i)
	}
	return []relax.Expr{PermuteDims(g.Grad, back...)}
}

// gradConcat splits g where the parts begin.
func gradConcat(g *GradientContext) []relax.Expr {
	t, ok := g.bb.Context().SInfoOf(g.Call.Args[0]).(*relax.TupleStructInfo)
	if !ok {
		g.Fail("the tensors are no tuple")
		return g.none()
	}
	axis, at, from := g.Call.Attrs.Int("axis", 0), []int64{}, int64(0)
	for i, f := range t.Fields {
		f, ok := f.(*relax.TensorStructInfo)
		if !ok {
			g.Fail("part %d is no tensor", i)
			return g.none()
		}
		if i == len(t.Fields)-1 {
			break
		}
		d, ok := f.Dims()
		a := axis
		if a < 0 {
			a += int64(len(d))
		}
		if !ok || a < 0 || a >= int64(len(d)) {
			g.Fail("the shape of part %d, %s, is not known", i, relax.FormatSInfo(f))
			return g.none()
		}
		n, ok := tir.AsInt(d[a])
		if !ok {
			g.Fail("part %d has the symbolic extent %s along axis %d; it needs numbers: bind them with BindSymbolicVars", i, relax.FormatPrim(d[a]), axis)
			return g.none()
		}
		from += n
		at = append(at, from)
	}
	return []relax.Expr{SplitAt(g.Grad, axis, at...)}
}

// gradSplit joins the parts of g.
func gradSplit(g *GradientContext) []relax.Expr {
	return []relax.Expr{build("relax.concat", ir.NewAttrs("axis", g.Call.Attrs.Int("axis", 0)), g.Grad)}
}

// gradExpandDims drops the axes.
func gradExpandDims(g *GradientContext) []relax.Expr {
	return []relax.Expr{build("relax.squeeze", ir.NewAttrs("axis", g.Call.Attrs.Ints("axis")), g.Grad)}
}

// gradReshape gives g the shape of x.
func gradReshape(g *GradientContext) []relax.Expr {
	return []relax.Expr{Reshape(g.Grad, g.shape(0)...), nil}
}

// gradBroadcastTo adds g up along the axes that x was broadcast along.
func gradBroadcastTo(g *GradientContext) []relax.Expr {
	return []relax.Expr{build("relax.collapse_sum_to", nil, g.Grad, &relax.ShapeExpr{Values: g.shape(0)}), nil}
}

// gradTake adds g up where elements were taken, which take_backward does.
func gradTake(g *GradientContext) []relax.Expr {
	out, indices := g.none(), g.Call.Args[1]
	if mode := g.Call.Attrs.Str("mode", "fast"); mode != "fast" {
		g.Fail("the mode is %q; only indices that are inside are known to have a gradient, of mode \"fast\"", mode)
		return out
	}
	if p, ok := indices.(*relax.PrimValue); ok {
		n, ok := tir.AsInt(p.Value)
		if !ok {
			g.Fail("the index is a symbolic scalar")
			return out
		}
		indices = g.constant(dtype.Int64T, float64(n))
	}
	axis, _ := g.Call.Attrs.Get("axis")
	out[0] = build("relax.grad.take_backward", ir.NewAttrs("axis", axis), g.Grad, g.Call.Args[0], indices)
	return out
}

// gradMatmul: g yᵀ, xᵀ g, where the last two axes are transposed. A vector on the left is a row, one on the right a column.
func gradMatmul(g *GradientContext) []relax.Expr {
	x, y := g.Call.Args[0], g.Call.Args[1]
	m, n := len(g.shape(0)), len(g.shape(1))
	if g.err != nil {
		return g.none()
	}
	product := func(a, b relax.Expr) relax.Expr { return build("relax.matmul", nil, a, b) }
	var dx, dy relax.Expr
	switch {
	case m > 1 && n > 1:
		dx, dy = product(g.Grad, transposed(y, n)), product(transposed(x, m), g.Grad)
	case n > 1:
		row := ExpandDims(g.Grad, -2)
		dx, dy = product(row, transposed(y, n)), product(ExpandDims(x, 1), row)
	case m > 1:
		column := ExpandDims(g.Grad, -1)
		dx, dy = product(column, ExpandDims(y, 0)), Squeeze(product(transposed(x, m), column), -1)
	default:
		dx, dy = Multiply(g.Grad, y), Multiply(g.Grad, x)
	}
	return []relax.Expr{g.fit(dx, 0), g.fit(dy, 1)}
}

// transposed swaps the last two of n axes.
func transposed(x relax.Expr, n int) relax.Expr {
	axes := make([]int64, n)
	for i := range axes {
		axes[i] = int64(i)
	}
	axes[n-2], axes[n-1] = axes[n-1], axes[n-2]
	return PermuteDims(x, axes...)
}
