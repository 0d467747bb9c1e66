package predicate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/event"
)

// record is a value with fields, which checks cannot change.
type record struct {
	kind   string
	fields starlark.StringDict
	run    *Run // where the record is a run
}

var _ starlark.HasAttrs = (*record)(nil)

// String names the type: records are not for printing.
func (r *record) String() string { return "<" + r.kind + ">" }

// Type implements starlark.Value.
func (r *record) Type() string { return r.kind }

// Freeze does nothing: what records hold is frozen.
func (*record) Freeze() {}

// Truth is true.
func (*record) Truth() starlark.Bool { return true }

// Hash fails: records are no keys.
func (r *record) Hash() (uint32, error) { return 0, fmt.Errorf("a %s cannot be a key", r.kind) }

// Attr returns a field, nil for an unknown one.
func (r *record) Attr(name string) (starlark.Value, error) { return r.fields[name], nil }

// AttrNames lists the fields.
func (r *record) AttrNames() []string { return r.fields.Keys() }

// runValue is a run as checks see it; docs/writing-lessons.md lists its fields.
func runValue(ctx context.Context, r *Run) *record {
	e, s := r.Events, r.Settings
	out := &record{kind: "run", run: r}
	out.fields = starlark.StringDict{
		"status": starlark.String(status(e)), "error": starlark.String(problem(e)),
		"opt_level": starlark.MakeInt(s.OptLevel), "disabled": texts(s.Disabled), "required": texts(s.Required),
		"passes": texts(passes(e)), "kernels": starlark.MakeInt(0), "code_bytes": starlark.MakeInt(0), "peak_bytes": starlark.MakeInt64(peak(e)),
		"outputs":      outputs(e),
		"metrics":      method("metrics", "after", func(after string) (starlark.Value, error) { return r.metrics(after) }),
		"outcome":      method("outcome", "name", func(name string) (starlark.Value, error) { return r.outcome(name) }),
		"printed":      method("printed", "name", func(name string) (starlark.Value, error) { return starlark.String(printed(e, name)), nil }),
		"module":       method("module", "after", func(after string) (starlark.Value, error) { return r.module(ctx, after) }),
		"same_outputs": starlark.NewBuiltin("same_outputs", r.sameOutputs),
	}
	if c := e.Code; c != nil {
		out.fields["kernels"], out.fields["code_bytes"] = starlark.MakeInt(len(c.Kernels)), starlark.MakeInt64(c.Bytes)
	}
	return out
}

// method is a function of one text, which may be left out.
func method(name, arg string, f func(string) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		text := ""
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, arg+"?", &text); err != nil {
			return nil, err
		}
		return f(text)
	})
}

func texts(list []string) *starlark.List {
	values := make([]starlark.Value, len(list))
	for i, s := range list {
		values[i] = starlark.String(s)
	}
	l := starlark.NewList(values)
	l.Freeze()
	return l
}

func status(e *event.Run) string {
	if e.Finished == nil {
		return "running"
	}
	return string(e.Finished.Status)
}

func problem(e *event.Run) string {
	if e.Finished == nil || e.Finished.Error == nil {
		return ""
	}
	return e.Finished.Error.Message
}

// steps lists the steps that are no sequences, in order.
func steps(e *event.Run) []*event.Step {
	return slices.DeleteFunc(e.All(), func(s *event.Step) bool { return s.Kind == event.PassSequential })
}

// passes names the steps that ran, in order.
func passes(e *event.Run) []string {
	var out []string
	for _, s := range steps(e) {
		if s.Status == event.StepChanged || s.Status == event.StepSame || s.Status == event.StepFailed {
			out = append(out, s.Name)
		}
	}
	return out
}

// last returns the last step of a name, nil for none.
func (r *Run) last(name string) *event.Step {
	for _, s := range slices.Backward(steps(r.Events)) {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// outcome says how the last step of a name ended: "changed", "same", "skipped", "failed", or "" where the run has no such step.
func (r *Run) outcome(name string) (starlark.Value, error) {
	if s := r.last(name); s != nil {
		return starlark.String(s.Status), nil
	}
	return starlark.String(""), nil
}

// metrics returns the metrics of the module after the last step of a name, of the imported one for "import", or of the last.
func (r *Run) metrics(after string) (starlark.Value, error) {
	e := r.Events
	var m *event.Metrics
	switch {
	case after == event.ImportStep && e.Started != nil:
		m = e.Started.Metrics
	case after == "" && len(e.Lanes) > 0:
		m = e.Lanes[len(e.Lanes)-1].Metrics
	default:
		if s := r.last(after); s != nil {
			m = metricsAfter(e, s)
		}
	}
	if m == nil {
		return starlark.None, nil
	}
	ops := starlark.NewDict(len(m.Ops))
	for name, n := range m.Ops {
		_ = ops.SetKey(starlark.String(name), starlark.MakeInt(n)) // strings hash
	}
	ops.Freeze()
	return &record{kind: "metrics", fields: starlark.StringDict{
		"functions": starlark.MakeInt(m.Functions), "kernels": starlark.MakeInt(m.Kernels), "ops": ops, "bindings": starlark.MakeInt(m.Bindings),
		"calls": starlark.MakeInt(m.Calls), "loops": starlark.MakeInt(m.Loops), "blocks": starlark.MakeInt(m.Blocks), "buffers": starlark.MakeInt(m.Buffers),
		"flops": starlark.MakeInt64(m.FLOPs), "constant_bytes": starlark.MakeInt64(m.ConstantBytes), "intermediate_bytes": starlark.MakeInt64(m.IntermediateBytes),
	}}, nil
}

// metricsAfter returns what was last measured when a step had ended.
func metricsAfter(e *event.Run, s *event.Step) *event.Metrics {
	if s.Finished != nil && s.Finished.Metrics != nil {
		return s.Finished.Metrics
	}
	return s.Before
}

// module returns the module after a step, or after the last pass that ran.
func (r *Run) module(ctx context.Context, after string) (starlark.Value, error) {
	if after == "" {
		after = event.ImportStep
		if list := passes(r.Events); len(list) > 0 {
			after = lastOf(list)
		}
	}
	m, err := r.Module(ctx, after)
	if err != nil {
		return nil, err
	}
	return starpass.ModuleValue(m), nil
}

// lastOf names the last of some passes as a patch does: "tir.Simplify#1" is the second of that name.
func lastOf(list []string) string {
	name, n := list[len(list)-1], 0
	for _, other := range list {
		if other == name {
			n++
		}
	}
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, n-1)
}

// printed returns what scripts printed in all steps of a name, or in the whole run for "".
func printed(e *event.Run, name string) string {
	var out []string
	for _, d := range e.Diagnostics {
		if d.Code == "print" && (name == "" || d.Step != nil && d.Step.Name == name) {
			out = append(out, d.Message)
		}
	}
	return strings.Join(out, "\n")
}

// peak returns the most bytes that the planned memory of an execution takes at one time; 0 where nothing was executed.
func peak(e *event.Run) int64 {
	var out int64
	for _, p := range e.Profiles {
		if p.Body.Plan != nil {
			out = max(out, p.Body.Plan.Peak)
		}
	}
	return out
}

// outputs describes the outputs of the last execution.
func outputs(e *event.Run) *starlark.List {
	var out []starlark.Value
	if len(e.Executions) > 0 {
		for _, t := range e.Executions[len(e.Executions)-1].Body.Outputs {
			shape, first := make([]starlark.Value, len(t.Shape)), make([]starlark.Value, len(t.First))
			for i, n := range t.Shape {
				shape[i] = starlark.MakeInt64(n)
			}
			for i, x := range t.First {
				first[i] = starlark.Float(x)
			}
			out = append(out, &record{kind: "output", fields: starlark.StringDict{
				"name": starlark.String(t.Name), "dtype": starlark.String(t.DType), "shape": starlark.Tuple(shape), "first": starlark.Tuple(first),
				"min": starlark.Float(t.Min), "max": starlark.Float(t.Max), "mean": starlark.Float(t.Mean), "nans": starlark.MakeInt64(t.NaNs),
			}})
		}
	}
	l := starlark.NewList(out)
	l.Freeze()
	return l
}

// sameOutputs is run.same_outputs(other, rtol=1e-5, atol=1e-6): whether all executions of both gave outputs of the same type, shape,
// range, mean and first elements, as far as logs hold them. A run without outputs is the same as none.
func (r *Run) sameOutputs(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var with starlark.Value
	rtol, atol := 1e-5, 1e-6
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "other", &with, "rtol?", &rtol, "atol?", &atol); err != nil {
		return nil, err
	}
	other, ok := with.(*record)
	if !ok || other.run == nil {
		return nil, fmt.Errorf("same_outputs: got %s, want a run", with.Type())
	}
	xs, ys := r.Events.Executions, other.run.Events.Executions
	if len(xs) == 0 || len(xs) != len(ys) {
		return starlark.False, nil
	}
	near := func(x, y event.Float) bool {
		a, b := float64(x), float64(y)
		return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= atol+rtol*math.Abs(b)
	}
	for i := range xs {
		if xs[i].Body.Error != nil || ys[i].Body.Error != nil || len(xs[i].Body.Outputs) == 0 {
			return starlark.False, nil
		}
		same := slices.EqualFunc(xs[i].Body.Outputs, ys[i].Body.Outputs, func(x, y event.Tensor) bool {
			return x.DType == y.DType && slices.Equal(x.Shape, y.Shape) && x.NaNs == y.NaNs && slices.EqualFunc(x.First, y.First, near) &&
				near(x.Min, y.Min) && near(x.Max, y.Max) && near(x.Mean, y.Mean)
		})
		if !same {
			return starlark.False, nil
		}
	}
	return starlark.True, nil
}
