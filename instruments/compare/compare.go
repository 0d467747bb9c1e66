// Package compare says where two runs part: which steps of one stand for which of the other, after which the modules differ, and
// what the two came to. It reads logs alone, so that runs of different sessions, and of an imported one, compare as well.
package compare

import "github.com/irscope/irscope/instruments/event"

// Comparison lays two runs, A and B, side by side.
type Comparison struct {
	// Rows are the steps of both in the order of their trees: the imported modules first, the generated code last.
	Rows []Row `json:"rows"`
	// First is the index of the first row after which the modules differ; -1 where they never do.
	First int `json:"first"`
	// Figures are what the two runs came to.
	Figures []Figure `json:"figures"`
	// Outputs pairs the outputs of the last executions by name.
	Outputs []Output `json:"outputs"`
}

// Row is a step of the two runs, or of one of them where the other has none that stands for it.
type Row struct {
	A *Step `json:"a,omitempty"`
	B *Step `json:"b,omitempty"`
	// Differ counts the functions whose texts differ after the row. In the row of the code it counts kernels.
	Differ int `json:"differ"`
}

// Step is a step of one of the runs.
type Step struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Depth int    `json:"depth,omitempty"`
	// Sequence tells that the step is made of others.
	Sequence bool             `json:"sequence,omitempty"`
	Status   event.StepStatus `json:"status"`
	// Text says why it was skipped.
	Text    string `json:"text,omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
	// Total is its time with the steps in it, in nanoseconds.
	Total int64 `json:"total,omitempty"`
	// Metrics are those of the module after the step where it was measured then: after each pass that changed it. After another step
	// they are those of the step before it.
	Metrics *event.Metrics `json:"metrics,omitempty"`
}

// Function is the text of a function in the two runs, by hash; empty where the function is not there.
type Function struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
}

// Same tells that both have the same text.
func (f Function) Same() bool { return f.A == f.B }

// Runs compares two runs. The time is linear in the logs but for the alignment, which takes O(n log n) steps.
func Runs(a, b *event.Run) *Comparison {
	c := &Comparison{First: -1}
	walk(a, b, func(r Row, s *state) bool {
		r.Differ = len(s.differ)
		if c.First < 0 && r.Differ > 0 && !r.sequence() {
			c.First = len(c.Rows)
		}
		c.Rows = append(c.Rows, r)
		return true
	})
	c.Figures, c.Outputs = figures(a, b), outputs(a, b)
	return c
}

// sequence tells that the row is of steps that are made of others.
func (r Row) sequence() bool { return (r.A == nil || r.A.Sequence) && (r.B == nil || r.B.Sequence) }

// Functions lists the functions after a row of the comparison of two runs, sorted by name: those that differ, or all of them. In the
// row of the code they are kernels. It is nil where there is no such row.
func Functions(a, b *event.Run, row int, all bool) []Function {
	var out []Function
	i := 0
	walk(a, b, func(_ Row, s *state) bool {
		if i++; i <= row {
			return true
		}
		out = s.functions(all)
		return false
	})
	return out
}

// walk calls f with each row and the modules after it, until f reports false.
func walk(a, b *event.Run, f func(Row, *state) bool) {
	sides := [2]*side{newSide(a), newSide(b)}
	s := newState()
	for i, d := range sides {
		s.apply(i, d.changes[d.run.Import])
	}
	if !f(Row{A: imported(a), B: imported(b)}, s) {
		return
	}
	for _, p := range align(sides[0].steps, sides[1].steps) {
		var r Row
		if p[0] >= 0 {
			r.A = sides[0].step(p[0])
			s.apply(0, sides[0].until(p[0]))
		}
		if p[1] >= 0 {
			r.B = sides[1].step(p[1])
			s.apply(1, sides[1].until(p[1]))
		}
		if !f(r, s) {
			return
		}
	}
	if a.Code == nil && b.Code == nil {
		return
	}
	code := newState()
	r := Row{}
	for i, d := range sides {
		code.apply(i, d.changes[d.run.Generated])
	}
	r.A, r.B = generated(a), generated(b)
	f(r, code)
}
