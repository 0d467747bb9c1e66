package starpass

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
)

// Context is a PassContext as a value of Starlark.
type Context struct{ c *pass.Context }

var _ starlark.HasAttrs = (*Context)(nil)

// String names the type.
func (*Context) String() string { return "PassContext" }

// Type is TVM's name.
func (*Context) Type() string { return "PassContext" }

// Freeze does nothing: scripts cannot change contexts.
func (*Context) Freeze() {}

// Truth is true.
func (*Context) Truth() starlark.Bool { return true }

// Hash fails: contexts are no keys.
func (*Context) Hash() (uint32, error) { return 0, fmt.Errorf("a PassContext cannot be a key") }

// AttrNames returns the fields.
func (*Context) AttrNames() []string {
	return []string{"config", "disabled_pass", "instruments", "opt_level", "override_instruments", "required_pass", "target"}
}

// Attr returns a setting. A pass reads what it declared only.
func (v *Context) Attr(name string) (starlark.Value, error) {
	inside := v.c.Step() != nil
	switch name {
	case "override_instruments":
		return builtin(name, v.override), nil
	case "opt_level":
		if inside && !v.c.Step().Pass.ReadsLevel {
			return nil, undeclared(v.c, readsLevel)
		}
		return starlark.MakeInt(v.c.OptLevel), nil
	case "target":
		if inside && !v.c.Step().Pass.ReadsTarget {
			return nil, undeclared(v.c, readsTarget)
		}
		return starlark.String(v.c.Target.String()), nil
	case "required_pass":
		return listOf(v.c.Required), nil
	case "disabled_pass":
		return listOf(v.c.Disabled), nil
	case "instruments":
		var list []string
		for _, in := range v.c.Instruments() {
			list = append(list, in.Name)
		}
		return listOf(list), nil
	case "config":
		keys := sortedKeys(pass.ListConfigs())
		if inside {
			keys = v.c.Step().Pass.Config
		}
		d := starlark.NewDict(len(keys))
		for _, k := range keys {
			_ = d.SetKey(starlark.String(k), value(v.c.Config.Get(k))) // strings hash
		}
		d.Freeze()
		return d, nil
	}
	return nil, nil
}

func undeclared(c *pass.Context, what string) error {
	return fmt.Errorf("pass %s reads %s, which it does not declare; add it to its list reads", c.Step().Pass.Name, what)
}

// passContextBuiltin is pass_context(fn, opt_level=2, required_pass=[], disabled_pass=[],
// instruments=[], config={}): it calls fn under a new context, as TVM's with statement does,
// and returns what fn returns.
func passContextBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var fn, required, disabled, instruments, config starlark.Value
	var level starlark.Value = starlark.MakeInt(pass.DefaultOptLevel)
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "fn", &fn, "opt_level?", &level, "required_pass?", &required,
		"disabled_pass?", &disabled, "instruments?", &instruments, "config?", &config)
	if err != nil {
		return nil, err
	}
	call, ok := fn.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("pass_context: expected a function to call, got %s", describe(fn))
	}
	r := runOf(t)
	c, err := newContext(r, b.Name(), level, required, disabled, instruments, config)
	if err != nil {
		return nil, err
	}
	var out starlark.Value
	err = r.stack.With(c, func(c *pass.Context) error {
		return r.under(c, r.mod, r.reads, func() error {
			out, err = r.call(call, &Context{c})
			return err
		})
	})
	return out, err
}

// contextBuiltin is PassContext(opt_level=2, required_pass=[], disabled_pass=[], instruments=[], config={}), for a with statement.
func contextBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var required, disabled, instruments, config, trace, stack, decisions, records starlark.Value
	var level starlark.Value = starlark.MakeInt(pass.DefaultOptLevel)
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "opt_level?", &level, "required_pass?", &required, "disabled_pass?", &disabled,
		"instruments?", &instruments, "config?", &config, "trace?", &trace, "trace_stack?", &stack, "make_traceable?", &decisions, "num_evals?", &records)
	if err != nil {
		return nil, err
	}
	c, err := newContext(runOf(t), b.Name(), level, required, disabled, instruments, config)
	if err != nil {
		return nil, err
	}
	return &Context{c}, nil
}

// ofRelay adds to names of passes those of Relay, which TVM names without a prefix.
func ofRelay(names []string) []string {
	out := slices.Clone(names)
	for _, n := range names {
		if pipeline.NewRegistry().Lookup(pipeline.RelayPrefix+n) != nil {
			out = append(out, pipeline.RelayPrefix+n)
		}
	}
	return out
}

// newContext makes a context like the one that is current, with settings of its own.
func newContext(r *run, what string, level, required, disabled, instruments, config starlark.Value) (*pass.Context, error) {
	if r.cur == nil {
		return nil, fmt.Errorf("%s cannot be used here: call it from main or from a pass", what)
	}
	opts := []pass.ContextOption{
		pass.WithTarget(r.cur.Target), pass.WithEvaluator(r.cur.Evaluator), pass.WithRegistry(r.cur.Registry),
	}
	n, err := levelOfPass(what, level)
	if err != nil {
		return nil, err
	}
	opts = append(opts, pass.OptLevel(n))
	req, err := names(required)
	if err != nil {
		return nil, fmt.Errorf("%s: required_pass: %w", what, err)
	}
	dis, err := names(disabled)
	if err != nil {
		return nil, fmt.Errorf("%s: disabled_pass: %w", what, err)
	}
	if r.graphs {
		req, dis = ofRelay(req), ofRelay(dis)
	}
	list, err := instrumentsOf(r, instruments)
	if err != nil {
		return nil, err
	}
	values, err := configOf(config)
	if err != nil {
		return nil, err
	}
	opts = append(opts, pass.RequirePass(req...), pass.DisablePass(dis...), pass.Instruments(list...), pass.Configure(values))
	c, err := pass.NewContext(r.ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if r.owned == nil {
		r.owned = map[*pass.Context]bool{}
	}
	r.owned[c] = true
	return c, nil
}

// override is ctx.override_instruments([...]). The instruments of the context that the script was started under stay: they are those of
// whoever watches the run.
func (v *Context) override(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "instruments?", &list); err != nil {
		return nil, err
	}
	r := runOf(t)
	ins, err := instrumentsOf(r, list)
	if err != nil {
		return nil, err
	}
	if r.owned[v.c] {
		return starlark.None, v.c.OverrideInstruments(ins...)
	}
	if v.c.Step() != nil || r.cur != v.c {
		return nil, fmt.Errorf("override_instruments: only of the context that is current, outside of passes")
	}
	host := r.host
	if host == nil {
		host = v.c
	}
	c, err := host.Watched(r.watching, ins)
	if err != nil {
		return nil, err
	}
	r.host, r.watching, r.cur, v.c = host, ins, c, c
	return starlark.None, nil
}

func instrumentsOf(r *run, v starlark.Value) ([]*pass.Instrument, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	var out []*pass.Instrument
	err := eachOf(v, func(x starlark.Value) error {
		in, ok := x.(*Instrument)
		if !ok {
			return fmt.Errorf("instruments: expected the result of pass_instrument, got %s", describe(x))
		}
		out = append(out, in.bind(r))
		return nil
	})
	return out, err
}

func configOf(v starlark.Value) (map[string]any, error) {
	a, err := attrsOf(v)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	out := map[string]any{}
	for i := range a.Len() {
		k, x := a.At(i)
		if x, ok := x.([]ir.Value); ok {
			return nil, fmt.Errorf("config: %s cannot be the list %v", k, x)
		}
		out[k] = x
	}
	return out, nil
}

// currentContextBuiltin is current_context(): TVM's PassContext.current().
func currentContextBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	if c := runOf(t).cur; c != nil {
		return &Context{c}, nil
	}
	return nil, fmt.Errorf("there is no pass context here: call current_context from main or from a pass")
}
