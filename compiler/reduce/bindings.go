package reduce

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// bindings makes the Relax functions smaller.
func (s *search) bindings() {
	graphs, own := s.graphs()
	for _, name := range graphs {
		get := func() *relax.Function { f, _ := s.best.Lookup(name).(*relax.Function); return f }
		try := func(f *relax.Function) bool {
			return f != nil && s.try(unnamed(s.best.With(name, f)))
		}
		if !own[name] { // its signature cannot change
			s.bypasses(get, func(f *relax.Function) bool { return f != nil && s.try(s.best.With(name, f)) })
			continue
		}
		shorten(get, func(f *relax.Function) bool { return try(renewed(s.best, f)) })
		s.fields(get, try)
		s.cuts(get, try)
		s.bypasses(get, try)
		s.inlines(get, try)
		s.merges(get, try)
	}
}

// merges makes one parameter stand for another.
func (s *search) merges(get func() *relax.Function, try func(*relax.Function) bool) {
	for i := 1; i < len(get().Params); {
		params := get().Params
		j := slices.IndexFunc(params[:i], func(p *relax.Var) bool { return relax.EqualSInfo(p.SInfo, params[i].SInfo) })
		if j < 0 || !try(merged(get(), params[i], params[j])) {
			i++
		}
	}
}

// merged returns f with a parameter used in the place of another.
func merged(f *relax.Function, p, by *relax.Var) *relax.Function {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		if e == relax.Expr(p) {
			return by
		}
		return m.MapExpr(e)
	}
	out := m.MapFunction(f)
	return out.WithParams(slices.DeleteFunc(slices.Clone(f.Params), func(v *relax.Var) bool { return v == p })).WithAttrs(f.Attrs.Without(attrNumInput))
}

// bound returns the variables that f binds, those of branches and local functions included, but those that hold functions.
func bound(f *relax.Function) (out []*relax.Var) {
	if f == nil {
		return nil
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { out = append(out, b.Bound()) })
	return out
}

// cuts removes bindings: what they computed are parameters.
func (s *search) cuts(get func() *relax.Function, try func(*relax.Function) bool) {
	halve(func() int { return len(bound(get())) }, func(lo, hi int) bool {
		set := map[*relax.Var]bool{}
		for _, v := range bound(get())[lo:hi] {
			set[v] = true
		}
		return try(cut(s.best, get(), set))
	})
}

// cut returns f without the bindings of a set of variables. Those that are still used are parameters, behind the others. It is
// nil where what remains cannot be typed.
func cut(m *ir.Module, f *relax.Function, set map[*relax.Var]bool) *relax.Function {
	used := map[*relax.Var]bool{}
	uses := func(n ir.Node) {
		ir.Walk(n, func(n ir.Node) bool {
			if v, ok := n.(*relax.Var); ok && set[v] {
				used[v] = true
			}
			return true
		})
	}
	var order []*relax.Var
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		switch {
		case set[b.Bound()]:
			order = append(order, b.Bound())
		case !nested(b.BoundValue()):
			uses(b.BoundValue())
		}
	})
	eachResult(f.Body, uses)
	params := append([]*relax.Var{}, f.Params...)
	as := map[*relax.Var]*relax.Var{}
	for _, v := range order {
		if used[v] {
			as[v] = &relax.Var{Base: v.Base, Name: v.Name, SInfo: v.SInfo}
			params = append(params, as[v])
		}
	}
	mu := op.NewExprMutator(m)
	mu.Binding = func(b relax.Binding) {
		v := b.Bound()
		switch p := as[v]; {
		case p != nil:
			mu.Remap(v, p)
		case !set[v]:
			mu.VisitBinding(b)
		}
	}
	out, err := mu.Function(f.WithParams(params))
	if err != nil {
		return nil
	}
	return out
}

// nested reports whether e has bindings of its own, which EachBinding visits.
func nested(e relax.Expr) bool {
	switch e.(type) {
	case *relax.If, *relax.Function, *relax.SeqExpr:
		return true
	}
	return false
}

// eachResult calls f for the results of s and of all sequences in it, and for the conditions of conditionals.
func eachResult(s *relax.SeqExpr, f func(ir.Node)) {
	f(s.Body)
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			switch v := b.BoundValue().(type) {
			case *relax.If:
				f(v.Cond)
				eachResult(v.Then, f)
				eachResult(v.Else, f)
			case *relax.Function:
				eachResult(v.Body, f)
			case *relax.SeqExpr:
				eachResult(v, f)
			}
		}
	}
}

// bypasses removes bindings whose value can be one of its operands.
func (s *search) bypasses(get func() *relax.Function, try func(*relax.Function) bool) {
	list := func() (out []relax.Binding) {
		relax.EachBinding(get().Body, func(_ *relax.BindingBlock, b relax.Binding) {
			if alike(b) != nil {
				out = append(out, b)
			}
		})
		return out
	}
	halve(func() int { return len(list()) }, func(lo, hi int) bool {
		set := map[relax.Binding]bool{}
		for _, b := range list()[lo:hi] {
			set[b] = true
		}
		mu := op.NewExprMutator(s.best)
		mu.Binding = func(b relax.Binding) {
			if set[b] {
				mu.Remap(b.Bound(), mu.Lookup(alike(b)))
				return
			}
			mu.VisitBinding(b)
		}
		out, err := mu.Function(get())
		return err == nil && try(out)
	})
}

// alike returns a variable that the value of b uses and that can stand for it, nil if there is none.
func alike(b relax.Binding) (out *relax.Var) {
	v := b.Bound()
	if nested(b.BoundValue()) {
		return nil
	}
	ir.Walk(b.BoundValue(), func(n ir.Node) bool {
		if x, ok := n.(*relax.Var); ok && out == nil && x.SInfo != nil && relax.EqualSInfo(x.SInfo, v.SInfo) && (v.Dataflow || !x.Dataflow) {
			out = x
		}
		return out == nil
	})
	return out
}
