package event

// PassStarted says that a pass passed all filters and begins.
type PassStarted struct {
	Name  string   `json:"name"`
	Level int      `json:"level"`
	Role  Role     `json:"role"`
	Kind  PassKind `json:"kind"`
	// Occurrence counts the steps of this name that came before, from 0:
	// name#occurrence identifies the step in links.
	Occurrence int `json:"occurrence"`
	// Why is empty where the pass ran because it stands in the pipeline and
	// passed the filters; otherwise a sentence: "required by FuseOps",
	// "required by name although level 4 > opt_level 2".
	Why string `json:"why,omitempty"`
	// Title is what the step is called in full: by a dump, or the call of a primitive of a schedule. It is absent for passes of our own.
	Title string `json:"title,omitempty"`
	// Line is that of the user's schedule which asks for the step.
	Line int `json:"line,omitempty"`
}

// TypePassStarted is the type of the events that carry a PassStarted.
const TypePassStarted Type = "pass_started"

// EventType implements Body.
func (*PassStarted) EventType() Type { return TypePassStarted }

func (b *PassStarted) apply(r *Run, e Event) {
	if b.Kind != PassSequential {
		r.Ran++
	}
	s := r.step(e, b.Name, b.Level, b.Role, b.Kind)
	m := e.measured()
	s.Status, s.Why, s.Title, s.Line, s.Reused = StepRunning, b.Why, b.Title, b.Line, e.Reused
	s.Began, s.given = e.Seq, len(r.Changes)
	if s.At = m.At; s.At == 0 {
		s.At = r.Clock
	}
	s.Before = r.metrics
	r.begun = append(r.begun, begin{s, e.Seq})
}
