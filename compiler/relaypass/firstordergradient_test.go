package relaypass_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// slopes are programs in which each operator that has a gradient occurs. N and M are random extents; values are of absolute 0.1 to 0.9 and positive
// where the name of the parameter begins with p, so that a small step meets no bend.
var slopes = []struct{ params, body string }{
	{"%x: f[(N, M)]", "log(%p)"},
	{"", "log2(%p)"},
	{"", "log10(%p)"},
	{"", "sqrt(%p)"},
	{"", "sin(%x)"},
	{"", "cos(%x)"},
	{"", "tan(%x)"},
	{"", "sinh(%x)"},
	{"", "cosh(%x)"},
	{"", "tanh(%x)"},
	{"", "asin(%x)"},
	{"", "acos(%x)"},
	{"", "atan(%x)"},
	{"", "asinh(%x)"},
	{"", "acosh(add(%p, 1f64))"},
	{"", "atanh(%x)"},
	{"", "exp(%x)"},
	{"", "sigmoid(%x)"},
	{"", "erf(%x)"},
	{"", "negative(%x)"},
	{"", "abs(%x)"},
	{"", "nn.relu(%x)"},
	{"", "copy(%x)"},
	{"", "clip(%x, a_min=-0.5f, a_max=0.05f)"},
	{"", `cast(cast(%x, dtype="float64"), dtype="float64")`},
	{"", "cast_like(%x, %p)"},
	{"", `multiply(%x, cast(cast(%x, dtype="int32"), dtype="float64"))`},
	{"%x: f[(N, M)], %y: f[(M)]", "add(%x, %y)"},
	{"%x: f[(M)], %y: f[(N, M)]", "subtract(%x, %y)"},
	{"%x: f[(N, 1)], %y: f[(1, M)]", "multiply(%x, %y)"},
	{"%x: f[(N, M)], %y: f[()]", "divide(%x, %y)"},
	{"", "add(%x, %x)"},
	{"", "multiply(zeros_like(%x), ones_like(%x))"},
	{"%x: f[(N, M)], %y: f[(M)]", "where(less(%x, 0f64), %x, %y)"},
	{"", "reshape(%x, newshape=[-1])"},
	{"%x: f[(N, M, 3)]", "contrib_reverse_reshape(%x, newshape=[-1, 3])"},
	{"%x: f[(N, M, 3)]", "nn.batch_flatten(%x)"},
	{"%x: f[(N, 1, M)]", "squeeze(%x, axis=[1])"},
	{"", "expand_dims(%x, axis=1, num_newaxis=2)"},
	{"%x: f[(N, M)], %y: f[(M, N)]", "reshape_like(%x, %y)"},
	{"%x: f[(N, M)], %y: f[(M)]", "collapse_sum_like(%x, %y)"},
	{"%x: f[(N, M)], %s: Tensor[(2), int32]", "collapse_sum_to(%x, %s, shape=[1, M])"},
	{"%x: f[(N, M, 2)]", "transpose(%x, axes=[2, 0, -2])"},
	{"", "transpose(%x)"},
	{"%x: f[(N, M)], %y: f[(N, 3)]", "concatenate((%x, %y, %x), axis=-1)"},
	{"%x: f[(N, M)], %y: f[(N, M)]", "stack((%x, %y, %x), axis=1)"},
	{"%x: f[(N, 6)]", "split(%x, indices_or_sections=3, axis=1).1"},
	{"%x: f[(7, M)]", "split(%x, indices_or_sections=[2, 3], axis=0).2"},
	{"%x: f[(6, M)]", "strided_slice(%x, begin=[1], end=[6], strides=[2])"},
	{"%x: f[(6, 5)]", "strided_slice(%x, begin=[-4, 1], end=[6, -1], strides=[1, 2], axes=[0, 1])"},
	{"%x: f[(6, 5)]", `strided_slice(%x, begin=[1, 0], end=[3, -1], slice_mode="size")`},
	{"%x: f[(N, M)], %i: Tensor[(4), int32]", "take(%x, %i, axis=0)"},
	{"%x: f[(2, N, M)], %i: Tensor[(4, 2), int64]", `take(%x, %i, axis=1, mode="wrap")`},
	{"%x: f[(N, M)], %i: Tensor[(4), int32]", "take(%x, %i)"},
	{"%x: f[(N, M)], %i: int32", "take(%x, %i, axis=-1)"},
	{"%x: f[(5, M)], %i: Tensor[(3), int32]", `take(%x, %i, axis=0, mode="fast")`},
	{"%x: f[(5, 5, M)], %i: Tensor[(2, 3), int32]", "gather_nd(%x, %i)"},
	{"%x: f[()], %y: f[()], %i: Tensor[(4), int32]", `one_hot(%i, %x, %y, depth=3, axis=-1, dtype="float64")`},
	{"%x: f[(4)]", `multiply(%x, arange(0f64, 4f64, 1f64, dtype="float64"))`},
	{"%x: f[(N, M, 2)]", "sum(%x, axis=[1])"},
	{"%x: f[(N, M, 2)]", "sum(%x, axis=[0, -1], keepdims=True)"},
	{"", "sum(%x)"},
	{"%x: f[(N, M, 2)]", "sum(%x, axis=[1], exclude=True)"},
	{"%x: f[(N, M, 2)]", "mean(%x, axis=[0, 2])"},
	{"", "mean(%x)"},
	{"", "max(%x, axis=[1])"},
	{"", "max(%x)"},
	{"%x: f[(N, M, 2)]", "variance(%x, mean(%x, axis=[1, 2], keepdims=True), axis=[1, 2])"},
	{"%x: f[(N, 3, 2)], %y: f[(N, 1, 1)]", "variance(%x, %y, axis=[1, 2], keepdims=True, unbiased=True)"},
	{"", "nn.softmax(%x, axis=0)"},
	{"", "nn.log_softmax(%x)"},
	{"%x: f[(2, N, M)], %y: f[(N)]", "nn.bias_add(%x, %y, axis=1)"},
	{"%x: f[(M)], %y: f[(M)]", "nn.bias_add(%x, %y, axis=-1)"},
	{"%x: f[(N, M)], %w: f[(3, M)]", "nn.dense(%x, %w, units=3)"},
	{"%x: f[(2, N, M)], %w: f[(3, M)]", "nn.dense(%x, %w)"},
	{"%x: f[(N, M)], %w: f[(M, 3)]", "nn.matmul(%x, %w)"},
	{"%x: f[(N, M)], %w: f[(3, M)]", "nn.matmul(%x, %w, transpose_b=True)"},
	{"%x: f[(M, N)], %w: f[(M, 3)]", "nn.matmul(%x, %w, transpose_a=True)"},
	{"%x: f[(M, N)], %w: f[(3, M)]", "nn.matmul(%x, %w, transpose_a=True, transpose_b=True)"},
	{"%x: f[(2, N, M)], %w: f[(M, 3)]", "nn.matmul(%x, %w)"},
	{"%x: f[(2, N, M)], %w: f[(2, 3, M)]", "nn.batch_matmul(%x, %w, transpose_b=True)"},
	{"%x: f[(2, M, N)], %w: f[(1, M, 3)]", "nn.batch_matmul(%x, %w, transpose_a=True)"},
	{"%x: f[(1, N, M)], %w: f[(2, M, 3)]", "nn.batch_matmul(%x, %w)"},
	{"%x: f[(2, M, N)], %w: f[(2, 3, M)]", "nn.batch_matmul(%x, %w, transpose_a=True, transpose_b=True)"},
	{"%x: f[(2, 4, 6, 7)], %w: f[(4, 2, 3, 2)]", "nn.conv2d(%x, %w, strides=[2, 1], padding=[1, 0, 0, 1], groups=2, channels=4, kernel_size=[3, 2])"},
	{"%x: f[(1, 3, 7, 6)], %w: f[(2, 3, 2, 3)]", "nn.conv2d(%x, %w, strides=[1, 2], dilation=[2, 1], channels=2, kernel_size=[2, 3])"},
	{"%x: f[(1, 2, 5, 6)]", "nn.max_pool2d(%x, pool_size=[2, 3], strides=[2, 2], padding=[1, 0, 0, 1])"},
	{"%x: f[(1, 2, 5, 6)]", "nn.avg_pool2d(%x, pool_size=[2, 3], strides=[2, 2], padding=[1, 0, 0, 1], count_include_pad=True)"},
	{"%x: f[(1, 2, 5, 6)]", "nn.global_avg_pool2d(%x)"},
	{"%x: f[(1, 5, 6, 2)]", `nn.global_avg_pool2d(%x, layout="NHWC")`},
	{"%p: f[(N, M)], %y: f[(N, M)]", "nn.cross_entropy(%p, %y)"},
	{"%x: f[(N, M)], %y: f[(N, M)]", "nn.cross_entropy_with_logits(%x, %y)"},
	{"", "(%x, (exp(%x), %x))"},
	{"%x: f[(N, M)], %y: f[(N, M)]", "(add(%x, %x), (%y, %y).1).0"},
	{"%t: (f[(N, M)], f[(N, M)])", "multiply(%t.0, exp(%t.1))"},
	{"%x: f[(N, M)], %q: f[(3)]", "%x"},
	{"%x: f[(N, M)], %y: f[(N, M)]", "(fn (%a: f[(N, M)], %b: f[(N, M)]) { multiply(%a, exp(%b)) })(%x, multiply(%x, %y))"},
}

// TestFirstOrderGradient compares derivatives with the difference that a small step makes.
func TestFirstOrderGradient(t *testing.T) {
	for i, x := range slopes {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			seed.Each(t, seed.Times(1, 20), func(t *testing.T, r *rand.Rand) {
				params := x.params
				if params == "" {
					params = "%x: f[(N, M)], %p: f[(N, M)]"
				}
				if strings.HasPrefix(params, "%x") && !strings.Contains(params, "%p") && strings.Contains(x.body, "%p") {
					params += ", %p: f[(N, M)]"
				}
				write := strings.NewReplacer("N", fmt.Sprint(1+r.IntN(3)), "M", fmt.Sprint(1+r.IntN(4)))
				text := write.Replace("def @main(" + params + ") { BODY }")
				text = strings.ReplaceAll(text, "BODY", strings.ReplaceAll(x.body, "[1, M]", write.Replace("[1, M]")))
				checkSlope(t, r, withTypes(write.Replace, text))
			})
		})
	}
}

// withTypes writes the types of tensors of float64 out.
func withTypes(extents func(string) string, text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "f[(")
		if at < 0 || at > 0 && text[at-1] != ' ' && text[at-1] != '(' {
			return b.String() + text
		}
		end := strings.Index(text[at:], ")]") + at
		b.WriteString(text[:at] + "Tensor[(" + extents(text[at+3:end]) + "), float64]")
		text = text[end+2:]
	}
}

// program of m after the passes that give it kernels.
func runnable(t passtest.Failer, m *ir.Module) *ir.Module {
	for _, p := range []*pass.Pass{relaypass.ToRelax, transform.DecomposeOps, transform.LegalizeOps} {
		var err error
		if m, err = passtest.NewContext().Run(p, m); err != nil {
			t.Fatalf("%v\n%s", err, passtest.Text(m))
		}
	}
	return m
}

func checkSlope(t *testing.T, r *rand.Rand, text string) {
	t.Helper()
	m := read(t, text)
	out, err := passtest.NewContext().Run(relaypass.FirstOrderGradient, m)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	passtest.WellFormed(t, "after FirstOrderGradient", out)
	if again, err := relay.Text(out); err != nil {
		t.Errorf("it cannot be printed: %v", err)
	} else if read(t, again) == nil {
		t.Error("it cannot be read")
	}
	f := ir.MustLookup[*relax.Function](m, "main")
	args, err := graphrun.Inputs(f, 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	var by []*tensor.Tensor // those of floats
	for i, p := range f.Params {
		for _, x := range graphrun.Tensors(args[i]) {
			for k := range int(x.Len()) {
				v := float64(r.IntN(3))
				if x.DType.IsFloat() {
					if v = 0.1 + 0.8*r.Float64(); p.Name != "p" && r.IntN(2) == 0 {
						v = -v
					}
				}
				x.SetFloat(k, v)
			}
			by = append(by, x)
		}
	}
	before, after := runnable(t, m), runnable(t, out)
	run := func(m *ir.Module) []*tensor.Tensor {
		v, err := graphrun.Run(context.Background(), m, "main", args...)
		if err != nil {
			t.Fatalf("%v in\n%s", err, passtest.Text(m))
		}
		return graphrun.Tensors(v)
	}
	total := func() float64 {
		sum := 0.0
		for _, x := range run(before) {
			for k := range int(x.Len()) {
				sum += x.Float(k)
			}
		}
		return sum
	}
	got := run(after)
	results := run(before)
	if d := passtest.Differ(got[:len(results)], results); d != "" {
		t.Fatalf("the result is another: %s\n%s", d, text)
	}
	got = got[len(results):]
	if len(got) != len(by) {
		t.Fatalf("%d derivatives by %d tensors", len(got), len(by))
	}
	for i, x := range by {
		for k := range int(x.Len()) {
			have, want := got[i].Float(k), 0.0
			if x.DType.IsFloat() {
				old := x.Float(k)
				const step = 1e-5
				x.SetFloat(k, old+step)
				up := total()
				x.SetFloat(k, old-step)
				want = (up - total()) / (2 * step)
				x.SetFloat(k, old)
			}
			if math.Abs(have-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("the derivative by element %d of parameter %d is %v, a step says %v\n%s\n%s", k, i, have, want, text, passtest.Text(out))
			}
		}
	}
}

// TestEveryRelayGradientIsTested finds rules that no program above checks. Of operators that make zeros and ones, and of those whose shapes are computed,
// there is nothing to check.
func TestEveryRelayGradientIsTested(t *testing.T) {
	all := ""
	for _, x := range slopes {
		all += x.body + "\n"
	}
	for here, there := range map[string]string{"transpose(": "permute_dims(", "concatenate(": "concat(", "cast(": "astype(", "nn.matmul(": "matmul("} {
		all = strings.ReplaceAll(all, here, here+there)
	}
	for _, name := range relaypass.GradientNames() {
		if strings.HasPrefix(name, "dyn.") || name == "zeros" || name == "ones" {
			continue
		}
		if !strings.Contains(all, name+"(") {
			t.Errorf("no program differentiates %s", name)
		}
	}
}

// TestFirstOrderGradientForm: values and adjoints are lets, a parameter that nothing uses gets zeros, and integers have no derivative.
func TestFirstOrderGradientForm(t *testing.T) {
	for before, want := range map[string]string{
		"def @main(%x: Tensor[(4), float32], %n: Tensor[(2), int32]) { %0 = exp(%x); multiply(%0, %x) }": `def @main(%x: Tensor[(4), float32], %n: Tensor[(2), int32]) -> (Tensor[(4), float32], (Tensor[(4), float32], Tensor[(2), int32])) {
  let %x1 = exp(%x);
  let %x2 = multiply(%x1, %x);
  let %ones = ones_like(%x2);
  let %x1_adjoint = multiply(%ones, %x);
  let %x_adjoint = multiply(%ones, %x1);
  %0 = multiply(%x1_adjoint, %x1);
  let %x_adjoint1 = add(%x_adjoint, %0);
  let %zeros = zeros_like(%n);
  (%x2, (%x_adjoint1, %zeros))
}`,
		"def @main(%x: Tensor[(4), float32]) { cast(%x, dtype=\"int32\") }": `def @main(%x: Tensor[(4), float32]) -> (Tensor[(4), int32], (Tensor[(4), float32],)) {
  let %x1 = cast(%x, dtype="int32");
  let %ones = ones_like(%x1);
  let %zeros = zeros_like(%x);
  (%x1, (%zeros,))
}`,
	} {
		out, _ := passtest.Check(t, passtest.NewContext(), relaypass.FirstOrderGradient, read(t, before))
		got, err := relay.Text(out)
		if err != nil || strings.TrimSpace(strings.SplitN(got, "\n", 2)[1]) != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
}

func TestFirstOrderGradientErrors(t *testing.T) {
	for text, want := range map[string]string{
		"def @main(%x: Tensor[(4), float32]) { let %y = exp(%x); %y }":                                                                                        "at y: it is bound by a let, and only graphs can be differentiated: run relay.ToGraphNormalForm",
		"def @main(%x: Tensor[(4), float32], %p: bool) { if (%p) { %x } else { exp(%x) } }":                                                                   "branches cannot be differentiated",
		"def @f(%x: Tensor[(4), float32]) { exp(%x) } def @main(%x: Tensor[(4), float32]) { @f(%x) }":                                                         "inline them first, by the attribute Inline=1 and relay.Inline",
		"def @main(%x: Tensor[(4), float32]) { floor(%x) }":                                                                                                   "the operator floor has no gradient",
		"def @main(%x: Tensor[(4), float32], %f: fn (Tensor[(4), float32]) -> Tensor[(4), float32]) { %f(%x) }":                                               "parameter f is ",
		"def @main(%x: Tensor[(4), float32]) { fn (%y: Tensor[(4), float32]) { add(%x, %y) } }":                                                               "only tensors and tuples of them can be differentiated",
		"def @main(%x: Tensor[(4, 4), float32]) { strided_slice(%x, begin=[3], end=[0], strides=[-1]) }":                                                      "there is a gradient only of slices forwards",
		"def @main(%x: Tensor[(1, 4, 4, 2), float32], %w: Tensor[(3, 3, 2, 2), float32]) { nn.conv2d(%x, %w, data_layout=\"NHWC\", kernel_layout=\"HWIO\") }": "the data_layout is NHWC; it takes NCHW: run relay.ConvertLayout",
	} {
		_, err := passtest.NewContext().Run(relaypass.FirstOrderGradient, read(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected: %s", text, err, want)
		}
	}
	// Functions that call each other twice double what is written out.
	body := ""
	for i := 1; i < 30; i++ {
		body += fmt.Sprintf("  %%%d = fn (%%a%d: Tensor[(4), float32]) { %%%d(%%%d(%%a%d)) };\n", i, i, i-1, i-1, i)
	}
	text := "def @main(%x: Tensor[(4), float32]) {\n  %0 = fn (%a0: Tensor[(4), float32]) { exp(%a0) };\n" + body + "  %29(%x)\n}"
	if _, err := passtest.NewContext().Run(relaypass.FirstOrderGradient, read(t, text)); err == nil || !strings.Contains(err.Error(), "more than 100000 values") {
		t.Error(err)
	}
}
