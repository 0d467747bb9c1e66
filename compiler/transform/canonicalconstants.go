package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// constantVars returns the variables of f that are bound to a constant, or to a field of a
// tuple in sight that is one.
func constantVars(f *relax.Function) map[*relax.Var]*relax.Constant {
	out := map[*relax.Var]*relax.Constant{}
	tuples := map[*relax.Var]*relax.Tuple{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		vb, ok := b.(*relax.VarBinding)
		if !ok {
			return
		}
		k, isConstant := vb.Value.(*relax.Constant)
		switch e := vb.Value.(type) {
		case *relax.Tuple:
			tuples[vb.Var] = e
		case *relax.TupleGetItem:
			k, isConstant = constantField(tuples, e)
		}
		if isConstant && relax.EqualSInfo(relax.SInfoOf(k), vb.Var.SInfo) { // else the name says more, or on which device it is
			out[vb.Var] = k
		}
	})
	return out
}

// constantField returns the field that get takes of one of tuples, if it is a constant.
func constantField(tuples map[*relax.Var]*relax.Tuple, get *relax.TupleGetItem) (*relax.Constant, bool) {
	v, _ := get.Tuple.(*relax.Var)
	t := tuples[v]
	if t == nil || get.Index >= len(t.Fields) {
		return nil, false
	}
	k, ok := t.Fields[get.Index].(*relax.Constant)
	return k, ok
}

// useConstants puts the constants of vars in the place of their names wherever f uses them.
// The bindings stay for DeadCodeElimination. A name that is killed is needed for that.
func useConstants(c *pass.Context, m *ir.Module, f *relax.Function, vars map[*relax.Var]*relax.Constant) (*relax.Function, error) {
	killed := killedVars(f)
	mu := op.NewExprMutator(m)
	mu.Expr = func(e relax.Expr) relax.Expr {
		v, _ := e.(*relax.Var)
		if k := vars[v]; k != nil && !killed[v] {
			c.Rewrite("use the constant in place of its name", v, k)
			return k
		}
		return mu.VisitExpr(e)
	}
	return mu.Function(f)
}
