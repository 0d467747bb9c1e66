package tirtest

import "github.com/irscope/irscope/compiler/tir"

// viewed computes rows of out through match_buffer: out is written through a view of one
// row, and another buffer may be read through a view of a part.
func (g *gen) viewed(out *tir.Buffer) tir.Stmt {
	dims := Dims(out.Shape)
	n := g.tile(dims[:1], true)
	for _, l := range n.loops {
		if l.Kind == tir.Vectorized {
			l.Kind = tir.Serial
		}
	}
	ivs, vars := g.iters("r", dims[:1], tir.DataPar)
	rest := tir.FullRegion(out)
	rest.Region[0] = &tir.Range{Min: vars[0], Extent: g.imm(1)}
	r := g.block(ivs, n.bind, n.pred, rest, func(b *tir.Block) {
		shape := out.Shape
		if g.one(2) && len(shape) > 1 {
			shape = shape[1:]
		} else {
			shape = append([]tir.Expr{g.imm(1)}, shape[1:]...)
		}
		view := g.view("view", out, shape)
		b.MatchBuffers = []*tir.MatchBufferRegion{{Buffer: view, Source: rest}}
		ready := g.ready
		if src := g.pick(func(x *tir.Buffer) bool { return x != out }); src != nil && g.one(2) {
			part := &tir.BufferRegion{Buffer: src}
			var ext []tir.Expr
			for _, d := range Dims(src.Shape) {
				lo := g.between(0, d-1)
				e := g.imm(g.between(1, d-lo))
				part.Region = append(part.Region, &tir.Range{Min: g.imm(lo), Extent: e})
				ext = append(ext, e)
			}
			m := g.view("part", src, ext)
			b.MatchBuffers = append(b.MatchBuffers, &tir.MatchBufferRegion{Buffer: m, Source: part})
			g.ready = append(ready[:len(ready):len(ready)], m)
			g.read(src)
		}
		b.Body = g.elementwise(view)
		g.ready = ready
	})
	return n.around(r)
}

// view makes a buffer for match_buffer, with variables for its strides and its offset.
func (g *gen) view(s string, of *tir.Buffer, shape []tir.Expr) *tir.Buffer {
	v := tir.NewBuffer(g.name(s), of.DType, shape, of.Scope())
	for range shape {
		v.Strides = append(v.Strides, g.variable("s"))
	}
	v.ElemOffset = g.variable("off")
	return v
}

// imperative fills out by plain loops in one block, with a while loop that counts in memory.
func (g *gen) imperative(out *tir.Buffer) tir.Stmt {
	dims := Dims(out.Shape)
	return g.block(nil, nil, tir.Bool(true), tir.FullRegion(out), func(b *tir.Block) {
		n := g.tile(dims, true)
		vars := make([]*tir.Var, len(n.loops))
		for i, l := range n.loops {
			vars[i] = l.LoopVar
		}
		body := g.scoped(vars, func() tir.Stmt {
			if g.one(3) && n.loops[len(n.loops)-1].Kind == tir.Serial {
				return g.counting(b, out, n.bind)
			}
			return g.store(out, n.bind)
		})
		if !tir.IsTrue(n.pred) {
			body = &tir.IfThenElse{Cond: n.pred, Then: body}
		}
		for i, l := range n.loops {
			if l.Kind == tir.Parallel && len(b.AllocBuffers) > 0 || l.Kind == tir.Vectorized && i < len(n.loops)-1 {
				l.Kind = tir.Serial // the counter is shared
			}
		}
		b.Body = n.around(body)
	})
}

// counting stores at an element for a number of times, counted in a buffer of b.
func (g *gen) counting(b *tir.Block, out *tir.Buffer, at []tir.Expr) tir.Stmt {
	cnt := tir.NewBuffer(g.name("cnt"), g.index, []tir.Expr{g.imm(1)}, "")
	b.AllocBuffers = append(b.AllocBuffers, cnt)
	zero := g.imm(0)
	c := tir.Load(cnt, zero)
	return tir.Seq(
		tir.Store(cnt, zero, zero),
		tir.Store(out, g.value(out.DType, 1), at...),
		&tir.While{Cond: tir.LT(c, g.imm(g.between(0, 3))), Body: tir.Seq(
			tir.Store(out, g.value(out.DType, 2), at...),
			tir.Store(cnt, tir.Add(c, g.imm(1)), zero),
		)},
	)
}
