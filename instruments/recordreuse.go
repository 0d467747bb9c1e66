package instruments

import (
	"maps"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
)

// What an earlier run has reported need not be printed, hashed and measured again: its events say what a listing of the module needs.

// StartAgain is Start for a module that known, the event of an earlier run, describes.
func (r *Recorder) StartAgain(m *ir.Module, pl *pass.Pass, body, known *event.RunStarted) error {
	body.Functions, body.Module, body.Attrs, body.Metrics, body.History = known.Functions, known.Module, known.Attrs, known.Metrics, known.History
	listed := slices.Clone(known.Functions)
	for i := range listed {
		listed[i].Metrics = nil
	}
	r.now = listing{m, listed, known.Module}
	return r.begin(pl, body)
}

// begin reports the plan with what body says of the module.
func (r *Recorder) begin(pl *pass.Pass, body *event.RunStarted) error {
	body.Plan = Plan(pl)
	return r.sink.Emit(event.New("", "", body, &event.Measured{At: int64(time.Since(r.start))}))
}

// Reused notes that the result of a step is m, which body, the event of an earlier run, describes. Whoever calls it emits the event.
func (r *Recorder) Reused(m *ir.Module, s *pass.Step, body *event.PassFinished) {
	delete(r.inputs, s)
	if r.now.mod == m {
		return
	}
	changed, gone := map[string]event.Function{}, map[string]bool{}
	for _, f := range body.Functions {
		gone[f.Name] = true
		if f.Change != event.FunctionRemoved {
			changed[f.Name] = event.Function{Name: f.Name, Kind: f.Kind, Text: f.After, Lines: f.LinesAfter}
		}
	}
	r.now = listing{m, merge(r.now.funcs, changed, gone), body.Module}
}

// lent is what the reused steps in a step have of earlier runs: the time that they took there, in nanoseconds, and what finding them took now.
type lent struct {
	earlier int64
	spent   time.Duration
}

// Lend notes that a step that was reused has the times of an earlier run: the steps that it is in take them over, so that the time of a
// step is its own and that of the steps in it, in each run.
func (r *Recorder) Lend(s *pass.Step, m *event.Measured) {
	if m == nil {
		return
	}
	for above := s.Parent; above != nil; above = above.Parent {
		l := r.lent[above]
		r.lent[above] = lent{l.earlier + m.Total, l.spent + s.Duration}
	}
}

// merge returns the functions of a list, which is sorted by name, without those that are gone and with those that changed.
func merge(list []event.Function, changed map[string]event.Function, gone map[string]bool) []event.Function {
	if len(gone) == 0 {
		return list
	}
	fresh := slices.SortedFunc(maps.Values(changed), byName)
	out := make([]event.Function, 0, len(list)+len(fresh))
	for _, f := range list {
		for len(fresh) > 0 && fresh[0].Name < f.Name {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		if !gone[f.Name] {
			out = append(out, f)
		}
	}
	return append(out, fresh...)
}
