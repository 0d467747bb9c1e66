package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// MayRefuse reports whether the code generator for a target, as package target prints it, may leave functions to another one.
func MayRefuse(text string) bool {
	t, err := target.Parse(text)
	if err != nil {
		return false
	}
	g, err := generatorFor(t)
	return err == nil && g.fallback != ""
}

// Refusal says that the code generator of a target did not take a function, and why. Another one made its code.
type Refusal struct {
	Name   string `json:"name"`
	Target string `json:"target"` // whose generator refused
	By     string `json:"by"`     // kind of target that the code is for instead
	Reason string `json:"reason"`
}

// built is a module of kernels with what it was made for.
type built struct {
	kind   string
	target target.Target
	lib    *codegen.Library
}

// binary is the module as artifacts keep it.
func (b built) binary() runtime.Binary {
	return runtime.Binary{Kind: b.kind, Format: b.lib.Format, Bytes: b.lib.Bytes, Symbols: b.lib.Symbols()}
}

// generate makes the code of a group: what the generator of its target refuses, with all that is called from there, the generator that it falls back to makes.
func generate(ctx context.Context, g group) ([]built, []Refusal, error) {
	gen, err := generatorFor(g.target)
	if err != nil {
		return nil, nil, err
	}
	lib, err := gen.build(ctx, g.funcs, g.target)
	if err != nil {
		return nil, nil, err
	}
	var out []built
	if len(lib.Kernels) > 0 || len(lib.Refused) == 0 {
		out = []built{{gen.kind, g.target, lib}}
	}
	if len(lib.Refused) == 0 {
		return out, nil, nil
	}
	var refused []Refusal
	left := map[string]bool{}
	for _, r := range lib.Refused {
		refused = append(refused, Refusal{Name: r.Name, Target: g.target.String(), By: gen.fallback, Reason: r.Reason})
		left[r.Name] = true
	}
	if gen.fallback == "" {
		return nil, nil, fmt.Errorf("function %s: the code generator for targets of kind %s refuses it: %s", refused[0].Name, gen.kind, refused[0].Reason)
	}
	second, err := gen.standby(ctx, withCallees(g.funcs, left))
	if err != nil {
		return nil, nil, fmt.Errorf("functions that the code generator for targets of kind %s refuses: %w", gen.kind, err)
	}
	return append(out, second), refused, nil
}

// standby makes code of functions by the generator that g falls back to.
func (g generator) standby(ctx context.Context, funcs []codegen.Func) (built, error) {
	second, err := generatorOf(g.fallback)
	if err != nil {
		return built{}, err
	}
	t := target.Of(second.kind)
	funcs = slices.Clone(funcs)
	for i, f := range funcs { // what only the first has instructions for, such as fma
		funcs[i].Prim = tirpass.DefineMath(f.Prim, t)
	}
	lib, err := second.build(ctx, funcs, t)
	return built{second.kind, t, lib}, err
}

// withCallees returns the functions of chosen names and all that they call, in the order of the list: kernels are linked within a module.
func withCallees(list []codegen.Func, chosen map[string]bool) []codegen.Func {
	byName := map[string]codegen.Func{}
	for _, f := range list {
		byName[f.Name] = f
		if s := ir.GlobalSymbol(f.Prim); s != "" {
			byName[s] = f
		}
	}
	in := map[string]bool{}
	var add func(f codegen.Func)
	add = func(f codegen.Func) {
		if in[f.Name] {
			return
		}
		in[f.Name] = true
		ir.Walk(f.Prim.Body, func(n ir.Node) bool {
			switch n := n.(type) {
			case *tir.StringImm: // a packed call names its function
				if c, ok := byName[n.Value]; ok {
					add(c)
				}
			case *tir.Call:
				if gv, ok := n.Op.(*ir.GlobalVar); ok {
					if c, ok := byName[gv.Name]; ok {
						add(c)
					}
				}
			}
			return true
		})
	}
	for _, f := range list {
		if chosen[f.Name] {
			add(f)
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(f codegen.Func) bool { return !in[f.Name] })
}

// AddTwins adds modules to the artifact of a result that hold kernels for the processor of a machine once more, in a form that runs everywhere: whoever opens the artifact
// on a machine that cannot execute the ones gets the others. It adds none where all kernels run everywhere.
func AddTwins(ctx context.Context, t target.Target, res *Result) error {
	if res.Artifact == nil {
		return errors.New("there is no artifact to add to")
	}
	list, err := groups(res.Module, t)
	if err != nil {
		return err
	}
	everywhere := map[string]bool{}
	for _, m := range res.Artifact.Modules {
		if g, err := generatorOf(m.Kind); err == nil && g.fallback == "" {
			for _, s := range m.Symbols {
				everywhere[s] = true
			}
		}
	}
	for _, g := range list {
		gen, err := generatorFor(g.target)
		if err != nil {
			return err
		}
		if gen.fallback == "" {
			continue
		}
		alone := map[string]bool{}
		for _, f := range g.funcs {
			if s := ir.GlobalSymbol(f.Prim); s != "" && !everywhere[s] {
				alone[f.Name] = true
			}
		}
		if len(alone) == 0 {
			continue
		}
		twin, err := gen.standby(ctx, withCallees(g.funcs, alone))
		if err != nil {
			return fmt.Errorf("kernels for machines that cannot execute those for target %s: %w", g.target, err)
		}
		res.Artifact.Modules = append(res.Artifact.Modules, twin.binary())
	}
	return nil
}
