package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

func desired(kv ...any) *ir.Attrs {
	layouts := &ir.Attrs{}
	for i := 0; i < len(kv); i += 2 {
		layouts = layouts.With(kv[i].(string), kv[i+1])
	}
	return ir.NewAttrs("desired_layouts", layouts)
}

func TestConvertLayoutPairs(t *testing.T) {
	nhwc := desired("relax.nn.conv2d", []string{"NHWC", "OHWI"})
	packed := desired("relax.nn.conv2d", []string{"NCHW4c", "OIHW4o"})
	runPairs(t, transform.ConvertLayout,
		pair{name: "what follows takes the layout along", args: nhwc, before: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), b: R.Tensor((4, 1, 1), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        c = R.nn.relu(a)
        d = R.nn.max_pool2d(c, pool_size=[2, 2])
        e = R.mean(d, axis=[-1, -2], keepdims=True)
        g = R.nn.softmax(e, axis=1)
        R.output(g)
    return g
`, after: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), b: R.Tensor((4, 1, 1), "float32")):
    with R.dataflow():
        lv = R.permute_dims(x, axes=[0, 2, 3, 1])
        lv1 = R.permute_dims(w, axes=[0, 2, 3, 1])
        a = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC")
        c = R.nn.relu(a)
        d = R.nn.max_pool2d(c, pool_size=[2, 2], layout="NHWC", out_layout="NHWC")
        e = R.mean(d, axis=[1, 2], keepdims=True)
        lv2 = R.nn.softmax(e, axis=3)
        g = R.permute_dims(lv2, axes=[0, 3, 1, 2])
        R.output(g)
    return g
`},
		pair{name: "an index of a split counts blocks", args: packed, before: `
@R.function
def main(x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((12, 4, 3, 3), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.split(a, indices_or_sections=[8], axis=1)
        c = b[0]
        d = R.sum(c, axis=[1])
        R.output(d)
    return d
`, after: `
@R.function
def main(x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((12, 4, 3, 3), "float32")):
    with R.dataflow():
        lv = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 4, i2, i3, i1 % 4), index_dtype="int32"))
        lv1 = R.layout_transform(w, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 4, i1, i2, i3, i0 % 4), index_dtype="int32"))
        a = R.nn.conv2d(lv, lv1, data_layout="NCHW4c", kernel_layout="OIHW4o", out_layout="NCHW4c")
        b = R.split(a, indices_or_sections=[2], axis=1)
        c = b[0]
        d = R.sum(c, axis=[1, 4])
        R.output(d)
    return d
`},
		pair{name: "split axes", args: packed, before: `
@R.function
def main(x: R.Tensor((1, 8, 5, 5), "float32"), w: R.Tensor((4, 8, 3, 3), "float32"), b: R.Tensor((1, 4, 1, 1), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        c = R.add(a, b)
        d = R.sum(c, axis=[1])
        R.output(d)
    return d
`, after: `
@R.function
def main(x: R.Tensor((1, 8, 5, 5), "float32"), w: R.Tensor((4, 8, 3, 3), "float32"), b: R.Tensor((1, 4, 1, 1), "float32")):
    with R.dataflow():
        lv = R.layout_transform(x, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 4, i2, i3, i1 % 4), index_dtype="int32"))
        lv1 = R.layout_transform(w, index_map=T.index_map(lambda i0, i1, i2, i3: (i0 // 4, i1, i2, i3, i0 % 4), index_dtype="int32"))
        a = R.nn.conv2d(lv, lv1, data_layout="NCHW4c", kernel_layout="OIHW4o", out_layout="NCHW4c")
        lv2 = R.layout_transform(b, index_map=T.index_map(lambda i0, i1, i2, i3: (i0, i1 // 4, i2, i3, i1 % 4), index_dtype="int32"))
        c = R.add(a, lv2)
        d = R.sum(c, axis=[1, 4])
        R.output(d)
    return d
`},
		pair{name: "an extent that the parts do not divide", args: packed, before: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        R.output(a)
    return a
`},
		pair{name: "an extent that is not known", args: packed, before: `
@R.function
def main(x: R.Tensor((1, "c", 5, 5), "float32"), w: R.Tensor((4, "c", 3, 3), "float32")):
    c = T.int64()
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        R.output(a)
    return a
`},
		pair{name: "outside of dataflow blocks", args: nhwc, before: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
    a = R.nn.conv2d(x, w)
    return a
`},
		pair{name: "what has no rule gets the old layout", args: nhwc, before: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.reshape(a, R.shape([36]))
        R.output(b)
    return b
`, after: `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
    with R.dataflow():
        lv = R.permute_dims(x, axes=[0, 2, 3, 1])
        lv1 = R.permute_dims(w, axes=[0, 2, 3, 1])
        a = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC")
        lv2 = R.permute_dims(a, axes=[0, 3, 1, 2])
        b = R.reshape(lv2, R.shape([36]))
        R.output(b)
    return b
`},
		pair{name: "no list", args: desired("relax.nn.conv2d", "NHWC"), before: trivial, err: `desired_layouts: the value of relax.nn.conv2d is NHWC, want a list of layouts such as ["NHWC", "OHWI"]`},
		pair{name: "bad layout", args: desired("relax.nn.conv2d", []string{"NHWc", "OHWI"}), before: trivial, err: `desired_layouts: relax.nn.conv2d: invalid layout "NHWc": expected a number above zero before c, which is a part of an axis`},
		pair{name: "unknown operator", args: desired("relax.nn.conv4d", []string{"NHWC", "OHWI"}), before: trivial, err: `desired_layouts: unknown operator "relax.nn.conv4d"; did you mean "relax.nn.conv1d"?`},
	)
}

const trivial = `
@R.function
def main(x: R.Tensor((1,), "float32")):
    return x
`

// TestConvertLayoutBy says the layouts for each call.
func TestConvertLayoutBy(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((4, 4, 3, 3), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.nn.conv2d(a, w, strides=[2, 2])
        R.output(b)
    return b
`)
	p := transform.ConvertLayoutBy(func(call *relax.Call) map[string][]string {
		if call.Attrs.Ints("strides")[0] == 1 {
			return nil
		}
		return map[string][]string{"relax.nn.conv2d": {"NHWC", "OHWI"}}
	})
	text := passtest.Text(runPass(t, passtest.NewContext(), p, m))
	if strings.Count(text, `data_layout="NHWC"`) != 1 || strings.Count(text, `data_layout="NCHW"`) != 1 {
		t.Errorf("want the second convolution alone in NHWC:\n%s", text)
	}
	p = transform.ConvertLayoutBy(func(*relax.Call) map[string][]string {
		return map[string][]string{"relax.nn.conv2d": {"NHWC"}}
	})
	if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.HasSuffix(err.Error(), "or three, the last of the result, got 1") {
		t.Errorf("the error is %v", err)
	}
}

// TestWeightsArePackedAtCompileTime runs what a pipeline runs behind it.
func TestWeightsArePackedAtCompileTime(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((1, 2, 1, 2), "float32")):
    with R.dataflow():
        w = R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32")
        a = R.nn.conv2d(x, w)
        R.output(a)
    return a
`)
	want := outputs(t, m, 1, false)
	c := passtest.NewContext()
	m = runPass(t, c, transform.CanonicalizeBindings, m)
	m = runPass(t, c, must(transform.ConvertLayout.With(desired("relax.nn.conv2d", []string{"NHWC2c", "OHWI2o"}))), m)
	m = runPass(t, c, tunedLegalizeOps, m)
	before := passtest.Text(m)
	m = runPass(t, c, transform.FoldConstant, m)
	if a, b := strings.Count(before, "R.call_tir(cls.te_layout_transform"), strings.Count(passtest.Text(m), "R.call_tir(cls.te_layout_transform"); a != 3 || b != 2 {
		t.Errorf("%d layouts are changed, and %d behind FoldConstant, want 3 and 2:\n%s", a, b, passtest.Text(m))
	}
	sameOutputs(t, want, outputs(t, m, 1, true))
}
