package relaypass

import (
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// FlattenAtrousConv turns a convolution between space_to_batch_nd and batch_to_space_nd into a dilated one.
var FlattenAtrousConv = &pass.Pass{
	Name: "relay.FlattenAtrousConv", Kind: pass.Function, Required: []string{inferType},
	Doc: "Turns space_to_batch_nd, conv2d, batch_to_space_nd, as TensorFlow writes a dilated convolution, into one conv2d with that dilation. Data in the layout NHWC alone; as in TVM the result has the extents of the data, whatever is padded and cropped: where these say otherwise, the three stay.",
	Run: rewriting("flatten the convolution", flattenAtrousConv),
}

func flattenAtrousConv(s *site) relax.Expr {
	b2s := s.call(s.value, "relay.nn.batch_to_space_nd")
	if b2s == nil {
		return nil
	}
	conv := s.call(b2s.Args[0], "relax.nn.conv2d", "relay.qnn.conv2d")
	if conv == nil {
		return nil
	}
	s2b := s.call(conv.Args[0], "relay.nn.space_to_batch_nd")
	if s2b == nil {
		return nil
	}
	block := b2s.Attrs.Ints("block_shape")
	in, weight, out := s.tensor(s2b.Args[0]), s.tensor(conv.Args[1]), s.tensor(b2s)
	if in == nil || weight == nil || out == nil || len(block) != 2 {
		return s.declined("the shape of the data or of the weights is not known")
	}
	d, ok := in.StaticDims()
	w, ok2 := weight.StaticDims()
	o, ok3 := out.StaticDims()
	if !ok || !ok2 || !ok3 || conv.Attrs.Str("data_layout", "") != "NHWC" {
		return s.declined("the data is not of the layout NHWC, or an extent is not known")
	}
	h, wd, known := kernelExtents(conv.Attrs.Str("kernel_layout", ""), w)
	if !known || o[1] != d[1] || o[2] != d[2] {
		return s.declined("the result has other extents than the data")
	}
	top, bottom := samePadding((h-1)*block[0] + 1)
	left, right := samePadding((wd-1)*block[1] + 1)
	if !sameBlocks(s2b, b2s, []int64{top, bottom, left, right}) {
		return s.declined("the blocks differ, or what is padded is not what the convolution reads beyond the data")
	}
	for _, p := range conv.Attrs.Ints("padding") {
		if p != 0 {
			return s.declined("the convolution pads the blocks")
		}
	}
	for _, p := range conv.Attrs.Ints("strides") {
		if p != 1 {
			return s.declined("the convolution has strides")
		}
	}
	attrs := conv.Attrs.With("dilation", block).With("padding", []int64{top, left, bottom, right}).With("strides", []int64{1, 1})
	return &relax.Call{Base: b2s.Base, Op: conv.Op, Args: append([]relax.Expr{s2b.Args[0]}, conv.Args[1:]...), Attrs: attrs}
}

// samePadding is what a window of that extent needs on both sides to keep the extent of what it slides over.
func samePadding(window int64) (before, after int64) {
	return (window - 1) / 2, window - 1 - (window-1)/2
}

func kernelExtents(layout string, dims []int64) (h, w int64, ok bool) {
	if len(layout) != len(dims) {
		return 0, 0, false
	}
	for i := range layout {
		switch layout[i] {
		case 'H':
			h = dims[i]
		case 'W':
			w = dims[i]
		}
	}
	return h, w, h > 0 && w > 0
}

// sameBlocks reports whether both ends work on the same blocks, and what the first pads with zeros and the last crops leaves pads
// before each axis as asked for.
func sameBlocks(s2b, b2s *relax.Call, pads []int64) bool {
	a, b := s2b.Attrs.Ints("block_shape"), b2s.Attrs.Ints("block_shape")
	if len(a) != 2 || len(b) != 2 || a[0] != b[0] || a[1] != b[1] || s2b.Attrs.Float("pad_value", 0) != 0 {
		return false
	}
	in, out := s2b.Attrs.Ints("paddings"), b2s.Attrs.Ints("crops")
	if len(in) != 4 || len(out) != 4 {
		return false
	}
	// Blocks need whole multiples: what is padded beyond the window is cropped again.
	return in[0]-out[0] == pads[0] && in[2]-out[2] == pads[2]
}
