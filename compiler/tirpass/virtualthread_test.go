package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

const virtualHeader = `@T.prim_func
def kernel(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):`

// TestVirtualThreadPairs repeats what depends on a thread, and nothing else.
func TestVirtualThreadPairs(t *testing.T) {
	checkPairs(t, tirpass.InjectVirtualThread, virtualHeader, []pair{
		{name: "none", before: `
    A[0] = C[0]`},
		{name: "a buffer with parts", before: `
    v = T.launch_thread("vthread", 2)
    D = T.allocate([4], "int32", "shared")
    B = T.Buffer((4,), "int32", data=D, scope="shared")
    B[1] = A[v]
    C[v] = B[1] + 1`, after: `
    D = T.allocate([8], "int32", "shared")
    B = T.Buffer((8,), "int32", data=D, scope="shared")
    B[T.Mul(0, 4) + 1] = A[0]
    B[T.Mul(1, 4) + 1] = A[1]
    C[0] = B[T.Mul(0, 4) + 1] + 1
    C[1] = B[T.Mul(1, 4) + 1] + 1`},
		{name: "a buffer that is shared", before: `
    v = T.launch_thread("vthread", 2)
    D = T.allocate([4], "int32", "shared")
    B = T.Buffer((4,), "int32", data=D, scope="shared")
    for i in range(4):
        B[i] = A[i]
    for i in range(4):
        C[v * 4 + i] = B[i]`, after: `
    D = T.allocate([4], "int32", "shared")
    B = T.Buffer((4,), "int32", data=D, scope="shared")
    for i in range(4):
        B[i] = A[i]
    for i in range(4):
        C[T.Mul(0, 4) + i] = B[i]
        C[T.Mul(1, 4) + i] = B[i]`},
		{name: "branches", before: `
    for i in range(4):
        v = T.launch_thread("vthread", 2)
        D = T.allocate([8], "int32", "shared")
        B = T.Buffer((8,), "int32", data=D, scope="shared")
        if i == 0:
            B[i] = A[v]
        else:
            B[i] = A[v] + 1
        C[v] = B[i]`, again: true, after: `
    for i in range(4):
        D = T.allocate([16], "int32", "shared")
        B = T.Buffer((16,), "int32", data=D, scope="shared")
        if i == 0:
            B[T.Mul(0, 8) + i] = A[0]
            B[T.Mul(1, 8) + i] = A[1]
        else:
            B[T.Mul(0, 8) + i] = A[0] + 1
            B[T.Mul(1, 8) + i] = A[1] + 1
        C[0] = B[T.Mul(0, 8) + i]
        C[1] = B[T.Mul(1, 8) + i]`},
		{name: "a loop for many", before: `
    v = T.launch_thread("vthread", 32)
    C[v] = A[v]`, after: `
    for v_s in range(32):
        C[v_s] = A[v_s]`},
		{name: "a while loop", before: `
    v = T.launch_thread("vthread", 2)
    while A[v] > 0:
        A[v] = A[v] - 1`, fails: "virtual thread v: it holds a while loop"},
	})
}

// TestVirtualThreadOfContexts repeats all statements for threads that share nothing.
func TestVirtualThreadOfContexts(t *testing.T) {
	f := parseFunc(t, virtualHeader+`
    v = T.int32()
    T.attr(T.iter_var(v, T.Range(0, 2), "ThreadIndex", "cthread"), "virtual_thread", 2)
    D = T.allocate([4], "int32", "shared")
    B = T.Buffer((4,), "int32", data=D, scope="shared")
    B[0] = 1
    C[v] = B[0]`)
	out, err := passtest.NewContext().Run(tirpass.InjectVirtualThread, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	want := parseFunc(t, virtualHeader+`
    D = T.allocate([8], "int32", "shared")
    B = T.Buffer((8,), "int32", data=D, scope="shared")
    B[T.Mul(0, 4)] = 1
    B[T.Mul(1, 4)] = 1
    C[0] = B[T.Mul(0, 4)]
    C[1] = B[T.Mul(1, 4)]`)
	if g := funcOf(out); scriptOf(g) != scriptOf(want) {
		t.Errorf("got\n%s", print(g))
	}
}

// TestVirtualThreadVectors keeps indices of vectors ramps.
func TestVirtualThreadVectors(t *testing.T) {
	f := parseFunc(t, virtualHeader+`
    v = T.launch_thread("vthread", 4)
    D = T.allocate([4], "int32", "shared")
    B = T.Buffer((4,), "int32", data=D, scope="shared")
    B[0:4] = T.Broadcast(v, 4)`)
	g := apply(t, passtest.NewContext(), tirpass.InjectVirtualThread, f)
	for i := range 4 {
		if want := fmt.Sprintf("B[T.Ramp(T.Mul(%d, 4), 1, 4)] = T.Broadcast(%d, 4)", i, i); !strings.Contains(print(g), want) && !strings.Contains(print(g), fmt.Sprintf("B[T.Mul(%d, 4):T.Mul(%d, 4) + 4] = T.Broadcast(%d, 4)", i, i, i)) {
			t.Errorf("no %s in\n%s", want, print(g))
		}
	}
}

// TestVirtualThreadKeepsMeaning runs random virtual threads as threads, and one after the other.
func TestVirtualThreadKeepsMeaning(t *testing.T) {
	seed.Each(t, 100, func(t *testing.T, r *rand.Rand) {
		n, m := []int{1, 2, 3, 16}[r.IntN(4)], 1+r.IntN(3)
		var b strings.Builder
		fmt.Fprintf(&b, virtualHeader+`
    v = T.launch_thread("vthread", %d)
    D = T.allocate([4], "int32", "local")
    B = T.Buffer((4,), "int32", data=D, scope="local")
    for i in range(4):
        B[i] = A[i] + %s
`, n, []string{"v", "i", "0"}[r.IntN(3)])
		in := "    "
		for range m {
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(&b, "%sfor i in range(%d):\n%s    B[i] = B[i] * 2 + v\n", in, 1+r.IntN(4), in)
			case 1:
				fmt.Fprintf(&b, "%sif %s < %d:\n%s    B[%d] = v + 3\n", in, []string{"v", "A[0]", "A[v]"}[r.IntN(3)], r.IntN(4), in, r.IntN(4))
			case 2:
				fmt.Fprintf(&b, "%sw%d: T.int32 = B[%d] + v\n%sB[%d] = w%d\n", in, b.Len(), r.IntN(4), in, r.IntN(4), b.Len())
			default:
				fmt.Fprintf(&b, "%sB[%d] = B[%d] + v * %d\n", in, r.IntN(4), r.IntN(4), r.IntN(3))
			}
		}
		fmt.Fprintf(&b, "    for i in range(4):\n        C[v * 4 + i] = B[i] + A[i]\n")
		text := b.String()
		f := parseFunc(t, text)
		args := tirtest.Arguments(f, r.Uint64())
		out, err := passtest.NewContext().Run(tirpass.InjectVirtualThread, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		g := funcOf(out)
		wellFormed(t, "InjectVirtualThread", g)
		sameMeaning(t, tirpass.InjectVirtualThread, f, g, args, mustRun(t, f, args))
	})
}
