package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestVerifyGPUCode checks each constraint at its bound and below it, by the text of its error.
func TestVerifyGPUCode(t *testing.T) {
	m := moduleOf(parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((1024,), "float32")):
    with T.launch_thread("blockIdx.x", 4):
        tx = T.launch_thread("threadIdx.x", 32)
        ty = T.launch_thread("threadIdx.y", 4)
        tz = T.launch_thread("threadIdx.z", 2)
        vt = T.launch_thread("vthread", 3)
        S_data = T.allocate([100], "float32", "shared")
        L_data = T.allocate([4], "float32x4", "local")
        S = T.Buffer((100,), data=S_data, scope="shared")
        L = T.Buffer((4,), "float32x4", data=L_data, scope="local")
        L[0] = A[T.Ramp(tx * 4, 1, 4)]
        S[ty] = A[tz + vt]
    with T.launch_thread("threadIdx.x", 8) as tx:
        A[tx] = T.float32(0)
`))
	for _, x := range []struct {
		name string
		most int64
		text string
	}{
		{"max_threads_per_block", 768, "Used threads per block (768) is greater than the allowed maximum (767)"},
		{"max_thread_x", 32, "Extent of threadIdx.x (32) is greater than maximum allowed (31);"},
		{"max_thread_y", 4, "Extent of threadIdx.y (4) is greater than maximum allowed (3);"},
		{"max_thread_z", 2, "Extent of threadIdx.z (2) is greater than maximum allowed (1);"},
		{"max_vthread", 3, "Extent of vthread (3) is greater than maximum allowed (2);"},
		{"max_shared_memory_per_block", 400, "Used shared memory per block (400) is greater than the allowed maximum (399)"},
		{"max_local_memory_per_block", 64, "Used local memory per block (64) is greater than the allowed maximum (63)"},
		{"max_vector_bytes", 16, "Number of lanes (4) times number of bytes (4) for dtype float32x4 is greater than the maximum number of vector bytes (15)"},
		{"max_kernels", 2, "Number of launched kernels (2) is greater than the allowed maximum (1)"},
	} {
		for below := range int64(2) {
			p := with(t, tirpass.VerifyGPUCode, "constraints", ir.NewAttrs(x.name, x.most-below))
			out, err := passtest.NewContext().Run(p, m)
			switch {
			case below == 0 && (err != nil || out != m):
				t.Errorf("%s at its bound: %v", x.name, err)
			case below == 1 && (err == nil || !strings.Contains(err.Error(), "RuntimeError: GPU constraint(s) violated:") || !strings.Contains(err.Error(), x.text)):
				t.Errorf("%s below its bound: got %v want %s", x.name, err, x.text)
			}
		}
	}
	if _, err := passtest.NewContext().Run(with(t, tirpass.VerifyGPUCode, "constraints", ir.NewAttrs("max_speed", 3)), m); err == nil || !strings.Contains(err.Error(), "Invalid check item: max_speed") {
		t.Errorf("an unknown constraint: got %v", err)
	}
	two := moduleOf(parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    with T.launch_thread("blockIdx.x", 1):
        with T.launch_thread("threadIdx.x", 64) as tx:
            A[tx] = T.float32(0)
        with T.launch_thread("threadIdx.x", 32) as ty:
            A[ty] = T.float32(1)
`))
	if _, err := passtest.NewContext().Run(tirpass.VerifyGPUCode, two); err == nil || !strings.Contains(err.Error(), "Extent of threadIdx.x (32) does not match the bound 64") {
		t.Errorf("two extents of a thread: got %v", err)
	}
}
