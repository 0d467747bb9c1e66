package differ

import (
	"math"
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(graphOfQuantized, "quantized")
}

// quantized is a graph of real numbers that small integers stand for: what QuantizeLinear and DequantizeLinear stand around, and operators of integers.
type quantized struct {
	*graph
	grids map[string]grid
	// exact says that scales are powers of two, and sums so small that nothing is rounded but what QuantizeLinear rounds: then no element may differ.
	exact bool
}

// grid says that numbers are multiples of 2^least and none is larger than most; they are about as large as near. Scales are those of what was quantized last, where one is for all elements, else 0.
type grid struct {
	least      int
	most, near float64
	scale      float64
}

// room reports whether sums of such numbers are exact in float32 in any order.
func (q *quantized) room(g grid) bool { return !q.exact || g.most <= math.Ldexp(1<<23, g.least) }

func (a grid) times(b grid, depth int64) grid {
	n := float64(depth)
	return grid{least: a.least + b.least, most: a.most * b.most * n, near: a.near * b.near * math.Sqrt(n)}
}

func (a grid) plus(b grid) grid {
	return grid{least: min(a.least, b.least), most: a.most + b.most, near: max(a.near, b.near)}
}

func graphOfQuantized(d *draw) {
	q := &quantized{graph: &graph{draw: d, uses: map[string]int{}}, grids: map[string]grid{}, exact: d.chance(0.7)}
	d.opset = d.between(10, 23)
	d.batch, d.symbolic = d.chance(0.3), false
	if d.tol = (tolerance{}); !q.exact {
		d.tol, d.loose = tolerance{rel: 1e-3, ofMax: 2e-4, abs: 1e-3}, true
	}
	dims := d.filled(1, 4)
	if d.chance(0.6) {
		dims = []int64{pick(d, int64(1), 1, 2), pick(d, int64(1), 3, 4, 5, 8, 16, 17, 32), d.between(2, 9), d.between(2, 9)}
	}
	q.source(dims)
	if d.chance(0.3) {
		q.source(dims)
	}
	for range d.between(2, 8) {
		x := q.some()
		if d.chance(0.6) {
			x = q.around(x)
		}
		q.step(x)
	}
	if d.chance(0.8) {
		q.around(q.pool[len(q.pool)-1])
	}
	q.finish()
}

// source is an input: of real numbers, or of bytes.
func (q *quantized) source(dims []int64) {
	if q.chance(0.3) {
		t := pick(q.draw, onnxpb.Int8, onnxpb.Uint8)
		x := q.input(q.values(t, special, dims...))
		s := q.scales(1./32, nil)
		zero := q.values(t, plain)
		y := val{q.node("DequantizeLinear", []val{x, q.constant(s), q.constant(zero)}), onnxpb.Float, dims}
		lo, hi := bounds(t)
		top := max(hi-zero.Float(0), zero.Float(0)-lo) * s.Float(0)
		q.known(y, grid{exponent(s), top, top / 2, s.Float(0)})
		return
	}
	t := q.values(onnxpb.Float, plain, dims...)
	top := 0.
	for i := range t.Len() {
		if q.exact { // also ties between two integers
			t.SetFloat(i, math.RoundToEven(t.Float(i)*64)/64)
		}
		top = max(top, math.Abs(t.Float(i)))
	}
	q.known(q.input(t), grid{-6, top, 1.5, 0})
}

// known adds a value to the pool.
func (q *quantized) known(v val, g grid, in ...val) val {
	q.grids[v.name] = g
	return q.join(v, in...)
}

// result adds a node of real numbers.
func (q *quantized) result(op string, dims []int64, g grid, in []val, attrs ...onnxpb.Attribute) val {
	return q.known(val{q.node(op, in, attrs...), onnxpb.Float, dims}, g, in...)
}

// scales are about as large as near.
func (q *quantized) scales(near float64, per []int64) *tensor.Tensor {
	t := empty(onnxpb.Float, per)
	for i := range t.Len() {
		s := near * (0.7 + 0.6*q.Float64())
		if q.exact {
			s = math.Ldexp(1, int(math.Round(math.Log2(near)))+q.IntN(2))
		}
		t.SetFloat(i, s)
	}
	return t
}

// exponent is that of the smallest scale, a power of two.
func exponent(scales *tensor.Tensor) int {
	least := math.MaxInt
	for i := range scales.Len() {
		_, e := math.Frexp(scales.Float(i))
		least = min(least, e-1)
	}
	return least
}

func isFloat8(t onnxpb.DataType) bool { return t == onnxpb.Float8E4M3FN || t == onnxpb.Float8E5M2 }

// bounds are those of the values of a type.
func bounds(t onnxpb.DataType) (lo, hi float64) {
	switch t {
	case onnxpb.Float8E4M3FN:
		return -448, 448
	case onnxpb.Float8E5M2:
		return -57344, 57344
	}
	n := float64(int64(1) << t.Bits())
	if t == onnxpb.Int4 || isSigned(t) {
		return -n / 2, n/2 - 1
	}
	return 0, n - 1
}

// store draws a type that values are quantized to: none of 4 bits, for which ONNX Runtime reads memory that it has not written at times.
func (q *quantized) store() onnxpb.DataType {
	switch {
	case q.opset >= 21 && q.chance(0.2):
		return pick(q.draw, onnxpb.Int16, onnxpb.Uint16)
	case q.opset >= 19 && q.chance(0.15):
		return pick(q.draw, onnxpb.Float8E4M3FN, onnxpb.Float8E5M2)
	}
	return pick(q.draw, onnxpb.Int8, onnxpb.Uint8)
}

// zeros are zero points.
func (q *quantized) zeros(t onnxpb.DataType, per []int64) *tensor.Tensor {
	z := empty(t, per)
	if isFloat8(t) || q.chance(0.3) {
		return z
	}
	lo, hi := bounds(t)
	for i := range z.Len() {
		z.SetInt(i, q.between(int64(max(lo, -40)), int64(min(hi, 140))))
		if q.chance(0.1) {
			z.SetInt(i, int64(pick(q.draw, lo, hi)))
		}
	}
	return z
}

// per draws how many scales there are for a shape: one, or one for each index of an axis, or for each block.
func (q *quantized) per(dims []int64) (per []int64, attrs []onnxpb.Attribute) {
	if q.opset < 13 || q.chance(0.6) {
		if q.opset >= 13 && q.chance(0.1) {
			return []int64{1}, nil
		}
		return nil, nil
	}
	for {
		per, attrs = q.perAxis(dims)
		if !q.batch || len(attrs) == 0 || at(attrs[0].I, len(dims)) > 0 { // the first extent is not known
			return per, attrs
		}
	}
}

// around quantizes and dequantizes x.
func (q *quantized) around(x val) val {
	g, t := q.grids[x.name], q.store()
	if g.near == 0 {
		return x
	}
	lo, hi := bounds(t)
	per, attrs := q.per(x.dims)
	s := q.scales(pick(q.draw, 0.7, 2, 3)*g.near/min((hi-lo)/2, 1<<12), per)
	z := q.zeros(t, per)
	in := []val{x, q.constant(s), q.constant(z)}
	to := attrs
	if t == onnxpb.Uint8 && q.chance(0.1) {
		in, z = in[:2], empty(t, per)
	} else if q.opset >= 21 && q.chance(0.2) && !isFloat8(t) {
		in, z, to = in[:2], empty(t, per), append(slices.Clone(attrs), ob.Int("output_dtype", int64(t)))
	}
	stored := val{q.node("QuantizeLinear", in, to...), t, x.dims}
	if t.Bits() == 8 && q.chance(0.1) && !isFloat8(t) {
		q.out(stored.name, t)
	}
	if len(per) == 0 && t.Bits() == 8 && !isFloat8(t) && len(x.dims) > 1 && q.chance(0.15) { // elements move between
		perm := q.perm(len(x.dims))
		dims := make([]int64, len(perm))
		for i, p := range perm {
			dims[i] = x.dims[p]
		}
		x = val{x.name, x.dt, dims}
		stored = val{q.node("Transpose", []val{stored}, ob.IntList("perm", perm...)), t, dims}
	}
	y := val{q.node("DequantizeLinear", append([]val{stored}, in[1:]...), attrs...), onnxpb.Float, x.dims}
	most, largest := 0., 0.
	for i := range s.Len() {
		most = max(most, (hi-z.Float(i))*s.Float(i), (z.Float(i)-lo)*s.Float(i))
		largest = max(largest, s.Float(i))
	}
	out := grid{exponent(s), min(most, g.most+largest), min(g.near, most), 0}
	switch t { // numbers below 1
	case onnxpb.Float8E4M3FN:
		out.least -= 9
	case onnxpb.Float8E5M2:
		out.least -= 16
	}
	if s.Len() == 1 {
		out.scale = s.Float(0)
	}
	return q.known(y, out, x)
}

// weights are dequantized constants, or inputs, with scales along an axis, or for each block of one.
func (q *quantized) weights(dims []int64, axis int) (w val, g grid, scales *tensor.Tensor) {
	t := pick(q.draw, onnxpb.Int8, onnxpb.Int8, onnxpb.Uint8)
	if q.opset >= 21 && q.chance(0.3) {
		t = pick(q.draw, onnxpb.Int4, onnxpb.Uint4, onnxpb.Int16, onnxpb.Uint16)
	}
	var per []int64
	var attrs []onnxpb.Attribute
	switch {
	case q.opset >= 13 && q.chance(0.5):
		per, attrs = dims[axis:axis+1], []onnxpb.Attribute{ob.Int("axis", int64(axis))}
	case q.chance(0.2):
		per, attrs = q.per(dims)
	}
	lo, hi := bounds(t)
	lo, hi = max(lo, -300), min(hi, 300)
	x := q.below(t, int64(lo), int64(hi)+1, dims...)
	s, z := q.scales(1./max(hi, 7), per), q.zeros(t, per)
	if t.Bits() == 16 || q.chance(0.5) {
		z = empty(t, per)
	}
	top, far := 0., 0.
	for i := range s.Len() {
		top = max(top, s.Float(i))
		far = max(far, hi-z.Float(i), z.Float(i)-lo)
	}
	g = grid{exponent(s), top * far, top * far / 2, 0}
	scale, zero := q.constant(s), q.constant(z)
	stored := q.bytesOf(x)
	if t.Bits() >= 8 && q.chance(0.15) { // quantized in the model
		r := empty(onnxpb.Float, dims)
		for i := range r.Len() {
			r.SetFloat(i, q.NormFloat64()*top*far/2)
		}
		stored = val{q.node("QuantizeLinear", []val{q.constant(r), scale, zero}, attrs...), t, dims}
		lo, hi = bounds(t)
		for i := range s.Len() {
			g.most = max(g.most, s.Float(i)*max(hi-z.Float(i), z.Float(i)-lo))
		}
	}
	return val{q.node("DequantizeLinear", []val{stored, scale, zero}, attrs...), onnxpb.Float, dims}, g, s
}

// bytesOf are a constant, or at times an input.
func (q *quantized) bytesOf(x *tensor.Tensor) val {
	if x.DType.Bits < 8 || q.chance(0.85) {
		return q.constant(x)
	}
	return q.input(x)
}

// bias is a constant of n numbers, mostly with the scales of the products.
func (q *quantized) bias(n int64, x grid, scales *tensor.Tensor, sum *grid) val {
	if x.scale == 0 || len(scales.Shape) > 1 || q.chance(0.3) || q.opset < 13 && scales.Len() > 1 {
		t := empty(onnxpb.Float, []int64{n})
		for i := range t.Len() {
			t.SetFloat(i, math.Ldexp(float64(q.between(-9, 9)), max(sum.least, -20)))
		}
		sum.most += math.Ldexp(9, max(sum.least, -20))
		return q.constant(t)
	}
	s, top := empty(onnxpb.Float, scales.Shape), 0.
	for i := range s.Len() {
		s.SetFloat(i, float64(float32(x.scale)*float32(scales.Float(i))))
		top = max(top, s.Float(i))
	}
	most := int64(max(min(sum.near/top, 1<<15), 1))
	sum.most += top * float64(most)
	in := []val{q.constant(q.below(onnxpb.Int32, -most, most+1, n)), q.constant(s)}
	if q.chance(0.5) {
		in = append(in, q.constant(empty(onnxpb.Int32, scales.Shape)))
	}
	var attrs []onnxpb.Attribute
	if q.opset >= 13 {
		attrs = append(attrs, ob.Int("axis", 0))
	}
	return val{q.node("DequantizeLinear", in, attrs...), onnxpb.Float, []int64{n}}
}
