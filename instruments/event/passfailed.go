package event

// PassFailed says that a pass began and did not finish. The module before it
// stays what the log says.
type PassFailed struct {
	Name  string `json:"name"`
	Error Error  `json:"error"`
}

// TypePassFailed is the type of the events that carry a PassFailed.
const TypePassFailed Type = "pass_failed"

// EventType implements Body.
func (*PassFailed) EventType() Type { return TypePassFailed }

func (b *PassFailed) apply(r *Run, e Event) {
	r.Failed++
	s := r.end(e, b.Name, 0, RoleOptional, PassModule)
	s.Status, s.Error = StepFailed, &b.Error
}
