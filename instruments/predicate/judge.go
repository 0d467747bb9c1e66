package predicate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// Function is the name of the function that a check defines.
const Function = "check"

// What one check may use.
const (
	// MaxTime is its wall time.
	MaxTime  = 5 * time.Second
	maxSteps = 2_000_000
	memory   = 64 << 20
	output   = 64 << 10
	maxSays  = 2000 // bytes of what it tells
)

// Run is a run that a check looks at.
type Run struct {
	// Events is the state after its log.
	Events   *event.Run
	Settings request.Settings
	// Module returns the module after a step, named as in request.Patch.
	Module func(ctx context.Context, after string) (*ir.Module, error)
}

// Question is a check with what it may ask for. Start is what the run is compared with, Answer what was typed or chosen; either may be
// missing.
type Question struct {
	Script     request.Script
	Run, Start *Run
	Answer     *string
}

// Verdict is what a check found.
type Verdict struct {
	OK bool
	// Says is what the check tells where it is not OK; may be empty.
	Says string
}

// Valid runs the top level of a check and says what is wrong with it: an error of Starlark, a function check that is not there, or one
// with a parameter other than run, start and answer. The error is a *Fault, or that of the context.
func Valid(ctx context.Context, s request.Script) error {
	return guard(ctx, s, func(script *starpass.Script, o starpass.CallOptions) error {
		o.Args = starlark.StringDict{"run": nil, "start": nil, "answer": nil}
		return script.Callable(o)
	})
}

// Judge calls a check. A check that returns True or None is met; one that returns False or a text is not, and the text says why. The
// error is a *Fault, or that of the context.
func Judge(ctx context.Context, q Question) (Verdict, error) {
	var v Verdict
	err := guard(ctx, q.Script, func(script *starpass.Script, o starpass.CallOptions) error {
		o.Args = starlark.StringDict{}
		for name, r := range map[string]*Run{"run": q.Run, "start": q.Start} {
			if r != nil {
				o.Args[name] = runValue(o.Context.Context(), r)
			}
		}
		if q.Answer != nil {
			o.Args["answer"] = starlark.String(*q.Answer)
		}
		found, err := script.Call(o)
		if err != nil {
			return err
		}
		v, err = verdict(found)
		return err
	})
	return v, err
}

// guard reads a check and bounds the time that f has with it.
func guard(ctx context.Context, s request.Script, f func(*starpass.Script, starpass.CallOptions) error) error {
	within, cancel := context.WithTimeoutCause(ctx, MaxTime, fmt.Errorf("the check was stopped after %v", MaxTime))
	defer cancel()
	script, err := starpass.Parse(s.Name, s.Source, starpass.Limits{Steps: maxSteps, Memory: memory, Output: output})
	if err != nil {
		return &Fault{err, s.Name}
	}
	c, err := pass.NewContext(within)
	if err != nil {
		return err
	}
	err = f(script, starpass.CallOptions{Context: c, Function: Function})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Fault{err, s.Name}
}

// verdict reads what a check returned.
func verdict(v starlark.Value) (Verdict, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return Verdict{OK: true}, nil
	case starlark.Bool:
		return Verdict{OK: bool(v)}, nil
	case starlark.String:
		return Verdict{Says: clip(string(v))}, nil
	}
	return Verdict{}, errors.New("check returned " + v.Type() + ", want True, False, None, or a text that says what is missing")
}

// clip shortens what a check tells.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxSays {
		return s
	}
	n := maxSays
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
