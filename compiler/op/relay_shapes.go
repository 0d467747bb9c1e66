package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// inferDense is the product over the last axis of the first argument; the second is transposed unless an attribute says otherwise.
func inferDense(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	a, b, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	dt := c.orDType(a.DType)
	x, ok := c.dimsOf(a)
	w, ok2 := c.dimsOf(b)
	if ok2 && len(w) != 2 {
		return nil, c.argErr(1, describe(b), "a matrix")
	}
	if !ok || !ok2 || len(x) == 0 {
		return rankOf(dt, a.NDim, a, b), nil
	}
	in, out := 1, 0
	if c.Op.Attr("transpose_b") != nil && !c.Bool("transpose_b") {
		in, out = 0, 1
	}
	x = append([]tir.Expr{}, x...)
	if c.Op.Attr("transpose_a") != nil && c.Bool("transpose_a") && len(x) == 2 {
		x[0], x[1] = x[1], x[0]
	}
	if c.differ(x[len(x)-1], w[in]) {
		return nil, c.argErr(1, describe(b), "extent %s, which %s sums over", relax.FormatPrim(x[len(x)-1]), c.Op.Name)
	}
	x[len(x)-1] = w[out]
	return tensorOf(dt, x, a, b), nil
}

func inferBatchMatmul(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	a, b, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	dt := c.orDType(a.DType)
	x, ok := c.dimsOf(a)
	y, ok2 := c.dimsOf(b)
	if ok && len(x) != 3 || ok2 && len(y) != 3 {
		return nil, c.argErr(1, describe(b), "two tensors of three dimensions; the first is %s", describe(a))
	}
	if !ok || !ok2 {
		return rankOf(dt, 3, a, b), nil
	}
	m, k := x[1], x[2]
	if c.Bool("transpose_a") {
		m, k = k, m
	}
	l, n := y[1], y[2]
	if c.Bool("transpose_b") {
		l, n = n, l
	}
	if c.differ(k, l) {
		return nil, c.argErr(1, describe(b), "extent %s, which is summed over", relax.FormatPrim(k))
	}
	batch := x[0]
	if tir.IsConst(batch, 1) {
		batch = y[0]
	} else if !tir.IsConst(y[0], 1) && c.differ(batch, y[0]) {
		return nil, c.argErr(1, describe(b), "a batch of %s", relax.FormatPrim(batch))
	}
	return tensorOf(dt, []tir.Expr{batch, m, n}, a, b), nil
}

// inferRelayPad adds what pad_width says for both sides of each axis.
func inferRelayPad(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	w, _ := c.Ints("pad_width")
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	if len(w) != 2*len(d) {
		return nil, c.attrErr("pad_width", formatInts(w), "two numbers for each of the %d axes", len(d))
	}
	out := make([]tir.Expr, len(d))
	for i := range d {
		if w[2*i] > maxStep || w[2*i] < -maxStep || w[2*i+1] > maxStep || w[2*i+1] < -maxStep {
			return nil, c.attrErr("pad_width", formatInts(w), "numbers of at most %d", maxStep)
		}
		out[i] = c.Simplify(tir.Add(d[i], tir.Int(w[2*i]+w[2*i+1])))
	}
	return tensorOf(t.DType, out, t), nil
}

// byLetter maps the extents of the axes of a layout attribute; ok is false where it does not fit or nothing is known.
func (c *InferContext) byLetter(t *relax.TensorStructInfo, layout string) (d []tir.Expr, at func(byte) int, ok bool) {
	d, ok = c.dimsOf(t)
	ok = ok && len(d) == len(layout) && strings.ToUpper(layout) == layout && !strings.ContainsAny(layout, "0123456789")
	return append([]tir.Expr{}, d...), func(l byte) int { return strings.IndexByte(layout, l) }, ok
}

func inferGlobalPool(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.spatial(1, 1)
}

func inferRelayAdaptivePool(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	size, given := c.Ints("output_size")
	if !given || len(size) == 0 {
		return c.SInfo(0), nil
	}
	return c.spatial(size...)
}

// spatial gives the spatial axes new extents, all the same one where there is one.
func (c *InferContext) spatial(size ...int64) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	d, at, ok := c.byLetter(t, c.Str("layout"))
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	next := 0
	for _, l := range []byte("DHW") {
		if i := at(l); i >= 0 {
			d[i] = tir.Int(size[min(next, len(size)-1)])
			next++
		}
	}
	return tensorOf(t.DType, d, t), nil
}

func inferUpsampling(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	d, at, ok := c.byLetter(t, c.Str("layout"))
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	for l, name := range map[byte]string{'H': "scale_h", 'W': "scale_w"} {
		f, _ := c.attr(name).(float64)
		if n, isInt := c.attr(name).(int64); isInt {
			f = float64(n)
		}
		i := at(l)
		n, static := int64(0), false
		if i >= 0 {
			n, static = tir.AsInt(d[i])
		}
		if !static || f <= 0 || f > maxStep || n > maxStep {
			return rankOf(t.DType, t.NDim, t), nil
		}
		d[i] = tir.Int(int64(float64(n)*f + 0.5))
	}
	return tensorOf(t.DType, d, t), nil
}

func inferRelayResize(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	size, ok := c.Ints("size")
	if !ok || len(size) != 2 {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		return rankOf(c.orDType(t.DType), t.NDim, t), nil
	}
	s, err := c.spatial(size...)
	if t, isTensor := s.(*relax.TensorStructInfo); isTensor {
		return withDType(t, c.orDType(t.DType)), err
	}
	return s, err
}

func inferDeformable(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, offset, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	weight, err := c.Tensor(2)
	if err != nil {
		return nil, err
	}
	dt := c.orDType(t.DType)
	d, at, ok := c.byLetter(t, c.Str("data_layout"))
	o, oat, ok2 := c.byLetter(offset, c.Str("data_layout"))
	w, wat, ok3 := c.byLetter(weight, c.Str("kernel_layout"))
	ci, oi := at('C'), wat('O')
	if !ok || !ok2 || !ok3 || ci < 0 || oi < 0 {
		return rankOf(dt, t.NDim, t), nil
	}
	for _, l := range []byte("HW") {
		if i, j := at(l), oat(l); i >= 0 && j >= 0 {
			d[i] = o[j]
		}
	}
	d[ci] = w[oi]
	return tensorOf(dt, d, t), nil
}

func inferROI(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, rois, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	d, at, ok := c.byLetter(t, c.Str("layout"))
	r, ok2 := c.dimsOf(rois)
	size, _ := c.Ints("pooled_size")
	n, h, w := at('N'), at('H'), at('W')
	if !ok || !ok2 || len(r) == 0 || len(size) != 2 || n < 0 || h < 0 || w < 0 {
		return rankOf(t.DType, t.NDim, t), nil
	}
	d[n], d[h], d[w] = r[0], tir.Int(size[0]), tir.Int(size[1])
	return tensorOf(t.DType, d, t), nil
}

// blocks is depth_to_space, or with false space_to_depth.
func blocks(toSpace bool) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		n, _ := c.Int("block_size")
		if n < 1 || n > 1<<10 {
			return nil, c.attrErr("block_size", formatValue(n), "a number from 1 to 1024")
		}
		d, at, ok := c.byLetter(t, c.Str("layout"))
		ch, h, w := at('C'), at('H'), at('W')
		if !ok || ch < 0 || h < 0 || w < 0 {
			return rankOf(t.DType, t.NDim, t), nil
		}
		up, down := []int{h, w}, ch
		if toSpace {
			d[down] = c.Simplify(tir.FloorDiv(d[down], tir.Int(n*n)))
		} else {
			d[down], err = c.times("block_size", d[down], n*n)
		}
		for _, i := range up {
			if err != nil {
				return nil, err
			}
			if toSpace {
				d[i], err = c.times("block_size", d[i], n)
			} else {
				d[i] = c.Simplify(tir.FloorDiv(d[i], tir.Int(n)))
			}
		}
		return tensorOf(t.DType, d, t), err
	}
}

// batchBlocks moves blocks between the batch, the first axis, and the axes that follow it, which attr crops or pads.
func batchBlocks(attr string, toSpace bool) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		block, _ := c.Ints("block_shape")
		edges, _ := c.Ints(attr)
		d, ok := c.dimsOf(t)
		if !ok {
			return rankOf(t.DType, t.NDim, t), nil
		}
		if len(edges) != 2*len(block) || len(d) <= len(block) {
			return nil, c.attrErr(attr, formatInts(edges), "two numbers for each of the axes of block_shape, %s", formatInts(block))
		}
		d = append([]tir.Expr{}, d...)
		for i, b := range block {
			lo, hi := edges[2*i], edges[2*i+1]
			if b < 1 || b > 1<<10 || lo > maxStep || hi > maxStep || lo < 0 || hi < 0 {
				return nil, c.attrErr("block_shape", formatInts(block), "numbers from 1 to 1024")
			}
			if toSpace {
				d[0] = c.Simplify(tir.FloorDiv(d[0], tir.Int(b)))
				if d[i+1], err = c.times("block_shape", d[i+1], b); err != nil {
					return nil, err
				}
				d[i+1] = c.Simplify(tir.Sub(d[i+1], tir.Int(lo+hi)))
				continue
			}
			if d[0], err = c.times("block_shape", d[0], b); err != nil {
				return nil, err
			}
			d[i+1] = c.Simplify(tir.FloorDiv(tir.Add(d[i+1], tir.Int(lo+hi)), tir.Int(b)))
		}
		return tensorOf(t.DType, d, t), nil
	}
}

// inferRelayReduce reduces the axes, or with exclude all others, to elements of type dt, or their own where dt is void.
func inferRelayReduce(dt dtype.DType) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		of := dt
		if of.IsVoid() {
			of = t.DType
		}
		list, given := c.Ints("axis")
		given = given && (len(list) > 0 || c.Bool("exclude"))
		if t.NDim < 0 {
			return c.reduced(t, of, nil, !given, c.Bool("keepdims")), nil
		}
		axes, err := c.axes("axis", list, t.NDim)
		if err != nil {
			return nil, err
		}
		if given && c.Bool("exclude") {
			axes = others(axes, t.NDim)
		}
		return c.reduced(t, of, axes, !given, c.Bool("keepdims")), nil
	}
}

// others are the axes of a tensor of ndim dimensions that are not among axes.
func others(axes []int, ndim int) []int {
	in := make([]bool, ndim)
	for _, a := range axes {
		in[a] = true
	}
	var out []int
	for i, x := range in {
		if !x {
			out = append(out, i)
		}
	}
	return out
}
