package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// large has kernels that take the interpreter long: a convolution with padding, a matmul, and what is fused with them.
const large = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 32, 32), "float32"), w: R.Tensor((16, 8, 3, 3), "float32"), z: R.Tensor((1024, 96), "float32")) -> R.Tensor((16, 96), "float32"):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=[1, 1])
            b = R.nn.relu(a)
            c = R.nn.max_pool2d(b, pool_size=[3, 3], strides=[1, 1], padding=[1, 1])
            d = R.reshape(c, R.shape([16, 1024]))
            e = R.matmul(d, z)
            out = R.exp(R.multiply(e, R.const(0.001, "float32")))
            R.output(out)
        return out
`

// TestCompiledKernelsOfSymbolicShapes: a batch of unknown size keeps no kernel from generated code.
func TestCompiledKernelsOfSymbolicShapes(t *testing.T) {
	m := parsed(t, strings.NewReplacer("(1, 8, 32, 32)", `("n", 8, 32, 32)`, "(16, 96)", `("n * 16", 96)`, "[16, 1024]", "[n * 16, 1024]",
		"        with R.dataflow():", "        n = T.int64()\n        with R.dataflow():").Replace(large))
	c := &execute.Checker{Runner: &execute.Runner{Engine: engine(t)}, Function: "main", Inputs: inputs(t, m, 1)}
	rep := checked(t, c, m, kind(t, "wasm"), nil)
	if rep.Fault != nil || rep.Counts()[check.Same]+rep.Counts()[check.Close] != len(rep.Steps) {
		t.Fatalf("fault %+v, %v", rep.Fault, rep.Counts())
	}
	for _, s := range rep.Steps {
		if s.How.Compiled < 2 && len(s.How.Evaluated) == 0 || len(s.How.Refuted) > 0 {
			t.Errorf("%s was run by %+v, want generated code for two kernels", s.Path, s.How)
		}
	}
}

func engine(tb testing.TB) *runtime.Engine {
	tb.Helper()
	e := compiler.NewEngine()
	tb.Cleanup(func() { _ = e.Close() })
	return e
}

// TestCompiledKernels checks all passes with generated code for large kernels: what it computes behind each step is what the interpreter does, and
// the interpreter confirms it from a sample in every state that passes leave a kernel in.
func TestCompiledKernels(t *testing.T) {
	m := parsed(t, large)
	in := inputs(t, m, 1)
	c := &execute.Checker{Runner: &execute.Runner{Engine: engine(t)}, Function: "main", Inputs: in}
	rep := checked(t, c, m, kind(t, "wasm"), nil)
	if rep.Fault != nil || rep.Counts()[check.Same]+rep.Counts()[check.Close] != len(rep.Steps) {
		t.Fatalf("fault %+v, %v", rep.Fault, rep.Counts())
	}
	for _, s := range rep.Steps {
		if s.How.Compiled < 2 && len(s.How.Evaluated) == 0 || len(s.How.Refuted) > 0 {
			t.Errorf("%s was run by %+v, want generated code for two kernels", s.Path, s.How)
		}
	}
	m = lowered(t, m)
	want, err := (&execute.Runner{}).Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Runner.Run(t.Context(), m, "main", in)
	if err != nil {
		t.Fatal(err)
	}
	if d := execute.Compare(got.Outputs, want.Outputs, nil, nil); d.Status().Bad() || got.How.Compiled < 2 || want.How.Compiled != 0 {
		t.Errorf("%s: %+v; run by %+v, and without an engine by %+v", d.Status(), d, got.How, want.How)
	}
}

// TestFaultsInLargeKernels runs wrong passes over kernels that generated code runs.
func TestFaultsInLargeKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("large kernels, one after the other")
	}
	m := parsed(t, large)
	const conv, matmul = "fused_conv2d_relu", "fused_matmul_multiply_exp"
	for _, x := range []struct {
		name, behind string
		pass         *pass.Pass
		status       check.Status
		function     string
	}{
		{"wrong operator", "LegalizeOps", loopFault("", nil, binary(tir.OpMul, tir.OpAdd)), check.Wrong, "conv2d"},
		{"a loop ends early", "tir.LowerOpaqueBlock", loopFault(conv, func(s tir.Stmt) tir.Stmt {
			if f, ok := s.(*tir.For); ok {
				return f.WithExtent(tir.Sub(f.Extent, tir.Const(f.Extent.DType(), 1)))
			}
			return s
		}, nil), check.Wrong, conv},
		{"a store is lost", "tir.FlattenBuffer", loopFault(matmul, store(func(*tir.BufferStore) tir.Stmt { return tir.NoOp() }), nil), check.Wrong, matmul},
		{"one element too far", "tir.FlattenBuffer", loopFault(matmul, store(func(s *tir.BufferStore) tir.Stmt {
			return s.WithIndices([]tir.Expr{tir.Add(s.Indices[0], tir.Const(s.Indices[0].DType(), 1))})
		}), nil), check.Failed, matmul},
		{"behind the calling convention", "tir.LowerIntrin", loopFault(matmul, store(func(s *tir.BufferStore) tir.Stmt {
			return s.WithValue(tir.Add(s.Value, &tir.FloatImm{Type: s.Value.DType(), Value: 1}))
		}), nil), check.Wrong, matmul},
	} {
		t.Run(x.name, func(t *testing.T) {
			tgt := kind(t, "wasm")
			c := &execute.Checker{Runner: &execute.Runner{Engine: engine(t)}, Function: "main", Inputs: inputs(t, m, 1)}
			rep := checked(t, c, m, tgt, behind(t, tgt, x.behind, x.pass))
			f := rep.Fault
			if f == nil || f.Pass != "Wrong" || !slices.Equal(f.Functions, []string{x.function}) || rep.Steps[f.Step].Status != x.status {
				var lines []string
				for _, s := range rep.Steps {
					lines = append(lines, line(s))
				}
				t.Fatalf("fault %+v, want %s of Wrong in %s:\n%s", f, x.status, x.function, strings.Join(lines, "\n"))
			}
		})
	}
}

// TestSampleOfALongWay has a kernel whose first part is long, and short beside the second: a sample runs the first part whole.
func TestSampleOfALongWay(t *testing.T) {
	m := parsed(t, `
@I.ir_module
class Module:
    @T.prim_func
    def sums(a: T.Buffer((1024,), "float32"), b: T.Buffer((6291456,), "float32")):
        way = T.alloc_buffer((6291456,), "float32")
        for i in range(6291456):
            with T.block("way"):
                vi = T.axis.spatial(6291456, i)
                way[vi] = a[vi % 1024] * T.float32(2)
        for i, k in T.grid(6291456, 16):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    b[vi] = T.float32(0)
                b[vi] = b[vi] + way[(vi + vk) % 6291456]
`)
	a, b := tensor.MustNew(dtype.Float32T, 1024), tensor.MustNew(dtype.Float32T, 6291456)
	a.FillUniform(1, -1, 1)
	out, err := (&execute.Runner{Engine: engine(t)}).Run(t.Context(), m, "sums", []*tensor.Tensor{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if out.How.Compiled != 1 || out.How.Interpreted != 0 {
		t.Errorf("it was run by %+v, want generated code", out.How)
	}
}
