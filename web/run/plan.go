package run

import "github.com/irscope/irscope/instruments/event"

// Planned is what Compiler.Plan found.
type Planned struct {
	// Steps are those of the pipeline as in run_started; none where it has errors.
	Steps []event.PlanStep `json:"steps"`
	// Warnings are the places where the order of steps breaks a constraint. The pipeline runs
	// all the same.
	Warnings []OrderWarning `json:"warnings"`
	// Problems keep a run from starting.
	Problems []Problem `json:"problems"`
}

// OrderWarning is a step that stands too early, or without one that it needs.
type OrderWarning struct {
	// Step is the path of the step, Other that of the step that should stand before it; empty
	// where none does.
	Step  string `json:"step"`
	Other string `json:"other,omitempty"`
	// Message says what is wrong, why it matters and what to do.
	Message string `json:"message"`
}

// Problem is something in settings that the compiler does not take. What does not apply is
// empty; Message alone is about the settings as a whole.
type Problem struct {
	// Step is the number of a step, such as "1.10.2", and Option one of its options.
	Step   string `json:"step,omitempty"`
	Option string `json:"option,omitempty"`
	// Config is a key of the config, Pass a name among those that are required or disabled.
	Config  string `json:"config,omitempty"`
	Pass    string `json:"pass,omitempty"`
	Message string `json:"message"`
}
