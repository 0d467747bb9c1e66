package tirpass_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/tensor"
)

// moduleOfText reads the functions of a class.
func moduleOfText(t passtest.Failer, functions string) *ir.Module {
	t.Helper()
	text := "@I.ir_module\nclass Module:\n" + functions
	m, found := parse.Module("text.py", text, parse.Options{})
	for _, d := range found {
		t.Fatalf("%s\n%s", d.Format(), text)
	}
	return m
}

const rowSums = `
    @T.prim_func(private=True)
    def sub(a: T.handle("float32"), b: T.handle("float32")):
        A = T.decl_buffer((16, 16), "float32", data=a)
        B = T.decl_buffer((16,), "float32", data=b)
        for i in range(16):
            B[i] = T.float32(0)
            for j in range(16):
                B[i] = B[i] + A[i, j]
`

// TestInlinePrivate inlines what can be, and keeps the rest.
func TestInlinePrivate(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"over pointers", `
    @T.prim_func
    def main(A: T.Buffer((80, 16), "float32"), B: T.Buffer((64, 16), "float32")):
        for i in range(64):
            Module.sub(T.address_of(A[i, 0]), T.address_of(B[i, 0]))
` + rowSums, `
    @T.prim_func
    def main(A: T.Buffer((80, 16), "float32"), B: T.Buffer((64, 16), "float32")):
        for i in range(64):
            a: T.handle("float32") = T.address_of(A[i, 0])
            A_1 = T.decl_buffer((16, 16), data=a)
            b: T.handle("float32") = T.address_of(B[i, 0])
            B_1 = T.decl_buffer((16,), data=b)
            for i_1 in range(16):
                B_1[i_1] = T.float32(0)
                for j in range(16):
                    B_1[i_1] = B_1[i_1] + A_1[i_1, j]
`},
		{"another target", `
    @T.prim_func
    def main(A: T.Buffer((80, 16), "float32"), B: T.Buffer((64, 16), "float32")):
        T.func_attr({"target": T.target("llvm")})
        Module.sub(T.address_of(A[0, 0]), T.address_of(B[0, 0]))
` + strings.Replace(rowSums, "        A = T", "        T.func_attr({\"target\": T.target(\"cuda\")})\n        A = T", 1), ""},
		{"a recursive one", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        Module.sub(T.address_of(A[0]), 16)

    @T.prim_func(private=True)
    def sub(a: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((n,), "float32", data=a)
        A[1] = A[0] + A[1]
        if n > 1:
            Module.sub(T.address_of(A[1]), n - 1)
`, ""},
		{"a value", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        for i in range(16):
            A[i] = Module.sub(i)

    @T.prim_func(private=True)
    def sub(i: T.int32) -> T.float32:
        c: T.float32 = T.cos(T.Cast("float32", i))
        s: T.float32 = T.sin(T.Cast("float32", i))
        r: T.float32 = c * c + s * s
        T.ret(r)
`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        for i in range(16):
            c: T.float32 = T.cos(T.Cast("float32", i))
            s: T.float32 = T.sin(T.Cast("float32", i))
            r: T.float32 = c * c + s * s
            A[i] = r
`},
		{"an early return", `
    @T.prim_func
    def main(n: T.int32):
        Module.sub(n)

    @T.prim_func(private=True)
    def sub(i: T.int32) -> T.int32:
        if i > 0:
            T.ret(1)
        T.evaluate(T.call_extern("int32", "f"))
        T.ret(0)
`, ""},
		{"an argument that is read", `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32")):
        Module.sub(A.data, A[3])

    @T.prim_func(private=True)
    def sub(a: T.handle("int32"), n: T.int32):
        A = T.decl_buffer((16,), "int32", data=a)
        A[3] = 5
        A[4] = n
`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32")):
        n: T.int32 = A[3]
        A_1 = T.decl_buffer((16,), "int32", data=A.data)
        A_1[3] = 5
        A_1[4] = n
`},
		{"blocks", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        Module.sub(A.data)

    @T.prim_func(private=True)
    def sub(a: T.handle("float32")):
        A = T.decl_buffer((16,), "float32", data=a)
        for i in range(16):
            with T.block("b"):
                A[i] = A[i] * T.float32(2)
`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := moduleOfText(t, c.before)
			out, _ := passtest.Check(t, passtest.NewContext(), tirpass.InlinePrivateFunctions, m)
			if c.after == "" {
				if out != m {
					t.Errorf("the module changed to\n%s", script.Module(out, script.Options{}).Source)
				}
				return
			}
			if want := moduleOfText(t, c.after); !ir.StructuralEqualModule(out, want, ir.EqualOpts{}) {
				t.Errorf("got\n%s\nwant\n%s", script.Module(out, script.Options{}).Source, script.Module(want, script.Options{}).Source)
			}
		})
	}
}

// TestInlinePrivateKeepsMeaning calls random functions twice, and runs what that becomes.
func TestInlinePrivateKeepsMeaning(t *testing.T) {
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		text := hoistText(r)
		f := parseFunc(t, text)
		_, body, _ := strings.Cut(text, "m: T.int32):\n")
		m := moduleOfText(t, `
    @T.prim_func
    def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((64,), "int32"), n: T.int32, m: T.int32):
        Module.sub(A.data, T.address_of(B[0]), n, m)
        for i in range(2):
            Module.sub(T.address_of(A[0, 0]), B.data, B[i] % 8 + 8, n + i)

    @T.prim_func(private=True)
    def sub(a: T.handle("float32"), b: T.handle("int32"), n: T.int32, m: T.int32):
        A = T.decl_buffer((16, 16), "float32", data=a)
        B = T.decl_buffer((64,), "int32", data=b)
`+indented("\n" + body)[1:])
		args := tirtest.Arguments(f, r.Uint64())
		want := mustRun(t, f, args)
		for i := range int64(2) {
			b := want[1].(*tensor.Tensor).Ints()
			next := mustRun(t, f, []any{want[0], want[1], (b[i]%8+8)%8 + 8, args[2].(int64) + i})
			copy(want, next[:2])
		}
		out, err := passtest.NewContext().Run(tirpass.InlinePrivateFunctions, m)
		if err != nil {
			t.Fatal(err)
		}
		if passtest.WellFormed(t, "InlinePrivateFunctions", out); out.Len() != 1 {
			t.Fatalf("%d functions are left", out.Len())
		}
		sameMeaning(t, tirpass.InlinePrivateFunctions, f, out.Lookup("main").(*tir.PrimFunc), args, want)
	})
}
