package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

const compactHeader = `@T.prim_func
def kernel(A: T.Buffer((16, 16), "int32"), B: T.Buffer((16, 16), "int32"), I: T.Buffer((16,), "int32")):`

// allocated is a loop over i around a block that allocates C with what shape and options say.
func allocated(shape, lines string) string {
	return `
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes()
            C = T.alloc_buffer(` + shape + `)` + indented(indented(lines))
}

// TestCompactPairs shrinks buffers to what is accessed of them.
func TestCompactPairs(t *testing.T) {
	checkPairs(t, tirpass.CompactBufferAllocation, compactHeader, []pair{
		{name: "one row", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        C[i, j] = A[i, j]
        B[i, j] = C[i, j]`), after: allocated(`(1, 16), "int32"`, `
    for j in range(16):
        C[0, j] = A[i, j]
        B[i, j] = C[0, j]`)},
		{name: "all is accessed", before: allocated(`(16, 16), "int32"`, `
    for j, k in T.grid(16, 16):
        C[j, k] = A[j, k]
        B[i, k] = C[k, j]`)},
		{name: "under a condition", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        if 4 <= j and T.likely(j < 12):
            C[i, j] = A[i, j]
            B[i, j] = C[i, j]`), after: allocated(`(1, 8), "int32"`, `
    for j in range(16):
        if 4 <= j and T.likely(j < 12):
            C[0, j - 4] = A[i, j]
            B[i, j] = C[0, j - 4]`)},
		{name: "on the other side of a condition", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        if j * 2 < 9:
            B[i, j] = 1
        else:
            C[i, j] = A[i, j]
            B[i, j] = C[i, j]`), after: allocated(`(1, 11), "int32"`, `
    for j in range(16):
        if j * 2 < 9:
            B[i, j] = 1
        else:
            C[0, j - 5] = A[i, j]
            B[i, j] = C[0, j - 5]`)},
		{name: "one of two conditions", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        if j < 4 or A[i, j] < 7:
            C[i, j] = A[i, j]
            B[i, j] = C[i, j]`), after: allocated(`(1, 16), "int32"`, `
    for j in range(16):
        if j < 4 or A[i, j] < 7:
            C[0, j] = A[i, j]
            B[i, j] = C[0, j]`)},
		{name: "a condition that names two loops", before: allocated(`(16, 16), "int32"`, `
    for j, k in T.grid(8, 2):
        if j * 2 + k < 6:
            C[i, j * 2 + k] = A[i, j]
            B[i, j] = C[i, j * 2 + k]`), after: allocated(`(1, 6), "int32"`, `
    for j, k in T.grid(8, 2):
        if j * 2 + k < 6:
            C[0, j * 2 + k] = A[i, j]
            B[i, j] = C[0, j * 2 + k]`)},
		{name: "a remainder in a condition", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        if j // 4 == 2:
            C[i, j] = A[i, j]
            B[i, j] = C[i, j]`), after: allocated(`(1, 16), "int32"`, `
    for j in range(16):
        if j // 4 == 2:
            C[0, j] = A[i, j]
            B[i, j] = C[0, j]`)},
		{name: "strides that are aligned", before: `
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes()
            C = T.alloc_buffer((16, 16), "int32")
            for j in range(16):
                with T.block(""):
                    T.reads(A[i, j])
                    T.writes(C[i, j])
                    T.block_attr({"buffer_dim_align": [[0, 0, 16, 15]]})
                    C[i, j] = A[i, j]
            for j in range(16):
                B[i, j] = C[i, j]`, after: `
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes()
            C = T.alloc_buffer((1, 16), "int32", strides=(31, 1))
            for j in range(16):
                with T.block(""):
                    T.reads(A[i, j])
                    T.writes(C[0, j])
                    T.block_attr({"buffer_dim_align": [[0, 0, 16, 15]]})
                    C[0, j] = A[i, j]
            for j in range(16):
                B[i, j] = C[0, j]`},
		{name: "an allocation", before: `
    for i in range(16):
        C = T.decl_buffer((16, 16), "int32")
        for j in range(16):
            C[i, j] = A[i, j]
            B[i, j] = C[i, j]`, after: `
    for i in range(16):
        C = T.decl_buffer((1, 16), "int32")
        for j in range(16):
            C[0, j] = A[i, j]
            B[i, j] = C[0, j]`},
		{name: "an allocation with two buffers", before: `
    for i in range(16):
        c = T.allocate([16, 16], "int32", "global")
        C = T.decl_buffer((16, 16), "int32", data=c)
        D = T.decl_buffer((256,), "int32", data=c)
        for j in range(16):
            C[i, j] = A[i, j]
            B[i, j] = D[i * 16 + j]`},
		{name: "nothing is accessed", before: allocated(`(16, 16), "int32"`, `
    for j in range(16):
        B[i, j] = A[i, j]`)},
		{name: "only read or only written", before: allocated(`(8,), "int32"`, `
    for j in range(3):
        C[j + 2] = A[i, j]`), after: allocated(`(3,), "int32"`, `
    for j in range(3):
        C[j] = A[i, j]`)},
		{name: "the union of two accesses", before: allocated(`(16,), "int32"`, `
    C[3] = A[i, 0]
    C[5] = A[i, 1]
    B[i, 0] = C[3] + C[5]`), after: allocated(`(3,), "int32"`, `
    C[0] = A[i, 0]
    C[2] = A[i, 1]
    B[i, 0] = C[0] + C[2]`)},
		{name: "steps of a loop", before: allocated(`(32,), "int32"`, `
    for j in range(4):
        C[j * 3 + 1] = A[i, j]
        B[i, j] = C[j * 3 + 1]`), after: allocated(`(10,), "int32"`, `
    for j in range(4):
        C[j * 3] = A[i, j]
        B[i, j] = C[j * 3]`)},
		{name: "a bound of an outer loop", before: allocated(`(32,), "int32"`, `
    for j in range(i, i + 4):
        C[j] = A[i, 0]
        B[i, 0] = C[j]`), after: allocated(`(4,), "int32"`, `
    for j in range(i, i + 4):
        C[j - i] = A[i, 0]
        B[i, 0] = C[j - i]`)},
		{name: "a triangle needs what it is at most", before: allocated(`(32,), "int32"`, `
    for j in range(i):
        C[j] = A[i, 0]
        B[i, 0] = C[j]`), after: allocated(`(15,), "int32"`, `
    for j in range(i):
        C[j] = A[i, 0]
        B[i, 0] = C[j]`)},
		{name: "an index in memory", before: allocated(`(16,), "int32"`, `
    C[I[i] % 16] = A[i, 0]
    B[i, 0] = C[I[i] % 16]`)},
		{name: "a bounded index in memory", before: allocated(`(16, 4), "int32"`, `
    C[I[i] % 4 + 2, i % 4] = A[i, 0]
    B[i, 0] = C[I[i] % 4 + 2, i % 4]`), after: allocated(`(16, 1), "int32"`, `
    C[I[i] % 4 + 2, 0] = A[i, 0]
    B[i, 0] = C[I[i] % 4 + 2, 0]`)},
		{name: "an index that lets define", before: allocated(`(32,), "int32"`, `
    for j in range(4):
        with T.LetStmt(j * 2 + 1) as x:
            with T.LetStmt(x + 1) as y:
                C[y] = A[i, j]
                B[i, j] = C[x + 1]`), after: allocated(`(7,), "int32"`, `
    for j in range(4):
        with T.LetStmt(j * 2 + 1) as x:
            with T.LetStmt(x + 1) as y:
                C[y - 2] = A[i, j]
                B[i, j] = C[x - 1]`)},
		{name: "an index that a let reads from memory", before: allocated(`(32,), "int32"`, `
    for j in range(4):
        with T.LetStmt(I[j] % 8) as x:
            C[x] = A[i, j]
            B[i, j] = C[x]`)},
		{name: "an index that a let inside of an expression defines", before: `
    x = T.int32()` + allocated(`(32,), "int32"`, `
    for j in range(4):
        C[j * 2 + 2] = A[i, j]
        B[i, j] = T.Let(C[x + x], where={x: j + 1})`), after: `
    x = T.int32()` + allocated(`(7,), "int32"`, `
    for j in range(4):
        C[j * 2] = A[i, j]
        B[i, j] = T.Let(C[x * 2 - 2], where={x: j + 1})`)},
		{name: "vectors keep the shape", before: allocated(`(32,), "int32"`, `
    C[T.Ramp(2, 1, 4)] = T.Broadcast(A[i, 0], 4)
    B[i, 0] = C[3]`)},
		{name: "pointers keep the shape", before: allocated(`(32,), "int32"`, `
    C[3] = 1
    T.evaluate(T.call_extern("int32", "f", C.data))`), unrun: true},
		{name: "another buffer over the memory keeps the shape", before: allocated(`(32,), "int32"`, `
    D = T.decl_buffer((4,), "int32", data=C.data)
    D[1] = 1
    C[1] = 1`)},
		{name: "strides keep the shape", before: allocated(`(4, 8), "int32", strides=(16, 1)`, `
    C[1, 2] = A[i, 0]
    B[i, 0] = C[1, 2]`)},
		{name: "no dimension", before: allocated(`(), "int32"`, `
    C[()] = A[i, 0]
    B[i, 0] = C[()]`)},
		{name: "a view", before: allocated(`(16, 16), "int32"`, `
    with T.block("v"):
        T.reads(C[i, 2:6])
        T.writes(C[i, 2:6])
        V = T.match_buffer(C[i, 2:6], (1, 4), "int32", strides=("s0", "s1"), offset_factor=1)
        V[0, 1] = A[i, 0]`), after: allocated(`(1, 4), "int32"`, `
    with T.block("v"):
        T.reads(C[0, 0:4])
        T.writes(C[0, 0:4])
        V = T.match_buffer(C[0, 0:4], (1, 4), "int32", strides=("s0", "s1"), offset_factor=1)
        V[0, 1] = A[i, 0]`), unrun: true},
		{name: "regions are shifted", before: allocated(`(16, 16), "int32"`, `
    for j in range(4):
        with T.block("b"):
            T.reads(A[i, j], C[i, j + 2])
            T.writes(C[i, j + 2])
            C[i, j + 2] = A[i, j]`), after: allocated(`(1, 4), "int32"`, `
    for j in range(4):
        with T.block("b"):
            T.reads(A[i, j], C[0, j])
            T.writes(C[0, j])
            C[0, j] = A[i, j]`)},
		{name: "iteration variables", before: allocated(`(16, 16), "int32"`, `
    for j in range(4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj]`), after: allocated(`(16, 4), "int32"`, `
    for j in range(4):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj]`)},
		{name: "iteration variables around the allocation", before: `
    for i in range(16):
        with T.block("b"):
            v = T.axis.spatial(16, i)
            T.reads(A[v, 0])
            T.writes(B[v, 0])
            C = T.alloc_buffer((16, 16), "int32")
            C[v, 3] = A[v, 0]
            B[v, 0] = C[v, 3]`, after: `
    for i in range(16):
        with T.block("b"):
            v = T.axis.spatial(16, i)
            T.reads(A[v, 0])
            T.writes(B[v, 0])
            C = T.alloc_buffer((1, 1), "int32")
            C[0, 0] = A[v, 0]
            B[v, 0] = C[0, 0]`},
		{name: "an init", before: `
    C = T.alloc_buffer((16, 8), "int32")
    for i, k in T.grid(4, 16):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(C[vi, 0:2])
            with T.init():
                C[vi, 1] = 0
            C[vi, 0] = C[vi, 0] + A[vi, vk]`, after: `
    C = T.alloc_buffer((4, 2), "int32")
    for i, k in T.grid(4, 16):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(C[vi, 0:2])
            with T.init():
                C[vi, 1] = 0
            C[vi, 0] = C[vi, 0] + A[vi, vk]`, unrun: true},
		{name: "an index of a buffer that shrinks as well", before: allocated(`(16,), "int32"`, `
    C[i] = 0
    A[i, C[i] + C[i]] = 1
    B[i, 0] = A[i, C[i] + 1]`), after: allocated(`(1,), "int32"`, `
    C[0] = 0
    A[i, C[0] + C[0]] = 1
    B[i, 0] = A[i, C[0] + 1]`)},
		{name: "the value of a let", before: allocated(`(16,), "int32"`, `
    with T.LetStmt(C[2]) as x:
        B[i, 0] = C[3] + x`), after: allocated(`(2,), "int32"`, `
    with T.LetStmt(C[0]) as x:
        B[i, 0] = C[1] + x`), unrun: true},
		{name: "the value of a let in an expression", before: `
    x = T.int32()` + allocated(`(16,), "int32"`, `
    B[i, 0] = C[3] + T.Let(x + x, where={x: C[2]})`), after: `
    x = T.int32()` + allocated(`(2,), "int32"`, `
    B[i, 0] = C[1] + T.Let(x + x, where={x: C[0]})`), unrun: true},
		{name: "the start of a loop", before: allocated(`(16,), "int32"`, `
    for j in T.serial(C[2], 8):
        B[i, 0] = C[3] + j`), after: allocated(`(2,), "int32"`, `
    for j in T.serial(C[0], C[0] + (8 - C[0])):
        B[i, 0] = C[1] + j`), unrun: true},
		{name: "the end of a loop", before: allocated(`(16,), "int32"`, `
    for j in range(C[2]):
        B[i, 0] = C[3] + j`), after: allocated(`(2,), "int32"`, `
    for j in range(C[0]):
        B[i, 0] = C[1] + j`), unrun: true},
		{name: "the index of a load and of a store", before: allocated(`(16,), "int32"`, `
    B[i, C[2]] = A[i, C[4]] + C[3]`), after: allocated(`(3,), "int32"`, `
    B[i, C[0]] = A[i, C[2]] + C[1]`), unrun: true},
		{name: "a bound on one side only", before: allocated(`(16,), "int32"`, `
    for j in T.serial(4, T.max(I[i], 5)):
        C[j] = A[i, 0]`), after: allocated(`(12,), "int32"`, `
    for j in T.serial(4, T.max(I[i], 5)):
        C[j - 4] = A[i, 0]`), unrun: true},
		{name: "symbolic shapes", before: `
    for i in range(16):
        for n in range(4, 9):
            with T.block(""):
                T.reads()
                T.writes()
                C = T.alloc_buffer((n,), "int32")
                D = T.alloc_buffer((n,), "int32")
                for j in range(3):
                    C[j] = A[i, 0]
                    B[i, j] = C[j]
                for j in range(n):
                    D[j] = A[i, 0]
                    B[i, j] = D[j]`, after: `
    for i in range(16):
        for n in range(4, 9):
            with T.block(""):
                T.reads()
                T.writes()
                C = T.alloc_buffer((3,), "int32")
                D = T.alloc_buffer((n,), "int32")
                for j in range(3):
                    C[j] = A[i, 0]
                    B[i, j] = C[j]
                for j in range(n):
                    D[j] = A[i, 0]
                    B[i, j] = D[j]`, unrun: true},
		{name: "what begins below 0", before: allocated(`(8,), "int32"`, `
    for j in range(4):
        if j > 0:
            C[j - 1] = A[i, j]
            B[i, j] = C[j - 1]`), after: allocated(`(3,), "int32"`, `
    for j in range(4):
        if j > 0:
            C[j - 1] = A[i, j]
            B[i, j] = C[j - 1]`)},
		{name: "what ends beyond the shape", before: allocated(`(8,), "int32"`, `
    for j in range(8):
        if j < 6:
            C[j + 2] = A[i, j]
            B[i, j] = C[j + 2]`), after: allocated(`(6,), "int32"`, `
    for j in range(8):
        if j < 6:
            C[j] = A[i, j]
            B[i, j] = C[j]`)},
	})
}

// TestCompactBeyondTheShape makes room for accesses out of bounds where the pass is told to.
func TestCompactBeyondTheShape(t *testing.T) {
	for _, c := range []struct {
		body   string
		strict bool
		want   int64
	}{
		{"C[j + 6] = 1", true, 2},
		{"C[j + 6] = 1", false, 4},
		{"C[j * 4] = 1", true, 8},
		{"C[j * 4] = 1", false, 13},
		{"C[j * 2 + 1] = 1", true, 7},
		{"C[j * 2 + 1] = 1", false, 7},
		{"C[j * 2 - 3] = 1", true, 4},
		{"C[j * 2 - 3] = 1", false, 7},
		{"C[j + 9] = 1", true, 8},
		{"C[T.max(j, 0)] = 1", false, 4},
	} {
		f := parseFunc(t, compactHeader+allocated(`(8,), "int32"`, `
    for j in range(4):
        `+c.body))
		p, err := tirpass.CompactBufferAllocation.With(ir.NewAttrs("is_strict", c.strict))
		if err != nil {
			t.Fatal(err)
		}
		if got := extentOf(t, p, f, "C"); got != c.want {
			t.Errorf("%s, strict %v: %d elements, want %d", c.body, c.strict, got, c.want)
		}
	}
}

// extentOf is the first extent of a buffer that a block allocates after p, -1 if it is no constant.
func extentOf(t *testing.T, p *pass.Pass, f *tir.PrimFunc, name string) int64 {
	t.Helper()
	out, err := passtest.NewContext().Run(p, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, p.Name, funcOf(out))
	extent := int64(-1)
	ir.Walk(funcOf(out).Body, func(n ir.Node) bool {
		if b, ok := n.(*tir.Block); ok {
			for _, x := range b.AllocBuffers {
				if k, ok := tir.AsInt(x.Shape[0]); ok && x.Name == name {
					extent = k
				}
			}
		}
		return true
	})
	return extent
}

// TestCompactFromMemory keeps buffers whose part starts where memory says.
func TestCompactFromMemory(t *testing.T) {
	for name, lines := range map[string]string{
		"a loop": `
    for j in T.serial(I[i], 9):
        C[j] = 1`,
		"two indices": `
    C[I[0]] = 1
    C[I[0] + 2] = 1`,
		"an index": `
    C[I[i]] = 1`,
	} {
		f := parseFunc(t, compactHeader+allocated(`(16,), "int32"`, lines))
		if got := extentOf(t, tirpass.CompactBufferAllocation, f, "C"); got != 16 {
			t.Errorf("%s: %d elements, want 16", name, got)
		}
	}
}

// TestMemoryOfThreadsByScope compacts memory of each scope inside of loops bound to each thread: what the
// threads share keeps room for all of them.
func TestMemoryOfThreadsByScope(t *testing.T) {
	const all, one = 64, 1
	for _, c := range []struct {
		scope, thread string
		want          int64
	}{
		{"local", "threadIdx.x", one},
		{"local", "blockIdx.x", one},
		{"warp", "threadIdx.x", all},
		{"warp", "threadIdx.y", one},
		{"warp", "blockIdx.x", one},
		{"shared", "threadIdx.x", all},
		{"shared", "threadIdx.y", all},
		{"shared", "blockIdx.x", one},
		{"shared.dyn", "threadIdx.x", all},
		{"shared", "vthread", all},
		{"global", "blockIdx.x", all},
		{"global", "threadIdx.x", all},
		{"global.texture", "threadIdx.x", all},
	} {
		for _, form := range []string{
			"for v in T.thread_binding(64, thread=\"" + c.thread + "\"):",
			"with T.launch_thread(\"" + c.thread + "\", 64) as v:",
		} {
			if form[0] == 'w' && c.thread == "vthread" {
				form = `with T.attr(T.iter_var(v, T.Range(0, 64), "ThreadIndex", "vthread"), "virtual_thread", 64):`
				form = "v = T.int32()\n    " + form
			}
			f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((64,), "int32")):
    `+form+`
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64,), "int32", scope="`+c.scope+`")
            S[v] = 1
            A[v] = S[v]`)
			if got := extentOf(t, tirpass.CompactBufferAllocation, f, "S"); got != c.want {
				t.Errorf("scope %s in %s: %d elements, want %d", c.scope, form, got, c.want)
			}
		}
	}
}

// TestMemoryOfThreadsThroughVariables compacts memory of several threads that is indexed by what depends on
// the thread: a loop inside of it, an iteration variable and a let.
func TestMemoryOfThreadsThroughVariables(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		want        int64
	}{
		{"a let around the block", `
    with T.LetStmt(tx * 2) as x:
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64,), "int32", scope="shared")
            S[x] = 1`, 31},
		{"a loop around the block", `
    for k in range(3):
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64,), "int32", scope="shared")
            S[tx + k] = 1`, 16},
		{"an iteration variable around the block", `
    with T.block("outer"):
        v = T.axis.spatial(16, tx)
        T.reads()
        T.writes()
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64,), "int32", scope="shared")
            S[v] = 1`, 16},
		{"a let of what all threads read", `
    with T.LetStmt(A[tx]) as x:
        with T.block(""):
            T.reads()
            T.writes()
            S = T.alloc_buffer((64,), "int32", scope="shared")
            S[x] = 1`, 64},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):`+indented(c.lines))
		if got := extentOf(t, tirpass.CompactBufferAllocation, f, "S"); got != c.want {
			t.Errorf("%s: %d elements, want %d", c.name, got, c.want)
		}
	}
}

// TestLoweredAlignment keeps what a block asks of strides in the annotations of the allocation, from which CompactBufferAllocation takes it.
func TestLoweredAlignment(t *testing.T) {
	f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.block("row"):
            B = T.alloc_buffer((16, 16))
            for j in range(16):
                with T.block("add"):
                    T.block_attr({"buffer_dim_align": [[0, 0, 16, 15]]})
                    B[i, j] = A[i, j] + T.float32(1)
            for j in range(16):
                with T.block("double"):
                    C[i, j] = B[i, j] * T.float32(2)
`)
	args := tirtest.Arguments(f, 3)
	want := mustRun(t, f, args)
	for _, order := range [][]*pass.Pass{{tirpass.LowerOpaqueBlock, tirpass.CompactBufferAllocation}, {tirpass.CompactBufferAllocation, tirpass.LowerOpaqueBlock}} {
		g := f
		for _, p := range order {
			g = apply(t, passtest.NewContext(), p, g)
			sameMeaning(t, p, f, g, args, want)
		}
		text := print(g)
		for _, part := range []string{`T.allocate([1, 31], "float32", "global", annotations={"buffer_dim_align": [[-1, 0, 16, 15]]})`, "strides=(31, 1)"} {
			if !strings.Contains(text, part) {
				t.Errorf("no %s in\n%s", part, text)
			}
		}
	}
}
