package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// part is a block under construction with its loops, outermost first.
type part struct {
	t      *tiler
	name   string
	iters  []*tir.IterVar
	values []tir.Expr
	pred   tir.Expr // nil is true
	loops  []*tir.For
	sub    map[*tir.Var]tir.Expr // iteration variables of the old block
	origin ir.OriginID
	serial bool // no loop is unrolled
	// vec and lane are the place in the tile along the vectors: of a vector, and in it; nil without.
	vec, lane tir.Expr
}

func (t *tiler) part(name string) *part {
	return &part{t: t, name: t.names.fresh(t.b.Name + name), sub: map[*tir.Var]tir.Expr{}, origin: t.b.Origin}
}

func (p *part) loop(name string, extent tir.Expr, kind tir.ForKind) *tir.Var {
	if tir.IsConst(extent, 1) {
		return nil
	}
	l := p.t.loop(name, extent, kind)
	p.loops = append(p.loops, l)
	return l.LoopVar
}

// loop makes a loop without a body.
func (t *tiler) loop(name string, extent tir.Expr, kind tir.ForKind) *tir.For {
	return &tir.For{Base: t.b.Base, LoopVar: tir.NewVar(name, extent.DType()), Min: tir.Const(extent.DType(), 0), Extent: extent, Kind: kind}
}

// around puts statements into a loop.
func around(l *tir.For, body ...tir.Stmt) tir.Stmt {
	out := *l
	out.Body = tir.Seq(body...)
	return &out
}

// iter adds an iteration variable bound to value.
func (p *part) iter(name string, extent, value tir.Expr, kind tir.IterKind) *tir.Var {
	v := tir.NewVar(name, value.DType())
	p.iters = append(p.iters, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: extent}, Var: v, Kind: kind})
	p.values = append(p.values, value)
	return v
}

// old binds the k-th variable of the old block to value.
func (p *part) old(k int, value tir.Expr) {
	iv := p.t.b.IterVars[k]
	if n, ok := value.(*tir.IntImm); ok {
		p.sub[iv.Var] = n
		return
	}
	p.sub[iv.Var] = p.iter(iv.Var.Name, iv.Dom.Extent, value, iv.Kind)
	p.iters[len(p.iters)-1].Dom = iv.Dom
}

// place is the number of the tile.
func (a *axis) place() tir.Expr {
	if a.outer == nil {
		return tir.Const(a.extent.DType(), 0)
	}
	return a.outer
}

func orZero(v *tir.Var, like tir.Expr) tir.Expr {
	if v == nil {
		return tir.Const(like.DType(), 0)
	}
	return v
}

// inner adds the loops within a tile and returns the position of each axis in its tile, nil
// for axes without one. lanes is the loop over the lanes of one vector. Axes along which vectors are read are inside of others: these read one element for
// all lanes, which is then not needed again, so that it takes no register from the sums.
func (p *part) inner(vector bool) (pos []tir.Expr, lane tir.Expr) {
	t := p.t
	pos = make([]tir.Expr, len(t.axes))
	loops := func(axes []int, kind tir.ForKind) {
		for _, k := range axes {
			a := t.axes[k]
			if a.tile > 1 && k != t.spec.Vector {
				pos[k] = orZero(p.loop(t.b.IterVars[k].Var.Name+"_i", tir.Const(a.extent.DType(), a.tile), kind), a.extent)
			}
		}
	}
	rows, vectors := tir.Unrolled, tir.Unrolled
	if t.spec.Matrix {
		rows = tir.Serial
	}
	if p.serial {
		vectors = tir.Serial
	}
	loops(t.withVector(false), rows)
	loops(t.withVector(true), vectors)
	a := t.axes[t.spec.Vector]
	if vector && a.tile > 1 {
		d := a.extent.DType()
		step := orZero(p.loop("vec", tir.Const(d, a.tile/t.spec.Lanes), vectors), a.extent)
		lane = orZero(p.loop("lane", tir.Const(d, t.spec.Lanes), tir.Vectorized), a.extent)
		p.vec, p.lane = tir.Mul(step, tir.Const(d, t.spec.Lanes)), lane
		pos[t.spec.Vector] = tir.Add(p.vec, lane)
	}
	return pos, lane
}

// withVector lists the axes of the order that a load depends on together with the vector variable, or the others.
func (t *tiler) withVector(with bool) []int {
	var out []int
	for _, k := range t.order {
		found := false
		for _, l := range t.loads {
			found = found || loadUses(l, t.b.IterVars[k].Var) && loadUses(l, t.b.IterVars[t.spec.Vector].Var)
		}
		if found == with {
			out = append(out, k)
		}
	}
	return out
}

// at returns indices into the accumulators for positions in the tile.
func (p *part) at(pos []tir.Expr) []tir.Expr {
	t := p.t
	var out []tir.Expr
	for _, k := range t.tiled() {
		a := t.axes[k]
		out = append(out, p.iter("t_"+t.b.IterVars[k].Var.Name, tir.Const(a.extent.DType(), a.tile), pos[k], tir.DataPar))
	}
	if len(out) == 0 {
		out = []tir.Expr{tir.Int(0)}
	}
	return out
}

// tiled lists the axes of the accumulators: those with a tile, the vector last.
func (t *tiler) tiled() []int {
	var out []int
	for _, k := range t.order {
		if t.axes[k].tile > 1 && k != t.spec.Vector {
			out = append(out, k)
		}
	}
	if t.axes[t.spec.Vector].tile > 1 {
		out = append(out, t.spec.Vector)
	}
	return out
}

// build makes the nest: loops over tiles, in them the copies, the init, the updates and the
// block that writes.
func (t *tiler) build() (nest tir.Stmt, write *tir.Block) {
	t.acc = t.local("_local", t.value.DType())
	if t.spec.Run > 0 {
		t.sums = t.local("_sums", t.store.Buffer.DType)
	}

	if t.spec.Chunk > 0 {
		return t.buildChunks()
	}
	outer, level := t.tileLoops(0, len(t.spec.Order))
	bodies := bodiesOf(len(outer)) // what stands at each level before the next loop
	for _, l := range t.spec.Splat {
		n, lv := t.splat(l, level)
		bodies[lv] = append(bodies[lv], n)
	}
	for _, l := range t.spec.Pack {
		n, lv := t.pack(l, level)
		bodies[lv] = append(bodies[lv], n)
	}
	last := len(outer)
	switch {
	case len(t.spec.Slide) > 0:
		bodies[last] = append(bodies[last], t.slid()...)
	case t.sums != nil:
		bodies[last] = append(bodies[last], t.init(t.sums))
		bodies[last] = append(bodies[last], t.runs()...)
		t.acc = t.sums
	default:
		bodies[last] = append(bodies[last], t.init(t.acc))
		for _, u := range t.updates() {
			bodies[last] = append(bodies[last], t.update(u))
		}
	}
	results, write := t.write()
	bodies[last] = append(bodies[last], results...)
	return inLoops(outer, bodies), write
}

// local makes a buffer for the tile.
func (t *tiler) local(suffix string, d dtype.DType) *tir.Buffer {
	shape := []tir.Expr{}
	for _, k := range t.tiled() {
		shape = append(shape, tir.Const(t.axes[k].extent.DType(), t.axes[k].tile))
	}
	if len(shape) == 0 {
		shape = []tir.Expr{tir.Int(1)}
	}
	x := tir.NewBuffer(t.store.Buffer.Name+suffix, d, shape, "local")
	x.Base = t.b.Base
	t.allocs = append(t.allocs, x)
	return x
}

// inLoops puts loops into each other, and in front of each what stands there.
func inLoops(loops []*tir.For, bodies [][]tir.Stmt) tir.Stmt {
	for k := len(loops) - 1; k >= 0; k-- {
		bodies[k] = append(bodies[k], around(loops[k], bodies[k+1]...))
	}
	return tir.Seq(bodies[0]...)
}

// tileLoops are the loops over tiles and over blocks of them from one place in the order to another. level says of each axis how many of them determine it.
func (t *tiler) tileLoops(from, to int) (outer []*tir.For, level map[int]int) {
	level = map[int]int{}
	kind := tir.Serial
	loop := func(k int, suffix string, n tir.Expr) tir.Expr {
		if tir.IsConst(n, 1) {
			return tir.Const(n.DType(), 0)
		}
		l := t.loop(t.b.IterVars[k].Var.Name+suffix, n, kind)
		outer = append(outer, l)
		return l.LoopVar
	}
	for i := from; i < to; i++ {
		k := t.spec.Order[i]
		a := t.axes[k]
		if kind = tir.Serial; slices.Contains(t.spec.Parallel, i) {
			kind = tir.Parallel
		}
		n, suffix := a.tiles(), "_o"
		if a.tile == 1 {
			suffix = "_a"
		}
		all, _ := tir.AsInt(n)
		size := int64(0)
		if len(t.spec.Blocks) > 0 {
			size = min(t.spec.Blocks[k], all)
		}
		d := a.extent.DType()
		switch {
		case tir.IsConst(n, 1):
		case size == 0:
			a.outer = loop(k, suffix, n)
		case slices.Index(t.spec.Order, k) == i:
			a.block = loop(k, "_b", tir.Const(d, (all+size-1)/size))
			continue
		default:
			a.outer = tir.Add(tir.Mul(a.block, tir.Const(d, size)), loop(k, suffix, tir.Const(d, size)))
			if all%size != 0 { // the last block computes its last tile again
				a.outer = tir.Min(a.outer, tir.Const(d, all-1))
			}
		}
		level[k] = len(outer)
	}
	return outer, level
}

// outerOf binds all spatial variables to their tile and position.
func (p *part) spatial(pos []tir.Expr, clamp bool) {
	for k, a := range p.t.axes {
		if a.kind != tir.DataPar {
			continue
		}
		if s := p.t.slide; s != nil && k == s.k {
			p.column(pos[k])
			continue
		}
		v := a.base(a.place())
		if pos[k] != nil {
			v = tir.Add(v, pos[k])
		}
		if clamp {
			v = a.clamp(v)
		}
		p.old(k, v)
	}
}

// finish returns the block with its loops around it.
func (p *part) finish(body tir.Stmt) (tir.Stmt, *tir.Block) {
	base := p.t.b.Base
	base.Origin = p.origin
	b := &tir.Block{Base: base, IterVars: p.iters, Name: p.name, Body: body}
	b.Reads, b.Writes, _ = region.OfBlock(b, nil)
	if p.pred == nil {
		p.pred = tir.Bool(true)
	}
	var out tir.Stmt = &tir.BlockRealize{Base: b.Base, Values: p.values, Predicate: p.pred, Block: b}
	for k := len(p.loops) - 1; k >= 0; k-- {
		out = around(p.loops[k], out)
	}
	return out, b
}

// init is the nest that starts a tile, in accumulators or in the memory for the sums of chunks.
func (t *tiler) init(to *tir.Buffer) tir.Stmt {
	p := t.part("_init")
	p.serial = t.spec.Matrix
	pos, _ := p.inner(true)
	at := p.at(pos)
	if to == t.parts {
		at = append(p.tileAt(), at...)
	}
	p.spatial(pos, true)
	n, _ := p.finish(tir.Store(to, tir.CastTo(to.DType, tir.SubstExpr(t.start, p.sub)), at...))
	return n
}
