package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// touch is an access to a buffer, in the iteration of the loops around that runs.
type touch struct {
	buffer *tir.Buffer
	at     tir.Expr   // the elements touched, of the positions along the axes; more of them if inexact
	exact  bool       // those of at are touched, all and certainly
	index  []tir.Expr // the scalar indices that are followed, nil for others
	lane   tir.Expr   // the lane that touches a position, if lanes do
	laneOf *tir.Var
}

// touchOf returns what an access touches; nil if the buffer is not followed.
func (f *flow) touchOf(b *tir.Buffer, indices []tir.Expr, predicate tir.Expr) *touch {
	axes, ok := f.axes[b]
	if !ok {
		return nil
	}
	t := &touch{buffer: b, at: tir.Bool(true), exact: predicate == nil, index: make([]tir.Expr, len(axes))}
	for d, e := range indices {
		e = tir.SubstExpr(e, f.lets)
		if !f.fixed(e) || e.DType().Elem() != axes[d].DType() {
			t.exact = false
			continue
		}
		if e.DType().Lanes == 1 && !e.DType().Scalable {
			t.index[d] = e
			t.at = tir.And(t.at, tir.EQ(axes[d], e))
			continue
		}
		cond := t.lanes(e, axes[d])
		if cond == nil {
			t.exact = false
			continue
		}
		t.at = tir.And(t.at, cond)
	}
	return t
}

// lanes returns where along the axis the lanes of e are: those of a ramp that ascends.
func (t *touch) lanes(e tir.Expr, axis *tir.Var) tir.Expr {
	r, ok := e.(*tir.Ramp)
	if !ok || r.Scalable || t.lane != nil {
		return nil
	}
	step, ok := tir.AsInt(r.Stride)
	if !ok || step <= 0 {
		return nil
	}
	diff := tir.Sub(axis, r.Start)
	t.laneOf = tir.NewVar("lane", axis.DType())
	t.lane = tir.FloorDiv(diff, tir.Const(axis.DType(), step))
	end := tir.Const(axis.DType(), step*int64(r.Lanes-1))
	cond := tir.And(tir.LE(r.Start, axis), tir.LE(axis, tir.Add(r.Start, end)))
	if step > 1 {
		cond = tir.And(cond, tir.EQ(tir.FloorMod(diff, tir.Const(axis.DType(), step)), tir.Const(axis.DType(), 0)))
	}
	return cond
}

// inAxes writes e, a value that the touch stores, in the positions along the axes as far as they determine
// its loop variables. It is nil if e has lanes that are not followed.
func (f *flow) inAxes(t *touch, e tir.Expr) tir.Expr {
	if t.lane != nil {
		scalar, ok := arith.UnwrapVectorExpr(e, t.laneOf)
		if !ok {
			return nil
		}
		e = tir.SubstExpr(scalar, map[*tir.Var]tir.Expr{t.laneOf: t.lane})
	}
	for i := len(f.around) - 1; i >= 0; i-- {
		v := f.around[i].LoopVar
		if !uses(e, v) {
			continue
		}
		if at := f.solve(t, v); at != nil {
			e = f.a.Simplify(tir.SubstExpr(e, map[*tir.Var]tir.Expr{v: at}))
		}
	}
	return e
}

// solve writes v in the positions that t touches; nil if no index alone determines it.
func (f *flow) solve(t *touch, v *tir.Var) tir.Expr {
	for d, e := range t.index {
		if e == nil || !uses(e, v) {
			continue
		}
		coeff, rest, ok := arith.DetectLinearEquation(e, []*tir.Var{v})
		if !ok {
			continue
		}
		axis := f.axes[t.buffer][d]
		switch k, _ := tir.AsInt(f.a.Simplify(coeff[0])); k {
		case 1:
			return f.a.Simplify(tir.Sub(axis, rest))
		case -1:
			return f.a.Simplify(tir.Sub(rest, axis))
		}
	}
	return nil
}

// reads calls do for each load in e, with its indices in the order of evaluation. It reports whether e
// does more than compute and read.
func (f *flow) reads(e tir.Expr, do func(*touch)) (effect bool) {
	if e == nil {
		return false
	}
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			if t := f.touchOf(n.Buffer, n.Indices, n.Predicate); t != nil && do != nil {
				do(t)
			}
		case *tir.Call:
			effect = effect || tir.CallEffect(n) > tir.ReadState
		}
		return true
	})
	return effect
}

// positions maps the axes of b to indices.
func (f *flow) positions(b *tir.Buffer, indices []tir.Expr) map[*tir.Var]tir.Expr {
	out := map[*tir.Var]tir.Expr{}
	for d, v := range f.axes[b] {
		out[v] = indices[d]
	}
	return out
}
