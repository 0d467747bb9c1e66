package starpass

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// iterMapArgs are the arguments that the functions on iteration maps have in common.
type iterMapArgs struct {
	indices   []tir.Expr
	iters     map[*tir.Var]*tir.Range
	predicate tir.Expr
	level     arith.IterMapLevel
	trivial   bool
	sub       map[*tir.Var]bool // of subspace_divide
}

// readIterMap reads arguments, of which the first is named name, and counts work for them.
func readIterMap(t *starlark.Thread, b *starlark.Builtin, name string, args starlark.Tuple, kwargs []starlark.Tuple) (*iterMapArgs, error) {
	var indices, iters, sub, predicate starlark.Value
	level := starlark.Value(starlark.MakeInt(int(arith.Surjective)))
	out := &iterMapArgs{trivial: true, sub: map[*tir.Var]bool{}}
	params := []any{name, &indices, "input_iters", &iters}
	if b.Name() == "subspace_divide" {
		params = append(params, "sub_iters", &sub)
	}
	params = append(params, "predicate?", &predicate, "check_level?", &level, "simplify_trivial_iterators?", &out.trivial)
	err := starlark.UnpackArgs(b.Name(), args, kwargs, params...)
	if err != nil {
		return nil, err
	}
	fail := func(what string, err error) (*iterMapArgs, error) {
		return nil, fmt.Errorf("%s: %s: %w", b.Name(), what, err)
	}
	work := 1
	if out.indices, err = exprsOf(indices, dtype.DType{}); err != nil {
		return fail(name, err)
	}
	for _, e := range out.indices {
		if !e.DType().IsInt() || !e.DType().IsScalar() {
			return fail(name, fmt.Errorf("expected scalar integers, got an expression of type %s", e.DType()))
		}
		n, err := analyzed(e)
		if err != nil {
			return fail(name, err)
		}
		work += n
	}
	if out.iters, err = rangesOf(iters); err != nil {
		return fail("input_iters", err)
	}
	vars, err := intVarsOf(sub)
	if err != nil {
		return fail("sub_iters", err)
	}
	for _, v := range vars {
		if out.iters[v] == nil {
			return fail("sub_iters", fmt.Errorf("%s is not in input_iters", v.Name))
		}
		out.sub[v] = true
	}
	if out.predicate, err = conditionOf(predicate); err != nil {
		return fail("predicate", err)
	}
	n, err := analyzed(out.predicate)
	if err != nil {
		return fail("predicate", err)
	}
	if out.level, err = iterMapLevel(level); err != nil {
		return fail("check_level", err)
	}
	return out, runOf(t).work(100 * (work + n + len(out.iters)))
}

// iterMapLevel reads a level by its name, in any case, or number. None checks nothing.
func iterMapLevel(v starlark.Value) (arith.IterMapLevel, error) {
	name := ""
	switch v := v.(type) {
	case starlark.NoneType:
		return arith.NoCheck, nil
	case starlark.String:
		name = strings.ToLower(string(v))
	case starlark.Int:
		name = v.String()
	}
	switch name {
	case "bijective", "0":
		return arith.Bijective, nil
	case "surjective", "1":
		return arith.Surjective, nil
	case "nocheck", "3":
		return arith.NoCheck, nil
	}
	return 0, fmt.Errorf("it is %s, expected bijective (0), surjective (1), or nocheck (3)", v)
}

// detectIterMap returns the indices as sums of splits of the iterators, or why they are none.
func detectIterMap(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in, err := readIterMap(t, b, "indices", args, kwargs)
	if err != nil {
		return nil, err
	}
	a := arith.NewAnalyzer()
	res := arith.DetectIterMap(in.indices, in.iters, in.predicate, in.level, a, in.trivial)
	sums := make([]starlark.Value, len(res.Indices))
	for i, s := range res.Indices {
		sums[i] = &iterSum{s}
	}
	errs := make([]starlark.Value, len(res.Errors))
	for i, e := range res.Errors {
		errs[i] = starlark.String(e)
	}
	return record("IterMapResult", starlark.StringDict{"indices": starlark.NewList(sums), "errors": starlark.NewList(errs)}), runOf(t).work(a.Spent())
}

// iterMapSimplify returns the indices written as an iteration map and back, as they are where they are none.
func iterMapSimplify(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in, err := readIterMap(t, b, "indices", args, kwargs)
	if err != nil {
		return nil, err
	}
	a := arith.NewAnalyzer()
	return nodesOf(arith.IterMapSimplify(in.indices, in.iters, in.predicate, in.level, a, in.trivial)), runOf(t).work(a.Spent())
}

// subspaceDivide returns for each index a pair of marks, over the iterators outside and inside of the subspace, and
// last the predicates on the two; an empty list where the indices mix them.
func subspaceDivide(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in, err := readIterMap(t, b, "bindings", args, kwargs)
	if err != nil {
		return nil, err
	}
	a := arith.NewAnalyzer()
	divisions, outer, inner := arith.SubspaceDivide(in.indices, in.iters, in.sub, in.predicate, in.level, a, in.trivial)
	var out []starlark.Value
	pair := func(x, y *iterMark) { out = append(out, starlark.NewList([]starlark.Value{x, y})) }
	for _, d := range divisions {
		pair(&iterMark{m: d.Outer}, &iterMark{m: d.Inner})
	}
	if len(divisions) > 0 {
		pair(&iterMark{predicate: outer}, &iterMark{predicate: inner})
	}
	return starlark.NewList(out), runOf(t).work(a.Spent())
}

// toIterSum is normalize_to_iter_sum(index, input_iters): what is no sum of splits stays in its base.
func toIterSum(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var index, iters starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "index", &index, "input_iters", &iters); err != nil {
		return nil, err
	}
	e, err := intOf(index)
	if err != nil {
		return nil, fmt.Errorf("normalize_to_iter_sum: index: %w", err)
	}
	ranges, err := rangesOf(iters)
	if err != nil {
		return nil, fmt.Errorf("normalize_to_iter_sum: input_iters: %w", err)
	}
	if err := analyze(t, e, len(ranges)); err != nil {
		return nil, fmt.Errorf("normalize_to_iter_sum: index: %w", err)
	}
	a := arith.NewAnalyzer()
	return &iterSum{arith.NormalizeToIterSum(e, ranges, a)}, runOf(t).work(a.Spent())
}

// iterMapToExpr is normalize_iter_map_to_expr(expr).
func iterMapToExpr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v); err != nil {
		return nil, err
	}
	e, err := exprOf(v, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("normalize_iter_map_to_expr: %w", err)
	}
	return &Node{e}, nil
}

// inverseIterMap is inverse_affine_iter_map(iter_map, outputs): the iterators by what the outputs are.
func inverseIterMap(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list, outputs starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iter_map", &list, "outputs", &outputs); err != nil {
		return nil, err
	}
	var sums []*arith.IterSum
	if err := eachOf(list, func(v starlark.Value) error {
		s, ok := v.(*iterSum)
		if !ok {
			return fmt.Errorf("expected an IterSumExpr, as detect_iter_map returns them, got %s", describe(v))
		}
		sums = append(sums, s.s)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("inverse_affine_iter_map: iter_map: %w", err)
	}
	es, err := exprsOf(outputs, dtype.DType{})
	if err != nil {
		return nil, fmt.Errorf("inverse_affine_iter_map: outputs: %w", err)
	}
	for _, e := range es {
		if !e.DType().IsInt() || !e.DType().IsScalar() {
			return nil, fmt.Errorf("inverse_affine_iter_map: outputs: expected scalar integers, got an expression of type %s", e.DType())
		}
	}
	if err := runOf(t).work(1000 * (len(sums) + 1)); err != nil {
		return nil, err
	}
	values, err := arith.InverseAffineIterMap(sums, es)
	if err != nil {
		return nil, fmt.Errorf("inverse_affine_iter_map: %w", err)
	}
	return mapValue(sortedVars(values), values)
}
