package reduce

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// swept returns m without what nothing uses: bindings of pure values, parameters of functions that nothing in the module calls, and
// private functions that nothing refers to.
func swept(m *ir.Module) *ir.Module {
	fixed := called(m)
	e := m.Edit()
	changed := false
	for gv, fn := range m.Funcs() {
		switch f := fn.(type) {
		case *relax.Function:
			g := sweptBindings(m, f)
			if !fixed[gv.Name] {
				g = sweptParams(g)
			}
			if g != f {
				changed = changed || len(g.Params) != len(f.Params)
				e.Set(gv.Name, g)
			}
		case *tir.PrimFunc:
			if !fixed[gv.Name] {
				e.Set(gv.Name, sweptArgs(f))
			}
		}
	}
	out := e.Done()
	if changed {
		out = unnamed(out)
	}
	return reachable(out)
}

// reachable returns m without the private functions that nothing refers to, if there are others.
func reachable(m *ir.Module) *ir.Module {
	var gone []string
	for used := called(m); ; used = called(m) {
		gone = gone[:0]
		public := false
		for gv, fn := range m.Funcs() {
			if ir.GlobalSymbol(fn) != "" {
				public = true
			} else if !used[gv.Name] {
				gone = append(gone, gv.Name)
			}
		}
		if !public || len(gone) == 0 {
			return m
		}
		m = m.Without(gone...)
	}
}

// sweptBindings returns f without the bindings of pure values that nothing uses.
func sweptBindings(m *ir.Module, f *relax.Function) *relax.Function {
	unused := unusedBindings(m, f)
	if len(unused) == 0 {
		return f
	}
	mu := op.NewExprMutator(m)
	mu.Binding = func(b relax.Binding) {
		if !unused[b] {
			mu.VisitBinding(b)
		}
	}
	out, err := mu.Function(f)
	if err != nil {
		return f
	}
	return out
}

// unusedBindings finds the bindings that can go, from the end to the start. What local functions bind stays.
func unusedBindings(m *ir.Module, f *relax.Function) map[relax.Binding]bool {
	unused := map[relax.Binding]bool{}
	vars, symbols := map[*relax.Var]bool{}, map[*tir.Var]bool{}
	need := func(n ir.Node) { uses(n, vars, symbols) }
	ctx := op.NewBlockBuilder(m).Context()
	var sweep func(s *relax.SeqExpr)
	sweep = func(s *relax.SeqExpr) {
		need(s.Body)
		for _, blk := range slices.Backward(s.Blocks) {
			for _, b := range slices.Backward(blk.Bindings) {
				if !vars[b.Bound()] && removable(ctx, b, symbols) {
					unused[b] = true
					continue
				}
				if b.Bound().SInfo != nil {
					need(b.Bound().SInfo)
				}
				if mc, ok := b.(*relax.MatchCast); ok {
					need(mc.SInfo)
				}
				if v, ok := b.BoundValue().(*relax.If); ok {
					need(v.Cond)
					sweep(v.Then)
					sweep(v.Else)
				} else {
					need(b.BoundValue())
				}
			}
		}
	}
	if f.Ret != nil {
		need(f.Ret)
	}
	sweep(f.Body)
	return unused
}

// uses notes the variables of both levels that n uses.
func uses(n ir.Node, vars map[*relax.Var]bool, symbols map[*tir.Var]bool) {
	ir.Walk(n, func(x ir.Node) bool {
		switch x := x.(type) {
		case *relax.Var:
			vars[x] = true
			if x.SInfo != nil { // its extents are used wherever it is
				ir.Walk(x.SInfo, func(y ir.Node) bool {
					if v, ok := y.(*tir.Var); ok {
						symbols[v] = true
					}
					return true
				})
			}
		case *tir.Var:
			symbols[x] = true
		}
		return true
	})
}

// removable reports whether an unused binding has no effect and defines nothing that is used.
func removable(ctx *relax.InferContext, b relax.Binding, symbols map[*tir.Var]bool) bool {
	if mc, ok := b.(*relax.MatchCast); ok {
		return !slices.ContainsFunc(relax.DefinableVars(mc.SInfo), func(v *tir.Var) bool { return symbols[v] })
	}
	pure := true
	look := func(e relax.Expr) {
		if c, ok := e.(*relax.Call); ok {
			pure = pure && relax.CallIsPure(c, op.Table(), ctx)
		}
	}
	look(b.BoundValue())
	if v, ok := b.BoundValue().(*relax.If); ok {
		for _, s := range []*relax.SeqExpr{v.Then, v.Else} {
			relax.EachBinding(s, func(_ *relax.BindingBlock, b relax.Binding) { look(b.BoundValue()) })
		}
	}
	return pure
}

// attrNumInput is the attribute that counts the parameters that are no weights.
const attrNumInput = "num_input"

// sweptParams returns f without parameters that nothing uses, but those whose extents something uses.
func sweptParams(f *relax.Function) *relax.Function {
	vars, symbols := map[*relax.Var]bool{}, map[*tir.Var]bool{}
	uses(f.Body, vars, symbols)
	if f.Ret != nil {
		uses(f.Ret, vars, symbols)
	}
	var keep []*relax.Var
	defined := map[*tir.Var]bool{}
	for _, p := range f.Params {
		if vars[p] && p.SInfo != nil {
			for _, v := range relax.DefinableVars(p.SInfo) {
				defined[v] = true
			}
			uses(p.SInfo, vars, symbols)
		}
	}
	for _, p := range f.Params {
		needed := vars[p] || p.SInfo == nil
		if !needed {
			for _, v := range relax.DefinableVars(p.SInfo) {
				if symbols[v] && !defined[v] {
					needed, defined[v] = true, true
				}
			}
		}
		if needed {
			keep = append(keep, p)
		}
	}
	if len(keep) == len(f.Params) {
		return f
	}
	return f.WithParams(keep).WithAttrs(f.Attrs.Without(attrNumInput))
}

// sweptArgs returns f without the parameters whose value and buffer nothing uses.
func sweptArgs(f *tir.PrimFunc) *tir.PrimFunc {
	used := map[ir.Node]bool{}
	note := func(n ir.Node) {
		ir.Walk(n, func(x ir.Node) bool {
			switch x.(type) {
			case *tir.Var, *tir.Buffer:
				used[x] = true
			}
			return true
		})
	}
	note(f.Body)
	bufferOf := func(i int) *tir.Buffer {
		if i < len(f.Buffers) {
			return f.Buffers[i]
		}
		return nil
	}
	for i := range f.Params { // extents that other buffers use are in scope of all
		if b := bufferOf(i); b != nil && (used[b] || used[b.Data]) {
			for _, e := range b.Shape {
				note(e)
			}
			for _, e := range b.Strides {
				note(e)
			}
		}
	}
	out := *f
	out.Params, out.Buffers = nil, nil
	for i, p := range f.Params {
		b := bufferOf(i)
		keep := used[p] || b != nil && (used[b] || used[b.Data])
		if b != nil && !keep {
			for _, e := range b.Shape {
				if v, ok := e.(*tir.Var); ok && used[v] {
					keep = true
				}
			}
		}
		if keep {
			out.Params, out.Buffers = append(out.Params, p), append(out.Buffers, b)
		}
	}
	if len(out.Params) == len(f.Params) {
		return f
	}
	return &out
}
