package tirpass_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
)

// tiles multiplies matrices of 64 by 64 in tiles of 16 by 16 that the threads of a block load together.
const tiles = `@T.prim_func
def mm(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    by = T.launch_thread("blockIdx.y", 4)
    bx = T.launch_thread("blockIdx.x", 4)
    ty = T.launch_thread("threadIdx.y", 16)
    tx = T.launch_thread("threadIdx.x", 16)
    SA = T.decl_buffer((16, 16), "float32", scope="shared")
    SB = T.decl_buffer((16, 16), "float32", scope="shared")
    L = T.decl_buffer((1,), "float32", scope="local")
    L[0] = T.float32(0)
    for k in range(4):
        SA[ty, tx] = A[by * 16 + ty, k * 16 + tx]
        SB[ty, tx] = B[k * 16 + ty, bx * 16 + tx]
        T.tvm_storage_sync("shared")
        for i in range(16):
            L[0] = L[0] + SA[ty, i] * SB[i, tx]
        T.tvm_storage_sync("shared")
    C[by * 16 + ty, bx * 16 + tx] = L[0]`

// BenchmarkThreads runs a kernel of 16 blocks of 256 threads: with checks of all memory, of shared memory, and without.
func BenchmarkThreads(b *testing.B) {
	f := parseFunc(b, tiles)
	for _, c := range []struct {
		name string
		how  interp.Barriers
	}{{"all", interp.BarriersWritten}, {"shared", interp.BarriersAuto}, {"implied", interp.BarriersImplied}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := interp.Compile(f, &interp.Options{Barriers: c.how})
			if err != nil {
				b.Fatal(err)
			}
			args := tirtest.Arguments(f, 1)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Call(context.Background(), args); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(64*64*64), "ns/iter")
		})
	}
}
