package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ranges returns the ranges of loops by variable.
func ranges(loops []*tir.For) map[*tir.Var]*tir.Range {
	out := make(map[*tir.Var]*tir.Range, len(loops))
	for _, l := range loops {
		out[l.LoopVar] = rangeOf(l)
	}
	return out
}

func rangeOf(l *tir.For) *tir.Range { return &tir.Range{Min: l.Min, Extent: l.Extent} }

// bindings returns what the iteration variables of a block are bound to.
func bindings(r *tir.BlockRealize) map[*tir.Var]tir.Expr {
	out := make(map[*tir.Var]tir.Expr, len(r.Values))
	for i, iv := range r.Block.IterVars {
		out[iv.Var] = r.Values[i]
	}
	return out
}

// affine reports whether the bindings of a block are an iteration map of the loops, of which each begins with a unit scale (TVM's IsAffineBinding).
func affine(r *tir.BlockRealize, loops []*tir.For) bool {
	if len(loops) == 0 {
		return true
	}
	an := arith.NewAnalyzer()
	for _, l := range loops {
		an.BindRange(l.LoopVar, rangeOf(l))
	}
	res := arith.DetectIterMap(r.Values, ranges(loops), r.Predicate, arith.Surjective, an, false)
	if len(res.Indices) == 0 {
		return false
	}
	for _, sum := range res.Indices {
		if len(sum.Args) > 0 && !tir.IsConst(sum.Args[0].Scale, 1) {
			return false
		}
	}
	return true
}

// isAffine reports whether the block is bound affinely to the loops of its scope. A condition on the steps of a sum only leaves some out: parts of sums, of which rfactor
// made some shorter, are bound affinely to all of them.
func (p site) isAffine() bool {
	if _, ok := p.up(); !ok {
		return len(p.Block().IterVars) == 0
	}
	r, loops := p.Realize(), p.loops()
	if affine(r, loops) {
		return true
	}
	all := ofResults(r, loops)
	return all != r.Predicate && affine(r.WithPredicate(all), loops)
}

// ofResults returns the condition of a block without what is about the steps of a sum.
func ofResults(r *tir.BlockRealize, loops []*tir.For) tir.Expr {
	if r.Block.Init == nil || tir.IsTrue(r.Predicate) {
		return r.Predicate
	}
	steps := map[*tir.Var]bool{}
	for i, iv := range r.Block.IterVars {
		if iv.Kind == tir.CommReduce {
			varsOf(r.Values[i], steps)
		}
	}
	inLoops := func(v *tir.Var) bool { return steps[v] && loopOf(loops, v) != nil }
	var out tir.Expr = tir.Bool(true)
	for _, p := range tir.Conjuncts(nil, r.Predicate) {
		if !arith.UsesVar(p, inLoops) {
			out = tir.And(out, p)
		}
	}
	if tir.Equal(out, r.Predicate) {
		return r.Predicate
	}
	return out
}

// checkAffine returns an error if the bindings of a block are not affine in the loops of its scope, nor in those below high, which may be nil.
func (s *State) checkAffine(at site, high *tir.For) error {
	if at.isAffine() {
		return nil
	}
	msg := "The block {0} is required to have an affine binding"
	if high != nil {
		loops := at.loops()
		for i, l := range loops {
			if l == high {
				loops = loops[i+1:]
				break
			}
		}
		if affine(at.Realize(), loops) {
			return nil
		}
		msg = "The block {0} is required to have an partial affine binding under " + high.LoopVar.Name
	}
	return s.fail("NotAffineBindingError", msg, at.Block())
}

// checkIndependent returns an error for a block that runs on a diagonal of its domain only, since one loop moves several of its variables: loops of
// their own would run it everywhere. TVM does not look.
func (s *State) checkIndependent(at site) error {
	for _, l := range at.loops() {
		n := 0
		for _, e := range at.Realize().Values {
			if usesVar(e, l.LoopVar) {
				n++
			}
		}
		if n > 1 && !at.isAffine() {
			return s.fail("NotIndependentError", "The loop {0} moves several variables of block {1}, which do not run over their domains one by one", l, at.Block())
		}
	}
	return nil
}

// usesVar reports whether e uses v.
func usesVar(e tir.Expr, v *tir.Var) bool {
	return arith.UsesVar(e, func(x *tir.Var) bool { return x == v })
}

// varsOf returns the variables that an expression uses.
func varsOf(e ir.Node, into map[*tir.Var]bool) {
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			into[v] = true
		}
		return true
	})
}

// substRegions replaces variables in regions.
func substRegions(list []*tir.BufferRegion, sub map[*tir.Var]tir.Expr) []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		out[i] = substRegion(r, sub)
	}
	return out
}

func substRegion(r *tir.BufferRegion, sub map[*tir.Var]tir.Expr) *tir.BufferRegion {
	region := make([]*tir.Range, len(r.Region))
	for k, x := range r.Region {
		region[k] = &tir.Range{Base: x.Base, Min: tir.SubstExpr(x.Min, sub), Extent: tir.SubstExpr(x.Extent, sub)}
	}
	return r.WithRegion(region)
}

// checkClosed returns an error if a block uses the variable of a loop around it other than through its own variables: it cannot leave the loop.
func (s *State) checkClosed(at site) error {
	used := map[*tir.Var]bool{}
	varsOf(at.Block(), used)
	for _, l := range at.loops() {
		if used[l.LoopVar] {
			return s.fail("OpaqueLoopVariableError", "The block {0} uses the variable of loop {1} without a block variable that is bound to it, so that it cannot leave the loop", at.Block(), l)
		}
	}
	return nil
}
