package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// write combines lanes where they reduced, and writes the results of the tile.
func (t *tiler) write() (out []tir.Stmt, b *tir.Block) {
	lanes := t.spec.Lanes
	v := t.axes[t.spec.Vector]
	if t.dot && v.tile > lanes {
		out = append(out, t.fold())
	}
	p := t.part("")
	p.name = t.b.Name
	pos, _ := p.inner(!t.dot)
	if t.dot {
		pos[t.spec.Vector] = tir.Const(v.extent.DType(), 0)
	}
	at := p.at(pos)
	p.spatial(pos, false)
	for k, a := range t.axes {
		if a.kind == tir.DataPar && (a.symbolic || a.out) {
			p.guard(tir.LT(tir.Add(a.base(a.place()), pos[k]), tir.Add(a.offset, a.extent)))
		}
	}
	value := tir.Expr(tir.Load(t.acc, at...))
	if t.parts != nil {
		value = tir.Load(t.parts, append(p.tileAt(), at...)...)
	}
	if t.dot {
		value = t.combined(at, v)
	}
	var idx []tir.Expr
	for _, ix := range t.store.Indices {
		idx = append(idx, tir.SubstExpr(ix, p.sub))
	}
	st := tir.Store(t.store.Buffer, value, idx...)
	st.Base = t.store.Base
	for _, c := range t.epilogue {
		st = folded(c.Block(), st)
		p.origin = t.s.merged(p.origin, c.Block().Origin)
	}
	if p.origin != t.b.Origin {
		st.Origin = p.origin
	}
	n, b := p.finish(st)
	return append(out, n), b
}

// combined combines the lanes of a result: the halves of the vector, then the halves of what this gives, and so on, so that few operations wait for each other.
func (t *tiler) combined(at []tir.Expr, v *axis) tir.Expr {
	var list []tir.Expr
	for l := range min(t.spec.Lanes, v.tile) {
		ix := slices.Clone(at)
		if v.tile > 1 {
			ix[len(ix)-1] = tir.Const(v.extent.DType(), l)
		}
		list = append(list, tir.Load(t.acc, ix...))
	}
	for len(list) > 1 {
		half := (len(list) + 1) / 2
		for i := range len(list) / 2 {
			list[i] = tir.NewBinary(t.op, list[i], list[half+i])
		}
		list = list[:half]
	}
	return list[0]
}

// guard adds a condition under which the block runs.
func (p *part) guard(cond tir.Expr) {
	if p.pred != nil {
		cond = tir.And(p.pred, cond)
	}
	p.pred = cond
}

// fold combines the vectors of each result into the first one.
func (t *tiler) fold() tir.Stmt {
	p := t.part("_fold")
	pos, _ := p.inner(false)
	v := t.axes[t.spec.Vector]
	d := v.extent.DType()
	step := orZero(p.loop("vec", tir.Const(d, v.tile/t.spec.Lanes-1), tir.Unrolled), v.extent)
	lane := orZero(p.loop("lane", tir.Const(d, t.spec.Lanes), tir.Vectorized), v.extent)
	pos[t.spec.Vector] = lane
	at := p.at(pos)
	q := p.iter("part", tir.Const(d, v.tile/t.spec.Lanes-1), step, tir.CommReduce)
	from := slices.Clone(at)
	from[len(from)-1] = tir.Add(tir.Mul(tir.Add(q, tir.Const(d, 1)), tir.Const(d, t.spec.Lanes)), from[len(from)-1])
	n, _ := p.finish(tir.Store(t.acc, t.with(tir.Load(t.acc, at...), tir.Load(t.acc, from...)), at...))
	return n
}
