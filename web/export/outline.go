package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// step is a step of a run as reports show it.
type step struct {
	Step, Path, Name string
	Depth            int
	Level            int
	// Status is "changed", "same", "skipped", "failed" or "not run".
	Status string
	Note   string // why it ran or did not
	// Total is the time of the step with the steps in it, as everywhere.
	Total    int64
	Sequence bool
	Reused   bool
	Error    *event.Error
	Done     *event.PassFinished
	Notes    []store.Note
	event.Delta
}

// outline is a run as reports show it.
type outline struct {
	*event.Run
	// Steps are all steps in the order in which people read them.
	Steps []*step
	// Start and Finish are never nil.
	Start  *event.RunStarted
	Finish *event.RunFinished
	// Notes are those on the run as a whole; those on a step that the run lacks are here too.
	Notes []store.Note
	// outer has the paths of steps that hold others.
	outer map[string]bool
}

// newOutline brings the log of a run into the order in which people read it. It takes any
// log, also one that no compiler wrote.
func newOutline(b *Bundle, r *Run) *outline {
	o := &outline{Run: event.Fold(r.Events), Start: &event.RunStarted{Model: r.Request.Source.Name}, Finish: &event.RunFinished{Status: r.Status}, outer: map[string]bool{}}
	if o.Started != nil {
		o.Start = o.Started
	}
	if o.Finished != nil {
		o.Finish = o.Finished
	}
	at := map[string]*step{}
	for _, s := range o.All() {
		at[s.Path] = newStep(s)
		if i := strings.LastIndexByte(at[s.Path].Path, '.'); i >= 0 {
			o.outer[at[s.Path].Path[:i]] = true
		}
		o.Steps = append(o.Steps, at[s.Path])
	}
	for _, n := range b.Session.Notes {
		switch s := at[n.Step]; {
		case n.Run != "" && n.Run != r.ID:
		case s != nil:
			s.Notes = append(s.Notes, n)
		default:
			o.Notes = append(o.Notes, n)
		}
	}
	return o
}

// newStep returns a step as reports show it.
func newStep(s *event.Step) *step {
	short, _, _ := strings.Cut(s.Path, "/")
	out := &step{
		Step: s.Path, Path: short, Name: s.Name, Depth: min(strings.Count(short, "."), 6), Level: s.Level,
		Status: "not run", Note: s.Why, Reused: s.Reused, Sequence: s.Kind == event.PassSequential,
	}
	if s.Seq < 0 { // no event ended it
		return out
	}
	out.Status, out.Error, out.Done = string(s.Status), s.Error, s.Finished
	if s.Status == event.StepSkipped {
		out.Note = s.Text
	}
	if s.Finished != nil {
		out.Delta, out.Total = s.Finished.Delta(), s.Measured.Total
	}
	return out
}

// place says where in its run a note is pinned.
func place(n store.Note) string {
	var words []string
	if n.Step != "" {
		words = append(words, n.Step)
	}
	if n.Function != "" {
		words = append(words, n.Function)
	}
	if n.Line > 0 {
		words = append(words, fmt.Sprintf("line %d", n.Line))
	}
	return strings.Join(words, ", ")
}

// sequential tells whether a step only holds others: what they changed is shown there.
func (o *outline) sequential(s *step) bool { return o.outer[s.Path] }

// duration prints nanoseconds for people.
func duration(ns int64) string {
	switch d := time.Duration(ns); {
	case ns <= 0:
		return ""
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(ns)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

// tensorText prints a tensor in one line.
func tensorText(t event.Tensor) string {
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = fmt.Sprint(d)
	}
	first := make([]string, 0, len(t.First))
	for _, x := range t.First[:min(len(t.First), 16)] {
		first = append(first, fmt.Sprintf("%.6g", float64(x)))
	}
	more := ""
	size := int64(1)
	for _, d := range t.Shape {
		size *= d
	}
	if size > int64(len(first)) {
		more = ", …"
	}
	return fmt.Sprintf("%s[%s] = %s%s", t.DType, strings.Join(dims, "×"), strings.Join(first, ", "), more)
}

// rangeText prints the range of a tensor.
func rangeText(t event.Tensor) string {
	out := fmt.Sprintf("min %.6g, max %.6g, mean %.6g", float64(t.Min), float64(t.Max), float64(t.Mean))
	if t.NaNs > 0 {
		out += fmt.Sprintf(", %d NaN", t.NaNs)
	}
	return out
}

// bindingsText prints the values of symbolic dimensions.
func bindingsText(b map[string]int64) string {
	var out []string
	for name, v := range b {
		out = append(out, fmt.Sprintf("%s = %d", name, v))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
