package models

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// images is a network under construction, of parts that networks for images are made of: what they do to layouts, to channels that fill blocks or do
// not, and to what lies between two parts is what no single operator shows.
type images struct {
	*onnxbuild.Builder
	r *rand.Rand
	n int
}

// feature is a value of one image, of channels and equal height and width.
type feature struct {
	name    string
	c, size int64
}

func (g *images) fresh() string { g.n++; return fmt.Sprintf("n%d", g.n) }

func (g *images) node(op string, ins []string, attrs ...onnxpb.Attribute) string {
	return g.Node(op, g.fresh(), ins, attrs...)
}

func (g *images) weights(spread float64, dims ...int64) string {
	return g.Weights(g.fresh(), 0, spread, dims...)
}

func (g *images) ints(list ...int64) string {
	return g.Initializer(g.fresh(), onnxbuild.Shape(list...))
}

// channels are numbers of which blocks of 16 are whole, may be filled up, or are not worth it.
func (g *images) channels() int64 { return []int64{16, 32, 16, 48, 24, 31, 8, 3}[g.r.IntN(8)] }

func (g *images) conv(x feature, out, k, stride, groups int64) feature {
	w := g.weights(1.5/float64(k)/float64(max(1, x.c/groups)), out, x.c/groups, k, k)
	p := k / 2
	y := g.node("Conv", []string{x.name, w, g.weights(.2, out)}, onnxbuild.IntList("kernel_shape", k, k), onnxbuild.IntList("pads", p, p, p, p),
		onnxbuild.IntList("strides", stride, stride), onnxbuild.Int("group", groups))
	return feature{y, out, (x.size-1)/stride + 1}
}

// activated applies an activation, or none.
func (g *images) activated(x feature) feature {
	switch g.r.IntN(6) {
	case 0:
		x.name = g.node("Mul", []string{x.name, g.node("Sigmoid", []string{x.name})})
	case 1:
		x.name = g.node("LeakyRelu", []string{x.name}, onnxbuild.Float("alpha", .125))
	case 2:
		x.name = g.node("PRelu", []string{x.name, g.weights(.5, x.c, 1, 1)})
	case 3:
		x.name = g.node("HardSwish", []string{x.name})
	case 4:
		x.name = g.node("Relu", []string{x.name})
	}
	return x
}

func (g *images) add(x, y feature) feature {
	x.name = g.node("Add", []string{x.name, y.name})
	return x
}

func (g *images) reshaped(x string, dims ...int64) string {
	return g.node("Reshape", []string{x, g.ints(dims...)})
}

// part continues with one of the parts.
func (g *images) part(x feature) feature {
	switch kind := g.r.IntN(13); {
	case kind < 3:
		return g.activated(g.conv(x, g.channels(), []int64{1, 3}[g.r.IntN(2)], 1+int64(g.r.IntN(2)), 1))
	case kind == 3: // inverted residual with squeeze and excitation
		y := g.activated(g.conv(x, 2*x.c, 1, 1, 1))
		y = g.activated(g.conv(y, y.c, 3, 1, y.c))
		s := feature{g.node("GlobalAveragePool", []string{y.name}), y.c, 1}
		s = g.conv(g.activated(g.conv(s, max(1, y.c/4), 1, 1, 1)), y.c, 1, 1, 1)
		y.name = g.node("Mul", []string{y.name, g.node("Sigmoid", []string{s.name})})
		return g.add(x, g.conv(y, x.c, 1, 1, 1))
	case kind == 4: // halves, of which one goes on
		half := g.channels()
		x = g.activated(g.conv(x, 2*half, 1, 1, 1))
		g.NodeOut("Split", g.fresh(), []string{x.name, g.ints(half, half)}, []string{x.name + "_a", x.name + "_b"}, onnxbuild.Int("axis", 1))
		a, b := feature{x.name + "_a", half, x.size}, feature{x.name + "_b", half, x.size}
		c := g.add(b, g.activated(g.conv(b, half, 3, 1, 1)))
		return feature{g.node("Concat", []string{a.name, b.name, c.name}, onnxbuild.Int("axis", 1)), 3 * half, x.size}
	case kind == 5 && x.size > 2:
		op := []string{"MaxPool", "AveragePool"}[g.r.IntN(2)]
		return feature{g.node(op, []string{x.name}, onnxbuild.IntList("kernel_shape", 3, 3), onnxbuild.IntList("strides", 2, 2), onnxbuild.IntList("pads", 1, 1, 1, 1)), x.c, (x.size-1)/2 + 1}
	case kind == 6 && x.size < 12: // finer, and beside what it is made of
		mode := []string{"nearest", "linear"}[g.r.IntN(2)]
		y := g.node("Resize", []string{x.name, "", g.Initializer(g.fresh(), onnxbuild.Floats([]int64{4}, 1, 1, 2, 2))}, onnxbuild.Str("mode", mode))
		z := g.node("ConvTranspose", []string{x.name, g.weights(.3, x.c, x.c, 2, 2)}, onnxbuild.IntList("kernel_shape", 2, 2), onnxbuild.IntList("strides", 2, 2))
		return feature{g.node("Concat", []string{y, z}, onnxbuild.Int("axis", 1)), 2 * x.c, 2 * x.size}
	case kind == 7 && x.c%4 == 0: // channels shuffled, in groups
		y := g.reshaped(x.name, 1, 4, x.c/4, x.size, x.size)
		y = g.node("Transpose", []string{y}, onnxbuild.IntList("perm", 0, 2, 1, 3, 4))
		return g.conv(feature{g.reshaped(y, 1, x.c, x.size, x.size), x.c, x.size}, x.c, 3, 1, 4)
	case kind == 8 && x.c%2 == 0: // normalized in groups, as exported before there was an operator for it
		y := g.reshaped(x.name, 0, 2, -1)
		y = g.node("InstanceNormalization", []string{y, g.Weights(g.fresh(), 1, .1, 2), g.weights(.1, 2)})
		y = g.reshaped(y, 1, x.c, x.size, x.size)
		return g.activated(feature{g.node("Mul", []string{y, g.Weights(g.fresh(), 1, .2, x.c, 1, 1)}), x.c, x.size})
	case kind == 9: // attention between places
		flat := g.node("Transpose", []string{g.reshaped(x.name, 1, x.c, -1)}, onnxbuild.IntList("perm", 0, 2, 1))
		q, k, v := g.node("MatMul", []string{flat, g.weights(.3, x.c, 8)}), g.node("MatMul", []string{flat, g.weights(.3, x.c, 8)}), g.node("MatMul", []string{flat, g.weights(.3, x.c, x.c)})
		s := g.node("Softmax", []string{g.node("MatMul", []string{q, g.node("Transpose", []string{k}, onnxbuild.IntList("perm", 0, 2, 1))})}, onnxbuild.Int("axis", -1))
		y := g.node("Transpose", []string{g.node("MatMul", []string{s, v})}, onnxbuild.IntList("perm", 0, 2, 1))
		return g.add(x, feature{g.reshaped(y, 1, x.c, x.size, x.size), x.c, x.size})
	case kind == 10: // depthwise in front of a normalization of channels, which are the last axis there
		y := g.node("Transpose", []string{g.conv(x, x.c, 5, 1, x.c).name}, onnxbuild.IntList("perm", 0, 2, 3, 1))
		y = g.node("LayerNormalization", []string{y, g.Weights(g.fresh(), 1, .1, x.c), g.weights(.1, x.c)}, onnxbuild.Int("axis", -1))
		y = g.node("MatMul", []string{g.node("Gelu", []string{g.node("MatMul", []string{y, g.weights(.3, x.c, 2*x.c)})}), g.weights(.3, 2*x.c, x.c)})
		return g.add(x, feature{g.node("Transpose", []string{y}, onnxbuild.IntList("perm", 0, 3, 1, 2)), x.c, x.size})
	case kind == 11: // a window over another border
		y := g.node("Pad", []string{x.name, g.ints(0, 0, 1, 1, 0, 0, 1, 1)}, onnxbuild.Str("mode", []string{"edge", "constant"}[g.r.IntN(2)]))
		return feature{g.node("Conv", []string{y, g.weights(.5/float64(x.c), x.c, x.c, 3, 3)}, onnxbuild.IntList("kernel_shape", 3, 3)), x.c, x.size}
	}
	return g.activated(g.add(x, g.conv(x, x.c, 1, 1, 1)))
}

// TestImageNetworks compares random networks with themselves as the interpreter runs them without passes that are optional.
func TestImageNetworks(t *testing.T) {
	h := newHarness(t)
	var targets []target.Target
	for _, k := range target.CodeKinds() {
		tg, err := compiler.ForMachine(target.Of(k.Name))
		if err != nil {
			t.Logf("without %s: %v", k.Name, err)
			continue
		}
		targets = append(targets, tg)
	}
	seed.Each(t, 12, func(t *testing.T, r *rand.Rand) {
		g := &images{Builder: onnxbuild.New("images", 20), r: r}
		x := feature{"x", g.channels(), []int64{5, 8, 11}[r.IntN(3)]}
		g.Input(x.name, onnxpb.Float, 1, int(x.c), int(x.size), int(x.size))
		in := tensor.MustNew(dtype.Float32T, 1, x.c, x.size, x.size)
		for i := range in.Len() {
			in.SetFloat(i, r.Float64()*2-1)
		}
		for range 3 + r.IntN(4) {
			if x.c > 96 || x.c*x.size*x.size > 1<<13 {
				x = g.conv(x, 16, 1, 2, 1)
			}
			x = g.part(x)
		}
		g.Output(x.name, onnxpb.Float)
		mod := h.importModel(g.Model())
		sets := [][]*tensor.Tensor{{in}}
		want, err := h.compileAndRun(mod, settings{target: target.Of("interp"), level: 0}, sets)
		if err != nil {
			t.Fatal(err)
		}
		for _, tg := range targets {
			got, err := h.compileAndRun(mod, settings{target: tg, level: 2, verify: true}, sets)
			if err != nil {
				t.Errorf("%s: %v\n%s", tg, err, g.described())
				continue
			}
			d, err := tensor.Compare(got[0][0], want[0][0], tensor.Tolerance{RTol: 1e-3, ATol: 1e-4})
			if err != nil || !d.OK() {
				t.Errorf("%s: %v %v\n%s", tg, d, err, g.described())
			}
		}
	})
}

// described lists the nodes of a network.
func (g *images) described() string {
	out := ""
	for _, n := range g.Model().Graph.Nodes {
		out += fmt.Sprintln(n.OpType, n.Inputs, n.Outputs)
	}
	return out
}
