package pass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// TypeError is a value of the wrong kind; Python's TypeError in TVM.
type TypeError struct{ What, Want, Got string }

// Error describes the mismatch.
func (e *TypeError) Error() string { return fmt.Sprintf("%s needs %s, got %s", e.What, e.Want, e.Got) }

// ValueError is a missing or unusable value; Python's ValueError in TVM.
type ValueError struct{ What, Want string }

// Error describes what is missing.
func (e *ValueError) Error() string { return e.What + " needs " + e.Want }

// ConfigError is a config option that does not exist or has a value of the wrong type;
// AttributeError in TVM.
type ConfigError struct {
	Key   string
	Known []string // candidates, if the key is unknown
	Want  string   // expected type, if the value is wrong
	Got   any
	Other string // the other spelling, if the option is given in two
}

// Error names the option and what would be right.
func (e *ConfigError) Error() string {
	switch {
	case e.Known != nil:
		return fmt.Sprintf("Invalid config option '%s' candidates are: %s", e.Key, strings.Join(e.Known, ", "))
	case e.Other != "":
		return fmt.Sprintf("config option %s is also given as %s: give it once", e.Key, e.Other)
	case e.Got == nil:
		return e.Key + " is None"
	}
	return fmt.Sprintf("config option %s needs a value of type %s, got %v", e.Key, e.Want, e.Got)
}

// FieldError is an unknown field of a structured config option; TypeError in TVM.
type FieldError struct {
	Key, Field string
	Known      []string
}

// Error names the field and the known ones.
func (e *FieldError) Error() string {
	return fmt.Sprintf("config option %s has no field %q; it has %s", e.Key, e.Field, strings.Join(e.Known, ", "))
}

// OptionError is a pass option that does not exist or has a value that it does not take.
type OptionError struct {
	Pass, Option string
	Known        []string
	Want         string
	Choices      []ir.Value // the values that it takes, where they are listed
	Got          any
}

// Error names the pass, the option and what would be right.
func (e *OptionError) Error() string {
	if len(e.Choices) > 0 {
		choices := make([]string, len(e.Choices))
		for i, c := range e.Choices {
			choices[i] = describeValue(c)
		}
		return fmt.Sprintf("option %s of pass %s is %s, expected %s", e.Option, e.Pass, describeValue(e.Got), strings.Join(choices, " or "))
	}
	if e.Want != "" {
		return fmt.Sprintf("option %s of pass %s needs a value of type %s, got %s", e.Option, e.Pass, e.Want, describeValue(e.Got))
	}
	if len(e.Known) == 0 {
		return fmt.Sprintf("pass %s has no option %q: it has no options at all", e.Pass, e.Option)
	}
	return fmt.Sprintf("pass %s has no option %q; it has %s", e.Pass, e.Option, strings.Join(e.Known, ", "))
}

// UnknownPassError is a pass name that the registry does not know.
type UnknownPassError struct {
	Name  string
	Where string // "required by FuseOps", "disabled_pass", ...
	Near  string // a known name like it, if any
}

// Error names the pass and the nearest known name.
func (e *UnknownPassError) Error() string {
	s := fmt.Sprintf("unknown pass %q", e.Name)
	if e.Where != "" {
		s += " (" + e.Where + ")"
	}
	if e.Near != "" {
		s += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return s
}

// Error is the failure of a pass. Err is what the pass returned or panicked with.
type Error struct {
	Step  *Step
	Func  string // function it was working on, if known
	Stack string // goroutine stack, if it panicked
	Err   error
}

// Error names the pass, its place in the pipeline and the function.
func (e *Error) Error() string {
	s := fmt.Sprintf("pass %s (step %s)", e.Step.Pass.Name, e.Step.Path())
	if e.Func != "" {
		s += " in function " + e.Func
	}
	if e.Stack != "" {
		s += " panicked"
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// InstrumentError is the failure of an instrument.
type InstrumentError struct {
	Instrument, Callback string
	Pass                 string // empty on entering and leaving a context
	Err                  error
}

// Error names the instrument, the callback and the pass.
func (e *InstrumentError) Error() string {
	s := fmt.Sprintf("instrument %s: %s", e.Instrument, e.Callback)
	if e.Pass != "" {
		s += " around pass " + e.Pass
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InstrumentError) Unwrap() error { return e.Err }
