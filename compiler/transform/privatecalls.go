package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// calledOnly returns the private Relax functions of a module that are used in no other way than being called, with their calls by name:
// their parameters and results can change together with all calls.
func calledOnly(m *ir.Module) map[string][]*relax.Call {
	out := map[string][]*relax.Call{}
	for gv, fn := range m.Funcs() {
		if _, ok := fn.(*relax.Function); ok && ir.GlobalSymbol(fn) == "" {
			out[gv.Name] = nil
		}
	}
	if len(out) == 0 {
		return nil
	}
	for _, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.Call:
				name := calleeOf(n)
				if name == "" {
					return true
				}
				if calls, ok := out[name]; ok {
					out[name] = append(calls, n)
				}
				for _, arg := range n.Args {
					dropUsed(out, arg)
				}
				return false
			case *ir.GlobalVar:
				delete(out, n.Name)
			}
			return true
		})
	}
	return out
}

// joined returns blocks with those that are not dataflow blocks and stand side by side as one.
func joined(blocks []*relax.BindingBlock) []*relax.BindingBlock {
	var out []*relax.BindingBlock
	for _, b := range blocks {
		if n := len(out) - 1; n >= 0 && !b.Dataflow && !out[n].Dataflow {
			out[n] = out[n].WithBindings(slices.Concat(out[n].Bindings, b.Bindings))
			continue
		}
		out = append(out, b)
	}
	return out
}

// merged returns f with blocks of one kind that stand side by side as one, as text reads back and as TVM's BlockBuilder leaves them:
// ordinary ones, and dataflow blocks if it is asked for.
func merged(f *relax.Function, dataflow bool) *relax.Function {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		e = m.MapExpr(e)
		s, ok := e.(*relax.SeqExpr)
		if !ok {
			return e
		}
		var blocks []*relax.BindingBlock
		for rest := s.Blocks; len(rest) > 0; {
			n, size := 1, len(rest[0].Bindings)
			for ; n < len(rest) && rest[n].Dataflow == rest[0].Dataflow && (dataflow || !rest[0].Dataflow); n++ {
				size += len(rest[n].Bindings)
			}
			b := rest[0]
			if n > 1 {
				list := make([]relax.Binding, 0, size)
				for _, x := range rest[:n] {
					list = append(list, x.Bindings...)
				}
				b = b.WithBindings(list)
			}
			blocks, rest = append(blocks, b), rest[n:]
		}
		if len(blocks) == len(s.Blocks) {
			return s
		}
		return s.WithBlocks(blocks)
	}
	return m.MapFunction(f)
}

// dropUsed drops the functions that an argument names.
func dropUsed(from map[string][]*relax.Call, arg relax.Expr) {
	ir.Walk(arg, func(n ir.Node) bool {
		if gv, ok := n.(*ir.GlobalVar); ok {
			delete(from, gv.Name)
		}
		return true
	})
}

// calleeOf returns the name of the function that a call calls by name, "" if it calls something else.
func calleeOf(c *relax.Call) string {
	if gv, ok := c.Op.(*ir.GlobalVar); ok {
		return gv.Name
	}
	return ""
}
