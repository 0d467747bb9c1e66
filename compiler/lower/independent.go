package lower

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Turns of a loop may run side by side where none touches what another one writes. That is proved for loops of this form, which is that of kernels: every access
// to memory that the loop writes, and that is not a turn's own, lies at
//
//	turn*stride + (terms that the loop does not change) + rest
//
// in bytes, where stride is the same number and the unchanged terms are the same sum for all accesses to this memory. All rests lie in a few windows, and no window of
// one turn touches one of another turn: each turn has pieces of the memory for itself. What only depends on variables of inner loops counts for the rest, with the
// bounds that arith finds. All else is taken for dependent.
//
// Cost: n log n in the size of the loop.

// Independent reports whether the turns of a loop may run in any order and at the same time, and write the same to memory. noAlias says that buffers of different
// parameters do not overlap; variables, which allocations are kept in variables, of which each turn may have its own.
func (e *Effects) Independent(loop *tir.For, noAlias bool, variables func(*tir.Var) bool) bool {
	eff := e.Loops[loop]
	if !noAlias || eff == nil || eff.Jumps || eff.cells || !stepsByOne(loop) {
		return false
	}
	t := &turns{
		effects: e, turn: loop.LoopVar, a: arith.NewAnalyzer(), stored: eff.writes,
		inner: map[*tir.Var]bool{}, own: map[*tir.Var]bool{}, lets: map[*tir.Var]*form{}, pieces: map[*tir.Var]*piece{},
		variables: variables, written: written{}, uses: map[*tir.Var]int{},
	}
	t.each = t.visit
	t.visit(loop.Body)
	turns := int64(math.MaxInt64)
	if n, known := tir.AsInt(loop.Extent); known {
		turns = n
	}
	return !t.dependent && t.keeps() && t.disjoint(turns)
}

func stepsByOne(loop *tir.For) bool { return loop.Step == nil || tir.IsConst(loop.Step, 1) }

// turns reads the body of a loop.
type turns struct {
	effects   *Effects
	turn      *tir.Var
	a         *arith.Analyzer
	stored    map[*tir.Var]bool
	inner     map[*tir.Var]bool  // variables that the body binds
	own       map[*tir.Var]bool  // pointers to memory that one turn has for itself
	lets      map[*tir.Var]*form // nil where the value has no form
	terms     []term
	pieces    map[*tir.Var]*piece
	dependent bool
	each      func(ir.Node) // visit

	variables func(*tir.Var) bool
	written   written          // in variables that the loop stores to
	uses      map[*tir.Var]int // of these
}

// piece is what one turn touches through a pointer.
type piece struct {
	at      *form // without rest
	windows []window
	views   bool // it is also reached through another pointer
}

// window is a run of bytes from lo to hi, the last one.
type window struct{ lo, hi int64 }

// mostWindows bounds the windows of a piece: more are taken for one.
const mostWindows = 32

// disjoint reports whether the pieces of turns do not overlap, of which there are so many.
func (t *turns) disjoint(turns int64) bool {
	for _, p := range t.pieces {
		if p.views || p.at.turn == 0 || !apart(joined(p.windows), max(p.at.turn, -p.at.turn), turns) {
			return false
		}
	}
	return true
}

// joined makes windows that touch one.
func joined(ws []window) []window {
	slices.SortFunc(ws, func(a, b window) int { return cmp.Compare(a.lo, b.lo) })
	out := ws[:1:1]
	for _, w := range ws[1:] {
		if last := &out[len(out)-1]; w.lo <= last.hi+1 {
			last.hi = max(last.hi, w.hi)
		} else {
			out = append(out, w)
		}
	}
	if len(out) > mostWindows {
		return []window{{out[0].lo, out[len(out)-1].hi}}
	}
	return out
}

// apart reports whether windows do not touch those that lie d strides further on, for any d from 1 to before turns.
func apart(ws []window, stride, turns int64) bool {
	for _, a := range ws {
		for _, b := range ws {
			// d*stride is at least b.lo-a.hi and at most b.hi-a.lo where they touch.
			if first := max(1, ceilDiv(b.lo-a.hi, stride)); first < turns && first*stride <= b.hi-a.lo {
				return false
			}
		}
	}
	return true
}

// ceilDiv is a/b rounded up, for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// visit reads a node.
func (t *turns) visit(n ir.Node) {
	if t.dependent {
		return
	}
	switch n := n.(type) {
	case *tir.For:
		t.dependent = t.dependent || n.Kind == tir.ThreadBinding
		t.visit(n.Min)
		t.visit(n.Extent)
		t.inner[n.LoopVar] = true
		t.a.BindRange(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
		if t.surely(n) {
			t.visit(n.Body)
		} else {
			t.maybe(n.Body)
		}
		return
	case *tir.While:
		t.visit(n.Cond)
		t.maybe(n.Body)
		return
	case *tir.IfThenElse:
		t.conditional(n)
		return
	case *tir.LetStmt:
		t.bind(n.Var, n.Value)
		t.visit(n.Body)
		return
	case *tir.Let:
		t.bind(n.Var, n.Value)
		t.visit(n.Body)
		return
	case *tir.Allocate:
		t.own[n.Var] = true
	case *tir.AllocateConst:
		t.own[n.Var] = true
	case *tir.BufferStore:
		n.EachChild(t.each)
		t.access(n.Buffer, n.Indices, true)
		return
	case *tir.BufferLoad:
		t.access(n.Buffer, n.Indices, false)
	case *tir.Call:
		t.call(n)
	case *tir.Block, *tir.BlockRealize, *tir.BufferRealize:
		t.dependent = true
	}
	n.EachChild(t.each)
}

// bind notes what a variable stands for. A pointer is another's, which nothing follows here, or to a workspace.
func (t *turns) bind(v *tir.Var, value tir.Expr) {
	t.visit(value)
	t.inner[v] = true
	if v.DType().IsHandle() {
		_, fresh := tir.IsCallTo(value, tir.OpAllocWorkspace)
		t.own[v] = fresh
		t.dependent = t.dependent || !fresh
		return
	}
	t.lets[v] = t.form(value)
}

// call refuses what may do more than read, but for requests of memory and what ends the kernel with an error.
func (t *turns) call(c *tir.Call) {
	if op, ok := c.Op.(*ir.Op); ok {
		switch op.Name {
		case tir.OpAllocWorkspace.Name, tir.OpFreeWorkspace.Name, tir.OpThrowLastError.Name, tir.OpAssume.Name:
			return
		case tir.OpAddressOf.Name, tir.OpRet.Name:
			t.dependent = true
			return
		}
	}
	if e := tir.CallEffect(c); e != tir.Pure && e != tir.ReadState {
		t.dependent = t.dependent || !flowsInside(c)
	}
}

// flowsInside reports whether a call leaves or goes on with a loop within the one that is read: Effects.Jumps speaks of this one.
func flowsInside(c *tir.Call) bool {
	op, ok := c.Op.(*ir.Op)
	return ok && (op.Name == tir.OpBreakLoop.Name || op.Name == tir.OpContinueLoop.Name)
}

// access adds an access to the piece of its pointer, where the loop stores through it.
func (t *turns) access(b *tir.Buffer, indices []tir.Expr, store bool) {
	if t.own[b.Data] || !t.storesTo(b.Data) {
		return
	}
	if t.variables(b.Data) {
		t.variable(b, indices, store)
		return
	}
	if len(indices) != 1 || len(b.Strides) != 0 || b.DType.Bits < 8 && !b.DType.IsBool() {
		t.dependent = true
		return
	}
	elem := int64(1)
	if !b.DType.IsBool() {
		elem = int64(b.DType.Elem().Bytes())
	}
	if b.DType.IsHandle() {
		elem = 8
	}
	width := elem * int64(b.DType.Lanes)
	f := t.form(indices[0])
	if f != nil {
		f = f.scale(width)
	}
	if f != nil && b.ElemOffset != nil {
		if off := t.form(b.ElemOffset); off == nil {
			f = nil
		} else {
			f = f.add(off.scale(elem), 1)
		}
	}
	if f == nil {
		t.dependent = true
		return
	}
	p := t.pieces[b.Data]
	if p == nil {
		p = &piece{at: f, views: t.effects.roots[b.Data] != nil}
		t.pieces[b.Data] = p
	}
	p.windows = append(p.windows, window{f.lo, f.hi + width - 1})
	t.dependent = t.dependent || f.turn != p.at.turn || !maps.Equal(f.outer, p.at.outer)
}

// storesTo reports whether the loop stores to the memory of a pointer.
func (t *turns) storesTo(v *tir.Var) bool {
	if t.stored[v] {
		return true
	}
	root := t.effects.root(v)
	for w := range t.stored {
		if t.effects.root(w) == root {
			return true
		}
	}
	return false
}

// root follows pointers that are bound to other pointers.
func (e *Effects) root(v *tir.Var) *tir.Var {
	for n := 0; n <= len(e.roots); n++ {
		w, ok := e.roots[v]
		if !ok || w == v {
			return v
		}
		v = w
	}
	return v
}
