package arith

import (
	"github.com/irscope/irscope/compiler/tir"
)

// The rewrite simplifier applies rules such as (x + c1) // c2 => x // c2 + c1 // c2 if c1 % c2 == 0,
// bottom up: the operands first, then the rules of the operator, in TVM's order, until one matches. The
// rules are the lines of rules/*.rules, see rules.go; their conditions may ask the bounds, the modular sets
// and the conditions in scope for what they need. What remains in rewrite_*.go is how nodes are visited.
//
// Termination does not follow from the rules, some of which undo others on purpose. It is forced: the
// result of a rule is simplified again at most maxRecur levels deep, and every visit spends a step of the
// analyzer's budget, beyond which expressions are returned as they are. Correctness does not depend on
// that, since each rule alone is an equality.
//
// Conditions that are assumed (constrain) are kept simplified as literals, each with its negation in
// normal form, so that asking whether one of them decides an expression is a comparison and no proof.
//
// The order of the rules is observable: expressions that TVM prints after its passes come out the same
// here only if the same rule wins. After TVM's src/arith/rewrite_simplify.cc.

// simplifier rewrites expressions bottom-up by rules. The canonical one sums up index
// arithmetic instead (canonical*.go) and uses the rules for everything else.
type simplifier struct {
	a         *Analyzer
	canonical bool
	vars      map[*tir.Var]tir.Expr
	literals  []tir.Expr // conditions known to be true
	recur     int
	mapper    *tir.Mapper
	room      sumRoom // of the canonical one
	branches  int     // conditions under way whose sides are assumed for each other
	plain     int     // conditions under way that are simplified to be assumed
}

// maxRecur bounds rewriting the result of a rewrite again.
const maxRecur = 5

// run simplifies e as a whole.
func (s *simplifier) run(e tir.Expr) tir.Expr {
	out := s.visit(e)
	if s.canonical || out == e {
		return out
	}
	// A rule high up may leave operands that no rule has seen. TVM, too, stops after two rounds.
	return s.visit(out)
}

func (s *simplifier) bind(v *tir.Var, e tir.Expr) {
	if s.vars == nil {
		s.vars = map[*tir.Var]tir.Expr{}
	}
	s.vars[v] = e
}

// constrain adds the parts of cond, simplified unless it is simple, to the conditions that are true.
func (s *simplifier) constrain(cond tir.Expr, simple bool) {
	if !simple {
		cond = s.run(cond)
	}
	conjuncts(cond, func(e tir.Expr) {
		if SideEffect(e) > tir.Pure {
			return
		}
		s.literals = append(s.literals, e)
		if e.DType().IsBool() {
			s.literals = append(s.literals, notOf(normalizeBool(notOf(e))))
		}
	})
}

// literal returns the truth of e if a condition in scope states it, else nil.
func (s *simplifier) literal(e tir.Expr) tir.Expr {
	for _, l := range s.literals {
		if Equal(l, e) {
			return truth(e.DType(), true)
		}
		if n, ok := l.(*tir.Not); ok && Equal(n.A, e) {
			return truth(e.DType(), false)
		}
		if n, ok := e.(*tir.Not); ok && Equal(n.A, l) {
			return truth(e.DType(), false)
		}
	}
	return nil
}

// again simplifies the result of a rewrite, a bounded number of times inside each other.
func (s *simplifier) again(e tir.Expr) tir.Expr {
	s.a.settled = false
	if s.recur >= maxRecur {
		return e
	}
	s.recur++
	e = s.visit(e)
	s.recur--
	return e
}

// visit simplifies e and everything in it.
func (s *simplifier) visit(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm, nil:
		return e
	case *tir.Var:
		return s.visitVar(x)
	case *tir.Binary:
		if s.canonical {
			return s.collected(e)
		}
		if isLeaf(x.A) && isLeaf(x.B) {
			return s.visitNode(x)
		}
	}
	memo := &s.a.memo.rw
	if s.canonical {
		return s.collected(e)
	}
	if out, ok := memo.Get(e); ok {
		return out
	}
	gen := s.a.gen
	out := s.visitNode(e)
	if s.a.gen == gen {
		memo.Put(e, out)
	}
	return out
}

// collected brings e, a whole sum or something else, to canonical form.
func (s *simplifier) collected(e tir.Expr) tir.Expr {
	out := s.mutate(e).expr()
	if s.a.Trace != nil {
		if b := bin(e); b.Op <= tir.OpFloorMod && !Equal(out, e) {
			s.a.rewrote(ruleCollect, e, out)
		}
	}
	return out
}

func isLeaf(e tir.Expr) bool {
	switch e.(type) {
	case *tir.Var, *tir.IntImm:
		return true
	}
	return false
}

func (s *simplifier) visitVar(v *tir.Var) tir.Expr {
	if v.DType().IsBool() {
		if t := s.literal(v); t != nil {
			return t
		}
	}
	if e, ok := s.vars[v]; ok {
		return e
	}
	return v
}
