package execute

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const product = `
@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.Buffer((128, 128), "float32"), b: T.Buffer((128, 128), "float32"), c: T.Buffer((128, 128), "float32")):
        T.func_attr({"global_symbol": "product"})
        for i, j, k in T.grid(128, 128, 128):
            with T.block("c"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
`

// TestCodeThatIsWrong has a wrong pass on the way to the code of a large kernel: the interpreter's sample refutes the code, and its results are taken. The search for
// the function at fault names the kernel.
func TestCodeThatIsWrong(t *testing.T) {
	mods, diags := parse.File("k.py", product, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	m := mods[0].Module
	e := compiler.NewEngine()
	t.Cleanup(func() { _ = e.Close() })
	in := make([]*tensor.Tensor, 3)
	for i := range in {
		in[i] = tensor.MustNew(dtype.Float32T, 128, 128)
		in[i].FillUniform(uint64(i), -1, 1)
	}
	alone, err := (&Runner{}).Run(t.Context(), m, "product", in)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Engine: e}
	out, err := r.Run(t.Context(), m, "product", in)
	if err != nil || out.How.Compiled != 1 || out.How.Interpreted != 0 || Compare(out.Outputs, alone.Outputs, nil, nil).Status() != check.Same {
		t.Fatalf("by %+v (%v)", out.How, err)
	}
	wrong := &pass.Pass{Name: "Wrong", Kind: pass.PrimFunc, Run: pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
			if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMul && b.DType().IsFloat() {
				return &tir.Binary{Op: tir.OpSub, A: b.A, B: b.B}
			}
			return e
		})), nil
	})}
	bad := &Runner{Engine: e}
	bad.start()
	bad.kernels.codes.lower = pass.NewSequential("tir", slices.Insert(slices.Clone(bad.kernels.codes.lower.Children), 3, wrong)...)
	out, err = bad.Run(t.Context(), m, "product", in)
	if err != nil || out.How.Compiled != 0 || !slices.Equal(out.How.Refuted, []string{"product"}) || Compare(out.Outputs, alone.Outputs, nil, nil).Status() != check.Same {
		t.Fatalf("with wrong code: by %+v (%v)", out.How, err)
	}
	c := &Checker{Runner: bad, Function: "product", Inputs: in}
	if err := c.Start(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := c.Program(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	if f := c.Report().Fault; f == nil || f.Path != check.CodePath || !slices.Equal(f.Functions, []string{"product"}) || f.Why != "" {
		t.Errorf("fault %+v, want product", f)
	}
}

// TestSamples cuts kernels whose iterations depend on each other, and ones where they do not.
func TestSamples(t *testing.T) {
	for _, x := range []struct {
		name, body string
		cut        bool
	}{
		{"elementwise", "for i in range(64):\n            b[i] = a[i]", true},
		{"shifted", "for i in range(64):\n            for j in range(i * 64, i * 64 + 64):\n                b[j] = a[j]", true},
		{"a sum", "for i in range(64):\n            b[0] = b[0] + a[i]", false},
		{"a sum by blocks", "for i in range(64):\n            with T.block(\"s\"):\n                vi = T.axis.reduce(64, i)\n                with T.init():\n                    b[0] = T.float32(0)\n                b[0] = b[0] + a[vi]", false},
		{"scratch", "s = T.decl_buffer((1,), \"float32\")\n        for i in range(64):\n            s[0] = a[i]\n            b[i] = s[0]", true},
		{"a sum in scratch", "s = T.decl_buffer((1,), \"float32\")\n        for i in range(64):\n            s[0] = s[0] + a[i]\n            b[i] = s[0]", false},
		{"scratch that is written at times", "s = T.decl_buffer((1,), \"float32\")\n        for i in range(64):\n            if i == 0:\n                s[0] = a[i]\n            b[i] = s[0]", false},
	} {
		mods, diags := parse.File("k.py", "@I.ir_module\nclass Module:\n    @T.prim_func\n    def f(a: T.Buffer((4096,), \"float32\"), b: T.Buffer((4096,), \"float32\")):\n        "+x.body+"\n", parse.Options{})
		if len(diags) > 0 {
			t.Fatal(x.name, diags[0].Format())
		}
		f := ir.MustLookup[*tir.PrimFunc](mods[0].Module, "f")
		part, cut := sampled(f, 4)
		if cut != x.cut {
			t.Errorf("%s: cut is %v, want %v", x.name, cut, x.cut)
		}
		if !cut {
			continue
		}
		a, whole, some := tensor.MustNew(dtype.Float32T, 4096), tensor.MustNew(dtype.Float32T, 4096), tensor.MustNew(dtype.Float32T, 4096)
		a.FillUniform(1, 1, 2)
		k := newKernels(DefaultMaxSteps, DefaultMaxBytes)
		for g, out := range map[*tir.PrimFunc]*tensor.Tensor{f: whole, part: some} {
			if _, err := k.run(t.Context(), mods[0].Module, "f", g, []graphrun.Value{a, out}); err != nil {
				t.Fatal(x.name, err)
			}
		}
		n, ok := agrees(tensor.MustNew(dtype.Float32T, 4096), some, whole)
		if !ok || n == 0 || n >= 4096 || some.Float(0) != whole.Float(0) {
			t.Errorf("%s: %d elements of the sample agree: %v", x.name, n, ok)
		}
	}
}
