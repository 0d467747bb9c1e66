package tirtest

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// stage writes all elements of out.
func (g *gen) stage(out *tir.Buffer) tir.Stmt {
	switch g.src.IntN(7) {
	case 1:
		if !out.DType.IsBool() {
			return g.reduction(out)
		}
	case 2:
		return g.tiled(out)
	case 3:
		return g.staging(out)
	case 4:
		return g.viewed(out)
	case 5:
		return g.imperative(out)
	}
	return g.elementwise(out)
}

// elementwise computes each element on its own.
func (g *gen) elementwise(out *tir.Buffer) tir.Stmt {
	return g.elementwiseOver(out, nil)
}

// elementwiseOver is elementwise for the part of out at prefix.
func (g *gen) elementwiseOver(out *tir.Buffer, prefix []tir.Expr) tir.Stmt {
	dims := Dims(out.Shape)[len(prefix):]
	n := g.tile(dims, true)
	ivs, vars := g.iters("v", dims, tir.DataPar)
	at := append(append([]tir.Expr{}, prefix...), exprs(vars)...)
	r := g.block(ivs, n.bind, n.pred, g.point(out, at), func(b *tir.Block) {
		b.Body = g.store(out, at)
	})
	return n.around(r)
}

// store writes one element, in one of several ways.
func (g *gen) store(out *tir.Buffer, at []tir.Expr) tir.Stmt {
	put := func() tir.Stmt { return tir.Store(out, g.value(out.DType, 3), at...) }
	switch g.src.IntN(8) {
	case 0:
		return &tir.IfThenElse{Cond: g.cond(1), Then: put(), Else: put()}
	case 1:
		d := wide(out.DType)
		v := tir.NewVar(g.name("let"), d)
		return &tir.LetStmt{Var: v, Value: g.number(d, 2), Body: tir.Store(out, g.fold(out.DType, tir.Add(v, g.leaf(d))), at...)}
	case 2:
		return tir.Seq(put(), &tir.IfThenElse{Cond: g.cond(1), Then: put()})
	}
	return put()
}

// fold brings a number of a wide type into the range of elements of type d.
func (g *gen) fold(d dtype.DType, e tir.Expr) tir.Expr {
	switch {
	case d.IsBool():
		return tir.GT(e, tir.Const(e.DType(), 1))
	case d != e.DType() && d.IsInteger():
		return tir.CastTo(d, tir.FloorMod(e, tir.Const(e.DType(), 100)))
	}
	return tir.CastTo(d, e)
}

// reduction accumulates over one or two more dimensions.
func (g *gen) reduction(out *tir.Buffer) tir.Stmt {
	dims := Dims(out.Shape)
	rdims := []int64{g.between(1, 6), g.between(2, 3)}[:1+g.src.IntN(2)]
	sp, rd := g.tile(dims, true), g.tile(rdims, false)
	n := nest{loops: append(sp.loops, rd.loops...), bind: append(sp.bind, rd.bind...), pred: tir.And(sp.pred, rd.pred)}
	if g.one(4) { // reduction outermost
		n.loops = append(append([]*tir.For{}, rd.loops...), sp.loops...)
	}
	ivs, vars := g.iters("v", dims, tir.DataPar)
	rvs, rvars := g.iters("k", rdims, tir.CommReduce)
	at := exprs(vars)
	d := out.DType
	old := tir.Load(out, at...)
	r := g.block(append(ivs, rvs...), n.bind, n.pred, g.point(out, at), func(b *tir.Block) {
		b.Init = tir.Store(out, tir.Const(d, g.between(0, 2)), at...)
		w := wide(d)
		x := g.number(w, 2)
		if len(rvars) > 0 {
			x = tir.Add(x, tir.CastTo(w, rvars[0]))
		}
		op := []tir.BinaryOp{tir.OpAdd, tir.OpMax, tir.OpMin}[g.src.IntN(3)]
		b.Body = tir.Store(out, g.fold(d, tir.BinaryExpr(op, tir.CastTo(w, old), x)), at...)
	})
	return n.around(r)
}

// tiled computes out in blocks over its first dimension, each with a buffer of its own.
func (g *gen) tiled(out *tir.Buffer) tir.Stmt {
	dims := Dims(out.Shape)
	n := g.tile(dims[:1], true)
	ivs, vars := g.iters("t", dims[:1], tir.DataPar)
	rest := tir.FullRegion(out)
	rest.Region[0] = &tir.Range{Min: vars[0], Extent: g.imm(1)}
	r := g.block(ivs, n.bind, n.pred, rest, func(b *tir.Block) {
		cache := g.buffer("cache", []string{"", "local"}[g.src.IntN(2)])
		b.AllocBuffers = []*tir.Buffer{cache}
		fill := g.stage0(cache)
		g.ready = append(g.ready, cache)
		b.Body = tir.Seq(fill, g.elementwiseOver(out, []tir.Expr{vars[0]}))
		g.ready = g.ready[:len(g.ready)-1]
	})
	for _, l := range n.loops {
		if l.Kind == tir.Vectorized {
			l.Kind = tir.Serial
		}
	}
	return n.around(r)
}

// stage0 is a stage without buffers of its own.
func (g *gen) stage0(b *tir.Buffer) tir.Stmt {
	if g.one(3) && !b.DType.IsBool() {
		return g.reduction(b)
	}
	return g.elementwise(b)
}

// staging computes rows of out through rows of a buffer that the root block allocates: the
// passes move it into the loop and shrink it.
func (g *gen) staging(out *tir.Buffer) tir.Stmt {
	dims := Dims(out.Shape)
	buf := tir.NewBuffer(g.name("stage"), out.DType, out.Shape, "")
	lv := g.variable("row")
	row := func(b *tir.Buffer, value func(at []tir.Expr) tir.Expr) tir.Stmt {
		n := g.tile(dims[1:], true)
		ivs, vars := g.iters("v", dims, tir.DataPar)
		at := exprs(vars)
		return n.around(g.block(ivs, append([]tir.Expr{lv}, n.bind...), n.pred, g.point(b, at), func(blk *tir.Block) {
			blk.Body = tir.Store(b, value(at), at...)
		}))
	}
	fill := row(buf, func([]tir.Expr) tir.Expr { return g.value(buf.DType, 2) })
	use := row(out, func(at []tir.Expr) tir.Expr {
		g.read(buf)
		near := append([]tir.Expr{}, at...)
		if k := len(at) - 1; k > 0 && g.one(2) {
			near[k] = tir.Sub(g.imm(dims[k]-1), at[k])
		}
		x := tir.Expr(tir.Load(buf, near...))
		if out.DType.IsBool() {
			return tir.And(x, g.cond(1))
		}
		w := wide(out.DType)
		return g.fold(out.DType, tir.Add(tir.CastTo(w, x), g.leaf(w)))
	})
	g.root = append(g.root, buf)
	if g.one(4) {
		g.ready = append(g.ready, buf)
	}
	kind := []tir.ForKind{tir.Serial, tir.Serial, tir.Parallel, tir.Unrolled}[g.src.IntN(4)]
	return &tir.For{LoopVar: lv, Min: g.imm(0), Extent: g.imm(dims[0]), Kind: kind, Body: tir.Seq(fill, use)}
}
