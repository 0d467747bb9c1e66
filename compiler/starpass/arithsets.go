package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// intervalSet is arith.IntervalSet. An end that is not bounded is None.
type intervalSet struct{ s arith.IntSet }

var _ starlark.HasAttrs = (*intervalSet)(nil)

// String prints the ends.
func (v *intervalSet) String() string {
	if v.s.Empty {
		return "IntervalSet(nothing)"
	}
	return fmt.Sprintf("IntervalSet(%v, %v)", v.end(v.s.Min), v.end(v.s.Max))
}

// Type is TVM's name of it.
func (*intervalSet) Type() string          { return "IntervalSet" }
func (*intervalSet) Freeze()               {}
func (*intervalSet) Truth() starlark.Bool  { return true }
func (*intervalSet) Hash() (uint32, error) { return 0, errors.New("an IntervalSet cannot be a key") }

func (v *intervalSet) end(e tir.Expr) starlark.Value {
	if v.s.Empty || e == nil {
		return starlark.None
	}
	return &Node{e}
}

// AttrNames returns the ends and the methods.
func (*intervalSet) AttrNames() []string {
	return []string{"is_everything", "is_nothing", "max_value", "min_value"}
}

// Attr returns an end or a method.
func (v *intervalSet) Attr(name string) (starlark.Value, error) {
	ask := func(answer bool) starlark.Value {
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.Bool(answer), starlark.UnpackArgs(b.Name(), args, kwargs)
		})
	}
	switch name {
	case "min_value":
		return v.end(v.s.Min), nil
	case "max_value":
		return v.end(v.s.Max), nil
	case "is_nothing":
		return ask(v.s.Empty), nil
	case "is_everything":
		return ask(v.s.IsEverything()), nil
	}
	return nil, nil
}

func isIntSet(v starlark.Value) bool { _, ok := v.(*intervalSet); return ok }

// intervalSetType is arith.IntervalSet(min_value, max_value), of which None is no bound.
func intervalSetType() starlark.Value {
	return &typeValue{name: "IntervalSet", is: isIntSet, call: builtin("IntervalSet", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var lo, hi starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "min_value", &lo, "max_value", &hi); err != nil {
			return nil, err
		}
		var ends [2]tir.Expr
		for i, v := range []starlark.Value{lo, hi} {
			if v == starlark.None {
				continue
			}
			e, err := intOf(v)
			if err != nil {
				return nil, fmt.Errorf("IntervalSet: %w", err)
			}
			ends[i] = e
		}
		if ends[0] != nil && ends[1] != nil {
			ends[0], ends[1] = tir.MatchTypes(ends[0], ends[1])
		}
		return &intervalSet{arith.Interval(ends[0], ends[1])}, nil
	})}
}

// intSetType is arith.IntSet, which makes sets of one point and of the lanes of a vector.
func intSetType() starlark.Value {
	of := func(name, arg string, f func(tir.Expr) arith.IntSet) starlark.Value {
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, arg, &v); err != nil {
				return nil, err
			}
			e, err := exprOf(v, dtype.DType{})
			if err == nil && !e.DType().IsInteger() {
				err = fmt.Errorf("expected an integer, got an expression of type %s", e.DType())
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return &intervalSet{f(e)}, nil
		})
	}
	return &typeValue{name: "IntSet", is: isIntSet, members: starlark.StringDict{
		"single_point": of("single_point", "point", arith.Point), "vector": of("vector", "vec", arith.SetOfVector),
	}}
}

// setsOf reads a dictionary from variables to sets or ranges; None is an empty one.
func setsOf(v starlark.Value) (map[*tir.Var]arith.IntSet, error) {
	out := map[*tir.Var]arith.IntSet{}
	err := eachEntry(v, "sets", func(x *tir.Var, v starlark.Value) error {
		if s, ok := v.(*intervalSet); ok {
			out[x] = s.s
			return nil
		}
		r, err := asNode[*tir.Range](v, "an IntervalSet or a Range")
		if err != nil {
			return err
		}
		out[x] = arith.SetOfRange(r)
		return nil
	})
	return out, err
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
	sets, err := setsOf(doms)
	if err != nil {
		return nil, fmt.Errorf("int_set: dom_map: %w", err)
	}
	set := v.a.IntSet(e)
	if len(sets) > 0 {
		set = arith.EvalSet(e, sets)
	}
	if set.HasLower() {
		set.Min = v.a.Simplify(set.Min)
	}
	if set.HasUpper() {
		set.Max = v.a.Simplify(set.Max)
	}
	return &intervalSet{set}, nil
}

// regionBound is one of the functions that say which set a region covers over the domains of variables: a list of
// sets, or None where it is not known.
func regionBound(name string) starlark.Value {
	return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var region, doms, predicate starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "region", &region, "var_dom", &doms, "predicate", &predicate); err != nil {
			return nil, err
		}
		var ranges []*tir.Range
		work := 1
		if err := eachOf(region, func(v starlark.Value) error {
			r, err := asNode[*tir.Range](v, "a Range")
			if err != nil {
				return err
			}
			ranges = append(ranges, r)
			n, err := analyzed(r)
			work += n
			return err
		}); err != nil {
			return nil, fmt.Errorf("%s: region: %w", name, err)
		}
		vars, err := rangesOf(doms)
		if err != nil {
			return nil, fmt.Errorf("%s: var_dom: %w", name, err)
		}
		cond, err := conditionOf(predicate)
		if err != nil {
			return nil, fmt.Errorf("%s: predicate: %w", name, err)
		}
		n, err := analyzed(cond)
		if err != nil {
			return nil, fmt.Errorf("%s: predicate: %w", name, err)
		}
		if err := runOf(t).work(100 * (work + n)); err != nil {
			return nil, err
		}
		a := arith.NewAnalyzer()
		var sets []arith.IntSet
		ok := true
		switch name {
		case "estimate_region_upper_bound":
			sets = arith.EstimateRegionUpperBound(ranges, vars, cond, a)
		case "estimate_region_lower_bound":
			sets, ok = arith.EstimateRegionLowerBound(ranges, vars, cond, a)
		default:
			sets, ok = arith.EstimateRegionStrictBound(ranges, vars, cond, a)
		}
		if err := runOf(t).work(a.Spent()); err != nil || !ok {
			return starlark.None, err
		}
		out := make([]starlark.Value, len(sets))
		for i, s := range sets {
			out[i] = &intervalSet{s}
		}
		return starlark.NewList(out), nil
	})
}
