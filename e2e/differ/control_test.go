package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(graphOfControl, "control")
}

// control is a graph with branches and loops, whose bodies read values from outside of them.
type control struct {
	*graph
	depth int
}

func graphOfControl(d *draw) {
	c := &control{graph: d.graph()}
	d.opset = max(d.opset, 18)
	d.batch = false
	d.symbolic = d.chance(0.4)
	dims := d.filled(1, 3)
	for i := range dims {
		dims[i] = min(dims[i], 5)
		if d.symbolic {
			dims[i] = max(dims[i], 2)
		}
	}
	c.join(c.input(d.values(onnxpb.Float, plain, dims...)))
	c.join(c.input(d.values(onnxpb.Float, plain, dims...)))
	for range d.between(1, 3) {
		c.flow()
		if d.chance(0.5) {
			c.plain()
		}
	}
	c.finish()
}

// plain adds a node that keeps the shape of a value.
func (c *control) plain() val {
	x := c.some()
	y := x
	for _, p := range c.pool {
		if slices.Equal(p.dims, x.dims) && c.chance(0.5) {
			y = p
		}
	}
	switch c.IntN(5) {
	case 0:
		return c.of(pick(c.draw, "Relu", "Neg", "Abs", "Tanh", "Sigmoid"), x.dims, []val{x})
	case 1:
		if len(x.dims) > 0 {
			return c.of("CumSum", x.dims, []val{c.of("Tanh", x.dims, []val{x}), c.scalar(c.axis(len(x.dims)))})
		}
	case 2:
		if len(x.dims) > 0 {
			return c.of("Softmax", x.dims, []val{x}, ob.Int("axis", c.axis(len(x.dims))))
		}
	}
	return c.of(pick(c.draw, "Add", "Sub", "Max", "Min"), x.dims, []val{x, y})
}

// body is a graph with some inputs, whose values are those of outside and what build adds.
func (c *control) body(inputs []val, build func() []val) *onnxpb.Graph {
	outer, pool, uses := c.b, c.pool, c.uses
	inner := ob.New("body", c.opset)
	for _, in := range inputs {
		inner.Input(in.name, in.dt, c.unknown(in)...)
	}
	c.b, c.pool, c.uses = inner, slices.Clone(pool), map[string]int{}
	for _, in := range inputs {
		if in.dt == onnxpb.Float {
			c.pool = append(c.pool, in)
		}
	}
	c.depth++
	for _, out := range build() {
		name := c.name("r")
		inner.NodeOut("Identity", c.name("keep"), []string{out.name}, []string{name})
		inner.Output(name, out.dt, c.unknown(out)...)
	}
	c.depth--
	c.b, c.pool, c.uses = outer, pool, uses
	return inner.Model().Graph
}

// unknown are extents that are not said, as many as v has.
func (c *control) unknown(v val) []any {
	out := make([]any, len(v.dims))
	for i := range out {
		out[i] = c.name("u")
	}
	return out
}

// truth is a condition that follows from data.
func (c *control) truth(x val) val {
	if c.chance(0.15) {
		return c.constant(tensor.MustOf(nil, []bool{c.chance(0.5)}))
	}
	s := val{c.node("ReduceSum", []val{x}, ob.Int("keepdims", 0)), onnxpb.Float, nil}
	return val{c.node("Greater", []val{s, c.constant(c.values(onnxpb.Float, plain))}), onnxpb.Bool, nil}
}

func (c *control) flow() {
	switch c.IntN(3) {
	case 0:
		c.branch()
	case 1:
		c.loop()
	default:
		c.scan()
	}
}

// more adds nodes of a body, at times with bodies in it.
func (c *control) more() {
	for range c.between(1, 3) {
		if c.depth < 3 && c.chance(0.25) {
			c.flow()
		} else {
			c.plain()
		}
	}
}

// like is a value of the shape of x, which was made last if there is one.
func (c *control) like(x val) val {
	var list []val
	for _, p := range c.pool {
		if slices.Equal(p.dims, x.dims) {
			list = append(list, p)
		}
	}
	if c.chance(0.6) {
		return list[len(list)-1]
	}
	return list[c.IntN(len(list))]
}

func (c *control) branch() {
	x := c.some()
	cond := c.truth(x)
	n := int(c.between(1, 2))
	side := func() *onnxpb.Graph {
		return c.body(nil, func() []val {
			if c.chance(0.8) {
				c.more()
			}
			out := make([]val, n)
			for i := range out {
				out[i] = c.like(x)
			}
			return out
		})
	}
	ys := c.nodes("If", n, []val{cond}, ob.Graph("then_branch", side()), ob.Graph("else_branch", side()))
	for _, y := range ys {
		c.join(val{y, onnxpb.Float, x.dims}, x)
	}
}

func (c *control) loop() {
	x := c.some()
	scans := c.IntN(2)
	turns := c.between(int64(scans), 4) // of no turns ONNX Runtime collects what has one axis
	limit := c.scalar(turns)
	if c.depth == 0 && c.chance(0.4) {
		limit = c.input(tensor.MustOf(nil, []int64{turns}))
	}
	start, stops := none, c.chance(0.4)
	if c.chance(0.5) {
		start = c.constant(tensor.MustOf(nil, []bool{scans > 0 || c.chance(0.9)}))
		if c.chance(0.2) && scans == 0 {
			start = c.truth(x)
		}
	}
	carried := []val{x}
	if c.chance(0.5) {
		carried = append(carried, c.some())
	}
	ins := []val{{c.name("i"), onnxpb.Int64, nil}, {c.name("go"), onnxpb.Bool, nil}}
	for _, v := range carried {
		ins = append(ins, val{c.name("v"), onnxpb.Float, v.dims})
	}
	body := c.body(ins, func() []val {
		if c.chance(0.5) { // the number of the turn
			f := val{c.node("Cast", []val{ins[0]}, ob.Int("to", int64(onnxpb.Float))), onnxpb.Float, nil}
			c.of("Add", ins[2].dims, []val{ins[2], f})
		}
		c.more()
		out := []val{ins[1]}
		if stops {
			out[0] = c.truth(c.like(ins[2]))
		}
		for _, v := range ins[2:] {
			out = append(out, c.like(v))
		}
		for range scans {
			out = append(out, c.like(ins[2]))
		}
		return out
	})
	ys := c.nodes("Loop", len(carried)+scans, append([]val{limit, start}, carried...), ob.Graph("body", body))
	for i, v := range carried {
		c.join(val{ys[i], onnxpb.Float, v.dims}, v)
	}
	if scans > 0 { // of as many rows as turns: not known
		c.out(ys[len(carried)], onnxpb.Float)
	}
}

func (c *control) scan() {
	x := c.some()
	if len(x.dims) == 0 {
		return
	}
	a := c.IntN(len(x.dims))
	part := slices.Delete(slices.Clone(x.dims), a, a+1)
	state := val{c.node("ReduceMax", []val{x, c.list(int64(a))}, ob.Int("keepdims", 0)), onnxpb.Float, part}
	ins := []val{{c.name("state"), onnxpb.Float, part}, {c.name("part"), onnxpb.Float, part}}
	body := c.body(ins, func() []val {
		c.of("Sub", part, []val{ins[0], ins[1]})
		c.more()
		return []val{c.like(ins[0]), c.like(ins[0])}
	})
	out := c.Int64N(int64(len(x.dims)))
	ys := c.nodes("Scan", 2, []val{state, x}, ob.Graph("body", body), ob.Int("num_scan_inputs", 1), ob.IntList("scan_input_axes", int64(a)),
		ob.IntList("scan_output_axes", out), ob.IntList("scan_input_directions", c.Int64N(2)), ob.IntList("scan_output_directions", c.Int64N(2)))
	c.join(val{ys[0], onnxpb.Float, part}, x)
	c.join(val{ys[1], onnxpb.Float, slices.Insert(slices.Clone(part), int(out), x.dims[a])}, x)
}
