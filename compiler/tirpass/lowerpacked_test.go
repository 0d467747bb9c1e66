package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestLowerPackedPairs lowers calls whose result is bound, calls among arguments, and what the runtime of a device does.
func TestLowerPackedPairs(t *testing.T) {
	checkPairs(t, tirpass.LowerTVMBuiltin, `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), p: T.handle, k: T.int32):`, []pair{
		{name: "a let", before: `
    x: T.int32 = T.tvm_call_packed("f", k)
    A[x] = T.float32(1)`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 2)
    T.tvm_struct_set(stack, 0, 13, 1)
    T.tvm_struct_set(stack, 0, 15, T.Cast("int64", k))
    x: T.int32 = T.call_packed_lowered("f", stack, 0, 1)
    A[x] = T.float32(1)`, unrun: true},
		{name: "cpacked", before: `
    T.evaluate(T.call_cpacked("f", p))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 2)
    T.tvm_struct_set(stack, 0, 13, 4)
    T.tvm_struct_set(stack, 0, 15, p)
    T.call_cpacked_lowered("f", stack, 0, 1)`, unrun: true},
		{name: "traced", before: `
    T.evaluate(T.call_intrin("float32", "tir.tvm_call_trace_packed", "f", A[0]))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 2)
    T.tvm_struct_set(stack, 0, 13, 3)
    T.tvm_struct_set(stack, 0, 15, T.Cast("float64", A[0]))
    T.evaluate(T.call_intrin("float32", "tir.tvm_call_trace_packed_lowered", "f", stack, 0, 1, A[0]))`, unrun: true},
		{name: "among arguments", before: `
    T.evaluate(T.tvm_call_packed("f", T.tvm_call_packed("g", 1), T.tvm_call_packed("h")))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 2)
    T.tvm_struct_set(stack, 0, 13, 1)
    T.tvm_struct_set(stack, 0, 15, T.int64(1))
    result: T.int32 = T.call_packed_lowered("g", stack, 0, 1)
    stack_1: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 1)
    result_1: T.int32 = T.call_packed_lowered("h", stack_1, 0, 0)
    stack_2: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 3)
    T.tvm_struct_set(stack_2, 0, 13, 1)
    T.tvm_struct_set(stack_2, 0, 15, T.Cast("int64", result))
    T.tvm_struct_set(stack_2, 1, 13, 1)
    T.tvm_struct_set(stack_2, 1, 15, T.Cast("int64", result_1))
    T.call_packed_lowered("f", stack_2, 0, 2)`, unrun: true},
		{name: "a texture", before: `
    T.attr(0, "device_type", 4)
    T.attr(0, "device_id", 1)
    with T.LetStmt(T.call_intrin("handle", "tir.nd_mem_alloc_with_scope", "global.texture", 2), type_annotation=T.handle("float32")) as x:
        T.evaluate(x)`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 7)
    T.tvm_struct_set(stack, 0, 13, 1)
    T.tvm_struct_set(stack, 0, 15, T.int64(4))
    T.tvm_struct_set(stack, 1, 13, 1)
    T.tvm_struct_set(stack, 1, 15, T.int64(1))
    T.tvm_struct_set(stack, 2, 13, 1)
    T.tvm_struct_set(stack, 2, 15, T.int64(2))
    T.tvm_struct_set(stack, 3, 13, 1)
    T.tvm_struct_set(stack, 3, 15, T.int64(32))
    T.tvm_struct_set(stack, 4, 13, 8)
    T.tvm_struct_set(stack, 4, 15, "global.texture")
    T.tvm_struct_set(stack, 5, 13, 1)
    T.tvm_struct_set(stack, 5, 15, T.int64(2))
    with T.LetStmt(T.call_intrin("handle", "tir.tvm_call_packed_lowered", "device_api.opencl.alloc_nd", stack, 0, 6), type_annotation=T.handle("float32")) as x:
        if T.isnullptr(x):
            T.tvm_throw_last_error()
        T.evaluate(x)
        stack_1: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 5)
        T.tvm_struct_set(stack_1, 0, 13, 1)
        T.tvm_struct_set(stack_1, 0, 15, T.int64(4))
        T.tvm_struct_set(stack_1, 1, 13, 1)
        T.tvm_struct_set(stack_1, 1, 15, T.int64(1))
        T.tvm_struct_set(stack_1, 2, 13, 8)
        T.tvm_struct_set(stack_1, 2, 15, "global.texture")
        T.tvm_struct_set(stack_1, 3, 13, 4)
        T.tvm_struct_set(stack_1, 3, 15, x)
        if T.call_packed_lowered("device_api.opencl.free_nd", stack_1, 0, 4) != 0:
            T.tvm_throw_last_error()`, unrun: true},
		{name: "a texture of no device", before: `
    with T.LetStmt(T.call_intrin("handle", "tir.nd_mem_alloc_with_scope", "global.texture", 2), type_annotation=T.handle("float32")) as x:
        T.evaluate(x)`, fails: "tir.nd_mem_alloc_with_scope of x: unknown device"},
		{name: "a transfer", before: `
    T.attr(0, "device_type", 16)
    T.evaluate(T.call_intrin("int32", "tir.dma_wait", 0, 2))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 3)
    T.tvm_struct_set(stack, 0, 13, 1)
    T.tvm_struct_set(stack, 0, 15, T.int64(0))
    T.tvm_struct_set(stack, 1, 13, 1)
    T.tvm_struct_set(stack, 1, 15, T.int64(2))
    T.call_packed_lowered("device_api.hexagon.dma_wait", stack, 0, 2)`, unrun: true},
		{name: "the context", before: `
    T.evaluate(T.call_extern("int32", "f", T.call_intrin("handle", "tir.tvm_context_id")))`, after: `
    T.evaluate(T.call_extern("int32", "f", T.reinterpret("handle", T.uint64(0))))`, unrun: true},
		{name: "in a store", before: `
    A[0] = T.call_intrin("float32", "tir.tvm_call_packed", "f", k)`, fails: "call_packed(f) is inside an expression: bind its result to a variable first"},
	})
}

// TestLoweredCallsRun runs calls among arguments before and after: the inner ones first, with the same arguments.
func TestLoweredCallsRun(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((4,), "int32")):
    x: T.int32 = T.tvm_call_packed("f", T.tvm_call_packed("g", A[0]), 7)
    A[1] = x
`)
	opts := &interp.Options{Externs: map[string]interp.Extern{
		"f": func(args []any) (any, error) { return args[0].(int64)*100 + args[1].(int64), nil },
		"g": func(args []any) (any, error) { return args[0].(int64) % 10, nil },
	}}
	args := tirtest.Arguments(f, 3)
	want, err := tirtest.Run(f, args, opts)
	if err != nil {
		t.Fatal(err)
	}
	g := apply(t, passtest.NewContext(), tirpass.LowerTVMBuiltin, f)
	got, err := tirtest.Run(g, args, opts)
	if err != nil {
		t.Fatal(err)
	}
	if d := tirtest.Differ(got, want); d != "" {
		t.Fatalf("%s\n%s", d, print(g))
	}
}
