package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
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
	if m.transposes() {
		f = opened(f)
	}
	r, err := m.apply(f, origins, true, w)
	if err != nil || r == nil {
		return f, err
	}
	if len(r.needs) == 0 {
		return r.function(), nil
	}
	small, err := m.apply(f, origins, false, nil)
	if err != nil {
		return nil, err
	}
	return either(r.needs, r.function(), small.function()), nil
}

// Trace returns the instructions by which Schedule schedules f, nil where the rules do not apply: of a function with two versions those of the one
// for whole tiles, and the conditions on its extents under which that may run. They are instructions on a module in which f is the function main. A function with a copy that
// Schedule opens has none: there is no primitive that does so.
func (m Machine) Trace(f *tir.PrimFunc) (trace []*sch.Instruction, needs []tir.Expr, err error) {
	if empty(f) || m.transposes() && opened(f) != f {
		return nil, nil, nil
	}
	r, err := m.apply(f, nil, true, nil)
	if err != nil || r == nil {
		return nil, nil, err
	}
	return r.s.Trace(), r.needs, nil
}

// apply runs the rules. The result, nil where they do not apply, is for extents that fulfil its needs.
func (m Machine) apply(f *tir.PrimFunc, origins *ir.Origins, whole bool, w Watcher) (*rules, error) {
	r, err := newRules(f, m)
	if err != nil {
		if w != nil {
			w.Declined(ruleSchedule, f, err.Error())
		}
		return nil, nil
	}
	if origins != nil {
		r.s.MergeOrigins(origins, "ApplyDefaultSchedule")
	}
	r.watch, r.whole = w, whole
	if err := r.run(); err != nil {
		return nil, brief(err)
	}
	return r, nil
}

// newRules takes a function apart. It fails where the rules do not apply.
func newRules(f *tir.PrimFunc, m Machine) (*rules, error) {
	f, err := regular(f)
	if err != nil {
		return nil, err
	}
	s, err := sch.NewSchedule(ir.NewModule().With("main", f), 0)
	if err != nil {
		return nil, err
	}
	r := &rules{s: s, machine: m, phases: map[*tir.Buffer]int64{}}
	return r, r.find(f.Body.(*tir.BlockRealize).Block.Name)
}

// run applies the rules.
func (r *rules) run() error {
	r.inline()
	if err := r.splitBands(); err != nil {
		return err
	}
	r.setAside()
	r.pad(func(b *sch.Block) bool { return !slices.Contains(r.padding, b) })
	r.stageRows()
	for _, b := range r.blocks {
		if !r.done[b] && isReduction(r.at(b)) {
			if err := r.reduction(b); err != nil {
				return err
			}
		}
	}
	r.pad(func(b *sch.Block) bool { return slices.Contains(r.padding, b) && !slices.Contains(r.near, b) })
	for _, b := range r.blocks {
		if !r.done[b] && !isReduction(r.at(b)) {
			if err := r.pointwise(b); err != nil {
				return err
			}
		}
	}
	if err := r.join(); err != nil {
		return err
	}
	if err := r.mergeBands(); err != nil {
		return err
	}
	if err := r.writeOut(); err != nil {
		return err
	}
	if err := r.inPlace(); err != nil {
		return err
	}
	if err := r.flatten(); err != nil {
		return err
	}
	if err := r.pipeline(); err != nil || r.piped {
		return err
	}
	return r.parallel()
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
	s       *sch.Schedule
	machine Machine
	watch   Watcher    // nil: nobody
	top     *sch.Block // the root
	// blocks are those that hold no others, in the order in which they run, and behind them those that rules added.
	blocks []*sch.Block
	done   map[*sch.Block]bool // removed by a rule, or tiled
	// padding are blocks that pad and may do so near a reduction, near those that do.
	padding, near []*sch.Block
	// phases holds the buffers whose last axis was split by a stride.
	phases map[*tir.Buffer]int64
	// bands is how many bands of rows are computed one behind the other, nil where there are none.
	bands tir.Expr
	// sums says that a reduction has neither rows of a product nor windows, tiled that one has.
	sums, tiled bool
	// staged is set where the function goes over rows in stages, piped where those are a pipeline.
	staged *staged
	piped  bool
	// whole says that symbolic extents may be taken to hold whole tiles; needs lists which were.
	whole bool
	needs []tir.Expr
}

func (r *rules) gone(b *sch.Block) {
	if r.done == nil {
		r.done = map[*sch.Block]bool{}
	}
	r.done[b] = true
}
