package tirpass_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestForceNarrowKeepsCountsOfBits counts the zeros in front and the ones of 64-bit numbers,
// negative ones among them, before and after they are of 32 bits.
func TestForceNarrowKeepsCountsOfBits(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((T.int64(16),), "int32"), B: T.Buffer((T.int64(16),), "int32")):
    for i in T.serial(T.int64(16)):
        A[i] = T.clz(i - T.int64(8))
        B[i] = T.Cast("int32", T.popcount(i - T.int64(8)))`)
	g := apply(t, passtest.NewContext(), tirpass.ForceNarrowIndexToInt32, f)
	for _, v := range []*tir.PrimFunc{f, g} {
		out := mustRun(t, v, tirtest.Arguments(f, 1))
		for i := range int64(16) {
			a, b := out[0].(*tensor.Tensor).Int(int(i)), out[1].(*tensor.Tensor).Int(int(i))
			if x := uint64(i - 8); a != int64(bits.LeadingZeros64(x)) || b != int64(bits.OnesCount64(x)) {
				t.Errorf("of %d: clz %d, popcount %d\n%s", i-8, a, b, print(v))
			}
		}
	}
	// What is not negative is written as TVM does.
	f = parseFunc(t, `@T.prim_func
def kernel(B: T.Buffer((T.int64(4),), "int32")):
    for i in T.serial(T.int64(4)):
        B[i] = T.clz(i)`)
	if g := apply(t, passtest.NewContext(), tirpass.ForceNarrowIndexToInt32, f); !strings.Contains(print(g), "B[i] = T.clz(i) - 32 + 64\n") {
		t.Errorf("got\n%s", print(g))
	}
	f = parseFunc(t, `@T.prim_func
def kernel(B: T.Buffer((T.int64(4),), "float64")):
    for i in T.serial(T.int64(4)):
        B[i] = T.reinterpret("float64", i)`)
	if _, err := passtest.NewContext().Run(tirpass.ForceNarrowIndexToInt32, moduleOf(f)); err == nil || !strings.Contains(err.Error(), "reinterpreted as float64") {
		t.Errorf("got %v, want an error", err)
	}
}

// TestFlattenBufferFlattensRegions checks the regions of blocks that FlattenBuffer passes.
func TestFlattenBufferFlattensRegions(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel():
    A = T.alloc_buffer((32, 32))
    B = T.alloc_buffer((4, 8))
    s = T.alloc_buffer(())
    for i, j in T.grid(32, 32):
        with T.block("block"):
            T.reads(A[i, j], B[1:3, 2:5], s[()])
            T.writes(A[i, 0:32])
            A[i, j] = A[i, j] + B[1, 2] + s[()]`)
	g := apply(t, passtest.NewContext(), tirpass.FlattenBuffer, f)
	for _, want := range []string{"T.reads(A[i * 32 + j], B[10:21], s[0])", "T.writes(A[i * 32:i * 32 + 32])"} {
		if !strings.Contains(print(g), want) {
			t.Errorf("want %s in\n%s", want, print(g))
		}
	}
}

// TestRemoveNoOpRemovesUnusedMemory removes allocations that nothing uses from around
// statements that stay, and keeps the others.
func TestRemoveNoOpRemovesUnusedMemory(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((16,), "int32")):
    B = T.allocate([16], "int32", "local")
    C = T.allocate_const([1, 2], "int32", [2])
    D = T.allocate([16], "int32", "global")
    D_1 = T.decl_buffer((16,), "int32", data=D)
    for i in range(16):
        D_1[i] = 1
        A[i] = D_1[i]`)
	g := apply(t, passtest.NewContext(), tirpass.RemoveNoOp, f)
	if text := print(g); strings.Contains(text, "allocate") || !strings.Contains(text, "D_1 = T.decl_buffer((16,), \"int32\")") {
		t.Errorf("got\n%s", text)
	}
	args := tirtest.Arguments(f, 1)
	sameMeaning(t, tirpass.RemoveNoOp, f, g, args, mustRun(t, f, args))
}
