package lower

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// Tiles are registers of a target for whole matrices of words of four bytes, and what can be done with them.
type Tiles struct {
	// Registers is how many there are. Each has up to Rows rows of up to Words words, which are up to Distance bytes apart in memory.
	Registers, Rows, Words int
	Distance               int64
	// Shape says which rows and words the registers have in this function, before any of them is used. It returns false where they have others already.
	Shape func(shapes []TileShape) bool
	// Zero clears a register.
	Zero func(reg int)
	// Load and Store move the rows of a register, which lie distance bytes apart in memory.
	Load, Store func(reg int, at Access, distance int64)
	// Add adds to the word in row i and column j of sum the products of the bytes of the words in row i of x and in column j of y, modulo 2^32.
	Add func(sum, x, y int, signedX, signedY bool)
}

// TileShape is how many rows, and words in each, of a register are used; none where it is not.
type TileShape struct{ Rows, Words int }

// mostTileWork is how many products of registers a nest makes at most: they take a millisecond or so, in which it does not poll.
const mostTileWork = 1 << 17

// tileNest is a nest of loops that adds the products of two matrices of words to sums:
//
//	for steps...: for rows...: for columns...:
//	  sums[place : place+lanes] += dp4a(broadcast(x[...]), y[... : ...+lanes], 0)
//
// The places of x depend on steps and rows, those of y on steps and columns, and those of sums on rows and columns, by constants. Sums modulo 2^32 come out the same in any order.
type tileNest struct {
	steps []*tir.For // outermost first
	inner int        // that of them along which words of x lie side by side
	words int        // of it that are taken at a time
	rows  int        // of a register of sums
	lanes int

	store      *tir.BufferStore // what is in the innermost loop
	x, y, sums tileAccess
	results    []tileLoop // over rows and columns, as they are in the nest
	// down and across are where registers begin beside the first one: what is added to places of x and of sums, and to those of y and of sums.
	down, across []tilePlace
}

// tileAccess is what of a factor, or of the sums, is at a place. Everything is in words.
type tileAccess struct {
	buf      *tir.Buffer
	base     tir.Expr // the index where all rows and columns are 0
	signed   bool
	distance int64 // of rows of a register
}

type tilePlace struct{ factor, sums int64 }

// tileLoop is a loop of the nest with what it adds to places.
type tileLoop struct {
	loop       *tir.For
	extent     int64
	x, y, sums int64
}

// tileNestOf recognizes a nest, nil where it is none that registers of a target do.
func tileNestOf(s *tir.For, t *Tiles) *tileNest {
	loops, written, store := loopsDown(s)
	if store == nil {
		return nil
	}
	n := &tileNest{store: written}
	xi, yi, si, ok := n.product(store)
	if !ok || n.lanes > t.Words {
		return nil
	}
	list := tileLoops(loops)
	for _, a := range []struct {
		index tir.Expr
		to    *tileAccess
		by    func(*tileLoop) *int64
	}{
		{xi, &n.x, func(l *tileLoop) *int64 { return &l.x }}, {yi, &n.y, func(l *tileLoop) *int64 { return &l.y }}, {si, &n.sums, func(l *tileLoop) *int64 { return &l.sums }},
	} {
		if !steps(a.index, list, int64(a.to.buf.DType.Lanes), a.by) {
			return nil
		}
		a.to.base = a.index
	}
	var rows, columns []tileLoop
	n.inner = -1
	for _, l := range list {
		switch {
		case l.sums == 0:
			if l.x == 1 && l.y > 0 {
				n.inner = len(n.steps)
				n.y.distance = l.y
				n.words = divisorUpTo(l.extent, int64(t.Words))
			}
			n.steps = append(n.steps, l.loop)
			continue
		case l.sums > 0 && l.x > 0 && l.y == 0:
			rows = append(rows, l)
		case l.sums > 0 && l.x == 0 && l.y >= 0:
			columns = append(columns, l)
		default:
			return nil
		}
	}
	if n.inner < 0 || len(rows) == 0 || !ownSums(slices.Concat(rows, columns), int64(n.lanes)) {
		return nil
	}
	n.results = slices.Concat(rows, columns)
	for _, a := range []*tileAccess{&n.x, &n.y, &n.sums} {
		a.base = first(a.base, n.results)
	}
	last := rows[len(rows)-1]
	n.rows = divisorUpTo(last.extent, int64(t.Rows))
	n.x.distance, n.sums.distance = last.x, last.sums
	if max(n.x.distance, n.y.distance, n.sums.distance)*wordBytes > t.Distance {
		return nil
	}
	rows[len(rows)-1].extent /= int64(n.rows)
	rows[len(rows)-1].x *= int64(n.rows)
	rows[len(rows)-1].sums *= int64(n.rows)
	n.down = tilePlaces(rows, t.Registers, func(l tileLoop) int64 { return l.x })
	n.across = tilePlaces(columns, t.Registers, func(l tileLoop) int64 { return l.y })
	work := int64(len(n.down) * len(n.across))
	for _, l := range n.steps {
		m, _ := tir.AsInt(l.Extent)
		if work *= m; work > mostTileWork*int64(n.words) {
			return nil
		}
	}
	if !n.fits(t) {
		return nil
	}
	return n
}

// first is an index in the first turn of some loops.
func first(index tir.Expr, loops []tileLoop) tir.Expr {
	zero := map[*tir.Var]tir.Expr{}
	for _, l := range loops {
		v := l.loop.LoopVar
		zero[v] = tir.Const(v.DType(), 0)
	}
	return arith.SimplifyAlone(tir.SubstExpr(index, zero))
}

// startsFrom reports whether a statement makes all sums of the nest zero, and does nothing else.
func (n *tileNest) startsFrom(before tir.Stmt) bool {
	s, ok := before.(*tir.For)
	if !ok {
		return false
	}
	loops, _, store := loopsDown(s)
	if store == nil || store.Buffer != n.sums.buf || !zeros(store.Value) || int(store.Value.DType().Lanes) != n.lanes {
		return false
	}
	index, ok := firstOf(store.Buffer, store.Indices[0])
	list := tileLoops(loops)
	if !ok || !steps(index, list, int64(store.Buffer.DType.Lanes), func(l *tileLoop) *int64 { return &l.sums }) {
		return false
	}
	return sameTurns(list, n.results) && tir.Equal(first(index, list), n.sums.base)
}

// sameTurns reports whether loops go to the same sums.
func sameTurns(a, b []tileLoop) bool {
	turns := func(list []tileLoop) (out [][2]int64) {
		for _, l := range list {
			if l.extent > 1 {
				out = append(out, [2]int64{l.sums, l.extent})
			}
		}
		slices.SortFunc(out, func(x, y [2]int64) int { return cmp.Compare(x[0], y[0]) })
		return out
	}
	return slices.Equal(turns(a), turns(b))
}

// tileLoops lists loops with their extents.
func tileLoops(loops []*tir.For) []tileLoop {
	list := make([]tileLoop, len(loops))
	for k, l := range loops {
		list[k].loop = l
		list[k].extent, _ = tir.AsInt(l.Extent)
	}
	return list
}

// loopsDown are the loops from s inwards that hold nothing but each other, with the store that is in the last one, and the same with indices and a value that use no variables of bindings between
// the loops; nil if there is something else.
func loopsDown(s *tir.For) (loops []*tir.For, last, store *tir.BufferStore) {
	lets := map[*tir.Var]tir.Expr{}
	for at := tir.Stmt(s); ; {
		switch x := at.(type) {
		case *tir.For:
			if n, ok := tir.AsInt(x.Extent); !ok || n < 1 || !tir.IsConst(x.Min, 0) || x.Step != nil || x.Kind == tir.ThreadBinding {
				return nil, nil, nil
			}
			loops = append(loops, x)
			at = x.Body
		case *tir.LetStmt:
			if arith.SideEffect(x.Value) > tir.ReadState {
				return nil, nil, nil
			}
			lets[x.Var] = tir.SubstExpr(x.Value, lets)
			at = x.Body
		case *tir.BufferStore:
			if x.Predicate != nil || len(x.Indices) != 1 {
				return nil, nil, nil
			}
			return loops, x, tir.Store(x.Buffer, tir.SubstExpr(x.Value, lets), tir.SubstExpr(x.Indices[0], lets))
		default:
			return nil, nil, nil
		}
	}
}

// product recognizes the store of a nest, and returns the first index, in elements of their buffers, of what it touches of the factors and the sums.
func (n *tileNest) product(s *tir.BufferStore) (x, y, sums tir.Expr, ok bool) {
	add, isAdd := s.Value.(*tir.Binary)
	if !isAdd || add.Op != tir.OpAdd {
		return nil, nil, nil, false
	}
	a, b := add.A, add.B
	if _, isLoad := a.(*tir.BufferLoad); !isLoad {
		a, b = b, a
	}
	before, ok1 := a.(*tir.BufferLoad)
	c, ok2 := tir.IsCallTo(b, tir.OpDp4a)
	if !ok1 || !ok2 || before.Buffer != s.Buffer || len(s.Buffer.Strides) > 0 || before.Predicate != nil || len(before.Indices) != 1 || !tir.Equal(before.Indices[0], s.Indices[0]) || !zeros(c.Args[2]) {
		return nil, nil, nil, false
	}
	for _, f := range [][2]tir.Expr{{c.Args[0], c.Args[1]}, {c.Args[1], c.Args[0]}} {
		spread, ok := f[0].(*tir.Broadcast)
		if !ok {
			continue
		}
		one, ok1 := spread.Value.(*tir.BufferLoad)
		row, ok2 := f[1].(*tir.BufferLoad)
		if !ok1 || !ok2 || !word(one) || !word(row) || one.Buffer.DType.Lanes != 1 || spread.Lanes != int(row.DType().Lanes) {
			return nil, nil, nil, false
		}
		n.x, n.y, n.sums = tileAccess{buf: one.Buffer, signed: one.DType().IsInt()}, tileAccess{buf: row.Buffer, signed: row.DType().IsInt()}, tileAccess{buf: s.Buffer}
		n.lanes = spread.Lanes
		y, ok1 := firstOf(row.Buffer, row.Indices[0])
		sums, ok2 := firstOf(s.Buffer, s.Indices[0])
		return one.Indices[0], y, sums, ok1 && ok2
	}
	return nil, nil, nil, false
}

// word reports whether a load reads words at one index, under no condition.
func word(l *tir.BufferLoad) bool {
	d := l.DType()
	return d.IsInteger() && d.Bits == 32 && l.Predicate == nil && len(l.Indices) == 1 && len(l.Buffer.Strides) == 0
}

// zeros reports whether an expression is zero in all lanes.
func zeros(e tir.Expr) bool {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	return tir.IsConst(e, 0)
}

// firstOf is the index of the first of elements that lie side by side.
func firstOf(b *tir.Buffer, e tir.Expr) (tir.Expr, bool) {
	switch e := e.(type) {
	case *tir.Ramp:
		return e.Start, tir.IsConst(e.Stride, 1) && b.DType.Lanes == 1
	default:
		return e, e.DType().Lanes == 1
	}
}

// steps finds what each loop adds to an index, in words; false where that is not constant. Elements of the buffer have so many lanes.
func steps(index tir.Expr, loops []tileLoop, lanes int64, by func(*tileLoop) *int64) bool {
	vars := make([]*tir.Var, len(loops))
	for k, l := range loops {
		vars[k] = l.loop.LoopVar
	}
	coeffs, _, ok := arith.DetectLinearEquation(index, vars)
	if !ok {
		return false
	}
	for k, c := range coeffs {
		n, ok := tir.AsInt(arith.SimplifyAlone(c))
		if !ok {
			return false
		}
		*by(&loops[k]) = n * lanes
	}
	return true
}

// ownSums reports whether all turns of some loops have sums of their own.
func ownSums(loops []tileLoop, lanes int64) bool {
	loops = slices.Clone(loops)
	slices.SortFunc(loops, func(a, b tileLoop) int { return cmp.Compare(a.sums, b.sums) })
	least := lanes
	for _, l := range loops {
		if l.extent == 1 {
			continue
		}
		if l.sums < least {
			return false
		}
		least = l.sums * l.extent
	}
	return true
}

// divisorUpTo is the largest divisor of n up to most.
func divisorUpTo(n, most int64) int {
	d := min(n, most)
	for n%d != 0 {
		d--
	}
	return int(d)
}

// tilePlaces are where all turns of some loops begin; more than some where there are so many.
func tilePlaces(loops []tileLoop, most int, factor func(tileLoop) int64) []tilePlace {
	out := []tilePlace{{}}
	for _, l := range loops {
		before := out
		out = nil
		for _, p := range before {
			for i := range l.extent {
				out = append(out, tilePlace{p.factor + i*factor(l), p.sums + i*l.sums})
				if len(out) > most {
					return out
				}
			}
		}
	}
	return out
}

// fits reports whether registers hold the sums, all of one factor, and one at least of the other.
func (n *tileNest) fits(t *Tiles) bool {
	sums := len(n.down) * len(n.across)
	return sums+min(len(n.down), len(n.across))+1 <= t.Registers
}
