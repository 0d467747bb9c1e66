package reduce

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// shorten drops bindings from the end: the result is then what they used of the others, so that what was computed is still looked at.
func shorten(get func() *relax.Function, try func(*relax.Function) bool) {
	count := func() (n int) {
		for _, blk := range get().Body.Blocks {
			n += len(blk.Bindings)
		}
		return n
	}
	for size := count() / 2; size > 0; size /= 2 {
		for count() > size && try(beginning(get(), count()-size)) {
		}
	}
}

// beginning returns f with its first n bindings. Its result is a tuple of the variables that the others and the old result use, or
// the only one; nil where they use none.
func beginning(f *relax.Function, n int) *relax.Function {
	ours, seen := map[*relax.Var]bool{}, map[*relax.Var]bool{}
	var fields []relax.Expr
	need := func(e ir.Node) {
		ir.Walk(e, func(x ir.Node) bool {
			if v, ok := x.(*relax.Var); ok && ours[v] && !seen[v] {
				seen[v] = true
				fields = append(fields, v)
			}
			return true
		})
	}
	var blocks []*relax.BindingBlock
	for _, blk := range f.Body.Blocks {
		var keep []relax.Binding
		for _, b := range blk.Bindings {
			if n > 0 {
				n--
				keep = append(keep, b)
				ours[b.Bound()] = true
			} else {
				need(b)
			}
		}
		if len(keep) > 0 {
			blocks = append(blocks, blk.WithBindings(keep))
		}
	}
	need(f.Body.Body)
	if len(fields) == 0 {
		return nil
	}
	return withResult(f.WithBody(f.Body.WithBlocks(blocks)), fields)
}

// withResult returns f with a result of some variables, which are made visible outside of their dataflow blocks.
func withResult(f *relax.Function, fields []relax.Expr) *relax.Function {
	body := fields[0]
	if len(fields) > 1 {
		body = &relax.Tuple{Fields: fields}
	}
	out := map[*relax.Var]*relax.Var{}
	for _, e := range fields {
		if v, ok := e.(*relax.Var); ok && v.Dataflow {
			out[v] = v.WithDataflow(false)
		}
	}
	f = f.WithBody(f.Body.WithBody(body))
	if len(out) == 0 {
		return f
	}
	m := &relax.Mapper{}
	m.Var = func(v *relax.Var) *relax.Var {
		if x := out[v]; x != nil {
			return x
		}
		return v
	}
	m.Expr = func(e relax.Expr) relax.Expr {
		if v, ok := e.(*relax.Var); ok {
			return m.Var(v)
		}
		return m.MapExpr(e)
	}
	return m.MapFunction(f)
}

// renewed returns f with the struct info that its result has now, nil where there is none.
func renewed(m *ir.Module, f *relax.Function) *relax.Function {
	if f == nil {
		return nil
	}
	out, err := op.NewBlockBuilder(m).NormalizeFunction(f)
	if err != nil {
		return nil
	}
	return out
}

// fields removes fields of the tuple that is the result, and the tuple around the last.
func (s *search) fields(get func() *relax.Function, try func(*relax.Function) bool) {
	list := func() []relax.Expr {
		if t, ok := get().Body.Body.(*relax.Tuple); ok {
			return t.Fields
		}
		return nil
	}
	halve(func() int { return len(list()) }, func(lo, hi int) bool {
		all := list()
		rest := append(append([]relax.Expr{}, all[:lo]...), all[hi:]...)
		return len(rest) > 0 && try(renewed(s.best, withResult(get(), rest)))
	})
	if one := list(); len(one) == 1 {
		try(renewed(s.best, withResult(get(), one)))
	}
}
