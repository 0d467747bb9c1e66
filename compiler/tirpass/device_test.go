package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestLowerDeviceKernelLaunch makes calls of kernels launches.
func TestLowerDeviceKernelLaunch(t *testing.T) {
	checkModules(t, &passArg{pass: tirpass.LowerDeviceKernelLaunch}, []modulePair{
		{"threads and shared memory", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), m: T.int32):
        T.func_attr({"target": T.target("llvm")})
        Module.kernel(A.data, m * 2)

    @T.prim_func(private=True)
    def kernel(A_data: T.handle("float32"), n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        A = T.decl_buffer((16,), "float32", data=A_data)
        bx = T.launch_thread("blockIdx.x", n + 1)
        tx = T.launch_thread("threadIdx.x", 4)
        S = T.decl_buffer((n,), "float32", scope="shared.dyn")
        S[tx] = A[tx]
        A[bx] = S[tx]`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), m: T.int32):
        T.func_attr({"target": T.target("llvm")})
        T.call_packed("kernel", A.data, m * 2, m * 2 + 1, 4, m * 2 * 4)

    @T.prim_func
    def kernel(A_data: T.handle("float32"), n: T.int32):
        T.func_attr({"target": T.target("cuda"), "calling_conv": 2, "tir.is_global_func": True, "tir.kernel_launch_params": ["blockIdx.x", "threadIdx.x", "tir.use_dyn_shared_memory"]})
        A = T.decl_buffer((16,), "float32", data=A_data)
        bx = T.launch_thread("blockIdx.x", n + 1)
        tx = T.launch_thread("threadIdx.x", 4)
        S = T.decl_buffer((n,), "float32", scope="shared.dyn")
        S[tx] = A[tx]
        A[bx] = S[tx]`},
		{"another code generator", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        Module.part(A.data)

    @T.prim_func(private=True)
    def part(A_data: T.handle("float32")):
        T.func_attr({"target": T.target("c")})
        A = T.decl_buffer((16,), "float32", data=A_data)
        A[0] = T.float32(0)`, `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        T.call_extern("void", "part", A.data)

    @T.prim_func
    def part(A_data: T.handle("float32")):
        T.func_attr({"target": T.target("c"), "tir.is_global_func": True})
        A = T.decl_buffer((16,), "float32", data=A_data)
        A[0] = T.float32(0)`},
		{"one target", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        Module.part(A.data)

    @T.prim_func(private=True)
    def part(A_data: T.handle("float32")):
        T.func_attr({"target": T.target("llvm")})
        T.evaluate(A_data)`, ""},
	})
}

// refused is a module, as the functions of its text, and the error of a pass on it.
type refused struct {
	p          *pass.Pass
	text, want string
}

func checkRefused(t *testing.T, list []refused) {
	t.Helper()
	for _, c := range list {
		if _, err := passtest.NewContext().Run(c.p, parseModule(t, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.p.Name, err, c.want)
		}
	}
}

func caller(target, arguments, kernel string) string {
	return `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        Module.kernel(` + arguments + `)

    @T.prim_func(private=True)
    def kernel(A_data: T.handle("float32")):` + target + `
        A = T.decl_buffer((16,), "float32", data=A_data)` + kernel
}

// TestDeviceRefusals checks the errors of the passes that split host and device.
func TestDeviceRefusals(t *testing.T) {
	cuda := "\n        T.func_attr({\"target\": T.target(\"cuda\")})"
	launch := tirpass.LowerDeviceKernelLaunch
	checkRefused(t, []refused{
		{launch, caller("", "A.data", "\n        A[0] = T.float32(0)"), "it has no target"},
		{launch, caller(cuda, "A.data", `
        S = T.decl_buffer((4,), "float32", scope="shared.dyn")
        U = T.decl_buffer((4,), "float32", scope="shared.dyn")
        S[0] = U[0]`), "Only one dynamic shared memory allocation is allowed."},
		{launch, caller(cuda, "A.data", `
        n: T.int32 = 4
        tx = T.launch_thread("threadIdx.x", n)
        A[tx] = T.float32(0)`), "the launch parameter threadIdx.x of kernel depends on n"},
		{launch, caller(cuda, "A.data", "\n        T.ret(1)"), "Device kernel may only contain successful return, T.ret(0)"},
		{tirpass.AnnotateDeviceRegions, caller("", "A.data", "\n        A[0] = T.float32(0)"), "AnnotateDeviceRegions: Require the target attribute"},
		{tirpass.MakeUnpackedAPI, `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        A[0] = T.float32(0)`, "MakeUnpackedAPI required the function to be annotated with tvm::attr::kTarget"},
		{tirpass.MakeUnpackedAPI, `
    @T.prim_func
    def main(a: T.handle):
        T.func_attr({"target": T.target("cuda", host="llvm")})
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        A[n - 1] = T.float32(0)`, "it uses n, which follows from the shape of an argument"},
		{tirpass.LowerDeviceStorageAccessInfo, `
    @T.prim_func
    def main():
        V = T.allocate([16], "float32", "global.vtcm")
        T.evaluate(V)`, "Cannot find memory info of global.vtcm"},
	})
}

// TestAnnotateDeviceRegions marks launches.
func TestAnnotateDeviceRegions(t *testing.T) {
	text := func(target, mark, deeper string) string {
		return `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": ` + target + `})
        for i in range(2):` + mark + `
                ` + deeper + `with T.launch_thread("threadIdx.x", 16) as tx:
                    ` + deeper + `A[tx] = T.float32(0)`
	}
	one := "\n            if i < 1:"
	checkModules(t, &passArg{pass: tirpass.AnnotateDeviceRegions}, []modulePair{
		{"with a host", text(`T.target("cuda", host="llvm")`, one, ""), text(`T.target("cuda", host="llvm")`, one+"\n                with T.attr(T.target(\"cuda\"), \"target\", 0):", "    ")},
		{"without one", text(`T.target("cuda")`, one, ""), ""},
	})
}

// TestMakeUnpackedAPI gives functions the signature of C.
func TestMakeUnpackedAPI(t *testing.T) {
	checkModules(t, &passArg{pass: tirpass.MakeUnpackedAPI}, []modulePair{
		{"pointers for tensors", `
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm")})
        Module.other(A.data, n)

    @T.prim_func
    def other(B_data: T.handle("float32"), n: T.int32):
        T.func_attr({"target": T.target("llvm", host="llvm")})
        T.evaluate(n)`, `
    @T.prim_func
    def main(A_data: T.handle("float32"), n: T.int32) -> T.int32:
        T.func_attr({"target": T.target("llvm")})
        T.attr("default", "device_id", 0)
        T.attr("default", "device_type", 2)
        Module.other(A_data, n)
        T.ret(0)

    @T.prim_func
    def other(B_data: T.handle("float32"), n: T.int32) -> T.int32:
        T.func_attr({"target": T.target("llvm")})
        T.evaluate(n)
        T.ret(0)`},
		{"private, or lowered already", `
    @T.prim_func(private=True)
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("cuda", host="llvm")})
        A[0] = T.float32(0)

    @T.prim_func
    def other(B: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        B[0] = T.float32(0)`, ""},
	})
}

// TestLowerDeviceStorageAccessInfo lowers special memory.
func TestLowerDeviceStorageAccessInfo(t *testing.T) {
	p := with(t, tirpass.LowerDeviceStorageAccessInfo, "memory_info", ir.NewAttrs(
		"global.vtcm", ir.NewAttrs("head_address", "vtcm"), "global.texture", ir.NewAttrs("unit_bits", 64)))
	checkModules(t, &passArg{pass: p}, []modulePair{
		{"plain and dynamic memory", `
    @T.prim_func(private=True)
    def main():
        S = T.allocate([16], "float32", "shared.dyn")
        U = T.allocate([16], "float32", "local")
        T.evaluate(0)`, ""},
		{"with addresses", `
    @T.prim_func(private=True)
    def main():
        V = T.allocate([16], "float32", "global.vtcm")
        B = T.decl_buffer((16,), "float32", data=V, scope="global.vtcm")
        B[0] = T.float32(1)`, `
    @T.prim_func(private=True)
    def main():
        V: T.handle("float32", "global.vtcm") = T.call_extern("handle", "vtcm")
        B = T.decl_buffer((16,), "float32", data=V, scope="global.vtcm")
        B[0] = T.float32(1)`},
		{"without", `
    @T.prim_func(private=True)
    def main():
        V = T.allocate([16], "float32", "global.texture")
        B = T.decl_buffer((16,), "float32", data=V, scope="global.texture")
        T.evaluate(1)`, `
    @T.prim_func(private=True)
    def main():
        T.evaluate(1)`},
	})
}
