package run

import "github.com/irscope/irscope/instruments/event"

// Judged is a run that a check looks at.
type Judged struct {
	Request Request
	// Events is the state after its log.
	Events *event.Run
}

// Question is a script with a function check, and what that may ask for: a run, one to compare it with, and a text. What is nil is not
// there.
type Question struct {
	Check      Script
	Run, Start *Judged
	Answer     *string
}

// Verdict is what a check found.
type Verdict struct {
	OK bool `json:"ok"`
	// Says is what the check tells where it is not OK; may be empty.
	Says string `json:"says"`
}
