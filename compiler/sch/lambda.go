package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Lambda is a function of a script from indices to what it returns: expressions, AxisSeparators, and lists ([]any) of these.
type Lambda struct {
	// Params are the names of its parameters; nil where it takes any number.
	Params []string
	Call   func([]tir.Expr) (any, error)
}

// AxisSeparator stands in what the function of an index map returns, between groups of physical axes.
type AxisSeparator struct{}

// IndexMap applies the function to n new variables of a type, and returns the map with the positions of its axis separators.
func (f *Lambda) IndexMap(n int, d dtype.DType) (m *tir.IndexMap, separators []int, err error) {
	vars, args, err := f.vars(n, d)
	if err != nil {
		return nil, nil, err
	}
	v, err := f.Call(args)
	if err != nil {
		return nil, nil, err
	}
	m = &tir.IndexMap{Initial: vars}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for i, x := range list {
		switch x := x.(type) {
		case tir.Expr:
			if !x.DType().IsInteger() {
				return nil, nil, fmt.Errorf("entry %d of the index map is a %s, expected an integer", i, x.DType())
			}
			m.Final = append(m.Final, tir.CastTo(d, x))
		case AxisSeparator:
			separators = append(separators, len(m.Final))
		default:
			return nil, nil, fmt.Errorf("entry %d of the index map is no expression", i)
		}
	}
	return m, separators, nil
}

// vars makes the variables that a function is called with.
func (f *Lambda) vars(n int, d dtype.DType) ([]*tir.Var, []tir.Expr, error) {
	if f.Params != nil && len(f.Params) != n {
		return nil, nil, fmt.Errorf("the function has %d parameters, expected %d, one for each index", len(f.Params), n)
	}
	vars, args := make([]*tir.Var, n), make([]tir.Expr, n)
	for i := range vars {
		name := fmt.Sprintf("i%d", i)
		if f.Params != nil {
			name = f.Params[i]
		}
		vars[i] = tir.NewVar(name, d)
		args[i] = vars[i]
	}
	return vars, args, nil
}
