package transform_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// scaledConv is main with these lines between a convolution of two channels and the result d.
func scaledConv(lines string) string {
	return strings.NewReplacer(
		"V1", `R.const([2.0, 4.0], "float32")`, "V2", `R.const([0.5, 1.0], "float32")`, "V3", `R.const([0.25, 3.0], "float32")`, "V4", `R.const([1.5, 8.5], "float32")`,
		"K1", `R.const([[[1.0]], [[2.0]]], "float32")`, "K2", `R.const([[[0.5]], [[0.25]]], "float32")`, "WEIGHTS", `R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")`).Replace(`
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), s: R.Tensor((2, 1, 1), "float32")):
    with R.dataflow():
` + lines + `
        R.output(d)
    return d
`)
}

func TestFoldScaleToConv2DPairs(t *testing.T) {
	runPairs(t, transform.FoldScaleToConv2D,
		pair{name: "a scale behind an addition, and an addition behind that", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(K1, a)
        c = R.multiply(b, K2)
        d = R.add(c, K1)`), after: scaledConv(`
        lv = R.reshape(K2, R.shape([2, 1, 1, 1]))
        lv1 = R.multiply(WEIGHTS, lv)
        a1 = R.nn.conv2d(x, lv1)
        lv2 = R.multiply(K1, K2)
        lv3 = R.add(lv2, K1)
        d = R.add(a1, lv3)`)},
		pair{name: "constants that have names", before: scaledConv(`
        w = WEIGHTS
        k = K2
        a = R.nn.conv2d(x, w)
        d = R.multiply(a, k)`), after: scaledConv(`
        w = WEIGHTS
        k = K2
        lv = R.reshape(k, R.shape([2, 1, 1, 1]))
        lv1 = R.multiply(w, lv)
        d = R.nn.conv2d(x, lv1)`)},
		pair{name: "one number for all, of each order", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        d = R.multiply(R.const(2.0, "float32"), a)`), after: scaledConv(`
        lv = R.reshape(R.const(2.0, "float32"), R.shape([1, 1, 1, 1]))
        lv1 = R.multiply(WEIGHTS, lv)
        d = R.nn.conv2d(x, lv1)`)},
		pair{name: "the scale is not constant", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        d = R.multiply(a, s)`)},
		pair{name: "the result is used twice", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.multiply(a, K1)
        d = R.add(a, b)`)},
		pair{name: "the convolution is used twice", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, K1)
        c = R.multiply(b, K2)
        d = R.add(c, a)`)},
		pair{name: "a scale along a row", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        d = R.multiply(a, R.const([1.0, 2.0, 3.0, 4.0], "float32"))`)},
		pair{name: "a normalization behind an addition", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, K1)
        n = R.nn.batch_norm(b, V1, V2, V3, V4, axis=1, epsilon=0.5, training=False)
        d = n[0]`), after: scaledConv(`
        lv = R.add(V4, R.const(0.5, "float32"))
        lv1 = R.sqrt(lv)
        lv2 = R.divide(V1, lv1)
        lv3 = R.reshape(lv2, R.shape([2, 1, 1]))
        lv4 = R.multiply(V3, lv2)
        lv5 = R.subtract(V2, lv4)
        lv6 = R.reshape(lv5, R.shape([2, 1, 1]))
        lv7 = R.reshape(lv3, R.shape([2, 1, 1, 1]))
        lv8 = R.multiply(WEIGHTS, lv7)
        a1 = R.nn.conv2d(x, lv8)
        lv9 = R.multiply(K1, lv3)
        lv10 = R.add(lv9, lv6)
        d = R.add(a1, lv10)`)},
		pair{name: "a normalization by the batch", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, K1)
        n = R.nn.batch_norm(b, V1, V2, V3, V4, axis=1, training=True)
        d = n[0]`)},
		pair{name: "a normalization along another axis", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, R.const(1.0, "float32"))
        n = R.nn.batch_norm(b, R.const([1.0, 1.0, 1.0, 1.0], "float32"), R.const([1.0, 1.0, 1.0, 1.0], "float32"), R.const([1.0, 1.0, 1.0, 1.0], "float32"), R.const([1.0, 1.0, 1.0, 1.0], "float32"), axis=2, training=False)
        d = n[0]`)},
		pair{name: "a normalization whose mean is used", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, K1)
        n = R.nn.batch_norm(b, V1, V2, V3, V4, axis=1, training=False)
        e = n[1]
        f = n[0]
        g = R.reshape(e, R.shape([2, 1, 1]))
        d = R.add(f, g)`)},
		pair{name: "a normalization of what is used elsewhere", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS)
        b = R.add(a, K1)
        n = R.nn.batch_norm(b, V1, V2, V3, V4, axis=1, training=False)
        e = n[0]
        d = R.add(e, b)`)},
		pair{name: "another layout", before: scaledConv(`
        a = R.nn.conv2d(x, WEIGHTS, out_layout="NHWC")
        d = R.multiply(a, R.const([1.0, 2.0], "float32"))`)},
	)
}

func TestBlockConvLayoutPairs(t *testing.T) {
	conv := func(w, args, more string) string {
		return `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((2, 2, 1, 1), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, ` + w + args + `)
` + more + `
        R.output(d)
    return d
`
	}
	two := ir.NewAttrs("block", int64(2))
	weights := `R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")`
	// Two convolutions with three channels between them.
	between := func(c string) string {
		return `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]], "float32"))
        b = R.add(a, R.const([[[1.0]], [[2.0]], [[3.0]]], "float32"))
        ` + c + `
        d = R.nn.conv2d(c, R.const([[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]], "float32"))
        R.output(d)
    return d
`
	}
	odd := "R.const([" + strings.Repeat("[[[1.0]], [[2.0]]], ", 16) + `[[[3.0]], [[4.0]]]], "float32")`
	bias := "R.const([" + strings.Repeat("[[1.0]], ", 16) + `[[2.0]]], "float32")`
	runPairs(t, transform.BlockConvLayout,
		pair{name: "the layout changes at the ends", args: two, before: conv(weights, "", `        b = R.nn.relu(a)
        d = R.nn.conv2d(b, `+weights+")"), after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((2, 2, 1, 1), "float32")):
    with R.dataflow():
        lv = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv1 = R.layout_transform(` + weights + `, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        a = R.nn.conv2d(lv, lv1, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        b = R.nn.relu(a)
        lv3 = R.nn.conv2d(b, lv1, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        d = R.layout_transform(lv3, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        R.output(d)
    return d
`},
		pair{name: "few input channels, and a constant of fewer axes", args: ir.NewAttrs("block", int64(2)), before: `
@R.function
def main(x: R.Tensor((1, 1, 4, 4), "float32"), s: R.Tensor((2, 1, 1), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, R.const([[[[1.0]]], [[[3.0]]]], "float32"))
        b = R.multiply(R.const([[[1.0]], [[2.0]]], "float32"), a)
        c = R.add(b, R.const(1.0, "float32"))
        d = R.subtract(c, s)
        R.output(d)
    return d
`, after: `
@R.function
def main(x: R.Tensor((1, 1, 4, 4), "float32"), s: R.Tensor((2, 1, 1), "float32")):
    with R.dataflow():
        lv1 = R.layout_transform(R.const([[[[1.0]]], [[[3.0]]]], "float32"), index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1, i2, i3, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        a = R.nn.conv2d(x, lv1, data_layout="NCHW", kernel_layout="OIHW2o", out_layout="NCHW2c")
        lv = R.reshape(R.const([[[1.0]], [[2.0]]], "float32"), R.shape([1, 2, 1, 1]))
        lv2 = R.layout_transform(lv, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        b = R.multiply(lv2, a)
        c = R.add(b, R.const(1.0, "float32"))
        lv3 = R.layout_transform(c, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        d = R.subtract(lv3, s)
        R.output(d)
    return d
`},
		pair{name: "a value that two convolutions read is transformed once", args: two, before: conv(weights, "", `        b = R.nn.conv2d(x, R.const([[[[5.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32"))
        d = R.add(a, b)`), after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((2, 2, 1, 1), "float32")):
    with R.dataflow():
        lv = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv1 = R.layout_transform(` + weights + `, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        a = R.nn.conv2d(lv, lv1, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        lv3 = R.layout_transform(R.const([[[[5.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32"), index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        b = R.nn.conv2d(lv, lv3, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        lv4 = R.add(a, b)
        d = R.layout_transform(lv4, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        R.output(d)
    return d
`},
		pair{name: "a channel is lacking for whole blocks", args: two, before: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, ` + odd + `)
        b = R.add(a, ` + bias + `)
        c = R.nn.relu(b)
        d = R.mean(c, axis=[2, -1], keepdims=True)
        R.output(d)
    return d
`, after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        lv1 = R.nn.pad(` + odd + `, pad_width=[0, 1, 0, 0, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv7 = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv8 = R.layout_transform(lv1, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv2 = R.nn.conv2d(lv7, lv8, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        lv = R.reshape(` + bias + `, R.shape([1, 17, 1, 1]))
        lv3 = R.nn.pad(lv, pad_width=[0, 0, 0, 1, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv9 = R.layout_transform(lv3, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv4 = R.add(lv2, lv9)
        lv5 = R.nn.relu(lv4)
        lv6 = R.mean(lv5, axis=[2, 3], keepdims=True)
        lv10 = R.layout_transform(lv6, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        d = R.strided_slice(lv10, (R.prim_value(1),), (R.prim_value(0),), (R.prim_value(17),), assume_inbound=False)
        R.output(d)
    return d
`},
		pair{name: "convolutions read the channels that are added", args: two, before: between("c = R.clip(b, R.prim_value(T.float32(0.0)), R.prim_value(T.float32(6.0)))"), after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        lv1 = R.nn.pad(R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]], "float32"), pad_width=[0, 1, 0, 0, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv7 = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv8 = R.layout_transform(lv1, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv2 = R.nn.conv2d(lv7, lv8, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        lv = R.reshape(R.const([[[1.0]], [[2.0]], [[3.0]]], "float32"), R.shape([1, 3, 1, 1]))
        lv3 = R.nn.pad(lv, pad_width=[0, 0, 0, 1, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv9 = R.layout_transform(lv3, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv4 = R.add(lv2, lv9)
        lv5 = R.clip(lv4, R.prim_value(T.float32(0.0)), R.prim_value(T.float32(6.0)))
        lv6 = R.nn.pad(R.const([[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]], "float32"), pad_width=[0, 0, 0, 1, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv10 = R.layout_transform(lv6, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv11 = R.nn.conv2d(lv5, lv10, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        d = R.layout_transform(lv11, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        R.output(d)
    return d
`},
		pair{name: "a convolution does not read added channels that may not be finite", args: two, before: between(`c = R.divide(b, R.const(0.0, "float32"))`), after: `
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        lv1 = R.nn.pad(R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]], "float32"), pad_width=[0, 1, 0, 0, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv6 = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv7 = R.layout_transform(lv1, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 2, i1 // 2, i2, i3, i1 % 2, i0 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv2 = R.nn.conv2d(lv6, lv7, data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")
        lv = R.reshape(R.const([[[1.0]], [[2.0]], [[3.0]]], "float32"), R.shape([1, 3, 1, 1]))
        lv3 = R.nn.pad(lv, pad_width=[0, 0, 0, 1, 0, 0, 0, 0], pad_mode="constant", pad_value=0.0)
        lv8 = R.layout_transform(lv3, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 2, i2, i3, i1 % 2), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        lv4 = R.add(lv2, lv8)
        lv5 = R.divide(lv4, R.const(0.0, "float32"))
        lv9 = R.layout_transform(lv5, index_map=T.index_map(lambda i0, i1, i2, i3, i4: (i0, i1 * 2 + i4, i2, i3), index_dtype="int32"), pad_value=None, axis_separators=[], input_axis_separators=[])
        c = R.strided_slice(lv9, (R.prim_value(1),), (R.prim_value(0),), (R.prim_value(3),), assume_inbound=False)
        d = R.nn.conv2d(c, R.const([[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]], "float32"))
        R.output(d)
    return d
`},
		pair{name: "something else reads the result too", args: two, before: between("c = R.nn.relu(b)\n        e = R.nn.softmax(c, axis=3)")},
		pair{name: "blocks do not divide the channels", args: ir.NewAttrs("block", int64(4)), before: conv(weights, "", "        d = R.nn.relu(a)")},
		pair{name: "weights that are not constant", args: two, before: conv("w", "", "        d = R.nn.relu(a)")},
		pair{name: "another layout", args: two, before: conv(weights, `, data_layout="NCHW", out_layout="NHWC"`, "        d = R.nn.relu(a)")},
		pair{name: "a block of none", args: ir.NewAttrs("block", int64(-1)), before: conv(weights, "", "        d = R.nn.relu(a)"), err: "block: -1 channels, want 0 to 64"},
	)
}

// drawScaled draws graphs of convolutions, plain ones and depthwise, scales, additions, and what takes the layouts of others, whose channels
// blocks of 4 divide or not.
func drawScaled(t *rapid.T) *ir.Module {
	g := &layoutGraph{t: t, bb: op.NewBlockBuilder(nil)}
	start := []int64{2, []int64{4, 3}[g.pick(2, "channels")], 3, 4}
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints(start)...)}
	g.bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	g.bb.BeginDataflow()
	g.vars = []*relax.Var{x}
	v := x
	for range 2 + g.pick(9, "steps") {
		if g.pick(6, "back") == 0 {
			v = g.vars[g.pick(len(g.vars), "value")]
		}
		d := dimsOfVar(v)
		if len(d) != 4 {
			v = x
			continue
		}
		perChannel := func() relax.Expr {
			return g.weight([][]int64{{d[1], 1, 1}, {1, d[1], 1, 1}, {}, {1, 1}, {d[3]}}[g.pick(5, "scale")]...)
		}
		switch g.pick(18, "kind") {
		case 16: // channels at one of the ends, or in blocks
			cut := max(1, d[1]/2)
			parts := g.call("split", ir.NewAttrs("indices_or_sections", []int64{cut}, "axis", int64(1)), v)
			if d[1] > 1 {
				v = g.emit(&relax.TupleGetItem{Tuple: parts, Index: g.pick(2, "part")})
			}
		case 17:
			v = g.call("image.resize2d", ir.NewAttrs("method", []string{"nearest_neighbor", "linear", "cubic"}[g.pick(3, "method")]), v, &relax.ShapeExpr{Values: relax.Ints([]int64{5, 3})})
		case 12:
			v = g.call("add", nil, v, g.same(d))
		case 13:
			v = g.call("clip", nil, v, &relax.PrimValue{Value: tir.Const(dtype.Float32T, -1)}, &relax.PrimValue{Value: tir.Const(dtype.Float32T, 2)})
		case 14:
			v = g.call("divide", nil, v, relax.Expr(&relax.Constant{Data: ir.Float32Blob(nil, []float32{0, 2}[g.pick(2, "divisor")])}))
		case 15:
			v = g.call([]string{"sigmoid", "nn.silu", "tanh"}[g.pick(3, "function")], nil, v)
		case 11:
			v = g.call([]string{"mean", "max"}[g.pick(2, "reduction")], ir.NewAttrs("axis", [][]int64{{2, 3}, {-1}, {1}}[g.pick(3, "axes")], "keepdims", true), v)
		case 9, 10: // often behind a convolution and an addition
			attrs := ir.NewAttrs("axis", int64(1), "training", g.pick(5, "training") == 0, "center", g.pick(4, "center") > 0, "scale", g.pick(4, "scale") > 0)
			norm := g.call("nn.batch_norm", attrs, g.call("add", nil, v, perChannel()), g.weight(d[1]), g.weight(d[1]), g.weight(d[1]), positive(d[1]))
			v = g.emit(&relax.TupleGetItem{Tuple: norm})
		case 0, 1:
			out := []int64{4, 8, 6, 31}[g.pick(4, "out")] // a block of 4 is whole with one channel more
			v = g.call("nn.conv2d", ir.NewAttrs("padding", []int64{1}, "strides", []int64{1 + int64(g.pick(2, "stride"))}), v, g.weight(out, d[1], 2, 3))
		case 2:
			v = g.call("nn.conv2d", ir.NewAttrs("padding", []int64{1}, "groups", d[1]), v, g.weight(d[1], 1, 2, 3))
		case 3:
			v = g.call("multiply", nil, v, perChannel())
		case 4:
			v = g.call("multiply", nil, perChannel(), v)
		case 5:
			v = g.call("add", nil, v, perChannel())
		case 6:
			v = g.call("nn.relu", nil, v)
		case 7:
			v = g.call("concat", ir.NewAttrs("axis", int64(1)), &relax.Tuple{Fields: []relax.Expr{v, g.same(d)}})
		case 8:
			v = g.call([]string{"nn.max_pool2d", "nn.avg_pool2d"}[g.pick(2, "pool")], ir.NewAttrs("pool_size", []int64{2, 2}, "padding", []int64{1}), v)
		}
	}
	out := relax.Expr(must(g.bb.EmitOutput(&relax.Tuple{Fields: []relax.Expr{v, g.vars[g.pick(len(g.vars), "other")]}}, "")))
	g.bb.EndDataflow()
	must(g.bb.EndFunction(out))
	return g.bb.Module()
}

// TestConvRulesKeepMeaning runs the passes over convolutions in their order in the pipeline.
func TestConvRulesKeepMeaning(t *testing.T) {
	changed := map[string]int{}
	seed.Check(t, func(t *rapid.T) {
		m := drawScaled(t)
		want := outputs(t, m, 2, false)
		blocks := must(transform.BlockConvLayout.With(ir.NewAttrs("block", int64(4))))
		for _, p := range []*pass.Pass{transform.FoldScaleToConv2D, blocks} {
			out, _ := check(t, passtest.NewContext(), p, m)
			if d := differInSums(outputs(t, out, 2, false), want); d != "" {
				t.Fatalf("%s: %s made\n%s\nof\n%s", d, p.Name, passtest.Text(out), passtest.Text(m))
			}
			if out != m {
				changed[p.Name]++
			}
			m = out
		}
	})
	if len(changed) < 2 && !testing.Short() {
		t.Errorf("changed %v", changed)
	}
}

// differInSums says how outputs differ that are sums in another order: by more than rounding of the largest number, since terms that are as large
// may cancel out.
func differInSums(got, want []*tensor.Tensor) string {
	for i, w := range want {
		largest := 1.0
		for k := range w.Len() {
			if x := math.Abs(w.Float(k)); x > largest && !math.IsInf(x, 0) { // or NaN
				largest = x
			}
		}
		d, err := tensor.Compare(got[i], w, tensor.Tolerance{RTol: 1e-4, ATol: 1e-5 * largest})
		if err != nil {
			return fmt.Sprintf("output %d: %v", i, err)
		}
		if !d.OK() {
			return fmt.Sprintf("output %d: %v", i, d)
		}
	}
	return ""
}
