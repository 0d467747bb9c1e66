package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestVerifyMemoryUsesTheTargetOfTheFunction verifies functions under a context for wasm.
func TestVerifyMemoryUsesTheTargetOfTheFunction(t *testing.T) {
	loop := "    for i in range(128):\n        B[i] = A[i]"
	bound := "    for i in T.thread_binding(128, thread=\"threadIdx.x\"):\n        B[i] = A[i]"
	own := "    C = T.alloc_buffer((128,), \"float32\")\n    for i in range(128):\n        C[i] = T.float32(1)"
	for _, c := range []struct{ name, target, body, want string }{
		{"plain loop for cuda", `T.target("cuda")`, loop, "accesses buffer B of target cuda outside of its threads"},
		{"plain loop for cuda in JSON", `T.target({"kind": "cuda", "arch": "sm_80"})`, loop, "target cuda"},
		{"with options", `T.target("vulkan -max_num_threads=256")`, loop, "target vulkan"},
		{"bound to a thread", `T.target("cuda")`, bound, ""},
		{"memory of its own", `T.target("cuda")`, own, ""},
		{"for the CPU", `T.target("llvm")`, loop, ""},
		{"without a target of its own", ``, loop, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			attrs := ""
			if c.target != "" {
				attrs = "    T.func_attr({\"target\": " + c.target + "})\n"
			}
			f := parseFunc(t, "@T.prim_func\ndef kernel(A: T.Buffer((128,), \"float32\"), B: T.Buffer((128,), \"float32\")):\n"+attrs+c.body)
			_, err := newContext(t).Run(tirpass.VerifyMemory, moduleOf(f))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "kernel")):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestSplitHostDevice compares with what TVM writes.
func TestSplitHostDevice(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"for a device", `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        T.attr(T.target("cuda", host="llvm"), "target", 0)
        T.evaluate(n)`, `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm -opt-level=0")})
        cls.main_kernel(n)

    @T.prim_func(private=True)
    def main_kernel(n: T.int32):
        T.func_attr({"target": T.target("cuda"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)`},
		{"for a CPU", `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        T.attr(T.target("llvm"), "target", 0)
        T.evaluate(n)`, `
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        err: T.int32 = cls.main_kernel(n)
        assert err == 0, "Error executing compute kernel"

    @T.prim_func(private=True)
    def main_kernel(n: T.int32) -> T.int32:
        T.func_attr({"target": T.target("llvm"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)
        return 0`},
		{"a name that is taken", `
    @T.prim_func
    def main(n: T.int32):
        T.attr(T.target("cuda"), "target", 0)
        T.evaluate(n)

    @T.prim_func
    def main_kernel():
        T.evaluate(0)`, `
    @T.prim_func
    def main(n: T.int32):
        cls.main_kernel_1(n)

    @T.prim_func(private=True)
    def main_kernel_1(n: T.int32):
        T.func_attr({"target": T.target("cuda"), "tir.noalias": True, "tir.is_global_func": True})
        T.evaluate(n)

    @T.prim_func
    def main_kernel():
        T.evaluate(0)`},
		{"buffers", `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), k: T.int32):
        with T.attr(T.target({"kind": "cuda", "host": {"kind": "llvm"}}), "target", 0):
            tx = T.launch_thread("threadIdx.x", 16)
            B[tx] = A[tx] + k`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), k: T.int32):
        cls.main_kernel(A.data, B.data, k)

    @T.prim_func(private=True)
    def main_kernel(A_data: T.handle("int32"), B_data: T.handle("int32"), k: T.int32):
        T.func_attr({"target": "{\"kind\":\"cuda\"}", "tir.noalias": True, "tir.is_global_func": True})
        A = T.decl_buffer((16,), "int32", data=A_data)
        B = T.decl_buffer((16,), "int32", data=B_data)
        tx = T.launch_thread("threadIdx.x", 16)
        B[tx] = A[tx] + k`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, want := parseModule(t, c.before), parseModule(t, c.want)
			got, err := newContext(t).Run(tirpass.SplitHostDevice, before)
			if err != nil {
				t.Fatal(err)
			}
			for gv, fn := range got.Funcs() {
				for _, d := range tir.Verify(gv.Name, fn.(*tir.PrimFunc)) {
					t.Error(d)
				}
				if w := want.Lookup(gv.Name); w == nil || !ir.StructuralEqual(fn, w, ir.EqualOpts{}) {
					t.Errorf("%s differs: got\n%s\nwant\n%s", gv.Name, script.Module(got, script.Options{}).Source, script.Module(want, script.Options{}).Source)
				}
			}
		})
	}
}

func parseModule(t *testing.T, functions string) *ir.Module {
	t.Helper()
	m, found := parse.Module("text.py", "@I.ir_module\nclass Module:"+functions+"\n", parse.Options{})
	for _, d := range found {
		t.Fatalf("%s", parse.Format(d))
	}
	return m
}
