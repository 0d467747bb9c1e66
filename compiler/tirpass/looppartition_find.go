package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// selection says which loops may be split: those whose variable is in a likely condition,
// and those that carry a hint.
type selection struct{ loops map[*tir.For]bool }

// selectLoops selects loops in s. hinted has the variables of loops that carry a hint; it adds those that it finds.
func selectLoops(s tir.Stmt, constLoops bool, hinted map[*tir.Var]bool) *selection {
	sel := &selection{loops: map[*tir.For]bool{}}
	used := map[*tir.Var]bool{}
	var loops []*tir.For
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.AttrStmt:
			if n.Key != keyPartitionHint || !tir.IsTrue(n.Value) {
				return true
			}
			switch v := n.Node.(type) {
			case *tir.Var:
				hinted[v] = true
			case *tir.IterVar:
				hinted[v.Var] = true
			}
		case *tir.For:
			if hint, ok := n.Annotations.Get(keyPartitionHint); ok && hint != false && hint != int64(0) {
				hinted[n.LoopVar] = true
			}
			loops = append(loops, n)
		case *tir.Call:
			if c, ok := tir.IsCallTo(n, tir.OpLikely); ok {
				arith.UsesVar(c, func(v *tir.Var) bool { used[v] = true; return false })
			}
		}
		return true
	})
	for _, l := range loops {
		_, c1 := tir.AsInt(l.Min)
		_, c2 := tir.AsInt(l.Extent)
		sel.loops[l] = hinted[l.LoopVar] || (constLoops || !c1 || !c2) && used[l.LoopVar]
	}
	return sel
}

// ignoresPartition reports whether e says of its argument that no loop is to be split for it.
func ignoresPartition(e tir.Expr) bool {
	c, ok := e.(*tir.Call)
	if !ok || len(c.Args) != 1 {
		return false
	}
	op, ok := c.Op.(*ir.Op)
	return ok && op.Name == "tir.ignore_loop_partition"
}

// condition has a value wherever the loop variable is in set.
type condition struct {
	expr  tir.Expr
	value bool
	set   arith.IntSet
}

// conditionFinder collects the conditions on v in a loop body, with the values of v for
// which they certainly hold or fail, whatever inner loops do.
type conditionFinder struct {
	v           *tir.Var
	hinted      bool
	hint, relax map[*tir.Var]arith.IntSet
	inside      map[*tir.Var]bool // variables defined in the body
	found       []condition
}

func newConditionFinder(s *tir.For, hinted bool, hint, relax map[*tir.Var]arith.IntSet) *conditionFinder {
	f := &conditionFinder{v: s.LoopVar, hinted: hinted, hint: hint, relax: relax, inside: map[*tir.Var]bool{s.LoopVar: true}}
	ir.Walk(s.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			f.inside[n.LoopVar] = true
		case *tir.LetStmt:
			f.inside[n.Var] = true
		case *tir.Let:
			f.inside[n.Var] = true
		case *tir.IterVar:
			f.inside[n.Var] = true
		}
		return true
	})
	return f
}

// note adds a condition if the ends of set are known before the loop starts.
func (f *conditionFinder) note(cond tir.Expr, value bool, set arith.IntSet) {
	for _, end := range [2]tir.Expr{set.Min, set.Max} {
		if end != nil && (arith.SideEffect(end) > tir.Pure || arith.UsesVar(end, func(v *tir.Var) bool { return f.inside[v] })) {
			return
		}
	}
	if !set.Empty {
		f.found = append(f.found, condition{cond, value, set})
	}
}

func (f *conditionFinder) walk(n ir.Node) {
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			f.loop(n)
			return false
		case *tir.Call:
			if c, ok := tir.IsCallTo(n, tir.OpLikely); ok {
				f.deduce(c.Args[0])
				return false
			}
			if ignoresPartition(n) {
				return false
			}
		case *tir.Binary:
			if f.hinted && n.Op.IsCompare() {
				f.deduce(n)
				return false
			}
		}
		return true
	})
}

// loop relaxes the variable of an inner loop, unless its bounds depend on outer ones.
func (f *conditionFinder) loop(s *tir.For) {
	outer := func(v *tir.Var) bool { _, ok := f.hint[v]; return ok }
	if arith.UsesVar(s.Min, outer) || arith.UsesVar(s.Extent, outer) {
		return
	}
	set := arith.Interval(s.Min, loopEnd(s))
	f.hint[s.LoopVar], f.relax[s.LoopVar] = set, set
	f.walk(s.Body)
	delete(f.hint, s.LoopVar)
	delete(f.relax, s.LoopVar)
}

func (f *conditionFinder) deduce(cond tir.Expr) {
	if b, ok := cond.(*tir.Binary); ok && b.Op == tir.OpAnd {
		f.deduce(b.A)
		f.deduce(b.B)
		return
	}
	b, ok := cond.(*tir.Binary)
	if !ok || !b.Op.IsCompare() || !arith.UsesVar(cond, func(v *tir.Var) bool { return v == f.v }) {
		return
	}
	set := arith.DeduceBound(f.v, cond, f.hint, f.relax)
	if set.Empty && b.Op == tir.OpEQ {
		set = arith.Intersect(arith.DeduceBound(f.v, tir.GE(b.A, b.B), f.hint, f.relax), arith.DeduceBound(f.v, tir.LE(b.A, b.B), f.hint, f.relax))
	}
	f.note(cond, true, set)
	inverse := map[tir.BinaryOp]tir.BinaryOp{
		tir.OpLT: tir.OpGE, tir.OpGE: tir.OpLT, tir.OpGT: tir.OpLE, tir.OpLE: tir.OpGT, tir.OpEQ: tir.OpNE, tir.OpNE: tir.OpEQ,
	}
	f.note(cond, false, arith.DeduceBound(f.v, tir.BinaryExpr(inverse[b.Op], b.A, b.B), f.hint, f.relax))
}
