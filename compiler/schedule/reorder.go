package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// Reorder gives loops of one chain the order in which they are listed; other loops of the
// chain stay where they are.
func (s *Schedule) Reorder(loops ...*Loop) error {
	const prim = "reorder"
	if len(loops) < 2 {
		return nil
	}
	if err := check(prim, nodesOf(loops)...); err != nil {
		return err
	}
	in := map[*Loop]bool{}
	for _, l := range loops {
		if in[l] {
			return fail(prim, nil, l, "it is listed twice")
		}
		in[l] = true
	}
	// The chain from the innermost listed loop up to the outermost.
	bottom := loops[0]
	for _, l := range loops[1:] {
		if inside(l, bottom) {
			bottom = l
		}
	}
	var chain []*Loop
	found := 0
	for n := node(bottom); found < len(loops); n = n.at().parent {
		l, ok := n.(*Loop)
		if !ok {
			return fail(prim, nil, loops[0], "the loops are not on one path within a block")
		}
		if l != bottom && len(l.kids) != 1 {
			return fail(prim, nil, l, "it has more than one statement inside")
		}
		if in[l] {
			found++
		}
		chain = append(chain, l)
	}
	slices.Reverse(chain)
	order := slices.Clone(chain)
	k := 0
	for i, l := range chain {
		if in[l] {
			order[i] = loops[k]
			k++
		}
	}
	if err := s.mayReorder(chain, order, bottom); err != nil {
		return err
	}
	top, body := chain[0], bottom.kids
	p := top.parent
	at := slices.Index(p.at().kids, node(top))
	for _, l := range order {
		l.kids = nil
	}
	last := order[len(order)-1]
	last.kids = body
	for _, b := range body {
		b.at().parent = last
	}
	for i := len(order) - 2; i >= 0; i-- {
		order[i].kids = []node{order[i+1]}
		order[i+1].parent = order[i]
	}
	p.at().kids[at] = order[0]
	order[0].parent = p
	return nil
}

func (s *Schedule) mayReorder(chain, order []*Loop, bottom *Loop) error {
	const prim = "reorder"
	for i, l := range order {
		for _, o := range order[i+1:] {
			if arith.UsesVar(l.extent, func(v *tir.Var) bool { return v == o.v }) {
				return fail(prim, nil, l, "its extent depends on loop %s, which would be inside", o.v.Name)
			}
		}
	}
	var err error
	n := 0
	leaves(bottom, func(b *Block) {
		n++
		for _, iv := range b.iters {
			if iv.Kind != tir.DataPar && iv.Kind != tir.CommReduce && err == nil {
				err = fail(prim, b, nil, "its iteration variable %s is %s, so that the order of loops matters", iv.Var.Name, iv.Kind)
			}
		}
		if err == nil {
			err = keepsStart(b, chain, order)
		}
	})
	if err == nil && n > 1 {
		err = fail(prim, nil, bottom, "%d blocks are inside: reorder before they are moved together", n)
	}
	return err
}

// keepsStart returns an error if the first step of a reduction, which initializes the result, may come behind another step of it in the new
// order. That may be only where loops that split a loop over results and steps alike change places.
func keepsStart(b *Block, chain, order []*Loop) error {
	if b.init == nil {
		return nil
	}
	feeds := func(l *Loop, kind tir.IterKind) bool {
		for i, iv := range b.iters {
			if iv.Kind == kind && arith.UsesVar(b.values[i], func(v *tir.Var) bool { return v == l.v }) {
				return true
			}
		}
		return false
	}
	mixed := func(loops []*Loop) []*Loop {
		return slices.DeleteFunc(slices.Clone(loops), func(l *Loop) bool { return !feeds(l, tir.DataPar) || !feeds(l, tir.CommReduce) })
	}
	if was := mixed(chain); !slices.Equal(was, mixed(order)) {
		return fail("reorder", b, was[0], "it and loop %s run over results and over steps of their reduction, whose first step must stay the first", was[1].v.Name)
	}
	return nil
}

func nodesOf(loops []*Loop) []node {
	out := make([]node, len(loops))
	for k, l := range loops {
		out[k] = l
	}
	return out
}
