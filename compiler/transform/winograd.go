package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

const ruleWinograd = "convolve by Winograd's transforms"

// ConvertConv2DToWinograd computes convolutions 3x3 tile by tile with fewer products.
//
// It is called as IREE's pass is, which does the same for linalg. In TVM the templates conv2d_winograd of TOPI do, where a tuner chooses them. Here the sizes do: products saved
// against the transforms and against the larger weights, which come from memory at each inference.
var ConvertConv2DToWinograd = &pass.Pass{
	Name: "ConvertConv2DToWinograd", Level: 2, Kind: pass.Module, ReadsTarget: true, ReadsLevel: true,
	Doc: "Computes conv2d with constant weights of 3x3, stride 1 and blocks of channels, or in NCHW where the vectors of the target are too short for those, by Winograd's transforms, where that takes less time: data and weights are brought to where each tile of 2x2 results takes 16 products for each pair of channels in place of 36, and the products back. At opt_level 3 and more, tiles of 4x4 results take 36 in place of 144. The weights are transformed when the program is loaded. Results round otherwise, with tiles of 4 by some four times as much, and an infinite element or NaN reaches all results of its tile.",
	Options: []pass.Option{
		{Name: "tile", Default: int64(0), Doc: "the results of a tile along each axis: 2 or 4 for all convolutions that it can be done for, 0 for where and what takes the least time"},
		{Name: "rows", Default: int64(0), Doc: "the rows of tiles that are computed before the next ones, so that what lies between the steps is as large as they need; 0 for what the second cache of the target holds best"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := c.TargetOf()
		w := &winograd{
			c: c, tile: c.Arg("tile").(int64), rows: c.Arg("rows").(int64),
			cache: t.IntAttr("l2-cache-bytes", 256<<10), threads: max(t.IntAttr("num-cores", 1), 1),
			plain: t.IsZero() || t.VectorLanes(dtype.Float32T) < gainful,
		}
		switch {
		case w.tile != 0 && w.tile != 2 && w.tile != 4:
			return nil, fmt.Errorf("tile: %d, want 2, 4 or 0", w.tile)
		case w.rows < 0:
			return nil, fmt.Errorf("rows: %d, want 0 or more", w.rows)
		case w.tile == 0 && t.IsZero():
			return m, nil
		}
		return lowerPicked(c, "ConvertConv2DToWinograd", m, w.scan, w.pick)
	},
}

// winograd finds and lowers the convolutions.
type winograd struct {
	c *pass.Context
	// tile and rows are what is asked for, 0 for none.
	tile, rows int64
	cache      int64 // bytes of the second cache
	threads    int64
	plain      bool // take convolutions in NCHW, too
	inputsOf
}

// pick returns the kernel of a convolution.
func (w *winograd) pick(vb *relax.VarBinding) *lowered {
	call := callsOp(vb.Value, conv2d)
	if call == nil {
		return nil
	}
	s, why := w.sizes(call)
	form := winogradForm{}
	if why == "" {
		form, why = w.choose(s)
	}
	if why != "" {
		w.c.Declined(ruleWinograd, vb, why)
		return nil
	}
	return &lowered{
		hint: "conv2d_winograd", why: ruleWinograd, form: fmt.Sprint(" ", form), hidden: w.dataflow[vb.Var],
		rule: func(k *kernel) ([]*te.Tensor, error) { return w.conv(k, s, form) },
	}
}

// convSizes are the extents of a convolution.
type convSizes struct {
	images        int64 // 1 where it is not known how many
	in, out       int64 // channels
	height, width int64 // of results
	top, left     int64 // zeros around the data
	bottom, right int64
	lanes         int64 // of a vector of channels, which are the channels of a block where there are blocks
	plain         bool  // data, weights and results are in NCHW and OIHW
}

// ofVector and ofTwo are the channels of a block in the kernel of a convolution in NCHW: those of one vector of a target that has no longer ones, or of two.
const ofVector, ofTwo = 4, 8

// blockOf is how many of so many channels make a block in the kernel.
func (s convSizes) blockOf(channels int64) int64 {
	switch {
	case s.plain && channels%ofTwo == 0:
		return ofTwo
	case s.plain:
		return ofVector
	}
	return s.lanes
}

// sizes returns the extents of a convolution that tiles can compute, or says why they cannot.
func (w *winograd) sizes(call *relax.Call) (s convSizes, why string) {
	x, ok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	k, also := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !ok || !also || x.DType != dtype.Float32T || k.DType != dtype.Float32T || call.Attrs.DType("out_dtype") != dtype.Float32T && !call.Attrs.DType("out_dtype").IsVoid() {
		return s, "its tensors are not of type float32"
	}
	dims, known := k.StaticDims()
	data, kernel := "NCHW", "OIHW"
	switch {
	case known && len(dims) == 6 && dims[4] == dims[5]:
		data, kernel = fmt.Sprintf("NCHW%dc", dims[5]), fmt.Sprintf("OIHW%di%do", dims[5], dims[5])
		s.lanes, s.out, s.in = dims[5], dims[0]*dims[5], dims[1]*dims[5]
	case !known || len(dims) != 4 || !w.plain:
		return s, "its channels are not in blocks"
	case dims[0]%ofVector != 0 || dims[1]%ofVector != 0:
		return s, fmt.Sprintf("%d channels to %d are no whole vectors of %d", dims[1], dims[0], ofVector)
	default:
		s.lanes, s.out, s.in, s.plain = ofVector, dims[0], dims[1], true
	}
	if result := call.Attrs.Str("out_layout", data); call.Attrs.Str("data_layout", "NCHW") != data || call.Attrs.Str("kernel_layout", "OIHW") != kernel || result != data && result != "" {
		return s, "its layouts are not those of blocks of channels"
	}
	if dims[2] != 3 || dims[3] != 3 {
		return s, fmt.Sprintf("its windows are %dx%d, not 3x3", dims[2], dims[3])
	}
	for name, what := range map[string]string{"strides": "stride", "dilation": "dilation"} {
		for _, n := range call.Attrs.Ints(name) {
			if n != 1 {
				return s, fmt.Sprintf("its %s is %d, not 1", what, n)
			}
		}
	}
	if g := call.Attrs.Int("groups", 1); g != 1 {
		return s, fmt.Sprintf("it has %d groups", g)
	}
	if !w.constants.has(call.Args[1]) {
		return s, "its weights are not constant: they would be transformed at each inference"
	}
	shape, _ := x.Dims()
	if len(shape) != 4 && s.plain || len(shape) != 5 && !s.plain {
		return s, "the shape of its data is not known"
	}
	size, known := relax.StaticInts(shape[2:4])
	if !known {
		return s, "the size of its images is not known"
	}
	before, after := halves(call.Attrs.Ints("padding"))
	s.images, s.top, s.left, s.bottom, s.right = 1, before[0], before[1], after[0], after[1]
	s.height, s.width = size[0]+before[0]+after[0]-2, size[1]+before[1]+after[1]-2
	if n, ok := relax.StaticInts(shape[:1]); ok {
		s.images = n[0]
	}
	if s.images < 1 || s.height < 1 || s.width < 1 || s.in < 1 || s.out < 1 {
		return s, "it has no results or no terms"
	}
	return s, ""
}

// conv is the kernel, behind that which transforms the weights.
func (w *winograd) conv(k *kernel, s convSizes, form winogradForm) ([]*te.Tensor, error) {
	k.pattern = patOutEWiseFusable
	x := k.tensor(0)
	info := relax.SInfoOf(k.call.Args[1]).(*relax.TensorStructInfo)
	dims, _ := info.Dims()
	weights := te.Placeholder("weights", info.DType, dims...)
	blocked, err := weights, error(nil)
	if s.plain {
		if blocked, err = topi.Pack(weights, fmt.Sprintf("OIHW%di%do", s.blockOf(s.in), s.blockOf(s.out))); err != nil {
			return nil, err
		}
	}
	moved, err := topi.WinogradWeights(blocked, form.tile)
	if err != nil {
		return nil, err
	}
	u := k.param(k.bindKernel("winograd_weights", moved, []*te.Tensor{weights}, k.call.Args[1:2]), 1)
	out, err := topi.Winograd{
		Tile: form.tile, Rows: form.rows, Before: []int64{s.top, s.left}, After: []int64{s.bottom, s.right}, Plain: s.plain,
	}.Conv(x, u)
	return list(out, err)
}
