package sch

import (
	"fmt"
	"math"
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
		return x.Value
	case *tir.FloatImm:
		return x.Value
	case *ir.Attrs:
		out := map[string]any{}
		for i := range x.Len() {
			k, v := x.At(i)
			out[k] = jsonOf(v, n, false)
		}
		return out
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

// Replay calls the instructions of a trace, which may be that of another schedule, up to the first EnterPostproc where removePostproc is set. decide,
// where not nil, replaces their decisions.
func (s *Schedule) Replay(trace []*Instruction, removePostproc bool, decide func(*Instruction) any) error {
	if removePostproc {
		trace = BeforePostproc(trace)
	}
	became := map[any]any{}
	for k, i := range trace {
		c := &Call{Kind: i.Kind, Args: make([]any, len(i.Args)), Decision: i.Decision}
		for j, x := range i.Args {
			c.Args[j] = renamed(x, became)
		}
		if decide != nil {
			c.Decision = decide(i)
		}
		out, err := s.do(c)
		if err != nil {
			return fmt.Errorf("instruction %d of the trace: %w", k, err)
		}
		if len(out) != len(i.Outputs) {
			return fmt.Errorf("instruction %d of the trace, %s: it has %d results, the trace names %d", k, i.Kind.Method, len(out), len(i.Outputs))
		}
		for j, r := range i.Outputs {
			became[r] = out[j]
		}
	}
	return nil
}

// renamed puts references of this replay in the place of those of a trace.
func renamed(x any, became map[any]any) any {
	switch x := x.(type) {
	case *Block, *Loop:
		if r, ok := became[x]; ok {
			return r
		}
	case []*Loop:
		out := slices.Clone(x)
		for i, l := range x {
			if r, ok := became[l].(*Loop); ok {
				out[i] = r
			}
		}
		return out
	case []*Block:
		out := slices.Clone(x)
		for i, b := range x {
			if r, ok := became[b].(*Block); ok {
				out[i] = r
			}
		}
		return out
	case []tir.Expr:
		out := slices.Clone(x)
		for i, e := range x {
			if e != nil {
				out[i] = renamed(e, became).(tir.Expr)
			}
		}
		return out
	case tir.Expr:
		sub := map[*tir.Var]tir.Expr{}
		used := map[*tir.Var]bool{}
		varsOf(x, used)
		for v := range used {
			if r, ok := became[v].(*tir.Var); ok {
				sub[v] = r
			}
		}
		return tir.SubstExpr(x, sub)
	}
	return x
}

// Simplified returns a trace without pure instructions whose results nothing uses and, where removePostproc is set, without what comes after
// EnterPostproc.
func Simplified(trace []*Instruction, removePostproc bool) []*Instruction {
	if removePostproc {
		trace = BeforePostproc(trace)
	}
	used := map[any]bool{}
	var out []*Instruction
	for k := len(trace) - 1; k >= 0; k-- {
		i := trace[k]
		keep := !i.Kind.Pure
		for _, r := range i.Outputs {
			keep = keep || used[r]
		}
		if keep {
			out = append(out, i)
			for _, x := range i.Args {
				uses(x, used)
			}
		}
	}
	slices.Reverse(out)
	return out
}

func uses(x any, used map[any]bool) {
	switch x := x.(type) {
	case *Block, *Loop:
		used[x] = true
	case []*Block:
		for _, b := range x {
			used[b] = true
		}
	case []*Loop:
		for _, l := range x {
			used[l] = true
		}
	case []tir.Expr:
		for _, e := range x {
			if e != nil {
				uses(e, used)
			}
		}
	case tir.Expr:
		vars := map[*tir.Var]bool{}
		varsOf(x, vars)
		for v := range vars {
			used[v] = true
		}
	}
}
