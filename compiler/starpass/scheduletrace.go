package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/sch"
)

// traceValue is sch.trace.
type traceValue struct{ list []*sch.Instruction }

var _ starlark.HasAttrs = (*traceValue)(nil)

// String is the trace as a function of Python.
func (v *traceValue) String() string      { return sch.Text(v.list) }
func (*traceValue) Type() string          { return "tir.schedule.Trace" }
func (*traceValue) Freeze()               {}
func (*traceValue) Truth() starlark.Bool  { return true }
func (*traceValue) Hash() (uint32, error) { return 0, errors.New("a trace cannot be a key") }

// AttrNames returns the methods.
func (*traceValue) AttrNames() []string {
	return []string{"apply_to_schedule", "as_json", "as_python", "decisions", "get_decision", "insts", "show", "simplified", "with_decision"}
}

// Attr returns a method.
func (v *traceValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "insts":
		return v.insts(), nil
	case "decisions":
		return v.decisions()
	case "apply_to_schedule":
		return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return v.apply(t, args, kwargs)
		}), nil
	}
	f := map[string]func(*run, starlark.Tuple, []starlark.Tuple) (starlark.Value, error){
		"as_json": v.asJSON, "as_python": v.asPython, "get_decision": v.getDecision, "show": v.show, "simplified": v.simplified, "with_decision": v.withDecision,
	}[name]
	if f == nil {
		return nil, nil
	}
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return f(runOf(t), args, kwargs)
	}), nil
}

// apply is trace.apply_to_schedule(sch, remove_postproc, decision_provider): it calls the instructions on another schedule.
func (v *traceValue) apply(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var to, decide starlark.Value
	remove := false
	if err := starlark.UnpackArgs("apply_to_schedule", args, kwargs, "sch", &to, "remove_postproc?", &remove, "decision_provider?", &decide); err != nil {
		return nil, err
	}
	s, ok := to.(*Schedule)
	if !ok {
		return nil, fmt.Errorf("apply_to_schedule: expected a Schedule, got %s", describe(to))
	}
	if s.frozen {
		return nil, errFrozenSchedule
	}
	if err := runOf(t).work(1000 * len(v.list)); err != nil {
		return nil, err
	}
	var failed error
	f, err := provider(t, decide, &failed)
	if err != nil {
		return nil, err
	}
	if err := s.s.Replay(v.list, remove, f); failed == nil {
		failed = err
	}
	return starlark.None, failed
}

// getDecision is trace.get_decision(inst), what an instruction drew, None if it drew nothing.
func (v *traceValue) getDecision(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var inst starlark.Value
	if err := starlark.UnpackArgs("get_decision", args, kwargs, "inst", &inst); err != nil {
		return nil, err
	}
	i, ok := inst.(*instValue)
	if !ok {
		return nil, fmt.Errorf("get_decision: expected an instruction of trace.insts, got %s", describe(inst))
	}
	if i.i.Decision == nil {
		return starlark.None, nil
	}
	return instArg(i.i.Decision), nil
}

func (v *traceValue) asJSON(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	remove := false
	if err := starlark.UnpackArgs("as_json", args, kwargs, "remove_postproc?", &remove); err != nil {
		return nil, err
	}
	list := v.list
	if remove {
		list = sch.BeforePostproc(list)
	}
	if err := r.alloc(int64(256 * (1 + len(list)))); err != nil {
		return nil, err
	}
	return jsonValue(sch.JSON(list)), nil
}

// jsonValue returns a value of JSON as one of scripts.
func jsonValue(x any) starlark.Value {
	switch x := x.(type) {
	case []any:
		out := make([]starlark.Value, len(x))
		for i, e := range x {
			out[i] = jsonValue(e)
		}
		return starlark.NewList(out)
	case map[string]any:
		d := starlark.NewDict(len(x))
		for _, k := range sortedKeys(x) {
			_ = d.SetKey(starlark.String(k), jsonValue(x[k])) // strings hash
		}
		return d
	case int:
		return starlark.MakeInt(x)
	}
	return value(x)
}

func (v *traceValue) asPython(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	remove := false
	if err := starlark.UnpackArgs("as_python", args, kwargs, "remove_postproc?", &remove); err != nil {
		return nil, err
	}
	list := v.list
	if remove {
		list = sch.BeforePostproc(list)
	}
	return r.result(listOf(sch.Lines(list)))
}

func (v *traceValue) show(r *run, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return starlark.None, r.print(v.String())
}

// simplified is trace.simplified(remove_postproc): without instructions whose results nothing uses.
func (v *traceValue) simplified(_ *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	remove := false
	if err := starlark.UnpackArgs("simplified", args, kwargs, "remove_postproc?", &remove); err != nil {
		return nil, err
	}
	return &traceValue{sch.Simplified(v.list, remove)}, nil
}
