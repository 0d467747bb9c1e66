package reduce

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
)

// functions removes functions, and the bindings that refer to them.
func (s *search) functions() {
	names := func() []string { return script.FuncNames(s.best) }
	halve(func() int { return len(names()) }, func(lo, hi int) bool {
		all := names()
		return hi-lo < len(all) && s.try(withoutFunctions(s.best, all[lo:hi]))
	})
}

// withoutFunctions returns m without some functions. What other functions make of them are parameters.
func withoutFunctions(m *ir.Module, names []string) *ir.Module {
	gone := map[string]bool{}
	for _, n := range names {
		gone[n] = true
	}
	e := m.Edit()
	changed := false
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if gone[gv.Name] || !ok {
			continue
		}
		refers := map[*relax.Var]bool{}
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
			for name := range mentioned(b) {
				if gone[name] {
					refers[b.Bound()] = true
				}
			}
		})
		if len(refers) == 0 {
			continue
		}
		out := cut(m, f, refers)
		if out == nil {
			return nil
		}
		e.Set(gv.Name, out)
		changed = true
	}
	for _, n := range names {
		e.Remove(n)
	}
	out := e.Done()
	if changed {
		out = unnamed(out)
	}
	return out
}

// unnamed returns m without the attributes that name inputs and outputs, whose number has changed.
func unnamed(m *ir.Module) *ir.Module {
	return m.WithAttrs(m.Attrs().Without(ir.AttrInputNames).Without(ir.AttrOutputNames))
}
