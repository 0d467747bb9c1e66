package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// hookNames are the callbacks of an instrument, in the order in which they are called.
var hookNames = []string{"enter_pass_ctx", "exit_pass_ctx", "should_run", "run_before_pass", "run_after_pass"}

// Instrument is an instrument as a value of Starlark.
type Instrument struct {
	name   string
	hooks  map[string]starlark.Callable
	object *Instance // of the class whose methods they are, nil if there is none
	native nativeInstrument
	frozen bool
}

var (
	_ holder   = (*Instrument)(nil)
	_ exported = (*Instrument)(nil)
)

// pass_instrument(name="", enter_pass_ctx=None, ...)
func instrumentBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in := &Instrument{name: "pass_instrument", hooks: map[string]starlark.Callable{}}
	if len(args) == 1 && len(kwargs) == 0 { // a decorator of a class
		if c, ok := args[0].(*Class); ok {
			return classInstrument(b.Name(), c)
		}
	}
	if len(args)+len(kwargs) == 0 {
		return b, nil
	}
	hooks := make([]starlark.Value, len(hookNames))
	pairs := []any{"name?", &in.name}
	for i, h := range hookNames {
		pairs = append(pairs, h+"?", &hooks[i])
	}
	if len(args) > 1 {
		return nil, fmt.Errorf("pass_instrument: callbacks are given by name: run_before_pass=..., not by position")
	}
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, pairs...); err != nil {
		return nil, err
	}
	if err := checkName(b.Name(), in.name); err != nil {
		return nil, err
	}
	for i, h := range hookNames {
		if hooks[i] == nil || hooks[i] == starlark.None {
			continue
		}
		fn, ok := hooks[i].(starlark.Callable)
		if !ok {
			return nil, fmt.Errorf("pass_instrument: %s is a function, got %s", h, describe(hooks[i]))
		}
		in.hooks[h] = fn
	}
	return in, nil
}

// String names the instrument.
func (in *Instrument) String() string { return "PassInstrument(" + in.name + ")" }

// Type is TVM's name.
func (*Instrument) Type() string { return "PassInstrument" }

// Freeze freezes the callbacks.
func (in *Instrument) Freeze() {
	if !in.frozen {
		in.frozen = true
		in.held(starlark.Value.Freeze)
	}
}

func (in *Instrument) held(f func(starlark.Value)) {
	for _, h := range hookNames {
		if fn := in.hooks[h]; fn != nil {
			f(fn)
		}
	}
}

func (*Instrument) source(string) {}

// Truth is true.
func (*Instrument) Truth() starlark.Bool { return true }

// Hash is that of the name.
func (in *Instrument) Hash() (uint32, error) { return starlark.String(in.name).Hash() }

// bind returns the instrument with callbacks that run on r's thread.
func (in *Instrument) bind(r *run) *pass.Instrument {
	if in.native != nil {
		return in.native.bind(r)
	}
	out := &pass.Instrument{Name: in.name}
	call := func(h string, args ...starlark.Value) (starlark.Value, error) {
		v, err := r.call(in.hooks[h], args...)
		return v, located(err)
	}
	plain := func(h string) func() error {
		if in.hooks[h] == nil {
			return nil
		}
		return func() error { _, err := call(h); return err }
	}
	about := func(m *ir.Module, s *pass.Step) []starlark.Value {
		return []starlark.Value{&Module{m: m}, infoValue(s.Pass.Name, s.Pass.Level, s.Pass.Required)}
	}
	watch := func(h string) func(*ir.Module, *pass.Step) error {
		if in.hooks[h] == nil {
			return nil
		}
		return func(m *ir.Module, s *pass.Step) error { _, err := call(h, about(m, s)...); return err }
	}
	out.EnterPassCtx, out.ExitPassCtx = plain("enter_pass_ctx"), plain("exit_pass_ctx")
	out.RunBeforePass, out.RunAfterPass = watch("run_before_pass"), watch("run_after_pass")
	if in.hooks["should_run"] != nil {
		out.ShouldRun = func(m *ir.Module, s *pass.Step) (bool, error) {
			v, err := call("should_run", about(m, s)...)
			if err != nil {
				return false, err
			}
			if eq, deferred := v.(*equality); deferred {
				v = eq.Truth()
			}
			ok, isBool := v.(starlark.Bool)
			if !isBool {
				return false, fmt.Errorf("should_run must return True or False, got %s", describe(v))
			}
			return bool(ok), nil
		}
	}
	return out
}
