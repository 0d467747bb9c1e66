package event

// Status is how a run ended.
type Status string

// The ways in which a run ends.
const (
	StatusOK          Status = "ok"
	StatusFailed      Status = "failed"
	StatusCanceled    Status = "cancelled"
	StatusTimeout     Status = "timeout"
	StatusLimit       Status = "limit"
	StatusInterrupted Status = "interrupted"
)

// RunFinished closes every log; no event follows it.
type RunFinished struct {
	Status Status `json:"status"`
	// Error is set unless Status is StatusOK.
	Error *Error `json:"error,omitempty"`
	// The counts are over all steps of the log.
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
	// Unknown counts the steps of a dump that does not tell what they did.
	Unknown int `json:"unknown,omitempty"`
}

// TypeRunFinished is the type of the events that carry a RunFinished.
const TypeRunFinished Type = "run_finished"

// EventType implements Body.
func (*RunFinished) EventType() Type { return TypeRunFinished }

// Ends reports whether the event closes its log.
func (e Event) Ends() bool { return e.Type == TypeRunFinished }

func (b *RunFinished) apply(r *Run, e Event) {
	r.Finished, r.End = b, e.measured()
	if r.End.At == 0 {
		r.End.At = r.Clock
	}
	for _, s := range r.steps {
		switch s.Status {
		case StepRunning:
			fault := Error{Kind: KindInterrupted, Message: "the run ended in this step: " + string(b.Status)}
			if b.Error != nil {
				fault.Kind = b.Error.Kind
			}
			s.Status, s.Error = StepFailed, &fault
		case StepWaiting:
			s.Status, s.Text, s.Reason = StepSkipped, "not reached", ReasonStopped
		}
	}
}
