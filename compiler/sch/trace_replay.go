package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

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
			if i.Kind.Params[j].Untraced {
				c.Args[j] = i.Kind.Params[j].Default
			}
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

// WithDecision returns a trace in which an instruction decides otherwise, without what comes after EnterPostproc where removePostproc is set. The trace
// itself does not change. It fails if the instruction is none of the trace, or draws nothing.
func WithDecision(trace []*Instruction, inst *Instruction, decision any, removePostproc bool) ([]*Instruction, error) {
	if removePostproc {
		trace = BeforePostproc(trace)
	}
	k := slices.Index(trace, inst)
	if k < 0 {
		return nil, fmt.Errorf("with_decision: the instruction is none of the trace")
	}
	if inst.Decision == nil {
		return nil, fmt.Errorf("with_decision: %s draws nothing", inst.Kind.Method)
	}
	call := *inst.Call
	call.Decision = decision
	out := slices.Clone(trace)
	out[k] = &Instruction{Call: &call, Outputs: inst.Outputs}
	return out, nil
}
