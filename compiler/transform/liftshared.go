package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// sharedLift is one transformation for several functions that take the same weights: it computes what all of them compute, as the first function
// names it.
type sharedLift struct {
	lifted
	vars    map[*relax.Var]*relax.Var // by a variable of a function that of the shared transformation
	symbols map[*tir.Var]*tir.Var
}

// shareLift matches the weights of functions, and then what they compute of them: bindings whose values are equal if equal values of the
// functions have the same name.
func shareLift(parts []*liftPart) (*sharedLift, error) {
	first := parts[0]
	s := &sharedLift{vars: map[*relax.Var]*relax.Var{}, symbols: map[*tir.Var]*tir.Var{}, lifted: lifted{
		params: first.params, weights: map[*relax.Var]bool{}, needed: map[*relax.Var]bool{}, symbols: map[*tir.Var]bool{},
	}}
	for _, p := range parts {
		if len(p.params) != len(first.params) {
			return nil, fmt.Errorf("shared_transform: %s has %d weights and %s has %d", first.name, len(first.params), p.name, len(p.params))
		}
		for i, v := range p.params {
			if err := s.weight(p, v, first, first.params[i]); err != nil {
				return nil, err
			}
		}
	}
	s.unify(parts)
	return s, nil
}

// weight notes that v of function p is the weight to of the first function.
func (s *sharedLift) weight(p *liftPart, v *relax.Var, first *liftPart, to *relax.Var) error {
	if !ir.StructuralEqual(v.SInfo, to.SInfo, ir.EqualOpts{MapFreeVars: true}) {
		return fmt.Errorf("shared_transform: weight %s of %s is %s, and weight %s of %s is %s", to.Name, first.name, relax.FormatSInfo(to.SInfo), v.Name, p.name, relax.FormatSInfo(v.SInfo))
	}
	s.vars[v] = to
	from, into := relax.DefinableVars(v.SInfo), relax.DefinableVars(to.SInfo)
	for i, x := range from {
		if old := s.symbols[x]; old != nil && old != into[i] {
			return fmt.Errorf("shared_transform: the symbolic variable %s of %s is %s and %s in %s", x.Name, p.name, old.Name, into[i].Name, first.name)
		}
		s.symbols[x] = into[i]
	}
	return nil
}

// unify finds the bindings that all functions have. A match_cast is not shared.
func (s *sharedLift) unify(parts []*liftPart) {
	type group struct {
		value    relax.Expr
		bindings []relax.Binding
	}
	byHash := map[uint64][]*group{}
	var groups []*group
	l := &liftable{vars: map[*relax.Var]bool{}}
	names := relax.Subst{Vars: map[*relax.Var]relax.Expr{}, Prims: map[*tir.Var]tir.Expr{}}
	for v, to := range s.vars {
		l.vars[v] = true
		if v != to {
			names.Vars[v] = to
		}
	}
	for v, to := range s.symbols {
		if v != to {
			names.Prims[v] = to
		}
	}
	hash := &exprCSE{numbers: map[*relax.Var]uint64{}}
	for _, p := range parts {
		l.over = overwritesOf(p.fn)
		for _, blk := range p.fn.Body.Blocks {
			for _, b := range blk.Bindings {
				if _, cast := b.(*relax.MatchCast); cast || !blk.Dataflow || !l.can(b) {
					continue
				}
				l.vars[b.Bound()] = true
				value := relax.Bind(b.BoundValue(), names)
				h := hash.hash(value)
				var g *group
				for _, x := range byHash[h] {
					if ir.StructuralEqual(x.value, value, ir.EqualOpts{}) {
						g = x
					}
				}
				if g == nil {
					g = &group{value: value}
					byHash[h] = append(byHash[h], g)
					groups = append(groups, g)
				}
				g.bindings = append(g.bindings, b)
				if to := g.bindings[0].Bound(); to != b.Bound() {
					names.Vars[b.Bound()] = to
				}
			}
		}
	}
	for _, g := range groups {
		if len(g.bindings) == len(parts) {
			s.lifted.bindings = append(s.lifted.bindings, g.bindings[0])
			for _, b := range g.bindings {
				s.vars[b.Bound()] = g.bindings[0].Bound()
			}
		}
	}
}

// collect joins what the functions need.
func (s *sharedLift) collect(parts []*liftPart) {
	join := func(to, from map[*relax.Var]bool) {
		for v := range from {
			if x := s.vars[v]; x != nil {
				v = x
			}
			to[v] = true
		}
	}
	for _, p := range parts {
		join(s.weights, p.weights)
		join(s.needed, p.needed)
		for v := range p.lifted.symbols {
			if x := s.symbols[v]; x != nil {
				v = x
			}
			s.lifted.symbols[v] = true
		}
	}
}

func (s *sharedLift) isTrivial(parts []*liftPart, m *ir.Module) bool {
	if m.Lookup(transformSuffix) == nil {
		return false
	}
	for _, p := range parts {
		needed := map[*relax.Var]bool{}
		for _, v := range p.params {
			needed[v] = s.needed[s.vars[v]]
		}
		if !p.handsOver(needed) {
			return false
		}
	}
	return true
}

func (s *sharedLift) transform(c *pass.Context, m *ir.Module) (*relax.Function, error) {
	return s.lifted.transform(c, m, s.handed(nil))
}

// seenBy returns what the shared transformation hands over, under the names of a function; what that does not use keeps its name.
func (s *sharedLift) seenBy(p *liftPart) ([]*tir.Var, []*relax.Var) {
	symbols, vars := map[*tir.Var]*tir.Var{}, map[*relax.Var]*relax.Var{}
	for _, v := range p.handed(p.inputs) {
		symbols[s.symbols[v]] = v
	}
	for _, v := range p.outputs() {
		vars[s.vars[v]] = v
	}
	handed, outputs := s.handed(nil), s.outputs()
	for i, v := range handed {
		if to := symbols[v]; to != nil {
			handed[i] = to
		}
	}
	for i, v := range outputs {
		if to := vars[v]; to != nil {
			outputs[i] = to
		}
	}
	return handed, outputs
}
