package sch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// pairOf returns which buffer of a block is meant, from its index, and 0 for read or 1 for write.
func pairOf(index, side any) (any, error) {
	i, ok := index.(int64)
	n, ok2 := side.(int64)
	if !ok || !ok2 || n < 0 || n > 1 {
		return nil, fmt.Errorf("expected the index of a buffer and 0 or 1, got %v and %v", index, side)
	}
	return []any{[]string{readSide, writeSide}[n], i}, nil
}

// argOf reads an argument of a form. Among inputs, strings without quotes are references.
func argOf(p Param, x any, refs map[string]any, input bool) (any, error) {
	switch p.Form {
	case BlockForm, LoopForm, RefForm:
		return refOf(p.Form, x, refs)
	case LoopsForm:
		return listOf(x, func(x any) (*Loop, error) {
			r, err := refOf(LoopForm, x, refs)
			l, _ := r.(*Loop)
			return l, err
		})
	case BlocksForm, TargetForm:
		if _, one := x.(string); one && p.Form == TargetForm {
			return refOf(LoopForm, x, refs)
		}
		if x == nil || x == "None" {
			return nil, nil
		}
		return listOf(x, func(x any) (*Block, error) {
			r, err := refOf(BlockForm, x, refs)
			b, _ := r.(*Block)
			return b, err
		})
	case FactorsForm:
		return listOf(x, func(x any) (tir.Expr, error) { return exprOf(x, refs) })
	case IntForm:
		if n, ok := x.(int64); ok {
			return n, nil
		}
		if v, ok := x.(string); ok {
			if e, ok := refs[v].(*tir.Var); ok {
				return e, nil
			}
		}
		return nil, fmt.Errorf("expected an integer, got %v", x)
	case IntsForm:
		return listOf(x, func(x any) (int64, error) {
			n, ok := x.(int64)
			if !ok {
				return 0, fmt.Errorf("expected an integer, got %v", x)
			}
			return n, nil
		})
	case FloatsForm:
		return listOf(x, func(x any) (float64, error) {
			switch x := x.(type) {
			case int64:
				return float64(x), nil
			case float64:
				return x, nil
			}
			return 0, fmt.Errorf("expected a number, got %v", x)
		})
	case BoolForm:
		switch x := x.(type) {
		case bool:
			return x, nil
		case int64:
			return x != 0, nil
		}
		return nil, fmt.Errorf("expected a bool, got %v", x)
	case StringForm:
		if x == nil && p.Optional {
			return p.Default, nil
		}
		s, ok := x.(string)
		if ok && input {
			s, ok = unquoted(s)
		}
		if !ok {
			return nil, fmt.Errorf("expected a string, got %v", x)
		}
		return s, nil
	case ValueForm:
		return valueOf(x, refs, input)
	case BufferForm:
		if n, ok := x.(int64); ok {
			return n, nil
		}
		return nil, fmt.Errorf("expected the index of a buffer, got %v", x)
	case MapForm, PadForm, RangesForm:
		if x == nil || x == "None" {
			return nil, nil
		}
		s, ok := x.(string)
		if !ok {
			return nil, fmt.Errorf("expected an index map, got %v", x)
		}
		n, err := nodeOf(s, refs)
		if err != nil {
			return nil, err
		}
		if m, ok := n.(*tir.IndexMap); ok {
			return m, nil
		}
		return nil, fmt.Errorf("expected an index map, got a %s", ir.TypeName(n))
	}
	panic(fmt.Sprintf("sch: no arguments of form %d in traces", p.Form))
}

func unquoted(s string) (string, bool) {
	if len(s) < 2 || !strings.HasPrefix(s, `"`) || !strings.HasSuffix(s, `"`) {
		return "", false
	}
	return s[1 : len(s)-1], true
}

func listOf[T any](x any, f func(any) (T, error)) ([]T, error) {
	list, ok := x.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list, got %v", x)
	}
	out := make([]T, len(list))
	for i, e := range list {
		v, err := f(e)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func refOf(f Form, x any, refs map[string]any) (any, error) {
	name, ok := x.(string)
	r, known := refs[name]
	if !ok || !known {
		return nil, fmt.Errorf("ValueError: The random variable is not defined: %v", x)
	}
	_, block := r.(*Block)
	_, loop := r.(*Loop)
	if f == BlockForm && !block || f == LoopForm && !loop || !block && !loop {
		return nil, fmt.Errorf("%s is no %s", name, map[Form]string{BlockForm: "block", LoopForm: "loop", RefForm: "block or loop"}[f])
	}
	return r, nil
}

// exprOf reads a factor: a number, a name of one that was drawn, an expression, or None.
func exprOf(x any, refs map[string]any) (tir.Expr, error) {
	switch x := x.(type) {
	case nil:
		return nil, nil
	case int64:
		return tir.Int32(x), nil
	case string:
		if strings.HasPrefix(x, "{") {
			n, err := nodeOf(x, refs)
			if err != nil {
				return nil, err
			}
			if e, ok := n.(tir.Expr); ok {
				return e, nil
			}
			return nil, fmt.Errorf("expected an expression, got a %s", ir.TypeName(n))
		}
		r, known := refs[x]
		if e, ok := r.(tir.Expr); ok {
			return e, nil
		}
		if known && r == nil {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("ValueError: The random variable is not defined: %v", x)
}

// valueOf reads an annotation.
func valueOf(x any, refs map[string]any, quoted bool) (any, error) {
	switch x := x.(type) {
	case string:
		if !quoted {
			return x, nil
		}
		if s, ok := unquoted(x); ok {
			return s, nil
		}
		if strings.HasPrefix(x, "{") {
			return nodeOf(x, refs)
		}
		r, ok := refs[x]
		if _, isVar := r.(*tir.Var); !ok || r != nil && !isVar {
			return nil, fmt.Errorf("ValueError: The random variable is not defined: %s", x)
		}
		return r, nil
	case []any:
		return listOf(x, func(x any) (any, error) { return valueOf(x, refs, quoted) })
	case map[string]any:
		var out *ir.Attrs
		for _, k := range slices.Sorted(maps.Keys(x)) {
			v, err := valueOf(x[k], refs, false)
			if err != nil {
				return nil, err
			}
			out = out.With(k, v)
		}
		return out, nil
	}
	return x, nil
}
