package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// packed is the copy of a load: in the loops around it some axes have one value; the others
// are axes of the copy, in the order tiles, reduction, positions in the tile, lane.
type packed struct {
	t      *tiler
	to     *tir.Buffer
	tiles  []int // spatial axes whose loop over tiles is inside of the copy
	reduce []int
	within []int // axes with a position in the tile
	lane   bool
}

// index returns the place of a load in the copy.
func (c *packed) index(p *part, pos []tir.Expr, lane tir.Expr) []tir.Expr {
	t := c.t
	var out []tir.Expr
	for _, k := range c.tiles {
		a := t.axes[k]
		out = append(out, p.iter("o_"+t.b.IterVars[k].Var.Name, a.tiles(), a.place(), tir.DataPar))
	}
	for _, k := range c.reduce {
		out = append(out, tir.Sub(p.sub[t.b.IterVars[k].Var], t.axes[k].offset))
	}
	for _, k := range c.within {
		a := t.axes[k]
		out = append(out, p.iter("p_"+t.b.IterVars[k].Var.Name, tir.Const(a.extent.DType(), a.tile), pos[k], tir.DataPar))
	}
	if c.lane {
		out = append(out, p.iter("l", tir.Const(lane.DType(), t.spec.Lanes), lane, tir.DataPar))
	}
	return out
}

// loadUses reports whether an index of a load depends on a variable.
func loadUses(l *tir.BufferLoad, v *tir.Var) bool {
	return slices.ContainsFunc(l.Indices, func(ix tir.Expr) bool { return arith.UsesVar(ix, func(x *tir.Var) bool { return x == v }) })
}

// axesOf lists the axes that a load depends on, spatial ones in loop order.
func (t *tiler) axesOf(l *tir.BufferLoad) (spatial, reduce []int) {
	for _, k := range t.order {
		if loadUses(l, t.b.IterVars[k].Var) {
			spatial = append(spatial, k)
		}
	}
	for _, k := range t.spec.Reduce {
		if loadUses(l, t.b.IterVars[k].Var) && !tir.IsConst(t.axes[k].extent, 1) {
			reduce = append(reduce, k)
		}
	}
	return spatial, reduce
}

// splat copies a load, spread over lanes, inside the loops that determine it.
func (t *tiler) splat(x int, level map[int]int) (tir.Stmt, int) {
	spatial, reduce := t.axesOf(t.loads[x])
	c := &packed{t: t, reduce: reduce, lane: true}
	lv := 0
	for _, k := range spatial {
		lv = max(lv, level[k])
		if t.axes[k].tile > 1 {
			c.within = append(c.within, k)
		}
	}
	return t.copyOf(x, c, "_splat"), lv
}

// pack copies a load in front of the outermost loop that it does not depend on, or that is
// tiled by the vector: a tile then reads it in order.
func (t *tiler) pack(x int, level map[int]int) (tir.Stmt, int) {
	spatial, reduce := t.axesOf(t.loads[x])
	c := &packed{t: t, reduce: reduce}
	depends := map[int]bool{}
	for _, k := range spatial {
		depends[k] = true
	}
	lv, above := 0, true
	for _, k := range t.spec.Order {
		if t.axes[k].outer == nil {
			continue
		}
		if above = above && depends[k]; above {
			lv = level[k]
		}
	}
	for _, k := range spatial {
		a := t.axes[k]
		if a.outer != nil && level[k] > lv {
			c.tiles = append(c.tiles, k)
		}
		if a.tile > 1 {
			c.within = append(c.within, k)
		}
	}
	return t.copyOf(x, c, "_pack"), lv
}

// copyOf makes the buffer and the copying block.
func (t *tiler) copyOf(x int, c *packed, suffix string) tir.Stmt {
	l, p := t.loads[x], t.part(suffix)
	var shape, at []tir.Expr
	value := map[int]tir.Expr{}
	dim := func(name string, n, v tir.Expr) {
		shape = append(shape, n)
		at = append(at, p.iter(name, n, v, tir.DataPar))
	}
	outer := map[int]tir.Expr{}
	// A copy that is contiguous along the vector reads so as well; another one runs over the
	// reduction inside, along which its source is contiguous more often.
	type step struct {
		k      int
		extent tir.Expr
		kind   tir.ForKind
	}
	var tiles, reduce, within []step
	for _, k := range c.tiles {
		tiles = append(tiles, step{k, t.axes[k].tiles(), tir.Serial})
	}
	for _, k := range c.reduce {
		reduce = append(reduce, step{k, t.axes[k].extent, tir.Serial})
	}
	contiguous := t.contiguous(l)
	for _, k := range c.within {
		a := t.axes[k]
		kind := tir.Serial
		if c.lane && a.tile <= 8 {
			kind = tir.Unrolled
		}
		if k == t.spec.Vector && contiguous {
			kind = tir.Vectorized
		}
		within = append(within, step{k, tir.Const(a.extent.DType(), a.tile), kind})
	}
	posv, redv := map[int]tir.Expr{}, map[int]tir.Expr{}
	run := func(list []step, into map[int]tir.Expr, name string) {
		for _, x := range list {
			into[x.k] = orZero(p.loop(t.b.IterVars[x.k].Var.Name+name, x.extent, x.kind), x.extent)
		}
	}
	run(tiles, outer, "_o")
	switch high := t.turned(l, c); {
	case high > 0: // tiles of rows, which a code generator may transpose in registers
		k, v := c.reduce[0], t.spec.Vector
		d, n := t.axes[k].extent.DType(), t.axes[v].extent.DType()
		name := func(k int) string { return t.b.IterVars[k].Var.Name }
		count, _ := tir.AsInt(t.axes[k].extent)
		row := orZero(p.loop(name(k)+"_k", tir.Const(d, count/high), tir.Serial), t.axes[k].extent)
		vec := orZero(p.loop(name(v)+"_i", tir.Const(n, t.axes[v].tile/t.spec.Lanes), tir.Serial), t.axes[v].extent)
		in := orZero(p.loop(name(k)+"_r", tir.Const(d, high), tir.Unrolled), t.axes[k].extent)
		lane := orZero(p.loop("lane", tir.Const(n, t.spec.Lanes), tir.Vectorized), t.axes[v].extent)
		redv[k] = tir.Add(tir.Mul(row, tir.Const(d, high)), in)
		posv[v] = tir.Add(tir.Mul(vec, tir.Const(n, t.spec.Lanes)), lane)
	case c.lane || contiguous:
		run(reduce, redv, "_k")
		run(within, posv, "_i")
	default:
		run(within, posv, "_i")
		run(reduce, redv, "_k")
	}
	for _, k := range c.tiles {
		dim("o_"+t.b.IterVars[k].Var.Name, t.axes[k].tiles(), outer[k])
	}
	for _, k := range c.reduce {
		dim("k_"+t.b.IterVars[k].Var.Name, t.axes[k].extent, redv[k])
	}
	for _, k := range c.within {
		dim("p_"+t.b.IterVars[k].Var.Name, tir.Const(t.axes[k].extent.DType(), t.axes[k].tile), posv[k])
	}
	if c.lane {
		d := t.axes[t.spec.Vector].extent.DType()
		n := tir.Const(d, t.spec.Lanes)
		dim("l", n, orZero(p.loop("lane", n, tir.Vectorized), n))
	}
	spatial, _ := t.axesOf(l)
	for _, k := range spatial {
		a := t.axes[k]
		o := outer[k]
		if o == nil {
			o = a.place()
		}
		v := a.base(o)
		if posv[k] != nil {
			v = tir.Add(v, posv[k])
		}
		value[k] = a.clamp(v)
	}
	for k, a := range t.axes {
		switch {
		case value[k] != nil:
			p.old(k, value[k])
		case redv[k] != nil:
			p.old(k, tir.Add(a.offset, redv[k]))
		case tir.IsConst(a.extent, 1):
			p.old(k, a.offset)
		}
	}
	for k := range p.iters { // all axes of a copy are spatial
		p.iters[k].Kind = tir.DataPar
	}
	c.to = tir.NewBuffer(l.Buffer.Name+suffix, l.DType(), shape, "")
	c.to.Base = t.b.Base
	t.allocs = append(t.allocs, c.to)
	t.copies[x] = c
	var ix []tir.Expr
	for _, e := range l.Indices {
		ix = append(ix, tir.SubstExpr(e, p.sub))
	}
	n, _ := p.finish(tir.Store(c.to, tir.Load(l.Buffer, ix...), at...))
	return n
}

// turned is how many rows a tile has in which a copy of elements of 32 bits goes from where they lie together along the reduction to where they do along the vector: as many as the
// vector has lanes, or four; 0 where the copy is another one, or tiles do not divide it.
func (t *tiler) turned(l *tir.BufferLoad, c *packed) int64 {
	if c.lane || len(c.reduce) != 1 || len(c.within) != 1 || c.within[0] != t.spec.Vector || t.spec.Lanes < 4 || l.DType().Bits != 32 ||
		StrideOf(l.Buffer, l.Indices, t.b.IterVars[c.reduce[0]].Var) != 1 || t.contiguous(l) || t.axes[t.spec.Vector].tile%t.spec.Lanes != 0 {
		return 0
	}
	n, known := tir.AsInt(t.axes[c.reduce[0]].extent)
	for _, high := range []int64{t.spec.Lanes, 4} {
		if known && n%high == 0 && n > 0 {
			return high
		}
	}
	return 0
}

// contiguous reports whether neighbours along the vector are neighbours in the source.
func (t *tiler) contiguous(l *tir.BufferLoad) bool {
	v := t.b.IterVars[t.spec.Vector].Var
	return StrideOf(l.Buffer, l.Indices, v) == 1
}
