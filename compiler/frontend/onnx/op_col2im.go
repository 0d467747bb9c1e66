package onnx

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// col2im adds up blocks of an image where they overlap, the columns of operand 0 of shape (N, C * elements of a block, blocks). It is a convolution
// transposed, of each channel alone, whose kernels have a 1 at one element of the block each.
func col2im(n *node) {
	x, dims := n.floats(0), n.dims(0)
	image, block := n.intsOperand(1, "image_shape"), n.intsOperand(2, "block_shape")
	r := len(image)
	if len(dims) != 3 || r < 1 || r > 3 || len(block) != r {
		n.fail("input 0 has %d dimensions, the image %d and its blocks %d, expected 3, and the same of 1 to 3", len(dims), r, len(block))
	}
	for _, e := range image {
		if e < 1 || e > math.MaxInt32 {
			n.fail("image_shape (input 1) is %v, expected extents of 1 or more", image)
		}
	}
	w := n.window(relax.Ints(image), block)
	n.fits(w, relax.Ints(image))
	elements, kernel := int64(1), []int64{}
	blocks, extra := []tir.Expr{}, make([]int64, r)
	for i := range r {
		elements *= block[i]
		if elements > maxSignal {
			n.fail("block_shape (input 2) is %v, expected at most %d elements", block, maxSignal)
		}
		rest := image[i] + w.pads[i] + w.pads[r+i] - w.reach(i)
		blocks, extra[i] = append(blocks, tir.Int(rest/w.strides[i]+1)), rest%w.strides[i]
		kernel = append(kernel, block[i])
	}
	channels, ok := tir.AsInt(n.divided(dims[1], elements, 1))
	if !ok || channels < 1 || channels > maxSignal/elements/elements {
		n.fail("input 0 has %s rows for blocks of %d elements, expected a constant multiple of that, of at most %d", relax.FormatPrim(dims[1]), elements, maxSignal/elements)
	}
	if want := product(blocks); !n.equal(dims[2], want) {
		n.fail("input 0 has %s columns, expected %s, one for each block", relax.FormatPrim(dims[2]), relax.FormatPrim(want))
	}
	x = n.reshape(x, append([]tir.Expr{dims[0], dims[1]}, blocks...))
	weights := n.numbers(n.dtype(0), append([]int64{channels * elements, 1}, kernel...), func(i int) float64 {
		if int64(i)/elements%elements == int64(i)%elements {
			return 1
		}
		return 0
	})
	n.result(fmt.Sprintf("relax.nn.conv%dd_transpose", r), args(x, weights), "strides", w.strides, "padding", w.pads,
		"output_padding", extra, "dilation", w.dilations, "groups", channels)
}
