package transform_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

func anyOf(op string, args ...dpl.Pattern) dpl.Pattern {
	if args == nil {
		args = []dpl.Pattern{dpl.Wildcard(), dpl.Wildcard()}
	}
	return dpl.Op(op, args...)
}

var (
	conv     = func() dpl.Pattern { return anyOf("relax.nn.conv2d") }
	convRelu = func() dpl.Pattern { return anyOf("relax.nn.relu", conv()) }
)

// convs returns a module whose main has a body.
func convs(body string) string {
	return `
@R.function
def main(x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((4, 4, 3, 3), "float32"), v: R.Tensor((4, 4, 3, 3), "float32")):
    with R.dataflow():
        ` + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n        ") + "\n"
}

// functionNames returns the names of the functions of a module besides main.
func functionNames(m *ir.Module) []string {
	var out []string
	for gv := range m.Funcs() {
		if gv.Name != "main" {
			out = append(out, gv.Name)
		}
	}
	slices.Sort(out)
	return out
}

// TestFuseOpsByPattern follows the cases of TVM's tests of the pass: which functions come out.
func TestFuseOpsByPattern(t *testing.T) {
	twice := convs("a = R.nn.relu(R.nn.conv2d(x, w, padding=(1, 1)))\nb = R.nn.relu(R.nn.conv2d(a, v))\nR.output(b)") + "    return b\n"
	branch := convs("a = R.nn.conv2d(x, w)\nb = R.nn.relu(a)\nc = R.nn.gelu(a)\nd = R.add(b, c)\nR.output(d)") + "    return d\n"
	named := func(list ...any) (out []transform.FusionPattern) {
		for i := 0; i < len(list); i += 2 {
			out = append(out, transform.FusionPattern{Name: list[i].(string), Pattern: list[i+1].(dpl.Pattern)})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		text     string
		patterns []transform.FusionPattern
		want     []string
		has      string // in the text of the result
	}{
		{"two chains", twice, named("dnnl.conv2d_relu", convRelu()), []string{"fused_relax_nn_conv2d_relax_nn_relu", "fused_relax_nn_conv2d_relax_nn_relu1"}, `"Composite": "dnnl.conv2d_relu"`},
		{"part of the chains", twice, named("dnnl.conv2d", conv()), []string{"fused_relax_nn_conv2d", "fused_relax_nn_conv2d1"}, "R.nn.relu(lv)"},
		{"the larger pattern first", twice, named("dnnl.conv2d_relu", convRelu(), "dnnl.conv2d", conv()), []string{"fused_relax_nn_conv2d_relax_nn_relu", "fused_relax_nn_conv2d_relax_nn_relu1"}, ""},
		{"what one pattern took is gone for the next", twice, named("dnnl.conv2d", conv(), "dnnl.conv2d_relu", convRelu()), []string{"fused_relax_nn_conv2d", "fused_relax_nn_conv2d1"}, ""},
		{"two results", branch, named("dnnl.conv2d_relu", convRelu()), []string{"fused_relax_nn_conv2d_relax_nn_relu"}, "c: R.Tensor((1, 4, 3, 3), dtype=\"float32\") = R.nn.gelu(a)"},
		{"all of a diamond", branch, named("a.diamond", func() dpl.Pattern {
			c := conv()
			return anyOf("relax.add", anyOf("relax.nn.relu", c), anyOf("relax.nn.gelu", c))
		}()), []string{"fused_relax_nn_conv2d_relax_nn_relu_relax_nn_gelu_relax_add"}, ""},
		{"no pattern", twice, nil, nil, ""},
		{"an or, of which the larger match counts", twice, func() []transform.FusionPattern {
			c := conv()
			return named("a.or", dpl.Or(c, anyOf("relax.nn.relu", c)))
		}(), []string{"fused_relax_nn_conv2d_relax_nn_relu", "fused_relax_nn_conv2d_relax_nn_relu1"}, ""},
		{"a tuple as result", convs("t = R.split(x, 2, axis=1)\na = R.add(t[0], t[1])\nR.output(a)") + "    return a\n", named("x.split", anyOf("relax.split", dpl.Wildcard())), []string{"fused_relax_split"}, "-> R.Tuple("},
		{"fields of a tuple", convs("t = R.split(x, 2, axis=1)\na = R.add(t[0], t[1])\nR.output(a)") + "    return a\n", func() []transform.FusionPattern {
			s := anyOf("relax.split", dpl.Wildcard())
			return named("x.split", anyOf("relax.add", dpl.GetItem(s, 0), dpl.GetItem(s, 1)))
		}(), []string{"fused_relax_split_relax_add"}, ""},
		{
			"an operand of which fields are used", convs("t = R.split(x, 2, axis=1)\nu = t[1]\na = R.nn.relu(u)\nb = R.nn.relu(t[0])\nR.output(a, b)") + "    return (a, b)\n",
			named("x.relu", anyOf("relax.nn.relu", dpl.GetItem(dpl.Wildcard(), 1))),
			[]string{"fused_relax_nn_relu"},
			"t_1: R.Tensor((1, 2, 5, 5), dtype=\"float32\")",
		},
		{
			"a tuple in the call", convs("a = R.abs(x)\nb = R.abs(x)\nc = R.concat([a, b], axis=0)\nR.output(c)") + "    return c\n",
			named("x.concat", anyOf("relax.concat", dpl.Tuple(anyOf("relax.abs", dpl.Wildcard()), anyOf("relax.abs", dpl.Wildcard())))),
			[]string{"fused_relax_abs_relax_abs_relax_concat"},
			"",
		},
		{"scalars stay", convs("a = R.clip(x, 0, 4)\nR.output(a)") + "    return a\n", named("x.clip", anyOf("relax.clip", dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard())), []string{"fused_relax_clip"}, "R.clip(x, R.prim_value(0), R.prim_value(4))"},
		{"a function that would depend on itself", convs("a = R.abs(x)\nb = R.exp(a)\nc = R.add(a, b)\nR.output(c)") + "    return c\n", named("x.add", anyOf("relax.add", anyOf("relax.abs", dpl.Wildcard()), dpl.Wildcard())), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.text)
			want := outputs(t, m, 2, false)
			out, _ := check(t, passtest.NewContext(), transform.FuseByPatterns(c.patterns...), m)
			if got := functionNames(out); !slices.Equal(got, c.want) {
				t.Errorf("made %v, want %v", got, c.want)
			}
			if text := passtest.Text(out); !strings.Contains(text, c.has) {
				t.Errorf("there is no %s in\n%s", c.has, text)
			}
			sameOutputs(t, want, outputs(t, out, 2, false))
		})
	}
}

func TestFuseOpsByPatternBranches(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor((4, 4), "float16"), w: R.Tensor((4, 4), "float16"), c: R.Prim("bool")):
    if c:
        with R.dataflow():
            t = R.permute_dims(w)
            o = R.matmul(x, t)
            R.output(o)
        out = o
    else:
        with R.dataflow():
            p = R.matmul(x, w)
            R.output(p)
        out = p
    return out
`)
	out, _ := check(t, passtest.NewContext(), must(transform.FuseOpsByPattern.With(ir.NewAttrs("patterns", []string{"irscope.matmul*"}, "bind_constants", false, "annotate_codegen", true))), m)
	if got := functionNames(out); !slices.Equal(got, []string{"fused_relax_matmul_irscope", "fused_relax_permute_dims_relax_matmul_irscope"}) {
		t.Errorf("made %v", got)
	}
}

// TestFuseOpsByPatternSymbols has a function whose extents no operand tells.
func TestFuseOpsByPatternSymbols(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n * m",), "float32")):
    n, m = T.int64(), T.int64()
    with R.dataflow():
        a = R.reshape(y, R.shape([n, m]))
        b = R.nn.relu(a)
        R.output(b)
    return b
`)
	p := transform.FusionPattern{Name: "x.relu", Pattern: anyOf("relax.nn.relu", anyOf("relax.reshape"))}
	out, _ := check(t, passtest.NewContext(), transform.FuseByPatterns(p), m)
	if text := passtest.Text(out); !strings.Contains(text, `param_0: R.Shape(["n", "m"])`) || !strings.Contains(text, "(y, R.shape([n, m]))") {
		t.Errorf("got\n%s", text)
	}
}

func TestFuseOpsByPatternConstants(t *testing.T) {
	text := convs(`a = R.add(x, R.const([1.0, 2.0, 3.0, 4.0, 5.0], "float32"))`+"\nR.output(a)") + "    return a\n"
	p := transform.FuseByPatterns(transform.FusionPattern{Name: "x.add", Pattern: anyOf("relax.add")})
	for _, bind := range []bool{false, true} {
		out, _ := check(t, passtest.NewContext(), must(p.With(ir.NewAttrs("bind_constants", bind))), read(t, text))
		if lifted := strings.Contains(passtest.Text(out), "param_0: R.Tensor((5,)"); lifted == bind {
			t.Errorf("bind_constants=%v:\n%s", bind, passtest.Text(out))
		}
	}
}

// TestFusionPatternCalls checks what Check and Attrs are told, and what their answers do.
func TestFusionPatternCalls(t *testing.T) {
	m := read(t, convs("a = R.nn.conv2d(x, w, padding=(1, 1))\nb = R.nn.relu(a)\nc = R.nn.conv2d(b, v)\nd = R.nn.relu(c)\ne = R.exp(c)\nR.output(d, e)")+"    return (d, e)\n")
	weight := dpl.Wildcard()
	p := transform.FusionPattern{
		Name: "dnnl.conv2d_relu", Pattern: anyOf("relax.nn.relu", anyOf("relax.nn.conv2d", dpl.Wildcard(), weight)),
		Annotations: map[string]dpl.Pattern{"weight": weight, "absent": dpl.Wildcard()},
		Check: func(x *transform.PatternCheckContext) error {
			if len(x.Annotated) != 1 || len(x.Bindings) != 2 || len(x.Usages) == 0 || x.Matched.Op.(*ir.Op).Name != "relax.nn.relu" {
				return errors.New("the context is wrong")
			}
			return x.Leaks()
		},
		Attrs: func(annotated map[string]relax.Expr) *ir.Attrs {
			return ir.NewAttrs("weight", annotated["weight"].(*relax.Var).Name)
		},
	}
	out, _ := check(t, passtest.NewContext(), transform.FuseByPatterns(p), m)
	if got := functionNames(out); len(got) != 1 || !strings.Contains(passtest.Text(out), `"weight": "w"`) {
		t.Errorf("made %v:\n%s", got, passtest.Text(out))
	}
}

// TestRegisterBackend registers patterns and a generator, and finds them by the registry of the context.
func TestRegisterBackend(t *testing.T) {
	var told []string
	own := transform.Backend{
		Patterns: []transform.FusionPattern{{Name: "mine.relu", Pattern: anyOf("relax.nn.relu", dpl.Wildcard())}, {Name: "mine.exp", Pattern: anyOf("relax.exp", dpl.Wildcard())}},
		Codegens: []transform.Codegen{{Name: "mine", Compile: func(_ *pass.Context, _ *ir.Module, symbol string, _ *relax.Function, options *ir.Attrs) (*transform.Compiled, error) {
			told = append(told, symbol+" "+options.Str("mode", ""))
			return nil, errors.New("no machine")
		}}},
	}
	r := must(transform.RegisterBackend(pipeline.NewRegistry(), own))
	r = must(pass.Register(r, &pass.Pass{Name: "Mine", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m, nil }}))
	if r.Lookup("FuseOps") == nil || r.Lookup("Mine") == nil || r.Nearest("FuseOp") != "FuseOps" {
		t.Error("passes are not found any more")
	}
	m := read(t, convs("a = R.nn.relu(x)\nb = R.exp(a)\nR.output(b)")+"    return b\n")
	c := passtest.NewContext(pass.WithRegistry(r))
	out, err := c.Run(must(transform.FuseOpsByPattern.With(ir.NewAttrs("patterns", []string{"mine"}))), m)
	if err != nil || len(functionNames(out)) != 2 {
		t.Fatal(functionNames(out), err)
	}
	if out, err = c.Run(transform.MergeCompositeFunctions, out); err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(must(transform.RunCodegen.With(ir.NewAttrs("target_options", ir.NewAttrs("mine", ir.NewAttrs("mode", "fast"))))), out)
	if err == nil || !strings.HasSuffix(err.Error(), "code generator mine: function fused_relax_nn_relu_relax_exp_mine: no machine") || !slices.Equal(told, []string{"fused_relax_nn_relu_relax_exp_mine fast"}) {
		t.Errorf("told %v, error %v", told, err)
	}
	for _, x := range []struct {
		pass *pass.Pass
		want string
	}{
		{must(transform.FuseOpsByPattern.With(ir.NewAttrs("patterns", []string{"mine.rellu"}))), `patterns: no pattern is called "mine.rellu", and no name of one begins so; did you mean mine.relu?`},
		{must(transform.FuseOpsByPattern.With(ir.NewAttrs("entry_functions", []string{"other"}))), "entry_functions: the module has no Relax function called other"},
		{must(transform.RunCodegen.With(ir.NewAttrs("target_options", ir.NewAttrs("mine", 3)))), "target_options: expected a dict of options for mine, got 3"},
	} {
		if _, err := c.Run(x.pass, out); err == nil || !strings.HasSuffix(err.Error(), x.want) {
			t.Errorf("error %v, want one that ends in %s", err, x.want)
		}
	}
	for _, b := range []transform.Backend{own, {Patterns: []transform.FusionPattern{{Name: "nodot", Pattern: dpl.Wildcard()}}}, {Codegens: []transform.Codegen{{Name: "x"}}}, {Codegens: []transform.Codegen{{Name: "irscope", Compile: own.Codegens[0].Compile}}}} {
		if _, err := transform.RegisterBackend(r, b); err == nil {
			t.Errorf("%v is registered", b)
		}
	}
	if _, err := passtest.NewContext().Run(transform.RunCodegen, out); err == nil || !strings.Contains(err.Error(), "codegen is not found: relax.ext.mine") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Run(transform.MergeCompositeFunctions, ir.NewModule()); err == nil || !strings.Contains(err.Error(), "no Relax function called main") {
		t.Errorf("error %v", err)
	}
}

func TestFuseOpsByPatternEntries(t *testing.T) {
	one := "    @R.function\n    def %s(x: R.Tensor((4,), \"float32\")):\n        with R.dataflow():\n            y = R.exp(x)\n            R.output(y)\n        return y\n"
	m := read(t, "@I.ir_module\nclass Module:\n"+strings.Replace(one, "%s", "main", 1)+"\n"+strings.Replace(one, "%s", "other", 1))
	p := transform.FuseByPatterns(transform.FusionPattern{Name: "x.exp", Pattern: anyOf("relax.exp", dpl.Wildcard())})
	out, _ := check(t, passtest.NewContext(), must(p.With(ir.NewAttrs("entry_functions", []string{"other"}))), m)
	if m.Lookup("main") != out.Lookup("main") || m.Lookup("other") == out.Lookup("other") {
		t.Errorf("got\n%s", passtest.Text(out))
	}
}

// TestMergeCompositeFunctions has composite functions for two generators, some between those of the other.
func TestMergeCompositeFunctions(t *testing.T) {
	composite := func(name string) string {
		return "\n    @R.function(private=True)\n    def " + name + "(x: R.Tensor((4,), \"float32\"), y: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n        R.func_attr({\"Composite\": \"" + name[:1] + "." + name + "\", \"Primitive\": 1})\n        with R.dataflow():\n            z = R.add(x, y)\n            R.output(z)\n        return z\n"
	}
	for _, c := range []struct {
		name, body, result string
		want               []string
	}{
		{"a chain", "a = cls.a1(x, x)\nb = cls.a2(a, x)\nc = cls.a1(b, a)\nR.output(c)", "c", []string{"fused_a1_a2_a1_a"}},
		{"one between two", "a = cls.a1(x, x)\nb = cls.b1(a, x)\nc = cls.a2(a, b)\nR.output(c)", "c", []string{"fused_a1_a", "fused_a2_a", "fused_b1_b"}},
		{"one between two, by way of a field", "a = cls.a1(x, x)\nt = (a, x)\nb = cls.b1(t[0], t[1])\nc = cls.a2(a, b)\nR.output(c)", "c", []string{"fused_a1_a", "fused_a2_a", "fused_b1_b"}},
		{"an operator between two", "a = cls.a1(x, x)\nb = R.exp(a)\nc = cls.a2(a, b)\nR.output(c)", "c", []string{"fused_a1_a", "fused_a2_a"}},
		{"two that meet", "a = cls.a1(x, x)\nb = cls.a2(x, x)\nc = cls.a1(a, b)\nd = cls.b1(c, a)\nR.output(d)", "d", []string{"fused_a1_a2_a1_a", "fused_b1_b"}},
		{"another name", "a = cls.a1(x, x)\nb = a\nc = cls.a2(b, x)\nR.output(c)", "c", []string{"fused_a1_a2_a"}},
		{"nothing composite", "a = R.exp(x)\nR.output(a)", "a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n        cls = Module\n        with R.dataflow():\n            "+
				strings.ReplaceAll(c.body, "\n", "\n            ")+"\n        return "+c.result+"\n"+composite("a1")+composite("a2")+composite("b1"))
			want := outputs(t, m, 2, false)
			out, _ := check(t, passtest.NewContext(), transform.MergeCompositeFunctions, m)
			if got := functionNames(out); c.want != nil && !slices.Equal(got, c.want) || c.want == nil && out != m {
				t.Errorf("made %v, want %v:\n%s", got, c.want, passtest.Text(out))
			}
			sameOutputs(t, want, outputs(t, out, 2, false))
		})
	}
}

// drawPatterns returns random patterns of calls of what drawLayers makes.
func drawPatterns(t *rapid.T) []transform.FusionPattern {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	var draw func(depth int) dpl.Pattern
	draw = func(depth int) dpl.Pattern {
		operand := func() dpl.Pattern {
			if depth == 0 || pick(2, "wildcard") == 0 {
				return dpl.Wildcard()
			}
			return draw(depth - 1)
		}
		switch pick(6, "pattern") {
		case 0:
			return dpl.Op("relax.nn.relu", operand())
		case 1:
			return dpl.Op("relax.add", operand(), operand())
		case 2:
			return dpl.Op("relax.permute_dims", operand())
		case 3:
			return dpl.Or(dpl.Op("relax.matmul", operand(), operand()), dpl.Op("relax.add", operand(), operand()))
		case 4:
			x := operand()
			return dpl.Op("relax.multiply", x, x)
		default:
			return dpl.Op("relax.matmul", operand(), operand())
		}
	}
	var out []transform.FusionPattern
	for i := range 1 + pick(3, "patterns") {
		out = append(out, transform.FusionPattern{Name: "irscope." + string(rune('a'+i)), Pattern: draw(pick(4, "depth"))})
	}
	return out
}

// drawLayers returns a function of square matrices, some with a symbolic extent in the text, with several results.
func drawLayers(t *rapid.T) *ir.Module {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	bb := op.NewBlockBuilder(nil)
	n := tir.Expr(tir.Int(3))
	if pick(2, "symbolic") == 1 {
		n = tir.NewVar("n", dtype.Int64T)
	}
	var values []relax.Expr
	var params []*relax.Var
	for _, name := range []string{"x", "y"} {
		p := &relax.Var{Name: name, SInfo: relax.TensorOf(dtype.Float32T, n, n)}
		params, values = append(params, p), append(values, p)
	}
	bb.BeginFunction("main", params, relax.FuncOpts{})
	bb.BeginDataflow()
	for range 2 + pick(8, "steps") {
		a, b := values[pick(len(values), "a")], values[pick(len(values), "b")]
		var e relax.Expr
		switch pick(6, "step") {
		case 0:
			e = op.Relu(a)
		case 1:
			e = op.PermuteDims(a)
		case 2:
			e = op.Matmul(a, b, dtype.Void)
		case 3:
			e = op.Multiply(a, a)
		case 4:
			e = op.Add(a, &relax.Constant{Data: ir.Float32Blob([]int64{1, 1}, 0.5)})
		default:
			e = op.Add(a, b)
		}
		values = append(values, must(bb.Emit(e, "")))
	}
	out := &relax.Tuple{}
	for range 1 + pick(3, "results") {
		out.Fields = append(out.Fields, values[len(values)-1-pick(len(values), "result")])
	}
	result := must(bb.EmitOutput(out, ""))
	bb.EndDataflow()
	must(bb.EndFunction(result))
	return bb.Module()
}

// TestBackendKeepsMeaning has a generator compile what random patterns match, with each function alone or merged, and runs the result.
func TestBackendKeepsMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawLayers(t)
		want := outputs(t, m, 3, false)
		alone := rapid.Bool().Draw(t, "alone")
		passes := []*pass.Pass{
			must(transform.FuseByPatterns(drawPatterns(t)...).With(ir.NewAttrs("bind_constants", rapid.Bool().Draw(t, "bind_constants"), "annotate_codegen", alone))),
			transform.MergeCompositeFunctions, transform.RunCodegen,
		}
		if alone {
			passes = slices.Delete(passes, 1, 2)
		}
		for _, p := range passes {
			out, _ := check(t, passtest.NewContext(), p, m)
			sameOutputs(t, want, outputs(t, out, 3, false))
			if t.Failed() {
				t.Fatalf("%s made\n%s\nof\n%s", p.Name, passtest.Text(out), passtest.Text(m))
			}
			m = out
		}
		for _, fn := range m.Funcs() {
			if fn.FuncAttrs().Has(pass.AttrCodegen) {
				t.Errorf("a function was not compiled:\n%s", passtest.Text(m))
			}
		}
	})
}
