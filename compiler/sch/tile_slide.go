package sch

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// Windows that lie along an axis of the results and overlap have columns in common. A tile reduces each column once, and then those of each result:
//
//	for y in 28: for x_o in 4:
//	  columns[9] = -inf
//	  for r in 3: for j in 9: columns[j] = max(columns[j], X[y + r, x_o*7 + j])
//	  for x in 7: acc[x] = columns[x]
//	  for c in 1..2: for x in 7: acc[x] = max(acc[x], columns[x + c])
//
// A sum adds its terms in another order then, as where lanes reduce.
//
// Where the windows lie along the vectors, those of columns are as they lie in memory, and lanes of them are picked for the results: once for each column of a window, and not for each element. The
// last vector of columns starts earlier, so that none lies beyond those of the last result:
//
//	for y in 28: for x_o in 4:
//	  for r in 3: for j in 48: columns[j] = max(columns[j], X[y*2 + r, x_o*32 + (j < 32 ? j : j - 15)])
//	  for x in 16: acc[x] = max(columns[x*2], columns[x*2 + 1], columns[x*2 + 2 (+ 15 for the last one)])

// slide says that results share columns, while a tile is built.
type slide struct {
	k, r int   // the axis of the results and the reduction over columns
	step int64 // columns from one result to the next
	tile *axis // the axis k of the results
	// apart is how many columns lie in vectors before the last one, which holds again of them once more; 0 where vectors do not run along the columns.
	apart, again int64
}

// Slides returns by how many columns the window moves on from one result along iteration variable k to the next, where reduction variable r is the column in a window: what the block
// combines is the same for the next result and so many columns less. It is 0 where there are no such columns, or windows do not meet.
func Slides(b *tir.Block, k, r int) int64 {
	_, value, _, ok := Combiner(b)
	if !ok {
		return 0
	}
	return SlidesIn(b, k, r, value)
}

// SlidesIn is Slides for a part of what the block combines: expressions in its iteration variables.
func SlidesIn(b *tir.Block, k, r int, parts ...tir.Expr) int64 {
	n, known := tir.AsInt(b.IterVars[r].Dom.Extent)
	if !known {
		return 0
	}
	return movesBy(b, k, r, n-1, parts)
}

// MovesBy is Slides where windows may also lie side by side.
func MovesBy(b *tir.Block, k, r int) int64 {
	_, value, _, ok := Combiner(b)
	n, known := tir.AsInt(b.IterVars[r].Dom.Extent)
	if !ok || !known {
		return 0
	}
	return movesBy(b, k, r, n, []tir.Expr{value})
}

// movesBy is SlidesIn for windows that lie most columns apart at most.
func movesBy(b *tir.Block, k, r int, most int64, parts []tir.Expr) int64 {
	v, c := b.IterVars[k].Var, b.IterVars[r].Var
	uses := func(x *tir.Var) bool {
		return slices.ContainsFunc(parts, func(e tir.Expr) bool { return arith.UsesVar(e, func(y *tir.Var) bool { return x == y }) })
	}
	if v.DType() != c.DType() || !uses(v) || !uses(c) {
		return 0
	}
	an := arith.NewAnalyzer()
	for step := int64(1); step <= most; step++ {
		moved := map[*tir.Var]tir.Expr{v: tir.Add(v, tir.Const(v.DType(), 1)), c: tir.Sub(c, tir.Const(c.DType(), step))}
		if !slices.ContainsFunc(parts, func(e tir.Expr) bool { return !arith.Equal(an.Simplify(tir.SubstExpr(e, moved)), an.Simplify(e)) }) {
			return step
		}
	}
	return 0
}

// checkSlide checks that columns can be shared, if that is asked for.
func (t *tiler) checkSlide() error {
	s := t.spec.Slide
	if len(s) == 0 {
		return nil
	}
	if len(s) != 2 || slices.ContainsFunc(s, func(k int) bool { return k < 0 || k >= len(t.axes) }) || t.axes[s[0]].kind != tir.DataPar || t.axes[s[1]].kind == tir.DataPar {
		return t.fail("columns are shared along a spatial variable, and reduced over another one")
	}
	k, r := s[0], s[1]
	v, c := t.b.IterVars[k].Var.Name, t.b.IterVars[r].Var.Name
	switch {
	case t.dot || t.axes[k].symbolic:
		return t.fail("columns cannot be shared along %s, along which the last tile is cut off, or where lanes reduce", v)
	case t.spec.Run > 0 || t.spec.Chunk > 0 || len(t.spec.Splat)+len(t.spec.Pack) > 0:
		return t.fail("columns cannot be shared where sums are taken in runs or chunks, or a load is copied")
	case !neutral(t.op, t.start):
		return t.fail("its init is not neutral, so that columns cannot start from it")
	case t.columnStep() == 0:
		return t.fail("what it combines does not depend on %s and %s through the place of a column only", v, c)
	}
	return nil
}

// columnStep is how many columns lie from one result to the next.
func (t *tiler) columnStep() int64 {
	if k := t.spec.Slide[0]; k == t.spec.Vector {
		return MovesBy(t.b, k, t.spec.Slide[1])
	}
	return Slides(t.b, t.spec.Slide[0], t.spec.Slide[1])
}

// slid is the nests of a tile whose results share columns: they reduce the columns, and then the columns of each result.
func (t *tiler) slid() []tir.Stmt {
	k, r := t.spec.Slide[0], t.spec.Slide[1]
	n, _ := tir.AsInt(t.b.IterVars[r].Dom.Extent)
	step := t.columnStep()
	c := *t
	c.slide = &slide{k: k, r: r, step: step, tile: t.axes[k]}
	wide := *t.axes[k]
	wide.tile = (max(wide.tile, 1)-1)*step + n
	if rest := wide.tile % t.spec.Lanes; k == t.spec.Vector && rest > 0 {
		c.slide.apart, c.slide.again = wide.tile-rest, t.spec.Lanes-rest
		wide.tile += c.slide.again
	}
	c.axes = slices.Clone(t.axes)
	c.axes[k] = &wide
	not := func(x int) bool { return x == r }
	c.spec.Reduce = slices.DeleteFunc(slices.Clone(t.spec.Reduce), not)
	c.spec.Unroll = slices.DeleteFunc(slices.Clone(t.spec.Unroll), not)
	c.acc = c.local("_columns", t.value.DType())
	var out []tir.Stmt
	if c.startsFromFirst() {
		out = []tir.Stmt{c.update(stepsOf{name: "_start", factor: 1, first: true}), c.update(stepsOf{name: "_update", factor: 1, rest: true})}
	} else {
		out = []tir.Stmt{c.init(c.acc)}
		for _, u := range c.updates() {
			out = append(out, c.update(u))
		}
	}
	t.names, t.allocs = c.names, c.allocs
	return append(out, t.gather(&c, "_first", 1, 0), t.gather(&c, "_gather", n-1, 1))
}

// startsFromFirst reports whether a reduction with one variable, that is unrolled, starts from its first value: a minimum or maximum does that starts from the largest or the
// smallest value that there is.
func (t *tiler) startsFromFirst() bool {
	some := slices.DeleteFunc(slices.Clone(t.spec.Reduce), func(k int) bool { return tir.IsConst(t.axes[k].extent, 1) })
	if len(some) != 1 || !t.unrolled(some[0]) {
		return false
	}
	return extreme(t.op, t.start)
}

// extreme reports whether minima or maxima of e and any value are that value.
func extreme(op tir.BinaryOp, e tir.Expr) bool {
	sign := 1
	if op == tir.OpMax {
		sign = -1
	} else if op != tir.OpMin {
		return false
	}
	switch e := e.(type) {
	case *tir.FloatImm:
		return math.IsInf(e.Value, sign)
	case *tir.IntImm:
		least := int64(math.MinInt64) >> (64 - e.Type.Bits)
		return !e.Type.IsUInt() && !e.Type.IsBool() && (sign < 0 && e.Value == least || sign > 0 && e.Value == -1-least)
	}
	return false
}

// gather combines some columns of each result, from one on; the first one is the result so far.
func (t *tiler) gather(c *tiler, name string, columns, from int64) tir.Stmt {
	k, r := c.slide.k, c.slide.r
	p := t.part(name)
	d := t.b.IterVars[r].Var.DType()
	column := tir.Expr(tir.Const(d, from))
	if from > 0 {
		extent := tir.Const(d, columns)
		column = tir.Add(p.iter(t.b.IterVars[r].Var.Name, extent, orZero(p.loop(t.b.IterVars[r].Var.Name+"_u", extent, tir.Unrolled), extent), tir.CommReduce), column)
	}
	pos, _ := p.inner(true)
	at := p.at(pos)
	index := slices.Clone(at)
	place := slices.Index(t.tiled(), k)
	if place < 0 { // one result
		place = slices.Index(c.tiled(), k)
		index = at[:len(t.tiled())]
		index = slices.Insert(slices.Clone(index), place, tir.Expr(tir.Const(d, 0)))
	}
	index[place] = c.slide.inArray(tir.Add(tir.Mul(index[place], tir.Const(index[place].DType(), c.slide.step)), column))
	p.spatial(pos, true) // it is of the tile under way
	value := tir.Expr(tir.Load(c.acc, index...))
	if from > 0 {
		value = t.with(tir.Load(t.acc, at...), value)
	}
	n, _ := p.finish(tir.Store(t.acc, value, at...))
	return n
}

// inArray is where a column is in the array, the last vector of which may start earlier.
func (s *slide) inArray(column tir.Expr) tir.Expr {
	if s.again == 0 {
		return column
	}
	d := column.DType()
	return tir.Add(column, tir.Mul(tir.FloorDiv(column, tir.Const(d, s.apart)), tir.Const(d, s.again)))
}

// column binds the variables of a column: its place stands for the reduction variable at the first result.
func (p *part) column(pos tir.Expr) {
	s := p.t.slide
	iv, a, r := p.t.b.IterVars[s.r], s.tile, p.t.axes[s.r]
	d := iv.Var.DType()
	times := func(e tir.Expr) tir.Expr { return tir.Mul(e, tir.Const(d, s.step)) }
	v := tir.Add(times(a.base(a.place())), r.offset)
	if s.again > 0 { // the last vector starts earlier
		pos = tir.Add(tir.Min(p.vec, tir.Const(p.vec.DType(), s.apart-s.again)), p.lane)
	}
	if pos != nil {
		v = tir.Add(v, pos)
	}
	dom := p.t.b.IterVars[s.k].Dom
	n := tir.Add(times(tir.Sub(dom.Extent, tir.Const(d, 1))), iv.Dom.Extent)
	p.sub[p.t.b.IterVars[s.k].Var] = tir.Const(d, 0)
	p.sub[iv.Var] = p.iter(iv.Var.Name, n, v, tir.DataPar)
	p.iters[len(p.iters)-1].Dom = &tir.Range{Min: arith.SimplifyAlone(tir.Add(times(dom.Min), iv.Dom.Min)), Extent: arith.SimplifyAlone(n)}
}
