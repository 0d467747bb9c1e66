package tirpass_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestCanonicalizePairs gives loops the start 0 and the step 1.
func TestCanonicalizePairs(t *testing.T) {
	checkPairs(t, tirpass.CanonicalizeLoop, lowerHeader, []pair{
		{name: "canonical", before: `
    for i in range(8):
        A[i] = B[i]`},
		{name: "a start", before: `
    for i in range(2, 8):
        A[i] = B[i]`, after: `
    for i in range(6):
        A[i + 2] = B[i + 2]`},
		{name: "a step that divides", before: `
    for i in T.serial(0, 8, step=2):
        A[i] = B[i]`, after: `
    for i in range(4):
        A[i * 2] = B[i * 2]`},
		{name: "a step that does not", before: `
    for i in T.serial(1, 8, step=3):
        A[i] = B[i]`, after: `
    for i in range(3):
        A[i * 3 + 1] = B[i * 3 + 1]`},
		{name: "a step of 1", before: `
    for i in T.serial(0, 8, step=1):
        A[i] = B[i]`},
		{name: "a step of 1 with a start", before: `
    for i in T.serial(1, 8, step=1):
        A[i] = B[i]`, after: `
    for i in range(7):
        A[i + 1] = B[i + 1]`},
		{name: "bounds from outside", before: `
    for i in range(1, 4):
        for j in T.serial(i, i + 5, step=i):
            A[j] = B[i]`, after: `
    for i in range(3):
        for j in range((i + 5) // (i + 1)):
            A[j * (i + 1) + (i + 1)] = B[i + 1]`},
	})
}

const lowerHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), U: T.Buffer((16,), "uint32")):`

// TestLowerInitPairs puts inits in front of bodies.
func TestLowerInitPairs(t *testing.T) {
	block := func(axes, lines string) string {
		return `
    for i, j, k in T.grid(4, 2, 2):
        with T.block("b"):` + indented(indented(axes)) + `
            T.reads(B[vi])
            T.writes(A[vi])` + indented(indented(lines))
	}
	const init = `
    with T.init():
        A[vi] = 3`
	const sum = `
    A[vi] = A[vi] + B[vi]`
	checkPairs(t, tirpass.LowerInitBlock, lowerHeader, []pair{
		{name: "without reduction", before: block(`
    vi, vj, vk = T.axis.remap("SSS", [i, j, k])`, init+sum), after: block(`
    vi, vj, vk = T.axis.remap("SSS", [i, j, k])`, `
    A[vi] = 3`+sum)},
		{name: "one reduction", before: block(`
    vi, vj, vk = T.axis.remap("SSR", [i, j, k])`, init+sum), after: block(`
    vi, vj, vk = T.axis.remap("SSR", [i, j, k])`, `
    if vk == 0:
        A[vi] = 3`+sum)},
		{name: "two reductions", before: block(`
    vi, vj, vk = T.axis.remap("SRR", [i, j, k])`, init+sum), after: block(`
    vi, vj, vk = T.axis.remap("SRR", [i, j, k])`, `
    if vj == 0 and vk == 0:
        A[vi] = 3`+sum)},
		{name: "a reduction that starts elsewhere", before: block(`
    vi = T.axis.spatial(4, i)
    vk = T.axis.reduce((2, 4), k + 2)`, init+sum), after: block(`
    vi = T.axis.spatial(4, i)
    vk = T.axis.reduce((2, 4), k + 2)`, `
    if vk == 2:
        A[vi] = 3`+sum)},
		{name: "no init", before: block(`
    vi, vj, vk = T.axis.remap("SSR", [i, j, k])`, sum)},
	})
}

// TestOpaquePairs replaces iteration variables.
func TestOpaquePairs(t *testing.T) {
	checkPairs(t, tirpass.ConvertBlocksToOpaque, lowerHeader, []pair{
		{name: "nested blocks", before: `
    for i, j in T.grid(4, 2):
        with T.block("outer"):
            vi = T.axis.spatial(4, i)
            vo = T.axis.opaque(2, j)
            T.where(i + j < 5)
            T.reads(B[vi * 2 + vo])
            T.writes(A[vi])
            C = T.alloc_buffer((vi + 1,), "int32")
            for k in range(2):
                with T.block("inner"):
                    vk = T.axis.spatial(8, vi * 2 + k)
                    T.reads(B[vk])
                    T.writes(A[vk])
                    A[vk] = B[vk]
                    C[vk % (vi + 1)] = 1`, after: `
    for i, j in T.grid(4, 2):
        with T.block("outer"):
            T.where(i + j < 5)
            T.reads(B[i * 2 + j])
            T.writes(A[i])
            C = T.alloc_buffer((i + 1,), "int32")
            for k in range(2):
                with T.block("inner"):
                    T.reads(B[i * 2 + k])
                    T.writes(A[i * 2 + k])
                    A[i * 2 + k] = B[i * 2 + k]
                    C[(i * 2 + k) % (i + 1)] = 1`},
		{name: "a variable that nothing uses", before: `
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes()
            A[0] = 1`, after: `
    for i in range(4):
        with T.block("b"):
            T.reads()
            T.writes()
            A[0] = 1`},
		{name: "opaque already", before: `
    for i in range(4):
        with T.block("b"):
            T.where(i < 3)
            T.reads(B[i])
            T.writes(A[i])
            A[i] = B[i]`},
		{name: "a predicate over an outer variable", before: `
    for i, j in T.grid(4, 2):
        with T.block("outer"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes()
            with T.block("inner"):
                T.where(vi < 3)
                T.reads()
                T.writes()
                A[0] = 1`, after: `
    for i, j in T.grid(4, 2):
        with T.block("outer"):
            T.reads()
            T.writes()
            with T.block("inner"):
                T.where(i < 3)
                T.reads()
                T.writes()
                A[0] = 1`},
		{name: "a view", before: `
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            T.reads()
            T.writes()
            V = T.match_buffer(A[vi:vi + 2], (2,), "int32", strides=("s",), offset_factor=1)
            V[1] = 1`, after: `
    for i in range(4):
        with T.block("b"):
            T.reads()
            T.writes()
            V = T.match_buffer(A[i:i + 2], (2,), "int32", strides=("s",), offset_factor=1)
            V[1] = 1`},
		{name: "the first init is named", before: `
    for i, k in T.grid(4, 2):
        with T.block("first"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                A[vi] = 0
            A[vi] = A[vi] + 1
    for i, k in T.grid(4, 2):
        with T.block("second"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                A[vi] = 0
            A[vi] = A[vi] + 1`, fails: `block "first" still has an init: run tir.LowerInitBlock before tir.ConvertBlocksToOpaque`},
	})
}

// TestLowerOpaquePairs removes blocks.
func TestLowerOpaquePairs(t *testing.T) {
	checkPairs(t, tirpass.LowerOpaqueBlock, lowerHeader, []pair{
		{name: "allocations in their order", before: `
    for i in range(4):
        with T.block("b"):
            T.reads()
            T.writes()
            C = T.alloc_buffer((2,), "int32")
            D = T.alloc_buffer((2, 3), "int32", strides=(4, 1))
            C[0] = 1
            D[1, 2] = C[0]
            A[i] = D[1, 2]`, after: `
    for i in range(4):
        C = T.decl_buffer((2,), "int32")
        D = T.allocate([2, 4], "int32", "global")
        D_1 = T.decl_buffer((2, 3), "int32", data=D, strides=(4, 1))
        C[0] = 1
        D_1[1, 2] = C[0]
        A[i] = D_1[1, 2]`, unrun: true},
		{name: "predicates", before: `
    for i in range(4):
        with T.block("b"):
            T.where(i < 3)
            T.reads()
            T.writes()
            A[i] = 1
        with T.block("c"):
            T.where(T.bool(True))
            T.reads()
            T.writes()
            A[i] = 2`, after: `
    for i in range(4):
        if i < 3:
            A[i] = 1
        A[i] = 2`},
		{name: "loops of one step", before: `
    for i in range(2, 3):
        for j in range(i, i + 1):
            with T.block("b"):
                T.where(i < j + 3)
                T.reads()
                T.writes()
                C = T.alloc_buffer((j,), "int32")
                C[0] = i
                for k in range(i, j + 4):
                    A[j + k] = C[0] + i`, after: `
    if 2 < T.Add(2, 3):
        C = T.decl_buffer((2,), "int32")
        C[0] = 2
        for k in range(2, 2 + (T.Add(2, 4) - 2)):
            A[2 + k] = C[0] + 2`, unrun: true},
		{name: "only the end of a loop changes", before: `
    for i in range(2, 3):
        for k in range(i):
            A[k] = 1`, after: `
    for k in range(2):
        A[k] = 1`},
		{name: "a loop of one step that says something stays", before: `
    for i in T.serial(1, annotations={"key": 1}):
        A[i] = 1
    for i in T.parallel(1):
        A[i] = 2`, after: `
    for i in T.serial(1, annotations={"key": 1}):
        A[i] = 1
    A[0] = 2`},
		{name: "a loop of one step that is kept", before: `
    for i in range(1):
        A[i] = 1`, opts: config("tir.debug_keep_trivial_loop", true)},
		{name: "pragmas of a loop", before: `
    for i in T.serial(4, annotations={"key": 2, "pragma_a": 3, "pragma_b": True, "pragma_c": "text"}):
        A[i] = 1`, after: `
    i = T.int32()
    T.attr(i, "pragma_a", 3)
    T.attr(i, "pragma_b", T.bool(True))
    T.attr(i, "pragma_c", "text")
    for i in T.serial(4, annotations={"key": 2}):
        A[i] = 1`, unrun: true},
		{name: "pragmas of a block", before: `
    for i in range(4):
        with T.block("b"):
            T.where(i < 3)
            T.reads()
            T.writes()
            T.block_attr({"key": 2, "pragma_a": 3, "pragma_b": 1.5})
            A[i] = 1`, after: `
    for i in range(4):
        if i < 3:
            with T.attr(None, "pragma_a", 3):
                with T.attr(None, "pragma_b", 1):
                    A[i] = 1`, unrun: true},
		{name: "threads", before: `
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for v in T.thread_binding(1, thread="vthread"):
            for w in T.thread_binding(2, thread="vthread.y"):
                A[bx + v + w] = 1`, after: `
    with T.launch_thread("blockIdx.x", 2) as bx:
        v = T.int32()
        with T.attr(T.iter_var(v, T.Range(0, 1), "ThreadIndex", "vthread"), "virtual_thread", 1):
            w = T.int32()
            with T.attr(T.iter_var(w, T.Range(0, 2), "ThreadIndex", "vthread.y"), "virtual_thread", 2):
                A[bx + v + w] = 1`, unrun: true},
		{name: "an init", before: `
    for i, k in T.grid(4, 2):
        with T.block("first"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                A[vi] = 0
            A[vi] = A[vi] + 1
    with T.block("second"):
        T.reads()
        T.writes()
        V = T.match_buffer(A[0:4], (4,), "int32", offset_factor=1)
        V[0] = 1`, fails: `block "first" still has an init: run tir.LowerInitBlock before tir.LowerOpaqueBlock`},
		{name: "iteration variables", before: `
    for i in range(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            A[vi] = 1`, fails: `needs no iteration variables of blocks (what it lowers are blocks without iteration variables), found block "b" with iteration variables: run tir.ConvertBlocksToOpaque before it`},
		{name: "a view", before: `
    with T.block("b"):
        T.reads()
        T.writes()
        V = T.match_buffer(A[0:4], (4,), "int32", offset_factor=1)
        V[0] = 1`, fails: `block "b" still has match_buffer V: run tir.LowerMatchBuffer before tir.LowerOpaqueBlock`},
	})
}

// TestOnlyTheStartOfALoopChanges drops a loop of one step around one that starts at its variable.
func TestOnlyTheStartOfALoopChanges(t *testing.T) {
	a, i, k := floats("A", 16), index("i"), index("k")
	inner := &tir.For{LoopVar: k, Min: i, Extent: n(4), Body: store(a, f32(1), k)}
	g := funcOf(mustPass(t, tirpass.LowerOpaqueBlock, fn(&tir.For{LoopVar: i, Min: n(2), Extent: n(1), Body: inner}, a)))
	if l, ok := g.Body.(*tir.For); !ok || !tir.IsConst(l.Min, 2) {
		t.Errorf("got\n%s", print(g))
	}
}

// TestLoopWithoutThread binds a loop to a thread and names none.
func TestLoopWithoutThread(t *testing.T) {
	a, i := floats("A", 4), index("i")
	_, err := passtest.NewContext().Run(tirpass.LowerOpaqueBlock, moduleOf(fn(kind(tir.ThreadBinding, loop(i, 4, store(a, f32(1), i))), a)))
	if err == nil || !strings.HasSuffix(err.Error(), "in function kernel: loop i is bound to a thread but names none") {
		t.Errorf("got %v", err)
	}
}

// TestOriginsOfBlocks lowers a block with an origin: what is in it comes from there too, but for what has an
// origin of its own.
func TestOriginsOfBlocks(t *testing.T) {
	a, c, i := floats("A", 4), floats("C", 4), index("i")
	own := store(a, f32(2), i).(*tir.BufferStore)
	own.Origin = 9
	r := opaque("b", loop(i, 4, store(c, f32(1), i), own), c)
	r.Block.Origin = 7
	inner := opaque("inner", store(a, f32(3), n(0)))
	inner.Block.Origin = 8
	after := store(a, f32(4), n(1))
	f := fn(tir.Seq(r, opaque("none", tir.Seq(store(a, f32(5), n(2)))), &tir.BlockRealize{Predicate: tir.Bool(true), Block: &tir.Block{Base: ir.Base{Origin: 7}, Body: tir.Seq(inner, after)}}), a)
	got := map[string]ir.OriginID{}
	ir.Walk(funcOf(mustPass(t, tirpass.LowerOpaqueBlock, f)).Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferStore:
			got[fmt.Sprint(n.Buffer.Name, n.Value.(*tir.FloatImm).Value)] = n.Origin
		case *tir.For, *tir.Allocate, *tir.DeclBuffer:
			got[fmt.Sprintf("%T", n)] = n.(tir.Stmt).Meta().Origin
		}
		return true
	})
	want := map[string]ir.OriginID{"C1": 7, "A2": 9, "A3": 8, "A4": 7, "A5": 0, "*tir.For": 7, "*tir.Allocate": 7, "*tir.DeclBuffer": 7}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s comes from %d, want %d", k, got[k], w)
		}
	}
}

// mustPass runs p on f alone.
func mustPass(t *testing.T, p *pass.Pass, f *tir.PrimFunc) *ir.Module {
	t.Helper()
	out, err := passtest.NewContext().Run(p, moduleOf(f))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFloorDivisions lowers divisions by constants and variables of either sign, and runs them.
func TestFloorDivisions(t *testing.T) {
	for _, by := range []int64{-8, -3, -1, 1, 2, 3, 7, 8, 16} {
		x, q, r, s := tir.NewBuffer("X", dtype.Int32T, shape(41), ""), tir.NewBuffer("Q", dtype.Int32T, shape(41), ""), tir.NewBuffer("R", dtype.Int32T, shape(41), ""), tir.NewBuffer("S", dtype.Int32T, shape(41), "")
		d, i := index("d"), index("i")
		v := load(x, i)
		body := loop(i, 41,
			store(q, add(tir.FloorDiv(v, n(by)), mul(n(1000), tir.FloorDiv(v, d))), i),
			store(r, add(tir.FloorMod(v, n(by)), mul(n(1000), tir.FloorMod(v, d))), i),
			store(s, add(tir.FloorDiv(i, n(by)), mul(n(1000), add(tir.FloorMod(i, n(by)), mul(n(100), tir.FloorMod(i, d))))), i))
		f := fn(body, x, q, r, s, d)
		g := apply(t, passtest.NewContext(), tirpass.LowerIntrin, f)
		ir.Walk(g.Body, func(n ir.Node) bool {
			if b, ok := n.(*tir.Binary); ok && (b.Op == tir.OpFloorDiv || b.Op == tir.OpFloorMod) {
				t.Fatalf("%v is left", b)
			}
			return true
		})
		xs := tensor.MustNew(dtype.Int32T, 41)
		for k := range 41 {
			xs.SetInt(k, int64(k-20))
		}
		args := []any{xs, tensor.MustNew(dtype.Int32T, 41), tensor.MustNew(dtype.Int32T, 41), tensor.MustNew(dtype.Int32T, 41), by}
		got := mustRun(t, g, args)
		if d := tirtest.Differ(got, mustRun(t, f, args)); d != "" {
			t.Errorf("by %d: %s\n%s", by, d, print(g))
		}
		for k := range 41 {
			a := int64(k - 20)
			if want := 1001 * tir.FloorDivInt(a, by); got[1].(*tensor.Tensor).Int(k) != want {
				t.Errorf("%d // %d gives %d, want %d", a, by, got[1].(*tensor.Tensor).Int(k), want)
			}
		}
	}
}

// TestLowerIntrinPairs checks which form a division gets.
func TestLowerIntrinPairs(t *testing.T) {
	checkPairs(t, tirpass.LowerIntrin, lowerHeader, []pair{
		{name: "by powers of two", before: `
    for i in range(16):
        A[i] = B[i] // 2 + B[i] // 16 + B[i] % 2 + B[i] % 16`, after: `
    for i in range(16):
        A[i] = T.shift_right(B[i], 1) + T.shift_right(B[i], 4) + T.bitwise_and(B[i], 1) + T.bitwise_and(B[i], 15)`},
		{name: "by what is not a power of two", before: `
    for i in range(16):
        A[i] = i // 6 + i % 12`, after: `
    for i in range(16):
        A[i] = T.Div(i, 6) + T.truncmod(i, 12)`},
		{name: "by a negative power of two", before: `
    for i in range(16):
        A[i] = B[i] % -2`, after: `
    for i in range(16):
        A[i] = T.Let(T.Select(rmod != 0 and T.bitwise_xor(rmod, -2) < 0, rmod + -2, rmod), where={rmod: T.truncmod(B[i], -2)})`, unrun: true},
		{name: "of naturals", before: `
    for i in range(16):
        U[i] = U[i] // U[0] + U[i] % T.uint32(6)`, after: `
    for i in range(16):
        U[i] = T.Div(U[i], U[0]) + T.truncmod(U[i], T.uint32(6))`, unrun: true},
		{name: "by a positive variable", before: `
    for i in range(16):
        A[i] = i % (i + 1) + B[i] % (i + 1)`, after: `
    rmod = T.int32()
    den = T.int32()
    for i in range(16):
        A[i] = T.truncmod(i, i + 1) + T.Let(T.Let(T.Select(rmod < 0, rmod + den, rmod), where={rmod: T.truncmod(B[i], den)}), where={den: i + 1})`, unrun: true},
		{name: "of a let", before: `
    for i in range(16):
        with T.LetStmt(i + 1) as x:
            A[i] = x // 3
        with T.LetStmt(B[i]) as y:
            A[i] = y % 3`, after: `
    rmod = T.int32()
    for i in range(16):
        with T.LetStmt(i + 1) as x:
            A[i] = T.Div(x, 3)
        with T.LetStmt(B[i]) as y:
            A[i] = T.Let(T.Select(rmod < 0, rmod + 3, rmod), where={rmod: T.truncmod(y, 3)})`, unrun: true},
		{name: "of a let of what is overwritten", before: `
    with T.LetStmt(B[0]) as x:
        B[0] = 7
        A[0] = (x - B[0]) % 3`, after: `
    rmod = T.int32()
    with T.LetStmt(B[0]) as x:
        B[0] = 7
        A[0] = T.Let(T.Select(rmod < 0, rmod + 3, rmod), where={rmod: T.truncmod(x - B[0], 3)})`, unrun: true},
		{name: "of a let of a call", before: `
    for i in range(16):
        with T.LetStmt(T.shift_right(i, 1)) as x:
            A[i] = x // 4`, after: `
    for i in range(16):
        with T.LetStmt(T.shift_right(i, 1)) as x:
            A[i] = T.shift_right(x, 2)`},
		{name: "divisions in divisions", before: `
    for i in range(16):
        A[i] = (i // 3) // (i % 5 + 1)`, after: `
    for i in range(16):
        A[i] = T.Div(T.Div(i, 3), T.truncmod(i, 5) + 1)`},
		{name: "likely", before: `
    for i in range(16):
        if T.likely(i // 3 < 2):
            A[i] = B[i]`, after: `
    for i in range(16):
        if T.Div(i, 3) < 2:
            A[i] = B[i]`},
		{name: "nothing to lower", before: `
    for i in range(16):
        A[i] = T.truncmod(B[i], 3) + i`},
	})
}

// TestDivisionByNothing keeps a division by 0 one that fails, and lowers one by 1 that nothing folded.
func TestDivisionByNothing(t *testing.T) {
	a := tir.NewBuffer("A", dtype.Int32T, shape(4), "")
	for _, c := range []struct {
		op   tir.BinaryOp
		by   int64
		want string
	}{
		{tir.OpFloorMod, 0, "T.truncmod(A[0], 0)"},
		{tir.OpFloorDiv, 1, "A[1] = T.shift_right(A[0], 0)"},
		{tir.OpFloorMod, 1, "A[1] = T.bitwise_and(A[0], 0)"},
	} {
		g := funcOf(mustPass(t, tirpass.LowerIntrin, fn(store(a, tir.NewBinary(c.op, load(a, n(0)), n(c.by)), n(1)), a)))
		if !strings.Contains(print(g), c.want) {
			t.Errorf("by %d: want %s in\n%s", c.by, c.want, print(g))
		}
	}
}

// TestUnsafeSelectPairs makes choices lazy where a value may fail.
func TestUnsafeSelectPairs(t *testing.T) {
	lazy := func(name, cond, yes, no string) pair {
		return pair{name: name, unrun: true, before: `
    for i in range(16):
        A[i] = T.Select(` + cond + ", " + yes + ", " + no + ")", after: `
    for i in range(16):
        A[i] = T.if_then_else(` + cond + ", " + yes + ", " + no + ")"}
	}
	eager := func(name, cond, yes, no string) pair {
		p := lazy(name, cond, yes, no)
		p.after = ""
		return p
	}
	checkPairs(t, tirpass.RewriteUnsafeSelect, lowerHeader, []pair{
		lazy("the first value loads", "i > 0", "B[i - 1]", "0"),
		lazy("the second value loads", "i > 0", "0", "B[i]"),
		lazy("a division by what may be 0", "i > 0", "7 // i", "0"),
		lazy("inside of a sum", "i > 0", "i + B[i]", "0"),
		lazy("inside of a sum on the other side", "i > 0", "B[i] + i", "0"),
		lazy("inside of a call", "i > 0", "T.shift_right(B[i], 1)", "0"),
		lazy("a call with an effect", "i > 0", `T.call_extern("int32", "f", i)`, "0"),
		lazy("inside of a cast", "i > 0", `T.Cast("int32", U[i])`, "0"),
		lazy("the condition of a lazy choice", "i > 0", "T.if_then_else(B[i] > 0, 1, 2)", "0"),
		eager("the values of a lazy choice", "i > 0", "T.if_then_else(i > 2, B[i - 2], 2)", "0"),
		eager("a division by a constant", "i > 0", "i // 3", "0"),
		eager("the condition may fail", "B[i] > 0", "i", "0"),
		eager("a call without effect", "i > 0", "T.shift_right(i, 1)", "0"),
		eager("a cast", "i > 0", `T.Cast("int32", T.Cast("int64", i))`, "0"),
		{name: "lanes stay", before: `
    A[T.Ramp(0, 1, 4)] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(2, 4), B[T.Ramp(0, 1, 4)], T.Broadcast(1, 4))`},
		{name: "a scalar condition over lanes", before: `
    for i in range(4):
        A[T.Ramp(0, 1, 4)] = T.Select(i > 2, B[T.Ramp(0, 1, 4)], T.Broadcast(1, 4))`, after: `
    for i in range(4):
        A[T.Ramp(0, 1, 4)] = T.if_then_else(i > 2, B[T.Ramp(0, 1, 4)], T.Broadcast(1, 4))`},
	})
}
