package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func splitLoop(n int) pass.ContextOption {
	return pass.Configure(map[string]any{"tir.InjectDoubleBuffer": map[string]any{"split_loop": n}})
}

const doubleHeader = `@T.prim_func
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((16,), "float32")):`

// doubled runs the pass and Simplify.
func doubled(t *testing.T, f *tir.PrimFunc, opts ...pass.ContextOption) *tir.PrimFunc {
	t.Helper()
	out, err := passtest.NewContext(opts...).Run(pass.NewSequential("", tirpass.InjectDoubleBuffer, tirpass.Simplify), moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "InjectDoubleBuffer", funcOf(out))
	return funcOf(out)
}

// TestDoubleBufferPairs has the marked statement hold all of the body, and the filling only.
func TestDoubleBufferPairs(t *testing.T) {
	for _, c := range []struct {
		name          string
		split         int
		before, after string
	}{
		{"the whole body", 1, `
    for i in range(16):
        D = T.allocate([8], "float32", "global")
        C = T.Buffer((8,), data=D)
        with T.attr(D, "double_buffer_scope", 1):
            for j in range(8):
                C[j] = A[i * 8 + j]
            B[i] = T.float32(0)
            for j in range(8):
                B[i] = B[i] + C[j]`, `
    D = T.allocate([16], "float32", "global")
    C = T.Buffer((16,), data=D)
    for j in range(8):
        C[j] = A[j]
    B[0] = T.float32(0)
    for j in range(8):
        B[0] = B[0] + C[j]
    for i_outer in range(15):
        with T.attr(D, "double_buffer_write", 1):
            for j in range(8):
                C[(i_outer + 1) % 2 * 8 + j] = A[i_outer * 8 + j + 8]
            B[i_outer + 1] = T.float32(0)
            for j in range(8):
                B[i_outer + 1] = B[i_outer + 1] + C[(i_outer + 1) % 2 * 8 + j]`},
		{"one after the other", 2, `
    for i in range(16):
        C = T.decl_buffer((8,))
        with T.attr(C.data, "double_buffer_scope", 1):
            for j in range(8):
                C[j] = A[i * 8 + j]
        for j in range(8):
            B[i] = B[i] + C[j]`, `
    C = T.decl_buffer((16,))
    for j in range(8):
        C[j] = A[j]
    for i_outer in range(7):
        with T.attr(C.data, "double_buffer_write", 1):
            for j in range(8):
                C[j + 8] = A[i_outer * 16 + j + 8]
        for j in range(8):
            B[i_outer * 2] = B[i_outer * 2] + C[j]
        with T.attr(C.data, "double_buffer_write", 1):
            for j in range(8):
                C[j] = A[i_outer * 16 + j + 16]
        for j in range(8):
            B[i_outer * 2 + 1] = B[i_outer * 2 + 1] + C[j + 8]
    for j in range(8):
        C[j + 8] = A[j + 120]
    for j in range(8):
        B[14] = B[14] + C[j]
    for j in range(8):
        B[15] = B[15] + C[j + 8]`},
		{"what it reads is stored to", 1, `
    for i in range(15):
        C = T.decl_buffer((8,))
        with T.attr(C.data, "double_buffer_scope", 1):
            for j in range(8):
                C[j] = A[i * 8 + j]
        A[i * 8 + 8] = C[0]`, `
    for i in range(15):
        C = T.decl_buffer((8,))
        with T.attr(C.data, "double_buffer_scope", 1):
            for j in range(8):
                C[j] = A[i * 8 + j]
        A[i * 8 + 8] = C[0]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, doubleHeader+c.before)
			g := doubled(t, f, splitLoop(c.split))
			if want := parseFunc(t, doubleHeader+c.after); scriptOf(g) != scriptOf(want) {
				t.Errorf("got\n%s\nwant\n%s", print(g), print(want))
			}
			args := tirtest.Arguments(f, 3)
			sameMeaning(t, tirpass.InjectDoubleBuffer, f, g, args, mustRun(t, f, args))
		})
	}
}

// TestDoubleBufferRefuses checks the option.
func TestDoubleBufferRefuses(t *testing.T) {
	f := parseFunc(t, doubleHeader+`
    A[0] = B[0]`)
	for _, n := range []int{-1, 3, 1000} {
		if _, err := passtest.NewContext(splitLoop(n)).Run(tirpass.InjectDoubleBuffer, moduleOf(f)); err == nil {
			t.Errorf("split_loop = %d: no error", n)
		}
	}
}

// TestDoubleBufferKeepsMeaning runs loops of all sizes, with one and two marked buffers.
func TestDoubleBufferKeepsMeaning(t *testing.T) {
	seed.Each(t, 80, func(t *testing.T, r *rand.Rand) {
		n, w := r.IntN(9), 1+r.IntN(4)
		second := ""
		use := "C[j]"
		if r.IntN(2) == 0 {
			second = fmt.Sprintf(`
        E = T.decl_buffer((%d,))
        with T.attr(E.data, "double_buffer_scope", 1):
            for j in range(%d):
                E[j] = A[i + j] + T.float32(i)`, w, w)
			use = "C[j] * E[j]"
		}
		f := parseFunc(t, doubleHeader+fmt.Sprintf(`
    for i in range(%d):
        C = T.decl_buffer((%d,))
        with T.attr(C.data, "double_buffer_scope", 1):
            for j in range(%d):
                C[j] = A[i * 8 + j]%s
        for j in range(%d):
            B[i] = B[i] + %s`, n, w, w, second, w, use))
		g := doubled(t, f, splitLoop([]int{0, 1, 2, 4}[r.IntN(4)]))
		args := tirtest.Arguments(f, r.Uint64())
		sameMeaning(t, tirpass.InjectDoubleBuffer, f, g, args, mustRun(t, f, args))
	})
}

// TestContextCallPairs computes contexts once, in functions of the host.
func TestContextCallPairs(t *testing.T) {
	header := "@T.prim_func\ndef kernel(dev: T.int32, n: T.int32):\n"
	ctx := func(id string) string {
		return `T.tvm_thread_context(T.call_extern("handle", "device_context", dev, ` + id + `))`
	}
	body := func(a, b string) string {
		return `
    A = T.allocate([n], "float32", "global")
    for i in range(n):
        T.evaluate(T.call_extern("int32", "fadd", ` + a + `, A))
        for j in range(10):
            T.evaluate(T.call_extern("int32", "fadd", ` + b + `, A))
            T.evaluate(T.call_extern("int32", "fadd", ` + a + `, A))`
	}
	host := `    T.func_attr({"target": T.target("llvm")})`
	checkPairs(t, tirpass.CombineContextCall, header, []pair{
		{name: "on the host", unrun: true, before: host + body(ctx("0"), ctx("1")), after: host + `
    ctx_cache_: T.handle = T.call_extern("handle", "device_context", dev, 0)
    ctx_cache__1: T.handle = T.call_extern("handle", "device_context", dev, 1)` + body("ctx_cache_", "ctx_cache__1")},
		{name: "no target", unrun: true, before: body(ctx("0"), ctx("1"))},
		{name: "of a loop variable", unrun: true, before: host + body(ctx("i"), ctx("i"))},
		{name: "in a parallel loop", unrun: true, before: host + `
    for i in T.parallel(4):
        for j in range(2):
            T.evaluate(T.call_extern("int32", "f", ` + ctx("i") + `, ` + ctx("n") + `))`, after: host + `
    ctx_cache_: T.handle = T.call_extern("handle", "device_context", dev, n)
    for i in T.parallel(4):
        for j in range(2):
            T.evaluate(T.call_extern("int32", "f", ` + ctx("i") + `, ctx_cache_))`},
	})
	checkPairs(t, tirpass.DecorateDeviceScope, smallHeader, []pair{
		{name: "a body", before: `
    A[0] = B[0]`, after: `
    with T.attr(0, "device_scope", 0):
        A[0] = B[0]`},
	})
}
