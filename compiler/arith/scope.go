package arith

import "github.com/irscope/irscope/compiler/tir"

// maxFacts bounds the conditions that are assumed at one time. Each expression is compared with
// all of them.
const maxFacts = 256

// EnterConstraint assumes cond until exit is called. Scopes must be left in the reverse
// order of entering them. Where more is assumed than can be looked through, cond is ignored.
func (a *Analyzer) EnterConstraint(cond tir.Expr) (exit func()) { return a.enter(cond, false) }

// enter is EnterConstraint of a condition that may be simple already.
func (a *Analyzer) enter(cond tir.Expr, simple bool) (exit func()) {
	if _, ok := cst(cond); ok || parts(cond, maxFacts-len(a.rw.literals)) < 0 {
		return func() {}
	}
	a.settled = false
	a.begin()
	bounds, sets, literals := len(a.boundInfos), len(a.setInfos), len(a.rw.literals)
	scoped := len(a.known.scoped)
	saved, gen := a.memo, a.gen
	a.memo = memo{}
	a.boundConstraints(cond)
	undoModular := a.modularConstraints(cond)
	a.rw.constrain(cond, simple)
	a.setConstraints(cond)
	a.known.add(cond)
	a.memo = memo{} // answers found on the way knew only part of the constraint
	a.end()
	a.settled = false
	return func() {
		a.settled = false
		a.boundInfos = a.boundInfos[:bounds]
		a.setInfos = a.setInfos[:sets]
		a.rw.literals = a.rw.literals[:literals]
		a.known.scoped = a.known.scoped[:scoped]
		if undoModular != nil {
			undoModular()
		}
		a.memo = memo{}
		if a.gen == gen {
			a.memo = saved
		}
	}
}

// With runs f while cond is assumed.
func (a *Analyzer) With(cond tir.Expr, f func()) {
	exit := a.EnterConstraint(cond)
	defer exit()
	f()
}

// conjuncts calls f for each part of a tree of &&.
func conjuncts(cond tir.Expr, f func(tir.Expr)) {
	if b := bin(cond); b.Op == tir.OpAnd {
		conjuncts(b.A, f)
		conjuncts(b.B, f)
		return
	}
	f(cond)
}

// parts returns room less the parts of a tree of &&, which are counted until there is no room.
func parts(cond tir.Expr, room int) int {
	for room >= 0 {
		b := bin(cond)
		if b.Op != tir.OpAnd {
			return room - 1
		}
		room = parts(b.B, room)
		cond = b.A
	}
	return room
}

// normalizeBool pushes a negation into a simplified condition and turns > and >= around.
func normalizeBool(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Binary:
		switch e.Op {
		case tir.OpGT:
			return ltOf(e.B, e.A)
		case tir.OpGE:
			return leOf(e.B, e.A)
		}
	case *tir.Not:
		switch x := e.A.(type) {
		case *tir.Not:
			return normalizeBool(x.A)
		case *tir.Binary:
			switch x.Op {
			case tir.OpOr:
				return andOf(normalizeBool(notOf(x.A)), normalizeBool(notOf(x.B)))
			case tir.OpAnd:
				return orOf(normalizeBool(notOf(x.A)), normalizeBool(notOf(x.B)))
			}
			if e := inverse(x); e != nil {
				return e
			}
		}
	}
	return e
}
