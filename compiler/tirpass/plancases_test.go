package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// morePlacements are bodies like those of placements; unrun ones call what is not there.
var morePlacements = []struct {
	name, body string
	depth      int
	unrun      bool
}{
	{"read by the end of a loop", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = T.max(A[i, k], 0) % 3
        for j in range(C[1]):
            B[i, j] = 1`, 1, false},
	{"read by the start of a loop", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = T.max(A[i, k], 0) % 3
        for j in range(C[1], 5):
            B[i, j] = 1`, 1, false},
	{"read by the binding of a block", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = T.max(A[i, k], 0) % 8
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            v = T.axis.spatial(8, C[1])
            B[vi, v] = 1`, 1, false},
	{"read by the predicate of a block", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = A[i, k]
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            T.where(C[1] > 0)
            B[vi, 0] = 1`, 1, false},
	{"read by the condition of a while loop", `
    C = T.alloc_buffer((8,), "int32")
    D = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = T.max(A[i, k], 0) % 5
        D[0] = 0
        while D[0] < C[1]:
            D[0] = D[0] + 1
            B[i, D[0]] = 1`, 1, false},
	{"read by the condition of a while loop alone", `
    C = T.alloc_buffer((8,), "int32")
    D = T.alloc_buffer((1,), "int32")
    for i in range(8):
        D[0] = 0
        for k in range(2):
            for l in range(1, 3):
                C[k] = l
        while D[0] < C[1]:
            D[0] = D[0] + 1
            B[i, D[0]] = 1`, 1, false},
	{"inside of a while loop", `
    C = T.alloc_buffer((8,), "int32")
    D = T.alloc_buffer((1,), "int32")
    for i in range(8):
        D[0] = 0
        while D[0] < 3:
            for k in range(2):
                C[k] = A[i, k]
            D[0] = D[0] + C[1] * 0 + 1
            B[i, 0] = C[0]`, 1, false},
	{"given away as a pointer", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(2):
            C[k] = A[i, k]
        T.evaluate(T.call_extern("int32", "f", C.data))`, 0, true},
	{"another buffer over the memory", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(8):
            C[k] = A[i, k]
        V = T.decl_buffer((2, 4), "int32", data=C.data)
        B[i, 0] = V[1, 3]`, 1, false},
	{"another buffer over the memory writes", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        V = T.decl_buffer((2, 4), "int32", data=C.data)
        V[0, 3] = A[i, 0]
        B[i, 0] = C[3]`, 0, false},
	{"in one step only", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(1):
        for j in range(8):
            B[i, j] = 1
            if A[i, j] > 100:
                B[i, j] = C[j]
            C[j] = A[i, j]`, 2, false},
	{"in two steps", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(2):
        for j in range(8):
            if i > 0:
                B[i, j] = C[j]
            C[j] = A[i, j]`, 0, false},
	{"an element behind the one that is written", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(7):
        if A[i, 0] > 0:
            C[7 - i] = A[i, 0]
        if A[i, 0] > 200:
            B[0, i] = C[6 - i]`, 1, false},
	{"the element that the iteration before wrote", `
    C = T.alloc_buffer((9,), "int32")
    for i in range(8):
        if i > 0:
            B[0, i] = C[8 - i]
        C[7 - i] = A[0, i]`, 0, false},
	{"apart in the second dimension", `
    C = T.alloc_buffer((8, 9), "int32")
    for i in range(8):
        if A[i, 0] > 0:
            C[0, i] = A[i, 0]
        if A[i, 0] > 0:
            B[0, i] = C[0, i]`, 1, false},
	{"apart in no dimension", `
    C = T.alloc_buffer((9, 9), "int32")
    for i in range(8):
        if i > 0:
            B[0, i] = C[0, i - 1]
        C[0, i] = A[i, 0]`, 0, false},
	{"rows that overlap", `
    C = T.alloc_buffer((10,), "int32")
    for i in range(8):
        for j in range(2):
            if i + j > 0:
                B[i, j] = C[i + j]
        for j in range(2):
            C[i + j + 1] = A[i, j]`, 0, false},
	{"rows that do not overlap", `
    C = T.alloc_buffer((16,), "int32")
    for i in range(8):
        for j in range(2):
            if A[i, j] > 0:
                C[i * 2 + j] = A[i, j]
        for j in range(2):
            if A[i, j] > 0:
                B[i, j] = C[i * 2 + j]`, 1, false},
	{"under one condition", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if j < 4:
                C[j] = A[i, j]
        for j in range(8):
            if j < 4:
                B[i, j] = C[j]`, 1, false},
	{"under opposite conditions", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if j >= 4:
                B[i, j] = 1
            else:
                C[j] = A[i, j]
        for j in range(8):
            if j >= 4:
                B[i, j] = 2
            else:
                B[i, j] = C[j]`, 1, false},
	{"under a wider condition", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if j < 4 or i == 0:
                C[j] = A[i, j]
        for j in range(8):
            if j < 5:
                B[i, j] = C[j]`, 0, false},
	{"under a condition in an expression", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if j < 4:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = T.if_then_else(j < 4, C[j], 0) + T.if_then_else(j >= 4, 1, C[j])`, 1, false},
	{"under a wider condition in an expression", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if j < 4 or i == 0:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = T.if_then_else(j < 5, C[j], 0)`, 0, false},
	{"in the condition of an expression", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i > 0:
                B[i, j] = T.if_then_else(C[j] < 5, 1, 0)
            C[j] = A[i, j]`, 0, false},
	{"in a condition", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            if C[0] > 0:
                B[i, 0] = 1
        C[0] = A[i, 0]`, 0, false},
	{"in the else branch only", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i == 0:
            B[i, 0] = 1
        else:
            B[i, 0] = C[0]
        C[0] = A[i, 0]`, 0, false},
	{"at an index that a let defines", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            with T.LetStmt(7 - j) as x:
                C[x] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 1, false},
	{"at an index that a let reads", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.LetStmt(T.max(A[i, 0], 0) % 8) as x:
            C[x] = A[i, 1]
            B[i, 0] = C[x]`, 1, false},
	{"at an index that a let reads, before it is written", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.LetStmt(T.max(A[i, 0], 0) % 8) as x:
            if i > 0:
                B[i, 0] = C[0]
            if i == 0:
                C[0] = 0
            C[x] = A[i, 1]`, 0, false},
	{"in the value of a let", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            with T.LetStmt(C[0]) as x:
                B[i, 0] = x
        C[0] = A[i, 0]`, 0, false},
	{"in the value of a let of an expression", `
    x = T.int32()
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            B[i, 0] = T.Let(x + x, where={x: C[0]})
        C[0] = A[i, 0]`, 0, false},
	{"in the body of a let of an expression", `
    x = T.int32()
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        for j in range(8):
            B[i, j] = T.Let(C[x], where={x: 7 - j})`, 1, false},
	{"under the predicate of a block", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(j < 4)
                C[vj] = A[vi, vj]
        for j in range(8):
            with T.block("r"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(j < 4)
                B[vi, vj] = C[vj]`, 1, false},
	{"under a wider predicate of a block", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(j < 4 or i == 0)
                C[vj] = A[vi, vj]
        for j in range(8):
            with T.block("r"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = C[vj]`, 0, false},
	{"a reduction in each iteration", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(C[0])
                with T.init():
                    C[0] = 0
                C[0] = C[0] + A[vi, vk]
        B[i, 0] = C[0]`, 1, false},
	{"a reduction over both loops", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            with T.block("sum"):
                vi, vk = T.axis.remap("RR", [i, k])
                T.reads(A[vi, vk])
                T.writes(C[0])
                with T.init():
                    C[0] = 0
                C[0] = C[0] + A[vi, vk]
        B[i, 0] = C[0]`, 0, false},
	{"a mask need not write", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C.vstore([j], A[i, j], predicate=j < 4)
        for j in range(4):
            B[i, j] = C[j]`, 0, true},
	{"written as a vector", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        C[T.Ramp(0, 1, 8)] = A[i, T.Ramp(0, 1, 8)]
        for j in range(8):
            B[i, j] = C[j]`, 0, false},
	{"read as a vector", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        B[i, T.Ramp(0, 1, 8)] = C[T.Ramp(0, 1, 8)]`, 1, false},
	{"the loops of the write are in another order", `
    C = T.alloc_buffer((4, 2), "int32")
    for i in range(8):
        for k, j in T.grid(2, 4):
            C[j, k] = A[i, j * 2 + k]
        for j, k in T.grid(4, 2):
            B[i, j * 2 + k] = C[j, k]`, 1, false},
	{"written for one of two columns", `
    C = T.alloc_buffer((4, 2), "int32")
    for i in range(8):
        for k in range(2):
            for j in range(4):
                if k == 0 or i == 0:
                    C[j, k] = A[i, j * 2 + k]
        for j, k in T.grid(4, 2):
            B[i, j * 2 + k] = C[j, k]`, 0, false},
	{"written after it is read in a step", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i + j > 0:
                B[i, j] = C[0]
            C[0] = A[i, j]`, 0, false},
	{"written in a step before the step that reads", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
            for k in range(8):
                B[i, k] = C[j]`, 2, false},
	{"by a thread alone", `
    C = T.alloc_buffer((8,), "int32", scope="local")
    for i in T.thread_binding(8, thread="threadIdx.x"):
        for j in range(8):
            if A[i, j] > 0:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 1, true},
	{"by all threads", `
    C = T.alloc_buffer((8,), "int32", scope="shared")
    for i in T.thread_binding(8, thread="threadIdx.x"):
        for j in range(8):
            if A[i, j] > 0:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 0, true},
	{"a pointer in a block that says what it writes", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        with T.block("w"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(C[vi, 0:8])
            T.evaluate(T.call_extern("int32", "f", C.data))
        for j in range(8):
            B[i, j] = C[i, j]`, 1, true},
	{"a pointer in a block that writes everywhere", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        with T.block("w"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(C[0:8, 0:8])
            T.evaluate(T.call_extern("int32", "f", C.data))
        for j in range(8):
            B[i, j] = C[i, j]`, 0, true},
	{"a pointer in a block that says nothing of the buffer", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        with T.block("w"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0])
            T.writes(B[vi, 0])
            T.evaluate(T.call_extern("int32", "f", C.data))
        for j in range(8):
            B[i, j] = C[i, j]`, 0, true},
	{"a pointer in a block that reads", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(8):
            C[0, j] = A[i, j]
        with T.block("r"):
            vi = T.axis.spatial(8, i)
            T.reads(C[0, 0:8])
            T.writes()
            T.evaluate(T.call_extern("int32", "f", C.data))`, 1, true},
	{"a pointer in a block that reads more than is written", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(8):
            C[0, j] = A[i, j]
        with T.block("r"):
            vi = T.axis.spatial(8, i)
            T.reads(C[0:2, 0:8])
            T.writes()
            T.evaluate(T.call_extern("int32", "f", C.data))`, 0, true},
	{"a view of a view", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(8):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[2, 0:8])
                V = T.match_buffer(C[2, 0:8], (1, 8), "int32", strides=("s0", "s1"), offset_factor=1)
                with T.block("inner"):
                    T.reads()
                    T.writes(V[0, 0:8])
                    W = T.match_buffer(V[0, vj], (1,), "int32", strides=("t",), offset_factor=1)
                    W[0] = A[vi, vj]
        for j in range(8):
            B[i, j] = C[2, j]`, 1, true},
	{"a pointer after a block that says what it reads", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        with T.block("outer"):
            vi = T.axis.spatial(8, i)
            T.reads()
            T.writes(C[vi, 0:8])
            with T.block("inner"):
                T.reads(A[vi, 0:8])
                T.writes()
                T.evaluate(A[vi, 0])
            T.evaluate(T.call_extern("int32", "f", C.data))
        for j in range(8):
            B[i, j] = C[i, j]`, 1, true},
	{"a pointer of another buffer's region", `
    C = T.alloc_buffer((8, 8), "int32")
    D = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        with T.block("w"):
            vi = T.axis.spatial(8, i)
            T.reads(D[0:8, 0:8])
            T.writes(C[vi, 0:8])
            T.evaluate(T.call_extern("int32", "f", C.data))
        for j in range(8):
            B[i, j] = C[i, j] + D[i, j]`, 1, true},
	{"a view of half a row", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(4):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[2, 0:4])
                V = T.match_buffer(C[2, 0:4], (4,), "int32", offset_factor=1)
                V[vj] = A[vi, vj]
        for j in range(8):
            B[i, j] = C[2, j]`, 0, true},
	{"a view of another row", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(4):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[2, 0:4])
                V = T.match_buffer(C[2, 0:4], (4,), "int32", offset_factor=1)
                V[vj] = A[vi, vj]
        for j in range(8):
            B[i, j] = C[3, j]`, 1, true},
	{"what a reduction writes stays outside of its loops", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            for l in range(2):
                with T.block("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.reads(A[vi, vk])
                    T.writes(C[0])
                    C[0] = A[vi, vk]
            B[i, k] = C[0]`, 1, false},
	{"what a reduction reads need not", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            C[0] = A[i, k]
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(C[0])
                T.writes(B[vi, 0])
                B[vi, 0] = C[0]`, 2, false},
	{"what a spatial axis writes need not", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            with T.block("w"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.reads(A[vi, vk])
                T.writes(C[0])
                C[0] = A[vi, vk]
            B[i, k] = C[0]`, 2, false},
	{"what a reduction over a sum of variables writes", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(4):
        for k in range(2):
            with T.block("sum"):
                vk = T.axis.reduce(8, i * 2 + k)
                T.reads(A[0, vk])
                T.writes(C[0])
                C[0] = A[0, vk]
            B[i, k] = C[0]`, 0, false},
	{"an inner loop whose end is not a constant carries it", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for j in range(i + 1):
            if j > 0:
                B[i, j] = C[0]
            C[0] = A[i, j]`, 0, false},
	{"what a reduction over the outermost loop writes", `
    C = T.alloc_buffer((1,), "int32")
    for k in range(8):
        with T.block("sum"):
            vk = T.axis.reduce(8, k)
            T.reads(A[0, vk])
            T.writes(C[0])
            C[0] = A[0, vk]
        B[0, k] = C[0]`, 0, false},
	{"a reduction bound to no loop", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        with T.block("sum"):
            vi = T.axis.spatial(8, i)
            vk = T.axis.reduce(8, 3)
            T.reads(A[vi, vk])
            T.writes(C[0])
            C[0] = A[vi, vk]
        B[i, 0] = C[0]`, 1, false},
	{"what an opaque axis indexes stays outside of its loops", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(8):
            C[k] = A[i, k]
            with T.block("o"):
                vi = T.axis.spatial(8, i)
                vk = T.axis.opaque(8, k)
                T.reads(C[vk])
                T.writes(B[vi, vk])
                B[vi, vk] = C[vk]`, 1, false},
	{"what an opaque axis does not index need not", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(8):
            C[0] = A[i, k]
            with T.block("o"):
                vi = T.axis.spatial(8, i)
                vk = T.axis.opaque(8, k)
                T.reads(C[0])
                T.writes(B[vi, vk])
                B[vi, vk] = C[0]`, 2, false},
	{"what an opaque axis writes stays outside of its loops", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for k in range(8):
            with T.block("o"):
                vi = T.axis.spatial(8, i)
                vk = T.axis.opaque(8, k)
                T.reads(A[vi, vk])
                T.writes(C[0])
                C[0] = A[vi, vk]
            B[i, k] = C[0]`, 1, false},
	{"read by the binding of a block before it is written", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            with T.block("b"):
                vi = T.axis.spatial(8, i)
                v = T.axis.spatial(8, T.max(C[0], 0) % 8)
                B[vi, v] = 1
        C[0] = A[i, 0]`, 0, false},
	{"read by the predicate of a block before it is written", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            with T.block("b"):
                vi = T.axis.spatial(8, i)
                T.where(C[0] > 0)
                B[vi, 0] = 1
        C[0] = A[i, 0]`, 0, false},
	{"read by a loop's bounds before it is written", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            for j in range(T.max(C[0], 0) % 4):
                B[i, j] = 1
            for j in range(T.max(C[0], 0) % 4, 6):
                B[i, j] = 2
        C[0] = A[i, 0]`, 0, false},
	{"read by an index before it is written", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            B[i, T.max(C[0], 0) % 4] = A[i, 0]
        C[0] = A[i, 0]`, 0, false},
	{"read by the index of a load before it is written", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i > 0:
            B[i, 0] = A[i, T.max(C[0], 0) % 4]
        C[0] = A[i, 0]`, 0, false},
	{"an init that runs in the first step only", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(2):
            with T.block("sum"):
                vi = T.axis.spatial(8, i)
                vk = T.axis.reduce(16, i * 2 + k)
                T.reads(A[vi, 0])
                T.writes(C[0])
                with T.init():
                    C[0] = 0
                C[0] = C[0] + A[vi, 0]
        B[i, 0] = C[0]`, 0, true},
	{"a step of 1", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in T.serial(0, 8, step=1):
            C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[7 - j]`, 1, false},
	{"a loop that ends too early", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(7):
            C[j] = A[i, j]
        if i == 0:
            C[7] = 5
        for j in range(8):
            B[i, j] = C[j]`, 0, false},
	{"a loop that starts too late", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(1, 8):
            C[j] = A[i, j]
        if i == 0:
            C[0] = 5
        for j in range(8):
            B[i, j] = C[j]`, 0, false},
	{"a loop that starts late enough", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(1, 8):
            C[j] = A[i, j]
        for j in range(1, 8):
            B[i, j] = C[j]`, 1, false},
	{"an index that is a quotient of memory", `
    C = T.alloc_buffer((8, 4), "int32")
    for i in range(8):
        if A[i, 0] > 0:
            C[i, T.max(A[i, 1], 0) % 4] = 1
        if A[i, 0] > 200:
            B[i, 0] = C[i, T.max(A[i, 1], 0) % 4]`, 0, false},
	{"nothing accesses it", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        B[i, 0] = A[i, 0]`, 0, false},
	{"all in one block", `
    for i in range(8):
        with T.block("b"):
            T.reads(A[i, 0])
            T.writes(B[i, 0])
            C = T.alloc_buffer((8,), "int32")
            if i > 100:
                B[i, 0] = C[0]
            C[0] = A[i, 0]`, 1, false},
}

func TestMorePlacementsOfAllocations(t *testing.T) {
	for _, c := range morePlacements {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):`+c.body)
			wellFormed(t, "input", f)
			g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
			if !c.unrun {
				args := tirtest.Arguments(f, 1)
				sameMeaning(t, tirpass.PlanAndUpdateBufferAllocationLocation, f, g, args, mustRun(t, f, args))
			}
			if d := depths(g)["C"]; d != c.depth {
				t.Errorf("C is allocated inside of %d loops, want %d\n%s", d, c.depth, print(g))
			}
		})
	}
}

// TestPlanPairs checks what blocks allocate and say afterwards.
func TestPlanPairs(t *testing.T) {
	checkPairs(t, tirpass.PlanAndUpdateBufferAllocationLocation, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):`, []pair{
		{name: "nothing to place", before: `
    for i in range(8):
        B[i, 0] = A[i, 0]`},
		{name: "into a block, which no longer says that it accesses the buffer", before: `
    C = T.alloc_buffer((8,), "int32")
    D = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("outer"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:8], C[0:8])
            T.writes(B[vi, 0:8], C[0:8])
            for j in range(8):
                C[j] = A[vi, j]
            for j in range(8):
                B[vi, j] = C[j]
    for i in range(8):
        D[i] = A[i, 1]
    for i in range(8):
        B[i, 1] = D[i]`, after: `
    D = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("outer"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi, 0:8])
            C = T.alloc_buffer((8,), "int32")
            for j in range(8):
                C[j] = A[vi, j]
            for j in range(8):
                B[vi, j] = C[j]
    for i in range(8):
        D[i] = A[i, 1]
    for i in range(8):
        B[i, 1] = D[i]`},
		{name: "into a loop of a block, which no longer says that it accesses the buffer", before: `
    with T.block("outer"):
        T.reads(A[0:8, 0:8])
        T.writes(B[0:8, 0:8])
        C = T.alloc_buffer((8,), "int32")
        with T.block("inner"):
            T.reads(A[0:8, 0:8], C[0:8])
            T.writes(B[0:8, 0:8])
            for i in range(8):
                C[0] = A[i, 0]
                B[i, 0] = C[0]`, after: `
    with T.block("outer"):
        T.reads(A[0:8, 0:8])
        T.writes(B[0:8, 0:8])
        with T.block("inner"):
            T.reads(A[0:8, 0:8])
            T.writes(B[0:8, 0:8])
            for i in range(8):
                with T.block(""):
                    T.reads(A[i, 0])
                    T.writes(B[i, 0])
                    C = T.alloc_buffer((8,), "int32")
                    C[0] = A[i, 0]
                    B[i, 0] = C[0]`, unrun: true},
		{name: "into a loop, whose block says what it accesses", before: `
    C = T.alloc_buffer((8,), "int32")
    D = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        for j in range(8):
            D[j] = C[j]
        for j in range(8):
            B[i, j] = D[j]`, after: `
    with T.block("root"):
        T.reads()
        T.writes()
        for i in range(8):
            with T.block(""):
                T.reads(A[i, 0:8])
                T.writes(B[i, 0:8])
                C = T.alloc_buffer((8,), "int32")
                D = T.alloc_buffer((8,), "int32")
                for j in range(8):
                    C[j] = A[i, j]
                for j in range(8):
                    D[j] = C[j]
                for j in range(8):
                    B[i, j] = D[j]`},
		{name: "pointers to what is around are named", before: `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        for j in range(8):
            T.evaluate(T.call_extern("int32", "f", B.data, C[j]))`, after: `
    with T.block("root"):
        T.reads()
        T.writes()
        for i in range(8):
            with T.block(""):
                T.reads(A[i, 0:8], B[0:8, 0:8])
                T.writes(B[0:8, 0:8])
                C = T.alloc_buffer((8,), "int32")
                for j in range(8):
                    C[j] = A[i, j]
                for j in range(8):
                    T.evaluate(T.call_extern("int32", "f", B.data, C[j]))`, unrun: true},
		{name: "one of several moves, and what nothing accesses stays", before: `
    with T.block("b"):
        T.reads(A[0:8, 0:8])
        T.writes(B[0:8, 0:8])
        C = T.alloc_buffer((8,), "int32")
        D = T.alloc_buffer((8,), "int32")
        E = T.alloc_buffer((8,), "int32")
        D[0] = 1
        for i in range(8):
            for j in range(8):
                C[j] = A[i, j]
            for j in range(8):
                B[i, j] = C[j] + D[0]`, after: `
    with T.block("b"):
        T.reads(A[0:8, 0:8])
        T.writes(B[0:8, 0:8])
        D = T.alloc_buffer((8,), "int32")
        E = T.alloc_buffer((8,), "int32")
        D[0] = 1
        for i in range(8):
            with T.block(""):
                T.reads(A[i, 0:8], D[0])
                T.writes(B[i, 0:8])
                C = T.alloc_buffer((8,), "int32")
                for j in range(8):
                    C[j] = A[i, j]
                for j in range(8):
                    B[i, j] = C[j] + D[0]`},
	})
}
