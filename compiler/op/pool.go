package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

func poolOps() []*Op {
	var ops []*Op
	for n := 1; n <= 3; n++ {
		for _, kind := range []string{"max", "avg"} {
			ops = append(ops, &Op{
				Name: "relax.nn." + kind + "_pool" + strconv.Itoa(n) + "d",
				Args: []Arg{{Name: "data", Doc: "The input tensor."}}, Attrs: poolAttrs(n),
				Infer:   func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferPool(c, n) },
				Pattern: OutEWiseFusable, complete: completeWindow(n, "layout"),
				Doc: map[string]string{"max": "The maximum", "avg": "The mean"}[kind] + " over windows of " + strconv.Itoa(n) + " spatial axes.",
			})
		}
	}
	for n := 1; n <= 3; n++ {
		layout := "NC" + spatialLetters[n]
		ops = append(ops, &Op{
			Name: "relax.nn.adaptive_avg_pool" + strconv.Itoa(n) + "d",
			Args: []Arg{{Name: "data", Doc: "The input tensor."}},
			Attrs: []Attr{
				{Name: "output_size", Type: OptIntsAttr, Doc: "The spatial extents of the result; None is those of the input."},
				{Name: "layout", Type: StringAttr, Default: layout, Doc: "The layout of the input."},
				{Name: "out_layout", Type: StringAttr, Default: layout, Doc: "The layout of the result."},
			},
			Infer:   func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferAdaptivePool(c, n) },
			Pattern: OutEWiseFusable, complete: completeWindow(n, "layout"),
			Doc: "The mean over windows chosen to give the spatial extents asked for.",
		})
	}
	return ops
}

func poolAttrs(n int) []Attr {
	layout := "NC" + spatialLetters[n]
	return []Attr{
		{Name: "pool_size", Type: IntsAttr, Default: ints(repeat(1, n)...), Doc: "The extents of the window."},
		{Name: "strides", Type: IntsAttr, Default: ints(repeat(1, n)...), Doc: "The step of the window along each spatial axis."},
		{Name: "padding", Type: IntsAttr, Default: ints(repeat(0, 2*n)...), Doc: "Elements added at the start of each spatial axis, then at the end of each."},
		{Name: "dilation", Type: IntsAttr, Default: ints(repeat(1, n)...), Doc: "The step between elements of the window."},
		{Name: "ceil_mode", Type: BoolAttr, Default: false, Doc: "Whether the extents of the result are rounded up."},
		{Name: "count_include_pad", Type: BoolAttr, Default: false, Doc: "Whether a mean counts the padding."},
		{Name: "layout", Type: StringAttr, Default: layout, Doc: "The layout of the input."},
		{Name: "out_layout", Type: StringAttr, Default: layout, Doc: "The layout of the result."},
	}
}

// poolInput returns argument i, its extents by letter and the layout of the result.
func (c *InferContext) poolInput(i, n int) (t *relax.TensorStructInfo, d map[byte]tir.Expr, out tensorlayout.Layout, err error) {
	letters := "NC" + spatialLetters[n]
	in, err := c.layout("layout", letters)
	if err != nil {
		return nil, nil, nil, err
	}
	out = in
	if c.Str("out_layout") != "" {
		if out, err = c.layout("out_layout", letters); err != nil {
			return nil, nil, nil, err
		}
	}
	t, d, err = c.layoutDims(i, in)
	return t, d, out, err
}

func inferPool(c *InferContext, n int) (relax.StructInfo, error) {
	t, err := c.pooled(0, n)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// pooled is what argument i becomes.
func (c *InferContext) pooled(i, n int) (*relax.TensorStructInfo, error) {
	t, d, layout, err := c.poolInput(i, n)
	if err != nil {
		return nil, err
	}
	size, err := c.positiveInts("pool_size", n)
	if err != nil {
		return nil, err
	}
	strides, err := c.positiveInts("strides", n)
	if err != nil {
		return nil, err
	}
	dilation, err := c.positiveInts("dilation", n)
	if err != nil {
		return nil, err
	}
	lo, hi, err := c.pads(n)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return rankOf(t.DType, len(layout), t), nil
	}
	for k := range n {
		l := spatialLetters[n][k]
		if d[l], err = c.windows(i, l, d[l], tir.Int(size[k]), lo[k]+hi[k], strides[k], dilation[k], c.Bool("ceil_mode")); err != nil {
			return nil, err
		}
	}
	return tensorOf(t.DType, c.permuteTo(layout, d), t), nil
}

func inferAdaptivePool(c *InferContext, n int) (relax.StructInfo, error) {
	t, d, layout, err := c.poolInput(0, n)
	if err != nil {
		return nil, err
	}
	size, given := c.Ints("output_size")
	if given && len(size) == 1 {
		size = repeat(size[0], n)
	}
	if given && len(size) != n {
		return nil, c.attrErr("output_size", formatInts(size), "a list of %d integers", n)
	}
	if d == nil {
		return rankOf(t.DType, len(layout), t), nil
	}
	for i := range size {
		if size[i] <= 0 {
			return nil, c.attrErr("output_size", formatInts(size), "integers above zero")
		}
		d[spatialLetters[n][i]] = tir.Int(size[i])
	}
	return tensorOf(t.DType, c.permuteTo(layout, d), t), nil
}
