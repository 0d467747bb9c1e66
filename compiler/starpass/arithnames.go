package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// arithNamespace is arith: the integer analysis, under TVM's names.
func arithNamespace() starlark.Value {
	return namespace("arith", starlark.StringDict{
		"Analyzer":                    analyzerType(),
		"ProofStrength":               namespace("arith.ProofStrength", starlark.StringDict{"DEFAULT": starlark.MakeInt(0), "SYMBOLIC_BOUND": starlark.MakeInt(1)}),
		"detect_iter_map":             builtin("detect_iter_map", detectIterMap),
		"domain_touched":              builtin("domain_touched", domainTouched),
		"narrow_predicate_expression": builtin("narrow_predicate_expression", narrowPredicate),
		"solve_linear_equations":      builtin("solve_linear_equations", solveEquations),
	})
}

// intSet is int_set: between which expressions e lies where the variables of dom_map lie in sets or ranges.
func (v *Analyzer) intSet(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, doms starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &x, "dom_map?", &doms); err != nil {
		return nil, err
	}
	e, err := intOf(x)
	if err != nil {
		return nil, fmt.Errorf("int_set: %w", err)
	}
	ranges, err := rangesOf(doms)
	if err != nil {
		return nil, fmt.Errorf("int_set: dom_map: %w", err)
	}
	set := v.a.IntSet(e)
	if len(ranges) > 0 {
		set = arith.EvalSet(e, arith.AsIntSets(ranges))
	}
	end := func(has bool, e tir.Expr) starlark.Value {
		if !has {
			return starlark.None
		}
		return &Node{v.a.Simplify(e)}
	}
	return record("IntervalSet", starlark.StringDict{
		"min_value": end(set.HasLower(), set.Min), "max_value": end(set.HasUpper(), set.Max),
		"is_nothing": starlark.Bool(set.Empty), "is_everything": starlark.Bool(set.IsEverything()),
	}), nil
}

// rangesOf reads a dictionary from variables to ranges; None is an empty one.
func rangesOf(v starlark.Value) (map[*tir.Var]*tir.Range, error) {
	out := map[*tir.Var]*tir.Range{}
	if v == nil || v == starlark.None {
		return out, nil
	}
	d, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil, fmt.Errorf("expected a dictionary from variables to ranges, got %s", describe(v))
	}
	for _, item := range d.Items() {
		x, err := asNode[*tir.Var](item[0], "a variable")
		if err != nil {
			return nil, err
		}
		if out[x], err = asNode[*tir.Range](item[1], "a Range"); err != nil {
			return nil, err
		}
	}
	return out, nil
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

// detectIterMap returns the indices as sums of splits of the iterators, or why they are none.
func detectIterMap(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var indices, iters, predicate, level starlark.Value
	trivial := true
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "indices", &indices, "input_iters", &iters, "predicate?", &predicate, "check_level?", &level, "simplify_trivial_iterators?", &trivial); err != nil {
		return nil, err
	}
	es, err := exprsOf(indices, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("detect_iter_map: indices: %w", err)
	}
	ranges, err := rangesOf(iters)
	if err != nil {
		return nil, fmt.Errorf("detect_iter_map: input_iters: %w", err)
	}
	cond := tir.Expr(tir.Bool(true))
	if predicate != nil {
		if cond, err = exprOf(predicate, dtype.BoolT); err != nil {
			return nil, fmt.Errorf("detect_iter_map: predicate: %w", err)
		}
	}
	how := arith.Surjective
	switch level {
	case nil, starlark.Value(starlark.String("surjective")), starlark.Value(starlark.MakeInt(1)):
	case starlark.Value(starlark.String("bijective")), starlark.Value(starlark.MakeInt(0)):
		how = arith.Bijective
	case starlark.Value(starlark.String("nocheck")), starlark.Value(starlark.MakeInt(2)):
		how = arith.NoCheck
	default:
		return nil, fmt.Errorf("detect_iter_map: check_level is %s, expected bijective, surjective or nocheck", level)
	}
	a := arith.NewAnalyzer()
	res := arith.DetectIterMap(es, ranges, cond, how, a, trivial)
	var sums, errs []starlark.Value
	for _, s := range res.Indices {
		sums = append(sums, &Node{s.ExprOf(a)})
	}
	for _, e := range res.Errors {
		errs = append(errs, starlark.String(e))
	}
	return record("IterMapResult", starlark.StringDict{"indices": starlark.NewList(sums), "errors": starlark.NewList(errs)}), runOf(t).work(1000 + a.Spent())
}

// solveEquations returns the change of variables that arith.SolveLinearEquations finds.
func solveEquations(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var equations, variables, bounds starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "equations", &equations, "variables?", &variables, "ranges?", &bounds); err != nil {
		return nil, err
	}
	c := &arith.IntConstraints{}
	var err error
	if c.Relations, err = exprsOf(equations, dtype.BoolT); err != nil {
		return nil, fmt.Errorf("solve_linear_equations: equations: %w", err)
	}
	vars, err := exprsOf(variables, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("solve_linear_equations: variables: %w", err)
	}
	for _, e := range vars {
		v, ok := e.(*tir.Var)
		if !ok || !v.DType().IsInt() || !v.DType().IsScalar() {
			return nil, fmt.Errorf("solve_linear_equations: variables: expected an integer variable, got an expression of type %s", e.DType())
		}
		c.Variables = append(c.Variables, v)
	}
	if c.Ranges, err = rangesOf(bounds); err != nil {
		return nil, fmt.Errorf("solve_linear_equations: ranges: %w", err)
	}
	const most = 32 // the elimination takes the cube of it
	if len(c.Variables) > most || len(c.Relations) > most {
		return nil, fmt.Errorf("solve_linear_equations: %d equations in %d variables, expected at most %d of each", len(c.Relations), len(c.Variables), most)
	}
	n := len(c.Variables) + len(c.Relations)
	if err := runOf(t).work(1000 * (n + 1)); err != nil {
		return nil, err
	}
	s := arith.SolveLinearEquations(c)
	src, err := constraintsValue(s.Src)
	if err != nil {
		return nil, err
	}
	dst, err := constraintsValue(s.Dst)
	if err != nil {
		return nil, err
	}
	to, err := mapValue(s.Src.Variables, s.SrcToDst)
	if err != nil {
		return nil, err
	}
	from, err := mapValue(s.Dst.Variables, s.DstToSrc)
	if err != nil {
		return nil, err
	}
	return record("IntConstraintsTransform", starlark.StringDict{"src": src, "dst": dst, "src_to_dst": to, "dst_to_src": from}), nil
}

// mapValue returns the entries of m for the variables, in their order.
func mapValue(vars []*tir.Var, m map[*tir.Var]tir.Expr) (*starlark.Dict, error) {
	out := starlark.NewDict(len(m))
	for _, v := range vars {
		if e, ok := m[v]; ok {
			if err := out.SetKey(&Node{v}, &Node{e}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func constraintsValue(c *arith.IntConstraints) (starlark.Value, error) {
	ranges := starlark.NewDict(len(c.Ranges))
	var vars, relations []starlark.Value
	for _, v := range c.Variables {
		vars = append(vars, &Node{v})
		if r := c.Ranges[v]; r != nil {
			if err := ranges.SetKey(&Node{v}, &Node{r}); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range c.Relations {
		relations = append(relations, &Node{e})
	}
	return record("IntConstraints", starlark.StringDict{"variables": starlark.NewList(vars), "ranges": ranges, "relations": starlark.NewList(relations)}), nil
}
