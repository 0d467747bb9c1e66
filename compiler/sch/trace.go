package sch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// names gives references the names that they have in texts and JSON of traces: b0, l1, v2, counted together.
type names map[any]string

func (n names) add(outputs []any) []string {
	out := make([]string, len(outputs))
	for i, r := range outputs {
		if r == nil {
			out[i] = "_"
			n[nil] = "_"
			continue
		}
		letter := "v"
		switch r.(type) {
		case *Block:
			letter = "b"
		case *Loop:
			letter = "l"
		}
		out[i] = letter + strconv.Itoa(len(n))
		n[r] = out[i]
	}
	return out
}

// Text returns a trace as the Python of TVM's traces, one instruction a line.
func Text(trace []*Instruction) string {
	lines := []string{"# from tvm import tir", "def apply_trace(sch: tir.Schedule) -> None:"}
	if len(trace) == 0 {
		lines = append(lines, "  pass")
	}
	for _, line := range Lines(trace) {
		lines = append(lines, "  "+line)
	}
	return strings.Join(lines, "\n")
}

// Lines returns the instructions of a trace as calls of Python.
func Lines(trace []*Instruction) []string {
	n := names{}
	out := make([]string, len(trace))
	for k, i := range trace {
		out[k] = i.text(n)
	}
	return out
}

// BeforePostproc returns the instructions of a trace before EnterPostproc.
func BeforePostproc(trace []*Instruction) []*Instruction {
	if k := slices.IndexFunc(trace, func(i *Instruction) bool { return i.Kind.Name == "EnterPostproc" }); k >= 0 {
		return trace[:k]
	}
	return trace
}

func (i *Instruction) text(n names) string {
	var args []string
	for k, p := range i.Kind.Params {
		switch x := i.Args[k].(type) {
		case []*Loop:
			if p.Form == LoopsForm {
				for _, l := range x {
					args = append(args, python(l, n))
				}
				continue
			}
		}
		switch pair, ok := i.Args[k].([]any); {
		case p.Untraced:
		case p.Pair && ok:
			args = append(args, fmt.Sprintf("%s=(%q, %d)", p.Name, pair[0], pair[1]))
		default:
			args = append(args, p.Name+"="+python(i.Args[k], n))
		}
	}
	if i.Decision != nil {
		args = append(args, "decision="+python(i.Decision, n))
	}
	out := n.add(i.Outputs)
	call := fmt.Sprintf("sch.%s(%s)", i.Kind.Method, strings.Join(args, ", "))
	switch {
	case len(out) == 0:
		return call
	case i.Kind.Outputs == One:
		return out[0] + " = " + call
	case len(out) == 1:
		return out[0] + ", = " + call
	}
	return strings.Join(out, ", ") + " = " + call
}

// python spells an argument.
func python(x any, n names) string {
	switch x := x.(type) {
	case nil:
		return "None"
	case *Block, *Loop:
		return n[x]
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', 17, 64)
	case string:
		return strconv.Quote(x)
	case []tir.Expr:
		return pythonList(x, n)
	case []int64:
		return pythonList(x, n)
	case []float64:
		return pythonList(x, n)
	case []*Block:
		return pythonList(x, n)
	case []any:
		return pythonList(x, n)
	case *tir.IndexMap:
		return mapText(x)
	case tir.Expr:
		if v, ok := x.(*tir.Var); ok && n[v] != "" {
			return n[v]
		}
		if v, ok := tir.AsInt(x); ok && !x.DType().IsBool() {
			return strconv.FormatInt(v, 10)
		}
		return script.Node(x, script.Options{})
	case *ir.Attrs:
		parts := make([]string, x.Len())
		for i := range parts {
			k, v := x.At(i)
			parts[i] = strconv.Quote(k) + ": " + python(v, n)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case ir.Node:
		return script.Node(x, script.Options{})
	}
	return fmt.Sprint(x)
}

func pythonList[T any](list []T, n names) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = python(any(x), n)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// mapText spells an index map as a function of Python.
func mapText(m *tir.IndexMap) string {
	vars, final := make([]string, len(m.Initial)), make([]string, len(m.Final))
	for i, v := range m.Initial {
		vars[i] = v.Name
	}
	for i, e := range m.Final {
		final[i] = script.Node(e, script.Options{})
	}
	comma := ""
	if len(final) == 1 {
		comma = ","
	}
	return "lambda " + strings.Join(vars, ", ") + ": (" + strings.Join(final, ", ") + comma + ")"
}
