package tirpass_test

import (
	"strconv"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// TestKernelsKeepMeaning lowers operators by the whole pipeline, pass by pass, as they are
// and after the default schedule.
func TestKernelsKeepMeaning(t *testing.T) {
	for name, k := range topitest.Kernels(t) {
		t.Run(name, func(t *testing.T) {
			f, args := topitest.Function(t, k)
			want := mustRun(t, f, args)
			kernelKeepsMeaning(t, f, args, want)
		})
		t.Run(name+" scheduled", func(t *testing.T) {
			f, args := topitest.Function(t, k)
			want := mustRun(t, f, args)
			f, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			kernelKeepsMeaning(t, f, args, want)
		})
	}
}

func kernelKeepsMeaning(t *testing.T, f *tir.PrimFunc, args, want []any) {
	t.Helper()
	c := passtest.NewContext()
	for _, p := range lowering(t) {
		g := apply(t, c, p, f)
		if g != f {
			got, err := tirtest.Run(g, args, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", p.Name, err, print(g))
			}
			if d := topitest.Apart(got, want, 1e-5); d != "" {
				t.Fatalf("%s: %s\n--- before\n%s\n--- after\n%s", p.Name, d, print(f), print(g))
			}
		}
		f = g
	}
}

// convRelu is a 3x3 convolution, 64 to 64 channels at 56x56, with a bias and relu.
func convRelu(t passtest.Failer) *tir.PrimFunc {
	t.Helper()
	f32 := dtype.Float32T
	must := func(x *te.Tensor, err error) *te.Tensor {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return x
	}
	x, w := topitest.Placeholder("x", f32, 1, 64, 56, 56), topitest.Placeholder("w", f32, 64, 64, 3, 3)
	bias := topitest.Placeholder("b", f32, 1, 64, 1, 1)
	conv := must(topi.Conv(x, w, topi.ConvOpts{
		Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW",
	}))
	out := must(topi.Unary("relu", must(topi.Binary("add", topi.T(conv), topi.T(bias)))))
	f, err := te.CreatePrimFunc([]*te.Tensor{x, w, bias, out}, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
}

func BenchmarkLowering(b *testing.B) {
	f := convRelu(b)
	b.Run("unscheduled", func(b *testing.B) { benchmarkLowering(b, f) })
	s, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scheduled", func(b *testing.B) { benchmarkLowering(b, s) })
}

func benchmarkLowering(b *testing.B, f *tir.PrimFunc) {
	b.Helper()
	c := passtest.NewContext()
	b.ReportAllocs()
	for b.Loop() {
		m := moduleOf(f)
		for _, p := range lowering(b) {
			var err error
			if m, err = c.Run(p, m); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkUnrolled shows that the cost of lowering is linear in the size of the result.
func BenchmarkUnrolled(b *testing.B) {
	for _, rows := range []int64{16, 32, 64} {
		x, y := floats("A", 64, 32), floats("B", 64, 32)
		i, j := index("i"), index("j")
		inner := kind(tir.Unrolled, loop(j, 32, store(y, add(mul(load(x, i, j), f32(2)), load(y, i, j)), i, j)))
		f := fn(root(kind(tir.Unrolled, loop(i, rows, inner))), x, y)
		b.Run(strconv.FormatInt(rows*32, 10), func(b *testing.B) { benchmarkLowering(b, f) })
	}
}
