package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// shapes adds what takes numbers computed from shapes.
func (g *sizes) shapes(x sized) {
	rank := len(x.dims)
	a := g.IntN(rank)
	dims := slices.Clone(x.dims)
	switch g.IntN(9) {
	case 0: // to one number computed from the shape
		s, e := g.derived(x, a)
		dims[a] = e
		for i := range e {
			dims[a][i] = min(x.dims[a][i], e[i])
		}
		g.of("Slice", dims, []string{x.name, g.ints(0), s, g.ints(int64(a))})
	case 1: // the last ones
		s, e := g.derived(x, a)
		for i := range e {
			dims[a][i] = sliceLength(x.dims[a][i], -e[i], 1<<40, 1)
		}
		g.of("Slice", dims, []string{x.name, g.aside("Neg", []string{s}), g.ints(1 << 40), g.ints(int64(a))})
	case 2: // the same shape, put together
		parts := []string{}
		for i := range dims {
			parts = append(parts, g.extent(x, i))
		}
		if rank > 1 && a+1 < rank && g.chance(0.7) { // two axes become one
			parts[a] = g.aside("Mul", []string{parts[a], parts[a+1]})
			parts = slices.Delete(parts, a+1, a+2)
			dims[a] = dims[a].times(dims[a+1])
			dims = slices.Delete(dims, a+1, a+2)
		}
		if volumeLeast(x.dims) == 0 { // an extent of 0 would stand for that of x
			return
		}
		if i := g.IntN(len(parts)); g.chance(0.4) {
			parts[i] = g.ints(-1)
		}
		g.of("Reshape", dims, []string{x.name, g.aside("Concat", parts, ob.Int("axis", 0))})
	case 3:
		if a+1 < rank && volumeLeast(x.dims) > 0 { // an axis takes what follows
			to := make([]int64, rank-1)
			to[a] = -1
			for i := a + 1; i < rank-1; i++ {
				if to[i] = x.dims[i+1][0]; !x.dims[i+1].fixed() {
					return
				}
			}
			dims[a] = dims[a].times(dims[a+1])
			g.of("Reshape", slices.Delete(dims, a+1, a+2), []string{x.name, g.ints(to...)})
			return
		}
		if e := x.dims[a]; e.fixed() && e[0]%2 == 0 && e[0] > 0 { // two axes of one
			to := make([]int64, rank+1)
			for i := range a {
				to[i] = 0
			}
			to[a], to[a+1] = 2, e[0]/2
			for i := a + 2; i < rank+1; i++ {
				if to[i] = x.dims[i-1][0]; !x.dims[i-1].fixed() {
					return
				}
			}
			dims[a] = fixed(e[0] / 2)
			g.of("Reshape", slices.Insert(dims, a, fixed(2)), []string{x.name, g.ints(to...)})
		}
	case 4: // numbers from 0
		s, e := g.derived(x, a)
		r := g.aside("Range", []string{g.scalar(0).name, g.aside("Squeeze", []string{s, g.ints(0)}), g.scalar(1).name})
		g.of("Cast", []extents{e}, []string{r}, ob.Int("to", int64(onnxpb.Float)))
	case 5:
		s, e := g.derived(x, a)
		c := g.aside("ConstantOfShape", []string{s}, ob.Tensor("value", ob.Floats([]int64{1}, 0.5)))
		g.of("Identity", []extents{e}, []string{c})
	case 6: // as another value is
		for _, p := range g.pool {
			if s, ok := stretched(x.dims, p.dims); ok && slices.Equal(s, p.dims) && g.chance(0.6) {
				g.of("Expand", s, []string{x.name, g.aside("Shape", []string{p.name})})
				return
			}
		}
		s, e := g.derived(x, a)
		g.of("Expand", append([]extents{e}, dims...), []string{x.name, g.aside("Concat", []string{s, g.aside("Shape", []string{x.name})}, ob.Int("axis", 0))})
	case 7: // a mask of what comes later
		if rank < 2 {
			return
		}
		ones := g.aside("ConstantOfShape", []string{g.aside("Shape", []string{x.name}, ob.Int("start", -2))}, ob.Tensor("value", ob.Floats([]int64{1}, 1)))
		low := g.aside("Trilu", []string{ones, g.scalar(g.between(-1, 1)).name}, ob.Int("upper", g.Int64N(2)))
		c := g.aside("Cast", []string{low}, ob.Int("to", int64(onnxpb.Bool)))
		g.of("Where", dims, []string{c, x.name, g.floats(plain)})
	default:
		s, e := g.derived(x, a)
		pads := []string{g.ints(make([]int64, 2*rank-1)...), s}
		dims[rank-1] = dims[rank-1].plus(e)
		g.of("Pad", dims, []string{x.name, g.aside("Concat", pads, ob.Int("axis", 0))})
	}
}

func volumeLeast(dims []extents) int64 {
	e := fixed(1)
	for _, d := range dims {
		e = e.times(d)
	}
	return e.least()
}

// layer adds a layer of networks.
func (g *sizes) layer(x sized) {
	rank := len(x.dims)
	dims := slices.Clone(x.dims)
	last := x.dims[rank-1]
	switch k := g.IntN(6); {
	case k < 2 && last.fixed() && rank > 1:
		n := g.between(1, 9)
		dims[rank-1] = fixed(n)
		g.of("MatMul", dims, []string{x.name, g.floats(unit, last[0], n)})
	case k < 3 && rank > 1: // with its own transpose
		perm := make([]int64, rank)
		for i := range perm {
			perm[i] = int64(i)
		}
		perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
		t := g.aside("Transpose", []string{x.name}, ob.IntList("perm", perm...))
		dims[rank-1] = dims[rank-2]
		y := g.of("MatMul", dims, []string{x.name, t})
		g.of("Tanh", dims, []string{y.name})
	case rank == 3 && x.dims[1].fixed() && k < 5:
		g.window(x)
	case rank == 4 && x.dims[1].fixed() && k < 5:
		g.window(x)
	case last.fixed() && last[0] > 1:
		g.tol = tolerance{rel: 1e-2, ofMax: 5e-3, abs: 1e-4}
		g.of("LayerNormalization", dims, []string{x.name, g.floats(plain, last[0]), g.floats(plain, last[0])}, ob.Float("epsilon", 0.01))
	case rank == 3 && x.dims[2].fixed() && volumeLeast(dims) > 0:
		h := g.between(1, 4)
		in, bias := last[0], g.floats(plain, 1, 6*h)
		y := g.aside("GRU", []string{x.name, g.floats(unit, 1, 3*h, in), g.floats(unit, 1, 3*h, h), bias}, ob.Int("hidden_size", h))
		g.of("Squeeze", []extents{dims[0], dims[1], fixed(h)}, []string{y, g.ints(1)})
	}
}

// window adds what slides over the last one or two axes.
func (g *sizes) window(x sized) {
	n := len(x.dims) - 2
	c := x.dims[1][0]
	if c == 0 || volumeLeast(x.dims) == 0 {
		return
	}
	k, st, pad := g.between(1, 3), g.between(1, 2), g.between(0, 1)
	if k == 1 {
		pad = 0
	}
	dims := slices.Clone(x.dims)
	for i := range n {
		if x.dims[2+i].least()+2*pad < k {
			return
		}
		dims[2+i] = x.dims[2+i].each(func(e int64) int64 { return (e+2*pad-k)/st + 1 })
	}
	attrs := []onnxpb.Attribute{
		ob.IntList("kernel_shape", slices.Repeat([]int64{k}, n)...), ob.IntList("strides", slices.Repeat([]int64{st}, n)...), ob.IntList("pads", slices.Repeat([]int64{pad}, 2*n)...),
	}
	switch g.IntN(5) {
	case 0:
		g.of(pick(g.draw, "MaxPool", "AveragePool"), dims, []string{x.name}, attrs...)
	case 1:
		for i := range n {
			dims[2+i] = fixed(1)
		}
		g.of(pick(g.draw, "GlobalAveragePool", "GlobalMaxPool"), dims, []string{x.name})
	case 2:
		scales := append([]float32{1, 1}, slices.Repeat([]float32{2}, n)...)
		for i := range n {
			dims[2+i] = x.dims[2+i].times(fixed(2))
		}
		mode := pick(g.draw, "nearest", "linear")
		g.of("Resize", dims, []string{x.name, "", g.draw.constant(tensor.MustOf([]int64{int64(n + 2)}, scales)).name}, ob.Str("mode", mode), ob.Str("coordinate_transformation_mode", pick(g.draw, "asymmetric", "half_pixel", "align_corners")), ob.Str("nearest_mode", "floor"))
	default:
		group, out := int64(1), g.between(1, 9)
		if g.chance(0.3) {
			group, out = c, c*g.between(1, 2)
		}
		dims[1] = fixed(out)
		w := g.floats(unit, append([]int64{out, c / group}, slices.Repeat([]int64{k}, n)...)...)
		g.of("Conv", dims, []string{x.name, w, g.floats(plain, out)}, append(attrs, ob.Int("group", group))...)
	}
}
