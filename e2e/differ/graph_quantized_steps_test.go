package differ

import (
	"math"
	"math/bits"
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// step adds what models that are quantized are made of.
func (q *quantized) step(x val) {
	rank := len(x.dims)
	if count(x.dims) > 20000 {
		return
	}
	switch k := q.IntN(20); {
	case k < 6 && rank == 4, k < 3 && rank == 3:
		if q.chance(0.25) {
			q.integerConvolution(x)
			return
		}
		q.convolution(x)
	case k < 9 && rank >= 2:
		switch {
		case q.chance(0.25):
			q.integerProduct(x)
		case rank == 2 && q.chance(0.4):
			q.gemm(x)
		default:
			q.matmul(x)
		}
	case k < 12:
		q.combine(x)
	case k < 14 && rank == 4:
		q.overWindows(x)
	case k < 15:
		q.pointwise(x)
	case k < 16 && rank > 0 && !q.batch:
		q.beside(x)
	case k < 17 && rank > 0:
		q.reduction(x)
	case rank > 0 && q.opset >= 13 && !q.batch: // else extents that are not known would meet those of other values
		q.moved(x)
	default:
		q.pointwise(x)
	}
}

// moved moves elements: what joins the pool has the grids of what it was made of.
func (q *quantized) moved(x val) {
	first := len(q.pool)
	q.graph.move(x)
	nodes := q.b.Model().Graph.Nodes
	for _, v := range q.pool[first:] {
		g := q.grids[x.name]
		for _, n := range nodes {
			if slices.Contains(n.Outputs, v.name) {
				for _, in := range n.Inputs {
					if other, ok := q.grids[in]; ok {
						scale := g.scale
						if other.scale != scale {
							scale = 0
						}
						g = grid{min(g.least, other.least), max(g.most, other.most), max(g.near, other.near), scale}
					}
				}
			}
		}
		q.grids[v.name] = g
	}
}

// kernel draws a convolution of x of two or one dimensions.
func (q *quantized) kernel(x val) (ws, out []int64, attrs []onnxpb.Attribute) {
	if len(x.dims) == 4 {
		return q.kernelOf(x)
	}
	c, k := x.dims[1], q.between(1, min(x.dims[2], 4))
	group, o := int64(1), q.between(1, 20)
	if q.chance(0.2) {
		group, o = c, 2*c
	}
	pads := []int64{q.between(0, k-1), q.between(0, k-1)}
	st := q.between(1, 2)
	return []int64{o, c / group, k}, []int64{x.dims[0], o, (x.dims[2]+pads[0]+pads[1]-k)/st + 1}, []onnxpb.Attribute{ob.IntList("pads", pads...), ob.IntList("strides", st), ob.Int("group", group)}
}

func (q *quantized) convolution(x val) {
	ws, out, attrs := q.kernel(x)
	w, gw, scales := q.weights(ws, 0)
	sum := q.grids[x.name].times(gw, count(ws[1:]))
	in := []val{x, w}
	if q.chance(0.6) {
		in = append(in, q.bias(ws[0], q.grids[x.name], scales, &sum))
	}
	if q.room(sum) {
		y := q.result("Conv", out, sum, in, attrs...)
		if q.chance(0.4) {
			y = q.limited(y)
		}
		q.around(y)
	}
}

func (q *quantized) matmul(x val) {
	rank := len(x.dims)
	k, gx := x.dims[rank-1], q.grids[x.name]
	n := pick(q.draw, int64(1), 2, 3, 5, 8, 16, 17, 33)
	if q.chance(0.2) { // two values that are computed
		perm := make([]int64, rank)
		for i := range perm {
			perm[i] = int64(i)
		}
		perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		dims := slices.Clone(x.dims)
		dims[rank-1], dims[rank-2] = dims[rank-2], dims[rank-1]
		sum := gx.times(gx, k)
		if q.room(sum) {
			y := q.result("Transpose", dims, gx, []val{x}, ob.IntList("perm", perm...))
			q.around(q.result("MatMul", append(slices.Clone(x.dims[:rank-1]), x.dims[rank-2]), sum, []val{x, y}))
		}
		return
	}
	dims := []int64{k, n}
	if rank > 2 && q.chance(0.3) {
		dims = append(slices.Clone(x.dims[:rank-2]), k, n)
	}
	w, gw, scales := q.weights(dims, len(dims)-1)
	sum := gx.times(gw, k)
	var bias val
	if q.chance(0.5) {
		bias = q.bias(n, gx, scales, &sum)
	}
	if !q.room(sum) {
		return
	}
	out := append(slices.Clone(x.dims[:rank-1]), n)
	y := q.result("MatMul", out, sum, []val{x, w})
	if bias.name != "" {
		y = q.result("Add", out, sum, q.swapped(y, bias))
	}
	if q.chance(0.3) {
		y = q.limited(y)
	}
	q.around(y)
}

func (q *quantized) swapped(x, y val) []val {
	if q.chance(0.3) {
		return []val{y, x}
	}
	return []val{x, y}
}

func (q *quantized) gemm(x val) {
	m, k, n := x.dims[0], x.dims[1], q.between(1, 20)
	var attrs []onnxpb.Attribute
	if q.chance(0.4) {
		m, k = k, m
		attrs = append(attrs, ob.Int("transA", 1))
	}
	dims, axis := []int64{k, n}, 1
	if q.chance(0.6) {
		dims, axis = []int64{n, k}, 0
		attrs = append(attrs, ob.Int("transB", 1))
	}
	w, gw, scales := q.weights(dims, axis)
	sum := q.grids[x.name].times(gw, k)
	in := []val{x, w}
	if q.chance(0.7) || q.opset < 11 {
		in = append(in, q.bias(n, q.grids[x.name], scales, &sum))
	}
	if q.chance(0.2) {
		attrs = append(attrs, ob.Float("alpha", 0.5))
		sum.least--
	}
	if q.room(sum) {
		q.around(q.result("Gemm", []int64{m, n}, sum, in, attrs...))
	}
}

// stored is x as bytes, with its scale and zero point.
func (q *quantized) stored(x val) (y, scale, zero val, s float64, g grid) {
	t := pick(q.draw, onnxpb.Uint8, onnxpb.Int8)
	g = q.grids[x.name]
	st, z := q.scales(3*max(g.near, 1e-3)/128, nil), q.zeros(t, nil)
	scale, zero = q.constant(st), q.constant(z)
	q.uses[x.name]++
	lo, hi := bounds(t)
	most := max(hi-z.Float(0), z.Float(0)-lo)
	return val{q.node("QuantizeLinear", []val{x, scale, zero}), t, x.dims}, scale, zero, st.Float(0), grid{0, most, min(most, g.near/st.Float(0)), 0}
}

// factor are weights of bytes, with zero points for each index of an axis or one for all.
func (q *quantized) factor(t onnxpb.DataType, dims []int64, axis int) (w, scale, zero val, s *tensor.Tensor, g grid) {
	per := []int64{}
	if q.chance(0.5) {
		per = dims[axis : axis+1]
	}
	s = q.scales(1./64, per)
	z := q.zeros(t, per)
	if len(per) > 0 { // ONNX Runtime wants one for all
		for i := range z.Len() {
			z.SetInt(i, z.Int(0))
		}
	}
	lo, hi := bounds(t)
	far := max(hi-z.Float(0), z.Float(0)-lo)
	return q.bytesOf(q.below(t, int64(lo), int64(hi)+1, dims...)), q.constant(s), q.constant(z), s, grid{0, far, far / 2, 0}
}

// requantized makes real numbers of a sum that is quantized by a node.
func (q *quantized) requantized(op string, dims []int64, sum grid, top float64, at onnxpb.DataType, in, more []val, attrs ...onnxpb.Attribute) {
	s, z := q.scales(3*sum.near*top/128, nil), q.zeros(at, nil)
	ys, yz := q.constant(s), q.constant(z)
	y := val{q.node(op, slices.Concat(in, []val{ys, yz}, more), attrs...), at, dims}
	lo, hi := bounds(at)
	g := grid{exponent(s), max(hi-z.Float(0), z.Float(0)-lo) * s.Float(0), sum.near * top, s.Float(0)}
	q.known(val{q.node("DequantizeLinear", []val{y, ys, yz}), onnxpb.Float, dims}, g)
}

func largest(t *tensor.Tensor) float64 {
	top := 0.
	for i := range t.Len() {
		top = max(top, t.Float(i))
	}
	return top
}

func (q *quantized) integerConvolution(x val) {
	ws, out, attrs := q.kernel(x)
	y, scale, zero, s, g := q.stored(x)
	wt := pick(q.draw, y.dt, onnxpb.Int8)
	w, wscale, wzero, st, gw := q.factor(wt, ws, 0)
	sum := g.times(gw, count(ws[1:]))
	if sum.most > 1<<23 {
		return
	}
	if q.chance(0.6) {
		var more []val
		if q.chance(0.5) {
			more = []val{q.constant(q.below(onnxpb.Int32, -3000, 3001, ws[0]))}
		}
		q.requantized("QLinearConv", out, sum, s*largest(st), y.dt, []val{y, scale, zero, w, wscale, wzero}, more, attrs...)
		return
	}
	in := []val{y, w, zero}
	if len(wzero.dims) == 0 && q.chance(0.7) {
		in = append(in, wzero)
	} else {
		sum.most *= 2
	}
	z := val{q.node("ConvInteger", in, attrs...), onnxpb.Int32, out}
	q.real(z, sum, s)
}

// real makes real numbers of sums.
func (q *quantized) real(z val, sum grid, s float64) {
	f := val{q.node("Cast", []val{z}, ob.Int("to", int64(onnxpb.Float))), onnxpb.Float, z.dims}
	_, e := math.Frexp(s / 64)
	by := math.Ldexp(1, e)
	sum = grid{e, sum.most * by, sum.near * by, 0}
	if y := q.known(val{q.node("Mul", []val{f, q.constant(tensor.MustOf(nil, []float32{float32(by)}))}), onnxpb.Float, z.dims}, sum); q.chance(0.7) {
		q.around(y)
	}
}

func (q *quantized) integerProduct(x val) {
	rank := len(x.dims)
	k, n := x.dims[rank-1], pick(q.draw, int64(1), 3, 4, 7, 16, 18)
	out := append(slices.Clone(x.dims[:rank-1]), n)
	if q.chance(0.2) && q.opset >= 11 { // by scales that follow from the data
		ys := q.nodes("DynamicQuantizeLinear", 3, []val{x})
		q.uses[x.name]++
		w := q.constant(q.values(pick(q.draw, onnxpb.Int8, onnxpb.Uint8), special, k, n))
		q.out(q.node("MatMulInteger", []val{{name: ys[0]}, w, {name: ys[2]}}), onnxpb.Int32)
		return
	}
	y, scale, zero, s, g := q.stored(x)
	w, wscale, wzero, st, gw := q.factor(pick(q.draw, y.dt, onnxpb.Int8), []int64{k, n}, 1)
	sum := g.times(gw, k)
	if sum.most > 1<<23 {
		return
	}
	if q.chance(0.6) {
		q.requantized("QLinearMatMul", out, sum, s*largest(st), y.dt, []val{y, scale, zero, w, wscale, wzero}, nil)
		return
	}
	q.real(val{q.node("MatMulInteger", []val{y, w, zero, wzero}), onnxpb.Int32, out}, sum, s)
}

// combine adds an operation of two values.
func (q *quantized) combine(x val) {
	y := x
	for _, p := range q.pool {
		if dims, ok := broadcasts(x.dims, p.dims); ok && count(dims) < 20000 && q.chance(0.6) {
			y = p
		}
	}
	dims, _ := broadcasts(x.dims, y.dims)
	a, b := q.grids[x.name], q.grids[y.name]
	op, g := pick(q.draw, "Add", "Add", "Sub"), a.plus(b)
	if q.chance(0.35) {
		op, g = "Mul", a.times(b, 1)
	}
	if q.room(g) {
		z := q.result(op, dims, g, q.swapped(x, y))
		if q.chance(0.3) {
			z = q.limited(z)
		}
		if q.chance(0.6) {
			q.around(z)
		}
	}
}

// limited is what follows sums.
func (q *quantized) limited(x val) val {
	g := q.grids[x.name]
	if q.opset >= 11 && q.chance(0.4) {
		lo := math.Ldexp(float64(q.between(-2, 0)), max(g.least, 0))
		hi := math.Ldexp(float64(q.between(1, 6)), max(g.least, 0))
		g.least = min(g.least, 0)
		return q.result("Clip", x.dims, g, []val{x, q.constant(tensor.MustOf(nil, []float32{float32(lo)})), q.constant(tensor.MustOf(nil, []float32{float32(hi)}))})
	}
	return q.result("Relu", x.dims, g, []val{x})
}

func (q *quantized) pointwise(x val) {
	if !q.exact && q.chance(0.7) {
		g := grid{-20, 1, 0.5, 0}
		if len(x.dims) > 0 && q.chance(0.5) {
			q.around(q.result("Softmax", x.dims, g, []val{x}, ob.Int("axis", int64(len(x.dims)-1))))
			return
		}
		q.around(q.result(pick(q.draw, "Sigmoid", "Tanh"), x.dims, g, []val{x}))
		return
	}
	switch q.IntN(3) {
	case 0:
		q.result(pick(q.draw, "Neg", "Abs"), x.dims, q.grids[x.name], []val{x})
	case 1:
		g := q.grids[x.name]
		g.least -= 2
		if q.room(g) {
			q.result("LeakyRelu", x.dims, g, []val{x}, ob.Float("alpha", 0.25))
		}
	default:
		q.limited(x)
	}
}

// overWindows adds windows of images.
func (q *quantized) overWindows(x val) {
	n, c, h, w := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	g := q.grids[x.name]
	if h > 40 || w > 40 {
		return
	}
	switch q.IntN(4) {
	case 0:
		if q.exact && bits.OnesCount64(uint64(h*w)) != 1 {
			return
		}
		g.least -= bits.Len64(uint64(h*w)) - 1
		g.scale = 0
		if g2 := (grid{g.least, g.most * float64(h*w), 0, 0}); q.room(g2) {
			q.around(q.result("GlobalAveragePool", []int64{n, c, 1, 1}, g, []val{x}))
		}
	case 1, 2:
		k, st, op := pick(q.draw, int64(1), 2, 3), pick(q.draw, int64(1), 2), pick(q.draw, "MaxPool", "AveragePool")
		if op == "AveragePool" {
			k = 2
		}
		if h < k || w < k {
			return
		}
		pad := q.between(0, k/2)
		out := []int64{n, c, (h+2*pad-k)/st + 1, (w+2*pad-k)/st + 1}
		attrs := []onnxpb.Attribute{ob.IntList("kernel_shape", k, k), ob.IntList("strides", st, st), ob.IntList("pads", pad, pad, pad, pad)}
		if op == "AveragePool" {
			g.least, g.scale = g.least-2, 0
			attrs = append(attrs, ob.Int("count_include_pad", q.Int64N(2)))
		}
		if q.room(grid{g.least, g.most * 4, 0, 0}) {
			y := q.result(op, out, g, []val{x}, attrs...)
			if q.chance(0.6) {
				q.around(y)
			}
		}
	default:
		if q.opset < 13 {
			return
		}
		mode := pick(q.draw, "nearest", "linear")
		if mode == "linear" {
			g.least, g.scale = g.least-4, 0
		}
		if q.room(grid{g.least, g.most, 0, 0}) {
			scales := q.constant(tensor.MustOf([]int64{4}, []float32{1, 1, 2, 2}))
			q.around(q.result("Resize", []int64{n, c, 2 * h, 2 * w}, g, []val{x, none, scales}, ob.Str("mode", mode), ob.Str("coordinate_transformation_mode", pick(q.draw, "asymmetric", "half_pixel")), ob.Str("nearest_mode", "floor")))
		}
	}
}

// beside puts values of the same shape side by side: those of one scale, or of several.
func (q *quantized) beside(x val) {
	a := q.IntN(len(x.dims))
	in, dims, g := []val{x}, slices.Clone(x.dims), q.grids[x.name]
	for _, p := range q.pool {
		if slices.Equal(p.dims, x.dims) && len(in) < 4 && q.chance(0.6) {
			in = append(in, p)
			dims[a] += p.dims[a]
			o := q.grids[p.name]
			if o.scale != g.scale {
				g.scale = 0
			}
			g = grid{min(g.least, o.least), max(g.most, o.most), max(g.near, o.near), g.scale}
		}
	}
	y := q.result("Concat", dims, g, in, ob.Int("axis", int64(a)))
	if q.chance(0.6) {
		q.around(y)
	}
}

func (q *quantized) reduction(x val) {
	if q.opset < 18 {
		return
	}
	rank, g := len(x.dims), q.grids[x.name]
	a := q.axis(rank)
	n := x.dims[at(a, rank)]
	op := pick(q.draw, "ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean")
	switch op {
	case "ReduceSum":
		g = grid{g.least, g.most * float64(n), g.near * math.Sqrt(float64(n)), 0}
	case "ReduceMean":
		if q.exact && bits.OnesCount64(uint64(n)) != 1 {
			return
		}
		g.least, g.scale = g.least-bits.Len64(uint64(n))+1, 0
	}
	if !q.room(grid{g.least, g.most * float64(n), 0, 0}) {
		return
	}
	dims, keep := slices.Clone(x.dims), q.Int64N(2)
	if dims[at(a, rank)] = 1; keep == 0 {
		dims = slices.Delete(dims, at(a, rank), at(a, rank)+1)
	}
	q.around(q.result(op, dims, g, []val{x, q.list(a)}, ob.Int("keepdims", keep)))
}
