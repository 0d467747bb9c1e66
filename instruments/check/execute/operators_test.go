package execute_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
)

// TestOperatorsByDefinition computes operators by their definitions and by the kernels that LegalizeOps makes of them, which share nothing.
func TestOperatorsByDefinition(t *testing.T) {
	const square, image = `R.Tensor((6, 6), "float32")`, `R.Tensor((2, 4, 9, 8), "float32")`
	for _, x := range []struct{ params, body string }{
		{"x: " + square + ", y: " + square, "R.matmul(x, y)"},
		{`x: R.Tensor((5,), "float32"), y: R.Tensor((5,), "float32")`, "R.matmul(x, y)"},
		{`x: R.Tensor((5,), "float64"), y: R.Tensor((3, 5, 2), "float64")`, "R.matmul(x, y)"},
		{`x: R.Tensor((3, 1, 4, 5), "float32"), y: R.Tensor((2, 5), "float32")`, "R.matmul(x, R.permute_dims(y))"},
		{`x: R.Tensor((3, 1, 4), "float32"), y: R.Tensor((2, 4), "float32")`, "R.multiply(R.add(x, y), R.subtract(y, R.const(2.0, \"float32\")))"},
		{"x: " + square + ", y: " + square, "R.divide(R.maximum(x, y), R.add(R.abs(R.minimum(x, y)), R.const(1.0, \"float32\")))"},
		{"x: " + square, "R.power(R.abs(x), R.const(1.5, \"float32\"))"},
		{"x: " + square, "R.add(R.exp(x), R.add(R.tanh(x), R.add(R.sigmoid(x), R.erf(x))))"},
		{"x: " + square, "R.add(R.nn.relu(x), R.add(R.nn.silu(x), R.nn.leakyrelu(x, 0.2)))"},
		{"x: " + square, "R.add(R.floor(x), R.add(R.ceil(x), R.add(R.round(x), R.add(R.sign(x), R.trunc(x)))))"},
		{"x: " + square, "R.add(R.sqrt(R.square(x)), R.add(R.rsqrt(R.exp(x)), R.log(R.cosh(x))))"},
		{"x: " + image, "R.sum(x, axis=[1, -1])"},
		{"x: " + image, "R.mean(x, axis=[2, 3], keepdims=True)"},
		{"x: " + image, "R.max(x)"},
		{"x: " + image, "R.min(x, axis=[0])"},
		{"x: " + square, "R.prod(x, axis=[1])"},
		{"x: " + image, "R.nn.softmax(x, axis=1)"},
		{"x: " + image, "R.nn.log_softmax(x, axis=-1)"},
		{"x: " + image, "R.permute_dims(x, axes=[0, 2, -1, 1])"},
		{"x: " + image, "R.concat((x, x, R.negative(x)), axis=2)"},
		{"x: " + square, "R.squeeze(R.expand_dims(x, axis=[0]), axis=[0])"},
		{`x: R.Tensor((6, 1), "float32")`, "R.broadcast_to(x, R.shape([2, 6, 3]))"},
		{"x: " + image + `, w: R.Tensor((6, 4, 3, 2), "float32")`, "R.nn.conv2d(x, w, strides=[2, 1], padding=[1, 0, 2, 1], dilation=[1, 2])"},
		{"x: " + image + `, w: R.Tensor((6, 2, 3, 3), "float32")`, "R.nn.conv2d(x, w, groups=2, padding=[1, 1])"},
		{"x: " + image, "R.nn.max_pool2d(x, pool_size=[3, 2], strides=[2, 2], padding=[1, 0, 1, 1])"},
		{"x: " + image, "R.nn.avg_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1], count_include_pad=True)"},
		{"x: " + image, "R.nn.avg_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1])"},
		{"x: " + image, "R.nn.avg_pool2d(x, pool_size=[4, 4], strides=[3, 3], ceil_mode=True, padding=[1, 1], count_include_pad=True)"},
	} {
		m := parsed(t, "@I.ir_module\nclass Module:\n    @R.function\n    def main("+x.params+"):\n        return "+x.body+"\n")
		in := inputs(t, m, 1)
		got, err := (&execute.Runner{}).Run(t.Context(), m, "main", in)
		if err != nil {
			t.Errorf("%s: %v", x.body, err)
			continue
		}
		want, err := (&execute.Runner{}).Run(t.Context(), lowered(t, m), "main", in)
		if err != nil {
			t.Fatal(x.body, err)
		}
		if len(got.How.Evaluated) == 0 || got.How.Interpreted > 0 || got.How.Legalized || len(want.How.Evaluated) > 0 || want.How.Interpreted == 0 {
			t.Errorf("%s: by %+v, lowered by %+v", x.body, got.How, want.How)
		}
		if d := execute.Compare(got.Outputs, want.Outputs, nil, nil); d.Status().Bad() {
			t.Errorf("%s is %s: %+v", x.body, d.Status(), d)
		}
	}
}

// TestErrorInLegalizeOps has LegalizeOps make wrong kernels: it is the first pass whose result is wrong.
func TestErrorInLegalizeOps(t *testing.T) {
	m := parsed(t, network)
	in := inputs(t, m, 1)
	wrong := *transform.LegalizeOps
	wrong.Name = "LegalizeOps"
	wrong.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := transform.LegalizeOps.Run(c, m)
		if err != nil {
			return nil, err
		}
		e := out.Edit()
		for gv, fn := range out.Funcs() {
			if f, ok := fn.(*tir.PrimFunc); ok {
				e.Set(gv.Name, f.WithBody(tir.RewriteStmt(f.Body, nil, binary(tir.OpMax, tir.OpMin))))
			}
		}
		return e.Done(), nil
	}
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: in}
	if err := c.Start(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := c.Step(t.Context(), "1/LegalizeOps", "LegalizeOps", through(t, m, &wrong)); err != nil {
		t.Fatal(err)
	}
	rep := c.Report()
	if rep.Fault == nil || rep.Fault.Pass != "LegalizeOps" || rep.Steps[1].Status != check.Wrong {
		t.Errorf("fault %+v of %+v", rep.Fault, rep.Steps)
	}
	if how := rep.How(); !slices.Contains(how.Evaluated, "relax.nn.relu") || !slices.Contains(how.Evaluated, "relax.matmul") || how.Legalized {
		t.Errorf("run by %+v", how)
	}
}

// TestOperatorsOfBothKinds has operators that are computed by their definitions beside some that are not: the others become kernels.
func TestOperatorsOfBothKinds(t *testing.T) {
	m := parsed(t, `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 6), "float32"), i: R.Tensor((3,), "int64")) -> R.Tensor((3, 6), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.take(a, R.add(i, i), axis=0, mode="clip")
            c = R.add(b, b)
            R.output(c)
        return c
`)
	out, err := (&execute.Runner{}).Run(t.Context(), m, "main", inputs(t, m, 1))
	if err != nil || !slices.Equal(out.How.Evaluated, []string{"relax.exp"}) || !out.How.Legalized || out.How.Interpreted != 3 {
		t.Fatalf("%+v (%v)", out, err)
	}
}
