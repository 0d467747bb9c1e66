package interp_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	tirinterp "github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/interp"
)

// mixed calls a kernel of the run's target and one that is always interpreted.
const mixed = `
@I.ir_module
class M:
    @T.prim_func
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"target": "interp"})
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = M
        y = R.add(x, x)
        z = R.call_tir(cls.twice, (y,), out_sinfo=R.Tensor((4,), "float32"))
        w = R.exp(z)
        return w
`

func module(t *testing.T, text string) *ir.Module {
	t.Helper()
	src, _, err := frontend.One(t.Context(), "m.py", []byte(text), frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src.Module
}

// TestMixedModule runs a module whose functions are for two targets, saved modules included.
func TestMixedModule(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	for _, kind := range []string{"wasm", "interp"} {
		res, err := compiler.Compile(t.Context(), compiler.Request{Module: module(t, mixed), Target: target.Of(kind)})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, m := range res.Artifact.Modules {
			kinds = append(kinds, m.Kind)
		}
		slices.Sort(kinds)
		want := []string{"interp", "wasm"}
		if kind == "interp" {
			want = want[:1]
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: modules of the kinds %v, want %v", kind, kinds, want)
		}
		for _, k := range res.Kernels {
			own := kind
			if k.Name == "twice" {
				own = "interp"
			}
			lang := map[string]string{"interp": "tvmscript", "wasm": "wat"}[own]
			if k.Target != own || k.Language != lang || k.Bytes == 0 || !strings.Contains(k.Text(), k.Name) {
				t.Errorf("%s: kernel %s for %s in %s, want %s in %s:\n%s", kind, k.Name, k.Target, k.Language, own, lang, k.Text())
			}
		}
		p, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(t.Context(), "main", tensor.MustOf([]int64{4}, []float32{0, 0.25, -1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range []float64{0, 1, -4, 4} {
			if got := out[0].Float(i); math.Abs(got/math.Exp(x)-1) > 1e-5 {
				t.Errorf("%s: element %d is %v, want %v", kind, i, got, math.Exp(x))
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTargetsDoNotCallEachOther compiles a PrimFunc that calls one for another target, and one for a target that is none.
func TestTargetsDoNotCallEachOther(t *testing.T) {
	text := `
@I.ir_module
class M:
    @T.prim_func(private=True)
    def inner(A: T.handle("float32")):
        T.func_attr({"target": "interp"})
        B = T.decl_buffer((4,), "float32", data=A)
        B[0] = T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        M.inner(A.data)
`
	_, err := compiler.Compile(t.Context(), compiler.Request{Module: module(t, text)})
	if want := "function main for target wasm calls inner for target interp"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = compiler.Compile(t.Context(), compiler.Request{Module: module(t, strings.Replace(mixed, `"interp"`, `"abacus"`, 1))})
	if want := `unknown target kind "abacus"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := interp.Build(t.Context(), nil, target.Of("wasm")); err == nil {
		t.Error("the interpreter serves WebAssembly")
	}
}

// kernels are lowered PrimFuncs: loops without end, an assertion, an allocation, a result.
const kernels = `
@I.ir_module
class M:
    @T.prim_func
    def spin(A: T.Buffer((4,), "int32")):
        while A[0] < 1000:
            A[1] = A[1] + 1

    @T.prim_func
    def guard(A: T.Buffer((4,), "int32")):
        assert A[0] > 0, "numbers start at 1"
        A[1] = A[0]

    @T.prim_func
    def large(n: T.int32, A: T.Buffer((4,), "int32")):
        B = T.alloc_buffer((n,), "int32")
        B[0] = n
        B[n - 1] = n
        A[0] = B[0] + B[n - 1]

    @T.prim_func
    def next(n: T.int64) -> T.int64:
        T.ret(n + T.int64(1))
`

func load(t *testing.T, text string) (*runtime.Device, *runtime.Module) {
	t.Helper()
	m := module(t, text)
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: m, Target: target.Of("interp")})
	if err != nil {
		t.Fatal(err)
	}
	eng := compiler.NewEngine()
	t.Cleanup(func() { eng.Close() })
	d, err := eng.NewDevice(runtime.DeviceOptions{MaxBytes: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	b := res.Artifact.Modules[0]
	mod, err := d.Load(t.Context(), b.Format, b.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return d, mod
}

// TestKernels calls kernels as tests of every loader do: results, assertions, memory, cancellation, bad arguments.
func TestKernels(t *testing.T) {
	d, mod := load(t, kernels)
	h := tensor.MustOf([]int64{4}, []int32{7, 0, 0, 0})
	x, err := d.Upload(h)
	if err != nil {
		t.Fatal(err)
	}
	a := runtime.TensorValue(x)
	if v, err := mod.Kernel("next").Run(t.Context(), runtime.Int(41)); err != nil || v != runtime.Int(42) {
		t.Errorf("next: %v, %v", v, err)
	}
	if _, err := mod.Kernel("guard").Run(t.Context(), a); err != nil {
		t.Error(err)
	}
	if got, err := x.Download(); err != nil || got.Float(1) != 7 {
		t.Errorf("guard wrote %v, %v", got, err)
	}
	if err := x.Write(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	var ke *runtime.KernelError
	if _, err := mod.Kernel("guard").Run(t.Context(), a); !errors.As(err, &ke) || ke.Kernel != "guard" || ke.Kind != "RuntimeError" || ke.Message != "numbers start at 1" {
		t.Errorf("guard of 0: %v", err)
	}
	if _, err := mod.Kernel("large").Run(t.Context(), runtime.Int(4<<20), a); err != nil {
		t.Errorf("16 MiB on a device of 32: %v", err)
	}
	if _, err := mod.Kernel("large").Run(t.Context(), runtime.Int(64<<20), a); !errors.Is(err, runtime.ErrDeviceMemory) {
		t.Errorf("256 MiB on a device of 32: %v", err)
	}
	for _, bad := range [][]runtime.Value{{}, {runtime.Int(1)}, {runtime.String("x")}, {a, a}} {
		if _, err := mod.Kernel("guard").Run(t.Context(), bad...); err == nil {
			t.Errorf("guard takes %v", bad)
		}
	}
	if err := x.Write(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the visitor left")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(5*time.Millisecond, func() { cancel(cause) })
	if _, err := mod.Kernel("spin").Run(ctx, a); !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, cause) {
		t.Errorf("spin: %v", err)
	}
	if _, err := mod.Kernel("next").Run(t.Context(), runtime.Int(1)); err != nil {
		t.Errorf("after a canceled run: %v", err)
	}
}

// TestDamagedModules loads modules that are cut, changed or no modules: errors, never a panic.
func TestDamagedModules(t *testing.T) {
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: module(t, kernels), Target: target.Of("interp")})
	if err != nil {
		t.Fatal(err)
	}
	eng := compiler.NewEngine()
	defer eng.Close()
	d, err := eng.NewDevice(runtime.DeviceOptions{MaxBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	code := res.Artifact.Modules[0].Bytes
	for n := 0; n < len(code); n += 1 + n/50 {
		if _, err := d.Load(t.Context(), interp.Format, code[:n]); err == nil {
			t.Fatalf("a module cut at %d of %d was loaded", n, len(code))
		}
	}
	for name, b := range map[string][]byte{
		"more":     append(slices.Clone(code), 0),
		"text":     []byte("@T.prim_func"),
		"many":     []byte("irscope-tir\x00\xff\xff\xff\xff\x0f"),
		"long":     []byte("irscope-tir\x00\x01\xff\xff\xff\xff\x0f"),
		"no IR":    []byte("irscope-tir\x00\x01\x01f\x02{}"),
		"constant": bytes.Replace(code, []byte("tir.PrimFunc"), []byte("tir.PrimFunk"), 1),
	} {
		if _, err := d.Load(t.Context(), interp.Format, b); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	twice, err := interp.Build(t.Context(), []codegen.Func{codegen.Funcs(res.Module)[0]}, target.Of("interp"))
	if err != nil {
		t.Fatal(err)
	}
	twice.Bytes[len("irscope-tir\x00")] = 2
	twice.Bytes = append(twice.Bytes, twice.Bytes[len("irscope-tir\x00")+1:]...)
	if _, err := d.Load(t.Context(), interp.Format, twice.Bytes); err == nil || !strings.Contains(err.Error(), "two functions are named") {
		t.Errorf("a function twice: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Load(ctx, interp.Format, code); !errors.Is(err, runtime.ErrStopped) {
		t.Errorf("a canceled load: %v", err)
	}
}

// TestAddressesDoNotWrap stores at an index whose address is that of the first element once more, counted in 64 bits.
func TestAddressesDoNotWrap(t *testing.T) {
	m := module(t, `
@T.prim_func
def wild(A: T.Buffer((4,), "int64"), n: T.int64):
    B = T.decl_buffer((T.int64(4611686018427387904),), "int64", data=A.data)
    B[n] = T.int64(7)
`)
	a := tensor.MustOf([]int64{4}, []int64{1, 2, 3, 4})
	for _, n := range []int64{1 << 61, 1<<61 + 1, 1 << 60, 1<<60 - 1, 1 << 48} {
		err := tirinterp.Run(t.Context(), codegen.Funcs(m)[0].Prim, []any{a, n}, nil)
		if err == nil || !strings.Contains(err.Error(), "access out of memory") {
			t.Errorf("element %d: %v, %v", n, err, a.Ints())
		}
	}
}
