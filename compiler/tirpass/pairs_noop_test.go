package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

const noopHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), F: T.Buffer((16,), "float32")):`

// TestRemoveNoOpPairs removes what has no effect, and keeps the calls of what it removes.
func TestRemoveNoOpPairs(t *testing.T) {
	const nothing = `
    T.evaluate(0)`
	const stored = `
    A[0] = 1`
	const call = `T.call_extern("int32", "f", 1)`
	checkPairs(t, tirpass.RemoveNoOp, noopHeader, []pair{
		{name: "nothing to remove", unrun: true, before: `
    for i in range(4):
        if A[i] > 0:
            A[i] = 1
        else:
            A[i] = 2
    with T.LetStmt(A[0]) as x:
        B[0] = x
    with T.attr(0, "key", 1):
        B[1] = 2
    C = T.decl_buffer((4,), "int32")
    C[0] = 1
    B[2] = C[0]
    T.evaluate(` + call + `)`},
		{name: "values that are not used", before: `
    T.evaluate(A[0] + 1)` + stored, after: stored},
		{name: "calls are kept", unrun: true, before: `
    T.evaluate(` + call + `)`},
		{name: "a loop of no step", before: `
    for i in range(0):
        A[i] = 2` + stored, after: stored},
		{name: "a loop of less than no step", before: `
    for i in range(-3):
        A[i] = 2` + stored, after: stored},
		{name: "a loop of one step stays", before: `
    for i in range(1):
        A[i] = 2`},
		{name: "a loop whose bound is never more than 0", before: `
    for i in range(4):
        for j in range(i - 3):
            A[j] = 2` + stored, after: stored},
		{name: "a loop whose bound may be 1", before: `
    for i in range(5):
        for j in range(i - 3):
            A[j] = 2`},
		{name: "a loop whose bound is more than 0 at first", before: `
    for i in range(1, 4):
        for j in range(2 - i):
            A[j] = 2`},
		{name: "a loop around nothing", before: `
    for i in range(4):
        T.evaluate(A[i])` + stored, after: stored},
		{name: "bounds with effects", unrun: true, before: `
    for i in range(` + call + `):
        T.evaluate(0)
    for i in T.serial(0, ` + call + ` * 0 - 4):
        A[i] = 1` + stored, after: `
    T.evaluate(` + call + `)` + stored},
		{name: "branches around nothing", before: `
    if A[0] > 0:
        T.evaluate(0)
    if A[0] > 0:
        T.evaluate(0)
    else:
        T.evaluate(A[1])` + stored, after: stored},
		{name: "an empty then", before: `
    if A[0] > 0:
        T.evaluate(0)
    else:
        A[0] = 1`, after: `
    if not A[0] > 0:
        A[0] = 1`},
		{name: "an empty else", before: `
    if A[0] > 0:
        A[0] = 1
    else:
        T.evaluate(A[1])`, after: `
    if A[0] > 0:
        A[0] = 1`},
		{name: "a condition with an effect", unrun: true, before: `
    if ` + call + ` > 0:
        T.evaluate(0)
    if ` + call + ` > 1:
        T.evaluate(0)
    else:
        T.evaluate(0)` + stored, after: `
    T.evaluate(` + call + ` > 0)
    T.evaluate(` + call + ` > 1)` + stored},
		{name: "lets around nothing", unrun: true, before: `
    with T.LetStmt(A[0]) as x:
        T.evaluate(x)
    with T.LetStmt(` + call + `) as y:
        T.evaluate(0)` + stored, after: `
    T.evaluate(` + call + `)` + stored},
		{name: "lets that nothing uses", unrun: true, before: `
    with T.LetStmt(A[0]) as x:
        A[0] = 2
    with T.LetStmt(` + call + `) as y:
        A[0] = 3`, after: `
    A[0] = 2
    T.evaluate(` + call + `)
    A[0] = 3`},
		{name: "a let that a shape uses", before: `
    with T.LetStmt(A[0] * 0 + 4) as x:
        C = T.decl_buffer((x,), "int32")
        C[0] = 1
        B[0] = C[0]`, unrun: true},
		{name: "attributes around nothing", unrun: true, before: `
    with T.attr(0, "key", A[0]):
        T.evaluate(0)
    with T.attr(0, "key", ` + call + `):
        T.evaluate(0)` + stored, after: `
    T.evaluate(` + call + `)` + stored},
		{name: "a region to skip", unrun: true, before: `
    with T.attr(0, "pragma_debug_skip_region", 1):
        A[0] = 2` + stored, after: stored},
		{name: "memory", unrun: true, before: `
    with T.allocate([4], "int32", "global") as c:
        T.evaluate(0)
    with T.allocate([` + call + `], "int32", "global") as d:
        T.evaluate(0)
    with T.allocate([` + call + `], "int32", "global") as e:
        A[1] = 1
    with T.allocate_const([1, 2], "int32", [2]) as f:
        A[2] = 1
    with T.allocate_const([1, 2], "int32", [2]) as g:
        T.evaluate(0)
    with T.allocate_const([1, 2], "int32", [2]) as h:
        H = T.decl_buffer((2,), "int32", data=h)
        A[3] = H[1]` + stored, after: `
    T.evaluate(` + call + `)
    T.evaluate(` + call + `)
    A[1] = 1
    A[2] = 1
    with T.allocate_const([1, 2], "int32", [2]) as h:
        H = T.decl_buffer((2,), "int32", data=h)
        A[3] = H[1]` + stored},
		{name: "declarations", before: `
    with T.decl_buffer((4, 4), "int32", data=A.data) as C:
        B[0] = 1
    with T.decl_buffer((4, 4), "int32", data=A.data) as D:
        B[1] = D[0, 1]`, after: `
    B[0] = 1
    D = T.decl_buffer((4, 4), "int32", data=A.data)
    B[1] = D[0, 1]`},
		{name: "stores of what is there", before: `
    for i in range(4):
        A[i] = A[i]
        A[i + 1] = A[1 + i]
        A[i] = A[i] + 0 * A[i]
        A[i] = T.max(A[i], A[i])` + stored, after: stored, unrun: true},
		{name: "stores of what is elsewhere", before: `
    for i in range(4):
        A[i] = B[i]
        A[i] = A[i + 1]
        A[i] = A[i] + 1
        F[i] = F[i] + T.float32(0)`},
		{name: "stores of what is there, with an effect", unrun: true, before: `
    A[` + call + ` % 4] = A[` + call + ` % 4]
    A[0] = T.max(A[0], A[0] - ` + call + `)`},
		{name: "stores of what is there in another form", unrun: true, before: `
    for i in range(4):
        A[i] = T.min(A[i], A[i] + 1)
        F[i] = F[i] + F[i]` + stored, after: `
    for i in range(4):
        F[i] = F[i] + F[i]` + stored},
		{name: "masks", unrun: true, before: `
    A.vstore([0], A[0] * 1 + 0 * B[0], predicate=B[0] > 0)`},
		{name: "nothing is left", before: `
    T.evaluate(A[0])`, after: nothing},
	})
}

// TestRenormalizePairs brings quotients and comparisons into their forms.
func TestRenormalizePairs(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), F: T.Buffer((64,), "float32"), U: T.Buffer((4,), "uint32")):
    for x, y, z in T.grid(4, 4, 4):`
	index := func(name, before, after string) pair {
		p := pair{name: name, before: "\n        B[x] = " + before}
		if after != "" {
			p.after = "\n        B[x] = " + after
		}
		return p
	}
	cond := func(name, before, after string) pair {
		p := pair{name: name, before: "\n        if " + before + ":\n            B[x] = 1"}
		if after != "" {
			p.after = "\n        if " + after + ":\n            B[x] = 1"
		}
		return p
	}
	checkPairs(t, tirpass.RenormalizeSplitPattern, header, []pair{
		index("a quotient of a remainder", "(x * y) % 12 // 4", "x * y // 4 % 3"),
		index("a quotient of a remainder that does not divide", "(x * y) % 12 // 5", ""),
		index("a quotient of a remainder that is one", "(x * y) % 4 // 4", "0"),
		index("a quotient by a negative number", "(x * y) % 12 // -4", ""),
		index("a remainder by a negative number", "(x * y) % -12 // 4", ""),
		index("a quotient by a variable", "(x * y) % 12 // (z + 1)", ""),
		index("a quotient by nothing", "x // 4", ""),
		index("a common factor", "(x * 8 + y) // 12", "(x * 2 + y // 4) // 3"),
		index("a common factor of a longer sum", "(x * 8 + y + z) // 12", "(x * 2 + (y + z) // 4) // 3"),
		index("a common factor of 2", "(x * 2 + y) // 4", "(x + y // 2) // 2"),
		index("a factor that takes the whole divisor", "(x * 8 + y) // 4", "x * 2 + y // 4"),
		index("a factor that is the divisor", "(x * 4 + y) // 4", "x + y // 4"),
		index("a factor that goes into the divisor", "(x * 4 + y) // 8", "(x + y // 4) // 2"),
		index("no common factor", "(x * 8 + y) // 9", ""),
		index("a negative factor", "(x * -8 + y) // 4", ""),
		index("a factor that is not a constant", "(x * y + z) // 4", ""),
		index("no product", "(x + y) // 4", ""),
		index("a difference", "(x * 8 - y) // 4", ""),
		index("in a quotient of a quotient", "(x * 16 + y) // 8 // 2", "x + y // 8 // 2"),
		index("twice", "((x * 16 + y) // 8 * 6 + z) // 3", "(x * 2 + y // 8) * 2 + z // 3"),
		{
			name: "one after the other", before: "\n        B[x] = 1" + strings.Repeat("\n        A[(x * y) % 12 // 4] = (x * 8 + y) // 4", 8),
			after: "\n        B[x] = 1" + strings.Repeat("\n        A[x * y // 4 % 3] = x * 2 + y // 4", 8),
		},
		cond("less than a constant", "x * y < 4", "x * y // 4 < 1"),
		cond("less than 2", "x * y < 2", "x * y // 2 < 1"),
		cond("less than 1", "x * y < 1", ""),
		cond("less than a variable", "x * y < z", ""),
		cond("a constant less than a variable", "4 < x", ""),
		cond("a negative constant", "x - y < -4", ""),
		cond("more", "x * y > z", "z < x * y"),
		cond("a constant is more", "4 > x * y", "x * y // 4 < 1"),
		cond("at most", "x * y <= z", ""),
		cond("at least", "x * y >= z", "z <= x * y"),
		cond("at least a constant", "x * y >= 4", "1 <= x * y // 4"),
		cond("a constant is at most", "4 <= x * y", "1 <= x * y // 4"),
		cond("at least of what changes", "(x * y) % 12 // 4 >= z", "z <= x * y // 4 % 3"),
		cond("at most of what changes", "(x * y) % 12 // 4 <= z", "x * y // 4 % 3 <= z"),
		cond("at most a constant", "x * y <= 4", ""),
		cond("less than a constant through a sum", "x * 8 + y < 16", "(x + y // 8) // 2 < 1"),
		cond("not less", "not (x * y < z)", "z <= x * y"),
		cond("not at most", "not (x * y <= z)", "z < x * y"),
		cond("not more", "not (x * y > z)", "x * y <= z"),
		cond("not at least", "not (x * y >= z)", "x * y < z"),
		cond("not equal", "not (x * y == z)", ""),
		cond("not of numbers with a NaN", "not (F[x] < F[y])", ""),
		cond("numbers with a fraction", "F[x] >= F[y]", ""),
		cond("naturals", "U[x] >= U[y]", ""),
		cond("naturals, not at least", "not (U[x] >= U[y])", "U[x] < U[y]"),
		cond("naturals, not more", "not (U[x] > U[y])", "U[x] <= U[y]"),
		cond("naturals, not less", "not (U[x] < U[y])", "U[y] <= U[x]"),
		cond("naturals, not at most", "not (U[x] <= U[y])", "U[y] < U[x]"),
	})
}

// TestRenormalizeKeepsDivisionsByNothing leaves quotients by 0 as they are.
func TestRenormalizeKeepsDivisionsByNothing(t *testing.T) {
	a, x, y := tir.NewBuffer("A", dtype.Int32T, shape(4), ""), index("x"), index("y")
	for _, e := range []tir.Expr{tir.FloorMod(x, n(12)), add(mul(x, n(8)), y)} {
		f := fn(store(a, tir.NewBinary(tir.OpFloorDiv, e, n(0)), n(0)), a, x, y)
		if g := funcOf(mustPass(t, tirpass.RenormalizeSplitPattern, f)); g != f {
			t.Errorf("got\n%s", print(g))
		}
	}
}

// simplifying sets fields of the option of Simplify.
func simplifying(fields ...string) []pass.ContextOption {
	m := map[string]any{}
	for _, f := range fields {
		m[f] = true
	}
	return config("tir.Simplify", m)
}

// TestSimplifyKeepsLargeLets inlines a let whose value is large only where few places use it.
func TestSimplifyKeepsLargeLets(t *testing.T) {
	for _, c := range []struct {
		terms, uses int64
		kept        bool
	}{{2, 200, false}, {20, 2, false}, {20, 200, true}, {50, 1, false}, {50, 20, true}, {100, 1, true}} {
		a, v := tir.NewBuffer("A", dtype.Int32T, shape(1), ""), index("v")
		var params []any
		var value tir.Expr = n(0)
		for range c.terms {
			x := index("x")
			params, value = append(params, x), tir.Add(value, x)
		}
		var body []tir.Stmt
		for range c.uses {
			body = append(body, store(a, v, n(0)))
		}
		f := fn(&tir.LetStmt{Var: v, Value: value, Body: tir.Seq(body...)}, append(params, a)...)
		if _, kept := funcOf(mustPass(t, tirpass.Simplify, f)).Body.(*tir.LetStmt); kept != c.kept {
			t.Errorf("%d terms, used %d times: kept is %v", c.terms, c.uses, kept)
		}
	}
}

// TestSimplifyPairs simplifies by what is known around a place.
func TestSimplifyPairs(t *testing.T) {
	checkPairs(t, tirpass.Simplify, noopHeader, []pair{
		{name: "ranges of loops", before: `
    for i in range(2, 6):
        A[i // 8 + i % 8] = B[T.min(i, 9)]`, after: `
    for i in range(2, 6):
        A[i] = B[i]`},
		{name: "conditions in both branches", before: `
    for i in range(8):
        if i < 3:
            A[i] = T.Select(i < 4, 1, 2)
        else:
            A[i] = T.Select(i > 2, 3, 4)`, after: `
    for i in range(8):
        if i < 3:
            A[i] = 1
        else:
            A[i] = 3`},
		{name: "branches that are known", before: `
    for i in range(8):
        if i < 9:
            A[i] = 1
        else:
            A[i] = 2
        if i < 0:
            B[i] = 1
        else:
            B[i] = 2
        if T.likely(i < 10):
            A[i] = 3
        if i > 9:
            A[i] = 4`, after: `
    for i in range(8):
        A[i] = 1
        B[i] = 2
        A[i] = 3`},
		{name: "assertions", before: `
    for i in range(8):
        with T.Assert(i * 2 < 8 + 2, "a text"):
            A[T.min(i, 4)] = 1`, after: `
    for i in range(8):
        with T.Assert(i < 5, "a text"):
            A[i] = 1`, unrun: true},
		{name: "threads", before: `
    with T.launch_thread("threadIdx.x", 8) as tx:
        A[tx % 8] = 1
    v = T.int32()
    with T.attr(T.iter_var(v, T.Range(0, 4), "ThreadIndex", "vthread"), "virtual_thread", 4):
        A[v % 4] = 1`, after: `
    with T.launch_thread("threadIdx.x", 8) as tx:
        A[tx] = 1
    v = T.int32()
    T.attr(T.iter_var(v, T.Range(0, 4), "ThreadIndex", "vthread"), "virtual_thread", 4)
    A[v] = 1`, unrun: true},
		{name: "blocks", before: `
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(8, i)
            T.reads()
            T.writes(A[v])
            A[v % 8] = 1`, after: `
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(8, i)
            T.reads()
            T.writes(A[v])
            A[v] = 1`},
		{name: "lets of integers", before: `
    for i in range(4):
        with T.LetStmt(i * 2) as x:
            A[x + 1] = B[x]`, after: `
    for i in range(4):
        A[i * 2 + 1] = B[i * 2]`},
		{name: "lets of what is read", before: `
    for i in range(4):
        with T.LetStmt(B[i]) as x:
            A[i] = x * 2`},
		{name: "lets of constants and variables", before: `
    for i in range(4):
        with T.LetStmt(T.float32(2)) as x:
            F[i] = x
        with T.LetStmt(T.Cast("float32", i)) as y:
            with T.LetStmt(y) as z:
                F[i] = z * z`, after: `
    for i in range(4):
        F[i] = T.float32(2)
        with T.LetStmt(T.Cast("float32", i)) as y:
            F[i] = y * y`},
		{name: "a let that a buffer needs", before: `
    for i in range(4):
        with T.LetStmt(i + 1) as x:
            C = T.decl_buffer((x,), "int32")
            C[x - 1] = 1
            A[i] = C[i]`, after: `
    for i in range(4):
        x: T.int32 = i + 1
        C = T.allocate([i + 1], "int32", "global")
        C_1 = T.decl_buffer((x,), "int32", data=C)
        C_1[i] = 1
        A[i] = C_1[i]`, unrun: true},
		{name: "a condition through a let that stays", before: `
    for i in range(8):
        with T.LetStmt(i < 3) as x:
            if x and i > 5:
                A[i] = 1
            else:
                A[i] = 2`, after: `
    for i in range(8):
        with T.LetStmt(i < 3) as x:
            A[i] = 2`},
		{name: "a condition through a let of what is read", before: `
    for i in range(8):
        with T.LetStmt(B[i] < 3) as x:
            if x and 5 < B[i]:
                A[i] = 1
            else:
                A[i] = 2`},
		{name: "lets that a buffer needs together", before: `
    for i in range(4):
        with T.LetStmt(i + 1) as x:
            with T.LetStmt(i + 2) as y:
                C = T.decl_buffer((x * y,), "int32", data=A.data)
                D = T.decl_buffer((x,), "int32", data=A.data)
                B[i] = C[0] + D[0]`, after: `
    for i in range(4):
        x: T.int32 = i + 1
        y: T.int32 = i + 2
        C = T.decl_buffer((x * y,), "int32", data=A.data)
        D = T.decl_buffer((x,), "int32", data=A.data)
        B[i] = C[0] + D[0]`, unrun: true},
		{name: "lets that buffers of a block need", before: `
    for i in range(4):
        with T.LetStmt(i + 1) as x:
            with T.LetStmt(i + 2) as y:
                with T.block("b"):
                    T.reads()
                    T.writes()
                    C = T.alloc_buffer((x,), "int32")
                    D = T.alloc_buffer((y,), "int32")
                    C[0] = 1
                    B[i] = D[0]`, unrun: true},
		{name: "an assertion holds inside of it only", before: `
    for i in range(8):
        with T.Assert(i < 5, "a text"):
            A[i] = 1
        B[T.min(i, 4)] = 1`, unrun: true},
		{name: "parts of a condition", before: `
    for i, j in T.grid(8, 8):
        if B[0] > 1 and i < 5:
            A[T.min(i, 4)] = T.Select(B[0] > 1, 1, 2)
        if j < 5 and B[0] > 1:
            A[T.min(j, 4)] = 3
        if i < 4 and j < 4:
            A[T.min(j, 3)] = T.min(i, 3)`, after: `
    for i, j in T.grid(8, 8):
        if 1 < B[0] and i < 5:
            A[i] = T.Select(1 < B[0], 1, 2)
        if j < 5 and 1 < B[0]:
            A[j] = 3
        if i < 4 and j < 4:
            A[j] = i`},
		{name: "only one branch changes", before: `
    for i in range(8):
        if i < 3:
            A[i + 0 * i] = 1
        else:
            A[i] = 2
        if i < 4:
            B[i] = 1
        else:
            B[i % 8] = 2`, after: `
    for i in range(8):
        if i < 3:
            A[i] = 1
        else:
            A[i] = 2
        if i < 4:
            B[i] = 1
        else:
            B[i] = 2`},
		{name: "only the value or the body of a let changes", before: `
    for i in range(8):
        with T.LetStmt(B[i % 8]) as x:
            A[i] = x
        with T.LetStmt(B[i]) as y:
            A[i % 8] = y`, after: `
    for i in range(8):
        with T.LetStmt(B[i]) as x:
            A[i] = x
        with T.LetStmt(B[i]) as y:
            A[i] = y`},
		{name: "stores of themselves", before: `
    for i in range(4):
        A[i] = A[i]
        A[i + 1] = A[1 + i]
        A[i] = A[i + 1]
        A[i] = B[i]`, after: `
    for i in range(4):
        A[i] = A[i + 1]
        A[i] = B[i]`},
		{name: "bounds that are read", before: `
    for i in range(A[0] % 4):
        B[T.min(i, 2)] = T.Select(i < A[0] % 4, 1, 2)
    for i in range(A[0] % 4):
        B[T.min(i, 1)] = 1`, after: `
    for i in range(A[0] % 4):
        B[i] = T.Select(i < A[0] % 4, 1, 2)
    for i in range(A[0] % 4):
        B[T.min(i, 1)] = 1`},
		{name: "symbolic bounds", before: `
    for k in range(1, 4):
        for i in range(k, k * 2):
            A[i] = T.Select(i >= k, T.Select(i < k * 2, 1, 2), 3)`, after: `
    for k in range(1, 4):
        for i in range(k, k * 2):
            A[i] = 1`},
		{name: "inequalities in steps are for an option", before: `
    for i, j, k in T.grid(4, 4, 4):
        if i < j and j < k:
            A[i] = T.Select(i < k, 1, 2)`},
		{name: "inequalities in steps", before: `
    for i, j, k in T.grid(4, 4, 4):
        if i < j and j < k:
            A[i] = T.Select(i < k, 1, 2)`, after: `
    for i, j, k in T.grid(4, 4, 4):
        if i < j and j < k:
            A[i] = 1`, opts: simplifying("transitively_prove_inequalities")},
	})
}
