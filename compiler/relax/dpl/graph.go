package dpl

import (
	"slices"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Match finds a variable for each pattern of c among those that the bindings bind or use: each matches its pattern, no two patterns match one, and the
// relations hold. It returns nil if there is no such choice, or no relation. Patterns are tried on the variables in the order in which these are
// used first; the search goes back where a choice turns out wrong, and gives up after maxTried choices. Each choice is a step of work, as are those of Match.
func (c *Context) Match(bindings []relax.Binding, ctx *relax.InferContext, work *budget.Budget) map[Pattern]*relax.Var {
	s := &search{c: c, infer: ctx, work: work, bound: Bindings{}, users: map[*relax.Var][]*relax.Var{}, operands: map[*relax.Var][]*relax.Var{}, known: map[pairing]bool{}, of: map[Pattern]*relax.Var{}, taken: map[*relax.Var]bool{}}
	for _, b := range bindings {
		s.bound[b.Bound()] = b.BoundValue()
		eachUsed(b.BoundValue(), func(v *relax.Var) {
			if s.users[v] == nil {
				s.vars = append(s.vars, v)
			}
			if !slices.Contains(s.users[v], b.Bound()) {
				s.users[v] = append(s.users[v], b.Bound())
			}
			s.operands[b.Bound()] = append(s.operands[b.Bound()], v)
		})
	}
	if !s.plan() || len(s.steps) == 0 || !s.step(0) {
		return nil
	}
	return s.of
}

// maxTried bounds the choices of a search, which can be exponentially many.
const maxTried = 1 << 22

// eachUsed calls f for each use of a variable in e, in order.
func eachUsed(e relax.Expr, f func(*relax.Var)) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Var:
			f(n)
		case relax.StructInfo, tir.Expr:
			return false
		}
		return true
	})
}

// search is the state of Match.
type search struct {
	c        *Context
	infer    *relax.InferContext
	work     *budget.Budget
	bound    Bindings
	vars     []*relax.Var // that are used
	users    map[*relax.Var][]*relax.Var
	operands map[*relax.Var][]*relax.Var // each use
	known    map[pairing]bool            // whether a pattern matches a variable
	steps    []searchStep
	of       map[Pattern]*relax.Var
	taken    map[*relax.Var]bool
	tried    int
}

type pairing struct {
	p Pattern
	v *relax.Var
}

// searchStep finds a variable for p, or where it has one, checks a relation: from is nil for a pattern that nothing is related to.
type searchStep struct {
	from, p Pattern
	rules   []rule
}

// plan orders the steps: from each pattern that uses no other one along the relations. It reports whether they reach all patterns: nothing matches
// patterns that use each other in a circle.
func (s *search) plan() bool {
	used := map[Pattern]bool{}
	for _, list := range s.c.edges {
		for _, e := range list {
			used[e.to] = true
		}
	}
	seen := map[Pattern]bool{}
	var visit func(p Pattern)
	visit = func(p Pattern) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, e := range s.c.edges[p] {
			if len(s.steps) == maxRelations {
				panic(&budget.Stop{Cause: errRelations})
			}
			s.steps = append(s.steps, searchStep{p, e.to, e.rules})
			visit(e.to)
		}
	}
	for _, p := range s.c.sources {
		if !used[p] {
			s.steps = append(s.steps, searchStep{p: p})
			visit(p)
		}
	}
	return !slices.ContainsFunc(s.c.sources, func(p Pattern) bool { return !seen[p] })
}

func (s *search) step(i int) bool {
	if i == len(s.steps) {
		return true
	}
	st := s.steps[i]
	candidates := s.vars
	if st.from != nil {
		candidates = s.users[s.of[st.from]]
	}
	if v := s.of[st.p]; v != nil {
		return st.from == nil || slices.Contains(candidates, v) && s.related(st, v) && s.step(i+1)
	}
	for _, v := range candidates {
		s.work.Spend(1)
		if s.taken[v] || st.from != nil && !s.related(st, v) || !s.matches(st.p, v) {
			continue
		}
		if s.tried++; s.tried > maxTried {
			return false
		}
		s.of[st.p], s.taken[v] = v, true
		if s.sameShapes(st.p) && s.step(i+1) {
			return true
		}
		delete(s.of, st.p)
		delete(s.taken, v)
	}
	return false
}

// related tells whether v uses what the pattern before it matched, as the rules say.
func (s *search) related(st searchStep, v *relax.Var) bool {
	from := s.of[st.from]
	for _, r := range st.rules {
		if r.only && len(s.users[from]) != 1 {
			return false
		}
		if r.index != AnyOperand && (r.index >= len(s.operands[v]) || s.operands[v][r.index] != from) {
			return false
		}
	}
	return true
}

func (s *search) matches(p Pattern, v *relax.Var) bool {
	key := pairing{p, v}
	out, ok := s.known[key]
	if !ok {
		_, out = Match(p, v, s.bound, s.infer, s.work)
		s.known[key] = out
	}
	return out
}

// sameShapes checks the shapes that p has in common with patterns which have matched.
func (s *search) sameShapes(p Pattern) bool {
	for _, list := range s.c.shapes {
		if !slices.Contains(list, p) {
			continue
		}
		for _, q := range list {
			if s.of[q] != nil && !s.sameShape(s.of[p], s.of[q]) {
				return false
			}
		}
	}
	return true
}

func (s *search) sameShape(a, b *relax.Var) bool {
	x, ok := dimsOf(s.infer.SInfoOf(a))
	y, also := dimsOf(s.infer.SInfoOf(b))
	return ok && also && s.infer.EqualDims(x, y) == relax.True
}

func dimsOf(info relax.StructInfo) ([]tir.Expr, bool) {
	switch t := info.(type) {
	case *relax.TensorStructInfo:
		return t.Dims()
	case *relax.ShapeStructInfo:
		return t.Values, t.NDim >= 0 && len(t.Values) == t.NDim
	}
	return nil, false
}
