package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// PoolGrad is the gradient of Pool with respect to x, where grad is that of its result: what each
// element of x contributed to. It is written as TVM's pool_grad writes it: an element goes through
// the windows that cover it, and for a maximum takes the gradient of those in which it is the first
// greatest. Windows are dense: dilation is refused.
//
// Two deviations from TVM: where windows do not reach the end of the data, an index of a window is compared
// with their number, which TVM leaves out for maxima. What is tuned takes infinities and NaN for the maxima that Pool
// takes them for. A mean is divided by the number of elements that Pool divides by, also where ceil mode lets windows reach beyond the padding.
func PoolGrad(kind string, grad, x *te.Tensor, o PoolOpts) (*te.Tensor, error) {
	p, err := newPool(x, o.Layout, "")
	if err != nil {
		return nil, err
	}
	if p.n != 2 || grad.NDim() != x.NDim() {
		return nil, fmt.Errorf("the gradient of a pooling of %d axes: only that of two axes has a kernel", p.n)
	}
	for _, d := range o.Dilation {
		if d != 1 {
			return nil, fmt.Errorf("the gradient of a pooling with dilation %v: only windows without gaps have a kernel", o.Dilation)
		}
	}
	out := newPoolGrad(p, grad, o).build(kind, false)
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{newPoolGrad(p, grad, o).build(kind, true)} }), nil
}

// poolGrad is the gradient of one pooling in the making.
type poolGrad struct {
	*pool
	PoolOpts
	grad    *te.Tensor
	after   []int64    // padding after, with what ceil mode adds
	outputs []tir.Expr // the number of windows along each spatial axis
	covered []bool     // whether no element lies behind the last window
	beyond  bool       // whether a window may reach beyond the padding
}

func newPoolGrad(p *pool, grad *te.Tensor, o PoolOpts) *poolGrad {
	g := &poolGrad{pool: p, PoolOpts: o, grad: grad, after: append([]int64{}, o.After...)}
	an := arith.NewAnalyzer()
	for k, d := range p.dpos[2:] {
		if o.CeilMode {
			g.after[k] += o.Strides[k] - 1
		}
		n := grad.Shape[d]
		last := tir.Div(tir.Add(p.x.Shape[d], tir.Int(o.Before[k]-1)), tir.Int(o.Strides[k]))
		g.outputs = append(g.outputs, n)
		g.covered = append(g.covered, an.CanProve(tir.LT(last, n)))
		end := tir.Add(tir.Mul(tir.Sub(n, tir.Int(1)), tir.Int(o.Strides[k])), tir.Int(o.Size[k]))
		g.beyond = g.beyond || o.CeilMode && !an.CanProve(tir.LE(end, tir.Add(p.x.Shape[d], tir.Int(o.Before[k]+o.After[k]))))
	}
	return g
}

// ravel is the position of the element at index at of the padded data.
func (g *poolGrad) ravel(at []tir.Expr) tir.Expr {
	shape := append([]tir.Expr{}, g.x.Shape...)
	for k, d := range g.dpos[2:] {
		shape[d] = tir.Add(shape[d], tir.Int(g.Before[k]+g.after[k]))
	}
	e := at[0]
	for k := 1; k < len(at); k++ {
		e = tir.Add(tir.Mul(e, shape[k]), at[k])
	}
	return e
}

// winners holds for each window the position of its greatest element.
func (g *poolGrad) winners(exact bool) *te.Tensor {
	padded, worst := g.x, te.MinValue(g.x.DType)
	if exact {
		worst = te.Lowest(g.x.DType)
	}
	if anyNonZero(g.Before) || anyNonZero(g.after) {
		padded = padOneSided(g.x, arrangeInts(g.dpos, g.Before), arrangeInts(g.dpos, g.after), worst, "pad_temp")
	}
	rv := []*tir.IterVar{te.ReduceAxis("dh", tir.Int(g.Size[0])), te.ReduceAxis("dw", tir.Int(g.Size[1]))}
	none := &tir.IntImm{Type: dtype.Int64T, Value: -1}
	if exact {
		none = &tir.IntImm{Type: dtype.Int64T, Value: 1<<63 - 1} // behind any element: padding as great as the data does not win
	}
	return te.ComputeN("maxpool_grad_argmax", g.grad.Shape, func(i []tir.Expr) []tir.Expr {
		at := append([]tir.Expr{}, i...)
		inside := tir.Expr(tir.Bool(true))
		for k, d := range g.dpos[2:] {
			at[d] = tir.Add(tir.Mul(i[d], tir.Int(g.Strides[k])), rv[k].Var)
			inside = tir.And(inside, tir.And(tir.LE(tir.Int(g.Before[k]), at[d]), tir.LT(at[d], tir.Add(g.x.Shape[d], tir.Int(g.Before[k])))))
		}
		pos := g.ravel(at)
		if exact {
			pos = &tir.Select{Cond: inside, True: pos, False: none}
		}
		return te.Reduction(argCombine(false, false, exact), []tir.Expr{none, worst}, []tir.Expr{pos, padded.At(at...)}, rv...)
	})[0]
}

// build is the gradient of a pooling of that kind.
func (g *poolGrad) build(kind string, exact bool) *te.Tensor {
	var winners *te.Tensor
	if kind == "max" {
		winners = g.winners(exact)
	}
	rv := make([]*tir.IterVar, 2)
	for k, name := range []string{"wh", "ww"} {
		rv[k] = te.ReduceAxis(name, tir.Int((g.Size[k]+g.Strides[k]-1)/g.Strides[k]))
	}
	return te.Compute("T_pool_grad", g.x.Shape, func(i []tir.Expr) tir.Expr {
		window, inPadded := append([]tir.Expr{}, i...), append([]tir.Expr{}, i...)
		var spatial []tir.Expr
		var valid tir.Expr
		var first, within [2]tir.Expr
		for k, d := range g.dpos[2:] {
			size, stride := tir.Int(g.Size[k]), tir.Int(g.Strides[k])
			at := tir.Add(i[d], tir.Int(g.Before[k]))
			inPadded[d] = at
			window[d] = tir.Sub(tir.Div(at, stride), rv[k].Var)
			spatial = append(spatial, window[d])
			first[k] = tir.GE(window[d], &tir.Select{Cond: tir.LT(at, size), True: tir.Int(0), False: tir.Add(tir.Div(tir.Sub(at, size), stride), tir.Int(1))})
			within[k] = tir.LT(window[d], g.outputs[k])
		}
		zero := tir.Const(g.x.DType, 0)
		value := g.grad.At(window...)
		if kind == "max" {
			valid = tir.And(first[0], first[1])
			for k := range within {
				if !g.covered[k] {
					valid = tir.And(valid, within[k])
				}
			}
			valid = tir.And(valid, tir.EQ(winners.At(window...), g.ravel(inPadded)))
		} else {
			valid = tir.And(tir.And(first[0], within[0]), tir.And(first[1], within[1]))
			value = tir.Div(value, tir.CastTo(g.grad.DType, g.divisor(spatial, exact)))
		}
		return te.Sum(tir.IfThenElseExpr(valid, value, zero), rv...)
	})
}

// divisor is the number of elements that the mean of the window at the spatial index at has.
func (g *poolGrad) divisor(at []tir.Expr, exact bool) tir.Expr {
	if exact || g.beyond {
		return tir.Max(g.count(at, g.PoolOpts), tir.Int(1))
	}
	if g.CountIncludePad {
		return tir.Int(g.Size[0] * g.Size[1])
	}
	n := tir.Expr(nil)
	for k, y := range at {
		start := tir.Sub(tir.Mul(y, tir.Int(g.Strides[k])), tir.Int(g.Before[k]))
		end := tir.Min(tir.Add(start, tir.Int(g.Size[k])), g.x.Shape[g.dpos[2+k]])
		extent := tir.Sub(end, tir.Max(start, tir.Int(0)))
		if n == nil {
			n = extent
		} else {
			n = tir.Mul(n, extent)
		}
	}
	return tir.Max(n, tir.Int(1))
}
