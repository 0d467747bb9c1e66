package sch

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// JSON returns a trace in the form of TVM's: a list of instructions [name, inputs, attributes, outputs] and one of decisions [index, decision].
func JSON(trace []*Instruction) []any {
	insts, decisions := []any{}, []any{}
	n := names{}
	for k, i := range trace {
		inputs, attrs := []any{}, []any{}
		for j, p := range i.Kind.Params {
			x := i.Args[j]
			switch {
			case p.Untraced:
			case p.Pair && p.Attr: // the index, and 0 for read or 1 for write
				pair := x.([]any)
				attrs = append(attrs, pair[1], map[any]int{readSide: 0, writeSide: 1}[pair[0]])
			case p.Attr:
				attrs = append(attrs, jsonOf(x, n, false))
			case p.Form == LoopsForm:
				for _, l := range x.([]*Loop) {
					inputs = append(inputs, n[l])
				}
			case p.Form == FactorsForm:
				for _, e := range x.([]tir.Expr) {
					inputs = append(inputs, jsonOf(e, n, true))
				}
			default:
				inputs = append(inputs, jsonOf(x, n, true))
			}
		}
		out := []any{}
		for _, s := range n.add(i.Outputs) {
			out = append(out, s)
		}
		insts = append(insts, []any{i.Kind.Name, inputs, attrs, out})
		if i.Decision != nil {
			decisions = append(decisions, []any{k, jsonOf(i.Decision, n, false)})
		}
	}
	return []any{insts, decisions}
}

// jsonOf returns an argument as a value of JSON. Strings among inputs stand in quotes, since those without are references.
func jsonOf(x any, n names, quoted bool) any {
	switch x := x.(type) {
	case nil:
		if quoted {
			return "None"
		}
		return nil
	case *Block, *Loop:
		return n[x]
	case string:
		if quoted {
			return `"` + x + `"`
		}
		return x
	case bool, int64:
		return x
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
		return x
	case []int64:
		return jsonList(x, n, quoted)
	case []float64:
		return jsonList(x, n, quoted)
	case []*Block:
		return jsonList(x, n, quoted)
	case []any:
		return jsonList(x, n, quoted)
	case *tir.IntImm:
		if x.Type.IsBool() {
			return x.Value != 0
		}
		return x.Value
	case *tir.FloatImm:
		return x.Value
	case *tir.StringImm:
		return jsonOf(x.Value, n, quoted)
	case *ir.Attrs:
		out := map[string]any{}
		for i := range x.Len() {
			k, v := x.At(i)
			out[k] = jsonOf(v, n, false)
		}
		return out
	case *tir.Var:
		if name := n[x]; name != "" {
			return name
		}
		return nodeJSON(x, n)
	case ir.Node:
		return nodeJSON(x, n)
	}
	return python(x, n)
}

func jsonList[T any](list []T, n names, quoted bool) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = jsonOf(any(x), n, quoted)
	}
	return out
}
