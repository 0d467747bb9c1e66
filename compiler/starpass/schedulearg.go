package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxScheduleList is the length of the longest list that an instruction takes, of loops or factors for example. What an instruction does with a
// list is not interrupted, and takes time that grows faster than its length.
const maxScheduleList = 1000

// scheduleArgs matches the arguments of a call with the parameters of an instruction.
func scheduleArgs(t *starlark.Thread, k *sch.Kind, args starlark.Tuple, kwargs []starlark.Tuple) ([]any, error) {
	given := make([]starlark.Value, len(k.Params))
	for i, p := range k.Params {
		if len(args) == 0 {
			break
		}
		if p.Form == sch.LoopsForm {
			if _, ref := args[0].(*schedRef); ref {
				given[i], args = args, nil
				break
			}
		}
		given[i], args = args[0], args[1:]
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s takes %d arguments, got %d more", k.Method, len(k.Params), len(args))
	}
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		at := -1
		var known []string
		for i, p := range k.Params {
			known = append(known, p.Name)
			if p.Name == name || p.Alias == name {
				at = i
			}
		}
		if at < 0 {
			msg := fmt.Sprintf("%s has no parameter %q", k.Method, name)
			if near := nearestOf(name, known); near != "" {
				msg += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("%s", msg)
		}
		if given[at] != nil {
			return nil, fmt.Errorf("%s: parameter %s is given twice", k.Method, name)
		}
		given[at] = kv[1]
	}
	out := make([]any, len(k.Params))
	for i, p := range k.Params {
		if given[i] == nil || given[i] == starlark.None && p.Optional {
			if !p.Optional && p.Form != sch.LoopsForm {
				return nil, fmt.Errorf("%s: parameter %s is missing", k.Method, p.Name)
			}
			if out[i] = p.Default; p.Form == sch.LoopsForm {
				out[i] = []*sch.Loop{}
			}
			continue
		}
		x, err := scheduleArg(t, p, given[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", k.Method, p.Name, err)
		}
		out[i] = x
	}
	return out, nil
}

// scheduleArg converts an argument to what its form says.
func scheduleArg(t *starlark.Thread, p sch.Param, v starlark.Value) (any, error) {
	if list, ok := v.(starlark.Sequence); ok && list.Len() > maxScheduleList {
		return nil, fmt.Errorf("a list of %d values, more than the limit of %d", list.Len(), maxScheduleList)
	}
	switch p.Form {
	case sch.BlockForm, sch.RefForm, sch.LoopForm:
		return refArg(p.Form, v)
	case sch.LoopsForm:
		return refsArg[*sch.Loop](v, sch.LoopForm)
	case sch.BlocksForm:
		if _, one := v.(*schedRef); one {
			v = starlark.Tuple{v}
		}
		if _, name := v.(starlark.String); name {
			v = starlark.Tuple{v}
		}
		return blocksArg(v)
	case sch.TargetForm:
		if r, ok := v.(*schedRef); ok {
			if l, ok := r.r.(*sch.Loop); ok {
				return l, nil
			}
			v = starlark.Tuple{v}
		}
		return blocksArg(v)
	case sch.FactorsForm:
		out := []tir.Expr{}
		err := eachOf(v, func(x starlark.Value) error {
			if x == starlark.None {
				out = append(out, nil)
				return nil
			}
			e, err := exprOf(x, dtype.Int32T)
			out = append(out, e)
			return err
		})
		return out, err
	case sch.IntForm:
		n, err := intArg(v)
		if err != nil {
			if e, ok := v.(*Node); ok { // a number that was drawn
				if x, ok := e.n.(*tir.Var); ok {
					return x, nil
				}
			}
		}
		return n, err
	case sch.IntsForm:
		out := []int64{}
		err := eachOf(v, func(x starlark.Value) error {
			n, err := intArg(x)
			out = append(out, n)
			return err
		})
		return out, err
	case sch.FloatsForm:
		out := []float64{}
		err := eachOf(v, func(x starlark.Value) error {
			f, ok := starlark.AsFloat(x)
			if n, isNode := x.(*Node); isNode {
				if c, isConst := scalarOf(n.n); isConst {
					f, ok = starlark.AsFloat(c)
				}
			}
			if !ok {
				return fmt.Errorf("expected a number, got %s", describe(x))
			}
			out = append(out, f)
			return nil
		})
		return out, err
	case sch.BoolForm:
		switch x := v.(type) {
		case starlark.Bool:
			return bool(x), nil
		case *Node:
			return bool(x.Truth()), nil
		}
		return nil, fmt.Errorf("expected a bool, got %s", describe(v))
	case sch.StringForm:
		s, ok := starlark.AsString(v)
		if !ok {
			return nil, fmt.Errorf("expected a string, got %s", describe(v))
		}
		return s, nil
	case sch.ValueForm:
		return annotationArg(v)
	case sch.BufferForm:
		return bufferArg(v)
	case sch.MapForm, sch.PadForm, sch.RangesForm:
		return functionArg(t, v)
	}
	panic(fmt.Sprintf("starpass: no arguments of form %d", p.Form))
}

func refArg(f sch.Form, v starlark.Value) (any, error) {
	want := "a block"
	switch f {
	case sch.LoopForm:
		want = "a loop"
	case sch.RefForm:
		want = "a block or a loop"
	default:
	}
	switch x := v.(type) {
	case starlark.String:
		if f != sch.LoopForm {
			return string(x), nil
		}
	case *schedRef:
		_, block := x.r.(*sch.Block)
		if f == sch.RefForm || block == (f == sch.BlockForm) {
			return x.r, nil
		}
	}
	return nil, fmt.Errorf("expected %s, got %s", want, describe(v))
}

func refsArg[T any](v starlark.Value, f sch.Form) ([]T, error) {
	out := []T{}
	err := eachOf(v, func(x starlark.Value) error {
		r, err := refArg(f, x)
		if err != nil {
			return err
		}
		out = append(out, r.(T))
		return nil
	})
	return out, err
}

// blocksArg returns a list of blocks, as a []any if names are among them.
func blocksArg(v starlark.Value) (any, error) {
	out := []any{}
	err := eachOf(v, func(x starlark.Value) error {
		r, err := refArg(sch.BlockForm, x)
		out = append(out, r)
		return err
	})
	return out, err
}

func intArg(v starlark.Value) (int64, error) {
	if n, ok := v.(*Node); ok {
		if c, ok := scalarOf(n.n); ok {
			v = c
		}
	}
	n, ok := v.(starlark.Int)
	if !ok {
		return 0, fmt.Errorf("expected an integer, got %s", describe(v))
	}
	i, ok := n.Int64()
	if !ok {
		return 0, fmt.Errorf("%s needs more than 64 bits", n)
	}
	return i, nil
}

// annotationArg returns the value of an annotation. Integers are TVM's IntImm of int32 in the text.
func annotationArg(v starlark.Value) (any, error) {
	x, err := attrValue(v, 0)
	if err != nil {
		return nil, err
	}
	return ir.Normalize(x), nil
}

// bufferArg returns which buffer of a block is meant: an int64, a string, a *tir.Buffer, or a pair []any{"read" or "write", int64}.
func bufferArg(v starlark.Value) (any, error) {
	switch x := v.(type) {
	case starlark.String:
		return string(x), nil
	case *Node:
		if b, ok := x.n.(*tir.Buffer); ok {
			return b, nil
		}
	case starlark.Tuple, *starlark.List:
		var pair []any
		err := eachOf(v, func(y starlark.Value) error {
			e, err := attrValue(y, 0)
			pair = append(pair, e)
			return err
		})
		if err == nil && len(pair) == 2 {
			if side, ok := pair[0].(string); ok && (side == "read" || side == "write") {
				if _, ok := pair[1].(int64); ok {
					return pair, nil
				}
			}
		}
	}
	n, err := intArg(v)
	if err != nil {
		return nil, fmt.Errorf("expected a buffer by its index, its name, or a pair such as (\"write\", 0), got %s", describe(v))
	}
	return n, nil
}

// functionArg returns a function of the script as a *sch.Lambda, and other values as what they are.
func functionArg(t *starlark.Thread, v starlark.Value) (any, error) {
	if n, ok := v.(*Node); ok {
		return n.n, nil
	}
	f, ok := v.(starlark.Callable)
	if !ok {
		return attrValue(v, 0)
	}
	out := &sch.Lambda{}
	if fn, ok := f.(*starlark.Function); ok && !fn.HasVarargs() {
		out.Params = []string{}
		for i := range fn.NumParams() {
			name, _ := fn.Param(i)
			out.Params = append(out.Params, name)
		}
	}
	out.Call = func(args []tir.Expr) (any, error) {
		list := make(starlark.Tuple, len(args))
		for i, e := range args {
			list[i] = &Node{e}
		}
		v, err := starlark.Call(t, f, list, nil)
		if err != nil {
			return nil, err
		}
		return lambdaResult(v)
	}
	return out, nil
}

func lambdaResult(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.Tuple, *starlark.List:
		list := []any{}
		err := eachOf(v, func(x starlark.Value) error {
			e, err := lambdaResult(x)
			list = append(list, e)
			return err
		})
		return list, err
	case axisSeparator:
		return sch.AxisSeparator{}, nil
	}
	return exprOf(v, dtype.Int32T)
}

// axisSeparator is tir.IndexMap.AXIS_SEPARATOR.
type axisSeparator struct{}

func (axisSeparator) String() string        { return "AXIS_SEPARATOR" }
func (axisSeparator) Type() string          { return "AXIS_SEPARATOR" }
func (axisSeparator) Freeze()               {}
func (axisSeparator) Truth() starlark.Bool  { return true }
func (axisSeparator) Hash() (uint32, error) { return 1, nil }
