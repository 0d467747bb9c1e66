package transform

import (
	"github.com/irscope/irscope/compiler/relax"
)

// constantValues tells which values can be computed from constants alone: what FoldConstant folds, or leaves because it is large.
type constantValues struct {
	bound func(*relax.Var) relax.Expr // what a variable is bound to, nil for a parameter
	known map[*relax.Var]bool
}

// constantsOf returns the constant values of a function.
func constantsOf(f *relax.Function) *constantValues {
	values := map[*relax.Var]relax.Expr{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if vb, ok := b.(*relax.VarBinding); ok {
			values[vb.Var] = vb.Value
		}
	})
	return newConstantValues(func(v *relax.Var) relax.Expr { return values[v] })
}

func newConstantValues(bound func(*relax.Var) relax.Expr) *constantValues {
	return &constantValues{bound: bound, known: map[*relax.Var]bool{}}
}

// has reports whether e is a tensor that depends on constants alone: one, or what a kernel makes of some.
func (k *constantValues) has(e relax.Expr) bool {
	switch e := e.(type) {
	case *relax.Constant:
		return true
	case *relax.Var:
		is, seen := k.known[e]
		if !seen {
			switch value := k.bound(e).(type) {
			case *relax.Call:
				is = legalizeRule(opName(value)) != nil && k.all(value.Args)
			case *relax.Constant:
				is = true
			}
			k.known[e] = is
		}
		return is
	}
	return false
}

// all reports whether all of a list are constant, of which one at least is a tensor.
func (k *constantValues) all(list []relax.Expr) bool {
	tensors := false
	for _, a := range list {
		switch a := a.(type) {
		case *relax.ShapeExpr:
			if _, known := relax.StaticInts(a.Values); !known {
				return false
			}
		default:
			if !k.has(a) {
				return false
			}
			tensors = true
		}
	}
	return tensors
}
