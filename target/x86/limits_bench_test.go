//go:build linux && amd64

package x86_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target/codegen"
)

// bound is a kernel that memory bounds, or arithmetic almost: its tensors, the last one computed, and the products and sums that it takes, 0 where they follow from its definition.
type bound struct {
	name string
	args []*te.Tensor
	work float64
}

// bounds are kernels of networks that do little for each element: what they could take follows from bytes, or from a few operations.
func bounds() []bound {
	var out []bound
	add := func(name string, work float64, args ...*te.Tensor) {
		out = append(out, bound{name, args, work})
	}
	for _, c := range []struct{ c, h, stride int }{{32, 112, 1}, {144, 56, 1}, {384, 14, 1}, {960, 7, 1}, {96, 112, 2}, {144, 56, 2}, {192, 28, 2}} {
		xs, n := depthwise(c.c, c.h, c.stride, 16)
		add(fmt.Sprintf("depthwise%d_%d_s%d", c.c, c.h, c.stride), n, xs...)
		xs, n = convolved(c.c, c.c, c.h, 3, c.stride, c.c)
		add(fmt.Sprintf("depthwise%d_%d_s%d_NCHW", c.c, c.h, c.stride), n, xs...)
	}
	for _, c := range []struct{ c, h, k, stride, pad int }{{64, 112, 3, 2, 1}, {192, 28, 3, 1, 1}, {64, 56, 2, 2, 0}, {256, 14, 5, 1, 2}, {64, 55, 3, 2, 0}, {512, 7, 7, 1, 0}} {
		for _, kind := range []string{"max", "avg"} {
			for _, layout := range []string{"NCHW16c", "NCHW"} {
				add(fmt.Sprintf("%s_pool%d_%d_k%d_s%d_p%d_%s", kind, c.c, c.h, c.k, c.stride, c.pad, layout), 0, pooled(kind, layout, c.c, c.h, c.k, c.stride, c.pad)...)
			}
		}
	}
	for _, s := range []struct {
		shape, axes []int
	}{
		{[]int{256, 3136}, []int{1, 0}},
		{[]int{1024, 1024}, []int{1, 0}},
		{[]int{1, 128, 12, 64}, []int{0, 2, 1, 3}},
		{[]int{1, 128, 12, 64}, []int{0, 2, 3, 1}},
		{[]int{1, 3, 224, 224}, []int{0, 2, 3, 1}},
		{[]int{1, 7, 13, 101}, []int{0, 3, 2, 1}},
		{[]int{1, 4, 224, 224}, []int{0, 2, 3, 1}},
		{[]int{1, 7, 96, 96}, []int{0, 2, 3, 1}},
		{[]int{16, 4, 56, 56}, []int{0, 2, 3, 1}},
		{[]int{1, 96, 96, 7}, []int{0, 3, 1, 2}},
		{[]int{1, 96, 96, 4}, []int{0, 3, 1, 2}},
	} {
		x := placeholder("x", s.shape...)
		add(fmt.Sprint("transpose", s.shape, s.axes), 0, x, topi.PermuteDims(x, s.axes))
	}
	for _, c := range [][2]int{{64, 56}, {256, 28}, {2048, 7}} {
		plain, blocks := []int{1, c[0], c[1], c[1]}, []int{1, c[0] / 16, c[1], c[1], 16}
		add(fmt.Sprint("layout_transform", plain, "to_blocks"), 0, rearranged("NCHW", "NCHW16c", plain, blocks)...)
		add(fmt.Sprint("layout_transform", blocks, "to_NCHW"), 0, rearranged("NCHW16c", "NCHW", blocks, plain)...)
		add(fmt.Sprint("layout_transform_bytes", plain, "to_blocks"), 0, rearrangedOf(dtype.UInt8T, "NCHW", "NCHW16c", plain, blocks)...)
		add(fmt.Sprint("layout_transform_bytes", blocks, "to_NCHW"), 0, rearrangedOf(dtype.UInt8T, "NCHW16c", "NCHW", blocks, plain)...)
	}
	for _, c := range []struct {
		c, h, up int
		coords   string
	}{{64, 56, 2, "asymmetric"}, {64, 56, 2, "half_pixel"}, {16, 40, 3, "asymmetric"}} {
		x, size := placeholder("x", 1, c.c, c.h, c.h), tir.Int(int64(c.up*c.h))
		add(fmt.Sprintf("resize%d_%d_x%d_%s", c.c, c.h, c.up, c.coords), 0, x, must(topi.Resize(x, []tir.Expr{size, size}, topi.ResizeOpts{Layout: "NCHW", Method: "nearest_neighbor", Coordinate: c.coords})))
	}
	for _, c := range [][4]int{{64, 32, 28, 2}, {64, 32, 28, 4}, {128, 64, 16, 4}, {32, 16, 56, 3}} {
		x, w := placeholder("x", 1, c[0], c[2], c[2]), placeholder("w", c[0], c[1], c[3], c[3])
		pad := int64((c[3] - 1) / 2)
		y := must(topi.ConvTranspose(x, w, topi.ConvOpts{Strides: []int64{2, 2}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad}, Groups: 1, Data: "NCHW", Kernel: "IOHW", OutputPadding: []int64{0, 0}}))
		add(fmt.Sprintf("conv_transpose%v", c), 2*float64(c[0]*c[1]*c[2]*c[2]*c[3]*c[3]), x, w, y)
	}
	for _, c := range [][4]int{{64, 100, 56, 2}, {100, 64, 56, 2}, {64, 64, 56, 2}, {100, 100, 28, 1}} {
		xs, n := convolved(c[0], c[1], c[2], 3, c[3], 1)
		add(fmt.Sprint("conv_NCHW", c), n, xs...)
	}
	for _, s := range [][2]int{{64, 1024}, {1536, 128}, {1, 1000}} {
		x, g, b := placeholder("x", s[0], s[1]), placeholder("g", s[1]), placeholder("b", s[1])
		add(fmt.Sprint("softmax", s), 0, x, topi.Softmax(x, 1))
		add(fmt.Sprint("layer_norm", s), 0, x, g, b, topi.LayerNorm(x, g, b, []int{1}, 1e-5))
	}
	x := placeholder("x", 64, 1024)
	add("gelu[64 1024]", 0, x, must(topi.Unary("gelu", x)))
	add("relu[64 1024]", 0, x, must(topi.Unary("relu", x)))
	for _, s := range [][2]int{{2048, 1000}, {768, 3072}, {256, 256}} {
		a, b, bt := placeholder("a", 1, s[0]), placeholder("b", s[0], s[1]), placeholder("bt", s[1], s[0])
		add(fmt.Sprint("dense_nn", s), 2*float64(s[0]*s[1]), a, b, must(topi.Matmul(a, b, topi.MatmulOpts{})))
		add(fmt.Sprint("dense_nt", s), 2*float64(s[0]*s[1]), a, bt, must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true})))
	}
	return out
}

// depthwise is a 3x3 convolution of every channel by itself, with channels in blocks, a bias and relu.
func depthwise(c, h, stride, block int) ([]*te.Tensor, float64) {
	x, w, b := placeholder("x", 1, c/block, h, h, block), placeholder("w", c/block, 1, 3, 3, 1, block), placeholder("b", 1, c/block, 1, 1, block)
	y, ok, err := topi.ConvBlocked(x, w, topi.ConvOpts{
		Strides: []int64{int64(stride), int64(stride)}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: int64(c),
		Data: fmt.Sprintf("NCHW%dc", block), Kernel: fmt.Sprintf("OIHW1i%do", block),
	})
	if err != nil || !ok {
		panic(fmt.Sprint(ok, err))
	}
	out := (h-1)/stride + 1
	return []*te.Tensor{x, w, b, must(topi.Unary("relu", must(topi.Binary("add", topi.T(y), topi.T(b)))))}, 2 * 9 * float64(c*out*out)
}

// rearranged is a tensor in another layout.
func rearranged(from, to string, shape, result []int) []*te.Tensor {
	return rearrangedOf(dtype.Float32T, from, to, shape, result)
}

// rearrangedOf is rearranged for a type.
func rearrangedOf(d dtype.DType, from, to string, shape, result []int) []*te.Tensor {
	layouts := [2]tensorlayout.Layout{}
	for i, name := range []string{from, to} {
		l, err := tensorlayout.Parse(name)
		if err != nil {
			panic(err)
		}
		layouts[i] = l
	}
	m, err := tensorlayout.IndexMap(layouts[0], layouts[1])
	if err != nil {
		panic(err)
	}
	x := te.Placeholder("x", d, placeholder("x", shape...).Shape...)
	return []*te.Tensor{x, topi.LayoutTransform(x, m, placeholder("y", result...).Shape, nil)}
}

// streamed is a sum of two vectors that together with it take as many bytes as some tensors, and those vectors.
func streamed(b *testing.B, tgt string, args []*tensor.Tensor) ([]codegen.Func, []*tensor.Tensor) {
	n := 0
	for _, x := range args {
		n += len(x.Data)
	}
	n = max(n/12/64*64, 64)
	x, y := placeholder("x", n), placeholder("y", n)
	list := []*te.Tensor{x, y, must(topi.Binary("add", topi.T(x), topi.T(y)))}
	return scheduled(b, tgt, list), tensors(b, list)
}

// BenchmarkLimits reports how long kernels take under the default schedule, and what share of that two times are that no schedule of their definition would go below: that in which a sum of two
// vectors moves as many bytes, and that of the arithmetic, both measured beside them. The arithmetic follows from the definition and not from the code: for convolutions and rows by
// matrices their products at the rate of the yardstick, for others all operations of their tensor expressions (arithmetic) at the rates of the units. An exponential counts as the operations of its
// formula. Kernels may be above 100 %: the windows of a pool share columns, of which the definition knows nothing, and what one tensor keeps in registers for the next one takes no memory.
func BenchmarkLimits(b *testing.B) {
	for machine, tgt := range targets {
		rate, unit := 0.0, units{}
		for _, k := range bounds() {
			b.Run(machine+"/"+k.name, func(b *testing.B) {
				if rate == 0 {
					rate, unit = yardstick(b, machine, tgt)*1e9, unitsOf(b, machine, tgt)
				}
				computed := k.work / rate
				if k.work == 0 {
					computed = unit.seconds(arithmetic(b, tgt, k.args))
				}
				funcs, args := scheduled(b, tgt, k.args), tensors(b, k.args)
				stream, vectors := streamed(b, tgt, args)
				took, moved := math.Inf(1), math.Inf(1)
				for b.Loop() {
					took = min(took, quickest(b, funcs, tgt, 10, args...))
					moved = min(moved, quickest(b, stream, tgt, 10, vectors...))
				}
				b.ReportMetric(took*1e3, "ms")
				b.ReportMetric(moved/took*100, "%-bytes")
				b.ReportMetric(computed/took*100, "%-arithmetic")
				b.ReportMetric(max(moved, computed)/took*100, "%-of-limit")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// pooled is a pool of windows of k by k with so much padding around.
func pooled(kind, layout string, c, h, k, stride, pad int) []*te.Tensor {
	x := placeholder("x", 1, c, h, h)
	if layout == "NCHW16c" {
		x = placeholder("x", 1, c/16, h, h, 16)
	}
	two := func(n int) []int64 { return []int64{int64(n), int64(n)} }
	return []*te.Tensor{x, must(topi.Pool(kind, x, topi.PoolOpts{Size: two(k), Strides: two(stride), Dilation: two(1), Before: two(pad), After: two(pad), Layout: layout}))}
}
