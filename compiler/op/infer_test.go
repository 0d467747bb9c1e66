package op_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var (
	f32, f16, i64, i32, b8 = dtype.Float32T, dtype.Float16T, dtype.Int64T, dtype.Int32T, dtype.BoolT
	n, m                   = symN, symM
)

// v is a variable that holds a tensor; extents are ints or expressions.
func v(dt dtype.DType, extents ...any) relax.Expr {
	return &relax.Var{Name: "x", SInfo: relax.TensorOf(dt, exprs(extents)...)}
}

func exprs(extents []any) []tir.Expr {
	out := make([]tir.Expr, len(extents))
	for i, e := range extents {
		switch e := e.(type) {
		case int:
			out[i] = tir.Int(int64(e))
		case tir.Expr:
			out[i] = e
		}
	}
	return out
}

func rank(dt dtype.DType, ndim int) relax.Expr {
	return &relax.Var{Name: "x", SInfo: relax.TensorOfRank(dt, ndim)}
}

func shape(extents ...any) relax.Expr { return &relax.ShapeExpr{Values: exprs(extents)} }

func tuple(xs ...relax.Expr) relax.Expr { return &relax.Tuple{Fields: xs} }

func prims(xs ...any) relax.Expr {
	t := &relax.Tuple{}
	for _, e := range exprs(xs) {
		t.Fields = append(t.Fields, &relax.PrimValue{Value: e})
	}
	return t
}

func prim(e tir.Expr) relax.Expr { return &relax.PrimValue{Value: e} }

func args(xs ...relax.Expr) []relax.Expr { return xs }

func attrs(kv ...any) *ir.Attrs { return ir.NewAttrs(kv...) }

func TestInfer(t *testing.T) {
	x := v(f32, 1, 3, 224, 224)
	cases := []struct {
		op    string
		args  []relax.Expr
		attrs *ir.Attrs
		want  string // struct info, or what the error says after "error: "
	}{
		{"exp", args(v(f32, n, 4)), nil, `Tensor((n, 4), "float32")`},
		{"exp", args(v(i64, n, 4)), nil, `error: relax.exp: argument x: expected a tensor of a floating-point type, got int64`},
		{"exp", args(shape(1)), nil, `error: expected a tensor, got Shape((1,))`},
		{"exp", nil, nil, `error: relax.exp: expected 1 arguments (x), got 0`},
		{"negative", args(v(i64, 4)), nil, `Tensor((4,), "int64")`},
		{"isnan", args(v(f32, 4)), nil, `Tensor((4,), "bool")`},
		{"clip", args(v(f32, 4), prim(tir.Int(0)), prim(tir.Int(6))), nil, `Tensor((4,), "float32")`},
		{"add", args(v(f32, 4, 1, 5), v(f32, 3, 1)), nil, `Tensor((4, 3, 5), "float32")`},
		{"add", args(v(f32, n, 4), v(f32, 1, 4)), nil, `Tensor((n, 4), "float32")`},
		{"add", args(v(f32, n, 4), v(f32, n, 4)), nil, `Tensor((n, 4), "float32")`},
		{"add", args(v(f32, tir.Mul(n, tir.Int(2))), v(f32, tir.Add(n, n))), nil, `Tensor((n * 2,), "float32")`},
		{"add", args(v(f32, n), v(f32, m)), nil, `Tensor(ndim=1, "float32")`},
		{"add", args(v(f32, n), v(f32, 4)), nil, `Tensor(ndim=1, "float32")`},
		{"add", args(v(f32, 2, 3), v(f32, 2)), nil, `error: relax.add: argument x2: expected a shape that broadcasts with (2, 3), got (2,)`},
		{"add", args(v(f32, 2), v(i64, 2)), nil, `error: argument x2: expected elements of type float32, like those of argument x1 (insert relax.astype), got int64`},
		{"add", args(v(f32, 2, 3), rank(f32, 1)), nil, `Tensor(ndim=2, "float32")`},
		{"add", args(v(f32, 2, 3), rank(f32, -1)), nil, `Tensor(ndim=?, "float32")`},
		{"add", args(v(i64, 2, 3), prim(n)), nil, `Tensor((2, 3), "int64")`},
		{"less", args(v(f32, 4, 1), v(f32, 3)), nil, `Tensor((4, 3), "bool")`},
		{"where", args(v(b8, 4, 1), v(f32, 3), v(f32)), nil, `Tensor((4, 3), "float32")`},
		{"where", args(v(f32, 4), v(f32, 4), v(f32, 4)), nil, `error: argument condition: expected a tensor of type bool, got float32`},
		{"matmul", args(v(f32, 3, 4), v(f32, 4, 5)), nil, `Tensor((3, 5), "float32")`},
		{"matmul", args(v(f32, n, 3, 4), v(f32, 4, 5)), nil, `Tensor((n, 3, 5), "float32")`},
		{"matmul", args(v(f32, 2, 1, 3, 4), v(f32, 7, 4, 5)), nil, `Tensor((2, 7, 3, 5), "float32")`},
		{"matmul", args(v(f32, 4), v(f32, 4)), nil, `Tensor((), "float32")`},
		{"matmul", args(v(f32, 4), v(f32, 4, 5)), nil, `Tensor((5,), "float32")`},
		{"matmul", args(v(f32, 3, 4), v(f32, 4)), nil, `Tensor((3,), "float32")`},
		{"matmul", args(v(f16, 3, 4), v(f16, 4, 5)), attrs("out_dtype", f32), `Tensor((3, 5), "float32")`},
		{"matmul", args(v(f32, 3, 4), v(f32, 5, 4)), nil, `error: relax.matmul: argument x2: expected 4 as extent of the reduction, as in the shape (3, 4) of x1, got (5, 4)`},
		{"matmul", args(v(f32, 3, 4), rank(f32, 3)), nil, `Tensor(ndim=3, "float32")`},
		{"einsum", args(tuple(v(f32, 2, 3), v(f32, 3, 4))), attrs("subscripts", "ij,jk->ik"), `Tensor((2, 4), "float32")`},
		{"einsum", args(tuple(v(f32, 2, 3), v(f32, 3, 4))), attrs("subscripts", "ij,jk"), `Tensor((2, 4), "float32")`},
		{"outer", args(v(f32, 2), v(f32, n)), nil, `Tensor((2, n), "float32")`},
		{"nn.conv2d", args(x, v(f32, 64, 3, 7, 7)), attrs("strides", []int64{2, 2}, "padding", []int64{3, 3, 3, 3}), `Tensor((1, 64, 112, 112), "float32")`},
		{"nn.conv2d", args(v(f32, n, 3, 8, 8), v(f32, 4, 3, 3, 3)), attrs("padding", []int64{1}), `Tensor((n, 4, 8, 8), "float32")`},
		{"nn.conv2d", args(v(f32, 1, 8, 8, 6), v(f32, 12, 1, 3, 3)), attrs("data_layout", "NHWC", "groups", 6), `Tensor((1, 6, 6, 12), "float32")`},
		{"nn.conv2d", args(x, v(f32, 64, 4, 7, 7)), nil, `error: relax.nn.conv2d: argument weight: expected channels that with 1 groups give the 3 channels of data`},
		{"nn.conv2d", args(x, v(f32, 64, 3, 7)), nil, `error: argument weight: expected a tensor of 4 dimensions, as the layout OIHW says, got Tensor((64, 3, 7), "float32")`},
		{"nn.conv2d", args(v(f32, 1, 3, 4, 4), v(f32, 1, 3, 7, 7)), nil, `error: argument data: expected at least the extent of the window, 7, got extent 4 of axis H with padding 0`},
		{"nn.conv2d", args(x, v(f32, 8, 3, 3, 3)), attrs("data_layout", "NCXY"), `error: attribute data_layout: expected a layout of the axes N, C, H, W in some order, got "NCXY"`},
		{"nn.conv2d", args(x, v(f32, 8, 3, 3, 3)), attrs("strides", []int64{0, 1}), `error: attribute strides: expected integers above zero`},
		{"nn.conv1d", args(v(f32, 1, 4, 10), v(f32, 8, 4, 3)), attrs("dilation", []int64{2}), `Tensor((1, 8, 6), "float32")`},
		{"nn.conv3d", args(v(f32, 1, 4, 5, 6, 7), v(f32, 8, 4, 1, 2, 3)), nil, `Tensor((1, 8, 5, 5, 5), "float32")`},
		{"nn.conv2d_transpose", args(v(f32, 1, 4, 5, 5), v(f32, 4, 8, 3, 3)), attrs("strides", []int64{2, 2}, "output_padding", []int64{1, 1}, "padding", []int64{1, 1, 1, 1}), `Tensor((1, 8, 10, 10), "float32")`},
		{"nn.max_pool2d", args(v(f32, 1, 64, 112, 112)), attrs("pool_size", []int64{3, 3}, "strides", []int64{2, 2}, "padding", []int64{1, 1, 1, 1}), `Tensor((1, 64, 56, 56), "float32")`},
		{"nn.max_pool2d", args(v(f32, 1, 64, 111, 111)), attrs("pool_size", []int64{3, 3}, "strides", []int64{2, 2}, "ceil_mode", true), `Tensor((1, 64, 55, 55), "float32")`},
		{"nn.avg_pool1d", args(v(f32, 1, 2, n)), attrs("pool_size", []int64{2}, "strides", []int64{2}), `Tensor((1, 2, n // 2), "float32")`},
		{"nn.adaptive_avg_pool2d", args(v(f32, 1, 64, 7, 9)), attrs("output_size", []int64{1, 1}), `Tensor((1, 64, 1, 1), "float32")`},
		{"sum", args(v(f32, 2, 3, 4)), attrs("axis", []int64{-1, 0}), `Tensor((3,), "float32")`},
		{"mean", args(v(f32, 2, n, 4)), attrs("axis", []int64{1}, "keepdims", true), `Tensor((2, 1, 4), "float32")`},
		{"max", args(v(f32, 2, 3)), nil, `Tensor((), "float32")`},
		{"max", args(rank(f32, -1)), nil, `Tensor((), "float32")`},
		{"max", args(rank(f32, 3)), attrs("axis", []int64{1}), `Tensor(ndim=2, "float32")`},
		{"sum", args(v(f32, 2, 3)), attrs("axis", []int64{2}), `error: attribute axis: expected an axis from -2 to 1 of a tensor of 2 dimensions, got 2`},
		{"sum", args(v(f32, 2, 3)), attrs("axis", []int64{1, -1}), `error: attribute axis: expected axes that differ from one another, got [1, -1]`},
		{"argmax", args(v(f32, 2, 3)), attrs("axis", 1), `Tensor((2,), "int64")`},
		{"cumsum", args(v(f32, 2, 3)), attrs("axis", 1, "dtype", f16), `Tensor((2, 3), "float16")`},
		{"cumsum", args(v(f32, 2, 3)), nil, `Tensor((6,), "float32")`},
		{"broadcast_to", args(v(f32, 3, 1), shape(2, 3, n)), nil, `Tensor((2, 3, n), "float32")`},
		{"broadcast_to", args(v(f32, 3, 2), shape(3, 4)), nil, `error: argument shape: expected a shape that (3, 2) broadcasts to, got (3, 4)`},
		{"concat", args(tuple(v(f32, 2, 3), v(f32, 2, n))), attrs("axis", -1), `Tensor((2, 3 + n), "float32")`},
		{"concat", args(tuple(v(f32, 2, 3), v(f32, 3, 3))), attrs("axis", 1), `error: relax.concat: argument tensors: expected extents like those of the first tensor, (2, 3), but for axis 1, got (3, 3)`},
		{"expand_dims", args(v(f32, 2, 3)), attrs("axis", []int64{0, -1}), `Tensor((1, 2, 3, 1), "float32")`},
		{"flatten", args(v(f32, 2, n, 4)), nil, `Tensor((n * 8,), "float32")`},
		{"permute_dims", args(v(f32, 2, n, 4)), nil, `Tensor((4, n, 2), "float32")`},
		{"permute_dims", args(v(f32, 2, n, 4)), attrs("axes", []int64{0, -1, 1}), `Tensor((2, 4, n), "float32")`},
		{"reshape", args(v(f32, 2, 3, 4), shape(0, -1)), nil, `Tensor((2, 12), "float32")`},
		{"reshape", args(v(f32, n, 3, 4), shape(n, 12)), nil, `Tensor((n, 12), "float32")`},
		{"reshape", args(v(f32, n, 3, 4), shape(-1, 6)), nil, `Tensor((n * 2, 6), "float32")`},
		{"reshape", args(v(f32, 2, 3), shape(4, 2)), nil, `error: relax.reshape: argument shape: expected a shape of 6 elements, like x of shape (2, 3), got (4, 2) with 8`},
		{"reshape", args(v(f32, 2, 3), shape(4, -1)), nil, `error: expected extents that divide the 6 elements of x, got (4, -1)`},
		{"split", args(v(f32, 2, 7)), attrs("indices_or_sections", 3, "axis", 1), `Tuple(Tensor((2, 3), "float32"), Tensor((2, 3), "float32"), Tensor((2, 1), "float32"))`},
		{"split", args(v(f32, 2, 7)), attrs("indices_or_sections", []int64{2, 5}, "axis", 1), `Tuple(Tensor((2, 2), "float32"), Tensor((2, 3), "float32"), Tensor((2, 2), "float32"))`},
		{"squeeze", args(v(f32, 1, 3, 1)), nil, `Tensor((3,), "float32")`},
		{"squeeze", args(v(f32, 1, n, 1)), attrs("axis", []int64{0}), `Tensor((n, 1), "float32")`},
		{"squeeze", args(v(f32, 2, 3)), attrs("axis", []int64{0}), `error: expected extent 1 at axis 0, which is to be dropped, got (2, 3)`},
		{"stack", args(tuple(v(f32, 2, 3), v(f32, 2, 3))), attrs("axis", 1), `Tensor((2, 2, 3), "float32")`},
		{"repeat", args(v(f32, 2, n)), attrs("repeats", 3, "axis", 1), `Tensor((2, n * 3), "float32")`},
		{"tile", args(v(f32, 2, 3)), attrs("repeats", []int64{2, 1, 4}), `Tensor((2, 2, 12), "float32")`},
		{"flip", args(v(f32, 2, 3)), attrs("axis", -1), `Tensor((2, 3), "float32")`},
		{"gather_elements", args(v(f32, 4, 5), v(i64, 2, 5)), attrs("axis", 0), `Tensor((2, 5), "float32")`},
		{"gather_nd", args(v(f32, 4, 5, 6), v(i64, 3, 2)), nil, `Tensor((3, 6), "float32")`},
		{"scatter_nd", args(v(f32, 4, 5), v(i64, 3, 1), v(f32, 3, 5)), nil, `Tensor((4, 5), "float32")`},
		{"scatter_nd", args(v(f32, 4, 5), v(i64, 3, 1), v(f32, 3, 4)), nil, `error: argument updates: expected the shape (3, 5), got (3, 4)`},
		{"scatter_elements", args(v(f32, 4, 5), v(i64, 2, 5), v(f32, 2, 5)), nil, `Tensor((4, 5), "float32")`},
		{"one_hot", args(v(i64, 3), prim(tir.FloatConst(f32, 1)), prim(tir.FloatConst(f32, 0))), attrs("depth", 10), `Tensor((3, 10), "float32")`},
		{"take", args(v(f32, 512, 64), v(i64, n, 7)), attrs("axis", 0), `Tensor((n, 7, 64), "float32")`},
		{"take", args(v(f32, 512, 64), prim(n)), attrs("axis", 0), `Tensor((64,), "float32")`},
		{"take", args(v(f32, 512, 64), v(f32, n)), attrs("axis", 0), `error: argument indices: expected a tensor of an integer type, got float32`},
		{"strided_slice", args(v(f32, 10, 20), prims(0, 1), prims(2, -5), prims(9, 1<<62), prims(3, 2)), nil, `Tensor((3, 3), "float32")`},
		{"strided_slice", args(v(f32, 10), prims(0), prims(-1), prims(-100), prims(-1)), nil, `Tensor((10,), "float32")`},
		{"strided_slice", args(v(f32, n), prims(0), prims(1), prims(1<<62)), nil, `Tensor((max(n - 1, 0),), "float32")`},
		{"strided_slice", args(v(f32, n, 8), prims(1), prims(0), prims(4)), nil, `Tensor((n, 4), "float32")`},
		{"strided_slice", args(v(f32, n), prims(0), prims(0), prims(m)), attrs("assume_inbound", true), `Tensor((m,), "float32")`},
		{"dynamic_strided_slice", args(v(f32, 3, 4), v(i64, 2), v(i64, 2), v(i64, 2)), nil, `Tensor(ndim=2, "float32")`},
		{"zeros", args(shape(2, n)), attrs("dtype", f16), `Tensor((2, n), "float16")`},
		{"full", args(shape(2), v(i64)), nil, `Tensor((2,), "int64")`},
		{"full", args(shape(2), v(i64, 1)), nil, `error: argument fill_value: expected a tensor without dimensions`},
		{"arange", args(prim(tir.Int(0)), prim(n), prim(tir.Int(1))), attrs("dtype", i64), `Tensor((n,), "int64")`},
		{"arange", args(prim(tir.Int(10)), prim(tir.Int(0)), prim(tir.Int(-3))), attrs("dtype", i64), `Tensor((4,), "int64")`},
		{"arange", args(prim(tir.FloatConst(f32, 0)), prim(tir.FloatConst(f32, 1)), prim(tir.FloatConst(f32, 0.3))), attrs("dtype", f32), `Tensor((4,), "float32")`},
		{"astype", args(v(f32, n)), attrs("dtype", i32), `Tensor((n,), "int32")`},
		{"astype", args(v(f32, n)), nil, `error: relax.astype: attribute dtype: expected an element type, got nothing`},
		{"triu", args(v(f32, 3, 4), prim(tir.Int(1))), nil, `Tensor((3, 4), "float32")`},
		{"topk", args(v(f32, 2, 9)), attrs("k", 3), `Tuple(Tensor((2, 3), "float32"), Tensor((2, 3), "int32"))`},
		{"argsort", args(v(f32, 2, 9)), nil, `Tensor((2, 9), "int32")`},
		{"nn.softmax", args(v(f32, 2, 9)), attrs("axis", 3), `error: relax.nn.softmax: attribute axis: expected an axis from -2 to 1 of a tensor of 2 dimensions, got 3`},
		{"nn.prelu", args(v(f32, 2, 9), v(f32, 9)), nil, `Tensor((2, 9), "float32")`},
		{"nn.prelu", args(v(f32, 2, 9), v(f32, 8)), nil, `error: argument alpha: expected one slope for each of the 9 channels of data`},
		{"nn.batch_norm", args(v(f32, 2, 9, 4, 4), v(f32, 9), v(f32, 9), v(f32, 9), v(f32, 9)), attrs("axis", 1), `Tuple(Tensor((2, 9, 4, 4), "float32"), Tensor((9,), "float32"), Tensor((9,), "float32"))`},
		{"nn.batch_norm", args(v(f32, 2, 9), v(f32, 9), v(f32, 9), v(f32, 8), v(f32, 9)), attrs("axis", 1), `error: argument moving_mean: expected the shape (9,) of the axes of data, got (8,)`},
		{"nn.layer_norm", args(v(f32, n, 16), v(f32, 16), v(f32, 16)), attrs("axes", []int64{-1}), `Tensor((n, 16), "float32")`},
		{"nn.rms_norm", args(v(f32, n, 16), v(f32, 16)), attrs("axes", []int64{-1}), `Tensor((n, 16), "float32")`},
		{"nn.group_norm", args(v(f32, 1, 6, 4), v(f32, 6), v(f32, 6)), attrs("axes", []int64{2}, "channel_axis", 1, "num_groups", 4), `error: attribute num_groups: expected a divisor of the 6 channels of data, got 4`},
		{"nn.dropout", args(v(f32, 2)), nil, `Tuple(Tensor((2,), "float32"), Tensor((2,), "float32"))`},
		{"nn.pad", args(v(f32, n, 4)), attrs("pad_width", []int64{0, 0, 1, 2}), `Tensor((n, 7), "float32")`},
		{"nn.pad", args(v(f32, 4)), attrs("pad_width", []int64{0, 0}, "pad_mode", "wrap"), `error: relax.nn.pad: attribute pad_mode: expected one of constant, reflect, replicate, circular, edge, got "wrap"`},
		{"nn.pixel_shuffle", args(v(f32, 1, 12, 2, 3)), attrs("upscale_factor", 2), `Tensor((1, 3, 4, 6), "float32")`},
		{"nn.batch_flatten", args(v(f32, n, 3, 4)), nil, `Tensor((n, 12), "float32")`},
		{"nn.attention", args(v(f32, n, 8, 4, 16), v(f32, n, 9, 2, 16), v(f32, n, 9, 2, 5)), nil, `Tensor((n, 8, 4, 5), "float32")`},
		{"nn.attention", args(v(f32, 1, 8, 4, 16), v(f32, 1, 9, 4, 8), v(f32, 1, 9, 4, 5)), nil, `error: argument key: expected the head extent of query, 16, got 8`},
		{"nn.rnn", args(v(f32, n, 2, 8), v(f32, 8, 8), v(f32, 2, 8)), nil, `Tuple(Tensor((n, 2, 8), "float32"), Tensor((2, 8), "float32"))`},
		{"nn.gru", args(v(f32, 5, n, 24), v(f32, 8, 24), v(f32, n, 8), v(f32, 8), v(i64, n)), nil, `Tuple(Tensor((5, n, 8), "float32"), Tensor((n, 8), "float32"))`},
		{"nn.lstm", args(v(f32, 5, 2, 32), v(f32, 8, 32), v(f32, 2, 8), v(f32, 2, 8)), nil, `Tuple(Tensor((5, 2, 8), "float32"), Tensor((2, 8), "float32"), Tensor((2, 8), "float32"))`},
		{"nn.lstm", args(v(f32, 5, 2, 32), v(f32, 8, 24), v(f32, 2, 8), v(f32, 2, 8)), nil, `error: argument weight: expected 32 as extent of axis 1, got Tensor((8, 24), "float32")`},
		{"nn.lstm", args(v(f32, 5, 2, 32), v(f32, 8, 32), v(f32, 2, 8), v(f32, 3, 8)), nil, `error: argument cell: expected 2 as extent of axis 0, got Tensor((3, 8), "float32")`},
		{"nn.gru", args(v(f32, 5, 2, 24), v(f32, 8, 24), v(f32, 2, 8), v(f32, 8), v(f32, 2)), nil, `error: argument lengths: expected a tensor of integers, got Tensor((2,), "float32")`},
		{"nn.rnn", args(v(f32, 5, 2, 8), v(i64, 8, 8), v(f32, 2, 8)), nil, `error: argument weight: expected a tensor of floating-point numbers of the type of data, got Tensor((8, 8), "int64")`},
		{"nn.rnn", args(v(f32, 5, 2, 8), v(f32, 8, 8), v(f32, 2, 8)), attrs("activations", "swish"), `error: relax.nn.rnn: attribute activations: expected one of affine`},
		{"nn.rnn", args(v(f32, 5, 2, 8), v(f32, 8, 8), v(f32, 2, 8)), attrs("activations", "tanh,tanh"), `error: relax.nn.rnn: attribute activations: expected 1 names with commas between, got "tanh,tanh"`},
		{"nn.rnn", args(v(f32, 5, 2, 8), v(f32, 8, 8), v(f32, 2, 8)), attrs("alpha", []float64{1, 2}), `error: relax.nn.rnn: attribute alpha: expected one for each of the 1 activations, or none, got 2 numbers`},
		{"multinomial_from_uniform", args(v(f32, 3, 5), v(f32, 6, 1), v(i64, 6, 1)), nil, `Tensor((6, 1), "int64")`},
		{"multinomial_from_uniform", args(v(f32, 3, 5), v(f32, 6, 2), v(i64, 6, 1)), nil, `error: argument uniform_sample: expected 1 as extent of axis 1, got Tensor((6, 2), "float32")`},
		{"multinomial_from_uniform", args(v(i64, 3, 5), v(f32, 6, 1), v(i64, 6, 1)), nil, `error: argument prob: expected a tensor of a floating-point type, got int64`},
		{"index_put", args(v(f32, 2, 3), tuple(v(i64, 2)), v(f32, 2)), nil, `error: argument values: expected a shape that broadcasts to (2, 3), got (2,)`},
		{"slice_scatter", args(v(f32, n, 4), v(f32, n, 3), prim(tir.Int(1)), prim(tir.Int(3)), prim(tir.Int(1))), attrs("axis", 1), `error: argument src: expected 2 as extent of axis 1`},
		{"quantize", args(v(f32, n, 4), v(f32, 3), v(i64, 4)), attrs("axis", 1), `error: argument scale: expected 4 as extent of axis 0`},
		{"nn.nll_loss", args(v(f32, n, 4, 5), v(i64, n, 6)), nil, `error: argument targets: expected the shape of the predictions without the classes`},
		{"grad.max_pool2d_backward", args(v(f32, n, 3, 4, 4), v(f32, n, 3, 9, 9)), attrs("pool_size", []int64{2, 2}), `error: argument output_grad: expected the shape of Tensor((n, 3, 8, 8), "float32")`},
		{"image.affine_grid", args(v(f32, n, 2, 3), shape(4, 5)), nil, `Tensor((n, 2, 4, 5), "float32")`},
		{"image.affine_grid", args(v(f32, n, 2, 3), shape(4, 5, 6)), nil, `error: argument data: expected 3 as extent of axis 1`},
		{"image.grid_sample", args(v(f32, n, 8, 9, 3), v(f32, n, 2, 4, 5)), attrs("layout", "NHWC"), `Tensor((n, 4, 5, 3), "float32")`},
		{"vision.roi_align", args(v(f32, n, 3, 8, 8), v(f32, m, 5)), attrs("pooled_size", []int64{2, 3}, "spatial_scale", 1.0), `Tensor((m, 3, 2, 3), "float32")`},
		{"vision.non_max_suppression", args(v(f32, n, 6, 6), v(i32, n), v(i32, n, 7)), nil, `error: argument indices: expected 6 as extent of axis 1`},
		{"reverse_sequence", args(v(f32, 2, 4), v(i64, 3)), nil, `error: argument seq_lengths: expected 2 as extent of axis 0`},
		{"image.resize2d", args(x, shape(448, 300)), nil, `Tensor((1, 3, 448, 300), "float32")`},
		{"shape_of", args(v(f32, n, 3)), nil, `Shape((n, 3))`},
		{"tensor_to_shape", args(v(i64, 3)), nil, `Shape(ndim=3)`},
		{"shape_to_tensor", args(shape(n, 3)), nil, `Tensor((2,), "int64")`},
		{"builtin.alloc_tensor", args(shape(n), &relax.DataTypeImm{Value: f32}, prim(tir.Int(0)), &relax.StringImm{Value: "global"}), nil, `Tensor((n,), "float32")`},
		{"memory.view", args(v(f32, 4), shape(2, 2), tuple(), tuple()), nil, `Tensor((2, 2), "float32")`},
		{"memory.view", args(v(f32, 4), shape(8), tuple(), tuple()), nil, `error: expected at most the 16 bytes of`},
		{"tile", args(v(f32, 1<<20, 1<<20)), attrs("repeats", []int64{1 << 62, 4}), `error: relax.tile: attribute repeats: expected a factor that gives at most 1099511627776 elements, got 4611686018427387904`},
		{"broadcast_to", args(v(f32), shape(1<<40, 2)), nil, `error: relax.broadcast_to: expected a result of at most 1099511627776 elements and no negative extent, got Tensor((1099511627776, 2), "float32")`},
		{"nn.max_pool2d", args(x), attrs("dilation", []int64{1 << 60, 1}), `error: attribute dilation: expected integers above zero, at most 4194304`},
		{"nn.relu", args(v(f32, 4)), attrs("axis", 1), `error: relax.nn.relu: attribute axis: expected no attributes, got an attribute that it does not have`},
		{"nn.softmax", args(v(f32, 4)), attrs("axis", "last"), `error: attribute axis: expected an integer, got "last"`},
	}
	for _, c := range cases {
		info, err := infer("relax."+c.op, c.args, c.attrs)
		if want, isErr := strings.CutPrefix(c.want, "error: "); isErr {
			var e *op.Error
			if err == nil {
				t.Errorf("%s: expected an error with %q, got %s", c.op, want, relax.FormatSInfo(info))
			} else if !strings.Contains(err.Error(), want) || !errors.As(err, &e) {
				t.Errorf("%s: error\n %v\nlacks\n %s", c.op, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v, expected %s", c.op, err, c.want)
		} else if got := relax.FormatSInfo(info); got != c.want {
			t.Errorf("%s: got %s, expected %s", c.op, got, c.want)
		}
	}
}

func infer(name string, args []relax.Expr, attrs *ir.Attrs) (relax.StructInfo, error) {
	call, err := op.New(name, args, attrs)
	if err != nil {
		return nil, err
	}
	a := arith.NewAnalyzer()
	a.MarkNonNegative(n)
	a.MarkNonNegative(m)
	return op.Table().InferCall(call, &relax.InferContext{Prover: a})
}

func TestUnknownOperator(t *testing.T) {
	_, err := op.New("relax.nn.conv2", nil, nil)
	if err == nil || !strings.Contains(err.Error(), `unknown operator "relax.nn.conv2"; did you mean "relax.nn.conv2d"?`) {
		t.Errorf("error is %v", err)
	}
}

func TestAttributesAreCompleted(t *testing.T) {
	c := op.Conv2D(v(f32, 1, 3, 8, 8), v(f32, 4, 3, 3, 3), op.Conv2DAttrs{Padding: []int64{1, 2}, Strides: []int64{2}, DataLayout: "NHWC"})
	for key, want := range map[string]string{"padding": "[1 2 1 2]", "strides": "[2 2]", "dilation": "[1 1]", "out_layout": "NHWC", "kernel_layout": "OIHW", "out_dtype": "void"} {
		got, ok := c.Attrs.Get(key)
		if s := strings.TrimSpace(sprint(got)); !ok || s != want {
			t.Errorf("%s is %s, expected %s", key, s, want)
		}
	}
	if c.Attrs.Len() != len(op.Lookup("relax.nn.conv2d").Attrs) {
		t.Errorf("%d attributes, expected all %d", c.Attrs.Len(), len(op.Lookup("relax.nn.conv2d").Attrs))
	}
}

func TestScalar(t *testing.T) {
	c, err := op.Scalar(dtype.Float16T, 1.5)
	if err != nil || c.Data.DType() != dtype.Float16T || len(c.Data.Shape()) != 0 || c.Data.Bytes()[1] != 0x3e {
		t.Errorf("got %v, %v", c, err)
	}
}

func sprint(x any) string { return fmt.Sprint(x) }

// TestExtentsStaySmall squares an extent again and again, as reshape and matmul do: the
// expression is refused before it is too large to work with.
func TestExtentsStaySmall(t *testing.T) {
	bb := op.NewBlockBuilder(nil)
	x := v(f32, n)
	bb.BeginSeq()
	for k := range 40 {
		var err error
		emit := func(e relax.Expr) relax.Expr {
			if err != nil {
				return nil
			}
			var out *relax.Var
			out, err = bb.Emit(e, "y")
			return out
		}
		col := emit(op.Reshape(x, tir.Int(-1), tir.Int(1)))
		if err == nil {
			x = emit(op.Reshape(emit(op.Matmul(col, emit(op.Reshape(x, tir.Int(1), tir.Int(-1))), dtype.Void)), tir.Int(-1)))
		}
		if err == nil {
			continue
		}
		if k < 6 || !strings.Contains(err.Error(), "an expression of more than") {
			t.Errorf("after %d squares: %v", k, err)
		}
		return
	}
	t.Error("40 squares were accepted")
}
