package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestMemoryOfThreadsKeepsItsExtent compacts buffers inside of loops that are bound to threads:
// what several threads see keeps room for all of them, what each has alone does not.
func TestMemoryOfThreadsKeepsItsExtent(t *testing.T) {
	for _, c := range []struct {
		scope string
		want  int64
	}{{"shared", 256}, {"shared.dyn", 256}, {"local", 1}, {"global", 1024}} {
		for _, form := range []string{`
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(256, thread="threadIdx.x"):`, `
    bx = T.launch_thread("blockIdx.x", 4)
    with T.launch_thread("threadIdx.x", 256) as tx:
        if True:`} {
			f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):`+form+`
            with T.block(""):
                T.reads()
                T.writes()
                S = T.alloc_buffer((1024,), scope="`+c.scope+`")
                S[bx * 256 + tx] = A[bx * 256 + tx]
                B[bx * 256 + tx] = S[bx * 256 + tx]`)
			out, err := passtest.NewContext().Run(tirpass.CompactBufferAllocation, moduleOf(f))
			if err != nil {
				t.Fatal(err)
			}
			ir.Walk(funcOf(out).Body, func(n ir.Node) bool {
				if b, ok := n.(*tir.Block); ok && len(b.AllocBuffers) > 0 && b.AllocBuffers[0].Name == "S" {
					if got, _ := tir.AsInt(b.AllocBuffers[0].Shape[0]); got != c.want {
						t.Errorf("scope %s: %d elements, want %d\n%s", c.scope, got, c.want, print(funcOf(out)))
					}
				}
				return true
			})
		}
	}
}

// TestLoweringKeepsTheOrderOfThreads reverses a vector through memory that the threads share, from one loop over the threads to the next.
func TestLoweringKeepsTheOrderOfThreads(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def rev(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    S = T.alloc_buffer((256,), "float32", scope="shared")
    for tx in T.thread_binding(256, thread="threadIdx.x"):
        S[tx] = A[tx]
    for tx in T.thread_binding(256, thread="threadIdx.x"):
        B[tx] = S[255 - tx]`)
	args := tirtest.Arguments(f, 1)
	want := mustRun(t, f, args)
	for _, p := range lowering(t) {
		if p == tirpass.MakePackedAPI {
			break
		}
		g := apply(t, passtest.NewContext(), p, f)
		sameMeaning(t, p, f, g, args, want)
		f = g
	}
}
