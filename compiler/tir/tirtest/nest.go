package tirtest

import "github.com/irscope/irscope/compiler/tir"

// nest is a set of loops around a block.
type nest struct {
	loops []*tir.For // outermost first, without bodies
	bind  []tir.Expr // value of each iteration of the block
	pred  tir.Expr
}

// tile makes loops for dims: plain, split with or without a remainder, or two fused into
// one. Loops of spatial dimensions may run in any order and kind.
func (g *gen) tile(dims []int64, spatial bool) nest {
	n := nest{pred: tir.Bool(true)}
	loop := func(extent int64) *tir.Var {
		v := g.variable("i")
		n.loops = append(n.loops, &tir.For{LoopVar: v, Min: g.imm(0), Extent: g.imm(extent)})
		return v
	}
	for k := 0; k < len(dims); k++ {
		d := dims[k]
		switch {
		case k+1 < len(dims) && g.one(4):
			v, e := loop(d*dims[k+1]), g.imm(dims[k+1])
			n.bind = append(n.bind, tir.FloorDiv(v, e), tir.FloorMod(v, e))
			k++
		case d > 1 && g.one(3):
			f := g.between(2, d)
			o, i := loop((d+f-1)/f), loop(f)
			x := tir.Add(tir.Mul(o, g.imm(f)), i)
			n.bind = append(n.bind, x)
			if d%f != 0 {
				n.pred = tir.And(n.pred, tir.LT(x, g.imm(d)))
			}
		default:
			v := loop(d)
			if g.one(8) { // a loop that starts elsewhere
				l, lo := n.loops[len(n.loops)-1], g.between(1, 3)
				l.Min = g.imm(lo)
				n.bind = append(n.bind, tir.Sub(v, g.imm(lo)))
				continue
			}
			if g.one(10) { // and one of larger steps
				l := n.loops[len(n.loops)-1]
				l.Extent, l.Step = g.imm(2*d-1), g.imm(2)
				n.bind = append(n.bind, tir.FloorDiv(v, g.imm(2)))
				continue
			}
			n.bind = append(n.bind, v)
		}
	}
	if !spatial {
		for _, l := range n.loops {
			if g.one(4) {
				l.Kind = tir.Unrolled
			}
		}
		return n
	}
	for i := len(n.loops) - 1; i > 0 && g.one(3); i-- {
		j := g.src.IntN(i + 1)
		n.loops[i], n.loops[j] = n.loops[j], n.loops[i]
	}
	for i, l := range n.loops {
		switch g.src.IntN(6) {
		case 5:
			l.Kind = tir.Unrolled
		case 4:
			if i == len(n.loops)-1 {
				l.Kind = tir.Vectorized
			}
		case 3:
			if i == 0 {
				l.Kind = tir.Parallel
			}
		}
	}
	return n
}

// around puts s into the loops.
func (n *nest) around(s tir.Stmt) tir.Stmt {
	for i := len(n.loops) - 1; i >= 0; i-- {
		l := *n.loops[i]
		l.Body = s
		s = &l
	}
	return s
}

// iters makes iteration variables for dims.
func (g *gen) iters(s string, dims []int64, kind tir.IterKind) (ivs []*tir.IterVar, vars []*tir.Var) {
	for _, d := range dims {
		v := g.variable(s)
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: g.imm(0), Extent: g.imm(d)}, Var: v, Kind: kind})
		vars = append(vars, v)
	}
	return ivs, vars
}

func exprs(vars []*tir.Var) []tir.Expr {
	out := make([]tir.Expr, len(vars))
	for i, v := range vars {
		out[i] = v
	}
	return out
}

// block makes a block around what body returns; its reads are the full buffers that body
// reads, its writes region.
func (g *gen) block(ivs []*tir.IterVar, bind []tir.Expr, pred tir.Expr, writes *tir.BufferRegion, body func(b *tir.Block)) *tir.BlockRealize {
	outer := g.reads
	g.reads = nil
	b := &tir.Block{IterVars: ivs, Name: g.name("block"), Writes: []*tir.BufferRegion{writes}}
	var vars []*tir.Var
	for _, iv := range ivs {
		vars = append(vars, iv.Var)
	}
	b.Body = g.scoped(vars, func() tir.Stmt { body(b); return b.Body })
	for _, r := range g.reads {
		if local(b, r) {
			continue
		}
		b.Reads = append(b.Reads, tir.FullRegion(r))
	}
	inner := g.reads
	g.reads = outer
	for _, r := range inner {
		if !local(b, r) {
			g.read(r)
		}
	}
	return &tir.BlockRealize{Values: bind, Predicate: pred, Block: b}
}

// local reports whether b itself defines x.
func local(b *tir.Block, x *tir.Buffer) bool {
	for _, y := range b.AllocBuffers {
		if x == y {
			return true
		}
	}
	for _, m := range b.MatchBuffers {
		if m.Buffer == x {
			return true
		}
	}
	return false
}

// point is the region of one element.
func (g *gen) point(b *tir.Buffer, at []tir.Expr) *tir.BufferRegion {
	r := &tir.BufferRegion{Buffer: b}
	for _, e := range at {
		r.Region = append(r.Region, &tir.Range{Min: e, Extent: g.imm(1)})
	}
	return r
}
