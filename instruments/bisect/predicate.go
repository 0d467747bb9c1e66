package bisect

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler/ir"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Wrong    Kind = "wrong"    // the outputs differ from those of the module that the passes were given
	Crash    Kind = "crash"    // a pass fails
	Invalid  Kind = "invalid"  // a pass leaves a module that is not well-formed
	Slower   Kind = "slower"   // an optional pass makes the program slower
	Contains Kind = "contains" // the printed module has a text
	Lacks    Kind = "lacks"    // the printed module has lost a text
	Script   Kind = "script"   // a function in Starlark returns True for the module
)

// Predicate says which fault is looked for.
type Predicate struct {
	Kind Kind
	// Text is the message that a crash must contain ("" is any), the pattern of contains and lacks, and the source of a script.
	Text string
	// Name is that of the file of a script, for messages.
	Name string
	// Limit and Factor are those of slower: a time that the program takes only with the pass, or how many times as long it takes with it.
	Limit  time.Duration
	Factor float64

	pattern *regexp.Regexp
}

// Forms describes what Parse reads, for help.
const Forms = `wrong, crash, crash=MESSAGE, invalid, slower=5ms, slower=2x, contains=REGEXP, lacks=REGEXP`

// Parse reads a predicate as it is written on a command line. A script is not among the forms: its source comes from a file.
func Parse(text string) (*Predicate, error) {
	name, value, has := strings.Cut(text, "=")
	p := &Predicate{Kind: Kind(name), Text: value}
	switch p.Kind {
	case Wrong, Invalid:
		if has {
			return nil, fmt.Errorf("%s takes no value, got %q", name, value)
		}
		return p, nil
	case Crash:
		return p, nil
	case Slower:
		if factor, ok := strings.CutSuffix(value, "x"); ok {
			f, err := strconv.ParseFloat(factor, 64)
			if err != nil || !(f > 1 && f <= 1e6) {
				return nil, fmt.Errorf("slower=%s: expected a factor above 1, as in slower=2x", value)
			}
			p.Factor = f
			return p, nil
		}
		var err error
		if p.Limit, err = time.ParseDuration(value); err != nil || p.Limit <= 0 {
			return nil, fmt.Errorf("slower=%s: expected a time, as in slower=5ms, or a factor, as in slower=2x", value)
		}
		return p, nil
	case Contains, Lacks:
		if value == "" {
			return nil, fmt.Errorf("%s needs a regular expression, as in %s=conv2d", name, name)
		}
		var err error
		if p.pattern, err = regexp.Compile(value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return p, nil
	}
	return nil, fmt.Errorf("unknown predicate %q: expected %s", text, Forms)
}

// String writes the predicate as Parse reads it.
func (p *Predicate) String() string {
	switch {
	case p.Kind == Slower && p.Factor > 0:
		return fmt.Sprintf("slower=%gx", p.Factor)
	case p.Kind == Slower:
		return "slower=" + p.Limit.String()
	case p.Kind == Script || p.Text == "":
		return string(p.Kind)
	}
	return string(p.Kind) + "=" + p.Text
}

// Verdict is what a comparison or a script said of a module.
type Verdict struct {
	// Fault tells whether the module shows the fault. It means nothing where the module is Unknown: it cannot be executed, say.
	Fault, Unknown bool
	// Detail says what was seen, in a sentence: "output 0 differs by 3.5 at element 7".
	Detail string
}

// Hooks execute programs for a search. One that a predicate needs and that is nil is an error.
type Hooks struct {
	// Compare executes two modules on the same inputs and tells whether the outputs of the second are wrong.
	Compare func(ctx context.Context, first, now *ir.Module) (Verdict, error)
	// Measure generates code for a lowered module and returns the time that a call of it takes. The source is the module before it was
	// lowered.
	Measure func(ctx context.Context, source, lowered *ir.Module) (time.Duration, error)
	// Script runs the predicate in Starlark on a module.
	Script func(ctx context.Context, m *ir.Module) (bool, error)
}

// needs returns an error where the hook that the predicate needs is missing.
func (h Hooks) needs(p *Predicate) error {
	if p.Kind == Wrong && h.Compare == nil || p.Kind == Slower && h.Measure == nil || p.Kind == Script && h.Script == nil {
		return errors.New("nothing here can tell whether the predicate " + string(p.Kind) + " holds")
	}
	return nil
}
