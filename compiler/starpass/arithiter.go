package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Iteration maps are values of three types, with TVM's fields: an IterSumExpr adds IterSplitExprs, each of which is
// a digit of an IterMark. A sum stands for the expression that it is where an expression is expected.

type (
	iterSum   struct{ s *arith.IterSum }
	iterSplit struct{ s *arith.IterSplit }
	iterMark  struct {
		m         *arith.IterMark
		predicate tir.Expr // of subspace_divide: a condition in the form of a mark
	}
)

var (
	_ starlark.HasAttrs = (*iterSum)(nil)
	_ starlark.HasAttrs = (*iterSplit)(nil)
	_ starlark.HasAttrs = (*iterMark)(nil)
)

func (v *iterSum) String() string   { return "IterSumExpr(" + (&Node{v.expr()}).String() + ")" }
func (v *iterSplit) String() string { return "IterSplitExpr(" + (&Node{v.sum().expr()}).String() + ")" }
func (v *iterMark) String() string  { return "IterMark(" + v.source().String() + ")" }

func (*iterSum) Type() string            { return "IterSumExpr" }
func (*iterSplit) Type() string          { return "IterSplitExpr" }
func (*iterMark) Type() string           { return "IterMark" }
func (*iterSum) Freeze()                 {}
func (*iterSplit) Freeze()               {}
func (*iterMark) Freeze()                {}
func (*iterSum) Truth() starlark.Bool    { return true }
func (*iterSplit) Truth() starlark.Bool  { return true }
func (*iterMark) Truth() starlark.Bool   { return true }
func (*iterSum) Hash() (uint32, error)   { return 0, errors.New("an IterSumExpr cannot be a key") }
func (*iterSplit) Hash() (uint32, error) { return 0, errors.New("an IterSplitExpr cannot be a key") }
func (*iterMark) Hash() (uint32, error)  { return 0, errors.New("an IterMark cannot be a key") }
func (*iterSum) AttrNames() []string     { return []string{"args", "base", "dtype"} }
func (*iterSplit) AttrNames() []string {
	return []string{"dtype", "extent", "lower_factor", "scale", "source"}
}
func (*iterMark) AttrNames() []string { return []string{"extent", "source"} }
func (v *iterSum) expr() tir.Expr     { return arith.NormalizeIterMapToExpr(v.s) }
func (v *iterSplit) sum() *iterSum {
	return &iterSum{&arith.IterSum{Args: []*arith.IterSplit{v.s}, Base: tir.Const(v.s.Scale.DType(), 0)}}
}
func typeText(d dtype.DType) starlark.Value { return starlark.String(d.String()) }

// Attr returns a field.
func (v *iterSum) Attr(name string) (starlark.Value, error) {
	switch name {
	case "args":
		out := make([]starlark.Value, len(v.s.Args))
		for i, s := range v.s.Args {
			out[i] = &iterSplit{s}
		}
		return starlark.NewList(out), nil
	case "base":
		return &Node{v.s.Base}, nil
	case "dtype":
		return typeText(v.s.Base.DType()), nil
	}
	return nil, nil
}

// Attr returns a field.
func (v *iterSplit) Attr(name string) (starlark.Value, error) {
	switch name {
	case "source":
		return &iterMark{m: v.s.Source}, nil
	case "lower_factor":
		return &Node{v.s.LowerFactor}, nil
	case "extent":
		return &Node{v.s.Extent}, nil
	case "scale":
		return &Node{v.s.Scale}, nil
	case "dtype":
		return typeText(v.s.Scale.DType()), nil
	}
	return nil, nil
}

func (v *iterMark) source() starlark.Value {
	switch {
	case v.predicate != nil:
		return &Node{v.predicate}
	case v.m.Sum != nil:
		return &iterSum{v.m.Sum}
	}
	return &Node{v.m.Expr}
}

// Attr returns a field.
func (v *iterMark) Attr(name string) (starlark.Value, error) {
	switch {
	case name == "source":
		return v.source(), nil
	case name == "extent" && v.predicate != nil:
		return &Node{tir.Int32(0)}, nil
	case name == "extent":
		return &Node{v.m.Extent}, nil
	}
	return nil, nil
}

// iterMapNames are the names of iteration maps.
func iterMapNames() starlark.StringDict {
	return starlark.StringDict{
		"IterMark": iterType[*iterMark]("IterMark", makeIterMark), "IterSplitExpr": iterType[*iterSplit]("IterSplitExpr", makeIterSplit),
		"IterSumExpr": iterType[*iterSum]("IterSumExpr", makeIterSum),
		"IterMapExpr": &typeValue{name: "IterMapExpr", is: func(v starlark.Value) bool {
			switch v.(type) {
			case *iterSum, *iterSplit:
				return true
			}
			return false
		}},
		"IterMapLevel": namespace("arith.IterMapLevel", starlark.StringDict{
			"Bijective": starlark.MakeInt(0), "Surjective": starlark.MakeInt(1), "NoCheck": starlark.MakeInt(3),
		}),
		"detect_iter_map":            builtin("detect_iter_map", detectIterMap),
		"inverse_affine_iter_map":    builtin("inverse_affine_iter_map", inverseIterMap),
		"iter_map_simplify":          builtin("iter_map_simplify", iterMapSimplify),
		"normalize_iter_map_to_expr": builtin("normalize_iter_map_to_expr", iterMapToExpr),
		"normalize_to_iter_sum":      builtin("normalize_to_iter_sum", toIterSum),
		"subspace_divide":            builtin("subspace_divide", subspaceDivide),
	}
}

func iterType[T starlark.Value](name string, call builtinFunc) starlark.Value {
	return &typeValue{name: name, call: builtin(name, call), is: func(v starlark.Value) bool { _, ok := v.(T); return ok }}
}

// makeIterMark is IterMark(source, extent).
func makeIterMark(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var source, extent starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "source", &source, "extent", &extent); err != nil {
		return nil, err
	}
	m := &arith.IterMark{}
	if s, ok := source.(*iterSum); ok {
		m.Sum = s.s
	} else {
		e, err := intOf(source)
		if err != nil {
			return nil, fmt.Errorf("IterMark: source: %w", err)
		}
		m.Expr = e
		m.Var, _ = e.(*tir.Var)
	}
	e, err := exprLike(extent, m.ExprOf(arith.NewAnalyzer()).DType())
	if err != nil {
		return nil, fmt.Errorf("IterMark: extent: %w", err)
	}
	m.Extent = e
	return &iterMark{m: m}, nil
}

// exprLike reads a scalar integer of type d.
func exprLike(v starlark.Value, d dtype.DType) (tir.Expr, error) {
	e, err := exprOf(v, d)
	if err == nil && e.DType() != d {
		err = fmt.Errorf("expected an expression of type %s, got one of type %s", d, e.DType())
	}
	return e, err
}

// makeIterSplit is IterSplitExpr(source, lower_factor, extent, scale).
func makeIterSplit(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var source, factor, extent, scale starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "source", &source, "lower_factor", &factor, "extent", &extent, "scale", &scale); err != nil {
		return nil, err
	}
	m, ok := source.(*iterMark)
	if !ok || m.predicate != nil {
		return nil, fmt.Errorf("IterSplitExpr: source: expected an IterMark, got %s", describe(source))
	}
	out := &arith.IterSplit{Source: m.m}
	for _, part := range []struct {
		name string
		from starlark.Value
		to   *tir.Expr
	}{{"lower_factor", factor, &out.LowerFactor}, {"extent", extent, &out.Extent}, {"scale", scale, &out.Scale}} {
		e, err := exprLike(part.from, m.m.DType())
		if err != nil {
			return nil, fmt.Errorf("IterSplitExpr: %s: %w", part.name, err)
		}
		*part.to = e
	}
	return &iterSplit{out}, nil
}

// makeIterSum is IterSumExpr(args, base).
func makeIterSum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list, base starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "args", &list, "base", &base); err != nil {
		return nil, err
	}
	out := &arith.IterSum{}
	d := dtype.DType{}
	if err := eachOf(list, func(v starlark.Value) error {
		s, ok := v.(*iterSplit)
		if !ok {
			return fmt.Errorf("expected an IterSplitExpr, got %s", describe(v))
		}
		if d != (dtype.DType{}) && s.s.Scale.DType() != d {
			return fmt.Errorf("the types differ: %s and %s", d, s.s.Scale.DType())
		}
		d = s.s.Scale.DType()
		out.Args = append(out.Args, s.s)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("IterSumExpr: args: %w", err)
	}
	e, err := intOf(base)
	if err == nil && d != (dtype.DType{}) {
		e, err = exprLike(base, d)
	}
	if err != nil {
		return nil, fmt.Errorf("IterSumExpr: base: %w", err)
	}
	out.Base = e
	return &iterSum{out}, nil
}
