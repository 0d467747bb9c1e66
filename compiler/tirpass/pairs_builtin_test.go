package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestLowerBuiltinPairs makes workspaces of allocations and calls of the runtime of packed calls.
func TestLowerBuiltinPairs(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), p: T.handle, k: T.int32):`
	checkPairs(t, tirpass.LowerTVMBuiltin, header, []pair{
		{name: "as large as the stack takes", before: `
    C = T.decl_buffer((256,), "float32")
    D = T.decl_buffer((4, 64), "float32")
    C[0] = A[0]
    D[0, 0] = A[0]`},
		{name: "one of two extents is as large as the stack takes", before: `
    C = T.decl_buffer((1024, 1), "uint8")
    C[0, 0] = T.uint8(1)`},
		{name: "one after the other", before: `
    with T.decl_buffer((2000,), "uint8") as C:
        C[0] = T.uint8(1)
    with T.decl_buffer((3000,), "uint8") as D:
        D[0] = T.uint8(1)
        T.evaluate(T.ret(0))`, after: `
    with T.LetStmt(T.TVMBackendAllocWorkspace(1, 0, T.int64(2000), 1, 8), type_annotation=T.handle("uint8")) as C:
        T.attr(C, "storage_alignment", 64)
        if T.isnullptr(C):
            T.tvm_throw_last_error()
        with T.decl_buffer((2000,), "uint8", data=C) as C_1:
            C_1[0] = T.uint8(1)
        T.TVMBackendFreeWorkspace(1, 0, C)
    D: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(3000), 1, 8)
    T.attr(D, "storage_alignment", 64)
    if T.isnullptr(D):
        T.tvm_throw_last_error()
    with T.decl_buffer((3000,), "uint8", data=D) as D_1:
        D_1[0] = T.uint8(1)
        T.TVMBackendFreeWorkspace(1, 0, D)
        T.evaluate(T.ret(0))
    T.TVMBackendFreeWorkspace(1, 0, D)`, unrun: true},
		{name: "one byte larger", before: `
    C = T.decl_buffer((1025,), "uint8")
    C[0] = T.uint8(1)`, after: `
    C: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(1025), 1, 8)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((1025,), "uint8", data=C) as C_1:
        C_1[0] = T.uint8(1)
    T.TVMBackendFreeWorkspace(1, 0, C)`},
		{name: "the product is too large", before: `
    C = T.decl_buffer((33, 8), "float32")
    C[0, 0] = A[0]`, after: `
    C: T.handle("float32") = T.TVMBackendAllocWorkspace(1, 0, T.int64(1056), 2, 32)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((33, 8), "float32", data=C) as C_1:
        C_1[0, 0] = A[0]
    T.TVMBackendFreeWorkspace(1, 0, C)`},
		{name: "one extent is not a constant", before: `
    C = T.decl_buffer((2, k), "int8")
    C[0, 0] = T.int8(1)`, after: `
    C: T.handle("int8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(2) * T.Cast("int64", k), 0, 8)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((2, k), "int8", data=C) as C_1:
        C_1[0, 0] = T.int8(1)
    T.TVMBackendFreeWorkspace(1, 0, C)`},
		{name: "a small one around a large one", before: `
    C = T.decl_buffer((2,), "float32")
    D = T.decl_buffer((2000,), "uint8")
    D[0] = T.uint8(1)
    C[0] = A[0]`, after: `
    C = T.decl_buffer((2,), "float32")
    D: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(2000), 1, 8)
    T.attr(D, "storage_alignment", 64)
    if T.isnullptr(D):
        T.tvm_throw_last_error()
    with T.decl_buffer((2000,), "uint8", data=D) as D_1:
        D_1[0] = T.uint8(1)
        C[0] = A[0]
    T.TVMBackendFreeWorkspace(1, 0, D)`},
		{name: "return, break and continue free what they leave", before: `
    C = T.decl_buffer((2000,), "uint8")
    C[0] = T.uint8(1)
    if k == 7:
        T.evaluate(T.break_loop())
    for i in range(4):
        if i == 3:
            T.evaluate(T.break_loop())
        D = T.decl_buffer((3000,), "uint8")
        D[0] = C[0]
        if k == 0:
            T.evaluate(T.ret(0))
        if k == 1:
            T.evaluate(T.break_loop())
        if k == 2:
            T.evaluate(T.continue_loop())
        while k < 0:
            E = T.decl_buffer((4000,), "uint8")
            E[0] = C[0]
            T.evaluate(T.break_loop())`, after: `
    C: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(2000), 1, 8)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((2000,), "uint8", data=C) as C_1:
        C_1[0] = T.uint8(1)
        if k == 7:
            T.TVMBackendFreeWorkspace(1, 0, C)
            T.evaluate(T.break_loop())
        for i in range(4):
            if i == 3:
                T.evaluate(T.break_loop())
            D: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(3000), 1, 8)
            T.attr(D, "storage_alignment", 64)
            if T.isnullptr(D):
                T.TVMBackendFreeWorkspace(1, 0, C)
                T.tvm_throw_last_error()
            with T.decl_buffer((3000,), "uint8", data=D) as D_1:
                D_1[0] = C_1[0]
                if k == 0:
                    T.TVMBackendFreeWorkspace(1, 0, D)
                    T.TVMBackendFreeWorkspace(1, 0, C)
                    T.evaluate(T.ret(0))
                if k == 1:
                    T.TVMBackendFreeWorkspace(1, 0, D)
                    T.evaluate(T.break_loop())
                if k == 2:
                    T.TVMBackendFreeWorkspace(1, 0, D)
                    T.evaluate(T.continue_loop())
                while k < 0:
                    E: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(4000), 1, 8)
                    T.attr(E, "storage_alignment", 64)
                    if T.isnullptr(E):
                        T.TVMBackendFreeWorkspace(1, 0, D)
                        T.TVMBackendFreeWorkspace(1, 0, C)
                        T.tvm_throw_last_error()
                    with T.decl_buffer((4000,), "uint8", data=E) as E_1:
                        E_1[0] = C_1[0]
                        T.TVMBackendFreeWorkspace(1, 0, E)
                        T.evaluate(T.break_loop())
                    T.TVMBackendFreeWorkspace(1, 0, E)
            T.TVMBackendFreeWorkspace(1, 0, D)
    T.TVMBackendFreeWorkspace(1, 0, C)`},
		{name: "a loop restores what is around it", before: `
    for i in range(2):
        C = T.decl_buffer((2000,), "uint8")
        for j in range(2):
            C[j] = T.uint8(1)
        T.evaluate(T.break_loop())`, after: `
    for i in range(2):
        C: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(2000), 1, 8)
        T.attr(C, "storage_alignment", 64)
        if T.isnullptr(C):
            T.tvm_throw_last_error()
        with T.decl_buffer((2000,), "uint8", data=C) as C_1:
            for j in range(2):
                C_1[j] = T.uint8(1)
            T.TVMBackendFreeWorkspace(1, 0, C)
            T.evaluate(T.break_loop())
        T.TVMBackendFreeWorkspace(1, 0, C)`},
		{name: "a packed call of arguments of each kind", before: `
    T.evaluate(T.tvm_call_packed("f", k, T.float32(1.5), "text", p, T.tvm_stack_make_array(A.data, 0, 0, 1, 0, 0), T.bool(True)))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 7)
    T.tvm_struct_set(stack, 0, 13, 1)
    T.tvm_struct_set(stack, 0, 15, T.Cast("int64", k))
    T.tvm_struct_set(stack, 1, 13, 3)
    T.tvm_struct_set(stack, 1, 15, T.float64(1.5))
    T.tvm_struct_set(stack, 2, 13, 8)
    T.tvm_struct_set(stack, 2, 15, "text")
    T.tvm_struct_set(stack, 3, 13, 4)
    T.tvm_struct_set(stack, 3, 15, p)
    T.tvm_struct_set(stack, 4, 13, 7)
    T.tvm_struct_set(stack, 4, 15, T.tvm_stack_make_array(A.data, 0, 0, 1, 0, 0))
    T.tvm_struct_set(stack, 5, 13, 1)
    T.tvm_struct_set(stack, 5, 15, T.int64(1))
    T.tvm_call_packed_lowered("f", stack, 0, 6)`},
		{name: "a packed call without arguments", before: `
    T.evaluate(T.tvm_call_packed("f"))`, after: `
    stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 1)
    T.tvm_call_packed_lowered("f", stack, 0, 0)`},
		{name: "packed calls inside of expressions", before: `
    A[0] = T.Cast("float32", T.tvm_call_packed("first", k) + 1)
    A[1] = T.Cast("float32", T.tvm_call_packed("second", k) + 1)`, fails: `call_packed(first) is inside an expression: bind its result to a variable first`},
		{name: "a packed call by a name that is not a text", before: `
    A[0] = T.Cast("float32", T.tvm_call_packed(k) + 1)`, fails: `call_packed(?) is inside`},
		{name: "other calls", before: `
    T.evaluate(T.call_extern("int32", "f", k))
    A[0] = T.exp(A[1])`},
	})
}

// TestLowerMatchPairs replaces views by what they view.
func TestLowerMatchPairs(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8,), "int32")):`
	checkPairs(t, tirpass.LowerMatchBuffer, header, []pair{
		{name: "accesses and variables", before: `
    for i, j in T.grid(4, 2):
        with T.block("b"):
            T.reads(A[i * 2, j * 4:j * 4 + 4])
            T.writes(A[i * 2, j * 4:j * 4 + 4])
            s0 = T.int32()
            s1 = T.int32()
            off = T.int32()
            V = T.match_buffer(A[i * 2, j * 4:j * 4 + 4], (1, 4), "int32", strides=(s0, s1), elem_offset=off)
            V[0, 1] = V[0, 2] + s0 + s1 + off`, after: `
    for i, j in T.grid(4, 2):
        with T.block("b"):
            T.reads(A[i * 2, j * 4:j * 4 + 4])
            T.writes(A[i * 2, j * 4:j * 4 + 4])
            A[i * 2, j * 4 + 1] = A[i * 2, j * 4 + 2] + 8 + 1 + (i * 2 * 8 + j * 4)`},
		{name: "fewer dimensions", before: `
    for i in range(8):
        with T.block("b"):
            T.reads(A[i, 2:6])
            T.writes(B[2:4])
            V = T.match_buffer(A[i, 2:6], (4,), "int32", offset_factor=1)
            W = T.match_buffer(B[2:4], (2,), "int32", offset_factor=1)
            W[1] = V[3]`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads(A[i, 2:6])
            T.writes(B[2:4])
            B[3] = A[i, 5]`},
		{name: "regions of a view", before: `
    for i in range(8):
        with T.block("b"):
            T.reads(A[i, 2:6])
            T.writes(A[i, 2:6])
            V = T.match_buffer(A[i, 2:6], (4,), "int32", offset_factor=1)
            for j in range(2):
                with T.block("inner"):
                    T.reads(V[j:j + 2])
                    T.writes(V[j])
                    V[j] = V[j + 1]`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads(A[i, 2:6])
            T.writes(A[i, 2:6])
            for j in range(2):
                with T.block("inner"):
                    T.reads(A[i, 2 + j:2 + j + 2])
                    T.writes(A[i, 2 + j])
                    A[i, 2 + j] = A[i, 2 + (j + 1)]`},
		{name: "regions that only read or only write a view", before: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i, 2:6], (4,), "int32", offset_factor=1)
            with T.block("r"):
                T.reads(V[1])
                T.writes(B[i])
                B[i] = V[1]
            with T.block("w"):
                T.reads(B[i])
                T.writes(V[2])
                V[2] = B[i]`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            with T.block("r"):
                T.reads(A[i, 3])
                T.writes(B[i])
                B[i] = A[i, 3]
            with T.block("w"):
                T.reads(B[i])
                T.writes(A[i, 4])
                A[i, 4] = B[i]`},
		{name: "a source with one stride", before: `
    S = T.alloc_buffer((8,), "int32", strides=(2,))
    with T.block("b"):
        T.reads()
        T.writes()
        V = T.match_buffer(S[3:5], (2,), "int32", strides=(2,), elem_offset="at")
        V[1] = at`, after: `
    S = T.alloc_buffer((8,), "int32", strides=(2,))
    with T.block("b"):
        T.reads()
        T.writes()
        S[4] = 6`, unrun: true},
		{name: "a view of a view", before: `
    for i in range(4):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i:i + 4, 2:6], (4, 4), "int32", strides=("s0", "s1"), offset_factor=1)
            with T.block("inner"):
                T.reads()
                T.writes()
                W = T.match_buffer(V[1, 1:3], (2,), "int32", strides=("t",), elem_offset="at")
                W[1] = at`, after: `
    for i in range(4):
        with T.block("b"):
            T.reads()
            T.writes()
            with T.block("inner"):
                T.reads()
                T.writes()
                A[i + 1, 4] = (i + 1) * 8 + 3`, unrun: true},
		{name: "the data pointer", before: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i, 2:6], (4,), "int32", offset_factor=1)
            T.evaluate(T.call_extern("int32", "f", V.data))`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            T.evaluate(T.call_extern("int32", "f", A.data))`, unrun: true},
		{name: "a shape that is found", before: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            n = T.int32()
            V = T.match_buffer(A[i, 2:6], (n,), "int32", offset_factor=1)
            with T.block("inner"):
                T.reads()
                T.writes()
                C = T.alloc_buffer((n,), "int32")
                C[n - 1] = V[0]
                B[i] = C[3] + n`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            with T.block("inner"):
                T.reads()
                T.writes()
                C = T.alloc_buffer((4,), "int32")
                C[T.Sub(4, 1)] = A[i, 2]
                B[i] = C[3] + 4`, unrun: true},
		{name: "an offset that is a multiple", before: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i, 4:8], (4,), "int32", elem_offset="off", offset_factor=4)
            V[0] = 1`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            A[i, 4] = 1`},
		{name: "an offset that is none", before: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i, 2:6], (4,), "int32", elem_offset="off", offset_factor=4)
            V[0] = 1`, fails: `block "b": buffer V cannot be matched to A: its element offset is not known to be a multiple of its offset_factor 4`},
		{name: "no views", before: `
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi])
            T.writes(B[vi])
            B[vi] = B[vi] + 1`},
		{name: "iteration variables in the region", before: `
    for i in range(2):
        with T.block("b"):
            vi = T.axis.spatial(2, i)
            T.reads()
            T.writes()
            V = T.match_buffer(A[0, vi * 4:vi * 4 + 4], (4,), "int32", elem_offset="off", offset_factor=4)
            V[0] = off`, after: `
    for i in range(2):
        with T.block("b"):
            vi = T.axis.spatial(2, i)
            T.reads()
            T.writes()
            A[0, vi * 4] = vi * 4`, unrun: true},
	})
}

// TestLocalArrays keeps larger allocations where they are for x86.
func TestLocalArrays(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32")):
    T.func_attr({"target": T.target("x86")})`
	checkPairs(t, tirpass.LowerTVMBuiltin, header, []pair{
		{name: "as large as an array may be", before: `
    for i in T.parallel(16):
        C = T.decl_buffer((64, 64), "float32")
        C[i, i] = A[i]
        A[i] = C[i, i] * T.float32(2)`},
		{name: "a byte larger", before: `
    C = T.decl_buffer((16385,), "uint8")
    C[0] = T.uint8(1)`, after: `
    C: T.handle("uint8") = T.TVMBackendAllocWorkspace(1, 0, T.int64(16385), 1, 8)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((16385,), "uint8", data=C) as C_1:
        C_1[0] = T.uint8(1)
    T.TVMBackendFreeWorkspace(1, 0, C)`},
	})
}
