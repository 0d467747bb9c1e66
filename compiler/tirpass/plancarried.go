package tirpass

import (
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// maxCarriedTests bounds the pairs of a read and a write that one question looks at.
const maxCarriedTests = 1 << 10

// carries reports whether an iteration of the loop may read what an earlier one wrote to b:
// then all iterations need the same memory. All accesses to b must be inside of the loop.
//
// It is enough that each read of b either finds what a write before it in the same iteration
// left (covered), or never meets an element that any write reaches in an earlier iteration
// (apart). Iterations that run at once, each with memory of its own, carry nothing.
func (c *carriers) carries(loop tir.Stmt, b *tir.Buffer) bool {
	if f, ok := loop.(*tir.For); ok && (independent(f, b) || runsOnce(f)) {
		return false
	}
	var reads, writes []*bufferAccess
	for _, a := range c.accesses[b] {
		if a.at.find(loop) == nil {
			return true // not where it was expected: take no risk
		}
		if a.write {
			writes = append(writes, a)
		} else {
			reads = append(reads, a)
		}
	}
	if len(reads)*len(writes) > maxCarriedTests {
		return true
	}
	for _, r := range reads {
		if c.coveredByOne(loop, b, r, writes) {
			continue
		}
		for _, w := range writes {
			if !c.apart(loop, w, r) {
				return true
			}
		}
	}
	return false
}

// independent reports whether the iterations of f run at once, each with memory of its own
// for b: what one of them writes no other can wait for.
func independent(f *tir.For, b *tir.Buffer) bool {
	switch f.Kind {
	case tir.Parallel:
		return true
	case tir.ThreadBinding:
		if strings.HasPrefix(tagOf(f), "blockIdx.") {
			return b.Scope() != "global"
		}
		return strings.HasPrefix(b.Scope(), "local") || strings.HasPrefix(b.Scope(), "wmma.")
	}
	return false
}

func runsOnce(f *tir.For) bool {
	n, ok := tir.AsInt(f.Extent)
	return ok && n <= 1
}

// find returns the scope of a loop, nil if s is not inside of it.
func (s *accessScope) find(loop tir.Stmt) *accessScope {
	for ; s != nil; s = s.up {
		if s.stmt == loop && s.kind <= whileScope {
			return s
		}
	}
	return nil
}

// known returns an analyzer that knows the ranges of the loops around s and, with conds, the
// conditions that hold there.
func (s *accessScope) known(conds bool) *arith.Analyzer {
	var chain []*accessScope
	for ; s != nil; s = s.up {
		chain = append(chain, s)
	}
	an := arith.NewAnalyzer()
	for i := len(chain) - 1; i >= 0; i-- {
		switch x := chain[i]; x.kind {
		case loopScope:
			an.BindRange(x.loop.LoopVar, x.dom)
		case condScope:
			if conds && size(x.cond) <= maxCarriedExpr && !readsMemory(x.cond) {
				an.EnterConstraint(x.cond)
			}
		}
	}
	return an
}

// apart reports whether r never reads in one iteration of the loop what w writes in an
// earlier one: in some dimension all that w writes is below all that r reads, or above.
func (c *carriers) apart(loop tir.Stmt, w, r *bufferAccess) bool {
	f, ok := loop.(*tir.For)
	if !ok || w.region == nil || r.region == nil {
		return false
	}
	scope := w.at.find(loop)
	ws, rs := c.sets(scope, w), c.sets(scope, r)
	an := scope.known(false)
	// The variable of the loop is the iteration of w; r is in one at least one step further.
	ahead := tir.NewVar("ahead", f.LoopVar.DType())
	an.UpdateBound(ahead, arith.Bound{Min: 1, Max: arith.PosInf})
	later := map[*tir.Var]tir.Expr{f.LoopVar: tir.Add(f.LoopVar, ahead)}
	below := func(x, y tir.Expr) bool {
		x, y = tir.MatchTypes(x, y)
		return an.CanProve(tir.LT(x, y))
	}
	for i, x := range ws {
		y := rs[i]
		if x.HasUpper() && y.HasLower() && below(x.Max, tir.SubstExpr(y.Min, later)) ||
			x.HasLower() && y.HasUpper() && below(tir.SubstExpr(y.Max, later), x.Min) {
			return true
		}
	}
	return false
}

// sets returns what a accesses in one iteration of the loop of scope, over its variable and
// those outside of it.
func (c *carriers) sets(scope *accessScope, a *bufferAccess) []arith.IntSet {
	dom := map[*tir.Var]arith.IntSet{}
	for v := range c.lets {
		dom[v] = arith.Everything()
	}
	var inner []*accessScope
	for s := a.at; s != scope; s = s.up {
		if s.kind == loopScope {
			inner = append(inner, s)
		}
	}
	for i := len(inner) - 1; i >= 0; i-- { // an outer one may bound an inner one
		dom[inner[i].loop.LoopVar] = arith.EvalSetRange(inner[i].dom, dom)
	}
	return arith.EvalSetRegion(a.region, dom)
}

// coveredByOne reports whether one of the writes covers r.
func (c *carriers) coveredByOne(loop tir.Stmt, b *tir.Buffer, r *bufferAccess, writes []*bufferAccess) bool {
	if c.jumps {
		return false
	}
	for _, w := range writes {
		if w.exact && (c.covered(loop, b, r, w, false) || c.covered(loop, b, r, w, true)) {
			return true
		}
	}
	return false
}

// covered reports whether each element that r reads was written by w before, in the same
// iteration of the loop. It solves for the iteration of the loops around w alone that writes
// the element, and proves that it is one, and that the conditions of w hold in it. Loops
// around both are in the same iteration; with first those whose variable no index of w uses
// are in their first one, as where a reduction starts. Where one iteration of w writes several elements at once, r
// must read as many.
func (c *carriers) covered(loop tir.Stmt, b *tir.Buffer, r, w *bufferAccess, first bool) bool {
	fork, before := split(w.at, r.at)
	if !before || fork.find(loop) == nil {
		return false
	}
	value := map[*tir.Var]tir.Expr{} // of the variables around w in the iteration sought
	own := map[*tir.Var]*tir.Range{}
	var doms []*accessScope
	var conds []tir.Expr
	end := fork
	if first {
		end = fork.find(loop)
	}
	for s := w.at; s != end; s = s.up {
		switch s.kind {
		case whileScope:
			return false
		case condScope:
			conds = append(conds, s.cond)
		case loopScope:
			if s.loop.Step != nil && !tir.IsConst(s.loop.Step, 1) {
				return false
			}
			switch {
			case s.depth > fork.depth:
				own[s.loop.LoopVar] = s.dom
			case !usedIn(w.region, s.loop.LoopVar):
				value[s.loop.LoopVar] = s.dom.Min
			default:
				continue
			}
			doms = append(doms, s)
		}
	}
	if first && len(value) == 0 {
		return false // the same question again
	}
	for s := r.at; s != fork; s = s.up {
		if s.kind == loopScope && own[s.loop.LoopVar] != nil {
			return false // two loops with one variable
		}
	}
	an := r.at.known(true)
	point, of := c.point(b, r, w, an)
	if !solve(w.region, point, own, value, an) {
		return false
	}
	prove := func(cond tir.Expr) bool {
		if size(cond) > maxCarriedExpr || readsMemory(cond) || first && c.usesLet(cond) {
			return false
		}
		cond = an.Simplify(tir.SubstExpr(cond, value))
		return an.CanProve(cond) || an.CanProve(tir.SubstExpr(cond, of))
	}
	for i, x := range w.region {
		if !tir.IsConst(x.Extent, 1) && (r.region == nil || !sameExtent(r.region[i].Extent, x.Extent)) {
			return false
		}
		at := tir.SubstExpr(x.Min, value)
		if first && c.usesLet(at) {
			return false
		}
		at, to := tir.MatchTypes(at, point[i])
		if !an.CanProveEqual(at, to) && !an.CanProveEqual(dividedDigits(an, tir.SubstExpr(at, of)), tir.SubstExpr(to, of)) {
			return false
		}
	}
	for _, s := range doms {
		v := tir.Expr(s.loop.LoopVar)
		lo, hi := tir.CastTo(v.DType(), s.dom.Min), tir.CastTo(v.DType(), tir.Add(s.dom.Min, s.dom.Extent))
		if !prove(tir.GE(v, lo)) || !prove(tir.LT(v, hi)) {
			return false
		}
	}
	for _, cond := range conds {
		if !prove(cond) {
			return false
		}
	}
	return true
}

// split returns the innermost scope around two statements, and whether the first one runs
// before the second whenever that runs.
func split(w, r *accessScope) (fork *accessScope, before bool) {
	var wu, ru *accessScope // below the fork
	for w != r {
		switch {
		case r == nil || w != nil && w.depth > r.depth:
			wu, w = w, w.up
		case w == nil || r.depth > w.depth:
			ru, r = r, r.up
		default:
			wu, w, ru, r = w, w.up, r, r.up
		}
	}
	before = wu != nil && ru != nil && wu.kind == stepScope && ru.kind == stepScope && wu.stmt == ru.stmt && wu.index < ru.index
	return w, before
}

// point returns an element that r reads: a variable for each dimension. Those that stand for
// an index are in of with their value: what is solved for them simplifies to them again,
// which it need not do for a longer expression. The others are any of several elements, in of as a distance from the first. Where w writes as many at once
// as r reads, the first of them stands for all.
func (c *carriers) point(b *tir.Buffer, r, w *bufferAccess, an *arith.Analyzer) (point []tir.Expr, of map[*tir.Var]tir.Expr) {
	of = map[*tir.Var]tir.Expr{}
	for i, n := range b.Shape {
		dom := &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n}
		if r.region != nil {
			dom = r.region[i]
		}
		v := tir.NewVar("at", dom.Min.DType())
		if r.region != nil && sameExtent(dom.Extent, w.region[i].Extent) {
			of[v] = dom.Min
			an.UpdateBound(v, an.ConstIntBound(dom.Min))
		} else {
			an.BindRange(v, dom)
			if !tir.IsConst(dom.Min, 0) {
				d := tir.NewVar("d", dom.Min.DType())
				an.BindRange(d, &tir.Range{Min: tir.Const(d.DType(), 0), Extent: dom.Extent})
				of[v] = tir.Add(dom.Min, d)
			}
		}
		point = append(point, v)
	}
	return point, of
}

// dividedDigits simplifies e, with a digit of a sum, as (16*x + y) % 32 // 16, written as one of what is left of it by the division: x % 2.
func dividedDigits(an *arith.Analyzer, e tir.Expr) tir.Expr {
	return an.Simplify(tir.RewriteExpr(an.Simplify(e), func(e tir.Expr) tir.Expr {
		div, ok := e.(*tir.Binary)
		if !ok || div.Op != tir.OpFloorDiv {
			return e
		}
		mod, ok := div.A.(*tir.Binary)
		if !ok || mod.Op != tir.OpFloorMod {
			return e
		}
		n, isN := tir.AsInt(mod.B)
		c, isC := tir.AsInt(div.B)
		if !isN || !isC || c <= 0 || n <= 0 || n%c != 0 {
			return e
		}
		return tir.FloorMod(tir.FloorDiv(mod.A, div.B), tir.Const(e.DType(), n/c))
	}))
}

func sameExtent(a, b tir.Expr) bool {
	n, ok := tir.AsInt(a)
	return ok && tir.IsConst(b, n)
}

// solve finds the values of the variables in own for which the region is at point, and adds
// them to value. Those that no index uses are at their minimum.
func solve(region []*tir.Range, point []tir.Expr, own map[*tir.Var]*tir.Range, value map[*tir.Var]tir.Expr, an *arith.Analyzer) bool {
	iters := map[*tir.Var]*tir.Range{}
	for v, dom := range own {
		if usedIn(region, v) {
			iters[v] = dom
		}
	}
	var indices, outputs []tir.Expr
	for i, x := range region {
		if arith.UsesVar(x.Min, func(v *tir.Var) bool { return iters[v] != nil }) {
			indices, outputs = append(indices, x.Min), append(outputs, tir.CastTo(x.Min.DType(), point[i]))
		}
	}
	if len(indices) > 0 {
		m := arith.DetectIterMap(indices, iters, nil, arith.NoCheck, an, true)
		if len(m.Indices) != len(indices) {
			return false
		}
		found, err := arith.InverseAffineIterMap(m.Indices, outputs)
		if err != nil {
			return false
		}
		for v, e := range found {
			value[v] = tir.CastTo(v.DType(), e)
		}
	}
	for v, dom := range own {
		if value[v] == nil {
			value[v] = tir.CastTo(v.DType(), dom.Min)
		}
	}
	return true
}

func usedIn(region []*tir.Range, v *tir.Var) bool {
	for _, x := range region {
		if arith.UsesVar(x.Min, func(y *tir.Var) bool { return y == v }) {
			return true
		}
	}
	return false
}

func (c *carriers) usesLet(e tir.Expr) bool {
	return arith.UsesVar(e, func(v *tir.Var) bool { return c.lets[v] })
}
