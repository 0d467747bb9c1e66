package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/transform"
)

const timesKernel = `
@T.prim_func(private=True)
def NAME(x: T.Buffer((T.int64(4),), "float32"), y: T.Buffer((T.int64(4),), "float32"), out: T.Buffer((T.int64(4),), "float32")):
    T.func_attr({ATTRS})
    for i in range(T.int64(4)):
        with T.block("scale"):
            v = T.axis.spatial(T.int64(4), i)
            out[v] = x[v] * y[v]
`

func timesNamed(name, attrs string) string {
	return strings.NewReplacer("NAME", name, "ATTRS", attrs).Replace(timesKernel)
}

func TestAttachAttrLayoutFreeBuffersPairs(t *testing.T) {
	const main = `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
    R.func_attr({"num_input": 1})
    cls = Module
    a = R.call_tir(cls.A, (x, w), out_sinfo=R.Tensor((4,), "float32"))
    b = R.call_tir(cls.B, (w, a), out_sinfo=R.Tensor((4,), "float32"))
    c = R.call_tir(cls.A, (b, R.const([1.0, 2.0, 3.0, 4.0], "float32")), out_sinfo=R.Tensor((4,), "float32"))
    d = R.call_tir(cls.C, (c, b), out_sinfo=R.Tensor((4,), "float32"))
    return d
`
	names := func(a, b, c string) string {
		return strings.NewReplacer("cls.A", "cls."+a, "cls.B", "cls."+b, "cls.C", "cls."+c).Replace(main)
	}
	runPairs(t, transform.AttachAttrLayoutFreeBuffers,
		pair{
			name: "weights and constants", before: names("scale", "scale", "scale") + timesNamed("scale", `"a": 1`),
			after: names("scale1", "scale2", "scale3") + timesNamed("scale1", `"a": 1, "layout_free_buffers": [1]`) + timesNamed("scale2", `"a": 1, "layout_free_buffers": [0]`) +
				timesNamed("scale3", `"a": 1, "layout_free_buffers": []`),
		},
		pair{name: "no kernels", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
    R.func_attr({"num_input": 1})
    y = R.add(x, w)
    return y
`},
		pair{
			name:   "nothing says what are weights",
			before: strings.Replace(names("scale", "scale", "scale"), "num_input", "other", 1) + timesNamed("scale", ""),
			after: strings.NewReplacer("num_input", "other", "c = R.call_tir(cls.scale1", "c = R.call_tir(cls.scale2").Replace(names("scale1", "scale1", "scale1")) +
				timesNamed("scale1", `"layout_free_buffers": []`) + timesNamed("scale2", `"layout_free_buffers": [1]`),
		},
	)
}

const packing = `
@T.prim_func(private=True)
def add(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), u: T.Buffer((4,), "float32"), out: T.Buffer((4,), "float32")):
    T.func_attr({"layout_free_buffers": [1, 2], "tir.noalias": True})
    packed_u = T.alloc_buffer((2, 2))
    packed_w = T.alloc_buffer((2, 2))
    t = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("u"):
            v = T.axis.spatial(4, i)
            T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
            packed_u[v % 2, v // 2] = u[v]
    for i in range(4):
        with T.block("w"):
            v = T.axis.spatial(4, i)
            T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
            packed_w[v % 2, v // 2] = w[v]
    for i in range(4):
        with T.block("t"):
            v = T.axis.spatial(4, i)
            t[v] = x[v] + packed_w[v % 2, v // 2]
    for i in range(4):
        with T.block("out"):
            v = T.axis.spatial(4, i)
            out[v] = t[v] + packed_u[v % 2, v // 2]

@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), u: R.Tensor((4,), "float32")):
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.add, (x, w, u), out_sinfo=R.Tensor((4,), "float32"))
        R.output(y)
    return y
`

func TestSplitLayoutRewritePreprocPairs(t *testing.T) {
	bad := func(from, to string) string { return strings.Replace(packing, from, to, 1) }
	runPairs(t, transform.SplitLayoutRewritePreproc,
		pair{name: "nothing to split", before: strings.ReplaceAll(packing, `            T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
`, "")},
		pair{name: "two weights", before: packing, after: `
@T.prim_func(private=True)
def add_prepacked(x: T.Buffer((4,), "float32"), packed_w: T.Buffer((2, 2), "float32"), packed_u: T.Buffer((2, 2), "float32"), out: T.Buffer((4,), "float32")):
    T.func_attr({"tir.noalias": True})
    t = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("t"):
            v = T.axis.spatial(4, i)
            t[v] = x[v] + packed_w[v % 2, v // 2]
    for i in range(4):
        with T.block("out"):
            v = T.axis.spatial(4, i)
            out[v] = t[v] + packed_u[v % 2, v // 2]

@T.prim_func(private=True)
def add_weight_prepack(w: T.Buffer((4,), "float32"), u: T.Buffer((4,), "float32"), packed_w: T.Buffer((2, 2), "float32"), packed_u: T.Buffer((2, 2), "float32")):
    T.func_attr({"tir.noalias": True})
    for i in range(4):
        with T.block("u"):
            v = T.axis.spatial(4, i)
            packed_u[v % 2, v // 2] = u[v]
    for i in range(4):
        with T.block("w"):
            v = T.axis.spatial(4, i)
            packed_w[v % 2, v // 2] = w[v]

@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), u: R.Tensor((4,), "float32")):
    cls = Module
    with R.dataflow():
        lv = R.call_tir(cls.add_weight_prepack, (w, u), out_sinfo=[R.Tensor((2, 2), "float32"), R.Tensor((2, 2), "float32")])
        lv1 = lv[0]
        lv2 = lv[1]
        lv3 = R.call_tir(cls.add_prepacked, (x, lv1, lv2), out_sinfo=R.Tensor((4,), "float32"))
        y = lv3
        R.output(y)
    return y
`},
		pair{name: "it reads no parameter", before: bad("packed_u[v % 2, v // 2] = u[v]", "packed_u[v % 2, v // 2] = packed_w[v % 2, v // 2]"), err: "block u is marked meta_schedule.layout_rewrite_preproc and reads packed_w, which is no parameter"},
		pair{name: "it reads two", before: bad("= u[v]", "= u[v] + w[v]"), err: "block u is marked meta_schedule.layout_rewrite_preproc and reads 2 buffers and writes 1, want one of each"},
		pair{name: "it writes a parameter", before: bad("packed_u[v % 2, v // 2] = u[v]", "out[v] = u[v]"), err: "block u is marked meta_schedule.layout_rewrite_preproc and writes the parameter out, want a buffer of the kernel"},
		pair{name: "one nest", before: bad(`            packed_u[v % 2, v // 2] = u[v]
`, `            packed_u[v % 2, v // 2] = u[v]
        with T.block("more"):
            v = T.axis.spatial(4, i)
            t[v] = x[v]
`), err: "a block marked meta_schedule.layout_rewrite_preproc and one that is not stand in one loop nest: they cannot be split"},
	)
}
