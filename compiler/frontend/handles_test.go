package frontend_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend"
)

// TestHandlesAreNotForged reads functions that make addresses of what is none.
func TestHandlesAreNotForged(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"reinterpret", `
    p: T.let[T.handle("int32")] = T.reinterpret("handle", T.int64(0))
    C = T.decl_buffer((100000,), "int32", data=p)
    C[0] = 7`, "f.py:4:35: f: error: T.reinterpret from int64 to handle: an address is not a number"},
		{"cast", `
    p: T.let[T.handle("int32")] = T.Cast("handle", A[0])
    C = T.decl_buffer((100000,), "int32", data=p)
    C[0] = 7`, "4:35: f: error: a cast from int32 to handle"},
		{"number of an address", `
    A[0] = T.Cast("int32", T.reinterpret("int64", A.data))`, "T.reinterpret from handle to int64"},
		{"load", `
    H = T.decl_buffer((2,), "handle", data=A.data)
    p: T.let[T.handle("int32")] = H[0]
    C = T.decl_buffer((100000,), "int32", data=p)
    C[0] = 7`, "5:35: f: error: a handle is read from buffer H"},
		{"pointer into a buffer", `
    p: T.let[T.handle("int32")] = T.address_of(A[1 << 20])
    C = T.decl_buffer((100000,), "int32", data=p)
    C[0] = 7`, "4:35: f: error: handle p points into a buffer, but nothing says how far"},
		{"get", `
    A[0] = T.tvm_struct_get(A.data, 0, 1, "int32")`, "T.tvm_struct_get is for lowered functions"},
		{"set", `
    T.tvm_struct_set(A.data, 0, 1, A[1])`, "T.tvm_struct_set is for lowered functions"},
		{"alloca", `
    p: T.let[T.handle("int32")] = T.tvm_stack_alloca("array", 1)
    A[0] = 7`, "T.tvm_stack_alloca is for lowered functions"},
		{"workspace of no variable", `
    T.call_extern("int32", "g", T.TVMBackendAllocWorkspace(1, 0, T.uint64(4096), 2, 32))`, "T.TVMBackendAllocWorkspace is for lowered functions"},
		{"workspace at an address of memory", `
    p: T.let[T.handle("int32")] = T.TVMBackendAllocWorkspace(1, 0, T.reinterpret("uint64", A.data), 2, 32)
    A[0] = 7`, "T.reinterpret from handle to uint64"},
		{"what is freed is no workspace", `
    if T.TVMBackendFreeWorkspace(1, 0, A.data) != 0:
        A[0] = 7`, "T.TVMBackendFreeWorkspace is for lowered functions"},
		{"extern", `
    p: T.let[T.handle("int32")] = T.call_extern("handle", "malloc", 7)
    A[0] = 7`, "T.call_extern makes a handle that belongs to no buffer"},
		{"packed", `
    T.call_packed("g", T.reinterpret("handle", T.int64(72)))`, "T.reinterpret from int64 to handle"},
		{"choice", `
    p: T.let[T.handle("int32")] = T.if_then_else(A[0] > 0, A.data, T.reinterpret("handle", T.int64(0)))
    A[0] = 7`, "T.reinterpret from int64 to handle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):" + strings.Replace(c.body, "\n", "\n\n", 1) + "\n"
			_, _, err := frontend.Load(context.Background(), "f.py", []byte(text), frontend.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for name, text := range map[string]string{
		"arguments": `@T.prim_func
def f(A: T.Buffer((4,), "int32"), q: T.handle):
    B = T.alloc_buffer((4,), "int32")
    V = T.decl_buffer((2,), "int32", data=B.data, elem_offset=2)
    V[0] = A[0]
    T.call_extern("int32", "g", A.data, T.address_of(B[1]), B.access_ptr("r"), q, "text")
    A[0] = T.reinterpret("int32", T.float32(1))
`,
		"workspace": `@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    p: T.let[T.handle("int32")] = T.TVMBackendAllocWorkspace(1, 0, T.uint64(4096), 0, 32)
    T.attr(p, "storage_alignment", 64)
    if T.isnullptr(p):
        T.tvm_throw_last_error()
    P = T.decl_buffer((1024,), "int32", data=p)
    P[0] = A[0]
    A[1] = P[0]
    if T.TVMBackendFreeWorkspace(1, 0, p) != 0:
        T.tvm_throw_last_error()
`,
		"lowered": `@T.prim_func
def f(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle("void")) -> T.int32:
    T.func_attr({"calling_conv": 1, "global_symbol": "f"})
    p: T.let[T.handle] = T.tvm_struct_get(args, 0, 15, "handle")
    return 0
`,
	} {
		if _, _, err := frontend.Load(context.Background(), "f.py", []byte(text), frontend.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
