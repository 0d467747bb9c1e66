package starpass

import (
	"errors"
	"fmt"
	"hash/maphash"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/sch"
)

// instValue is an instruction of a trace.
type instValue struct{ i *sch.Instruction }

var (
	_ starlark.HasAttrs = (*instValue)(nil)
	_ starlark.Value    = (*instValue)(nil)
)

func (v *instValue) String() string     { return "<Instruction " + v.i.Kind.Name + ">" }
func (*instValue) Type() string         { return "Instruction" }
func (*instValue) Freeze()              {}
func (*instValue) Truth() starlark.Bool { return true }
func (*instValue) AttrNames() []string  { return []string{"attrs", "inputs", "kind", "outputs"} }
func (v *instValue) Hash() (uint32, error) {
	return uint32(maphash.Comparable(nodeSeed, v.i)), nil
}

// CompareSameType makes two values of one instruction equal, as keys of trace.decisions.
func (v *instValue) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	same := v.i == y.(*instValue).i
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, errors.New("instructions can be compared with == and != only")
}

// Attr returns the kind, with its name and whether it is pure, the arguments, or what the instruction returned.
func (v *instValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "kind":
		return namespace("kind", starlark.StringDict{"name": starlark.String(v.i.Kind.Name), "is_pure": starlark.Bool(v.i.Kind.Pure)}), nil
	case "outputs":
		out := make([]starlark.Value, len(v.i.Outputs))
		for k, r := range v.i.Outputs {
			out[k] = scheduled(r)
		}
		return starlark.NewList(out), nil
	case "inputs", "attrs":
		var out []starlark.Value
		for k, p := range v.i.Kind.Params {
			if p.Attr == (name == "attrs") && !p.Untraced {
				out = append(out, instArg(v.i.Args[k]))
			}
		}
		return starlark.NewList(out), nil
	}
	return nil, nil
}

// instArg returns an argument of an instruction as a value.
func instArg(x any) starlark.Value {
	switch x := x.(type) {
	case *sch.Block, *sch.Loop:
		return scheduled(x)
	case []*sch.Block:
		return instArgs(x)
	case []*sch.Loop:
		return instArgs(x)
	case []int64:
		return instArgs(x)
	case []float64:
		return instArgs(x)
	}
	return value(x)
}

func instArgs[T any](list []T) starlark.Value {
	out := make([]starlark.Value, len(list))
	for i, x := range list {
		out[i] = instArg(any(x))
	}
	return starlark.NewList(out)
}

// insts is trace.insts.
func (v *traceValue) insts() starlark.Value {
	out := make([]starlark.Value, len(v.list))
	for i, x := range v.list {
		out[i] = &instValue{x}
	}
	return starlark.NewList(out)
}

// decisions is trace.decisions, what instructions drew.
func (v *traceValue) decisions() (starlark.Value, error) {
	d := starlark.NewDict(len(v.list))
	for _, x := range v.list {
		if x.Decision != nil {
			if err := d.SetKey(&instValue{x}, instArg(x.Decision)); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// decisionArg converts a decision: None, a number, or a list of numbers.
func decisionArg(v starlark.Value) (any, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	if n, err := intArg(v); err == nil {
		return n, nil
	}
	list := []int64{}
	err := eachOf(v, func(x starlark.Value) error {
		n, err := intArg(x)
		list = append(list, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("expected None, a number or a list of numbers as the decision, got %s", describe(v))
	}
	return list, nil
}

// withDecision is trace.with_decision(inst, decision, remove_postproc).
func (v *traceValue) withDecision(r *run, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var inst, decision starlark.Value
	remove := false
	if err := starlark.UnpackArgs("with_decision", args, kwargs, "inst", &inst, "decision", &decision, "remove_postproc?", &remove); err != nil {
		return nil, err
	}
	i, ok := inst.(*instValue)
	if !ok {
		return nil, fmt.Errorf("with_decision: expected an instruction of trace.insts, got %s", describe(inst))
	}
	d, err := decisionArg(decision)
	if err != nil {
		return nil, fmt.Errorf("with_decision: %w", err)
	}
	list, err := sch.WithDecision(v.list, i.i, d, remove)
	if err != nil {
		return nil, err
	}
	return &traceValue{list}, r.alloc(int64(16 * (1 + len(list))))
}

// provider turns decision_provider, a function of an instruction, its inputs, its attributes and its decision, into one of package sch. What it said
// wrong is in *failed.
func provider(t *starlark.Thread, fn starlark.Value, failed *error) (func(*sch.Instruction) any, error) {
	if fn == nil || fn == starlark.None {
		return nil, nil
	}
	f, ok := fn.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("apply_to_schedule: expected a function as decision_provider, got %s", describe(fn))
	}
	return func(i *sch.Instruction) any {
		if *failed != nil {
			return i.Decision
		}
		inst := &instValue{i}
		inputs, _ := inst.Attr("inputs")
		attrs, _ := inst.Attr("attrs")
		was := starlark.Value(starlark.None)
		if i.Decision != nil {
			was = instArg(i.Decision)
		}
		v, err := starlark.Call(t, f, starlark.Tuple{inst, inputs, attrs, was}, nil)
		if err != nil {
			*failed = err
			return i.Decision
		}
		d, err := decisionArg(v)
		if err != nil {
			*failed = err
		}
		return d
	}, nil
}

// traceType is tir.schedule.Trace: apply_json_to_schedule(json_obj, sch).
func traceType() starlark.Value {
	return &typeValue{
		name:    "Trace",
		is:      func(v starlark.Value) bool { _, ok := v.(*traceValue); return ok },
		members: starlark.StringDict{"apply_json_to_schedule": builtin("apply_json_to_schedule", applyJSON)},
	}
}

func applyJSON(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var obj, to starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "json_obj", &obj, "sch", &to); err != nil {
		return nil, err
	}
	s, ok := to.(*Schedule)
	if !ok {
		return nil, fmt.Errorf("apply_json_to_schedule: expected a Schedule, got %s", describe(to))
	}
	if s.frozen {
		return nil, errFrozenSchedule
	}
	x, err := jsonArg(obj, 0)
	if err != nil {
		return nil, fmt.Errorf("apply_json_to_schedule: %w", err)
	}
	if list, ok := x.([]any); ok && len(list) > 0 {
		if insts, ok := list[0].([]any); ok {
			if err := runOf(t).work(1000 * len(insts)); err != nil {
				return nil, err
			}
		}
	}
	return starlark.None, s.s.ApplyJSON(x)
}

// jsonArg converts a value of a script to one of JSON.
func jsonArg(v starlark.Value, depth int) (any, error) {
	if depth > 100 {
		return nil, errors.New("the value is nested too deeply")
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
	case starlark.Float:
		return float64(v), nil
	case *starlark.Dict:
		out := map[string]any{}
		for _, kv := range v.Items() {
			k, ok := starlark.AsString(kv[0])
			if !ok {
				return nil, fmt.Errorf("%s is no key of JSON", describe(kv[0]))
			}
			x, err := jsonArg(kv[1], depth+1)
			if err != nil {
				return nil, err
			}
			out[k] = x
		}
		return out, nil
	case starlark.Tuple, *starlark.List:
		out := []any{}
		err := eachOf(v, func(x starlark.Value) error {
			y, err := jsonArg(x, depth+1)
			out = append(out, y)
			return err
		})
		return out, err
	}
	return nil, fmt.Errorf("%s is no value of JSON", describe(v))
}
