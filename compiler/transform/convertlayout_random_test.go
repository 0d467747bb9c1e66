package transform_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"pgregory.net/rapid"
)

// layoutGraph draws dataflow graphs of all operators that have a layout rule, and of some that have none.
type layoutGraph struct {
	t    *rapid.T
	bb   *relax.BlockBuilder
	vars []*relax.Var
	seed uint64
}

func (g *layoutGraph) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.t, what) }

// emit binds a call, and takes no more of it where it is large.
func (g *layoutGraph) emit(e relax.Expr) *relax.Var {
	v := must(g.bb.Emit(e, ""))
	if d := dimsOfVar(v); d != nil {
		n := int64(1)
		for _, x := range d {
			n *= x
		}
		if n <= 3000 && len(d) <= 5 {
			g.vars = append(g.vars, v)
		}
	}
	return v
}

func dimsOfVar(v *relax.Var) []int64 {
	if t, ok := v.SInfo.(*relax.TensorStructInfo); ok && t.DType == dtype.Float32T {
		if d, ok := t.StaticDims(); ok {
			return d
		}
	}
	return nil
}

func (g *layoutGraph) weight(dims ...int64) *relax.Constant {
	g.seed++
	return weight(g.seed, dims...)
}

// call emits a call of an operator with attributes.
func (g *layoutGraph) call(name string, attrs *ir.Attrs, args ...relax.Expr) *relax.Var {
	return g.emit(must(op.New("relax."+name, args, attrs)))
}

// indices is a constant of numbers below n.
func (g *layoutGraph) indices(n int64, dims ...int64) *relax.Constant {
	x := tensor.MustNew(dtype.Int64T, dims...)
	for i := range x.Len() {
		x.SetInt(int(i), (int64(i)*7+3)%n)
	}
	return &relax.Constant{Data: must(ir.NewBlob(dtype.Int64T, dims, x.Data))}
}

// step adds an operator.
func (g *layoutGraph) step() {
	v := g.vars[g.pick(len(g.vars), "value")]
	d := dimsOfVar(v)
	axis := 0
	if len(d) > 0 {
		axis = g.pick(len(d), "axis")
	}
	signed := int64(axis)
	if g.pick(2, "negative") == 1 {
		signed -= int64(len(d))
	}
	kind := g.pick(34, "kind")
	switch {
	case len(d) == 4 && kind < 12:
		g.image(v, d, kind)
		return
	case len(d) == 3 && kind == 0:
		g.call("nn.conv1d", ir.NewAttrs("padding", []int64{1}), v, g.weight(2, d[1], 2))
		return
	case len(d) == 0:
		g.call("tanh", nil, v)
		return
	}
	switch kind {
	case 12:
		g.call("nn.relu", nil, v)
	case 13:
		g.call("add", nil, v, g.weight(d[axis:]...))
	case 14:
		g.call("multiply", nil, g.weight(d...), v)
	case 15:
		g.call("subtract", nil, v, weight(g.seed))
	case 16:
		low := slices.Clone(d)
		low[axis] = 1
		g.call("maximum", nil, v, g.weight(low...))
	case 17:
		g.call("ewise_fma", nil, v, v, g.weight(d...))
	case 18:
		axes := []int64{signed}
		if next := (int64(axis) + 1) % int64(len(d)); len(d) > 1 && g.pick(2, "two") == 1 {
			axes = append(axes, next)
		}
		g.call([]string{"sum", "max", "mean"}[g.pick(3, "reduce")], ir.NewAttrs("axis", axes, "keepdims", g.pick(2, "keep") == 1), v)
	case 19:
		g.call("nn.softmax", ir.NewAttrs("axis", signed), v)
	case 20:
		if g.pick(2, "rms") == 1 {
			g.call("nn.rms_norm", ir.NewAttrs("axes", []int64{signed}), v, g.weight(d[axis]))
			return
		}
		axes, dims := []int64{int64(axis)}, []int64{d[axis]}
		if axis+1 < len(d) {
			axes, dims = append(axes, int64(axis+1)), append(dims, d[axis+1])
		}
		g.call("nn.layer_norm", ir.NewAttrs("axes", axes), v, g.weight(dims...), g.weight(dims...))
	case 21:
		g.call("concat", ir.NewAttrs("axis", signed), &relax.Tuple{Fields: []relax.Expr{v, g.same(d)}})
	case 22:
		cut := int64(1)
		if half := d[axis] / 2; half > 1 && g.pick(2, "half") == 1 { // parts may be whole blocks
			cut = half
		}
		s := g.call("split", ir.NewAttrs("indices_or_sections", []int64{cut}, "axis", signed), v)
		if d[axis] > 1 {
			g.emit(&relax.TupleGetItem{Tuple: s, Index: g.pick(2, "part")})
		}
	case 23:
		g.call("stack", ir.NewAttrs("axis", signed), &relax.Tuple{Fields: []relax.Expr{v, g.same(d)}})
	case 24:
		g.call("squeeze", nil, g.call("expand_dims", ir.NewAttrs("axis", []int64{signed}), v))
	case 25:
		order := rapid.Permutation(identity(len(d))).Draw(g.t, "order")
		g.call("permute_dims", ir.NewAttrs("axes", order), v)
	case 26:
		attrs := ir.NewAttrs("repeats", int64(2), "axis", signed)
		if g.pick(3, "flat") == 0 {
			attrs = ir.NewAttrs("repeats", int64(2), "axis", nil)
		}
		g.call("repeat", attrs, v)
	case 27:
		repeats := make([]int64, 1+g.pick(len(d)+1, "repeats"))
		for i := range repeats {
			repeats[i] = 1 + int64((i+axis)%2)
		}
		g.call("tile", ir.NewAttrs("repeats", repeats), v)
	case 28:
		g.call("flip", ir.NewAttrs("axis", signed), v)
	case 29:
		one := []tir.Expr{tir.Int(0)}
		g.emit(op.StridedSlice(v, []int64{signed}, one, []tir.Expr{tir.Int(max(1, d[axis]-1))}, nil))
	case 30:
		g.call("gather_elements", ir.NewAttrs("axis", int64(axis)), v, g.indices(d[axis], d...))
	case 31:
		if g.pick(2, "nd") == 1 {
			g.call("scatter_nd", nil, v, g.indices(d[0], 1, 1), g.weight(append([]int64{1}, d[1:]...)...))
			return
		}
		part := slices.Clone(d)
		part[axis] = 1
		g.call("scatter_elements", ir.NewAttrs("axis", int64(axis)), v, g.indices(d[axis], part...), g.weight(part...))
	case 32:
		t := g.emit(&relax.Tuple{Fields: []relax.Expr{v, g.vars[0]}})
		g.emit(&relax.TupleGetItem{Tuple: t, Index: g.pick(2, "field")})
	case 33:
		v := must(g.bb.EmitMatchCast(v, relax.TensorOf(dtype.Float32T, relax.Ints(d)...), ""))
		g.vars = append(g.vars, v)
	default:
		g.call("tanh", nil, v)
	}
}

// same returns a value of that shape: one that is there or a constant.
func (g *layoutGraph) same(d []int64) relax.Expr {
	for _, v := range slices.Backward(g.vars) {
		if slices.Equal(dimsOfVar(v), d) && g.pick(2, "there") == 1 {
			return v
		}
	}
	return g.weight(d...)
}

// image adds an operator on batches of images in layout NCHW, or NHWC where that is drawn.
func (g *layoutGraph) image(v *relax.Var, d []int64, kind int) {
	n, attr := d[1], "NCHW"
	if g.pick(3, "last") == 0 {
		n, attr = d[3], "NHWC"
	}
	switch kind {
	case 0, 1, 2, 3, 4:
		out, out2 := []int64{2, 4, 8}[g.pick(3, "out")], attr
		groups := int64(1)
		if n%2 == 0 && g.pick(3, "groups") == 0 {
			groups = 2
		}
		g.call("nn.conv2d", ir.NewAttrs("data_layout", attr, "out_layout", out2, "padding", []int64{0, 1}, "groups", groups), v, g.weight(out, n/groups, 1, 2))
	case 5:
		g.call("nn.conv2d_transpose", ir.NewAttrs("data_layout", attr, "out_layout", attr), v, g.weight(n, 4, 1, 2))
	case 6, 7:
		g.call([]string{"nn.max_pool2d", "nn.avg_pool2d"}[kind-6], ir.NewAttrs("pool_size", []int64{2, 2}, "padding", []int64{1}, "layout", attr, "out_layout", attr), v)
	case 8:
		g.call("nn.adaptive_avg_pool2d", ir.NewAttrs("output_size", []int64{1, 2}, "layout", attr, "out_layout", attr), v)
	case 9:
		g.call("image.resize2d", ir.NewAttrs("layout", attr, "method", "nearest_neighbor"), v, &relax.ShapeExpr{Values: relax.Ints([]int64{3, 2})})
	case 10:
		p := func() relax.Expr { return positive(d[1]) }
		b := g.call("nn.batch_norm", ir.NewAttrs("axis", int64(1), "training", false), v, p(), p(), p(), p())
		g.emit(&relax.TupleGetItem{Tuple: b, Index: 0})
	case 11:
		switch g.pick(3, "norm") {
		case 0:
			g.call("nn.prelu", ir.NewAttrs("axis", int64(1)), v, g.weight(d[1]))
		case 1:
			g.call("nn.group_norm", ir.NewAttrs("num_groups", int64(1), "channel_axis", int64(1), "axes", []int64{2, 3}), v, g.weight(d[1]), g.weight(d[1]))
		case 2:
			g.call("nn.instance_norm", ir.NewAttrs("channel_axis", int64(1), "axes", []int64{2, 3}), v, g.weight(d[1]), g.weight(d[1]))
		}
	}
}

func identity(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

func drawLayoutGraph(t *rapid.T) *ir.Module {
	g := &layoutGraph{t: t, bb: op.NewBlockBuilder(nil)}
	x := &relax.Var{Name: "x", SInfo: relax.TensorOf(dtype.Float32T, relax.Ints([]int64{2, 4, 3, 4})...)}
	g.bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	g.bb.BeginDataflow()
	g.vars = []*relax.Var{x}
	g.image(x, []int64{2, 4, 3, 4}, 0)
	for range 1 + g.pick(8, "steps") {
		g.step()
	}
	var results []relax.Expr
	for _, v := range g.vars[max(0, len(g.vars)-3):] {
		results = append(results, v)
	}
	out := relax.Expr(must(g.bb.EmitOutput(&relax.Tuple{Fields: results}, "")))
	g.bb.EndDataflow()
	must(g.bb.EndFunction(out))
	return g.bb.Module()
}

// layoutChoices are desired layouts, some of which fit and some do not.
var layoutChoices = []*ir.Attrs{
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"NHWC", "OHWI"}),
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"NCHW4c", "OIHW4o"}),
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"NHWC2c", "OHWI2i2o"}),
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"N2nCHW2c", "OIHW", "NCHW2c"}),
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"CWHN", "HWIO"}, "relax.nn.conv1d", []ir.Value{"NWC", "WIO"}, "relax.image.resize2d", []ir.Value{"NHWC"}),
	ir.NewAttrs("relax.nn.conv2d", []ir.Value{"NHWC", "OHWI", "WCNH"}, "relax.nn.conv2d_transpose", []ir.Value{"NCHW2c", "IOHW2o"}),
	{},
}

func TestConvertLayoutKeepsMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawLayoutGraph(t)
		p := must(transform.ConvertLayout.With(ir.NewAttrs("desired_layouts", rapid.SampledFrom(layoutChoices).Draw(t, "layouts"))))
		want := outputs(t, m, 2, false)
		out, _ := check(t, passtest.NewContext(), p, m)
		sameOutputs(t, want, outputs(t, out, 2, false))
		if t.Failed() {
			t.Fatalf("%s made\n%s\nof\n%s", p.Name, passtest.Text(out), passtest.Text(m))
		}
	})
}
