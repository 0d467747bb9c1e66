package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// deduceBound is deduce_bound(var, cond, hint_map, relax_map): the values of a variable for which a condition certainly
// holds.
func deduceBound(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, cond, hints, relaxed starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "var", &name, "cond", &cond, "hint_map", &hints, "relax_map", &relaxed); err != nil {
		return nil, err
	}
	v, err := asNode[*tir.Var](name, "a variable")
	if err != nil {
		return nil, fmt.Errorf("deduce_bound: var: %w", err)
	}
	e, err := conditionOf(cond)
	if err != nil {
		return nil, fmt.Errorf("deduce_bound: cond: %w", err)
	}
	hint, err := setsOf(hints)
	if err != nil {
		return nil, fmt.Errorf("deduce_bound: hint_map: %w", err)
	}
	relax, err := setsOf(relaxed)
	if err != nil {
		return nil, fmt.Errorf("deduce_bound: relax_map: %w", err)
	}
	if err := analyze(t, e, len(hint)+len(relax)); err != nil {
		return nil, fmt.Errorf("deduce_bound: cond: %w", err)
	}
	return &intervalSet{arith.DeduceBound(v, e, hint, relax)}, nil
}

// analyze counts the work on an expression for the budget of a script.
func analyze(t *starlark.Thread, e tir.Expr, more int) error {
	n, err := analyzed(e)
	if err != nil {
		return err
	}
	return runOf(t).work(100 * (n + more + 1))
}

// detectLinearEquation is detect_linear_equation(expr, var_list): the coefficients of the variables and what remains,
// an empty list where the expression is not linear.
func detectLinearEquation(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, list starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "var_list", &list); err != nil {
		return nil, err
	}
	e, vars, err := overVars(t, b.Name(), x, list)
	if err != nil {
		return nil, err
	}
	coeffs, base, ok := arith.DetectLinearEquation(e, vars)
	if !ok {
		return nodesOf(nil), nil
	}
	return nodesOf(append(coeffs, base)), nil
}

// detectClipBound is detect_clip_bound(expr, var_list): the least and greatest value of each variable, None where there
// is none, an empty list where the condition is no conjunction of such bounds.
func detectClipBound(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, list starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "var_list", &list); err != nil {
		return nil, err
	}
	if _, err := conditionOf(x); err != nil {
		return nil, fmt.Errorf("%s: expr: %w", b.Name(), err)
	}
	e, vars, err := overVars(t, b.Name(), x, list)
	if err != nil {
		return nil, err
	}
	sets, _ := arith.DetectClipBound(e, vars)
	var out []starlark.Value
	for _, s := range sets {
		set := &intervalSet{s}
		out = append(out, set.end(s.Min), set.end(s.Max))
	}
	return starlark.NewList(out), nil
}

// overVars reads an expression and a list of variables, and counts the work.
func overVars(t *starlark.Thread, name string, x, list starlark.Value) (tir.Expr, []*tir.Var, error) {
	e, err := exprOf(x, dtype.DType{})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: expr: %w", name, err)
	}
	vars, err := intVarsOf(list)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: var_list: %w", name, err)
	}
	if err := analyze(t, e, len(vars)); err != nil {
		return nil, nil, fmt.Errorf("%s: expr: %w", name, err)
	}
	return e, vars, nil
}
