package compiler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	wasmloader "github.com/irscope/irscope/runtime/wasm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

const threeKernels = `
@I.ir_module
class M:
    @T.prim_func
    def double(a: T.Buffer((64,), "float32"), b: T.Buffer((64,), "float32")):
        for i in range(64):
            with T.sblock("b"):
                v = T.axis.spatial(64, i)
                b[v] = a[v] * T.float32(2)

    @T.prim_func
    def sum(a: T.Buffer((64,), "float32"), b: T.Buffer((1,), "float32")):
        for i in range(64):
            with T.sblock("b"):
                v = T.axis.reduce(64, i)
                with T.init():
                    b[0] = T.float32(0)
                b[0] = b[0] + a[v]

    @R.function
    def main(x: R.Tensor((64,), "float32")) -> R.Tensor((1,), "float32"):
        cls = M
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((64,), "float32"))
            z = R.exp(y)
            s = R.call_tir(cls.sum, (z,), out_sinfo=R.Tensor((1,), "float32"))
            R.output(s)
        return s
`

// refusing is the generator of a kind that refuses functions of some names.
func refusing(t *testing.T, kind string, names ...string) {
	t.Helper()
	i := slices.IndexFunc(generators, func(g generator) bool { return g.kind == kind })
	old := generators[i]
	t.Cleanup(func() { generators[i] = old })
	generators[i].refuses = func(f *tir.PrimFunc) string {
		if slices.Contains(names, ir.GlobalSymbol(f)) {
			return "it is a test"
		}
		return old.refuses(f)
	}
	generators[i].build = func(ctx context.Context, funcs []codegen.Func, tg target.Target) (*codegen.Library, error) {
		taken := slices.DeleteFunc(slices.Clone(funcs), func(f codegen.Func) bool { return slices.Contains(names, f.Name) })
		lib, err := old.build(ctx, taken, tg)
		if err != nil {
			return nil, err
		}
		for _, f := range funcs {
			if slices.Contains(names, f.Name) {
				lib.Refused = append(lib.Refused, codegen.Refusal{Name: f.Name, Reason: "it is a test"})
			}
		}
		return lib, nil
	}
}

func machine(t *testing.T) target.Target {
	t.Helper()
	tg, err := ForMachine(target.Of("x86"))
	if err != nil {
		t.Skip(err)
	}
	return tg
}

func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, diags := parse.Module("test.py", text, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return m
}

// result compiles threeKernels.
func result(t *testing.T, tg target.Target) *Result {
	t.Helper()
	m := parsed(t, threeKernels)
	res, err := Compile(t.Context(), Request{Module: m, Target: tg, Disabled: []string{"FuseOps"}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// modules describes the modules of an artifact.
func modules(res *Result) string {
	var out []string
	for _, m := range res.Artifact.Modules {
		out = append(out, fmt.Sprintf("%s: %s", m.Kind, strings.Join(m.Symbols, " ")))
	}
	return strings.Join(out, "; ")
}

func sum(t *testing.T, res *Result, loaders ...runtime.Loader) (float64, []error, error) {
	t.Helper()
	eng := NewEngine()
	if loaders != nil {
		eng = runtime.NewEngine(loaders...)
	}
	defer eng.Close()
	p, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
	if err != nil {
		return 0, nil, err
	}
	x := make([]float32, 64)
	for i := range x {
		x[i] = float32(i%7) / 8
	}
	out, err := p.Run(t.Context(), "main", tensor.MustOf([]int64{64}, x))
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Floats()[0], p.PassedOver(), p.Close()
}

// TestFallback compiles kernels of which a generator refuses some: they run beside the others on one device, and give what WebAssembly alone gives.
func TestFallback(t *testing.T) {
	tg := machine(t)
	want, _, err := sum(t, result(t, target.Default()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		refused []string
		modules string
	}{
		{nil, "x86: double exp sum"},
		{[]string{"exp"}, "x86: double sum; wasm: exp"},
		{[]string{"sum", "double"}, "x86: exp; wasm: double sum"},
		{[]string{"exp", "sum", "double"}, "wasm: double exp sum"},
	} {
		t.Run(strings.Join(c.refused, ","), func(t *testing.T) {
			refusing(t, "x86", c.refused...)
			res := result(t, tg)
			if got := modules(res); got != c.modules {
				t.Errorf("modules %q, expected %q", got, c.modules)
			}
			if len(res.Refused) != len(c.refused) {
				t.Errorf("refused: %v", res.Refused)
			}
			for _, r := range res.Refused {
				if r.Reason != "it is a test" || r.By != "wasm" || r.Target != tg.String() {
					t.Errorf("%+v", r)
				}
			}
			for _, k := range res.Kernels {
				kind, _, _ := strings.Cut(k.Target, " ")
				if slices.Contains(c.refused, k.Name) != (kind == "wasm") || k.Text() == "" {
					t.Errorf("%s is for %s", k.Name, k.Target)
				}
			}
			got, _, err := sum(t, res)
			if d := got - want; err != nil || d > 1e-3 || d < -1e-3 {
				t.Errorf("got %v, WebAssembly gives %v, %v", got, want, err)
			}
		})
	}
}

// foreign is a loader of machine code on a machine that cannot execute any.
type foreign struct{ runtime.Loader }

func (foreign) Prepare(context.Context, []byte) (runtime.Code, error) {
	return nil, fmt.Errorf("abacus: %w", runtime.ErrUnsupported)
}

// elsewhere is the loaders of such a machine.
func elsewhere() (list []runtime.Loader) {
	for _, g := range generators {
		l := g.loader(EngineOptions{})
		if g.kind == "x86" {
			l = foreign{l}
		}
		list = append(list, l)
	}
	return list
}

// TestTwins opens artifacts with twins where machine code runs and where it does not.
func TestTwins(t *testing.T) {
	tg := machine(t)
	want, _, err := sum(t, result(t, target.Default()))
	if err != nil {
		t.Fatal(err)
	}
	refusing(t, "x86", "exp")
	alone := result(t, tg)
	if _, _, err := sum(t, alone, elsewhere()...); err == nil || !strings.Contains(err.Error(), "kernel module 0: abacus: not executable on this machine") {
		t.Errorf("without twins: %v", err)
	}
	res := result(t, tg)
	if err := AddTwins(t.Context(), tg, res); err != nil {
		t.Fatal(err)
	}
	if got := modules(res); got != "x86: double sum; wasm: exp; wasm: double sum" {
		t.Errorf("modules %q", got)
	}
	if err := AddTwins(t.Context(), tg, res); err != nil || len(res.Artifact.Modules) != 3 {
		t.Errorf("twins were added twice: %s, %v", modules(res), err)
	}
	got, passed, err := sum(t, res)
	if d := got - want; err != nil || d > 1e-3 || d < -1e-3 || passed != nil {
		t.Errorf("where machine code runs: %v, %v, %v", got, passed, err)
	}
	got, passed, err = sum(t, res, elsewhere()...)
	if d := got - want; err != nil || d > 1e-3 || d < -1e-3 || len(passed) != 1 {
		t.Errorf("where none runs: %v, %v, %v", got, passed, err)
	}
	plain := result(t, target.Default())
	if err := AddTwins(t.Context(), target.Default(), plain); err != nil || len(plain.Artifact.Modules) != 1 {
		t.Errorf("twins of WebAssembly: %s, %v", modules(plain), err)
	}
	if err := AddTwins(t.Context(), tg, &Result{}); err == nil {
		t.Error("twins without an artifact")
	}
}

// TestWithCallees takes along what chosen functions call, through others and by name.
func TestWithCallees(t *testing.T) {
	m := parsed(t, `
@I.ir_module
class M:
    @T.prim_func(private=True)
    def inner(a: T.handle):
        T.evaluate(0)

    @T.prim_func(private=True)
    def middle(a: T.handle):
        M.inner(a)

    @T.prim_func
    def outer(a: T.handle):
        M.middle(a)

    @T.prim_func
    def packed(a: T.handle):
        T.call_packed("outer", a)

    @T.prim_func
    def other(a: T.handle):
        T.evaluate(0)
`)
	for chosen, want := range map[string]string{"other": "other", "outer": "inner middle outer", "packed": "inner middle outer packed"} {
		var got []string
		for _, f := range withCallees(codegen.Funcs(m), map[string]bool{chosen: true}) {
			got = append(got, f.Name)
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s takes along %q, expected %q", chosen, s, want)
		}
	}
}

// TestTwinsByFeatures opens artifacts for two named sets of features as processors with less and with as much would: what they lack is named, and the twins run.
func TestTwinsByFeatures(t *testing.T) {
	if err := native.Available(); err != nil {
		t.Skip(err)
	}
	want, _, err := sum(t, result(t, target.Default()))
	if err != nil {
		t.Fatal(err)
	}
	avx2, avx512 := asm.Features{AVX2: true}, asm.Features{AVX2: true, AVX512: true}
	for _, c := range []struct {
		target string
		has    asm.Features
		lacks  string
	}{
		{"x86 -mattr=+avx2", asm.Features{}, "+avx2,+fma,+f16c,+bmi2"},
		{"x86 -mattr=+avx2", avx2, ""},
		{"x86 -mattr=+avx512f", asm.Features{}, "avx512f"},
		{"x86 -mattr=+avx512f", avx2, "+avx512f,+avx512bw,+avx512dq,+avx512vl"},
		{"x86 -mattr=+avx512f", avx512, ""},
	} {
		if !native.Host().Has(c.has) {
			continue // what it has is executed
		}
		tg, err := target.Parse(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if tg, err = ForMachine(tg); err != nil {
			t.Fatal(err)
		}
		res := result(t, tg)
		if err := AddTwins(t.Context(), tg, res); err != nil {
			t.Fatal(err)
		}
		got, passed, err := sum(t, res, native.NewLoader(native.Options{Processor: &c.has}), wasmloader.NewLoader(wasmloader.Options{}))
		if d := got - want; err != nil || d > 1e-3 || d < -1e-3 {
			t.Errorf("%s on %v: %v instead of %v, %v", c.target, c.has, got, want, err)
		}
		if c.lacks == "" && passed != nil || c.lacks != "" && (len(passed) != 1 || !strings.Contains(passed[0].Error(), c.lacks)) {
			t.Errorf("%s on %v: passed over %v, expected %q", c.target, c.has, passed, c.lacks)
		}
	}
}

// fused is a kernel whose value shows how often it rounds: x*x is 1 + 2^-11 + 2^-24, of which a float32 has no place for the last.
const fused = `
@I.ir_module
class M:
    @T.prim_func
    def kernel(x: T.Buffer((64,), "float32"), z: T.Buffer((64,), "float32")):
        for i in range(64):
            with T.sblock("b"):
                v = T.axis.spatial(64, i)
                z[v] = x[v] * x[v] - T.float32(1.00048828125)

    @R.function
    def main(x: R.Tensor((64,), "float32")) -> R.Tensor((64,), "float32"):
        cls = M
        with R.dataflow():
            z = R.call_tir(cls.kernel, (x,), out_sinfo=R.Tensor((64,), "float32"))
            R.output(z)
        return z
`

// TestFMAWhereItIs rounds once in machine code and twice in WebAssembly, in that of refused functions and of twins as well; refused functions are not contracted.
func TestFMAWhereItIs(t *testing.T) {
	tg := machine(t)
	for _, c := range []struct {
		name    string
		target  target.Target
		refused []string
		twin    bool
		want    float32
		fma     bool
	}{
		{"wasm", target.Default(), nil, false, 0, false},
		{"x86", tg, nil, false, 0x1p-24, true},
		{"refused", tg, []string{"kernel"}, false, 0, false},
		{"twin", tg, nil, true, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			refusing(t, "x86", c.refused...)
			res, err := Compile(t.Context(), Request{Module: parsed(t, fused), Target: c.target})
			if err != nil {
				t.Fatal(err)
			}
			if text := script.Module(res.Module, script.Options{}).Source; strings.Contains(text, "T.fma") != c.fma {
				t.Errorf("fma is there: %v\n%s", !c.fma, text)
			}
			eng := NewEngine()
			if c.twin {
				if err := AddTwins(t.Context(), tg, res); err != nil {
					t.Fatal(err)
				}
				eng = runtime.NewEngine(elsewhere()...)
			}
			defer eng.Close()
			p, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			x := make([]float32, 64)
			for i := range x {
				x[i] = 1 + 0x1p-12
			}
			out, err := p.Run(t.Context(), "main", tensor.MustOf([]int64{64}, x))
			if err != nil {
				t.Fatal(err)
			}
			for i, y := range out[0].Floats() {
				if float32(y) != c.want {
					t.Fatalf("element %d is %g, want %g", i, y, c.want)
				}
			}
		})
	}
}
