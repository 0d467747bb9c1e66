package tirpass_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/runtime/tensor"
)

const legalHeader = `@T.prim_func
def kernel(Aptr: T.handle("bfloat16"), Cptr: T.handle("bfloat16")):
    T.func_attr({"target": T.target("c")})`

// TestBF16ComputePairs computes in float32.
func TestBF16ComputePairs(t *testing.T) {
	checkPairs(t, tirpass.BF16ComputeLegalize, legalHeader, []pair{
		{name: "a copy", unrun: true, before: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "bfloat16", data=Cptr)
    for i in range(8):
        C[i] = A[i]`},
		{name: "a sum in between", unrun: true, before: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "bfloat16", data=Cptr)
    B = T.decl_buffer((8,), "bfloat16")
    for i in range(8):
        B[i] = A[i] + T.bfloat16(1)
        C[i] = B[i]`, after: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "bfloat16", data=Cptr)
    B = T.decl_buffer((8,), "float32")
    for i in range(8):
        B[i] = T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", A[i])), T.uint32(16))) + T.float32(1)
        C[i] = T.reinterpret("bfloat16", T.Cast("uint16", T.shift_right(T.reinterpret("uint32", B[i]) + (T.bitwise_and(T.shift_right(T.reinterpret("uint32", B[i]), T.uint32(16)), T.uint32(1)) + T.uint32(32767)), T.uint32(16))))`},
		{name: "a let", unrun: true, before: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "float32")
    v: T.bfloat16 = A[0] * A[1]
    C[0] = T.Cast("float32", v)`, after: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "float32")
    v: T.float32 = T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", A[0])), T.uint32(16))) * T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", A[1])), T.uint32(16)))
    C[0] = v`},
		{name: "memory whose address is used", unrun: true, before: `
    B = T.decl_buffer((8,), "bfloat16")
    T.evaluate(T.call_extern("int32", "f", B.data))
    B[0] = B[1]`},
	})
	f := parseFunc(t, strings.Replace(legalHeader, `"target": T.target("c")`, "", 1)+"\n    T.evaluate(0)")
	if _, err := passtest.NewContext().Run(tirpass.BF16ComputeLegalize, moduleOf(f)); err == nil || !strings.Contains(err.Error(), "the function has no target") {
		t.Errorf("without a target: %v", err)
	}
}

// TestStorageLegalPairs stores unsigned integers.
func TestStorageLegalPairs(t *testing.T) {
	checkPairs(t, tirpass.BF16StorageLegalize, legalHeader, []pair{
		{name: "a computation", before: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    A[0] = A[1] + A[2]`, fails: "a value of type bfloat16 is computed"},
		{name: "a comparison", before: `
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    if A[1] < A[2]:
        A[0] = A[1]`, fails: "a value of type bfloat16 is computed: run the pass that computes in a wider type in place of bfloat16 first"},
	})
	header := strings.ReplaceAll(legalHeader, "bfloat16", "uint16")
	f := parseFunc(t, legalHeader+`
    A = T.decl_buffer((8,), "bfloat16", data=Aptr)
    C = T.decl_buffer((8,), "bfloat16", data=Cptr)
    B = T.decl_buffer((8,), "bfloat16")
    for i in range(8):
        B[i] = A[i]
        C[i] = T.reinterpret("bfloat16", T.reinterpret("uint16", B[i]) + T.uint16(1))`)
	want := parseFunc(t, header+`
    A = T.decl_buffer((8,), "uint16", data=Aptr)
    C = T.decl_buffer((8,), "uint16", data=Cptr)
    B = T.decl_buffer((8,), "uint16")
    for i in range(8):
        B[i] = A[i]
        C[i] = B[i] + T.uint16(1)`)
	if got := scriptOf(apply(t, passtest.NewContext(), tirpass.BF16StorageLegalize, f)); got != scriptOf(want) {
		t.Errorf("got\n%s\nwant\n%s", got, scriptOf(want))
	}
	f = parseFunc(t, "@T.prim_func\ndef kernel(A: T.Buffer((8,), \"bfloat16\")):\n    T.func_attr({\"target\": T.target(\"c\")})\n    T.evaluate(0)")
	if _, err := passtest.NewContext().Run(tirpass.BF16StorageLegalize, moduleOf(f)); err == nil || !strings.Contains(err.Error(), "must be called after tir.MakePackedAPI") {
		t.Errorf("with a buffer: %v", err)
	}
}

// TestTargetsThatComputeNatively leaves functions alone.
func TestTargetsThatComputeNatively(t *testing.T) {
	for _, c := range []struct {
		p      *pass.Pass
		target string
		native bool
	}{
		{tirpass.BF16ComputeLegalize, "cuda -arch=sm_75", false},
		{tirpass.BF16ComputeLegalize, "cuda -arch=sm_86", true},
		{tirpass.BF16ComputeLegalize, `{"kind": "cuda", "arch": "sm_90a"}`, true},
		{tirpass.BF16ComputeLegalize, "cuda", false},
		{tirpass.BF16ComputeLegalize, "llvm", false},
		{tirpass.FP8ComputeLegalize, "cuda -arch=sm_89", true},
		{tirpass.FP8ComputeLegalize, "cuda -arch=sm_86", false},
		{tirpass.FP8ComputeLegalize, "cuda -arch=sm_100", true},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8,), "bfloat16"), B: T.Buffer((8,), "float8_e5m2")):
    A[0] = A[1] + A[2]
    B[0] = B[1] + B[2]`)
		f = f.WithAttrs(f.Attrs.With(ir.AttrTarget, c.target))
		out, err := passtest.NewContext().Run(c.p, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		if native := funcOf(out) == f; native != c.native {
			t.Errorf("%s for %s: native %v, want %v", c.p.Name, c.target, native, c.native)
		}
	}
}

// TestConversionsOfFloats converts all codes of narrow types, and numbers to them, and compares with the interpreter.
func TestConversionsOfFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, narrow := range []string{"bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e3m4"} {
		for _, wide := range []string{"float32", "float16"} {
			if narrow == "bfloat16" && wide == "float16" {
				continue
			}
			p := tirpass.BF16ComputeLegalize
			if narrow != "bfloat16" {
				var err error
				if p, err = tirpass.FP8ComputeLegalize.With(ir.NewAttrs("promote_dtype_str", wide)); err != nil {
					t.Fatal(err)
				}
			}
			f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((4096,), "%[1]s"), B: T.Buffer((4096,), "%[2]s"), C: T.Buffer((4096,), "%[1]s"), D: T.Buffer((4096,), "%[2]s")):
    T.func_attr({"target": T.target("c")})
    for i in range(4096):
        B[i] = T.Cast("%[2]s", A[i])
        C[i] = T.Cast("%[1]s", D[i])`, narrow, wide))
			args := tirtest.Arguments(f, 1)
			a, d := args[0].(*tensor.Tensor), args[3].(*tensor.Tensor)
			for k := range 4096 {
				a.SetFloat(k, math.Ldexp(rng.Float64()*2-1, rng.IntN(34)-18))
				d.SetFloat(k, math.Ldexp(rng.Float64()*2-1, rng.IntN(34)-18))
			}
			for k, v := range []float64{0, math.Copysign(0, -1), 1, 448, 464, 480, 57344, 61440, math.Inf(1), math.Inf(-1), 1e-3, 1.0 / 1024, 3.0 / 1024, 15.5, 15.75} {
				d.SetFloat(k, v)
			}
			out := apply(t, passtest.NewContext(), p, f)
			want := mustRun(t, f, args)
			got, err := tirtest.Run(out, args, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := tirtest.Differ(got, want); diff != "" {
				t.Errorf("%s in %s: %s\n%s", narrow, wide, diff, print(out))
			}
			for _, n := range []string{narrow} {
				ir.Walk(out.Body, func(x ir.Node) bool {
					if b, ok := x.(*tir.Cast); ok && strings.Contains(b.Type.String(), n) {
						t.Errorf("a cast to %s is left", n)
					}
					return true
				})
			}
		}
	}
}

// TestRandomBF16 legalizes sums and products and compares up to what bfloat16 rounds.
func TestRandomBF16(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((16,), "bfloat16"), B: T.Buffer((16,), "bfloat16"), C: T.Buffer((16,), "bfloat16")):
    T.func_attr({"target": T.target("c")})
    D = T.decl_buffer((16,), "bfloat16")
    for i in range(16):
        D[i] = T.if_then_else(A[i] < B[i], A[i] * T.bfloat16(0.5), T.max(A[i], B[i]))
        C[i] = T.Select(i < 8, D[i], T.Cast("bfloat16", i)) + B[15 - i]`)
	out := apply(t, passtest.NewContext(), tirpass.BF16ComputeLegalize, f)
	for seed := range uint64(20) {
		args := tirtest.Arguments(f, seed)
		want := mustRun(t, f, args)
		got, err := tirtest.Run(out, args, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := topitest.Apart(got, want, 1.0/128); d != "" {
			t.Fatalf("%s\n%s", d, print(out))
		}
	}
}
