package relaypass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// Inline puts the bodies of functions marked Inline in the place of their calls.
var Inline = &pass.Pass{
	Name: "relay.Inline", Level: 1, Kind: pass.Module, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Replaces calls of functions with the attribute Inline by their bodies, and removes those functions. One that calls itself, or a function that stays, is not inlined; one for an external compiler becomes a local function.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		in := &inlining{c: c, mod: m, edit: m.Edit(), callers: map[string]int{}, state: map[string]state{}}
		for gv, fn := range m.Funcs() {
			for callee := range callees(fn) {
				if callee != gv.Name {
					in.callers[callee]++
				}
			}
		}
		for gv := range m.Funcs() {
			if err := in.visit(gv.Name); err != nil {
				return nil, err
			}
		}
		c.Working("")
		out := in.edit.Done()
		var gone []string
		for gv, fn := range m.Funcs() {
			if in.state[gv.Name] == inlined && in.callers[gv.Name] > 0 {
				gone = append(gone, gv.Name)
				c.Rewrite("remove an inlined function", fn, nil)
			}
		}
		if len(gone) > 0 {
			out = out.Without(gone...)
		}
		return out, nil
	},
}

// state is how far a function was treated, and with what result.
type state uint8

const (
	open    state = iota // not yet seen
	visited              // being treated: who meets it calls it in a circle
	kept                 // its calls stay
	inlined              // its calls are replaced
)

type inlining struct {
	c       *pass.Context
	mod     *ir.Module
	edit    *ir.Editor
	callers map[string]int // how many other functions refer to one
	state   map[string]state
}

// callees returns the functions of the module that fn refers to.
func callees(fn ir.Function) map[string]bool {
	out := map[string]bool{}
	ir.Walk(fn, func(n ir.Node) bool {
		if gv, ok := n.(*ir.GlobalVar); ok {
			out[gv.Name] = true
		}
		return true
	})
	return out
}

// visit inlines what a function calls, and decides whether it is inlined itself.
func (in *inlining) visit(name string) error {
	if in.state[name] != open {
		return nil
	}
	in.state[name] = visited
	f, ok := in.mod.Lookup(name).(*relax.Function)
	if !ok {
		in.state[name] = kept
		return nil
	}
	if err := in.c.Err(); err != nil {
		return err
	}
	recursive := false
	for callee := range callees(f) {
		recursive = recursive || callee == name
		if err := in.visit(callee); err != nil {
			return err
		}
		recursive = recursive || in.state[callee] == visited
	}
	in.c.Working(name)
	var failed error
	out, err := eachSequence(in.mod, f, func(s *relax.SeqExpr) *relax.SeqExpr {
		made, err := in.sequence(s)
		if err != nil && failed == nil {
			failed = fmt.Errorf("in %s: %w", name, err)
		}
		return made
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if out != f {
		out = dropUnused(out, func(e relax.Expr) bool { _, name := e.(*relax.Var); return name })
		in.edit.Set(name, out)
	}
	in.state[name] = kept
	if f.Attrs.Int("Inline", 0) != 0 && !recursive && len(callees(out)) == 0 {
		in.state[name] = inlined
	}
	return nil
}

// sequence returns s with its calls inlined, s itself if there are none.
func (in *inlining) sequence(s *relax.SeqExpr) (*relax.SeqExpr, error) {
	made := &relax.SeqExpr{Base: s.Base}
	changed := false
	ctx := op.NewBlockBuilder(in.mod).Context()
	// literal binds a function to a variable in the place of its name.
	literal := func(gv *ir.GlobalVar) *relax.Var {
		f := relax.CopyFunction(in.edit.Lookup(gv.Name).(*relax.Function))
		f = f.WithAttrs(f.Attrs.Without(ir.AttrGlobalSymbol))
		v := &relax.Var{Base: f.Base, Name: gv.Name, SInfo: ctx.SInfoOf(f)}
		place(made, &relax.VarBinding{Base: f.Base, Var: v, Value: f}, true)
		in.c.Rewrite("make an inlined function a local one", gv, f)
		return v
	}
	names := &relax.Mapper{}
	names.Expr = func(e relax.Expr) relax.Expr {
		switch e := e.(type) {
		case *ir.GlobalVar:
			if in.state[e.Name] == inlined {
				changed = true
				return literal(e)
			}
			return e
		case *relax.SeqExpr, *relax.Function:
			return e // they were treated before
		}
		return names.MapExpr(e)
	}
	for _, b := range s.Blocks {
		for _, bind := range b.Bindings {
			vb, ok := bind.(*relax.VarBinding)
			if !ok {
				place(made, names.MapBinding(bind), b.Dataflow)
				continue
			}
			call, ok := vb.Value.(*relax.Call)
			gv, global := (*ir.GlobalVar)(nil), false
			if ok {
				gv, global = call.Op.(*ir.GlobalVar)
			}
			if global && in.state[gv.Name] == inlined {
				if f := in.edit.Lookup(gv.Name).(*relax.Function); !f.Attrs.Has("Compiler") && f.Attrs.Int("Extern", 0) == 0 {
					result, err := splice(made, f, gv.Name, vb.Var, call, ctx)
					if err != nil {
						return s, err
					}
					in.c.Rewrite("inline a call", call, result)
					changed = true
					if result != vb.Var {
						place(made, vb.WithValue(result), b.Dataflow)
					}
					continue
				}
			}
			place(made, names.MapBinding(bind), b.Dataflow)
		}
	}
	made.Body = names.Expr(s.Body)
	if !changed {
		return s, nil
	}
	return made, nil
}

// splice places the bindings of the body of f for a call of it, and returns the result: v itself where one of them could bind it.
func splice(to *relax.SeqExpr, f *relax.Function, name string, v *relax.Var, call *relax.Call, ctx *relax.InferContext) (relax.Expr, error) {
	if len(call.Args) != len(f.Params) {
		return nil, fmt.Errorf("call of %s: %d arguments, want %d", name, len(call.Args), len(f.Params))
	}
	f = relax.CopyFunction(f)
	vars := map[*relax.Var]relax.Expr{}
	var want, have []relax.StructInfo
	for i, p := range f.Params {
		vars[p] = call.Args[i]
		want, have = append(want, p.SInfo), append(have, ctx.SInfoOf(call.Args[i]))
	}
	prims, bad := ctx.MatchParams(want, have)
	if bad >= 0 {
		return nil, fmt.Errorf("call of %s: argument %d: expected %s, got %s", name, bad, relax.FormatSInfo(want[bad]), relax.FormatSInfo(have[bad]))
	}
	body := relax.Bind(f.Body, relax.Subst{Prims: prims, Vars: vars}).(*relax.SeqExpr)
	var result *relax.Var // that v takes the place of
	relax.EachBinding(body, func(_ *relax.BindingBlock, b relax.Binding) {
		if _, ok := b.(*relax.VarBinding); ok && body.Body == b.Bound() && relax.EqualSInfo(b.Bound().SInfo, v.SInfo) {
			result = b.Bound()
		}
	})
	if result != nil {
		body = relax.Bind(body, relax.Subst{Vars: map[*relax.Var]relax.Expr{result: v}}).(*relax.SeqExpr)
	}
	for _, b := range body.Blocks {
		for _, bind := range b.Bindings {
			if bind.Bound() == result && result != nil {
				bind = bind.(*relax.VarBinding).WithVar(v)
			}
			place(to, bind, b.Dataflow)
		}
	}
	return body.Body, nil
}
