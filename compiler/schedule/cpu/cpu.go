package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// Schedule returns f scheduled by the default rules; f itself where they do not apply.
// An error is a rule that went wrong, never a function that has no rule. Blocks that take in
// others get the origins of both from the table of f's module, which may be nil.
//
// A function whose vectors run along a symbolic extent has two versions: one for extents of at
// least a tile, where the last tile starts earlier, so that it is as fast as for a constant
// extent, and one for smaller ones. It chooses when it is called.
//
// A watcher hears of the rules as they apply to the function, for whole tiles where it gets two versions; nil is
// nobody.
func (m Machine) Schedule(f *tir.PrimFunc, origins *ir.Origins, w Watcher) (*tir.PrimFunc, error) {
	if empty(f) {
		if w != nil {
			w.Declined(ruleSchedule, f, "an extent is 0: it never runs")
		}
		return f, nil
	}
	out, needs, err := m.apply(f, origins, true, w)
	if err != nil || len(needs) == 0 {
		return out, err
	}
	small, _, err := m.apply(f, origins, false, nil)
	if err != nil {
		return nil, err
	}
	return either(needs, out, small), nil
}

// apply runs the rules. The result is for extents that fulfil needs.
func (m Machine) apply(f *tir.PrimFunc, origins *ir.Origins, whole bool, w Watcher) (out *tir.PrimFunc, needs []tir.Expr, err error) {
	s, err := schedule.New(f)
	if err != nil {
		if w != nil {
			w.Declined(ruleSchedule, f, err.Error())
		}
		return f, nil, nil
	}
	s.SetOrigins(origins)
	r := &rules{s: s, machine: m, watch: w, phases: map[*tir.Buffer]int64{}, whole: whole}
	r.inline()
	for _, b := range s.Blocks() {
		// A block that does not pad stays as it is.
		at := b.Body()
		if _, err := s.DecomposePadding(b); err == nil {
			r.applied(rulePad, at)
		}
	}
	blocks := s.Blocks()
	for _, b := range blocks {
		if b.IsReduction() {
			if err := r.reduction(b); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, b := range append(blocks, r.copies...) {
		if !b.IsReduction() {
			if err := r.pointwise(b); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, b := range s.Blocks() {
		s.FlattenAccess(b)
	}
	return s.Func(), r.needs, nil
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
	s       *schedule.Schedule
	machine Machine
	watch   Watcher                  // nil: nobody
	done    map[*schedule.Block]bool // removed by a rule
	// phases holds the buffers whose last axis was split by a stride.
	phases map[*tir.Buffer]int64
	copies []*schedule.Block // blocks that rules for reductions added
	// whole says that symbolic extents may be taken to hold whole tiles; needs lists which were.
	whole bool
	needs []tir.Expr
}

func (r *rules) gone(b *schedule.Block) {
	if r.done == nil {
		r.done = map[*schedule.Block]bool{}
	}
	r.done[b] = true
}
