package dlight_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

const (
	ampere = "nvidia/geforce-rtx-3090-ti"
	apple  = "apple/m1-gpu"
	amd    = "rocm -max_shared_memory_per_block=65536"
	vulkan = "vulkan -max_shared_memory_per_block=49152"
	adreno = "opencl -device=adreno"
	mali   = "opencl -device=mali"
	phone  = `opencl -host="llvm -mtriple=aarch64-linux-android"`
)

var gpus = []string{ampere, "cuda -max_shared_memory_per_block=49152", apple, amd, vulkan, adreno, mali, "opencl", "webgpu"}

// meanings are the rules with the kernels that they are for, and how many of 100 kernels a rule must schedule at least, far below what it does on average: others are of
// extents that its schedule does not fit.
var meanings = []struct {
	rule    string
	kernel  func(*gen) *kernel
	targets []string
	least   int
}{
	{"gpu.Matmul", matmulKernel, slices.Concat(gpus, []string{phone}), 25},
	{"gpu.Matmul", batchKernel, gpus, 50},
	{"gpu.GEMV", gemvKernel, slices.Concat(gpus, []string{phone}), 10},
	{"gpu.GEMV", longKernel, gpus, 10},
	{"gpu.LowBatchGEMV", lowBatchKernel, slices.Concat(gpus, []string{phone}), 25},
	{"gpu.LowBatchGEMV(3)", lowBatchKernel, slices.Concat(gpus, []string{phone}), 25},
	// Where threads of a part of a warp add up without shuffles (rocm), the barriers of warps in LowerThreadAllreduce are TVM's, which not all threads reach.
	{"gpu.Reduction", reductionKernel, slices.DeleteFunc(slices.Clone(gpus), func(t string) bool { return t == amd }), 40},
	{"gpu.GeneralReduction", chainKernel, gpus, 25},
	{"gpu.RMSNorm", normKernel, gpus, 5},
	{"gpu.Transpose", transposeKernel, gpus, 5},
	{"gpu.Fallback", anyKernel, gpus, 50},
	{"cpu.GEMV", gemvKernel, []string{"llvm"}, 5},
	{"", anyKernel, gpus, 25}, // DefaultGPU
}

// TestRandomKernels schedules random kernels by the rules that are for them, lowers them to kernels as a GPU would run them, and runs these in both orders of
// threads: they compute what the function computed, and race nowhere.
func TestRandomKernels(t *testing.T) {
	for _, m := range meanings {
		name := m.rule
		if name == "" {
			name = "DefaultGPU"
		}
		t.Run(name, func(t *testing.T) {
			tried, done := 0, 0
			why := map[string]int{}
			seed.Each(t, seed.Cases(10, 60), func(t *testing.T, r *rand.Rand) {
				k := m.kernel(newGen(r))
				f, err := te.CreatePrimFunc(k.tensors, te.FuncOpts{})
				if err != nil {
					t.Fatal(err)
				}
				on, err := target.Parse(pick(r, m.targets...))
				if err != nil {
					t.Fatal(err)
				}
				f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "main")).(*tir.PrimFunc)
				tried++
				out, err := scheduled(f, on, m.rule)
				if err != nil {
					why[err.Error()]++
					return
				}
				done++
				keeps(t, r, k, f, out, on)
			})
			t.Logf("%d of %d scheduled; else %v", done, tried, why)
			if tried >= 10 && 100*done < m.least*tried {
				t.Errorf("%d of %d kernels are scheduled, expected %d%%", done, tried, m.least)
			}
		})
	}
}

// scheduled is f by a rule, or by DefaultGPU for no name.
func scheduled(f *tir.PrimFunc, on target.Target, rule string) (*tir.PrimFunc, error) {
	origins := ir.NewModule().Origins()
	if rule == "" {
		return dlight.DefaultGPU(f, on, origins)
	}
	r, err := dlight.Parse(rule)
	if err != nil {
		return nil, err
	}
	return r.Apply(f, on, origins, func(string, error) {})
}

// keeps checks that a scheduled function is well-formed, and that it and what it is lowered to compute the same as f.
func keeps(t *testing.T, r *rand.Rand, k *kernel, f, out *tir.PrimFunc, on target.Target) {
	t.Helper()
	show := func(f *tir.PrimFunc) string { return script.Function("main", f, script.Options{}).Source }
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("for %s, sizes %v\n%s\nscheduled:\n%s", on, k.sizes, show(f), show(out))
		}
	})
	for _, d := range tir.Verify("main", out) {
		if d.Severity == ir.Error {
			t.Fatal(d)
		}
	}
	args := arguments(r, k)
	want, err := tirtest.Run(f, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tirtest.Run(out, args, nil)
	if err != nil {
		t.Fatalf("scheduled: %v", err)
	}
	if d := differs(k, got, want); d != "" {
		t.Fatalf("scheduled: %s", d)
	}
	low := lowered(t, out, on, "")
	for _, o := range []interp.Options{{}, {Reversed: true, Zeroed: true}} {
		o.Barriers = interp.BarriersWritten
		o.Lookup = interp.ModuleLookup(low)
		got, err := tirtest.Run(low.Lookup("main").(*tir.PrimFunc), args, &o)
		if err != nil {
			t.Fatalf("lowered: %v\n%s", err, script.Module(low, script.Options{}).Source)
		}
		if d := differs(k, got, want); d != "" {
			t.Fatalf("lowered: %s\n%s", d, script.Module(low, script.Options{}).Source)
		}
	}
}

// lowered is a module of host and device functions. The pass of one name is left out.
func lowered(t *testing.T, f *tir.PrimFunc, on target.Target, without string) *ir.Module {
	t.Helper()
	c, err := pass.NewContext(t.Context(), pass.WithTarget(on))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Lookup("tir", on)
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(slices.Clone(p.Children), func(p *pass.Pass) bool { return p.Name == without })
	m, err := c.Run(pass.NewSequential("tir", kept...), ir.NewModule().With("main", f))
	if err != nil {
		t.Fatalf("lowering: %v", err)
	}
	return m
}

// arguments are tensors of small whole numbers, whose sums are exact in float16, once in a few times with a NaN; results begin as what no kernel computes.
func arguments(r *rand.Rand, k *kernel) []any {
	var out []any
	for i, x := range k.tensors {
		var shape []int64
		for _, d := range x.Shape {
			shape = append(shape, size(d, k.sizes))
		}
		v := tensor.MustNew(x.DType, shape...)
		for j := range v.Len() {
			switch {
			case i >= len(k.tensors)-k.results && x.DType.IsFloat():
				v.SetFloat(j, 12345)
			case x.DType.IsFloat():
				v.SetFloat(j, float64(r.IntN(3)-1))
			case x.DType.IsUInt():
				v.SetInt(j, int64(r.Uint32()))
			default:
				v.SetInt(j, int64(r.IntN(15)-7))
			}
		}
		if i < len(k.tensors)-k.results && x.DType.IsFloat() && !k.rough && v.Len() > 0 && r.IntN(6) == 0 {
			v.SetFloat(r.IntN(v.Len()), math.NaN())
		}
		out = append(out, v)
	}
	return out
}

// size is the number that an extent is for the sizes of a run.
func size(e tir.Expr, sizes map[*tir.Var]int64) int64 {
	with := map[*tir.Var]tir.Expr{}
	for v, n := range sizes {
		with[v] = tir.Const(v.DType(), n)
	}
	n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(tir.SubstExpr(e, with)))
	if !ok {
		panic(fmt.Sprintf("extent %v is no number", e))
	}
	return n
}

// differs says how results differ: exactly, or by more than rounding where a kernel rounds.
func differs(k *kernel, got, want []any) string {
	if !k.rough {
		return tirtest.Differ(got, want)
	}
	var out strings.Builder
	for i, w := range want {
		x, y := got[i].(*tensor.Tensor), w.(*tensor.Tensor)
		tol := 1e-4
		if y.DType.Bits == 16 {
			tol = 1e-2
		}
		for j := range y.Len() {
			if a, b := x.Float(j), y.Float(j); a != b && !(math.Abs(a-b) <= tol*(1+math.Abs(b))) {
				fmt.Fprintf(&out, "argument %d, element %d of %v: got %v, want %v", i, j, y.Shape, a, b)
				return out.String()
			}
		}
	}
	return ""
}

// TestRacesAreFound lowers kernels whose threads share memory without the pass that writes their barriers: a race is reported.
func TestRacesAreFound(t *testing.T) {
	for rule, text := range map[string]string{"gpu.Matmul": matrices, "gpu.Transpose": turned} {
		f, _ := function(t, text)
		f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "main")).(*tir.PrimFunc)
		on, err := target.Parse(ampere)
		if err != nil {
			t.Fatal(err)
		}
		out, err := scheduled(f, on, rule)
		if err != nil {
			t.Fatal(err)
		}
		low := lowered(t, out, on, "tir.ThreadSync")
		_, err = tirtest.Run(low.Lookup("main").(*tir.PrimFunc), tirtest.Arguments(f, 1), &interp.Options{Barriers: interp.BarriersWritten, Lookup: interp.ModuleLookup(low)})
		var fault *interp.ThreadFault
		if !errors.As(err, &fault) || fault.Kind != interp.Race {
			t.Errorf("%s: got %v, want a race", rule, err)
		}
	}
}
