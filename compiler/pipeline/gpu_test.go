package pipeline_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
)

// gpuKernels are a reduction over threads, and three stages in dynamic shared memory.
const gpuKernels = `@I.ir_module
class Module:
    @T.prim_func
    def total(A: T.Buffer((16, 128), "float32"), B: T.Buffer((16,), "float32")):
        for i in T.thread_binding(16, thread="blockIdx.x"):
            for ko in range(4):
                for ki in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("B"):
                        vi = T.axis.spatial(16, i)
                        vk = T.axis.reduce(128, ko * 32 + ki)
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def stages(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), "float32", scope="shared.dyn")
        U = T.alloc_buffer((64,), "float32", scope="shared.dyn")
        for b in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(64, thread="threadIdx.x"):
                with T.block("S"):
                    v = T.axis.spatial(64, t)
                    S[v] = A[v] * T.float32(2)
            for t in T.thread_binding(64, thread="threadIdx.x"):
                with T.block("U"):
                    v = T.axis.spatial(64, t)
                    U[v] = S[63 - v] + S[v]
            for t in T.thread_binding(64, thread="threadIdx.x"):
                with T.block("B"):
                    v = T.axis.spatial(64, t)
                    B[v] = U[63 - v]
`

// TestPipelinesOfGPUs lowers kernels for each kind of GPU to host code and kernels that it launches.
func TestPipelinesOfGPUs(t *testing.T) {
	for _, kind := range []string{"cuda", "rocm", "opencl", "metal", "vulkan", "webgpu"} {
		t.Run(kind, func(t *testing.T) {
			to := target.Of(kind)
			p, err := pipeline.Lookup("tir", to)
			if err != nil {
				t.Fatal(err)
			}
			m, diags := parse.Module("gpu", gpuKernels, parse.Options{})
			if len(diags) > 0 {
				t.Fatal(diags[0].Format())
			}
			c, err := pass.NewContext(t.Context(), pass.WithTarget(to), pass.WithRegistry(pipeline.NewRegistry()))
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.Run(p, m)
			if err != nil {
				t.Fatal(err)
			}
			for gv, fn := range out.Funcs() {
				f := fn.(*tir.PrimFunc)
				for _, d := range tir.Verify(gv.Name, f) {
					t.Error(d)
				}
				want, conv := "llvm", int64(1)
				if strings.HasSuffix(gv.Name, "_kernel") {
					want, conv = kind, 2
				}
				if got := f.Attrs.Str(ir.AttrTarget, ""); got != want || f.Attrs.Int(ir.AttrCallingConv, 0) != conv {
					t.Errorf("%s is for %s with calling convention %d, want %s with %d", gv.Name, got, f.Attrs.Int(ir.AttrCallingConv, 0), want, conv)
				}
			}
			text := script.Module(out, script.Options{}).Source
			for _, want := range []string{
				`"tir.kernel_launch_params": ["blockIdx.x", "threadIdx.x"]`, `"tir.kernel_launch_params": ["blockIdx.x", "threadIdx.x", "tir.use_dyn_shared_memory"]`,
				`T.call_packed_lowered("total_kernel", `, `buf_dyn_shmem = T.allocate([512], "uint8", "shared.dyn")`, `T.tvm_storage_sync("shared.dyn")`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is missing in\n%s", want, text)
				}
			}
			if warps := strings.Contains(text, "T.tvm_warp_shuffle_down"); warps != (kind == "cuda" || kind == "metal") {
				t.Errorf("shuffles: %v in\n%s", warps, text)
			}
		})
	}
}
