package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestPackedForHosts gives functions for hosts whose code is TVM's the entries that TVM looks for.
func TestPackedForHosts(t *testing.T) {
	text := func(f string) string {
		return print(funcOf(mustPass(t, tirpass.MakePackedAPI, parseFunc(t, f))))
	}
	got := text(`@T.prim_func
def kernel(arg: T.int32) -> T.int32:
    T.func_attr({"target": T.target("llvm", host="llvm")})
    if arg > 0:
        return 10
    return 20`)
	rest := got
	for _, w := range []string{
		`"calling_conv": 1, "global_symbol": "__tvm_ffi_kernel", "target": "llvm"`,
		`assert num_args == 1, "kernel: num_args should be 1"`, `assert not T.isnullptr(args), "kernel: args pointer is NULL"`,
		`assert arg_type_index == 1 or arg_type_index == 2, "kernel: Expect arg[0] to be int"`, `arg: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 0, 15, "int64"))`,
		`with T.attr(0, "compute_scope", "kernel_compute_"):`, "if arg > 0:", "T.tvm_struct_set(result, 0, 13, 1)", "T.tvm_struct_set(result, 0, 14, 0)",
		`T.tvm_struct_set(result, 0, 15, T.Cast("int64", 10))`, "T.ret(0)",
	} {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("%s\nis not in, or not in its place in\n%s", w, got)
		}
		rest = after
	}
	// Code of a device has no host, or was given its signature.
	alone := `@T.prim_func
def kernel(arg: T.int32):
    T.func_attr({"target": T.target("cuda")})
    T.evaluate(arg)`
	if got := text(alone); got != print(parseFunc(t, alone)) {
		t.Errorf("got\n%s", got)
	}
	if got := text(strings.Replace(alone, `"cuda"`, `"cuda", host="llvm"`, 1)); !strings.Contains(got, `"target": "llvm"`) {
		t.Errorf("got\n%s", got)
	}
}

// TestPackedCalls packs the calls of functions that become packed.
func TestPackedCalls(t *testing.T) {
	m := parseModule(t, `
    @T.prim_func
    def main(A: T.Buffer((1,), "float32")):
        T.func_attr({"target": T.target("llvm", host="llvm")})
        Module.public(A.data)
        Module.own(A.data)

    @T.prim_func
    def public(p: T.handle("float32")):
        T.func_attr({"target": T.target("llvm", host="llvm")})
        T.evaluate(p)

    @T.prim_func(private=True)
    def own(p: T.handle("float32")):
        T.func_attr({"target": T.target("llvm")})
        T.evaluate(p)`)
	out, err := passtest.NewContext().Run(tirpass.MakePackedAPI, m)
	if err != nil {
		t.Fatal(err)
	}
	text := script.Module(out, script.Options{}).Source
	for _, w := range []string{`"tir.tvm_call_cpacked", "public", A, T.reinterpret("handle", T.uint64(0))`, "cls.own(A)", `def own(p: T.handle("float32")):`} {
		if !strings.Contains(text, w) {
			t.Errorf("%s is not in\n%s", w, text)
		}
	}
}

// TestPackedReturns refuses a return out of a parallel loop.
func TestPackedReturns(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((4,), "int32")) -> T.int32:
    for i in T.parallel(4):
        T.evaluate(T.ret(A[i]))
    T.evaluate(T.ret(0))`)
	_, err := passtest.NewContext().Run(tirpass.MakePackedAPI, moduleOf(f))
	if err == nil || !strings.Contains(err.Error(), "tir.ret cannot be used in parallel scope") {
		t.Errorf("got %v", err)
	}
}
