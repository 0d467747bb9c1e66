package transform_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// sloped makes random calls of operators on parameters. The values are of absolute 0.1 to 2, so that a difference of 1e-5 meets no bend.
type sloped struct {
	*rand.Rand
	symbolic bool
	params   []string
	by       []string // those to differentiate by
	inputs   []*tensor.Tensor
}

// dims returns n extents, now and then 1.
func (s *sloped) dims(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = []int64{1, 2, 2, 3, 3, 4}[s.IntN(6)]
	}
	return out
}

// orEmpty returns n extents, now and then 1, seldom 0.
func (s *sloped) orEmpty(n int) []int64 {
	out := s.dims(n)
	for i := range out {
		if s.IntN(12) == 0 {
			out[i] = 0
		}
	}
	return out
}

// within returns extents that broadcast to d.
func (s *sloped) within(d []int64) []int64 {
	out := append([]int64{}, d[s.IntN(len(d)+1):]...)
	for i := range out {
		if s.IntN(4) == 0 {
			out[i] = 1
		}
	}
	return out
}

// x adds a parameter of positive numbers, or of any.
func (s *sloped) x(positive bool, d ...int64) string {
	t := tensor.MustNew(dtype.Float64T, d...)
	for i := range int(t.Len()) {
		v := 0.1 + 1.9*s.Float64()
		if !positive && s.IntN(2) == 0 {
			v = -v
		}
		t.SetFloat(i, v)
	}
	name := s.param(t, "float64")
	s.by = append(s.by, name)
	return name
}

// index adds a parameter of numbers from 0 to n-1.
func (s *sloped) index(n int64, d ...int64) string {
	t := tensor.MustNew(dtype.Int64T, d...)
	for i := range int(t.Len()) {
		t.SetFloat(i, float64(s.Int64N(n)))
	}
	return s.param(t, "int64")
}

func (s *sloped) param(t *tensor.Tensor, dt string) string {
	name := fmt.Sprintf("x%d", len(s.params))
	s.params = append(s.params, fmt.Sprintf("%s: R.Tensor((%s), %q)", name, s.extents(t.Shape), dt))
	s.inputs = append(s.inputs, t)
	return name
}

// extents writes extents, those above 1 as symbolic ones where they may be.
func (s *sloped) extents(d []int64) string {
	var b strings.Builder
	for _, n := range d {
		if s.symbolic && n > 1 {
			fmt.Fprintf(&b, "\"n%d\",", n)
		} else {
			fmt.Fprintf(&b, "%d,", n)
		}
	}
	return b.String()
}

// axes returns some axes of a tensor of n dimensions as an argument, "None" now and then.
func (s *sloped) axes(n int) string {
	if s.IntN(4) == 0 || n == 0 {
		return "None"
	}
	var out []string
	for i := range n {
		if s.IntN(2) == 0 {
			out = append(out, fmt.Sprint(i-n*s.IntN(2)))
		}
	}
	if len(out) == 0 {
		return "None"
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (s *sloped) flag() string { return []string{"True", "False"}[s.IntN(2)] }

// axis returns one axis.
func (s *sloped) axis(n int) int { return s.IntN(2*n) - n }

// slopes are the operators, with how a random call is made. What needs numbers as extents is static.
var slopes = []struct {
	op     string
	static bool
	call   func(s *sloped) string
}{
	{"add", false, binarySlope("add", false)},
	{"subtract", false, binarySlope("subtract", false)},
	{"multiply", false, binarySlope("multiply", false)},
	{"divide", false, binarySlope("divide", false)},
	{"power", false, binarySlope("power", true)},
	{"maximum", false, binarySlope("maximum", false)},
	{"minimum", false, binarySlope("minimum", false)},
	{"where", false, func(s *sloped) string {
		d := s.orEmpty(s.IntN(4))
		return fmt.Sprintf("R.where(R.less(%s, R.const(0.0, \"float64\")), %s, %s)", s.x(false, s.within(d)...), s.x(false, s.within(d)...), s.x(false, d...))
	}},
	{"abs", false, unarySlope("abs", false)},
	{"cos", false, unarySlope("cos", false)},
	{"exp", false, unarySlope("exp", false)},
	{"log", false, unarySlope("log", true)},
	{"negative", false, unarySlope("negative", false)},
	{"sigmoid", false, unarySlope("sigmoid", false)},
	{"sin", false, unarySlope("sin", false)},
	{"sqrt", false, unarySlope("sqrt", true)},
	{"tanh", false, unarySlope("tanh", false)},
	{"nn.relu", false, unarySlope("nn.relu", false)},
	{"nn.silu", false, unarySlope("nn.silu", false)},
	{"sum", false, reduceSlope("sum")},
	{"mean", true, reduceSlope("mean")},
	{"variance", true, reduceSlope("variance")},
	{"cumsum", false, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		axis := fmt.Sprint(s.axis(len(d)))
		if s.IntN(3) == 0 {
			axis = "None"
		}
		return fmt.Sprintf("R.cumsum(%s, axis=%s, exclusive=%s)", s.x(false, d...), axis, s.flag())
	}},
	{"triu", false, func(s *sloped) string {
		return fmt.Sprintf("R.triu(%s, %d)", s.x(false, s.dims(2+s.IntN(2))...), s.IntN(4)-2)
	}},
	{"permute_dims", false, func(s *sloped) string {
		d := s.orEmpty(1 + s.IntN(4))
		axes := "None"
		if s.IntN(3) > 0 {
			var list []string
			for _, a := range s.Perm(len(d)) {
				list = append(list, fmt.Sprint(a-len(d)*s.IntN(2)))
			}
			axes = "[" + strings.Join(list, ", ") + "]"
		}
		return fmt.Sprintf("R.permute_dims(%s, axes=%s)", s.x(false, d...), axes)
	}},
	{"concat", true, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		axis := s.axis(len(d))
		var parts []string
		for range 1 + s.IntN(3) {
			d[(axis+len(d))%len(d)] = 1 + s.Int64N(3)
			parts = append(parts, s.x(false, d...))
		}
		parts = append(parts, parts[0])
		return fmt.Sprintf("R.concat((%s), axis=%d)", strings.Join(parts, ", "), axis)
	}},
	{"split", true, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		axis := s.axis(len(d))
		d[(axis+len(d))%len(d)] = 6
		return fmt.Sprintf("R.multiply(R.split(%s, indices_or_sections=%s, axis=%d)[%d], R.const(3.0, \"float64\"))", s.x(false, d...), []string{"3", "[1, 4]", "[2, 5]"}[s.IntN(3)], axis, s.IntN(3))
	}},
	{"expand_dims", false, func(s *sloped) string {
		return fmt.Sprintf("R.expand_dims(%s, axis=%s)", s.x(false, s.dims(1+s.IntN(2))...), []string{"0", "-1", "[0, 2]", "[1, -1]"}[s.IntN(4)])
	}},
	{"reshape", true, func(s *sloped) string {
		d := s.dims(3)
		return fmt.Sprintf("R.reshape(%s, R.shape([%d, %d]))", s.x(false, d...), d[0]*d[1], d[2])
	}},
	{"broadcast_to", true, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		return fmt.Sprintf("R.broadcast_to(%s, R.shape([%s]))", s.x(false, s.within(d)...), s.extents(d))
	}},
	{"matmul", false, func(s *sloped) string {
		batch, d := s.dims(s.IntN(3)), s.dims(3)
		a, b := append(s.within(batch), d[0], d[1]), append(s.within(batch), d[1], d[2])
		switch s.IntN(5) {
		case 0:
			a = []int64{d[1]}
		case 1:
			b = []int64{d[1]}
		case 2:
			a, b = []int64{d[1]}, []int64{d[1]}
		}
		return fmt.Sprintf("R.matmul(%s, %s)", s.x(false, a...), s.x(false, b...))
	}},
	{"astype", false, func(s *sloped) string {
		return fmt.Sprintf("R.astype(%s, \"float64\")", s.x(false, s.dims(2)...))
	}},
	{"nn.softmax", false, softmaxSlope("nn.softmax")},
	{"nn.log_softmax", false, softmaxSlope("nn.log_softmax")},
	{"nn.cross_entropy_with_logits", true, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		return fmt.Sprintf("R.nn.cross_entropy_with_logits(%s, %s)", s.x(false, d...), s.x(false, d...))
	}},
	{"nn.nll_loss", true, func(s *sloped) string {
		d, classes := s.dims(s.IntN(3)), 2+s.Int64N(3)
		if len(d) == 0 {
			return fmt.Sprintf("R.nn.nll_loss(%s, %s, reduction=\"sum\")", s.x(false, classes), s.index(classes))
		}
		at := append([]int64{d[0], classes}, d[1:]...)
		p, t, w := s.x(false, at...), s.index(classes, d...), ""
		if s.IntN(2) == 0 {
			w = ", " + s.x(true, classes)
			s.by = s.by[:1]
		}
		return fmt.Sprintf("R.nn.nll_loss(%s, %s%s, reduction=\"%s\")", p, t, w, []string{"none", "sum", "mean"}[s.IntN(3)])
	}},
	{"take", false, func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		axis := s.axis(len(d))
		at := s.dims(1)
		if !s.symbolic && s.IntN(3) == 0 {
			at = s.dims(s.IntN(3))
		}
		return fmt.Sprintf("R.take(%s, %s, axis=%d)", s.x(false, d...), s.index(d[(axis+len(d))%len(d)], at...), axis)
	}},
	{"nn.conv2d", true, func(s *sloped) string {
		groups, stride, dilation := 1+s.Int64N(2), s.window(2), s.window(2)
		in, out, k := groups*(1+s.Int64N(2)), groups*(1+s.Int64N(2)), s.window(3)
		x := s.x(false, 1+s.Int64N(2), in, 5+s.Int64N(3), 6+s.Int64N(2))
		w := s.x(false, out, in/groups, k[0], k[1])
		return fmt.Sprintf("R.nn.conv2d(%s, %s, strides=[%d, %d], padding=[%d, %d, %d, %d], dilation=[%d, %d], groups=%d)",
			x, w, stride[0], stride[1], s.IntN(2), s.IntN(2), s.IntN(2), s.IntN(2), dilation[0], dilation[1], groups)
	}},
	{"nn.max_pool2d", true, poolSlope("nn.max_pool2d")},
	{"nn.avg_pool2d", true, poolSlope("nn.avg_pool2d")},
}

// window returns two numbers from 1 to n.
func (s *sloped) window(n int64) [2]int64 { return [2]int64{1 + s.Int64N(n), 1 + s.Int64N(n)} }

func binarySlope(name string, positive bool) func(*sloped) string {
	return func(s *sloped) string {
		d := s.orEmpty(s.IntN(4))
		return fmt.Sprintf("R.%s(%s, %s)", name, s.x(positive, s.within(d)...), s.x(positive, s.within(d)...))
	}
}

func unarySlope(name string, positive bool) func(*sloped) string {
	return func(s *sloped) string { return fmt.Sprintf("R.%s(%s)", name, s.x(positive, s.orEmpty(s.IntN(3))...)) }
}

func reduceSlope(name string) func(*sloped) string {
	return func(s *sloped) string {
		d := s.orEmpty(s.IntN(4))
		return fmt.Sprintf("R.%s(%s, axis=%s, keepdims=%s)", name, s.x(false, d...), s.axes(len(d)), s.flag())
	}
}

// poolSlope makes a pooling. In ceil mode a window may lie behind the data, whose greatest element is so low that no step can be seen: there the
// windows of a maximum leave out nothing.
func poolSlope(name string) func(*sloped) string {
	return func(s *sloped) string {
		size, stride, ceil := s.window(3), s.window(3), s.IntN(2) == 0
		x := s.x(false, 1+s.Int64N(2), 1+s.Int64N(2), 5+s.Int64N(3), 5+s.Int64N(3))
		var pad [4]int64
		for k := range 2 {
			if ceil && name == "nn.max_pool2d" {
				stride[k] = min(stride[k], size[k])
			} else {
				pad[k], pad[k+2] = s.Int64N(min(2, size[k])), s.Int64N(min(2, size[k]))
			}
		}
		mode := map[bool]string{true: "True", false: "False"}[ceil]
		return fmt.Sprintf("R.%s(%s, pool_size=[%d, %d], strides=[%d, %d], padding=[%d, %d, %d, %d], ceil_mode=%s, count_include_pad=%s)",
			name, x, size[0], size[1], stride[0], stride[1], pad[0], pad[1], pad[2], pad[3], mode, s.flag())
	}
}

func softmaxSlope(name string) func(*sloped) string {
	return func(s *sloped) string {
		d := s.dims(1 + s.IntN(3))
		return fmt.Sprintf("R.%s(%s, axis=%d)", name, s.x(false, d...), s.axis(len(d)))
	}
}

// text returns a function whose result is a scalar that depends on the call, each element with its own weight.
func (s *sloped) text(call string) string {
	return "@R.function\ndef main(" + strings.Join(s.params, ", ") + `):
    with R.dataflow():
        z = ` + call + `
        s = R.sin(z)
        p = R.multiply(s, z)
        loss = R.sum(p)
        R.output(loss)
    return loss
`
}

// TestGradients compares the derivatives of every operator that has one with the difference that a small step makes.
func TestGradients(t *testing.T) {
	for _, x := range slopes {
		t.Run(x.op, func(t *testing.T) {
			seed.Each(t, seed.Times(6, 200), func(t *testing.T, r *rand.Rand) {
				s := &sloped{Rand: r, symbolic: !x.static && r.IntN(2) == 0}
				text := s.text(x.call(s))
				checkGradient(t, text, s.by, s.inputs)
			})
		})
	}
}

// TestEveryGradientIsTested finds operators whose derivatives no random call checks. For some there is nothing to check: they have none.
func TestEveryGradientIsTested(t *testing.T) {
	tested := map[string]bool{}
	for _, x := range slopes {
		tested["relax."+x.op] = true
	}
	for _, n := range strings.Fields("equal greater greater_equal less less_equal not_equal zeros_like ones_like full_like zeros ones full grad.no_grad") {
		tested["relax."+n] = true
	}
	for _, o := range append(op.All(), op.Relay()...) {
		if o.HasGradient() && !tested[o.Name] {
			t.Errorf("no test differentiates %s", o.Name)
		}
	}
}

// checkGradient compares what main_adjoint returns with what steps of the inputs make of main.
func checkGradient(t passtest.Failer, text string, by []string, inputs []*tensor.Tensor) {
	t.Helper()
	names := make([]ir.Value, len(by))
	for i, n := range by {
		names[i] = n
	}
	before := read(t, text)
	p := must(transform.Gradient.With(ir.NewAttrs("func_name", "main", "require_grads", names)))
	after := runPass(t, passtest.NewContext(), p, before)
	passtest.WellFormed(t, "after Gradient", after)
	lowered := runPass(t, passtest.NewContext(), transform.LegalizeOps, after)
	programs := map[string]*interp.Program{}
	run := func(name string) []*tensor.Tensor {
		f := ir.MustLookup[*relax.Function](lowered, name)
		ev := &evaluator{ctx: context.Background(), mod: lowered, vals: map[*relax.Var]any{}, syms: map[*tir.Var]tir.Expr{}, programs: programs}
		for i, p := range f.Params {
			ev.vals[p] = inputs[i]
			ev.match(p.SInfo, inputs[i])
		}
		out, err := ev.seq(f.Body)
		if err != nil {
			t.Fatalf("%v\n%s", err, passtest.Text(after))
		}
		return flat(out)
	}
	results := run("main_adjoint")
	if got, want := results[0].Float(0), run("main")[0].Float(0); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("main_adjoint returns %v, main %v", got, want)
	}
	params := ir.MustLookup[*relax.Function](before, "main").Params
	for k, name := range by {
		var in *tensor.Tensor
		for i, p := range params {
			if p.Name == name {
				in = inputs[i]
			}
		}
		got := results[1+k]
		for i := range int(in.Len()) {
			difference := func(step float64) float64 {
				old := in.Float(i)
				in.SetFloat(i, old+step)
				up := run("main")[0].Float(0)
				in.SetFloat(i, old-step)
				down := run("main")[0].Float(0)
				in.SetFloat(i, old)
				return (up - down) / (2 * step)
			}
			want := difference(1e-5)
			bound := 1e-5*(1+math.Abs(want)) + math.Abs(difference(2e-5)-want) // thrice the error where the function is bent
			if have := got.Float(i); math.Abs(have-want) > bound || math.IsNaN(have) != math.IsNaN(want) {
				t.Fatalf("the derivative by element %d of %s is %v, a step says %v\n%s", i, name, have, want, passtest.Text(after))
			}
		}
	}
}
