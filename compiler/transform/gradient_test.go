package transform_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// loss is a function of x that sums what the statements call y.
func loss(params, statements string) string {
	return "@R.function\ndef main(" + params + "):\n    with R.dataflow():\n        " +
		strings.ReplaceAll(strings.TrimSpace(statements), "\n", "\n        ") + "\n        z = R.sum(y)\n        R.output(z)\n    return z\n"
}

func TestGradientRefuses(t *testing.T) {
	const x = `x: R.Tensor((3,), "float32")`
	main := ir.NewAttrs("func_name", "main")
	of := func(name string) *ir.Attrs { return main.With("require_grads", []ir.Value{name}) }
	runPairs(t, transform.Gradient,
		pair{name: "no function is named", before: loss(x, "y = R.exp(x)")},
		pair{name: "no such function", args: ir.NewAttrs("func_name", "f"), before: loss(x, "y = R.exp(x)"), err: "func_name: the module has no function called f"},
		pair{name: "no such variable", args: of("w"), before: loss(x, "y = R.exp(x)"), err: "require_grads: main has no variable called w"},
		pair{name: "a variable twice", args: main.With("require_grads", []ir.Value{"x", "x"}), before: loss(x, "y = R.exp(x)"), err: "require_grads: x is there twice"},
		pair{name: "by integers", args: of("i"), before: loss(x+`, i: R.Tensor((2,), "int64")`, "y = R.take(x, i, axis=0)"), err: `require_grads: i is Tensor((2,), "int64"); there are derivatives only by tensors of floating-point numbers and tuples of them`},
		pair{name: "by a shape", args: main, before: loss(x+`, s: R.Shape(["n"])`, "y = R.exp(x)"), err: `parameter s is Shape((n,)), which has no derivative: list others in require_grads`},
		pair{name: "no derivative", args: main, before: loss(x, "y = R.erf(x)"), err: "at y: relax.erf has no gradient"},
		pair{name: "an unknown shape", args: main, before: loss(`x: R.Tensor(ndim=1, dtype="float32")`, "y = R.exp(x)"), err: `at z: gradient of relax.sum: the shape of argument 0, Tensor(ndim=1, "float32"), is not known: name its extents with R.match_cast before the dataflow block`},
		pair{name: "symbolic extents", args: main, before: loss(`x: R.Tensor(("n", 2), "float32")`, "y = R.mean(x, axis=0)"), err: "at y: gradient of relax.mean: argument 0 has symbolic extents, (n, 2); it needs numbers: bind them with BindSymbolicVars"},
		pair{name: "a symbolic batch", args: main, before: loss(`x: R.Tensor(("n", 2), "float32")`, "y = R.nn.cross_entropy_with_logits(x, x)"), err: "at y: gradient of relax.nn.cross_entropy_with_logits: the batch n is symbolic; it needs a number: bind it with BindSymbolicVars"},
		pair{name: "a mode of take", args: of("x"), before: loss(x+`, i: R.Tensor((2,), "int64")`, `y = R.take(x, i, axis=0, mode="clip")`), err: `the mode is "clip"; only indices that are inside are known to have a gradient, of mode "fast"`},
		pair{name: "a layout", args: main, before: loss(`x: R.Tensor((1, 4, 4, 2), "float32"), w: R.Tensor((2, 2, 3, 3), "float32")`, `y = R.nn.conv2d(x, w, data_layout="NHWC")`), err: "gradient of relax.nn.conv2d: the data_layout is NHWC; it takes NCHW: run ConvertLayout"},
		pair{name: "a cast", args: main, before: loss(x, `y = R.match_cast(x, R.Tensor((3,), "float32"))`), err: "at y: a match_cast cannot be differentiated: put it before the dataflow block's function, by giving the parameters their shapes"},
		pair{name: "a marked constant", args: main, before: loss(x, `c = R.grad.start_checkpoint(R.const(1.0, "float32"))`+"\ny = R.add(x, c)"), err: "at c: the argument of relax.grad.start_checkpoint must be a variable"},
		pair{name: "a call", args: main, before: `
@I.ir_module
class Module:
    @R.function(private=True)
    def f(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        return x

    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            y = Module.f(x)
            z = R.sum(y)
            R.output(z)
        return z
`, err: "at y: calls of functions cannot be differentiated: inline f first, by InlinePrivateFunctions"},
		pair{name: "a kernel", args: main, before: kernelToDifferentiate("call_tir", "", ""), err: "at y: the derivative of f is not known: call it by R.call_tir_with_grad, with a te_grad_name, or run Gradient before LegalizeOps"},
		pair{name: "a kernel without its derivative", args: main, before: kernelToDifferentiate("call_tir_with_grad", `, te_grad_name="g"`, ""), err: "at y: te_grad_name: the module has no PrimFunc called g, of the adjoint and the 1 arguments, that computes the derivatives"},
	)
}

// kernelToDifferentiate is a module with a function that calls a kernel.
func kernelToDifferentiate(op, attrs, more string) string {
	kernel := func(name, params, value string) string {
		return "    @T.prim_func(private=True)\n    def " + name + "(" + params + `, out: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            with T.block("b"):
                v = T.axis.spatial(T.int64(3), i)
                out[v] = ` + value + "\n\n"
	}
	const a = `a: T.Buffer((T.int64(3),), "float32")`
	text := "@I.ir_module\nclass Module:\n" + kernel("f", a, "a[v] * a[v]")
	if more != "" {
		text += kernel(more, `grad: T.Buffer((T.int64(3),), "float32"), `+a, "T.float32(2) * a[v] * grad[v]")
	}
	return text + `    @R.function
    def main(x: R.Tensor((3,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.` + op + `(cls.f, (x,), out_sinfo=R.Tensor((3,), dtype="float32")` + attrs + `)
            z = R.sum(y)
            R.output(z)
        return z
`
}

// TestGradientOfKernel differentiates a kernel whose derivative the module holds.
func TestGradientOfKernel(t *testing.T) {
	m := read(t, kernelToDifferentiate("call_tir_with_grad", `, te_grad_name="g"`, "g"))
	p := must(transform.Gradient.With(ir.NewAttrs("func_name", "main")))
	out, _ := check(t, passtest.NewContext(), p, m)
	text := passtest.Text(out)
	for _, want := range []string{"R.call_tir(cls.f, (x,)", "R.call_tir(cls.g, (y_adjoint, x)"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}

// TestGradientOfRegisteredKernel differentiates a kernel whose derivative a Go function makes.
func TestGradientOfRegisteredKernel(t *testing.T) {
	m := read(t, kernelToDifferentiate("call_tir_with_grad", `, te_grad_name="g"`, ""))
	square := func(bb *relax.BlockBuilder, call *relax.Call, grad relax.Expr) ([]relax.Expr, error) {
		kernel := ir.MustLookup[*tir.PrimFunc](read(t, kernelToDifferentiate("call_tir", "", "made")), "made")
		x := call.Args[1].(*relax.Tuple).Fields[0]
		made := op.CallTIR(bb.AddFunc("made", kernel), []relax.Expr{grad, x}, []relax.StructInfo{relax.SInfoOf(x)})
		return []relax.Expr{made}, nil
	}
	p := must(transform.GradientWith(map[string]transform.KernelGradient{"g": square}).With(ir.NewAttrs("func_name", "main")))
	out, _ := check(t, passtest.NewContext(), p, m)
	if text := passtest.Text(out); !strings.Contains(text, "R.call_tir(cls.made, (y_adjoint, x)") || out.Lookup("made") == nil {
		t.Errorf("the kernel is not called in\n%s", text)
	}
	none := func(*relax.BlockBuilder, *relax.Call, relax.Expr) ([]relax.Expr, error) { return nil, nil }
	p = must(transform.GradientWith(map[string]transform.KernelGradient{"g": none}).With(ir.NewAttrs("func_name", "main")))
	if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.HasSuffix(err.Error(), "te_grad_name: g gives 0 derivatives for 1 arguments") {
		t.Errorf("the error is %v", err)
	}
}

// gradientProgram writes a random function of tensors, tuples and checkpoints.
func gradientProgram(r *rand.Rand, s *sloped) string {
	var vars, tuples []string
	for range 1 + r.IntN(3) {
		vars = append(vars, s.x(false, 2, 2))
	}
	var b strings.Builder
	n := 0
	bind := func(format string, args ...any) string {
		name := fmt.Sprintf("v%d", n)
		n++
		fmt.Fprintf(&b, "%s = "+format+"\n", append([]any{name}, args...)...)
		return name
	}
	pick := func() string { return vars[max(r.IntN(len(vars)), r.IntN(len(vars)))] }
	for range 4 + r.IntN(14) {
		switch k := r.IntN(12); {
		case k < 2:
			vars = append(vars, bind("R.%s(%s)", []string{"sin", "tanh", "negative", "sigmoid"}[r.IntN(4)], pick()))
		case k < 4:
			vars = append(vars, bind("R.%s(%s, %s)", []string{"add", "subtract", "multiply"}[r.IntN(3)], pick(), pick()))
		case k == 4:
			vars = append(vars, bind("R.matmul(%s, %s)", bind("R.permute_dims(%s)", pick()), bind("R.permute_dims(%s)", pick())))
		case k == 5:
			vars = append(vars, bind("R.permute_dims(%s)", pick()))
		case k == 6:
			tuples = append(tuples, bind("(%s, R.const([[1.0, 2.0], [3.0, 4.0]], \"float64\"), (%s, %s))", pick(), pick(), pick()))
		case k == 7 && len(tuples) > 0:
			t := tuples[r.IntN(len(tuples))]
			vars = append(vars, bind("%s[0]", t), bind("%s[%d]", bind("%s[2]", t), r.IntN(2)))
		case k == 8 && len(tuples) > 0:
			tuples = append(tuples, bind("%s", tuples[r.IntN(len(tuples))]))
		case k == 9:
			vars = append(vars, bind("R.split(R.concat((%s, %s), axis=0), indices_or_sections=2, axis=0)[%d]", pick(), pick(), r.IntN(2)))
		case k == 10:
			vars = append(vars, bind("R.grad.%s_checkpoint(%s)", []string{"start", "end"}[r.IntN(2)], pick()))
		default:
			vars = append(vars, bind("%s", pick()))
		}
	}
	last := vars[len(vars)-1]
	return "@R.function\ndef main(" + strings.Join(s.params, ", ") + "):\n    with R.dataflow():\n        " +
		strings.ReplaceAll(b.String(), "\n", "\n        ") + "y = R.multiply(" + last + ", " + last + ")\n        z = R.sum(y)\n        R.output(z)\n    return z\n"
}

// TestGradientPrograms compares the derivatives of random functions with the difference that a small step makes.
func TestGradientPrograms(t *testing.T) {
	seed.Each(t, seed.Times(60, 3000), func(t *testing.T, r *rand.Rand) {
		s := &sloped{Rand: r}
		text := gradientProgram(r, s)
		checkGradient(t, text, s.by, s.inputs)
	})
}

// wideProgram sums n fields of a tuple of parameters, each of them twice.
func wideProgram(n int) string {
	fields := strings.TrimSuffix(strings.Repeat(`R.Tensor((2,), "float32"), `, n), ", ")
	var b strings.Builder
	fmt.Fprintf(&b, "@R.function\ndef main(w: R.Tuple(%s)):\n    with R.dataflow():\n        v0 = w[0]\n", fields)
	for i := range 2 * n {
		fmt.Fprintf(&b, "        p%d = w[%d]\n        v%d = R.multiply(v%d, p%d)\n", i, i%n, i+1, i, i)
	}
	fmt.Fprintf(&b, "        z = R.sum(v%d)\n        R.output(z)\n    return z\n", 2*n)
	return b.String()
}

// TestGradientIsLinear differentiates long chains and wide tuples: the bindings of the derivative grow as those of the function.
func TestGradientIsLinear(t *testing.T) {
	size := func(text string) int {
		p := must(transform.Gradient.With(ir.NewAttrs("func_name", "main")))
		out := runPass(t, passtest.NewContext(), p, read(t, text))
		n := 0
		relax.EachBinding(ir.MustLookup[*relax.Function](out, "main_adjoint").Body, func(*relax.BindingBlock, relax.Binding) { n++ })
		return n
	}
	if small, large := size(wideProgram(100)), size(wideProgram(400)); large > 5*small {
		t.Errorf("%d bindings for 100 fields, %d for 400", small, large)
	}
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("v0 = R.grad.start_checkpoint(x)\n")
		for i := range n {
			fmt.Fprintf(&b, "v%d = R.sin(v%d)\n", i+1, i)
		}
		fmt.Fprintf(&b, "y = R.grad.end_checkpoint(v%d)", n)
		return loss(`x: R.Tensor((2,), "float32")`, b.String())
	}
	if small, large := size(chain(1000)), size(chain(4000)); large > 5*small {
		t.Errorf("%d bindings for a chain of 1000, %d for one of 4000", small, large)
	}
}

// TestGradientOfDecomposed differentiates a normalization behind DecomposeOpsForTraining.
func TestGradientOfDecomposed(t *testing.T) {
	m := read(t, loss(`x: R.Tensor((3, 4), "float32"), g: R.Tensor((4,), "float32")`, "y = R.nn.layer_norm(x, g, g, axes=[-1])"))
	p := must(transform.Gradient.With(ir.NewAttrs("func_name", "main")))
	out := runPass(t, passtest.NewContext(), pass.NewSequential("", transform.DecomposeOpsForTraining, p), m)
	passtest.WellFormed(t, "after both", out)
	if out.Lookup("main_adjoint") == nil {
		t.Error("there is no derivative")
	}
}
