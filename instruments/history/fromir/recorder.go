// Package fromir makes the tables of a history from modules. It may know the compiler and
// the instruments; whoever runs a compiler imports it, the web does not.
package fromir

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/history"
)

// Recorder hands a step of the history to its sink after each pass that changed something.
type Recorder struct {
	snaps  *instruments.Snapshots
	sink   func(*history.Step) error
	roots  map[ir.OriginID][]uint32 // ascending, of origins seen before in the one table of a run
	tabler tabler
	// Limit bounds the cells of a step; 0 is history.MaxStepCells. A step with more is marked
	// as truncated.
	Limit int
}

// NewRecorder returns a recorder that reports to sink. It prints functions through snaps,
// so that those which another instrument prints too are printed once.
func NewRecorder(snaps *instruments.Snapshots, sink func(*history.Step) error) *Recorder {
	return &Recorder{snaps: snaps, sink: sink, roots: map[ir.OriginID][]uint32{}}
}

// Start reports the imported module and the roots.
func (r *Recorder) Start(m *ir.Module) error {
	s := &history.Step{Path: history.ImportStep, Pass: history.ImportStep}
	for id := ir.OriginID(1); int(id) <= m.Origins().Len(); id++ {
		if o := m.Origins().Get(id); len(o.Parents) == 0 {
			root := history.Root{ID: uint32(id), Name: o.Name, Op: o.Op}
			if o.Span != nil {
				root.Line = int(o.Span.Line)
			}
			s.Roots = append(s.Roots, root)
		}
	}
	return r.step(s, ir.NewModuleWithOrigins(m.Origins()), m)
}

// Instrument returns the instrument that reports passes.
func (r *Recorder) Instrument() *pass.Instrument {
	return &pass.Instrument{Name: "History", Replayable: true, RunAfterPass: r.Finished}
}

// Finished reports what a pass made of its module. Sequences are no steps: the passes in them
// are.
func (r *Recorder) Finished(m *ir.Module, s *pass.Step) error {
	if s.Pass.Kind == pass.Sequential || s.Input == m {
		return nil
	}
	return r.step(&history.Step{Path: s.Path(), Pass: s.Pass.Name}, s.Input, m)
}

// Generated reports that code was made of the functions of m with the given names, as a step
// of its own.
func (r *Recorder) Generated(m *ir.Module, names ...string) error {
	s := &history.Step{Path: history.CodeStep, Pass: history.CodeStep}
	t := r.tablerFor(m.Origins(), s)
	for _, name := range slices.Sorted(slices.Values(names)) {
		fn := m.Lookup(name)
		if fn == nil {
			continue
		}
		f := history.Function{Name: name}
		if set := t.addSet(t.union(computed(fn))); set >= 0 {
			f.Rows = history.Rows{{Line: 1, Kind: history.Code, Name: t.name(name), Op: t.name(""), Set: set}}
		}
		s.Functions = append(s.Functions, f)
	}
	return r.report(s)
}

// computed lists what the instructions of a function came from.
func computed(fn ir.Function) []ir.OriginID {
	f, ok := fn.(*relax.Function)
	if !ok {
		return []ir.OriginID{fn.Meta().Origin}
	}
	var out []ir.OriginID
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if kind, _ := valueKind(b.BoundValue()); kind == history.Binding {
			out = append(out, originOf(b))
		}
	})
	return out
}

// step tables the functions that differ between two modules.
func (r *Recorder) step(s *history.Step, before, after *ir.Module) error {
	t := r.tablerFor(after.Origins(), s)
	after.EachChange(before, func(name string, was, now ir.Function) {
		f := history.Function{Name: name, Gone: now == nil}
		switch now.(type) {
		case *relax.Function, *tir.PrimFunc:
			f.Rows, f.Unknown = t.function(r.snaps.Of(name, now))
		}
		s.Functions = append(s.Functions, f)
	})
	slices.SortFunc(s.Functions, func(a, b history.Function) int { return strings.Compare(a.Name, b.Name) })
	return r.report(s)
}

func (r *Recorder) report(s *history.Step) error {
	if len(s.Functions) == 0 && len(s.Roots) == 0 {
		return nil
	}
	limit := r.Limit
	if limit == 0 {
		limit = history.MaxStepCells
	}
	if s.Cells() > limit {
		s = &history.Step{Path: s.Path, Pass: s.Pass, Truncated: true}
	}
	return r.sink(s)
}
