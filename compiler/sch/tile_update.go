package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// stepsOf says which steps of the reduction a nest of loops takes. The loop of the vector variable
// (where lanes reduce) or else of the factored one has the given count and starts at start;
// factor is the number of its steps in a row. scalar reduces into the first lane.
type stepsOf struct {
	name         string
	count, start tir.Expr // nil: all, 0
	factor       int64
	scalar       bool
	// first says that it is the first step of the unrolled variables alone, from which the results start; rest, that they have.
	first, rest bool
}

// updates are the nests of the reduction: where lanes reduce, there may be a second one for what
// does not fill a vector; where a factor does not divide, one for the rest.
func (t *tiler) updates() []stepsOf {
	k, step := t.spec.Vector, int64(0)
	factor := int64(1)
	if t.dot {
		step = t.axes[k].tile
	} else if k = t.factorAxis(); k >= 0 && t.spec.Factor > 1 {
		step, factor = t.spec.Factor, t.spec.Factor
	}
	if step == 0 {
		return []stepsOf{{name: "_update", factor: 1}}
	}
	whole, rest := parts(t.steps(k), step)
	var out []stepsOf
	if !tir.IsConst(whole, 0) {
		out = append(out, stepsOf{name: "_update", count: whole, factor: factor})
	}
	if !tir.IsConst(rest, 0) {
		start := tir.Mul(whole, tir.Const(whole.DType(), step))
		out = append(out, stepsOf{name: "_rest", count: rest, start: start, factor: 1, scalar: t.dot})
	}
	return out
}

// parts returns how many whole steps an extent has and what is left over.
func parts(extent tir.Expr, step int64) (whole, rest tir.Expr) {
	d := extent.DType()
	return tir.FloorDiv(extent, tir.Const(d, step)), tir.FloorMod(extent, tir.Const(d, step))
}

// factorAxis is the innermost reduction variable that is not unrolled, -1 if there is none.
func (t *tiler) factorAxis() int {
	for i := len(t.spec.Reduce) - 1; i >= 0; i-- {
		if k := t.spec.Reduce[i]; !t.unrolled(k) && !tir.IsConst(t.axes[k].extent, 1) {
			return k
		}
	}
	return -1
}

func (t *tiler) unrolled(k int) bool { return slices.Contains(t.spec.Unroll, k) }

// special is the reduction variable whose loop is taken apart, -1 if there is none.
func (t *tiler) special() int {
	if t.dot {
		return t.spec.Vector
	}
	return t.factorAxis()
}

// update is one nest of the reduction.
func (t *tiler) update(u stepsOf) tir.Stmt {
	name, count, start, factor, scalar := u.name, u.count, u.start, u.factor, u.scalar
	p := t.part(name)
	p.serial = t.spec.Matrix
	special := t.special()
	red := map[int]tir.Expr{}
	var late []int
	for _, k := range t.spec.Reduce {
		if t.unrolled(k) {
			late = append(late, k)
			continue
		}
		if v := t.outer[k]; v != nil {
			red[k] = v
			continue
		}
		n := t.steps(k)
		if k == special && count != nil {
			n = count
		}
		red[k] = orZero(p.loop(t.b.IterVars[k].Var.Name+"_k", n, tir.Serial), n)
	}
	var pos []tir.Expr
	var lane tir.Expr
	if t.slide != nil || t.spec.ByResult { // a column or a result after the other: what its steps read lies side by side
		pos, lane = p.inner(!scalar)
	}
	var step tir.Expr
	if factor > 1 {
		d := t.axes[special].extent.DType()
		step = orZero(p.loop(t.b.IterVars[special].Var.Name+"_u", tir.Const(d, factor), tir.Unrolled), t.axes[special].extent)
		red[special] = tir.Add(tir.Mul(red[special], tir.Const(d, factor)), step)
	}
	for _, k := range late {
		n := t.axes[k].extent
		if u.first || u.rest {
			n = tir.Const(n.DType(), 1)
		}
		if u.rest {
			n = tir.Sub(t.axes[k].extent, n)
		}
		red[k] = orZero(p.loop(t.b.IterVars[k].Var.Name+"_u", n, tir.Unrolled), n)
		if u.rest {
			red[k] = tir.Add(red[k], tir.Const(n.DType(), 1))
		}
	}
	if t.slide == nil && !t.spec.ByResult {
		pos, lane = p.inner(!scalar)
	}
	if t.dot {
		a := t.axes[special]
		if scalar {
			pos[special] = tir.Const(a.extent.DType(), 0)
		} else if pos[special] != nil {
			red[special] = tir.Add(tir.Mul(red[special], tir.Const(a.extent.DType(), a.tile)), pos[special])
		}
	}
	if start != nil {
		red[special] = tir.Add(start, red[special])
	}
	at := p.at(pos)
	p.spatial(pos, true)
	for k, a := range t.axes {
		if a.kind != tir.DataPar && (t.slide == nil || k != t.slide.r) {
			v, ok := red[k]
			if !ok {
				v = tir.Const(a.extent.DType(), 0)
			}
			p.old(k, tir.Add(a.offset, t.fromChunk(k, v)))
		}
	}
	value := t.replaced(p, pos, lane, at[len(at)-1])
	if !u.first {
		value = t.with(tir.Load(t.acc, at...), value)
	}
	if p.serial && len(p.loops) > 0 {
		p.loops[0].Annotations = p.loops[0].Annotations.With(tir.AttrTileProducts, int64(1))
	}
	n, _ := p.finish(tir.Store(t.acc, value, at...))
	return n
}

// replaced is the value that is combined, with copies in the place of packed loads. along is the place in the tile along the vectors.
func (t *tiler) replaced(p *part, pos []tir.Expr, lane, along tir.Expr) tir.Expr {
	ofResult := func() tir.Expr { return tir.LT(along, t.axes[t.spec.Vector].extent) }
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok {
			if k, ok := t.number[l]; ok && t.copies[k] != nil {
				c := t.copies[k]
				return tir.Load(c.to, c.index(p, pos, lane)...)
			}
			if t.sticksOut(l) {
				return &tir.Select{Cond: ofResult(), True: m.MapExpr(l), False: tir.Const(l.DType(), 0)}
			}
		}
		if c, ok := e.(*tir.Select); ok && isConstant(c.False) {
			if l, ok := c.True.(*tir.BufferLoad); ok && t.sticksOut(l) { // one condition, and one other value
				return &tir.Select{Base: c.Base, Cond: tir.And(ofResult(), m.Expr(c.Cond)), True: m.MapExpr(l), False: c.False}
			}
		}
		if v, ok := e.(*tir.Var); ok {
			if x := p.sub[v]; x != nil {
				return x
			}
			return e
		}
		return m.MapExpr(e)
	}
	return m.Expr(t.value)
}

// sticksOut reports whether a load runs along vectors some lanes of which are of no result. What these combine is not written, and they read nothing.
func (t *tiler) sticksOut(l *tir.BufferLoad) bool {
	return t.axes[t.spec.Vector].out && loadUses(l, t.b.IterVars[t.spec.Vector].Var)
}

// with is what a step makes of what was combined so far, and a value. What comes of it is combined by t.op: it is no NaN where the block leaves these out.
func (t *tiler) with(acc, value tir.Expr) tir.Expr {
	if ofNumbers(t.b) {
		return &tir.Select{Cond: tir.LT(acc, value), True: value, False: acc}
	}
	return tir.NewBinary(t.op, acc, value)
}
