package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestCheckLowered names what is left in a function, and the pass that would have lowered it.
func TestCheckLowered(t *testing.T) {
	const ready = ""
	for _, c := range []struct{ name, body, want string }{
		{"ready", "A[0] = 1", ready},
		{"a step", `for i in T.serial(0, 8, step=2):
        A[i] = 1`, "loop i with a step of its own is left, which tir.CanonicalizeLoop lowers; was it disabled?"},
		{"a step of one", `for i in T.serial(0, 8, step=1):
        A[i] = 1`, ready},
		{"a vectorized loop", `for i in T.vectorized(8):
        A[i] = 1`, "vectorized loop i is left, which tir.VectorizeLoop lowers"},
		{"a vectorized loop with a step", `for i in T.serial(0, 8, step=2):
        for j in T.vectorized(2):
            A[i + j] = 1`, "loop i with a step of its own is left, which tir.CanonicalizeLoop"},
		{"a block with an init", `for i, k in T.grid(4, 2):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                A[vi] = 0
            A[vi] = A[vi] + 1`, "the init of block b is left, which tir.LowerInitBlock"},
		{"a block with variables", `for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            A[vi] = 0`, "block b with iteration variables is left, which tir.ConvertBlocksToOpaque"},
		{"a block with a view", `with T.block("b"):
        T.reads()
        T.writes()
        V = T.match_buffer(A[0:4], (4,), "int32", offset_factor=1)
        V[0] = 1`, "match_buffer V of block b is left, which tir.LowerMatchBuffer"},
		{"a block", `with T.block("b"):
        T.reads()
        T.writes()
        A[0] = 1`, "block b is left, which tir.LowerOpaqueBlock"},
		{"a block without a name", `with T.block(""):
        T.reads()
        T.writes()
        A[0] = 1`, "block (without a name) is left, which tir.LowerOpaqueBlock"},
		{"the earliest pass of several", `with T.block("b"):
        T.reads()
        T.writes()
        M[0, 0] = 1
        for i in T.vectorized(8):
            A[i] = 1
    for i in T.serial(0, 8, step=2):
        A[i] = 1`, "loop i with a step of its own is left"},
		{"the first of one pass", `M[0, 0] = 1
    A[0] = N[1, 1, 1]`, "an access to buffer M with 2 indices is left, which tir.FlattenBuffer lowers"},
		{"a load of several indices", "A[0] = N[1, 1, 1]", "an access to buffer N with 3 indices is left"},
		{"a choice that loads", "A[0] = T.Select(A[1] > 0, A[2], 0)", "a Select that loads whether its condition holds or not is left, which tir.RewriteUnsafeSelect"},
		{"a choice that loads otherwise", "A[0] = T.Select(A[1] > 0, 0, A[2] + 1)", "a Select that loads"},
		{"a choice whose condition loads", "A[0] = T.Select(A[1] > 0, 1, 2)", ready},
		{"a choice of a guarded load", "A[0] = T.Select(A[1] > 0, T.if_then_else(A[1] > 1, A[2], 0) + 1, 2)", "a Select that loads"},
		{"a choice of a load that is guarded without loading", "A[0] = T.Select(A[1] > 0, T.if_then_else(n > 1, A[n], 0) + 1, 2)", ready},
		{"a choice of an address", "A[0] = T.Select(A[1] > 0, T.Cast(\"int32\", T.reinterpret(\"int64\", T.address_of(A[2]))), 2)", ready},
		{"a choice of lanes", "A[0:4] = T.Select(A[0:4] > T.Broadcast(0, 4), A[4:8], T.Broadcast(0, 4))", ready},
		{"a region of a device", "T.attr(T.target(\"cuda\"), \"target\", 0)\n    A[0] = 1", "a region for another target is left, which tir.SplitHostDevice"},
		{"another attribute", "T.attr(0, \"key\", 0)\n    A[0] = 1", ready},
		{"a large allocation", `C = T.decl_buffer((257,), "int32")
    C[0] = 1`, "allocation C, which is too large for the stack or of unknown size, is left, which tir.LowerTVMBuiltin"},
		{"a small allocation", `C = T.decl_buffer((256,), "int32")
    C[0] = 1`, ready},
		{"a packed call", `T.evaluate(T.tvm_call_packed("f", n))`, "a call of tir.tvm_call_packed is left, which tir.LowerTVMBuiltin"},
		{"a packed call of C", `T.evaluate(T.tvm_call_cpacked("f", n))`, "a call of tir.tvm_call_cpacked is left"},
		{"a shape on the stack", `T.evaluate(T.tvm_stack_make_shape(n))`, "a call of tir.tvm_stack_make_shape is left"},
		{"an array on the stack", `T.evaluate(T.tvm_stack_make_array(A.data, 0, 0, 1, 0, 0))`, "a call of tir.tvm_stack_make_array is left"},
		{"another call", `T.evaluate(T.call_extern("int32", "f", n))`, ready},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), M: T.Buffer((4, 4), "int32"), N: T.Buffer((2, 2, 2), "int32"), n: T.int32):
    T.func_attr({"target": T.target("wasm"), "calling_conv": 1})
    `+c.body)
		err := tirpass.CheckLowered("kernel", f)
		if c.want == ready && err != nil || c.want != ready && (err == nil || !strings.Contains(err.Error(), "function kernel is not lowered: "+c.want)) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	bare := fn(tir.NoOp())
	realize := fn(&tir.BufferRealize{Buffer: floats("R", 4), Bounds: []*tir.Range{{Min: n(0), Extent: n(4)}}, Condition: tir.Bool(true), Body: tir.NoOp()})
	with := func(kv ...any) *tir.PrimFunc { return bare.WithFuncAttrs(ir.NewAttrs(kv...)).(*tir.PrimFunc) }
	for _, c := range []struct {
		f    *tir.PrimFunc
		want string
	}{
		{bare, "it has no target, which tir.BindTarget notes; was it disabled?"},
		{with(ir.AttrTarget, "wasm"), ""},
		{with(ir.AttrTarget, "wasm", ir.AttrGlobalSymbol, "kernel"), "a signature without the packed convention is left, which tir.MakePackedAPI lowers"},
		{with(ir.AttrTarget, "wasm", ir.AttrGlobalSymbol, "kernel", ir.AttrCallingConv, 1), ""},
		{realize, "the realization of buffer R is left, which tir.LowerOpaqueBlock"},
	} {
		err := tirpass.CheckLowered("kernel", c.f)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
