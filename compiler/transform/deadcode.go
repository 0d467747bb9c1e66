package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// DeadCodeElimination removes what nothing needs.
var DeadCodeElimination = &pass.Pass{
	Name: "DeadCodeElimination", Level: 1, Kind: pass.Module,
	Doc:     "Removes bindings of pure values that nothing uses and functions that cannot be reached from the entry functions: those given and all with a global_symbol.",
	Options: []pass.Option{{Name: "entry_functions", Default: []ir.Value{}, Elem: "", Doc: "names of private functions to keep; public ones are kept anyway"}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		var entries []string
		for _, v := range c.Arg("entry_functions").([]ir.Value) {
			s := v.(string)
			if m.Lookup(s) == nil {
				return nil, fmt.Errorf("entry_functions: the module has no function called %s", s)
			}
			entries = append(entries, s)
		}
		out, err := eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return removeUnused(c, m, f)
		})
		if err != nil {
			return nil, err
		}
		return removeUnreachable(c, out, entries), nil
	},
}

// removeUnused drops the bindings that nothing needs.
func removeUnused(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	unused := unusedBindings(c, m, f)
	mu := op.NewExprMutator(m)
	mu.Binding = func(b relax.Binding) {
		if !unused[b] {
			mu.VisitBinding(b)
		}
	}
	out, err := mu.Function(f)
	if err != nil || out == f {
		return out, err
	}
	return merged(out, false), nil // what a dataflow block stood between
}

// unusedBindings finds what can go in one sweep from the end to the start. What a local function
// binds stays.
func unusedBindings(ctx *pass.Context, m *ir.Module, f *relax.Function) map[relax.Binding]bool {
	unused := map[relax.Binding]bool{}
	needed := map[*relax.Var]bool{}
	symbols := map[*tir.Var]bool{}
	checks := extentChecks(f)
	need := func(n ir.Node) {
		ir.Walk(n, func(x ir.Node) bool {
			switch x := x.(type) {
			case *relax.Var:
				if needed[x] {
					return false // what its type says was seen with it
				}
				needed[x] = true
			case *tir.Var:
				symbols[x] = true
			}
			return true
		})
	}
	var sweep func(s *relax.SeqExpr)
	binding := func(b relax.Binding) {
		if !needed[b.Bound()] {
			if !checks[b] && removable(m, b, symbols) {
				ctx.Rewrite("remove unused binding", b, nil)
				unused[b] = true
				return
			}
			ctx.Declined("remove unused binding", b, whyKept(b, checks[b]))
		}
		if v, ok := b.BoundValue().(*relax.If); ok {
			sweep(v.Then)
			sweep(v.Else)
			need(v.Cond)
		} else {
			need(b.BoundValue())
		}
		if info := b.Bound().SInfo; info != nil {
			need(info)
		}
		if mc, ok := b.(*relax.MatchCast); ok {
			need(mc.SInfo)
		}
	}
	sweep = func(s *relax.SeqExpr) {
		need(s.Body)
		for _, blk := range slices.Backward(s.Blocks) {
			for _, b := range slices.Backward(blk.Bindings) {
				binding(b)
			}
		}
	}
	need(f.Ret)
	sweep(f.Body)
	return unused
}

// extentChecks returns the casts of shapes that define no symbolic variable: what they are for is that a run ends where the extents are others.
func extentChecks(f *relax.Function) map[relax.Binding]bool {
	out := map[relax.Binding]bool{}
	defined := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		defined[v] = true
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		mc, ok := b.(*relax.MatchCast)
		if !ok {
			return
		}
		_, check := mc.SInfo.(*relax.ShapeStructInfo)
		for _, v := range relax.DefinableVars(mc.SInfo) {
			check = check && defined[v]
			defined[v] = true
		}
		if check {
			out[mc] = true
		}
	})
	return out
}

// removable reports whether a binding has no effect: its value is pure, and it defines no
// symbolic variable that is used.
func removable(m *ir.Module, b relax.Binding, symbols map[*tir.Var]bool) bool {
	if mc, ok := b.(*relax.MatchCast); ok {
		for _, v := range relax.DefinableVars(mc.SInfo) {
			if symbols[v] {
				return false
			}
		}
		return true
	}
	return isPure(m, b.BoundValue())
}

// whyKept says what keeps a binding that nothing uses.
func whyKept(b relax.Binding, checks bool) string {
	if checks {
		return "it checks extents"
	}
	if _, ok := b.(*relax.MatchCast); ok {
		return "it defines a symbolic variable that is used"
	}
	return "the value has effects"
}

// isPure reports whether computing e has no visible effect.
func isPure(m *ir.Module, e relax.Expr) bool {
	c, ok := e.(*relax.Call)
	if !ok {
		if i, ok := e.(*relax.If); ok {
			return isPureSeq(m, i.Then) && isPureSeq(m, i.Else)
		}
		return true
	}
	switch callee := c.Op.(type) {
	case *ir.Op:
		o := op.OfRef(callee)
		return o != nil && !o.Impure
	case *ir.GlobalVar:
		f, ok := m.Lookup(callee.Name).(*relax.Function)
		return ok && f.Pure
	case *relax.Var:
		info, ok := callee.SInfo.(*relax.FuncStructInfo)
		return ok && info.Pure
	}
	return false
}

func isPureSeq(m *ir.Module, s *relax.SeqExpr) bool {
	pure := true
	relax.EachBinding(s, func(_ *relax.BindingBlock, b relax.Binding) { pure = pure && isPure(m, b.BoundValue()) })
	return pure
}

// removeUnreachable drops functions that no entry reaches.
func removeUnreachable(c *pass.Context, m *ir.Module, entries []string) *ir.Module {
	reached := map[string]bool{}
	var reach func(name string)
	reach = func(name string) {
		f := m.Lookup(name)
		if reached[name] || f == nil {
			return
		}
		reached[name] = true
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *ir.GlobalVar:
				reach(n.Name)
			case *relax.ExternFunc: // which may be a kernel that an external generator compiled
				reach(n.Symbol)
			}
			return true
		})
	}
	for _, n := range entries {
		reach(n)
	}
	for gv, f := range m.Funcs() {
		if ir.GlobalSymbol(f) != "" {
			reach(gv.Name)
		}
	}
	if len(reached) == 0 {
		return m // nothing is public: everything may be called from outside
	}
	e := m.Edit()
	for gv, f := range m.Funcs() {
		if !reached[gv.Name] {
			c.Working(gv.Name)
			c.Rewrite("remove unreachable function", f, nil)
			e.Remove(gv.Name)
		}
	}
	c.Working("")
	return e.Done()
}
