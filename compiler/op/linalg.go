package op

import (
	"sort"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// outDType describes the attribute out_dtype: Void keeps the type of the inputs.
func outDType() Attr {
	return Attr{Name: "out_dtype", Type: DTypeAttr, Default: dtype.Void, Doc: "The element type of the result; void is that of the inputs."}
}

func linearAlgebraOps() []*Op {
	return []*Op{
		{
			Name:  "relax.matmul",
			Args:  []Arg{{Name: "x1", Doc: "The left factor."}, {Name: "x2", Doc: "The right factor."}},
			Attrs: []Attr{outDType()},
			Infer: inferMatmul, Pattern: OutEWiseFusable,
			Doc: "The matrix product over the last two dimensions, with the others broadcast; a tensor of one dimension is a row on the left and a column on the right.",
		},
		{
			Name:  "relax.einsum",
			Args:  []Arg{{Name: "operands", Kind: Tensors, Doc: "The tensors."}},
			Attrs: []Attr{{Name: "subscripts", Type: StringAttr, Required: true, Doc: "The Einstein summation, e.g. \"ij,jk->ik\"."}},
			Infer: inferEinsum, Pattern: OutEWiseFusable,
			Doc: "The Einstein summation of tensors.",
		},
		{
			Name:  "relax.outer",
			Args:  []Arg{{Name: "x1", Doc: "The first vector."}, {Name: "x2", Doc: "The second vector."}},
			Infer: inferOuter, Pattern: Broadcast, Doc: "The outer product of two vectors.",
		},
	}
}

// resultDType returns the attribute out_dtype, or what the operands agree on.
func (c *InferContext) resultDType(ts []*relax.TensorStructInfo) dtype.DType {
	if d := c.DType("out_dtype"); !d.IsVoid() {
		return d
	}
	return commonDType(ts)
}

func inferMatmul(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts := make([]*relax.TensorStructInfo, 2)
	for i := range ts {
		t, err := c.Tensor(i)
		if err != nil {
			return nil, err
		}
		if t.NDim == 0 {
			return nil, c.argErr(i, describe(t), "a tensor of at least one dimension")
		}
		ts[i] = t
	}
	a, b := ts[0], ts[1]
	if c.DType("out_dtype").IsVoid() && !a.DType.IsVoid() && !b.DType.IsVoid() && a.DType != b.DType {
		return nil, c.argErr(1, b.DType.String(), "elements of type %s, like those of x1, or the attribute out_dtype", a.DType)
	}
	dt := c.resultDType(ts)
	if a.NDim < 0 || b.NDim < 0 {
		return rankOf(dt, -1, ts...), nil
	}
	ndim := max(a.NDim, b.NDim, 2)
	if a.NDim == 1 {
		ndim--
	}
	if b.NDim == 1 {
		ndim--
	}
	x, ok := c.dimsOf(a)
	y, ok2 := c.dimsOf(b)
	if !ok || !ok2 {
		return rankOf(dt, ndim, ts...), nil
	}
	out, known, err := c.matmulDims(x, y)
	if err != nil {
		return nil, err
	}
	if !known {
		return rankOf(dt, ndim, ts...), nil
	}
	return tensorOf(dt, out, ts...), nil
}

// matmulDims returns the extents of the product; known is false where the broadcast of the
// outer dimensions is decided at run time.
func (c *InferContext) matmulDims(x, y []tir.Expr) (out []tir.Expr, known bool, err error) {
	row, col := x, y
	if len(x) == 1 {
		row = []tir.Expr{tir.Int(1), x[0]}
	}
	if len(y) == 1 {
		col = []tir.Expr{y[0], tir.Int(1)}
	}
	m, n := len(row), len(col)
	if c.differ(row[m-1], col[n-2]) {
		return nil, false, c.argErr(1, dims(y), "%s as extent of the reduction, as in the shape %s of x1", relax.FormatPrim(row[m-1]), dims(x))
	}
	out, known, bad := broadcastDims(c.InferContext, row[:m-2], col[:n-2])
	if bad >= 0 {
		return nil, false, c.argErr(1, dims(y), "outer dimensions that broadcast with those of x1, %s", dims(x))
	}
	if !known {
		return nil, false, nil
	}
	out = append([]tir.Expr{}, out...)
	if len(x) > 1 {
		out = append(out, row[m-2])
	}
	if len(y) > 1 {
		out = append(out, col[n-1])
	}
	return out, true, nil
}

func inferEinsum(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "none", "at least one tensor")
	}
	spec := strings.ReplaceAll(c.Str("subscripts"), " ", "")
	ins, out, explicit := strings.Cut(spec, "->")
	if strings.ContainsFunc(ins, func(r rune) bool { return r != ',' && !isLetter(r) }) || strings.ContainsFunc(out, func(r rune) bool { return !isLetter(r) }) {
		return nil, c.attrErr("subscripts", spec, "letters, commas and -> without an ellipsis")
	}
	terms := strings.Split(ins, ",")
	if len(terms) != len(ts) {
		return nil, c.attrErr("subscripts", spec, "%d operands", len(ts))
	}
	extent, counts := map[rune]tir.Expr{}, map[rune]int{}
	for i, term := range terms {
		if ts[i].NDim >= 0 && ts[i].NDim != len([]rune(term)) {
			return nil, c.argErr(0, describe(ts[i]), "%d dimensions for operand %d by the subscripts %s", len([]rune(term)), i, spec)
		}
		d, ok := c.dimsOf(ts[i])
		for j, r := range []rune(term) {
			counts[r]++
			if !ok {
				continue
			}
			if old := extent[r]; old == nil || tir.IsConst(old, 1) {
				extent[r] = d[j]
			} else if !tir.IsConst(d[j], 1) && c.differ(d[j], old) {
				return nil, c.argErr(0, dims(d), "extent %s for subscript %c of operand %d", relax.FormatPrim(old), r, i)
			}
		}
	}
	if !explicit {
		out = implicitEinsum(counts)
	}
	shape := make([]tir.Expr, 0, len(out))
	for _, r := range out {
		if counts[r] == 0 {
			return nil, c.attrErr("subscripts", spec, "letters after -> that occur before it")
		}
		if extent[r] == nil {
			return rankOf(commonDType(ts), len([]rune(out)), ts...), nil
		}
		shape = append(shape, extent[r])
	}
	return tensorOf(commonDType(ts), shape, ts...), nil
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// implicitEinsum returns the subscripts that occur once, in alphabetical order.
func implicitEinsum(counts map[rune]int) string {
	var rs []rune
	for r, n := range counts {
		if n == 1 {
			rs = append(rs, r)
		}
	}
	sort.Slice(rs, func(i, j int) bool { return rs[i] < rs[j] })
	return string(rs)
}

func inferOuter(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, _, err := c.operands(0, 2)
	if err != nil {
		return nil, err
	}
	var shape []tir.Expr
	for i, t := range ts {
		if t.NDim >= 0 && t.NDim != 1 {
			return nil, c.argErr(i, describe(t), "a tensor of one dimension")
		}
		d, ok := c.dimsOf(t)
		if !ok {
			return rankOf(commonDType(ts), 2, ts...), nil
		}
		shape = append(shape, d[0])
	}
	return tensorOf(commonDType(ts), shape, ts...), nil
}

// Matmul returns the product of a and b; out is the element type of the result, Void for
// that of the factors.
func Matmul(a, b relax.Expr, out dtype.DType) *relax.Call {
	return build("relax.matmul", ir.NewAttrs("out_dtype", out), a, b)
}

// Einsum returns the Einstein summation of the operands.
func Einsum(subscripts string, operands ...relax.Expr) *relax.Call {
	return build("relax.einsum", ir.NewAttrs("subscripts", subscripts), &relax.Tuple{Fields: operands})
}
