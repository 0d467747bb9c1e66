package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// anyStep adds what takes values of any shape.
func (g *graph) anyStep(x val) {
	rank := len(x.dims)
	if count(x.dims) > 20000 || rank > 5 {
		g.of("ReduceMean", []int64{}, []val{x}, ob.Int("keepdims", 0))
		return
	}
	switch g.IntN(20) {
	case 0, 1, 2:
		g.pointwise(x)
	case 3, 4, 5:
		g.combine(x)
	case 6, 7:
		g.reduction(x)
	case 8, 9, 10, 11:
		g.move(x)
	case 12, 13:
		g.product(x)
	case 14:
		if rank > 0 {
			g.of(pick(g.draw, "Softmax", "Softmax", "LogSoftmax"), x.dims, []val{x}, ob.Int("axis", g.axis(rank)))
		}
	case 15:
		if g.opset < 17 || rank == 0 {
			return
		}
		axis := g.axis(rank)
		tail := x.dims[at(axis, rank):]
		if count(tail) > 1 { // the variance of one element is noise
			g.tol = tolerance{rel: 1e-2, ofMax: 5e-3, abs: 1e-4}
			g.of("LayerNormalization", x.dims, []val{x, g.constant(g.values(onnxpb.Float, plain, tail...)), g.constant(g.values(onnxpb.Float, plain, tail...))}, ob.Int("axis", axis), ob.Float("epsilon", 0.01))
		}
	case 16:
		g.fake(x, pick(g.draw, onnxpb.Uint8, onnxpb.Int8))
	case 17: // another type and back
		t := pick(g.draw, onnxpb.Float16, onnxpb.Double)
		if t == onnxpb.Float16 {
			g.tol = tolerance{rel: 1e-2, ofMax: 1e-2, abs: 1e-3}
		}
		y := val{g.node("Cast", []val{x}, ob.Int("to", int64(t))), t, x.dims}
		if g.chance(0.6) {
			y.name = g.node(pick(g.draw, "Neg", "Abs", "Relu", "Tanh"), []val{y})
		}
		g.join(val{g.node("Cast", []val{y}, ob.Int("to", int64(onnxpb.Float))), onnxpb.Float, x.dims}, x)
	case 18: // the greater of two
		g.loose = true
		c := val{g.node("Greater", []val{x, g.constant(g.values(onnxpb.Float, plain))}), onnxpb.Bool, x.dims}
		g.as("Where", x.dt, x.dims, []val{c, x, g.constant(g.values(onnxpb.Float, plain))})
	default:
		if rank > 0 {
			g.of("CumSum", x.dims, []val{x, g.scalar(g.axis(rank))}, ob.Int("exclusive", g.Int64N(2)), ob.Int("reverse", g.Int64N(2)))
		}
	}
}

func (g *graph) pointwise(x val) {
	op := pick(g.draw, "Relu", "Sigmoid", "Tanh", "Neg", "Abs", "LeakyRelu", "HardSwish", "Erf", "Softplus", "Sin", "Elu", "Exp", "Sqrt", "Identity", "Clip")
	switch op {
	case "Exp":
		x = g.of("Tanh", x.dims, []val{x})
	case "Sqrt":
		x = g.of("Exp", x.dims, []val{g.of("Tanh", x.dims, []val{x})})
	case "Clip":
		g.of(op, x.dims, []val{x, g.constant(tensor.MustOf(nil, []float32{-1})), g.constant(tensor.MustOf(nil, []float32{2}))})
		return
	}
	g.of(op, x.dims, []val{x})
}

// combine adds an operation of two values that broadcast.
func (g *graph) combine(x val) {
	op := pick(g.draw, "Add", "Sub", "Mul", "Max", "Min", "Add")
	var others []val
	for _, p := range g.pool {
		if dims, ok := broadcasts(x.dims, p.dims); ok && count(dims) < 20000 {
			others = append(others, p)
		}
	}
	y := x
	if len(others) > 0 {
		y = others[g.IntN(len(others))]
	}
	if g.chance(0.4) {
		y = g.either(0.8, g.values(onnxpb.Float, plain, g.broadcast(x.dims)...))
	}
	dims, _ := broadcasts(x.dims, y.dims)
	in := []val{x, y}
	if g.chance(0.5) {
		in = []val{y, x}
	}
	v := g.of(op, dims, in)
	if op == "Mul" {
		g.of("Tanh", dims, []val{v})
	}
}

// broadcasts is what two shapes broadcast to.
func broadcasts(a, b []int64) ([]int64, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, e := range b {
		switch k := len(a) - len(b) + i; {
		case a[k] == 1:
			out[k] = e
		case e != 1 && e != a[k]:
			return nil, false
		}
	}
	return out, true
}

func (g *graph) reduction(x val) {
	rank := len(x.dims)
	if rank == 0 {
		return
	}
	op := pick(g.draw, "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2", "ReduceLogSumExp")
	axes := g.axes(rank, 1)
	keep := g.Int64N(2)
	gone := make([]bool, rank)
	for _, a := range axes {
		gone[at(a, rank)] = true
	}
	dims := []int64{}
	for i, e := range x.dims {
		switch {
		case !gone[i]:
			dims = append(dims, e)
		case keep == 1:
			dims = append(dims, 1)
		}
	}
	if g.opset >= 18 || op == "ReduceSum" {
		g.of(op, dims, []val{x, g.list(axes...)}, ob.Int("keepdims", keep))
		return
	}
	g.of(op, dims, []val{x}, ob.Int("keepdims", keep), ob.IntList("axes", axes...))
}

// move adds what only moves elements.
func (g *graph) move(x val) {
	rank := len(x.dims)
	if rank == 0 {
		g.of("Unsqueeze", []int64{1, 1}, []val{x, g.list(0, 1)})
		return
	}
	a := g.IntN(rank)
	dims := slices.Clone(x.dims)
	switch g.IntN(10) {
	case 0, 1:
		perm := g.perm(rank)
		for i, p := range perm {
			dims[i] = x.dims[p]
		}
		g.of("Transpose", dims, []val{x}, ob.IntList("perm", perm...))
	case 2: // two axes become one, or one two
		if rank > 1 && g.chance(0.6) {
			a = g.IntN(rank - 1)
			dims[a] *= dims[a+1]
			dims = slices.Delete(dims, a+1, a+2)
		} else if dims[a]%2 == 0 {
			dims[a] /= 2
			dims = slices.Insert(dims, a+g.IntN(2), 2)
		} else {
			dims = slices.Insert(dims, a, 1)
		}
		to := slices.Clone(dims)
		if g.chance(0.3) && count(dims) > 0 {
			to[g.IntN(len(to))] = -1
		}
		g.of("Reshape", dims, []val{x, g.list(to...)})
	case 3:
		if dims[a] == 0 {
			return
		}
		from, to := g.Int64N(dims[a]), int64(0)
		to = g.between(from+1, dims[a])
		step := g.between(1, 2)
		dims[a] = (to - from + step - 1) / step
		if g.chance(0.3) { // backwards
			dims[a] = (to - from + step - 1) / step
			last := to - 1
			end := from - 1
			if end < 0 {
				end = -1 << 40
			}
			g.of("Slice", dims, []val{x, g.list(last), g.list(end), g.list(int64(a)), g.list(-step)})
			return
		}
		g.of("Slice", dims, []val{x, g.list(from), g.list(to), g.list(int64(a)), g.list(step)})
	case 4:
		pads := make([]int64, 2*rank)
		pads[a], pads[rank+a] = g.between(0, 3), g.between(0, 3)
		mode := "constant"
		if g.chance(0.3) {
			mode = "edge"
		}
		dims[a] += pads[a] + pads[rank+a]
		g.of("Pad", dims, []val{x, g.list(pads...)}, ob.Str("mode", mode))
	case 5: // parts side by side
		in := []val{x}
		for _, p := range g.pool {
			if s := slices.Clone(p.dims); len(s) == rank && p.name != x.name && p.dt == x.dt && g.chance(0.7) {
				s[a] = x.dims[a]
				if slices.Equal(s, x.dims) && len(in) < 4 {
					in = append(in, p)
					dims[a] += p.dims[a]
				}
			}
		}
		if len(in) == 1 || g.chance(0.1) {
			in = append(in, x)
			dims[a] += x.dims[a]
		}
		g.of("Concat", dims, in, ob.Int("axis", int64(a)))
	case 6: // parts one by one
		if dims[a] < 2 {
			return
		}
		k := g.between(1, dims[a]-1)
		ys := g.nodes("Split", 2, []val{x, g.list(k, dims[a]-k)}, ob.Int("axis", int64(a)))
		for i, e := range []int64{k, dims[a] - k} {
			s := slices.Clone(dims)
			s[a] = e
			g.join(val{ys[i], x.dt, s}, x)
		}
	case 7:
		if dims[a] == 0 {
			return
		}
		i := g.below(onnxpb.Int64, -dims[a], dims[a], g.between(1, 6))
		dims[a] = i.Shape[0]
		g.of("Gather", dims, []val{x, g.constant(i)}, ob.Int("axis", int64(a)))
	case 8:
		if dims[a] == 1 {
			dims[a] = g.between(1, 5)
			g.of("Expand", dims, []val{x, g.list(dims...)})
			return
		}
		n := slices.Repeat([]int64{1}, rank)
		n[a] = 2
		dims[a] *= 2
		g.of("Tile", dims, []val{x, g.list(n...)})
	default:
		if dims[a] == 1 {
			g.of("Squeeze", slices.Delete(dims, a, a+1), []val{x, g.list(int64(a))})
		} else {
			g.of("Unsqueeze", slices.Insert(dims, a, 1), []val{x, g.list(int64(a))})
		}
	}
}

func (g *graph) product(x val) {
	rank := len(x.dims)
	if rank < 2 {
		return
	}
	k := x.dims[rank-1]
	if g.chance(0.3) { // with its own transpose
		perm := make([]int64, rank)
		for i := range perm {
			perm[i] = int64(i)
		}
		perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		dims := slices.Clone(x.dims)
		dims[rank-1], dims[rank-2] = dims[rank-2], dims[rank-1]
		y := g.of("Transpose", dims, []val{x}, ob.IntList("perm", perm...))
		y = g.of("MatMul", append(slices.Clone(x.dims[:rank-1]), x.dims[rank-2]), []val{x, y})
		g.of("Tanh", y.dims, []val{y})
		return
	}
	n := pick(g.draw, int64(1), 2, 5, 8, 16, 17, 33)
	out := append(slices.Clone(x.dims[:rank-1]), n)
	if g.chance(0.25) { // of bytes
		ys := g.nodes("DynamicQuantizeLinear", 3, []val{x})
		g.loose = true
		w := g.constant(g.values(pick(g.draw, onnxpb.Int8, onnxpb.Uint8), plain, k, n))
		y := val{g.node("MatMulInteger", []val{{name: ys[0]}, w, {name: ys[2]}}), onnxpb.Int32, out}
		y = val{g.node("Cast", []val{y}, ob.Int("to", int64(onnxpb.Float))), onnxpb.Float, out}
		y = g.join(val{g.node("Mul", []val{y, {name: ys[1]}}), onnxpb.Float, out}, x)
		g.of("Tanh", out, []val{g.of("Mul", out, []val{y, g.constant(tensor.MustOf(nil, []float32{0.02}))})})
		return
	}
	y := g.of("MatMul", out, []val{x, g.weights(k, k, n)})
	if g.chance(0.6) {
		y = g.of("Add", out, []val{y, g.weights(1, n)})
	}
	if g.chance(0.4) {
		g.of(pick(g.draw, "Relu", "Tanh", "Sigmoid"), out, []val{y})
	}
}
