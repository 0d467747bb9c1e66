package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// rangeType is tvm.ir.Range(begin, end), or Range(end); Range.from_min_extent(min, extent) is tir.Range(min, extent).
func rangeType() starlark.Value {
	with := func(name, first, second string, extent func(lo, x tir.Expr) tir.Expr) *starlark.Builtin {
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var x, y starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, first, &x, second+"?", &y); err != nil {
				return nil, err
			}
			if y == nil || y == starlark.None {
				x, y = starlark.MakeInt(0), x
			}
			hi, err := intOf(y)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			lo, err := exprOf(x, hi.DType())
			if err == nil && !(lo.DType().IsInteger() && lo.DType().IsScalar()) {
				err = fmt.Errorf("expected a scalar integer, got an expression of type %s", lo.DType())
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			lo, hi = tir.MatchTypes(lo, hi)
			return &Node{&tir.Range{Min: lo, Extent: extent(lo, hi)}}, nil
		})
	}
	t := typeOfNodes[*tir.Range]("Range")
	t.call = with("Range", "begin", "end", func(lo, hi tir.Expr) tir.Expr { return arith.NewAnalyzer().Simplify(tir.Sub(hi, lo)) })
	t.members = starlark.StringDict{"from_min_extent": with("from_min_extent", "min_value", "extent", func(_, n tir.Expr) tir.Expr { return n })}
	return t
}
