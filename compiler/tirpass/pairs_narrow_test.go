package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

const narrowHeader = `@T.prim_func
def kernel(A: T.Buffer((T.int64(64),), "float32"), B: T.Buffer((T.int64(64),), "float32"), I: T.Buffer((T.int64(64),), "int64"), M: T.Buffer((T.int64(8), T.int64(8)), "float32")):`

// TestNarrowPairs narrows loops and the indices in them to 32 bits.
func TestNarrowPairs(t *testing.T) {
	checkPairs(t, tirpass.NarrowDataType, narrowHeader, []pair{
		{name: "a nest", before: `
    for i, j in T.grid(T.int64(8), T.int64(8)):
        A[i * T.int64(8) + j] = B[j * T.int64(8) + i]`, after: `
    for i, j in T.grid(8, 8):
        A[i * 8 + j] = B[j * 8 + i]`},
		{name: "bounds", before: `
    for i in range(T.int64(8)):
        for j in range(i, i + T.int64(2)):
            A[j] = B[i]`, after: `
    for i in range(8):
        for j in range(i, i + 2):
            A[j] = B[i]`},
		{name: "a step", before: `
    for i in T.serial(T.int64(0), T.int64(8), step=T.int64(2)):
        A[i] = B[i]`, after: `
    for i in T.serial(0, 8, step=2):
        A[i] = B[i]`},
		{name: "values keep their width", before: `
    for i in range(T.int64(8)):
        I[i] = i * T.int64(5)`, after: `
    for i in range(8):
        I[i] = T.Cast("int64", i * 5)`},
		{name: "a block whose variable stays wide", before: `
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(T.int64(8), T.Cast("int64", i))
            T.reads(B[v:v + T.int64(1)])
            T.writes(A[T.int64(0)])
            A[v * T.int64(1000000000) // T.int64(1000000000)] = B[v]`, after: `
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(T.int64(8), T.Cast("int64", i))
            T.reads(B[v:v + T.int64(1)])
            T.writes(A[0])
            A[v * T.int64(1000000000) // T.int64(1000000000)] = B[v]`},
		{name: "a block whose variable and regions stay wide", before: `
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(T.int64(8), T.Cast("int64", i))
            T.reads(B[v:v + T.int64(1)])
            T.writes(A[v:v + T.int64(1)])
            A[v * T.int64(1000000000) // T.int64(1000000000)] = B[v]`},
		{name: "a thread whose variable stays wide", before: `
    with T.launch_thread("threadIdx.x", T.int64(64)) as tx:
        A[tx * T.int64(100000000) // T.int64(100000000)] = T.float32(1)`},
		{name: "what does not fit around a variable keeps it wide", before: `
    for i in range(T.int64(64)):
        A[i * T.int64(100000000) // T.int64(100000000)] = B[i]`},
		{name: "as large as fits", before: `
    for i in range(T.int64(2)):
        A[i * T.int64(2147483647) // T.int64(2147483647)] = B[i]`, after: `
    for i in range(2):
        A[i * 2147483647 // 2147483647] = B[i]`},
		{name: "one too large", before: `
    for i in range(T.int64(2)):
        A[i * T.int64(2147483648) // T.int64(2147483648)] = B[i]`},
		{name: "as small as fits", before: `
    for i in range(T.int64(2)):
        A[i * T.int64(-2147483648) // T.int64(-2147483648)] = B[i]`, after: `
    for i in range(2):
        A[i * -2147483648 // -2147483648] = B[i]`},
		{name: "one too small", before: `
    for i in range(T.int64(2)):
        A[i * T.int64(-2147483649) // T.int64(-2147483649)] = B[i]`},
		{name: "an index from memory keeps what is around it", before: `
    for i in range(T.int64(8)):
        A[I[i] % T.int64(64)] = B[i + T.int64(1)]`, after: `
    for i in range(8):
        A[I[i] % T.int64(64)] = B[i + 1]`},
		{name: "conditions", before: `
    for i in range(T.int64(8)):
        if i < T.int64(5) and i * T.int64(3) != T.int64(6):
            A[i] = B[i]
        else:
            A[i] = T.float32(0)`, after: `
    for i in range(8):
        if i < 5 and i * 3 != 6:
            A[i] = B[i]
        else:
            A[i] = T.float32(0)`},
		{name: "a condition that needs 64 bits", before: `
    for i in range(T.int64(8)):
        if i * T.int64(3000000000) < T.int64(6000000000):
            A[i] = B[i]`},
		{name: "choices", before: `
    for i in range(T.int64(8)):
        A[i] = T.if_then_else(i > T.int64(3), B[i - T.int64(3)], T.float32(1)) + T.Select(i > T.int64(3), B[i], T.float32(1))`, after: `
    for i in range(8):
        A[i] = T.if_then_else(i > 3, B[i - 3], T.float32(1)) + T.Select(i > 3, B[i], T.float32(1))`},
		{name: "choices of indices", before: `
    for i in range(T.int64(8)):
        A[T.Select(i > T.int64(3), i - T.int64(3), T.int64(1))] = B[T.Select(i > T.int64(3), i, T.int64(2))]`, after: `
    for i in range(8):
        A[T.Select(i > 3, i - 3, 1)] = B[T.Select(i > 3, i, 2)]`},
		{name: "lazy choices of indices, whose values nobody bounds", before: `
    for i in range(T.int64(8)):
        A[T.if_then_else(i > T.int64(3), i - T.int64(3), T.int64(1))] = B[i]`},
		{name: "not and likely", before: `
    for i in range(T.int64(8)):
        if T.likely(not (i < T.int64(5))):
            A[i] = B[i]`, after: `
    for i in range(8):
        if T.likely(not i < 5):
            A[i] = B[i]`},
		{name: "shifts", before: `
    for i in range(T.int64(8)):
        A[T.shift_right(i, T.int64(1))] = B[T.bitwise_and(i, T.int64(3))]`, after: `
    for i in range(8):
        A[T.shift_right(i, 1)] = B[T.bitwise_and(i, 3)]`},
		{name: "shifts of what is elsewhere", before: `
    for i in range(T.int64(8)):
        A[T.shift_right(I[i], T.int64(60)) % T.int64(64)] = B[i]`, after: `
    for i in range(8):
        A[T.shift_right(I[i], T.int64(60)) % T.int64(64)] = B[i]`, unrun: true},
		{name: "vectors", before: `
    for i in range(T.int64(8)):
        A[T.Ramp(i * T.int64(4), T.int64(1), 4)] = B[T.Broadcast(i, 4)]`, after: `
    for i in range(8):
        A[T.Ramp(i * 4, 1, 4)] = B[T.Broadcast(i, 4)]`},
		{name: "let statements", before: `
    for i in range(T.int64(8)):
        with T.LetStmt(i * T.int64(8)) as x:
            A[x] = B[x + T.int64(1)]`, after: `
    for i in range(8):
        with T.LetStmt(i * 8) as x:
            A[x] = B[T.Cast("int64", x) + T.int64(1)]`},
		{name: "let statements of other values", before: `
    for i in range(T.int64(8)):
        with T.LetStmt(B[i]) as x:
            A[i] = x`, after: `
    for i in range(8):
        with T.LetStmt(B[i]) as x:
            A[i] = x`},
		{name: "lets", before: `
    x = T.int64()
    for i in range(T.int64(8)):
        A[T.Let(x + x, where={x: i * T.int64(2)})] = B[i]`, after: `
    x = T.int32()
    for i in range(8):
        A[T.Let(x + x, where={x: i * 2})] = B[i]`},
		{name: "allocations", before: `
    for i in range(T.int64(8)):
        C = T.decl_buffer((i + T.int64(1),), "float32")
        C[i] = B[i]
        A[i] = C[i]`, unrun: true, after: `
    for i in range(8):
        C = T.allocate([i + 1], "float32", "global")
        C_1 = T.decl_buffer((T.Cast("int64", i + 1),), data=C)
        C_1[i] = B[i]
        A[i] = C_1[i]`},
		{name: "masks", before: `
    for i in range(T.int64(8)):
        A.vstore([i], B.vload([i], predicate=i > T.int64(3)), predicate=i > T.int64(3))`, after: `
    for i in range(8):
        A.vstore([i], B.vload([i], predicate=i > 3), predicate=i > 3)`},
		{name: "casts inside of indices", before: `
    for i in range(8):
        A[T.Cast("int64", i) + T.int64(1)] = B[T.Cast("int64", i)]`, after: `
    for i in range(8):
        A[i + 1] = B[i]`},
		{name: "casts of values", before: `
    for i in range(T.int64(8)):
        A[i] = T.Cast("float32", i + T.int64(1))`, after: `
    for i in range(8):
        A[i] = T.Cast("float32", i + 1)`},
		{name: "calls", before: `
    for i in range(T.int64(8)):
        A[i] = T.exp(T.Cast("float32", i + T.int64(1)))`, after: `
    for i in range(8):
        A[i] = T.exp(T.Cast("float32", i + 1))`},
		{name: "a call with a value of any size", before: `
    for i in range(T.int64(8)):
        I[i] = T.max(i, I[i])`},
		{name: "a block", before: `
    for i, j in T.grid(T.int64(8), T.int64(8)):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i * T.int64(8) + j < T.int64(60))
            T.reads(B[vi * T.int64(8) + vj])
            T.writes(A[vi * T.int64(8) + vj])
            A[vi * T.int64(8) + vj] = B[vi * T.int64(8) + vj]`, after: `
    for i, j in T.grid(8, 8):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i * 8 + j < 60)
            T.reads(B[vi * 8 + vj])
            T.writes(A[vi * 8 + vj])
            A[vi * 8 + vj] = B[vi * 8 + vj]`},
		{name: "a block with an init", before: `
    for i, k in T.grid(T.int64(8), T.int64(8)):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(M[vi, vk])
            T.writes(A[vi])
            with T.init():
                A[vi + T.int64(0)] = T.float32(0)
            A[vi] = A[vi] + M[vi, vk]`, after: `
    for i, k in T.grid(8, 8):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(M[vi, vk])
            T.writes(A[vi])
            with T.init():
                A[vi] = T.float32(0)
            A[vi] = A[vi] + M[vi, vk]`},
		{name: "only the end of a loop changes", before: `
    for i in range(T.int64(8)):
        for j in range(I[i]):
            A[j % T.int64(64)] = T.float32(1)`, after: `
    for i in range(8):
        for j in range(I[i]):
            A[j % T.int64(64)] = T.float32(1)`, unrun: true},
		{name: "only the start of a loop changes", before: `
    for i in range(T.int64(8)):
        for j in T.serial(I[i], I[T.int64(0)]):
            A[j % T.int64(64)] = T.float32(1)`, after: `
    for i in range(8):
        for j in T.serial(I[i], I[0]):
            A[j % T.int64(64)] = T.float32(1)`, unrun: true},
		{name: "a start from memory in a narrow loop", before: `
    for i in range(T.int64(8)):
        for j in range(I[i] % T.int64(4), T.int64(8)):
            A[j] = B[i]`, after: `
    for i in range(8):
        for j in T.serial(T.Cast("int32", I[i] % T.int64(4)), T.Cast("int32", I[i] % T.int64(4)) + T.Cast("int32", T.int64(8) - I[i] % T.int64(4))):
            A[j] = B[i]`, unrun: true},
		{name: "a step of another type", before: `
    for i in T.serial(T.int64(0), T.int64(8), step=I[T.int64(3)] % T.int64(3) + T.int64(1)):
        A[i] = B[i]`, after: `
    for i in T.serial(0, 8, step=T.Cast("int32", I[3] % T.int64(3) + T.int64(1))):
        A[i] = B[i]`, unrun: true},
		{name: "only the condition changes", before: `
    for i in range(T.int64(8)):
        if i < T.int64(4):
            T.evaluate(0)
        else:
            T.evaluate(1)`, after: `
    for i in range(8):
        if i < 4:
            T.evaluate(0)
        else:
            T.evaluate(1)`},
		{name: "only one branch changes", before: `
    for i in range(T.int64(8)):
        if B[0] > T.float32(0):
            A[i] = B[0]
        else:
            T.evaluate(1)
        if B[0] > T.float32(0):
            T.evaluate(1)
        else:
            A[i] = B[0]`, after: `
    for i in range(8):
        if B[0] > T.float32(0):
            A[i] = B[0]
        else:
            T.evaluate(1)
        if B[0] > T.float32(0):
            T.evaluate(1)
        else:
            A[i] = B[0]`},
		{name: "only the value of a let changes", before: `
    for i in range(T.int64(8)):
        with T.LetStmt(B[i]) as x:
            T.evaluate(x)
        with T.LetStmt(B[0]) as y:
            A[i] = y`, after: `
    for i in range(8):
        with T.LetStmt(B[i]) as x:
            T.evaluate(x)
        with T.LetStmt(B[0]) as y:
            A[i] = y`},
		{name: "only one part of a choice changes", before: `
    for i in range(T.int64(8)):
        A[0] = T.Select(i < T.int64(3), B[0], B[1])
        A[1] = T.Select(B[0] < B[1], B[i], B[1])
        A[2] = T.Select(B[0] < B[1], B[0], B[i])
        A[3] = T.if_then_else(i < T.int64(3), B[0], B[1])
        A[4] = T.if_then_else(B[0] < B[1], B[i], B[1])
        A[5] = T.if_then_else(B[0] < B[1], B[0], B[i])
        I[0] = T.shift_right(I[0], I[i])
        I[1] = T.shift_right(I[i], I[0])`, after: `
    for i in range(8):
        A[0] = T.Select(i < 3, B[0], B[1])
        A[1] = T.Select(B[0] < B[1], B[i], B[1])
        A[2] = T.Select(B[0] < B[1], B[0], B[i])
        A[3] = T.if_then_else(i < 3, B[0], B[1])
        A[4] = T.if_then_else(B[0] < B[1], B[i], B[1])
        A[5] = T.if_then_else(B[0] < B[1], B[0], B[i])
        I[0] = T.shift_right(I[0], I[i])
        I[1] = T.shift_right(I[i], I[0])`, unrun: true},
		{name: "only the value or the body of a let in an expression changes", before: `
    x = T.float32()
    y = T.float32()
    for i in range(T.int64(8)):
        A[0] = T.Let(x * x, where={x: B[i]})
        A[1] = T.Let(y * B[i], where={y: B[0]})`, after: `
    x = T.float32()
    y = T.float32()
    for i in range(8):
        A[0] = T.Let(x * x, where={x: B[i]})
        A[1] = T.Let(y * B[i], where={y: B[0]})`},
		{name: "only a mask changes", before: `
    for i in range(T.int64(8)):
        A.vstore([T.int64(0)], B.vload([T.int64(0)], predicate=i > T.int64(3)), predicate=i > T.int64(3))`, after: `
    for i in range(8):
        A.vstore([0], B.vload([0], predicate=i > 3), predicate=i > 3)`},
		{name: "only the extent of an allocation, its condition or its body changes", before: `
    for i in range(T.int64(8)):
        c = T.allocate([i + T.int64(1)], "float32", "global")
        T.evaluate(0)
    for j in range(T.int64(8)):
        d = T.allocate([4], "float32", "global", j < T.int64(3))
        T.evaluate(0)`, after: `
    for i in range(8):
        c = T.allocate([i + 1], "float32", "global")
        T.evaluate(0)
    for j in range(8):
        d = T.allocate([4], "float32", "global", j < 3)
        T.evaluate(0)`, unrun: true},
		{name: "a cast outside of indices keeps its width", before: `
    for i in range(8):
        I[i] = T.Cast("int64", i) + T.Cast("int64", i)
        A[T.Cast("int64", i)] = T.Cast("float32", T.Cast("int64", i))`, after: `
    for i in range(8):
        I[i] = T.Cast("int64", i) + T.Cast("int64", i)
        A[i] = T.Cast("float32", T.Cast("int64", i))`},
		{name: "views and inner buffers of a block", before: `
    for i in range(T.int64(8)):
        with T.block("b"):
            T.reads()
            T.writes()
            C = T.alloc_buffer((i + T.int64(1),), "float32")
            V = T.match_buffer(M[i, T.int64(2):T.int64(6)], (T.int64(4),), "float32", offset_factor=1)
            C[i] = V[T.int64(3)]
            A[i] = C[i]`, after: `
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes()
            C = T.alloc_buffer((T.Cast("int64", i) + T.int64(1),), "float32")
            V = T.match_buffer(M[i, 2:6], (T.int64(4),), "float32", offset_factor=1)
            C[i] = V[3]
            A[i] = C[i]`, unrun: true},
		{name: "a block with wide variables", before: `
    for i in range(T.int64(8)):
        with T.block("b"):
            vi = T.axis.spatial(T.int64(8), i)
            T.reads()
            T.writes(A[0])
            A[vi * T.int64(3000000000) // T.int64(3000000000)] = T.float32(1)`, after: `
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(T.int64(8), T.Cast("int64", i))
            T.reads()
            T.writes(A[0])
            A[vi * T.int64(3000000000) // T.int64(3000000000)] = T.float32(1)`},
		{name: "nothing to narrow", before: `
    for i in range(8):
        A[i] = B[i]
        for j in range(I[0]):
            A[j % T.int64(64)] = B[i]`, unrun: true},
	})
}

// TestNarrowThreads narrows the variables of threads.
func TestNarrowThreads(t *testing.T) {
	checkPairs(t, tirpass.NarrowDataType, narrowHeader, []pair{
		{name: "launched for a block that does nothing with it", before: `
    with T.launch_thread("threadIdx.x", T.int64(64)) as tx:
        A[T.int64(0)] = B[I[T.int64(0)]]`, after: `
    with T.launch_thread("threadIdx.x", 64) as tx:
        A[0] = B[I[0]]`, unrun: true},
		{name: "launched as often as memory says", before: `
    with T.launch_thread("threadIdx.x", I[T.int64(0)]) as tx:
        A[tx * T.int64(3000000000)] = B[T.int64(3)]`, after: `
    with T.launch_thread("threadIdx.x", I[0]) as tx:
        A[tx * T.int64(3000000000)] = B[3]`, unrun: true},
		{name: "virtual", before: `
    v = T.int64()
    with T.attr(T.iter_var(v, T.Range(T.int64(0), T.int64(64)), "ThreadIndex", "vthread"), "virtual_thread", T.int64(64)):
        A[v] = B[v]`, after: `
    v = T.int32()
    with T.attr(T.iter_var(v, T.Range(0, 64), "ThreadIndex", "vthread"), "virtual_thread", 64):
        A[v] = B[v]`, unrun: true},
		{name: "launched", before: `
    with T.launch_thread("threadIdx.x", T.int64(64)) as tx:
        A[tx] = B[tx]`, after: `
    with T.launch_thread("threadIdx.x", 64) as tx:
        A[tx] = B[tx]`},
		{name: "bound", before: `
    for tx in T.thread_binding(T.int64(64), thread="threadIdx.x"):
        A[tx] = B[tx]`, after: `
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[tx] = B[tx]`},
		{name: "another attribute", before: `
    for i in range(T.int64(64)):
        with T.attr(0, "key", i):
            A[i] = B[i]`, after: `
    for i in range(64):
        with T.attr(0, "key", T.Cast("int64", i)):
            A[i] = B[i]`},
	})
}

// TestNarrowTo16 narrows to 16 bits what fits.
func TestNarrowTo16(t *testing.T) {
	for _, c := range []struct {
		extent int64
		want   dtype.DType
	}{{1 << 15, dtype.Int16T}, {1<<15 + 1, dtype.Int64T}} {
		a, i := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{tir.Int(1 << 20)}, ""), tir.NewVar("i", dtype.Int64T)
		f := fn(&tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(c.extent), Body: store(a, f32(1), i)}, a)
		p, err := tirpass.NarrowDataType.With(ir.NewAttrs("target_bits", 16))
		if err != nil {
			t.Fatal(err)
		}
		out, err := passtest.NewContext().Run(p, moduleOf(f))
		if err != nil {
			t.Fatal(err)
		}
		if got := funcOf(out).Body.(*tir.For).LoopVar.DType(); got != c.want {
			t.Errorf("%d steps: the variable is %s, want %s", c.extent, got, c.want)
		}
	}
}
