package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// deform is a node DeformConv while it is converted: a convolution that takes each element from a place that data moves, between elements if it is not
// whole. The elements that the kernels see are gathered to columns, whose product with the weights is the result. Operands are X, W, offset, B, mask.
type deform struct {
	*node
	w                 *window
	group, parts      int64 // parts of the channels have offsets of their own
	elem, wide        dtype.DType
	in, spatial, out  []tir.Expr
	taps, size, place tir.Expr // elements of a kernel, of a channel, and of a channel of the result
}

// maxDeformed bounds spatial axes: each one doubles the elements that are looked at.
const maxDeformed = 4

func deformConv(n *node) {
	n.floats(0)
	n.sameDType(0, 1, 2, 3, 4)
	dims := n.dims(0)
	r := len(dims) - 2
	if r < 1 || r > maxDeformed {
		n.fail("input 0 has %d dimensions, supported are 3 to %d (a batch, channels and one to %d spatial axes)", len(dims), maxDeformed+2, maxDeformed)
	}
	c := &deform{node: n, elem: n.dtype(0), wide: n.dtype(0).Accumulator(), in: dims, spatial: dims[2:], group: n.int("group", 1), parts: n.int("offset_group", 1)}
	c.w = n.window(c.spatial, n.kernelOf(1, r))
	n.fits(c.w, c.spatial)
	weights, offsets := n.dims(1), n.dims(2)
	channels, ok := tir.AsInt(dims[1])
	results, ok2 := tir.AsInt(weights[0])
	if !ok || !ok2 || c.group < 1 || c.parts < 1 || channels%c.parts != 0 || channels%c.group != 0 || results%c.group != 0 || !tir.IsConst(weights[1], channels/c.group) {
		n.fail("X and W have shapes %s and %s for %d groups and %d groups of offsets, expected constant channels that these divide, and as many in W as a group has",
			relax.FormatDims(dims), relax.FormatDims(weights), c.group, c.parts)
	}
	if len(offsets) != r+2 {
		n.fail("offset (input 2) has %d dimensions, expected %d like the input", len(offsets), r+2)
	}
	taps := int64(1)
	for _, k := range c.w.kernel {
		if taps *= k; taps > maxSignal {
			n.fail("the kernel has extents %v, expected at most %d elements", c.w.kernel, maxSignal)
		}
	}
	for i, d := range c.spatial {
		n := tir.Add(tir.FloorDiv(tir.Sub(tir.Add(d, tir.Int(c.w.pads[i]+c.w.pads[r+i])), tir.Int(c.w.reach(i))), tir.Int(c.w.strides[i])), tir.Int(1))
		c.out = append(c.out, n)
		if _, ok := tir.AsInt(n); !ok { // what the offsets say
			c.out[i] = offsets[2+i]
		}
	}
	c.taps, c.size, c.place = tir.Int(taps), product(c.spatial), product(c.out)
	n.expectShape(2, "offset", append([]tir.Expr{dims[0], tir.Int(c.parts * taps * int64(r))}, c.out...)...)
	n.expectShape(3, "B", weights[0])
	n.expectShape(4, "mask", append([]tir.Expr{dims[0], tir.Int(c.parts * taps)}, c.out...)...)
	x := c.gathered(channels)
	// As many products as there are groups, for each element of the batch.
	rows := tir.Int(channels / c.group * taps)
	x = n.reshape(x, []tir.Expr{dims[0], tir.Int(c.group), rows, c.place})
	w := n.reshape(n.widened(n.expr(1), c.elem), []tir.Expr{tir.Int(c.group), tir.Int(results / c.group), rows})
	y := n.reshape(n.emit("relax.matmul", args(w, x)), append([]tir.Expr{dims[0], weights[0]}, c.out...))
	if n.has(3) {
		y = n.emit("relax.add", args(y, n.reshape(n.widened(n.expr(3), c.elem), channelShape(weights[0], r+2))))
	}
	n.set(0, n.rounded(y, c.elem))
}

// gathered is what the kernels see, of shape (batch, offset groups, channels of one, elements of a kernel * places): the elements around each place,
// weighted by how near they are. Those beyond the input are 0.
func (c *deform) gathered(channels int64) relax.Expr {
	parts := tir.Int(c.parts)
	within := []tir.Expr{c.in[0], parts, tir.Int(channels / c.parts), c.size}
	x := c.reshape(c.widened(c.expr(0), c.elem), within)
	flat := []tir.Expr{c.in[0], parts, tir.Int(1), tir.Mul(c.taps, c.place)}
	wide := []tir.Expr{within[0], within[1], within[2], flat[3]}
	floors, parted := make([]relax.Expr, len(c.spatial)), make([]relax.Expr, len(c.spatial))
	for axis := range c.spatial {
		at := c.reshape(c.coordinates(axis), flat)
		floors[axis] = c.emit("relax.floor", args(at))
		parted[axis] = c.emit("relax.subtract", args(at, floors[axis]))
	}
	var sum relax.Expr
	for corner := range 1 << len(c.spatial) {
		var index, weight relax.Expr
		for axis, extent := range c.spatial {
			at, share := floors[axis], parted[axis]
			if corner>>axis&1 == 1 {
				at = c.emit("relax.add", args(at, c.constant(c.wide, 1)))
			} else {
				share = c.emit("relax.subtract", args(c.constant(c.wide, 1), share))
			}
			end := c.emit("relax.astype", args(c.tensor(&value{known: scalar(dtype.Int64T, extent)})), "dtype", c.wide)
			there := c.emit("relax.logical_and", args(c.emit("relax.greater_equal", args(at, c.constant(c.wide, 0))), c.emit("relax.less", args(at, end))))
			share = c.emit("relax.where", args(there, share, c.constant(c.wide, 0)))
			at = c.emit("relax.astype", args(c.emit("relax.where", args(there, at, c.constant(c.wide, 0)))), "dtype", dtype.Int64T)
			if index == nil {
				index, weight = at, share
				continue
			}
			row := c.tensor(&value{known: scalar(dtype.Int64T, extent)})
			index = c.emit("relax.add", args(c.emit("relax.multiply", args(index, row)), at))
			weight = c.emit("relax.multiply", args(weight, share))
		}
		y := c.emit("relax.gather_elements", args(x, c.emit("relax.broadcast_to", args(index, shapeExpr(wide)))), "axis", int64(3))
		y = c.emit("relax.multiply", args(y, weight))
		if sum != nil {
			y = c.emit("relax.add", args(sum, y))
		}
		sum = y
	}
	if c.has(4) {
		sum = c.emit("relax.multiply", args(sum, c.reshape(c.widened(c.expr(4), c.elem), flat)))
	}
	return sum
}

// coordinates are the places along a spatial axis that each element of a kernel sees, with axes batch, offset groups, elements of the kernel, and places.
func (c *deform) coordinates(axis int) relax.Expr {
	r := len(c.spatial)
	parts := append([]tir.Expr{c.in[0], tir.Int(c.parts), c.taps, tir.Int(int64(r))}, c.out...)
	offset := c.part(c.reshape(c.widened(c.expr(2), c.elem), parts), 3, tir.Int(int64(axis)), tir.Int(int64(axis+1)))
	offset = c.reshape(offset, append([]tir.Expr{c.in[0], tir.Int(c.parts), c.taps}, c.out...))
	taps, _ := tir.AsInt(c.taps)
	inner := int64(1)
	for _, k := range c.w.kernel[axis+1:] {
		inner *= k
	}
	kernel := c.numbers(c.wide, append([]int64{taps}, ones(r)...), func(i int) float64 {
		return float64(int64(i)/inner%c.w.kernel[axis]*c.w.dilations[axis] - c.w.pads[axis])
	})
	along := relax.Ints(ones(r))
	along[axis] = c.out[axis]
	starts := c.emit("relax.astype", args(c.reshape(c.counting(0, c.out[axis]), along)), "dtype", c.wide)
	if s := c.w.strides[axis]; s != 1 {
		starts = c.emit("relax.multiply", args(starts, c.constant(c.wide, float64(s))))
	}
	return c.emit("relax.add", args(offset, c.emit("relax.add", args(kernel, starts))))
}

func ones(count int) []int64 { return slices.Repeat([]int64{1}, count) }
