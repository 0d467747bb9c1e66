package reduce

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// part is a sequence that can take the place of the value of a binding.
type part struct {
	binding relax.Binding
	body    *relax.SeqExpr
	params  []*relax.Var // of the function whose body it is, for the arguments of a call
	args    []relax.Expr
}

// inlines puts the branches of conditionals and the bodies of functions in the place of the conditional and the call.
func (s *search) inlines(get func() *relax.Function, try func(*relax.Function) bool) {
	for again := true; again; {
		again = false
		for _, p := range parts(s.best, get()) {
			if again = try(inlined(s.best, get(), p)); again {
				break
			}
		}
	}
}

// parts returns what can be put inline in f.
func parts(m *ir.Module, f *relax.Function) (out []part) {
	if f == nil {
		return nil
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		switch v := b.BoundValue().(type) {
		case *relax.If:
			out = append(out, part{binding: b, body: v.Then}, part{binding: b, body: v.Else})
		case *relax.Call:
			gv, ok := v.Op.(*ir.GlobalVar)
			if !ok {
				return
			}
			if g, ok := m.Lookup(gv.Name).(*relax.Function); ok && g != f && len(g.Params) == len(v.Args) {
				out = append(out, part{b, g.Body, g.Params, v.Args})
			}
		}
	})
	return out
}

// inlined returns f with the bindings of a part in the place of a binding. They bind new variables, since a function may be called
// twice, and none of them is local to a dataflow block.
func inlined(m *ir.Module, f *relax.Function, p part) *relax.Function {
	mu := op.NewExprMutator(m)
	inside := map[*relax.Var]bool{}
	relax.EachBinding(p.body, func(_ *relax.BindingBlock, b relax.Binding) { inside[b.Bound()] = true })
	mu.VarDef = func(v *relax.Var) *relax.Var {
		if inside[v] {
			return &relax.Var{Base: v.Base, Name: v.Name, SInfo: v.SInfo}
		}
		return v
	}
	mu.Binding = func(x relax.Binding) {
		if x != p.binding {
			mu.VisitBinding(x)
			return
		}
		for i, a := range p.params {
			mu.Remap(a, mu.VisitExpr(p.args[i]))
		}
		for _, blk := range p.body.Blocks {
			for _, y := range blk.Bindings {
				mu.VisitBinding(y)
			}
		}
		mu.Remap(x.Bound(), mu.VisitExpr(p.body.Body))
	}
	out, err := mu.Function(f)
	if err != nil {
		return nil
	}
	return out
}
