package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// groupBounds is arith.int_solver.IntGroupBounds.
type groupBounds struct{ b *arith.IntGroupBounds }

var _ starlark.HasAttrs = (*groupBounds)(nil)

func (*groupBounds) String() string        { return "IntGroupBounds" }
func (*groupBounds) Type() string          { return "IntGroupBounds" }
func (*groupBounds) Freeze()               {}
func (*groupBounds) Truth() starlark.Bool  { return true }
func (*groupBounds) Hash() (uint32, error) { return 0, errors.New("an IntGroupBounds cannot be a key") }

// AttrNames returns the fields and methods.
func (*groupBounds) AttrNames() []string {
	return []string{"coef", "equal", "find_best_range", "lower", "upper"}
}

// Attr returns a field or method.
func (v *groupBounds) Attr(name string) (starlark.Value, error) {
	switch name {
	case "coef":
		return starlark.MakeInt64(v.b.Coef), nil
	case "equal":
		return nodesOf(v.b.Equal), nil
	case "lower":
		return nodesOf(v.b.Lower), nil
	case "upper":
		return nodesOf(v.b.Upper), nil
	case "find_best_range":
		return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
				return nil, err
			}
			lowers, uppers := len(v.b.Equal)+len(v.b.Lower), len(v.b.Equal)+len(v.b.Upper)
			if err := runOf(t).work(1000 * (1 + lowers*uppers)); err != nil {
				return nil, err
			}
			if r := v.b.FindBestRange(nil); r != nil {
				return &Node{r}, nil
			}
			return starlark.None, nil
		}), nil
	}
	return nil, nil
}

// groupBoundsType is arith.int_solver.IntGroupBounds(coef, lower, equal, upper).
func groupBoundsType() starlark.Value {
	call := func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var coef, lower, equal, upper starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "coef", &coef, "lower", &lower, "equal", &equal, "upper", &upper); err != nil {
			return nil, err
		}
		e, err := intOf(coef)
		if err != nil {
			return nil, fmt.Errorf("IntGroupBounds: coef: %w", err)
		}
		k, ok := e.(*tir.IntImm)
		if !ok || k.Value <= 0 || k.Value > 1<<30 {
			return nil, errors.New("IntGroupBounds: coef: expected a number from 1 to 2^30")
		}
		out := &arith.IntGroupBounds{Coef: k.Value}
		for _, part := range []struct {
			name string
			from starlark.Value
			to   *[]tir.Expr
		}{{"lower", lower, &out.Lower}, {"equal", equal, &out.Equal}, {"upper", upper, &out.Upper}} {
			es, err := exprsOf(part.from, k.Type)
			for _, e := range es {
				if err == nil && (!e.DType().IsInt() || !e.DType().IsScalar()) {
					err = fmt.Errorf("expected scalar integers, got an expression of type %s", e.DType())
				}
				if err == nil {
					_, err = analyzed(e)
				}
			}
			if err == nil && len(es) > maxSolved {
				err = fmt.Errorf("%d bounds, expected at most %d", len(es), maxSolved)
			}
			if err != nil {
				return nil, fmt.Errorf("IntGroupBounds: %s: %w", part.name, err)
			}
			*part.to = es
		}
		return &groupBounds{out}, nil
	}
	from := func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "rng", &v); err != nil {
			return nil, err
		}
		r, err := asNode[*tir.Range](v, "a Range")
		if err != nil {
			return nil, fmt.Errorf("from_range: %w", err)
		}
		return &groupBounds{arith.GroupBoundsOf(r)}, nil
	}
	return &typeValue{
		name: "IntGroupBounds", call: builtin("IntGroupBounds", call), members: starlark.StringDict{"from_range": builtin("from_range", from)},
		is: func(v starlark.Value) bool { _, ok := v.(*groupBounds); return ok },
	}
}
