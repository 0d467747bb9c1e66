package passtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// Suite is what there is to be tested: the passes of a pipeline in their order, those over Relax functions and those over loops, and
// besides them passes that may run anywhere.
type Suite struct {
	Graph, Loops      []*pass.Pass
	GraphAny, LoopAny []*pass.Pass
	// Allowed tells whether one that may run anywhere may run behind those that ran; nil allows everything.
	Allowed func(ran []string, p *pass.Pass) bool
	// Prepare makes kernels of the operators of a module, so that it can be run.
	Prepare *pass.Pass
	// only is the name of the pass that Walk checks; all if empty.
	only string
}

// NewSuite sorts the passes of a registry. onLoops tells which work on loops; what the pipeline does not hold, and what is optional in it,
// may run anywhere.
func NewSuite(p *pass.Pass, registered []*pass.Pass, onLoops func(*pass.Pass) bool, prepare *pass.Pass) *Suite {
	s := &Suite{Prepare: prepare}
	var add func(list []*pass.Pass)
	add = func(list []*pass.Pass) {
		for _, q := range list {
			switch {
			case len(q.Children) > 0 && !slices.Contains(registered, q): // a phase
				add(q.Children)
			case onLoops(q):
				s.Loops = append(s.Loops, q)
			default:
				s.Graph = append(s.Graph, q)
			}
		}
	}
	add(p.Children)
	for _, q := range registered {
		inside := holds(s.Graph, q) || holds(s.Loops, q)
		switch {
		case inside && q.Lowering:
		case onLoops(q):
			s.LoopAny = append(s.LoopAny, q)
		default:
			s.GraphAny = append(s.GraphAny, q)
		}
	}
	return s
}

// Walk runs a random program of each level through the passes in random order. It returns the names of the passes that changed something.
func (s *Suite) Walk(t Failer, r *rand.Rand) map[string]bool {
	t.Helper()
	changed := map[string]bool{}
	if len(s.Graph) > 0 {
		changed = Walk(t, r, NewContext(settings(r)...), Graph(r, s.Prepare), s.Graph, s.GraphAny, s.Allowed, s.only)
	}
	if len(s.Loops) > 0 {
		for p := range Walk(t, r, NewContext(settings(r)...), Kernel(r), s.Loops, s.LoopAny, s.Allowed, s.only) {
			changed[p] = true
		}
	}
	return changed
}

// settings are those of a run: a level, and what passes do only when asked for it.
func settings(r *rand.Rand) []pass.ContextOption {
	// What a program computes keeps its type, which relay.ToMixedPrecision leaves to an option.
	config := map[string]any{"relay.ToMixedPrecision.keep_orig_output_dtype": true}
	level := pass.OptLevel(r.IntN(4))
	if r.IntN(2) == 0 {
		maps.Copy(config, map[string]any{
			"tir.UnrollLoop":                    map[string]any{"auto_max_step": 16, "auto_max_extent": 3, "unroll_local_access": true},
			"tir.LoopPartition":                 map[string]any{"partition_const_loop": true},
			"tir.Simplify":                      map[string]any{"transitively_prove_inequalities": true, "convert_boolean_to_and_of_ors": true, "apply_constraints_to_boolean_branches": true, "propagate_knowns_to_prove_conditional": true, "propagate_knowns_to_simplify_expressions": true},
			"tir.RemoveNoOp":                    map[string]any{"use_dataflow_analysis": true},
			"tir.enable_equiv_terms_in_cse_tir": true,
			"tir.instrument_bound_checkers":     true,
		})
	}
	return []pass.ContextOption{level, pass.Configure(config)}
}

// with returns the part of the suite that is about the level of p, with another pass in its place, and no other in any place. Nothing but that
// pass is checked.
func (s *Suite) with(p, wrong *pass.Pass) *Suite {
	put := func(list []*pass.Pass) []*pass.Pass {
		list = slices.Clone(list)
		if i := find(list, p); i >= 0 {
			list[i] = wrong
		}
		return list
	}
	out := &Suite{Allowed: s.Allowed, Prepare: s.Prepare, only: p.Name}
	if holds(s.Loops, p) || holds(s.LoopAny, p) {
		out.Loops = put(s.Loops)
		if !holds(s.Loops, p) {
			out.LoopAny = []*pass.Pass{wrong}
		}
	} else {
		out.Graph = put(s.Graph)
		if !holds(s.Graph, p) {
			out.GraphAny = []*pass.Pass{wrong}
		}
	}
	return out
}

// find returns where a pass is in a list, -1 if nowhere: a pipeline may hold it with options of its own.
func find(list []*pass.Pass, p *pass.Pass) int {
	return slices.IndexFunc(list, func(q *pass.Pass) bool { return q.Name == p.Name })
}

func holds(list []*pass.Pass, p *pass.Pass) bool { return find(list, p) >= 0 }

// Seeded puts one fault after the other behind what p does, until the checks object, and says what they say: that must be about p. It
// returns "" where n faults were made and none was found; some do no harm, as in code that is not reached.
func (s *Suite) Seeded(p *pass.Pass, r *rand.Rand, n int) string {
	for walks := 0; n > 0 && walks < 400; walks++ {
		x, skip := faults[r.IntN(len(faults))], r.IntN(2)
		made := false
		wrong := s.with(p, Wrong(p, func(m *ir.Module) *ir.Module {
			out := x.Change(m, skip)
			made = made || out != m
			return out
		}))
		if said := Objections(func(t Failer) { wrong.Walk(t, r) }); said != "" {
			return fmt.Sprintf("%s: %s", x.Name, said)
		}
		if made {
			n--
		}
	}
	return ""
}
