package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// InlinePrivateFunctions puts the bodies of private functions in the place of their calls.
var InlinePrivateFunctions = &pass.Pass{
	Name: "InlinePrivateFunctions", Kind: pass.Module,
	Doc:    "Replaces calls of private Relax functions with their bodies and removes these functions. Recursive functions stay, and so do functions with branches that a dataflow block calls.",
	Breaks: []*pass.Form{pass.NoDataflow},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		in := &inliner{c: c, bodies: inlinable(c, m)}
		if len(in.bodies) == 0 {
			return m, nil
		}
		in.body = func(call *relax.Call) *relax.Function { return in.bodies[calleeOf(call)] }
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok || in.bodies[gv.Name] != nil {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			out, err := in.function(m, f)
			if err != nil {
				return nil, err
			}
			if out != f {
				e.Set(gv.Name, out)
			}
		}
		c.Working("")
		return in.removeInlined(e.Done()), nil
	},
}

// inliner inlines functions.
type inliner struct {
	c      *pass.Context
	bodies map[string]*relax.Function // private functions that it inlines
	// body returns the function to put in the place of a call, nil to leave the call.
	body func(call *relax.Call) *relax.Function
}

// function returns f with the calls inlined, without the names and unused values that this leaves behind.
func (in *inliner) function(m *ir.Module, f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(m)
	depth := 0
	mu.VarDef = func(v *relax.Var) *relax.Var {
		if depth == 0 {
			return v
		}
		return v.WithName(mu.FreshName(v.Name))
	}
	// The bindings of a body go where the call is, one after the other, so that each is placed once however deep the calls are.
	mu.Binding = func(b relax.Binding) {
		if _, ok := b.BoundValue().(*relax.Call); !ok {
			mu.VisitBinding(b)
			return
		}
		value := mu.VisitExpr(b.BoundValue())
		call, ok := value.(*relax.Call)
		if !ok || in.body(call) == nil {
			mu.EmitNormalized(mu.WithValue(b, value))
			return
		}
		if err := in.c.Err(); err != nil {
			mu.Fail(err)
			return
		}
		seq, err := instance(mu.Builder().Context(), in.body(call), call)
		if err != nil {
			mu.Fail(err)
			return
		}
		depth++
		for _, blk := range seq.Blocks {
			if mu.Builder().InDataflow() {
				mu.VisitBindings(blk)
			} else {
				mu.VisitBlock(blk)
			}
		}
		result := mu.VisitExpr(seq.Body)
		depth--
		in.c.Rewrite("inline a private function", call, seq)
		mu.EmitNormalized(mu.WithValue(b, result))
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return out, err
	}
	if out, err = canonicalizeBindings(in.c, m, canonicalizeSymbols(in.c, merged(out, true))); err != nil {
		return nil, err
	}
	if out, err = removeUnused(in.c, m, out); err != nil {
		return nil, err
	}
	return merged(out, true), nil
}

// instance returns the body of a function for one call of it, as a sequence that begins with its parameters as names of the arguments. Its
// symbolic variables are what the arguments have in their place.
func instance(ctx *relax.InferContext, callee *relax.Function, call *relax.Call) (*relax.SeqExpr, error) {
	if len(call.Args) != len(callee.Params) {
		return nil, fmt.Errorf("call of %s: %d arguments, want %d", calleeOf(call), len(call.Args), len(callee.Params))
	}
	f := relax.CopyFunction(callee)
	var want, have []relax.StructInfo
	for i, a := range call.Args {
		want, have = append(want, f.Params[i].SInfo), append(have, ctx.SInfoOf(a))
	}
	prims, bad := ctx.MatchParams(want, have)
	if bad >= 0 {
		return nil, fmt.Errorf("call of %s: argument %d: expected %s, got %s", calleeOf(call), bad, relax.FormatSInfo(want[bad]), relax.FormatSInfo(have[bad]))
	}
	vars := map[*relax.Var]relax.Expr{}
	var bindings []relax.Binding
	for i, p := range f.Params {
		v := &relax.Var{Base: p.Base, Name: p.Name, SInfo: have[i]}
		vars[p] = v
		bindings = append(bindings, &relax.VarBinding{Base: p.Base, Var: v, Value: call.Args[i]})
	}
	body := relax.Bind(f.Body, relax.Subst{Prims: prims, Vars: vars}).(*relax.SeqExpr)
	return body.WithBlocks(append([]*relax.BindingBlock{{Bindings: bindings}}, body.Blocks...)), nil
}

// inlinable returns the private functions of m whose calls can be replaced.
func inlinable(c *pass.Context, m *ir.Module) map[string]*relax.Function {
	out := map[string]*relax.Function{}
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*relax.Function); ok && ir.GlobalSymbol(f) == "" {
			out[gv.Name] = f
		}
	}
	if len(out) == 0 {
		return nil
	}
	calls := map[string][]string{}
	inDataflow := map[string]bool{} // called from a dataflow block
	branches := map[string]bool{}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.If:
				branches[gv.Name] = true
			case *relax.BindingBlock:
				for _, b := range n.Bindings {
					if call, ok := b.BoundValue().(*relax.Call); ok && n.Dataflow && calleeOf(call) != "" {
						inDataflow[calleeOf(call)] = true
					}
				}
			case *ir.GlobalVar:
				calls[gv.Name] = append(calls[gv.Name], n.Name)
			}
			return true
		})
	}
	decline := func(name, why string) {
		c.Working(name)
		c.Declined("inline a private function", out[name], why)
		c.Working("")
		delete(out, name)
	}
	recursive := recursiveFunctions(calls)
	for name := range m.Funcs() {
		if out[name.Name] != nil && recursive[name.Name] {
			decline(name.Name, "it is recursive")
		}
	}
	spread(calls, out, branches)
	for changed := true; changed; { // what stays is called from where it was called
		changed = false
		for name := range m.Funcs() {
			if out[name.Name] != nil && inDataflow[name.Name] && branches[name.Name] {
				decline(name.Name, "it has branches, and a dataflow block calls it")
				changed = true
			}
		}
	}
	return out
}

// recursiveFunctions returns the functions that call themselves, directly or through others: those of strongly connected components
// (Tarjan: Depth-first search and linear graph algorithms).
func recursiveFunctions(calls map[string][]string) map[string]bool {
	out := map[string]bool{}
	index, low, open := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(name string)
	visit = func(name string) {
		index[name] = len(index) + 1
		low[name], open[name] = index[name], true
		stack = append(stack, name)
		for _, n := range calls[name] {
			if n == name {
				out[name] = true
			} else if index[n] == 0 {
				visit(n)
				low[name] = min(low[name], low[n])
			} else if open[n] {
				low[name] = min(low[name], index[n])
			}
		}
		for single := true; low[name] == index[name] && open[name]; single = false {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			open[last] = false
			if !single || last != name {
				out[last] = true
			}
		}
	}
	for name := range calls {
		if index[name] == 0 {
			visit(name)
		}
	}
	return out
}

// spread marks the functions that call marked ones, directly or through others that are inlined.
func spread(calls map[string][]string, inlined map[string]*relax.Function, marked map[string]bool) {
	done := map[string]bool{}
	var visit func(name string) bool
	visit = func(name string) bool {
		if done[name] {
			return marked[name]
		}
		done[name] = true
		for _, n := range calls[name] {
			if inlined[n] != nil && visit(n) {
				marked[name] = true
			}
		}
		return marked[name]
	}
	for name := range inlined {
		visit(name)
	}
}

// removeInlined removes the functions that were inlined, but for those that what is left uses as values.
func (in *inliner) removeInlined(m *ir.Module) *ir.Module {
	used := map[string]bool{}
	var use func(fn ir.Function)
	use = func(fn ir.Function) {
		ir.Walk(fn, func(n ir.Node) bool {
			if gv, ok := n.(*ir.GlobalVar); ok && in.bodies[gv.Name] != nil && !used[gv.Name] {
				used[gv.Name] = true
				use(in.bodies[gv.Name])
			}
			return true
		})
	}
	for gv, fn := range m.Funcs() {
		if in.bodies[gv.Name] == nil {
			use(fn)
		}
	}
	e := m.Edit()
	for gv, fn := range m.Funcs() {
		if in.bodies[gv.Name] != nil && !used[gv.Name] {
			in.c.Working(gv.Name)
			in.c.Rewrite("remove an inlined function", fn, nil)
			e.Remove(gv.Name)
		}
	}
	in.c.Working("")
	return e.Done()
}
