// Package fault says, as plain data, what a search for the pass at fault found. Package bisect makes it; the command line prints it, and the page shows it. It
// knows no compiler.
package fault

import "github.com/irscope/irscope/instruments/request"

// Finding is what a search found.
type Finding struct {
	Predicate string `json:"predicate"`
	// Step is the path of the step at fault in the pipeline, and Pass its pass.
	Step string `json:"step"`
	Pass string `json:"pass"`
	// Inside is the step at fault inside of that, such as a primitive of a schedule; nil where the pass has none, or it is not known.
	Inside *Inside `json:"inside,omitempty"`
	// Candidates are the steps of which one is at fault, where the modules between them could not be judged; else it is only Step.
	Candidates []string `json:"candidates"`
	// Detail is the message of a crash, or what was seen of the module behind the step.
	Detail string `json:"detail"`
	// Functions are those at fault in the smallest module, as the module before the step has them: the fewest that show the fault together.
	Functions []string `json:"functions"`
	// Also are the other functions that the pass spoils: they show the fault without those of Functions, and most of them by themselves. AlsoStopped tells
	// whether time was up before all were known.
	Also        []string `json:"also,omitempty"`
	AlsoStopped bool     `json:"also_stopped,omitempty"`
	// Rewrites are the reported rewrites at fault, and How says how that is known.
	Rewrites []Rewrite `json:"rewrites"`
	How      How       `json:"how"`
	// Passes is the shortest pipeline, in the notation of --passes, and Steps and Patches the same as settings have it. Path is that of the step at
	// fault in a run with these.
	Passes  string          `json:"passes"`
	Steps   []request.Step  `json:"steps"`
	Patches []request.Patch `json:"patches,omitempty"`
	Path    string          `json:"path"`
	// Source is the smallest module as TVMScript; Before and After are what the pass at fault was given and made of it. After is "" where the pass
	// failed.
	Source string `json:"source"`
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
	// Whole is Source with the values of the constants, "" where it has none, and Omitted counts those that are too large to go along.
	Whole   string `json:"whole,omitempty"`
	Omitted int    `json:"omitted,omitempty"`
	// Inputs are the parameters of the smallest module for which inputs were given.
	Inputs []string `json:"inputs"`
	// Tests counts the runs of passes, and Stopped says what ended the reduction early, "" if nothing did.
	Tests   int    `json:"tests"`
	Stopped string `json:"stopped,omitempty"`
}

// Inside is a step inside of a pass.
type Inside struct {
	// Step is its path in the pipeline, and Path that in a run of the shortest pipeline.
	Step string `json:"step"`
	Path string `json:"path"`
	Pass string `json:"pass"`
	// Title is how a user wrote it, and Line the line of the script: "" and 0 where no user did.
	Title string `json:"title,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Rewrite is a rewrite that the pass at fault reported, with the nodes before and after it as TVMScript.
type Rewrite struct {
	Name   string   `json:"name"`
	Func   string   `json:"func"`
	Before []string `json:"before"`
	After  []string `json:"after"`
}

// How says how the rewrites of a finding are known.
type How string

// How the rewrites of a finding are known.
const (
	// HowOnly is for the only rewrite that the pass reported in the function.
	HowOnly How = "only"
	// HowApplied is for the fewest rewrites that, applied without the others, show the fault.
	HowApplied How = "applied"
	// HowLast is for the last rewrite that the pass reported before it failed.
	HowLast How = "last"
	// HowAny is for all that the pass reported: which of them is at fault is not known.
	HowAny How = "any"
	// HowNone is for a pass that reported none.
	HowNone How = "none"
)
