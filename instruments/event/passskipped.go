package event

// ReasonKind says which rule kept a pass from running.
type ReasonKind string

// The kinds of reasons.
const (
	// ReasonDisabled: the pass is in the list of disabled passes.
	ReasonDisabled ReasonKind = "disabled"
	// ReasonOptLevel: the level of the pass is above opt_level.
	ReasonOptLevel ReasonKind = "opt_level"
	// ReasonInstrument: an instrument's should-run said no.
	ReasonInstrument ReasonKind = "instrument"
	// ReasonStopped: an earlier step failed, or the run was canceled.
	ReasonStopped ReasonKind = "stopped"
)

// PassSkipped says that a pass did not run, and why.
type PassSkipped struct {
	Name  string   `json:"name"`
	Level int      `json:"level"`
	Role  Role     `json:"role"`
	Kind  PassKind `json:"kind"`
	// Occurrence is as in PassStarted.
	Occurrence int `json:"occurrence"`
	// Reason is the rule, for programs.
	Reason ReasonKind `json:"reason"`
	// Text is the rule for people: "level 3 > opt_level 2".
	Text string `json:"text"`
	// Instrument names the instrument for ReasonInstrument.
	Instrument string `json:"instrument,omitempty"`
}

// TypePassSkipped is the type of the events that carry a PassSkipped.
const TypePassSkipped Type = "pass_skipped"

// EventType implements Body.
func (*PassSkipped) EventType() Type { return TypePassSkipped }

func (b *PassSkipped) apply(r *Run, e Event) {
	r.Skipped++
	s := r.end(e, b.Name, b.Level, b.Role, b.Kind)
	s.skip(b.Text, b.Reason)
}
