package tirpass_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/tensor"
)

const reverse = `@T.prim_func
def rev(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 128)
    S = T.allocate([128], "float32", "shared")
    S_1 = T.Buffer((128,), data=S, scope="shared")
    S_1[tx] = A[bx * 128 + tx]
    SYNC
    B[bx * 128 + tx] = S_1[127 - tx]`

func runThreads(t *testing.T, text string, opts *interp.Options) ([]any, error) {
	t.Helper()
	f := parseFunc(t, text)
	args := tirtest.Arguments(f, 1)
	return args, interp.Run(context.Background(), f, args, opts)
}

// TestBarrierOrdersThreads reverses parts of a vector through shared memory, with a barrier, without one that is implied, and
// without any.
func TestBarrierOrdersThreads(t *testing.T) {
	sync := strings.Replace(reverse, "SYNC", `T.tvm_storage_sync("shared")`, 1)
	none := strings.Replace(reverse, "    SYNC\n", "", 1)
	for _, c := range []struct {
		text string
		opts interp.Options
	}{{sync, interp.Options{}}, {sync, interp.Options{Reversed: true}}, {none, interp.Options{}}, {sync, interp.Options{Barriers: interp.BarriersImplied}}} {
		args, err := runThreads(t, c.text, &c.opts)
		if err != nil {
			t.Fatal(err)
		}
		a, b := args[0].(*tensor.Tensor), args[1].(*tensor.Tensor)
		for i := range 256 {
			if want := a.Float(i/128*128 + 127 - i%128); b.Float(i) != want {
				t.Fatalf("element %d is %v, want %v\n%s", i, b.Float(i), want, c.text)
			}
		}
	}
	_, err := runThreads(t, none, &interp.Options{Barriers: interp.BarriersWritten})
	var f *interp.ThreadFault
	if !errors.As(err, &f) {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
}

// gpuFault runs a program whose barriers are all written, in both orders of threads, and returns the fault that it is stopped by.
func gpuFault(t *testing.T, text string) *interp.ThreadFault {
	t.Helper()
	var out *interp.ThreadFault
	for _, reversed := range []bool{true, false} {
		_, err := runThreads(t, text, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
		if err == nil {
			return nil
		}
		if out = nil; !errors.As(err, &out) {
			t.Fatalf("got %v, want a fault of threads\n%s", err, text)
		}
	}
	return out
}

func kernelText(body string) string {
	return `@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 64)
    S = T.allocate([64], "float32", "shared")
    S_1 = T.Buffer((64,), data=S, scope="shared")
` + "    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ")
}

// TestThreadFaults has programs with what a GPU does not define, and beside them those that are right.
func TestThreadFaults(t *testing.T) {
	const sync = `T.tvm_storage_sync("shared")` + "\n"
	for _, c := range []struct {
		name, body string
		want       []string // in the error; none for a program that is right
	}{
		{"write, then read", "S_1[tx] = A[tx]\n" + sync + "B[tx] = S_1[63 - tx]", nil},
		{"no barrier", "S_1[tx] = A[tx]\nB[tx] = S_1[63 - tx]", []string{"race on S_1[", "threadIdx.x=", "reads it at text.py:8:", "writes it at text.py:7:", "tir.ThreadSync"}},
		{"no barrier before the next write", "for i in range(2):\n    S_1[tx] = A[tx] + T.Cast(\"float32\", i)\n    " + sync + "    B[tx] = S_1[63 - tx]", []string{"race on S_1["}},
		{"both barriers", "for i in range(2):\n    S_1[tx] = A[tx] + T.Cast(\"float32\", i)\n    " + sync + "    B[tx] = S_1[63 - tx]\n    " + sync, nil},
		{"two writers", "S_1[tx // 2] = A[tx]\n" + sync + "B[tx] = S_1[tx // 2]", []string{"race on S_1[", "writes it at text.py:7:"}},
		{"two writers of one value", "S_1[tx // 2] = A[tx // 2]\n" + sync + "B[tx] = S_1[tx // 2]", nil},
		{"one value, read by who wrote it", "S_1[0] = A[0]\nB[tx] = S_1[0]", nil},
		{"one value, then another", "S_1[0] = A[0]\nif tx == 3:\n    S_1[0] = T.float32(77)", []string{"race on S_1[0]"}},
		{"own element", "S_1[tx] = A[tx]\nS_1[tx] = S_1[tx] * T.float32(2)\nB[tx] = S_1[tx]", nil},
		{"nothing written", "B[tx] = S_1[tx]", []string{"uninitialized read of S_1[", "text.py:7:"}},
		{"half written", "if tx < 32:\n    S_1[tx] = A[tx]\n" + sync + "B[tx] = S_1[tx]", []string{"uninitialized read of S_1["}},
		{"half a barrier", "if tx < 32:\n    " + sync + "B[tx] = A[tx]", []string{"divergent barrier", "waits at a barrier at text.py:8:", "does not come to it"}},
		{"two barriers", "if tx < 32:\n    " + sync + "else:\n    " + sync + "B[tx] = A[tx]", []string{"divergent barrier", "text.py:8:", "text.py:10:"}},
		{"as many barriers as the thread says", "for i in range(tx):\n    " + sync + "B[tx] = A[tx]", []string{"divergent barrier"}},
		{"a barrier for all under a condition", "if A[0] < T.float32(1000):\n    " + sync + "B[tx] = A[tx]", nil},
		{"result of all threads", "B[0] = A[tx]", []string{"race on B[0] in global memory", "writes it at"}},
		{"sums", `T.evaluate(T.atomic_add(T.address_of(B[tx // 32]), A[tx], dtype="float32"))`, nil},
		{"sums and a read", `T.evaluate(T.atomic_add(T.address_of(B[tx // 32]), A[tx], dtype="float32"))` + "\nif tx == 5:\n    B[63] = B[1]", []string{"race on B[1]", "updates it atomically"}},
		{"warps", `S_1[tx] = A[tx]` + "\n" + `T.tvm_storage_sync("warp")` + "\n" + `B[tx] = S_1[tx // 32 * 32 + 31 - tx % 32]`, nil},
		{"across warps", `S_1[tx] = A[tx]` + "\n" + `T.tvm_storage_sync("warp")` + "\n" + `B[tx] = S_1[63 - tx]`, []string{"race on S_1["}},
		{"shuffle from where nobody is", "if tx % 2 == 0:\n    B[tx] = T.tvm_warp_shuffle(T.uint32(4294967295), A[tx], 1, 32, 32)", []string{"shuffle from an absent thread", "lane 1 of the warp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := gpuFault(t, kernelText(c.body))
			if c.want == nil {
				if f != nil {
					t.Fatal(f)
				}
				return
			}
			if f == nil {
				t.Fatal("found nothing")
			}
			for _, w := range c.want {
				if !strings.Contains(f.Error(), w) {
					t.Errorf("%q is not in %q", w, f.Error())
				}
			}
		})
	}
}

// TestThreadsCompute checks what threads compute together.
func TestThreadsCompute(t *testing.T) {
	sum := func(a *tensor.Tensor, from, to int) (s float64) {
		for i := from; i < to; i++ {
			s = float64(float32(s) + float32(a.Float(i)))
		}
		return s
	}
	mask := "T.tvm_warp_activemask()"
	for _, c := range []struct {
		name, body string
		want       func(a *tensor.Tensor, i int) float64
	}{
		{"shuffle", "B[tx] = T.tvm_warp_shuffle(" + mask + ", A[tx], 3, 32, 32)", func(a *tensor.Tensor, i int) float64 { return a.Float(i/32*32 + 3) }},
		{"shuffle in parts", "B[tx] = T.tvm_warp_shuffle(" + mask + ", A[tx], 3, 8, 32)", func(a *tensor.Tensor, i int) float64 { return a.Float(i/8*8 + 3) }},
		{"down", "B[tx] = T.tvm_warp_shuffle_down(" + mask + ", A[tx], 5, 32, 32)", func(a *tensor.Tensor, i int) float64 {
			if i%32+5 < 32 {
				i += 5
			}
			return a.Float(i)
		}},
		{"up", "B[tx] = T.tvm_warp_shuffle_up(" + mask + ", A[tx], 5, 16, 32)", func(a *tensor.Tensor, i int) float64 {
			if i%16 >= 5 {
				i -= 5
			}
			return a.Float(i)
		}},
		{"active threads", "if tx % 4 == 1:\n    B[tx] = T.Cast(\"float32\", " + mask + " % T.uint32(65536))\nelse:\n    B[tx] = T.float32(0)", func(_ *tensor.Tensor, i int) float64 {
			if i%4 == 1 {
				return 0x2222
			}
			return 0
		}},
		{"all threads", `r = T.allocate([1], "float32", "local")
r_1 = T.Buffer((1,), data=r, scope="local")
with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
    T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), r_1[0], tx)
B[tx] = r_1[0]`, func(a *tensor.Tensor, _ int) float64 { return sum(a, 0, 64) }},
		{"some threads", `r = T.allocate([1], "float32", "local")
r_1 = T.Buffer((1,), data=r, scope="local")
with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
    T.tvm_thread_allreduce(T.uint32(1), A[tx], tx < 7, r_1[0], tx)
B[tx] = r_1[0]`, func(a *tensor.Tensor, _ int) float64 { return sum(a, 0, 7) }},
		{"memory of a warp", `W = T.allocate([32], "float32", "warp")
W_1 = T.Buffer((32,), data=W, scope="warp")
W_1[tx % 32] = A[tx]
T.tvm_storage_sync("warp")
B[tx] = W_1[31 - tx % 32]`, func(a *tensor.Tensor, i int) float64 { return a.Float(i/32*32 + 31 - i%32) }},
		{"leaving early", "if tx >= 32:\n    T.thread_return()\nS_1[tx] = A[tx]\n" + `T.tvm_storage_sync("shared")` + "\nB[tx] = S_1[31 - tx]\nB[tx + 32] = S_1[tx]", func(a *tensor.Tensor, i int) float64 {
			if i < 32 {
				i = 31 - i
			} else {
				i -= 32
			}
			return a.Float(i)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range []interp.Options{{}, {Barriers: interp.BarriersWritten}, {Reversed: true}} {
				args, err := runThreads(t, kernelText(c.body), &o)
				if err != nil {
					t.Fatal(err)
				}
				a, b := args[0].(*tensor.Tensor), args[1].(*tensor.Tensor)
				for i := range 64 {
					if want := c.want(a, i); b.Float(i) != want {
						t.Fatalf("element %d is %v, want %v (%+v)", i, b.Float(i), want, o)
					}
				}
			}
		})
	}
}

// TestScheduledThreads runs functions of scheduled blocks, whose order of statements holds for all threads, in each form of the launches.
func TestScheduledThreads(t *testing.T) {
	for name, text := range map[string]string{
		"one nest": `@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), scope="shared")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("load"):
                    v = T.axis.spatial(64, bx * 32 + ty * 8 + tx)
                    S[v] = A[v]
                with T.block("turn"):
                    v = T.axis.spatial(64, bx * 32 + ty * 8 + tx)
                    B[v] = S[v // 32 * 32 + 31 - v % 32]`,
		"a nest that is not perfect": `@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), scope="shared")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("load"):
                    v = T.axis.spatial(64, bx * 32 + ty * 8 + tx)
                    S[v] = A[v]
            for i in range(2):
                for tx in T.thread_binding(4, thread="threadIdx.z"):
                    with T.block("turn"):
                        v = T.axis.spatial(64, bx * 32 + ty * 8 + i * 4 + tx)
                        B[v] = S[v // 32 * 32 + 31 - v % 32]`,
		"threads bound again": `@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("tile"):
                vb, vx = T.axis.remap("SS", [bx, tx])
                S = T.alloc_buffer((16,), scope="shared")
                for k in range(2):
                    for i in range(2):
                        for tx2 in T.thread_binding(8, thread="threadIdx.x"):
                            S[i * 8 + tx2] = A[vb * 32 + 31 - (k * 16 + i * 8 + tx2)]
                    for i in range(2):
                        B[vb * 32 + k * 16 + vx * 2 + i] = S[vx * 2 + i]`,
		"virtual threads": `@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,), scope="shared")
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("load"):
                v = T.axis.spatial(64, vx * 32 + tx)
                S[v] = A[v]
            with T.block("turn"):
                v = T.axis.spatial(64, vx * 32 + tx)
                B[v] = S[v // 32 * 32 + 31 - v % 32]`,
	} {
		t.Run(name, func(t *testing.T) {
			args, err := runThreads(t, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, b := args[0].(*tensor.Tensor), args[1].(*tensor.Tensor)
			for i := range 64 {
				if want := a.Float(i/32*32 + 31 - i%32); b.Float(i) != want {
					t.Fatalf("element %d is %v, want %v", i, b.Float(i), want)
				}
			}
			if name == "virtual threads" {
				return
			}
			if f := gpuFault(t, text); f == nil || f.Kind != interp.Race {
				t.Errorf("with only the barriers that are written: got %v, want a race", f)
			}
		})
	}
}

// TestSplitLeavesAllocatedMemoryAlone splits a kernel whose memory is allocated in it and used through a buffer that nothing declares, as flattening
// leaves it.
func TestSplitLeavesAllocatedMemoryAlone(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def rev(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"global_symbol": "rev", "target": T.target("cuda -host=llvm")})
    with T.attr(T.target("cuda"), "target", 0):
        tx = T.launch_thread("threadIdx.x", 64)
        S = T.allocate([64], "float32", "shared")
        S_1 = T.Buffer((64,), data=S, scope="shared")
        S_1[tx] = A[tx]
        T.tvm_storage_sync("shared")
        B[tx] = S_1[63 - tx]`)
	out, err := passtest.NewContext().Run(tirpass.SplitHostDevice, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	passtest.WellFormed(t, "SplitHostDevice", out)
	args := tirtest.Arguments(f, 1)
	opts := &interp.Options{Lookup: interp.ModuleLookup(out)}
	if err := interp.Run(context.Background(), funcOf(out), args, opts); err != nil {
		t.Fatal(err)
	}
	if a, b := args[0].(*tensor.Tensor), args[1].(*tensor.Tensor); a.Float(0) != b.Float(63) || a.Float(63) != b.Float(0) {
		t.Error("the kernel does not turn the vector around")
	}
}

// TestShuffleBeyondTheBlock has a warp that the block does not fill: what comes from lanes without threads is undefined, and no thread that has its own to
// read gets it.
func TestShuffleBeyondTheBlock(t *testing.T) {
	const text = `@T.prim_func
def k(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 16)
    B[tx] = T.tvm_warp_shuffle_down(T.uint32(4294967295), A[tx], 8, 32, 32)`
	for _, zeroed := range []bool{false, true} {
		args, err := runThreads(t, text, &interp.Options{Zeroed: zeroed})
		if err != nil {
			t.Fatal(err)
		}
		a, b := args[0].(*tensor.Tensor), args[1].(*tensor.Tensor)
		for i := range 16 {
			got := b.Float(i)
			if i < 8 && got != a.Float(i+8) || i >= 8 && (zeroed && got != 0 || !zeroed && got == got) {
				t.Errorf("zeroed %v: thread %d got %v", zeroed, i, got)
			}
		}
	}
}

// TestReductionOfTwoByThreads sums by threads that share the sums, before LowerCrossThreadReduction: no thread comes between what another one computes and
// stores.
func TestReductionOfTwoByThreads(t *testing.T) {
	const text = `@T.prim_func
def k(A: T.Buffer((16,), "float32"), B: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.block("sums"):
            v = T.axis.reduce(16, tx)
            with T.init():
                B[0] = T.float32(0)
                C[0] = T.float32(0)
            b: T.float32 = B[0] + A[v]
            c: T.float32 = C[0] + A[v] * A[v]
            B[0] = b
            C[0] = c`
	args, err := runThreads(t, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b, c float64
	for i := range 16 {
		x := args[0].(*tensor.Tensor).Float(i)
		b, c = b+x, c+x*x
	}
	if x, y := args[1].(*tensor.Tensor).Float(0), args[2].(*tensor.Tensor).Float(0); x != b || y != c {
		t.Errorf("got %v and %v, want %v and %v", x, y, b, c)
	}
}
