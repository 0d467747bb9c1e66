package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(graphOfImages, "images")
	register(graphOfRows, "rows")
}

// graph is a model of several nodes in the making: the values so far, all of floats, and how many use each.
type graph struct {
	*draw
	pool []val
	uses map[string]int
}

func (d *draw) graph() *graph {
	d.opset = max(d.opset, 14) // of HardSwish
	d.symbolic = false
	d.batch = d.chance(0.2)
	d.tol = tolerance{rel: 1e-3, ofMax: 2e-4, abs: 1e-5}
	return &graph{draw: d, uses: map[string]int{}}
}

// of adds a node whose result joins the pool. It has the element type of the first operand.
func (g *graph) of(op string, dims []int64, in []val, attrs ...onnxpb.Attribute) val {
	return g.join(val{g.node(op, in, attrs...), in[0].dt, dims}, in...)
}

// as is of for results of another element type.
func (g *graph) as(op string, dt onnxpb.DataType, dims []int64, in []val, attrs ...onnxpb.Attribute) val {
	return g.join(val{g.node(op, in, attrs...), dt, dims}, in...)
}

func (g *graph) join(v val, in ...val) val {
	for _, x := range in {
		g.uses[x.name]++
	}
	g.pool = append(g.pool, v)
	return v
}

// some is a value of the pool, mostly a late one.
func (g *graph) some() val {
	i := len(g.pool) - 1
	for i > 0 && g.chance(0.35) {
		i--
	}
	return g.pool[i]
}

// weights are a constant whose products with so many elements keep their size.
func (g *graph) weights(depth int64, dims ...int64) val {
	t := g.values(onnxpb.Float, unit, dims...)
	for i := range t.Len() {
		t.SetFloat(i, t.Float(i)*1.7/max(1, float64(depth)/3))
	}
	return g.constant(t)
}

// finish makes the last values, and those that nobody uses, outputs.
func (g *graph) finish() {
	last := g.pool[len(g.pool)-1]
	for _, v := range g.pool[:len(g.pool)-1] {
		if g.uses[v.name] == 0 && g.chance(0.5) || g.chance(0.08) {
			g.out(g.node("Identity", []val{v}), v.dt)
		}
	}
	g.out(last.name, last.dt)
}

func graphOfImages(d *draw) {
	g := d.graph()
	c := pick(d, int64(3), 4, 8, 16, 16, 17, 32)
	dims := []int64{pick(d, int64(1), 1, 1, 2), c, d.between(3, 14), d.between(3, 14)}
	if d.chance(0.15) {
		dims = []int64{1, pick(d, int64(16), 32, 48, 64), d.between(12, 30), d.between(12, 30)}
	}
	g.join(g.input(d.values(onnxpb.Float, plain, dims...)))
	for range d.between(3, 10) {
		x := g.some()
		if len(x.dims) == 4 && d.chance(0.75) {
			g.imageStep(x)
		} else {
			g.anyStep(x)
		}
	}
	g.finish()
}

func graphOfRows(d *draw) {
	g := d.graph()
	for range d.between(1, 2) {
		g.join(g.input(d.values(onnxpb.Float, plain, d.filled(1, 4)...)))
	}
	for range d.between(3, 10) {
		g.anyStep(g.some())
	}
	g.finish()
}

// imageStep adds what networks for images are made of.
func (g *graph) imageStep(x val) {
	n, c, h, w := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	if h > 40 || w > 40 || c > 80 {
		g.of("GlobalAveragePool", []int64{n, c, 1, 1}, []val{x})
		return
	}
	switch g.IntN(12) {
	case 0, 1, 2:
		g.convolution(x)
	case 3:
		g.quantizedConvolution(x)
	case 4:
		p := func(k kind) val { return g.constant(g.values(onnxpb.Float, k, c)) }
		g.of("BatchNormalization", x.dims, []val{x, p(plain), p(plain), p(plain), p(above)})
	case 5:
		k, st, op := pick(g.draw, int64(1), 2, 3), pick(g.draw, int64(1), 2), pick(g.draw, "MaxPool", "AveragePool")
		if h < k || w < k {
			return
		}
		pad := g.between(0, k/2)
		out := []int64{n, c, (h+2*pad-k)/st + 1, (w+2*pad-k)/st + 1}
		g.of(op, out, []val{x}, ob.IntList("kernel_shape", k, k), ob.IntList("strides", st, st), ob.IntList("pads", pad, pad, pad, pad))
	case 6:
		g.of("GlobalAveragePool", []int64{n, c, 1, 1}, []val{x})
	case 7:
		scales := g.constant(tensor.MustOf([]int64{4}, []float32{1, 1, 2, 2}))
		mode := pick(g.draw, "nearest", "linear")
		g.of("Resize", []int64{n, c, 2 * h, 2 * w}, []val{x, none, scales}, ob.Str("mode", mode), ob.Str("coordinate_transformation_mode", pick(g.draw, "asymmetric", "half_pixel")), ob.Str("nearest_mode", "floor"))
	case 8: // a gate for each channel
		s := g.of("GlobalAveragePool", []int64{n, c, 1, 1}, []val{x})
		s = g.of("Conv", []int64{n, c, 1, 1}, []val{s, g.weights(c, c, c, 1, 1)})
		s = g.of("Sigmoid", s.dims, []val{s})
		g.of("Mul", x.dims, []val{x, s})
	case 9:
		if c%4 == 0 {
			g.of("DepthToSpace", []int64{n, c / 4, 2 * h, 2 * w}, []val{x}, ob.Int("blocksize", 2), ob.Str("mode", pick(g.draw, "DCR", "CRD")))
		} else if h%2 == 0 && w%2 == 0 {
			g.of("SpaceToDepth", []int64{n, 4 * c, h / 2, w / 2}, []val{x}, ob.Int("blocksize", 2))
		}
	case 10:
		g.of(pick(g.draw, "Relu", "HardSwish", "Sigmoid", "LeakyRelu"), x.dims, []val{x})
	default:
		k, st, o := g.between(1, 3), g.between(1, 2), g.between(1, 18)
		g.of("ConvTranspose", []int64{n, o, st*(h-1) + k, st*(w-1) + k}, []val{x, g.weights(c*k, c, o, k, k)}, ob.IntList("strides", st, st))
	}
}

// kernelOf draws a convolution of x: the shape of its weights, of its result, and its attributes.
func (g *graph) kernelOf(x val) (weights, out []int64, attrs []onnxpb.Attribute) {
	n, c, h, w := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	group, o := int64(1), pick(g.draw, int64(1), 4, 8, 16, 16, 24, 31, 32, 64)
	switch {
	case g.chance(0.2):
		group, o = c, c*g.between(1, 2)
	case c%2 == 0 && g.chance(0.15):
		group, o = 2, o+o%2
	}
	kh, kw := pick(g.draw, int64(1), 1, 3, 3, 3, 5), int64(0)
	if kw = kh; g.chance(0.15) {
		kw = g.between(1, 5)
	}
	st, dil := pick(g.draw, int64(1), 1, 1, 2), pick(g.draw, int64(1), 1, 1, 1, 2)
	top, left := g.between(0, kh/2*dil), g.between(0, kw/2*dil)
	if g.chance(0.7) {
		top, left = kh/2*dil, kw/2*dil
	}
	bottom, right := top, left
	span := func(k int64) int64 { return (k-1)*dil + 1 }
	bottom, right = max(bottom, span(kh)-h-top), max(right, span(kw)-w-left)
	out = []int64{n, o, (h+top+bottom-span(kh))/st + 1, (w+left+right-span(kw))/st + 1}
	return []int64{o, c / group, kh, kw}, out, []onnxpb.Attribute{
		ob.IntList("kernel_shape", kh, kw), ob.IntList("pads", top, left, bottom, right), ob.IntList("strides", st, st), ob.IntList("dilations", dil, dil), ob.Int("group", group),
	}
}

func (g *graph) convolution(x val) {
	ws, out, attrs := g.kernelOf(x)
	in := []val{x, g.weights(count(ws[1:]), ws...)}
	if g.chance(0.6) {
		in = append(in, g.weights(1, ws[0]))
	}
	y := g.of("Conv", out, in, attrs...)
	if g.chance(0.5) { // what follows convolutions
		for _, p := range g.pool {
			if slices.Equal(p.dims, out) && p.name != y.name && g.chance(0.6) {
				y = g.of("Add", out, []val{y, p})
				break
			}
		}
		g.of(pick(g.draw, "Relu", "Relu", "HardSwish", "Sigmoid", "Tanh"), out, []val{y})
	}
}

// fake quantizes and dequantizes x.
func (g *graph) fake(x val, t onnxpb.DataType) val {
	g.loose = true
	s, z := g.constant(tensor.MustOf(nil, []float32{0.02 + 0.05*g.Float32()})), g.constant(g.values(t, plain))
	q := val{g.node("QuantizeLinear", []val{x, s, z}), t, x.dims}
	g.uses[x.name]++
	return g.join(val{g.node("DequantizeLinear", []val{q, s, z}), onnxpb.Float, x.dims}, x)
}

// quantizedConvolution is a convolution between nodes that quantize.
func (g *graph) quantizedConvolution(x val) {
	t := pick(g.draw, onnxpb.Uint8, onnxpb.Int8)
	x = g.fake(x, t)
	ws, out, attrs := g.kernelOf(x)
	per := []int64{}
	var axis []onnxpb.Attribute
	if g.chance(0.6) {
		per, axis = ws[:1], []onnxpb.Attribute{ob.Int("axis", 0)}
	}
	scales := g.values(onnxpb.Float, above, per...)
	for i := range scales.Len() {
		scales.SetFloat(i, scales.Float(i)*0.004)
	}
	w := g.constant(g.below(onnxpb.Int8, -127, 128, ws...))
	w = val{g.node("DequantizeLinear", []val{w, g.constant(scales), g.constant(empty(onnxpb.Int8, per))}, axis...), onnxpb.Float, ws}
	in := []val{x, w}
	if g.chance(0.5) {
		in = append(in, g.weights(1, ws[0]))
	}
	y := g.of("Conv", out, in, attrs...)
	if g.chance(0.6) {
		y = g.of("Relu", out, []val{y})
	}
	if g.chance(0.8) {
		g.fake(y, t)
	}
}
