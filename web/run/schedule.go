package run

import (
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/looptree"
)

// CheckedSchedule is what Compiler.CheckSchedule found of a schedule.
type CheckedSchedule struct {
	// Diagnostics are errors and warnings of the script.
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	// Steps are the primitives that the script called, the last of them one that failed if one did.
	Steps []ScheduleStep `json:"steps"`
	// Loops are those of the kernel after the last step.
	Loops *looptree.Tree `json:"loops"`
	// Start is a script to start from, which looks up the blocks and loops of the kernel; absent where a script was given.
	Start string `json:"start,omitempty"`
	// Before and After are the texts of the kernel without a schedule and with this one.
	Before string `json:"-"`
	After  string `json:"-"`
}

// ScheduleStep is a primitive that a schedule called.
type ScheduleStep struct {
	Name string `json:"name"`
	// Call is the line of the script that called it, and Line its number.
	Call    string `json:"call"`
	Line    int    `json:"line"`
	Changed bool   `json:"changed"`
	// Error says why it could not be applied.
	Error string `json:"error,omitempty"`
}

// MeasuredSchedule compares the times of a kernel with the default schedule and with that of a user. Both are called in turn.
type MeasuredSchedule struct {
	Target  string        `json:"target"`
	Default ScheduleTimes `json:"default"`
	Own     ScheduleTimes `json:"own"`
	// Plain tells that kernels have no default schedule in the run, so that the default is the plain loops.
	Plain bool `json:"plain,omitempty"`
	// Same tells that both computed the same up to the order of sums; Difference is the largest absolute one.
	Same       bool        `json:"same"`
	Difference event.Float `json:"difference"`
}

// ScheduleTimes are times of calls in nanoseconds, and the size of the code.
type ScheduleTimes struct {
	Median int64 `json:"median"`
	Best   int64 `json:"best"`
	Runs   int   `json:"runs"`
	Bytes  int   `json:"bytes"`
}
