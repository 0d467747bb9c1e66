package wasm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// checkedRun lowers f with checks of bounds and runs it on args.
func checkedRun(t *testing.T, f *tir.PrimFunc, args []any) error {
	t.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(mustTarget("wasm")), pass.Configure(map[string]any{"tir.instrument_bound_checkers": true}))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(lower, ir.NewModule().With("kernel", f))
	if err != nil {
		t.Fatal(err)
	}
	_, mod, d := load(t, m, mustTarget("wasm"))
	return runWasm(t, mod, d, args)
}

// TestBoundErrors runs functions that are out of bounds, and some that only look like it, and
// compares with the interpreter's verdict on the function as it is written. A is 0, 1, 2, 3.
func TestBoundErrors(t *testing.T) {
	const m = `def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4, 4), "int32")):`
	for _, c := range []struct{ name, text, want string }{
		{"store", m + `
    for i in range(16):
        B[i, 0] = 1`, "f.py:5:9: store to B: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"second dimension", m + `
    for i in range(16):
        B[0, i] = 1`, "store to B: the index is outside of dimension 1, whose extent is 4 (it is 4)"},
		{"negative", m + `
    for i in range(2000):
        A[i - 1000] = 1094795585`, "store to A: the index is outside of dimension 0, whose extent is 4 (it is -1000)"},
		{"constant", m + `
    B[0, 0] = A[5]`, "load from A: index 5 is outside of dimension 0, whose extent is 4"},
		{"index in memory", m + `
    for i in range(4):
        B[i, 0] = A[A[i] * 2]`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"index out of bounds in memory", m + `
    for i in range(4):
        B[i, 0] = A[A[i + 1]]`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"guarded", m + `
    for i in range(16):
        B[0, i // 4] = T.if_then_else(i < 4, A[i], 7)
        if i < 4:
            B[i, 1] = 3
        if i < 3 and A[i + 1] > 2:
            B[i, 2] = 3
        if i > 3 or A[i] > 2:
            B[0, 3] = i
        if i < 1 and A[i * 300000000] == 0:
            B[3, 3] = 5
        if i > 0 or A[i * 300000000] == 0:
            B[3, 2] = B[3, 2] + 1
        B[1, 1] = T.Select(i < 4, A[T.min(i, 3)], 0)`, ""},
		{"guard that is stale", m + `
    if A[3] < 4:
        A[3] = 100
        B[A[3], 0] = 1`, "store to B: the index is outside of dimension 0, whose extent is 4 (it is 100)"},
		{"while", m + `
    while A[B[0, 0]] < 100:
        B[0, 0] = B[0, 0] + 1`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"while that ends", m + `
    while A[B[0, 0]] < 3:
        B[0, 0] = B[0, 0] + 1
        if B[0, 0] == 1:
            T.continue_loop()
        B[1, 0] = B[0, 0]`, ""},
		{"loop bound", m + `
    for i in range(A[4 + A[0]]):
        B[0, 0] = 1`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"let", m + `
    x = T.int32()
    B[0, 0] = T.Let(A[x * 2], where={x: A[2]})`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"ramp", m + `
    for i in range(2):
        B[0, 0:4] = A[i * 2:i * 2 + 4]`, "load from A: the index is outside of dimension 0, whose extent is 4 (it is 5)"},
		{"ramp backwards", m + `
    A[T.Ramp(2, -1, 4)] = T.Broadcast(7, 4)`, "store to A: index -1 is outside of dimension 0, whose extent is 4"},
		{"vector loop", m + `
    for i in T.vectorized(8):
        A[i] = i`, "store to A: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"view", m + `
    V = T.decl_buffer((100000,), "int32", data=B.data)
    for i in range(100000):
        V[i] = 7`, "store to V: the element lies outside of the memory of B (it is 16"},
		{"view that fits", m + `
    V = T.decl_buffer((8,), "int64", data=B.data)
    W = T.decl_buffer((100000,), "int8", data=B.data, elem_offset=60)
    for i in range(8):
        V[i] = T.int64(7)
    for i in range(4):
        W[i] = T.int8(7)`, ""},
		{"offset", m + `
    V = T.decl_buffer((4,), "int32", data=B.data, elem_offset=13)
    for i in range(4):
        V[i] = 7`, "store to V: the element lies outside of the memory of B (it is 16)"},
		{"strides", m + `
    V = T.decl_buffer((4, 4), "int32", data=B.data, strides=[4, 5])
    for i, j in T.grid(4, 4):
        V[i, j] = 7`, "store to V: the element lies outside of the memory of B"},
		{"match_buffer", m + `
    for i in range(2):
        with T.block("b"):
            V = T.match_buffer(B[i * 2:i * 2 + 2, 0:4], (2, 4), "int32", offset_factor=1)
            for j in range(4):
                V[j, 0] = 1`, "store to V: the index is outside of dimension 0, whose extent is 2 (it is 2)"},
		{"allocation", m + `
    with T.block("b"):
        C = T.alloc_buffer((4,), "int32")
        for i in range(4):
            C[i * 2] = 1
        B[0, 0] = C[0]`, "store to C: the index is outside of dimension 0, whose extent is 4 (it is 4)"},
		{"false claim of a block", m + `
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i * 100)
            B[vi, 0] = 1`, "store to B: the index is outside of dimension 0, whose extent is 4 (it is 100)"},
		{"symbolic", `def f(a: T.handle, B: T.Buffer((4, 4), "int32")):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    for i in range(n):
        B[0, 0] = A[i] + A[n - 1 - i] + A[(n - i) // 2 + n // 2]`, "load from A: the index is outside of dimension 0 (it is 4, the extent 4)"},
		{"no dimensions", `def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4, 4), "int32"), C: T.Buffer((), "int32")):
    C[()] = A[1]`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			mods, found := parse.File("f.py", "\n@T.prim_func\n"+c.text+"\n", parse.Options{})
			if len(found) > 0 {
				t.Fatal(found)
			}
			f := mods[0].Module.Lookup("f").(*tir.PrimFunc)
			args := func() []any {
				out := []any{tensor.MustOf([]int64{4}, []int32{0, 1, 2, 3}), tensor.MustOf([]int64{4, 4}, make([]int32, 16))}
				if len(f.Params) > 2 {
					out = append(out, tensor.MustNew(dtype.Int32T))
				}
				return out
			}
			want, got := args(), args()
			judged := interp.Run(context.Background(), f, want, nil)
			if (judged != nil) != (c.want != "") {
				t.Errorf("the interpreter says %v", judged)
			}
			err := checkedRun(t, f, got)
			var ke *runtime.KernelError
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v", err)
			case c.want == "":
				for i := range want {
					if d := differ(got[i].(*tensor.Tensor), want[i].(*tensor.Tensor), 0); d >= 0 {
						t.Errorf("argument %d differs at %d", i, d)
					}
				}
			case !errors.As(err, &ke) || ke.Kernel != "f" || !strings.Contains(ke.Message, c.want):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestRandomBounds moves accesses of random functions: the kernels must fail where the
// interpreter does.
func TestRandomBounds(t *testing.T) {
	cases, bad := 0, 0
	seed.Each(t, 60, func(t *testing.T, src *rand.Rand) {
		cases++
		f, args := tirtest.Function(src)
		f = tirtest.MoveAccess(src, f)
		_, judged := tirtest.Run(f, args, nil)
		outside := judged != nil && strings.Contains(judged.Error(), "access out of")
		if judged != nil && !outside {
			return
		}
		err := checkedRun(t, f, args)
		var ke *runtime.KernelError
		switch {
		case outside && (!errors.As(err, &ke) || !strings.Contains(ke.Message, " outside of ")):
			t.Errorf("got %v, the interpreter says %v", err, judged)
		case !outside && err != nil:
			t.Errorf("got %v, the interpreter finds nothing", err)
		}
		if outside {
			bad++
		}
	})
	if cases >= 50 && bad < 3 {
		t.Errorf("only %d of %d functions are out of bounds", bad, cases)
	}
}
