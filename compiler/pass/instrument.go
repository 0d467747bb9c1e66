package pass

import (
	"time"

	"github.com/irscope/irscope/compiler/ir"
)

// Instrument watches the passes of a context. Every callback may be nil, which does nothing
// (and lets every pass run). An error from a callback stops the run as TVM's rules say.
type Instrument struct {
	Name string

	EnterPassCtx  func() error
	ExitPassCtx   func() error
	ShouldRun     func(m *ir.Module, s *Step) (bool, error)
	RunBeforePass func(m *ir.Module, s *Step) error
	// RunAfterPass sees the module that the pass returned; s.Input is what it was given
	// and s.Duration the time of its body.
	RunAfterPass func(m *ir.Module, s *Step) error

	// PassSkipped hears of passes that did not run and why. It is not in TVM.
	PassSkipped func(m *ir.Module, s *Step, r SkipReason)
	// PassFailed hears of passes whose body failed; RunAfterPass is not called for them.
	// It is not in TVM.
	PassFailed func(m *ir.Module, s *Step, err error)

	// Replayable says that the effects of the instrument follow from the modules alone, so
	// that steps may be taken from an earlier run without calling RunAfterPass.
	Replayable bool
	// PassReused hears, in place of RunAfterPass, of a step that was taken from an earlier run,
	// which these instruments have watched. It is not in TVM.
	PassReused func(m *ir.Module, s *Step) error
}

// SkipReason says why a pass did not run.
type SkipReason struct {
	Kind SkipKind
	Text string // for users, e.g. "level 3 > 2"
}

// SkipKind classifies SkipReason.
type SkipKind uint8

// The reasons for which a pass does not run.
const (
	SkipDisabled SkipKind = iota // named in disabled_pass
	SkipLevel                    // its level is above the context's
	SkipVeto                     // an instrument's should-run said no
)

var skipNames = [...]string{"disabled", "level", "instrument"}

// String returns "disabled", "level" or "instrument".
func (k SkipKind) String() string { return skipNames[k] }

// Step is one run of a pass at its place in the pipeline.
type Step struct {
	Pass   *Pass
	Parent *Step // nil for the outermost pass
	// ID is the place among the children of Parent: "3", "3r1" for the first pass that
	// child 3 requires, "3e" for a child that stands aside behind it.
	ID string
	// RequiredBy names the pass that required this one; empty if none did.
	RequiredBy string

	Input    *ir.Module    // module that the pass was given
	Duration time.Duration // time of the body without instruments; valid after it ran
	Self     time.Duration // Duration without nested passes
	function string        // that the body is working on, see Context.Working
	children int           // passes run by the body so far
	excluded time.Duration // time spent in instruments below this step
	nested   time.Duration // time of nested passes
}

// Path returns the place of the step in the whole run, e.g. "2.1/FuseOps".
func (s *Step) Path() string {
	ids := s.ID
	for p := s.Parent; p != nil; p = p.Parent {
		ids = p.ID + "." + ids
	}
	return ids + "/" + s.Pass.Name
}

// Depth is the number of steps around this one.
func (s *Step) Depth() int {
	n := 0
	for p := s.Parent; p != nil; p = p.Parent {
		n++
	}
	return n
}
