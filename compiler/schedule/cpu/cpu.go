package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// Schedule returns f scheduled by the default rules; f itself where they do not apply.
// An error is a rule that went wrong, never a function that has no rule. Blocks that take in
// others get the origins of both from the table of f's module, which may be nil.
func Schedule(f *tir.PrimFunc, origins *ir.Origins) (*tir.PrimFunc, error) {
	if empty(f) {
		return f, nil
	}
	s, err := schedule.New(f)
	if err != nil {
		return f, nil
	}
	s.SetOrigins(origins)
	r := &rules{s: s, phases: map[*tir.Buffer]int64{}}
	r.inline()
	for _, b := range s.Blocks() {
		// A block that does not pad stays as it is.
		_, _ = s.DecomposePadding(b)
	}
	blocks := s.Blocks()
	for _, b := range blocks {
		if b.IsReduction() {
			if err := r.reduction(b); err != nil {
				return nil, err
			}
		}
	}
	for _, b := range append(blocks, r.copies...) {
		if !b.IsReduction() {
			if err := r.pointwise(b); err != nil {
				return nil, err
			}
		}
	}
	for _, b := range s.Blocks() {
		s.FlattenAccess(b)
	}
	return s.Func(), nil
}

// empty reports whether f iterates over an extent of 0: what never runs needs no schedule,
// and no tile divides it.
func empty(f *tir.PrimFunc) bool {
	found := false
	ir.Walk(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			found = found || tir.IsConst(n.Extent, 0)
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}

// rules is the schedule of one function under way.
type rules struct {
	s    *schedule.Schedule
	done map[*schedule.Block]bool // removed by a rule
	// phases holds the buffers whose last axis was split by a stride.
	phases map[*tir.Buffer]int64
	copies []*schedule.Block // blocks that rules for reductions added
}

func (r *rules) gone(b *schedule.Block) {
	if r.done == nil {
		r.done = map[*schedule.Block]bool{}
	}
	r.done[b] = true
}
