package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// Reorder puts loops of one chain into another order, where they take each other's places (TVM's reorder).
func (s *State) Reorder(loops []*Loop) (*State, error) {
	if len(loops) <= 1 {
		return s, nil
	}
	var order []*tir.For
	picked := map[tir.Stmt]bool{}
	sites := make([]site, len(loops))
	for i, l := range loops {
		at, err := s.loop(l)
		if err != nil {
			return nil, err
		}
		if picked[at.stmt()] {
			return nil, s.fail("LoopMultiAppearanceError", "Loop {0} appears in the input array for multiple times.", at.stmt())
		}
		picked[at.stmt()] = true
		order, sites[i] = append(order, at.For()), at
	}
	bottom := sites[0]
	for _, p := range sites[1:] {
		if len(p.path) > len(bottom.path) {
			bottom = p
		}
	}
	// The chain goes from the lowest loop up to the highest; all others must stand in it.
	var chain []site // lowest first
	seen := 0
	for q, ok := bottom, true; ok && seen < len(order); q, ok = q.up() {
		l, loop := q.stmt().(*tir.For)
		if !loop {
			break
		}
		if len(chain) > 0 && l.Body != chain[len(chain)-1].stmt() {
			return nil, s.fail("LoopsNotAChainError", "The loops are not in a chain because there is a non-single-branch stmt in between. Problematic stmt: {0}", l)
		}
		chain = append(chain, q)
		if picked[l] {
			seen++
		}
	}
	if seen < len(order) {
		scope, _ := bottom.scope()
		for _, p := range sites {
			if q, ok := p.scope(); !ok || q.stmt() != scope.stmt() {
				return nil, s.fail("LoopsNotAChainError", "The loops are not in a chain because they are not under the same scope.")
			}
		}
		return nil, s.fail("LoopsNotAChainError", "The loops are not in a chain because there is a non-single-branch stmt in between. Problematic stmt: {0}",
			commonAncestor(sites))
	}
	top := chain[len(chain)-1]
	if err := s.checkReorderable(top, bottom); err != nil {
		return nil, err
	}
	if err := s.checkKeepsStart(chain, order, picked); err != nil {
		return nil, err
	}
	body := bottom.For().Body
	var inner []*tir.Var
	k := len(order) - 1
	for _, q := range chain {
		l := q.For()
		if picked[l] {
			l = order[k]
			k--
		}
		for _, v := range inner {
			if usesVar(l.Min, v) || usesVar(l.Extent, v) {
				return nil, s.fail("DependentLoopError", "Outer loop {0}'s `min` or `extent` is dependent on the loop variable "+v.Name+" of an inner loop after reordering", l)
			}
		}
		inner = append(inner, l.LoopVar)
		body = l.WithBody(body)
	}
	return s.replace(top, body, nil), nil
}

// checkKeepsStart returns an error if the first step of a reduction, which initializes the result, may come behind another step of it in the new
// order: where loops that run over results and steps alike change places. TVM reorders them all the same.
func (s *State) checkKeepsStart(chain []site, order []*tir.For, picked map[tir.Stmt]bool) error {
	var was, now []*tir.For // outermost first
	k := 0
	for i := len(chain) - 1; i >= 0; i-- {
		l := chain[i].For()
		was = append(was, l)
		if picked[l] {
			l = order[k]
			k++
		}
		now = append(now, l)
	}
	kids := func() map[*tir.Block]nested {
		scope, _ := chain[0].scope()
		return childrenOf(scope.Block())
	}
	var err error
	visit(chain[0].For().Body, func(x tir.Stmt) bool {
		r, ok := x.(*tir.BlockRealize)
		if !ok || r.Block.Init == nil || err != nil {
			return err == nil
		}
		feeds := func(l *tir.For, kind tir.IterKind) bool {
			for i, iv := range r.Block.IterVars {
				if iv.Kind == kind && usesVar(r.Values[i], l.LoopVar) {
					return true
				}
			}
			return false
		}
		mixed := func(loops []*tir.For) (out []*tir.For) {
			for _, l := range loops {
				if feeds(l, tir.DataPar) && feeds(l, tir.CommReduce) {
					out = append(out, l)
				}
			}
			return out
		}
		if a := mixed(was); !slices.Equal(a, mixed(now)) {
			err = s.fail("ReductionStartError", "The loops {0} and {1} run over results and over steps of the reduction in block {2}, whose first step must stay the first", a[0], a[1], r.Block)
		}
		// A result that several turns compute is begun anew in each: all its steps must stay together.
		crossing := func() (out [2]*tir.For, found bool) {
			for i, outer := range was {
				for _, inner := range was[i+1:] {
					if slices.Index(now, outer) > slices.Index(now, inner) && feeds(outer, tir.DataPar) && feeds(inner, tir.CommReduce) {
						return [2]*tir.For{outer, inner}, true
					}
				}
			}
			return out, false
		}
		if x, found := crossing(); found && err == nil && !distinctResults(r, kids()[r.Block].loops) {
			err = s.fail("ReductionStartError", "The loop {1} over steps of the reduction in block {2} would stand outside of loop {0}, whose turns compute some results again", x[0], x[1], r.Block)
		}
		return true
	})
	return err
}

// distinctResults reports whether no two turns of loops, but for those over steps of the reduction, compute the same result of a block.
func distinctResults(r *tir.BlockRealize, loops []*tir.For) bool {
	var values []tir.Expr
	used := map[*tir.Var]bool{}
	for i, iv := range r.Block.IterVars {
		if iv.Kind != tir.CommReduce {
			values = append(values, r.Values[i])
			varsOf(r.Values[i], used)
		}
	}
	loops = slices.DeleteFunc(slices.Clone(loops), func(l *tir.For) bool { return !used[l.LoopVar] })
	an := arith.NewAnalyzer()
	for _, l := range loops {
		an.BindRange(l.LoopVar, rangeOf(l))
	}
	return len(loops) == 0 || len(arith.DetectIterMap(values, ranges(loops), ofResults(r, loops), arith.Bijective, an, false).Indices) > 0
}

// checkReorderable returns an error if the order of the iterations of the loops from top to bottom matters to a block inside.
func (s *State) checkReorderable(top, bottom site) error {
	var err error
	visit(bottom.stmt(), func(x tir.Stmt) bool {
		b, ok := x.(*tir.Block)
		if !ok || err != nil {
			return err == nil
		}
		for _, iv := range b.IterVars {
			if iv.Kind != tir.DataPar && iv.Kind != tir.CommReduce {
				err = s.fail("BlockPropertyError", "The block {0} under the loops to be reordered have block iter type other than data-parallel or reduction", b)
				return false
			}
		}
		if len(b.IterVars) > 0 {
			at, _ := s.below(bottom, b)
			var high *tir.For
			if up, ok := top.up(); ok {
				high, _ = up.stmt().(*tir.For)
			}
			err = s.checkAffine(at, high)
		}
		return err == nil
	})
	return err
}

// ReorderBlockIterVar puts the iteration variables of a block into another order, without changing what it computes.
func (s *State) ReorderBlockIterVar(b *Block, order []int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	k := at.Block()
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	valid := len(order) == len(k.IterVars)
	for i, x := range sorted {
		valid = valid && x == i
	}
	if !valid {
		return nil, s.fail("InvalidReorderIndex", fmt.Sprintf(
			"The user provided block itervar index order %v is not a valid permutation of [0, 1, ..., num_block_iter_vars-1] in block {0}.", order), k)
	}
	if _, ok := at.scope(); !ok {
		return s, nil
	}
	ivs, values := make([]*tir.IterVar, len(order)), make([]tir.Expr, len(order))
	for i, x := range order {
		ivs[i], values[i] = k.IterVars[x], at.Realize().Values[x]
	}
	now := k.WithIterVars(ivs)
	return s.replaceRealize(at, at.Realize().WithValues(values).WithBlock(now), reuse{k: now}), nil
}

// replaceRealize puts a statement in the place of what runs a block.
func (s *State) replaceRealize(at site, by tir.Stmt, became reuse) *State {
	at.path = at.path[:len(at.path)-1]
	return s.replace(at, by, became)
}

// AddUnitLoop puts a loop of one iteration around a *Loop or *Block.
func (s *State) AddUnitLoop(r any) (*State, *Loop, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, nil, err
	}
	v := tir.NewVar("u", tir.Int32(0).Type)
	u := func(body tir.Stmt) *tir.For {
		return &tir.For{LoopVar: v, Min: tir.Int32(0), Extent: tir.Int32(1), Body: body}
	}
	if _, ok := at.stmt().(*tir.For); ok {
		return s.replace(at, u(at.stmt()), nil), &Loop{at.fn, v}, nil
	}
	if _, ok := at.up(); !ok {
		return nil, nil, fmt.Errorf("ValueError: Cannot add loops on top of the root block")
	}
	return s.replaceRealize(at, u(at.Realize()), nil), &Loop{at.fn, v}, nil
}
