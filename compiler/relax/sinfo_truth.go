package relax

// Truth is the result of a question that need not have a known answer at compile time.
type Truth uint8

// The answers. And and Or treat Unknown as in Kleene's logic.
const (
	False Truth = iota
	Unknown
	True
)

// String returns "false", "unknown" or "true".
func (t Truth) String() string { return [...]string{"false", "unknown", "true"}[t] }

// And returns the conjunction.
func (t Truth) And(u Truth) Truth { return min(t, u) }

// Or returns the disjunction.
func (t Truth) Or(u Truth) Truth { return max(t, u) }

func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// VarName returns the variable's name.
func (v *Var) VarName() string { return v.Name }
