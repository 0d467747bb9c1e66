package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func init() {
	register(graphOfSizes, "sizes")
}

// extents are what one dimension is in each of the runs of a program.
type extents [runs]int64

const runs = 3

func fixed(n int64) extents { return extents{n, n, n} }

func (e extents) fixed() bool { return e == fixed(e[0]) }

// each is f of the extents.
func (e extents) each(f func(n int64) int64) extents {
	for i := range e {
		e[i] = f(e[i])
	}
	return e
}

func (e extents) plus(o extents) extents {
	for i := range e {
		e[i] += o[i]
	}
	return e
}

func (e extents) times(o extents) extents {
	for i := range e {
		e[i] *= o[i]
	}
	return e
}

func (e extents) least() int64 { return slices.Min(e[:]) }
func (e extents) most() int64  { return slices.Max(e[:]) }

// sized is a value whose extents are symbols.
type sized struct {
	name string
	dims []extents
}

// sizes is a model in the making of which a program is run with inputs of several extents.
type sizes struct {
	*draw
	pool    []sized
	uses    map[string]int
	symbols map[string]extents
}

// graphOfSizes is a graph whose extents are unknown to the compiler, among them those that it computes from shapes.
func graphOfSizes(d *draw) {
	d.opset = max(d.opset, 18)
	d.symbolic = false
	d.tol = tolerance{rel: 1e-3, ofMax: 2e-4, abs: 1e-5}
	g := &sizes{draw: d, uses: map[string]int{}, symbols: map[string]extents{}}
	for range runs - 1 {
		d.more = append(d.more, nil)
	}
	names := []string{"n", "m", "k"}[:d.between(1, 3)]
	empty := d.chance(0.15)
	for _, name := range names {
		var e extents
		for i := range e {
			e[i] = pick(d, int64(1), 2, 2, 3, 4, 5, 7, 8, 9, 16, 17)
			if empty && i == runs-1 && d.chance(0.5) {
				e[i] = 0
			}
		}
		g.symbols[name] = e
	}
	for range d.between(1, 2) {
		g.source(names)
	}
	for range d.between(3, 10) {
		g.step(g.some())
	}
	g.finish()
}

// source adds an input.
func (g *sizes) source(names []string) {
	var dims []extents
	var shape []any
	for range g.between(1, 4) {
		if g.chance(0.6) {
			name := pick(g.draw, names...)
			dims, shape = append(dims, g.symbols[name]), append(shape, name)
		} else {
			n := pick(g.draw, int64(1), 2, 3, 4, 8, 16)
			dims, shape = append(dims, fixed(n)), append(shape, int(n))
		}
	}
	for volume(dims) > 5000 {
		dims, shape = dims[1:], shape[1:]
	}
	name := g.name("x")
	g.begin().Input(name, onnxpb.Float, shape...)
	g.names = append(g.names, name)
	for i := range runs {
		of := make([]int64, len(dims))
		for k, e := range dims {
			of[k] = e[i]
		}
		t := g.values(onnxpb.Float, plain, of...)
		if i == 0 {
			g.args = append(g.args, t)
		} else {
			g.more[i-1] = append(g.more[i-1], t)
		}
	}
	g.pool = append(g.pool, sized{name, dims})
}

// volume is the largest number of elements.
func volume(dims []extents) int64 {
	e := fixed(1)
	for _, d := range dims {
		e = e.times(d)
	}
	return e.most()
}

func (g *sizes) some() sized {
	i := len(g.pool) - 1
	for i > 0 && g.chance(0.35) {
		i--
	}
	return g.pool[i]
}

// of adds a node whose one result joins the pool.
func (g *sizes) of(op string, dims []extents, in []string, attrs ...onnxpb.Attribute) sized {
	for _, x := range in {
		g.uses[x]++
	}
	y := sized{g.name("y"), slices.Clone(dims)}
	g.begin().NodeOut(op, g.name(op), in, []string{y.name}, attrs...)
	g.pool = append(g.pool, y)
	return y
}

// aside is of for what does not join the pool.
func (g *sizes) aside(op string, in []string, attrs ...onnxpb.Attribute) string {
	out := g.name("s")
	g.begin().NodeOut(op, g.name(op), in, []string{out}, attrs...)
	return out
}

func (g *sizes) finish() {
	last := g.pool[len(g.pool)-1]
	for _, v := range g.pool[:len(g.pool)-1] {
		if g.uses[v.name] == 0 && g.chance(0.5) || g.chance(0.08) {
			g.out(g.aside("Identity", []string{v.name}), onnxpb.Float)
		}
	}
	g.out(last.name, onnxpb.Float)
}

func (g *sizes) floats(k kind, dims ...int64) string {
	return g.draw.constant(g.values(onnxpb.Float, k, dims...)).name
}

func (g *sizes) ints(vs ...int64) string { return g.list(vs...).name }

// extent is dimension a of x as a list of one number, computed from its shape.
func (g *sizes) extent(x sized, a int) string {
	if g.chance(0.5) {
		return g.aside("Shape", []string{x.name}, ob.Int("start", int64(a)), ob.Int("end", int64(a)+1))
	}
	s := g.aside("Shape", []string{x.name})
	if g.chance(0.5) {
		return g.aside("Slice", []string{s, g.ints(int64(a)), g.ints(int64(a) + 1)})
	}
	s = g.aside("Gather", []string{s, g.scalar(int64(a) - truth(g.chance(0.3))*int64(len(x.dims))).name})
	return g.aside("Unsqueeze", []string{s, g.ints(0)})
}

// derived is a number that is computed from an extent, and what it is.
func (g *sizes) derived(x sized, a int) (string, extents) {
	s, e := g.extent(x, a), x.dims[a]
	for g.chance(0.5) {
		c := g.between(1, 4)
		switch g.IntN(5) {
		case 0:
			s, e = g.aside("Add", []string{s, g.ints(c)}), e.each(func(n int64) int64 { return n + c })
		case 1:
			s, e = g.aside("Div", []string{s, g.ints(c)}), e.each(func(n int64) int64 { return n / c })
		case 2:
			if e.most() < 50 {
				s, e = g.aside("Mul", []string{s, g.ints(c)}), e.each(func(n int64) int64 { return n * c })
			}
		case 3:
			s, e = g.aside("Max", []string{s, g.ints(c)}), e.each(func(n int64) int64 { return max(n, c) })
		default:
			s = g.aside("Max", []string{g.aside("Sub", []string{s, g.ints(c)}), g.ints(0)})
			e = e.each(func(n int64) int64 { return max(n-c, 0) })
		}
	}
	return s, e
}

// stretched is what two shapes broadcast to; extents that are 1 only in some runs are not stretched.
func stretched(a, b []extents) ([]extents, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, e := range b {
		switch k := len(a) - len(b) + i; {
		case a[k] == fixed(1):
			out[k] = e
		case e != fixed(1) && e != a[k]:
			return nil, false
		}
	}
	return out, true
}

func (g *sizes) step(x sized) {
	if volume(x.dims) > 6000 || len(x.dims) > 5 {
		g.of("ReduceMax", nil, []string{g.aside("Concat", []string{g.aside("Reshape", []string{x.name, g.ints(-1)}), g.floats(plain, 1)}, ob.Int("axis", 0))}, ob.Int("keepdims", 0))
		return
	}
	rank := len(x.dims)
	switch k := g.IntN(16); {
	case k < 2:
		g.of(pick(g.draw, "Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Erf", "HardSwish"), x.dims, []string{x.name})
	case k < 5:
		g.combine(x)
	case rank == 0:
		g.of("Unsqueeze", []extents{fixed(1)}, []string{x.name, g.ints(0)})
	case k < 7:
		g.reduce(x)
	case k < 11:
		g.move(x)
	case k < 14:
		g.shapes(x)
	default:
		g.layer(x)
	}
}

func (g *sizes) combine(x sized) {
	op := pick(g.draw, "Add", "Sub", "Mul", "Max", "Min")
	y, dims := x.name, x.dims
	if g.chance(0.5) {
		of := make([]int64, len(x.dims))
		for i, e := range x.dims {
			if of[i] = 1; e.fixed() && g.chance(0.7) {
				of[i] = e[0]
			}
		}
		y = g.floats(plain, of[g.IntN(len(of)+1):]...)
	} else {
		for _, p := range g.pool {
			if s, ok := stretched(x.dims, p.dims); ok && volume(s) < 6000 && g.chance(0.6) {
				y, dims = p.name, s
			}
		}
	}
	in := []string{x.name, y}
	if g.chance(0.5) {
		in = []string{y, x.name}
	}
	v := g.of(op, dims, in)
	if op == "Mul" {
		g.of("Tanh", dims, []string{v.name})
	}
}

func (g *sizes) reduce(x sized) {
	rank := len(x.dims)
	axes := g.axes(rank, 1)
	keep := g.Int64N(2)
	var dims []extents
	for i, e := range x.dims {
		switch {
		case !slices.Contains(axes, int64(i)) && !slices.Contains(axes, int64(i-rank)):
			dims = append(dims, e)
			continue
		case keep == 1:
			dims = append(dims, fixed(1))
		}
	}
	op := pick(g.draw, "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2", "ReduceLogSumExp")
	if volumeLeast(x.dims) == 0 {
		op = pick(g.draw, "ReduceSum", "ReduceL2")
		for i := range axes { // ONNX Runtime gets others wrong
			if axes[i] < 0 {
				axes[i] += int64(rank)
			}
		}
		slices.Sort(axes)
	}
	switch g.IntN(4) {
	case 0:
		a := g.axis(rank)
		g.of(pick(g.draw, "Softmax", "LogSoftmax"), x.dims, []string{x.name}, ob.Int("axis", a))
	case 1:
		a := g.axis(rank)
		g.of("CumSum", x.dims, []string{x.name, g.scalar(a).name}, ob.Int("exclusive", g.Int64N(2)), ob.Int("reverse", g.Int64N(2)))
	default:
		g.of(op, dims, []string{x.name, g.ints(axes...)}, ob.Int("keepdims", keep))
	}
}

func (g *sizes) move(x sized) {
	rank := len(x.dims)
	a := g.IntN(rank)
	dims := slices.Clone(x.dims)
	e := dims[a]
	switch g.IntN(9) {
	case 0:
		perm := g.perm(rank)
		for i, p := range perm {
			dims[i] = x.dims[p]
		}
		g.of("Transpose", dims, []string{x.name}, ob.IntList("perm", perm...))
	case 1: // forwards or backwards, from either end
		from, to, step := g.between(-4, 4), g.between(-4, 6), pick(g.draw, int64(1), 1, 2, 3, -1, -2)
		if g.chance(0.2) {
			to = pick(g.draw, int64(1)<<62, -1<<62)
		}
		dims[a] = e.each(func(n int64) int64 { return sliceLength(n, from, to, step) })
		g.of("Slice", dims, []string{x.name, g.ints(from), g.ints(to), g.ints(int64(a)), g.ints(step)})
	case 2:
		pads := make([]int64, 2*rank)
		pads[a], pads[rank+a] = g.between(0, 3), g.between(0, 3)
		mode := "constant"
		if e.least() > 3 {
			mode = pick(g.draw, "constant", "edge", "reflect")
		}
		dims[a] = e.plus(fixed(pads[a] + pads[rank+a]))
		g.of("Pad", dims, []string{x.name, g.ints(pads...)}, ob.Str("mode", mode))
	case 3:
		in := []string{x.name}
		for _, p := range g.pool {
			if s := slices.Clone(p.dims); len(s) == rank && g.chance(0.7) && len(in) < 4 {
				s[a] = e
				if slices.Equal(s, x.dims) {
					in = append(in, p.name)
					dims[a] = dims[a].plus(p.dims[a])
				}
			}
		}
		g.of("Concat", dims, in, ob.Int("axis", int64(a)))
	case 4:
		if e.least() > 0 {
			k := g.between(1, 3)
			i := g.draw.constant(g.below(onnxpb.Int64, -e.least(), e.least(), k))
			dims[a] = fixed(k)
			g.of("Gather", dims, []string{x.name, i.name}, ob.Int("axis", int64(a)))
		}
	case 5:
		n := slices.Repeat([]int64{1}, rank)
		n[a] = g.between(1, 3)
		dims[a] = e.each(func(k int64) int64 { return k * n[a] })
		g.of("Tile", dims, []string{x.name, g.ints(n...)})
	case 6:
		if e == fixed(1) {
			g.of("Squeeze", slices.Delete(dims, a, a+1), []string{x.name, g.ints(int64(a))})
		} else {
			g.of("Unsqueeze", slices.Insert(dims, a, fixed(1)), []string{x.name, g.ints(int64(a))})
		}
	case 7:
		if e.least() < 1 {
			return
		}
		k := g.between(1, e.least())
		y := sized{dims: dims}
		y.dims[a] = fixed(k)
		ys := g.nodes("TopK", 2, []val{{name: x.name}, g.list(k)}, ob.Int("axis", int64(a)), ob.Int("largest", g.Int64N(2)))
		g.uses[x.name]++
		y.name = ys[0]
		g.pool = append(g.pool, y)
	default: // halves of an extent, rounded up
		if e.least() > 1 {
			ys := g.nodes("Split", 2, []val{{name: x.name}}, ob.Int("axis", int64(a)), ob.Int("num_outputs", 2))
			half := e.each(func(n int64) int64 { return (n + 1) / 2 })
			rest := slices.Clone(dims)
			for i := range e {
				rest[a][i] = e[i] - half[i]
			}
			dims[a] = half
			g.uses[x.name]++
			g.pool = append(g.pool, sized{ys[0], dims}, sized{ys[1], rest})
		}
	}
}

// sliceLength is how many elements a slice takes of n.
func sliceLength(n, from, to, step int64) int64 {
	clamp := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return max(lo, min(v, hi))
	}
	if step > 0 {
		return max(0, (clamp(to, 0, n)-clamp(from, 0, n)+step-1)/step)
	}
	return max(0, (clamp(from, 0, n-1)-clamp(to, -1, n-1)-step-1)/-step)
}
