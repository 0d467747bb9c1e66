package topi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// blocks lists the blocks that compute outs from ins in order, each with the names of its axes and its attributes.
func blocks(t *testing.T, ins, outs []*te.Tensor) []string {
	t.Helper()
	fn, err := te.CreatePrimFunc(append(slices.Clone(ins), outs...), te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ir.Walk(fn, func(n ir.Node) bool {
		b, ok := n.(*tir.Block)
		if !ok || b.Name == "root" {
			return true
		}
		var axes []string
		for _, v := range b.IterVars {
			axes = append(axes, strings.TrimPrefix(v.Var.Name, "v_"))
		}
		line := b.Name + "(" + strings.Join(axes, " ") + ")"
		for i := range b.Annotations.Len() {
			k, v := b.Annotations.At(i)
			line += fmt.Sprintf(" %s=%v", k, v)
		}
		out = append(out, line)
		return true
	})
	return out
}

// TestBlocksOfOperators: the names of blocks and of their axes, and what is noted on them, are those of TVM's topi. In tuned kernels
// a block for padding or for another type stands only where there is something to do.
func TestBlocksOfOperators(t *testing.T) {
	in := func(d dtype.DType, shape ...int64) *te.Tensor { return te.Placeholder("x", d, intShape(shape...)...) }
	f := func(shape ...int64) *te.Tensor { return in(dtype.Float32T, shape...) }
	one := func(x *te.Tensor) []*te.Tensor { return []*te.Tensor{x} }
	must := func(x *te.Tensor, err error) []*te.Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return one(x)
	}
	ones, zeros := []int64{1, 1}, []int64{0, 0}
	conv := ConvOpts{Strides: ones, Dilation: ones, Before: zeros, After: zeros, OutputPadding: zeros, Groups: 1, Data: "NCHW", Kernel: "OIHW"}
	padded := func(before, after []int64) ConvOpts { c := conv; c.Before, c.After = before, after; return c }
	pool := PoolOpts{Size: []int64{2, 2}, Strides: ones, Dilation: ones, Before: zeros, After: zeros, Layout: "NCHW"}
	ceil := func(strides ...int64) PoolOpts { p := pool; p.Strides, p.CeilMode = strides, true; return p }
	x4, w4, x2, y2, v := f(1, 4, 6, 6), f(4, 4, 3, 3), f(2, 3), f(3, 4), f(3)
	h2, h4, hw := in(dtype.Float16T, 2, 3), in(dtype.Float16T, 1, 4, 6, 6), in(dtype.Float16T, 4, 4, 3, 3)
	i8, j8 := in(dtype.Int8T, 2, 3), in(dtype.Int8T, 3, 4)
	long, row, qkv, at, n := f(2000), f(1, 3), f(1, 2, 2, 3), in(dtype.Int64T, 3, 2), tir.NewVar("n", dtype.Int64T)
	for _, c := range []struct {
		what string
		ins  []*te.Tensor
		outs []*te.Tensor
		want []string
	}{
		{"add", []*te.Tensor{x2, v}, must(Binary("add", T(x2), T(v))), []string{"T_add(ax0 ax1)"}},
		{"exp", one(x2), must(Unary("exp", x2)), []string{"compute(i0 i1)"}},
		{"clip", one(x2), one(Clip(x2, tir.Int(0), tir.Int(1))), []string{"compute(i0 i1)"}},
		{"cast", one(x2), one(Cast(x2, dtype.Int32T)), []string{"compute(i0 i1)"}},
		{"copy", one(x2), one(Copy(x2)), []string{"T_identity(ax0 ax1)"}},
		{"prelu", []*te.Tensor{x2, v}, one(PReLU(x2, v, 1)), []string{"compute(i0 i1)"}},
		{"where", []*te.Tensor{x2, v}, must(Where(T(x2), T(v), T(v))), []string{"T_where(ax0 ax1)"}},
		{"fma", []*te.Tensor{x2}, one(EwiseFMA(x2, x2, x2)), []string{"T_ewise_fma(ax0 ax1)"}},
		{"sum", one(x2), must(Reduce("sum", x2, []int{1}, false)), []string{"x_red(ax0 k1)"}},
		{"sum of nothing", one(x2), must(Reduce("sum", x2, []int{}, false)), []string{"x_red(ax0 ax1)"}},
		{"sum of all", one(x2), must(Reduce("sum", x2, nil, true)), []string{"x_red(ax0 ax1 k0 k1)"}},
		{"long sum", one(long), must(Reduce("sum", long, nil, false)), []string{"x_red(k0) sum_runs=64", "T_cast(vi)"}},
		{"long prod", one(long), must(Reduce("prod", long, nil, false)), []string{"x_red(k0)", "T_cast(vi)"}},
		{"long max", one(long), must(Reduce("max", long, nil, false)), []string{"x_red(k0)"}},
		{"half sum", one(h2), must(Reduce("sum", h2, []int{1}, false)), []string{"x_red(ax0 k1)", "T_cast(ax0)"}},
		{"mean", one(x2), must(Reduce("mean", x2, []int{1}, false)), []string{"x_red(ax0 k1)", "T_divide(ax0)"}},
		{"variance", one(x2), must(Reduce("variance", x2, []int{1}, false)), []string{"x_red(ax0 ax1 k1)", "T_divide(ax0 ax1)", "T_subtract(ax0 ax1)", "T_multiply(ax0 ax1)", "T_multiply_red(ax0 k1)", "T_divide_1(ax0)"}},
		{"argmax", one(x2), one(ArgReduce(x2, 1, false, false, false, dtype.Int64T)), []string{"x_red_best(ax0 k1)", "x_red_temp(ax0 k1)", "x_red(ax0)"}},
		{"softmax", one(x2), one(Softmax(x2, 1)), []string{
			"T_softmax_maxelem(i0 k)", "T_softmax_exp(i0 i1)", "T_softmax_expsum(i0 k)", "T_softmax_norm(i0 i1) axis=1",
		}},
		{"softmax over rows", one(x2), one(Softmax(x2, 0)), []string{
			"T_softmax_maxelem(i0 k)", "T_softmax_exp(i0 i1)", "T_softmax_expsum(i0 k)", "T_softmax_norm(i0 i1) axis=0",
		}},
		{"long softmax", one(long), one(Softmax(long, 0)), []string{
			"T_softmax_maxelem(k)", "T_softmax_exp(i0)", "T_softmax_expsum(k) sum_runs=64", "T_softmax_norm(i0) axis=0",
		}},
		{"log_softmax", one(x2), one(LogSoftmax(x2, 1)), []string{"T_softmax_maxelem(i0 k)", "T_softmax_expsum(i0 k)", "T_log_softmax_norm(i0 i1) axis=1"}},
		{"matmul", []*te.Tensor{x2, y2}, must(Matmul(x2, y2, MatmulOpts{})), []string{"matmul(i0 i1 k)"}},
		{"matmul of a vector", []*te.Tensor{v, y2}, must(Matmul(v, y2, MatmulOpts{})), []string{"matmul(i0 k)"}},
		{"matmul of halves", []*te.Tensor{h2}, must(Matmul(h2, h2, MatmulOpts{TransposeB: true})), []string{"T_cast(ax0 ax1)", "NT_matmul(i0 i1 k)", "T_cast_1(ax0 ax1)"}},
		{"matmul of bytes", []*te.Tensor{i8, j8}, must(Matmul(i8, j8, MatmulOpts{})), []string{"T_cast(ax0 ax1)", "T_cast_1(ax0 ax1)", "matmul(i0 i1 k)", "T_cast_2(ax0 ax1)"}},
		{"matmul of bytes to words", []*te.Tensor{i8, j8}, must(Matmul(i8, j8, MatmulOpts{Out: dtype.Int32T})), []string{"T_cast(ax0 ax1)", "T_cast_1(ax0 ax1)", "matmul(i0 i1 k)"}},
		{"einsum", []*te.Tensor{x2, y2}, must(Einsum("ij,jk->ik", []*te.Tensor{x2, y2})), []string{"T_einsum(ax0 ax1 j)"}},
		{"outer", []*te.Tensor{v}, one(Outer(v, v)), []string{"outer(i j)"}},
		{"conv", []*te.Tensor{x4, w4}, must(Conv(x4, w4, conv)), []string{"conv2d_nchw(nn ff yy xx rc ry rx)"}},
		{"conv with zeros before", []*te.Tensor{x4, w4}, must(Conv(x4, w4, padded([]int64{0, 1}, zeros))), []string{"pad_temp(i0 i1 i2 i3)", "conv2d_nchw(nn ff yy xx rc ry rx)"}},
		{"conv with zeros after", []*te.Tensor{x4, w4}, must(Conv(x4, w4, padded(zeros, []int64{1, 0}))), []string{"pad_temp(i0 i1 i2 i3)", "conv2d_nchw(nn ff yy xx rc ry rx)"}},
		{"half conv", []*te.Tensor{h4, hw}, must(Conv(h4, hw, conv)), []string{"T_cast(ax0 ax1 ax2 ax3)", "T_cast_1(ax0 ax1 ax2 ax3)", "conv2d_nchw(nn ff yy xx rc ry rx)", "T_cast_2(ax0 ax1 ax2 ax3)"}},
		{"conv_transpose", []*te.Tensor{x4, w4}, must(ConvTranspose(x4, w4, conv)), []string{"data_pad(i0 i1 i2 i3)", "kernel_phases(i0 i1 i2 i3)", "conv2d_transpose_nchw(nn ff yy xx rc ry rx)"}},
		{"max_pool", one(x4), must(Pool("max", x4, pool)), []string{"pool_max(ax0 ax1 ax2 ax3 rv0 rv1) schedule_rule=meta_schedule.pool_max"}},
		{"avg_pool", one(x4), must(Pool("avg", x4, pool)), []string{"pool_sum(ax0 ax1 ax2 ax3 rv0 rv1)", "pool_avg(ax0 ax1 ax2 ax3) schedule_rule=meta_schedule.pool_avg"}},
		{"max_pool up", one(x4), must(Pool("max", x4, ceil(2, 2))), []string{"pool_max(ax0 ax1 ax2 ax3 rv0 rv1) schedule_rule=meta_schedule.pool_max"}},
		{"max_pool up beyond the end", one(x4), must(Pool("max", x4, ceil(1, 3))), []string{"pad_temp(ax0 ax1 ax2 ax3)", "pool_max(ax0 ax1 ax2 ax3 rv0 rv1) schedule_rule=meta_schedule.pool_max"}},
		{"adaptive", one(x4), must(AdaptiveAvgPool(x4, intShape(2, 3), "NCHW", "")), []string{"adaptive_pool_sum(ax0 ax1 ax2 ax3 rv0 rv1)", "adaptive_pool_avg(ax0 ax1 ax2 ax3) schedule_rule=meta_schedule.adaptive_pool_avg"}},
		{"layer_norm", one(x2), one(LayerNorm(x2, nil, nil, []int{1}, 1e-5)), []string{
			"T_layer_norm_mean_red(ax0 k0)", "T_layer_norm_mean(ax0)", "T_layer_norm_var_red(ax0 k0)", "T_layer_norm_var(ax0)", "T_layer_norm(ax0 ax1)",
		}},
		{"instance_norm", []*te.Tensor{x4, f(4)}, one(InstanceNorm(x4, nil, nil, 1, []int{2, 3}, 1e-5)), []string{
			"T_instance_norm_mean_red(ax0 ax1 k0 k1)", "T_instance_norm_mean(ax0 ax1)", "T_instance_norm_var_red(ax0 ax1 k0 k1)", "T_instance_norm_var(ax0 ax1)", "T_instance_norm(ax0 ax1 ax2 ax3)",
		}},
		{"group_norm", one(x4), one(GroupNorm(x4, nil, nil, 2, 1, []int{2, 3}, 1e-5)), []string{
			"T_group_norm_mean_red(ax0 ax1 k0 k1 k2)", "T_group_norm_mean(ax0 ax1)", "T_group_norm_var_red(ax0 ax1 k0 k1 k2)", "T_group_norm_var(ax0 ax1)", "T_group_norm(ax0 ax1 ax2 ax3)",
		}},
		{"rms_norm", []*te.Tensor{x2, v}, one(RMSNorm(x2, v, []int{1}, 1e-5)), []string{"T_multiply_red(ax0 k1)", "rsqrt(ax0)", "T_rms_norm(ax0 ax1)"}},
		{"pad", one(x2), must(Pad(x2, ones, ones, "constant", tir.FloatConst(dtype.Float32T, 0))), []string{"PadInput(i0 i1)"}},
		{"reflect", one(x2), must(Pad(x2, ones, ones, "reflect", nil)), []string{"ReflectPadInput(i0 i1)"}},
		{"edge", one(x2), must(Pad(x2, ones, ones, "edge", nil)), []string{"ReplicatePadInput(i0 i1)"}},
		{"wrap", one(x2), must(Pad(x2, ones, ones, "wrap", nil)), []string{"CircularPadInput(i0 i1)"}},
		{"reshape", one(x2), one(Reshape(x2, intShape(6))), []string{"T_reshape(ax0)"}},
		{"permute", one(x2), one(PermuteDims(x2, []int{1, 0})), []string{"T_transpose(ax0 ax1)"}},
		{"expand", one(x2), one(ExpandDims(x2, []int{0})), []string{"T_expand_dims(ax0 ax1 ax2)"}},
		{"squeeze", one(row), one(Squeeze(row, []int{0})), []string{"T_squeeze(ax0)"}},
		{"flip", one(x2), one(Flip(x2, 0)), []string{"T_flip(ax0 ax1)"}},
		{"tile", one(x2), one(Tile(x2, ones)), []string{"T_tile(ax0 ax1)"}},
		{"repeat", one(x2), one(Repeat(x2, 2, 0)), []string{"T_repeat(ax0 ax1)"}},
		{"concat", one(x2), one(Concat([]*te.Tensor{x2, x2}, 0)), []string{"T_concat(ax0 ax1)"}},
		{"stack", one(x2), one(Stack([]*te.Tensor{x2, x2}, 0)), []string{"T_stack(ax0 ax1 ax2)"}},
		{"split", one(x2), Split(x2, 1, intShape(0, 1), intShape(1, 2)), []string{"T_split(ax0 ax1)", "T_split_1(ax0 ax1)"}},
		{"slice", one(x2), one(StridedSlice(x2, nil, x2.Shape, false)), []string{"T_strided_slice_with_axes(ax0 ax1)"}},
		{"broadcast_to", one(v), one(BroadcastTo(v, intShape(2, 3))), []string{"T_broadcast_to(ax0 ax1)"}},
		{"pixel_shuffle", one(x4), one(PixelShuffle(x4, 2)), []string{"pixel_shuffle(ax0 ax1 ax2 ax3)"}},
		{"take", []*te.Tensor{x2, i8}, one(Take(x2, i8, 0, "fast")), []string{"T_take(ax0 ax1 ax2)"}},
		{"gather", []*te.Tensor{x2, i8}, one(GatherElements(x2, i8, 0)), []string{"T_gather(ax0 ax1)"}},
		{"gather_nd", []*te.Tensor{y2, at}, one(GatherND(y2, at, 0)), []string{"T_gather_nd(ax0)"}},
		{"scatter_nd", []*te.Tensor{y2, at, v}, one(ScatterND(y2, at, v, "update")), []string{"scatter_nd()"}},
		{"scatter_elements", []*te.Tensor{x2, i8}, one(ScatterElements(x2, i8, x2, 0, "add")), []string{"scatter_elements()"}},
		{"half scatter", []*te.Tensor{h2, i8}, one(ScatterElements(h2, i8, h2, 0, "add")), []string{"scatter_elements()", "T_cast(ax0 ax1)"}},
		{"one_hot", one(i8), one(OneHot(i8, tir.Int(1), tir.Int(0), 4, 0)), []string{"T_one_hot(ax0 ax1 ax2)"}},
		{"full", nil, one(Full(Operand{Scalar: tir.Int(1)}, dtype.Float32T, intShape(2))), []string{"T_full(ax0)"}},
		{"arange", nil, one(Arange(tir.Int(0), tir.Int(1), tir.Int(3), dtype.Int64T)), []string{"T_arange(ax0)"}},
		{"eye", nil, one(Eye(intShape(2, 2), tir.Int(0), dtype.Float32T)), []string{"T_eye(ax0 ax1)"}},
		{"trilu", one(x2), one(Trilu(x2, tir.Int(0), true)), []string{"trilu(ax0 ax1)"}},
		{"resize", one(x4), must(Resize(x4, []tir.Expr{tir.Int(3), tir.Int(3)}, ResizeOpts{Layout: "NCHW", Method: "linear", Coordinate: "half_pixel"})), []string{"resize(i0 i1 i2 i3)"}},
		{"resize of rows that serve several", one(x4), must(Resize(x4, []tir.Expr{tir.Int(12), tir.Int(9)}, ResizeOpts{Layout: "NCHW", Method: "linear", Coordinate: "half_pixel"})), []string{"resize_last(i0 i1 i2 i3)", "resize(i0 i1 i2 i3)"}},
		{"cumsum", one(x2), one(Scan("cumsum", x2, 0, dtype.Float32T, false)), []string{"cumsum()"}},
		{"layout_transform", one(v), one(LayoutTransform(v, &tir.IndexMap{Initial: []*tir.Var{n}, Final: []tir.Expr{n}}, v.Shape, nil)), []string{"te_layout_transform()"}},
		{"leakyrelu", one(x2), one(LeakyReLU(x2, 0.5)), []string{"compute(i0 i1)"}},
		{"softplus", one(x2), one(Softplus(x2, 1, 20)), []string{"compute(i0 i1)"}},
		{"attention", one(qkv), one(Attention(qkv, qkv, qkv, nil, AttentionOpts{})), []string{
			"attention_scores(ax0 ax1 ax2 ax3 k)", "attention_scaled(ax0 ax1 ax2 ax3)", "T_softmax_maxelem(i0 i1 i2 k)", "T_softmax_exp(i0 i1 i2 i3)",
			"T_softmax_expsum(i0 i1 i2 k)", "T_softmax_norm(i0 i1 i2 i3) axis=3", "attention(ax0 ax1 ax2 ax3 k)",
		}},
	} {
		if got := blocks(t, c.ins, c.outs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
