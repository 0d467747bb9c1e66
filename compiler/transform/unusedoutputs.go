package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// RemoveUnusedOutputs takes from private functions the results that nobody uses.
var RemoveUnusedOutputs = &pass.Pass{
	Name: "RemoveUnusedOutputs", Kind: pass.Sequential,
	Doc: "Removes fields of the tuple that a private function returns if no caller uses them, and with them what was computed for them alone.",
	Children: []*pass.Pass{
		{
			Name: "RemoveUnusedOutputsInner", Kind: pass.Module,
			Doc: "Returns from private functions only the fields that callers use. The uses are numbered anew; what is left over goes with the passes behind.",
			Run: removeUnusedOutputs,
		},
		CanonicalizeBindings, DeadCodeElimination,
	},
}

func removeUnusedOutputs(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	masks := usedFields(m, calledOnly(m))
	e := m.Edit()
	for gv, fn := range m.Funcs() {
		mask, ok := masks[gv.Name]
		if !ok {
			continue
		}
		if !slices.Contains(mask, false) {
			delete(masks, gv.Name)
			continue
		}
		out, err := returnFields(m, fn.(*relax.Function), mask)
		if err != nil {
			return nil, err
		}
		c.Working(gv.Name)
		c.Rewrite("return what is used", fn, out)
		e.Set(gv.Name, out)
	}
	c.Working("")
	if len(masks) == 0 {
		return m, nil
	}
	m = e.Done()
	return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(m)
		from := map[*relax.Var][]bool{} // results of calls, as they were
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
			if call, ok := b.BoundValue().(*relax.Call); ok && masks[calleeOf(call)] != nil {
				from[b.Bound()] = masks[calleeOf(call)]
			}
		})
		if len(from) == 0 {
			return f, nil
		}
		// The struct info of the result is another one now.
		mu.Call = func(call *relax.Call) relax.Expr {
			if masks[calleeOf(call)] == nil {
				return call
			}
			return &relax.Call{Base: call.Base, Op: call.Op, Args: call.Args, Attrs: call.Attrs, SInfoArgs: call.SInfoArgs}
		}
		mu.Expr = func(x relax.Expr) relax.Expr {
			get, ok := x.(*relax.TupleGetItem)
			if !ok {
				return mu.VisitExpr(x)
			}
			v, ok := get.Tuple.(*relax.Var)
			if !ok || from[v] == nil {
				return mu.VisitExpr(x)
			}
			place, n := 0, 0
			for i, used := range from[v] {
				if i == get.Index {
					place = n
				}
				if used {
					n++
				}
			}
			whole := mu.VisitExpr(v)
			if n == 1 {
				return rewritten(c, "number the result anew", x, whole)
			}
			return rewritten(c, "number the result anew", x, relax.Expr(&relax.TupleGetItem{Base: get.Base, Tuple: whole, Index: place}))
		}
		return mu.Function(f)
	})
}

// usedFields returns for private functions that return tuples which fields their callers use. A function whose result is used as a whole
// is not among them.
func usedFields(m *ir.Module, calls map[string][]*relax.Call) map[string][]bool {
	masks := map[string][]bool{}
	for name := range calls {
		if t, ok := m.Lookup(name).(*relax.Function).Ret.(*relax.TupleStructInfo); ok && len(t.Fields) > 0 {
			masks[name] = make([]bool, len(t.Fields))
		}
	}
	for _, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || len(masks) == 0 {
			continue
		}
		results := map[*relax.Var]string{}
		bound := map[*relax.Call]bool{}
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
			call, ok := b.BoundValue().(*relax.Call)
			if !ok || masks[calleeOf(call)] == nil {
				return
			}
			if vb, plain := b.(*relax.VarBinding); plain && vb.Var.SInfo != nil {
				results[vb.Var], bound[call] = calleeOf(call), true
			}
		})
		ir.Walk(f, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.VarBinding:
				// The variable is defined here, not used.
				if results[n.Var] != "" {
					for _, a := range n.Value.(*relax.Call).Args {
						ir.Walk(a, wholly(masks, results))
					}
					return false
				}
			case *relax.TupleGetItem:
				if v, ok := n.Tuple.(*relax.Var); ok && results[v] != "" {
					if mask := masks[results[v]]; mask != nil {
						mask[n.Index] = true
					}
					return false
				}
			case *relax.Var:
				delete(masks, results[n])
			case *relax.Call:
				if !bound[n] {
					delete(masks, calleeOf(n))
				}
			}
			return true
		})
	}
	return masks
}

// wholly drops the functions whose results are used as a whole.
func wholly(masks map[string][]bool, results map[*relax.Var]string) func(ir.Node) bool {
	return func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok {
			delete(masks, results[v])
		}
		return true
	}
}

// returnFields returns f with only the fields of its result that mask names; a single one is no tuple any more.
func returnFields(m *ir.Module, f *relax.Function, mask []bool) (*relax.Function, error) {
	old := f.Ret.(*relax.TupleStructInfo)
	var fields []relax.Expr
	var infos []relax.StructInfo
	for i, used := range mask {
		if !used {
			continue
		}
		var field relax.Expr = &relax.TupleGetItem{Base: f.Base, Tuple: f.Body.Body, Index: i, SInfo: old.Fields[i]}
		if t, ok := f.Body.Body.(*relax.Tuple); ok {
			field = t.Fields[i]
		}
		fields, infos = append(fields, field), append(infos, old.Fields[i])
	}
	var result relax.Expr = &relax.Tuple{Fields: fields}
	var ret relax.StructInfo = &relax.TupleStructInfo{Fields: infos}
	if len(fields) == 1 {
		result, ret = fields[0], infos[0]
	}
	out, err := op.NewBlockBuilder(m).NormalizeFunction(f.WithRet(ret).WithBody(f.Body.WithBody(result)))
	if err != nil {
		return nil, err
	}
	return out.WithBody(out.Body.WithBlocks(joined(out.Body.Blocks))), nil
}
