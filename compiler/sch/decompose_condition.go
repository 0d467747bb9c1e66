package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// condition returns the condition under which the init runs: where a first step does, that is where the condition of the block holds in the first iteration of
// the loops that are gone. Of parts that need not hold there it is free, as TVM's is, where no one sees what the init stores then.
func (d *decomposition) condition(init *tir.BlockRealize, gone map[*tir.Var]bool) (tir.Expr, error) {
	an := arith.NewAnalyzer()
	first := map[*tir.Var]tir.Expr{}
	for _, l := range allLoops(d.at) {
		an.BindRange(l.LoopVar, rangeOf(l))
		if gone[l.LoopVar] {
			first[l.LoopVar] = l.Min
		}
	}
	var strict, loose tir.Expr = tir.Bool(true), tir.Bool(true) // with and without what may hold for none of the first steps
	later := d.s.rules                                          // whether that may hold for a later one, or is no condition of the init at all
	shared := map[*tir.Var]bool{}                               // what it uses
	for _, p := range tir.Conjuncts(nil, d.at.Realize().Predicate) {
		used := map[*tir.Var]bool{}
		varsOf(p, used)
		lost := slices.DeleteFunc(slices.Clone(d.inner), func(l *tir.For) bool { return !gone[l.LoopVar] || !used[l.LoopVar] })
		if len(lost) == 0 {
			strict, loose = tir.And(strict, p), tir.And(loose, p)
			continue
		}
		q := tir.SubstExpr(p, first)
		if an.CanProve(q) {
			continue
		}
		strict = tir.And(strict, an.Simplify(q))
		varsOf(p, shared)
		later = later || slices.ContainsFunc(lost, func(l *tir.For) bool { return !tir.IsConst(l.Extent, 1) })
	}
	if len(shared) == 0 || d.unseen(init, loose, shared, gone, an) {
		return loose, nil
	}
	if later {
		return nil, fmt.Errorf("a condition of block %s may hold for none of its first steps, but for later ones", d.at.Block().Name)
	}
	return strict, nil
}

// unseen reports whether the init may run under a condition although a sum that it begins may have no step: it writes an element that has no value yet, once, and
// within its buffer. Whether there is a step depends on the variables in shared.
func (d *decomposition) unseen(init *tir.BlockRealize, cond tir.Expr, shared, gone map[*tir.Var]bool, an *arith.Analyzer) bool {
	for _, w := range init.Block.Writes {
		if !slices.Contains(d.root.Block().AllocBuffers, w.Buffer) {
			return false
		}
		for _, iv := range init.Block.IterVars {
			one := func(r *tir.Range) bool { return r.Min == tir.Expr(iv.Var) && tir.IsConst(r.Extent, 1) }
			if !tir.IsConst(iv.Dom.Extent, 1) && !slices.ContainsFunc(w.Region, one) {
				return false
			}
		}
	}
	defer an.EnterConstraint(cond)()
	for i, iv := range init.Block.IterVars {
		v := init.Values[i]
		if arith.UsesVar(v, func(x *tir.Var) bool { return shared[x] }) && !an.CanProve(tir.And(tir.GE(v, iv.Dom.Min), tir.LT(v, tir.Add(iv.Dom.Min, iv.Dom.Extent)))) {
			return false
		}
	}
	loops := slices.DeleteFunc(d.at.loops(), func(l *tir.For) bool { return gone[l.LoopVar] })
	return repeating(init, loops) == nil
}
