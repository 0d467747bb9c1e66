package starpass

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// arithNamespace is arith: the integer analysis, under TVM's names.
func arithNamespace() starlark.Value {
	sets := starlark.StringDict{
		"IntSet": intSetType(), "IntervalSet": intervalSetType(),
		"estimate_region_lower_bound":  regionBound("estimate_region_lower_bound"),
		"estimate_region_strict_bound": regionBound("estimate_region_strict_bound"),
		"estimate_region_upper_bound":  regionBound("estimate_region_upper_bound"),
	}
	solver := starlark.StringDict{
		"IntConstraints":            constraintsType(),
		"IntGroupBounds":            groupBoundsType(),
		"solve_linear_equations":    builtin("solve_linear_equations", solveEquations),
		"solve_linear_inequalities": builtin("solve_linear_inequalities", solveInequalities),
	}
	patterns := starlark.StringDict{
		"detect_linear_equation": builtin("detect_linear_equation", detectLinearEquation),
		"detect_clip_bound":      builtin("detect_clip_bound", detectClipBound),
	}
	bounds := starlark.StringDict{"deduce_bound": builtin("deduce_bound", deduceBound)}
	iters := iterMapNames()
	members := starlark.StringDict{
		"Analyzer":                    analyzerType(),
		"ProofStrength":               namespace("arith.ProofStrength", starlark.StringDict{"DEFAULT": starlark.MakeInt(0), "SYMBOLIC_BOUND": starlark.MakeInt(1)}),
		"domain_touched":              builtin("domain_touched", domainTouched),
		"narrow_predicate_expression": builtin("narrow_predicate_expression", narrowPredicate),
		"int_set":                     namespace("arith.int_set", sets),
		"int_solver":                  namespace("arith.int_solver", solver),
		"pattern":                     namespace("arith.pattern", patterns),
		"bound":                       namespace("arith.bound", bounds),
		"iter_affine_map":             namespace("arith.iter_affine_map", iters),
	}
	for _, part := range []starlark.StringDict{sets, solver, patterns, bounds, iters} {
		for name, v := range part {
			members[name] = v
		}
	}
	return namespace("arith", members)
}

// rangesOf reads a dictionary from variables to ranges; None is an empty one.
func rangesOf(v starlark.Value) (map[*tir.Var]*tir.Range, error) {
	out := map[*tir.Var]*tir.Range{}
	err := eachEntry(v, "ranges", func(x *tir.Var, v starlark.Value) (err error) {
		out[x], err = asNode[*tir.Range](v, "a Range")
		return err
	})
	return out, err
}

// eachEntry calls f with each variable of a dictionary and what it has for it; None is an empty one.
func eachEntry(v starlark.Value, what string, f func(*tir.Var, starlark.Value) error) error {
	if v == nil || v == starlark.None {
		return nil
	}
	d, ok := v.(starlark.IterableMapping)
	if !ok {
		return fmt.Errorf("expected a dictionary from variables to %s, got %s", what, describe(v))
	}
	for _, item := range d.Items() {
		x, err := asNode[*tir.Var](item[0], "a variable")
		if err != nil {
			return err
		}
		if err := f(x, item[1]); err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
	}
	return nil
}

func exprsOf(v starlark.Value, like dtype.DType) ([]tir.Expr, error) {
	var out []tir.Expr
	if v == nil || v == starlark.None {
		return nil, nil
	}
	err := eachOf(v, func(x starlark.Value) error {
		e, err := exprOf(x, like)
		out = append(out, e)
		return err
	})
	return out, err
}

// intVarsOf reads a list of scalar integer variables; None is an empty one.
func intVarsOf(v starlark.Value) ([]*tir.Var, error) {
	es, err := exprsOf(v, dtype.DType{})
	if err != nil {
		return nil, err
	}
	var out []*tir.Var
	seen := map[*tir.Var]bool{}
	for _, e := range es {
		x, ok := e.(*tir.Var)
		if !ok || !x.DType().IsInt() || !x.DType().IsScalar() {
			return nil, fmt.Errorf("expected an integer variable, got an expression of type %s", e.DType())
		}
		if seen[x] {
			return nil, fmt.Errorf("%s is there twice", x.Name)
		}
		seen[x] = true
		out = append(out, x)
	}
	return out, nil
}

// conditionOf reads a condition; nothing is true.
func conditionOf(v starlark.Value) (tir.Expr, error) {
	if v == nil {
		return tir.Bool(true), nil
	}
	e, err := exprOf(v, dtype.BoolT)
	if err == nil && !e.DType().IsBool() {
		err = fmt.Errorf("expected a condition, got an expression of type %s", e.DType())
	}
	return e, err
}

// nodesOf returns expressions as a list.
func nodesOf(es []tir.Expr) *starlark.List {
	out := make([]starlark.Value, len(es))
	for i, e := range es {
		out[i] = &Node{e}
	}
	return starlark.NewList(out)
}

// sortedVars returns the variables of m by name.
func sortedVars(m map[*tir.Var]tir.Expr) []*tir.Var {
	out := make([]*tir.Var, 0, len(m))
	for v := range m {
		out = append(out, v)
	}
	slices.SortFunc(out, func(x, y *tir.Var) int { return strings.Compare(x.Name, y.Name) })
	return out
}
