package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

const cseHeader = `@T.prim_func
def kernel(A: T.Buffer((256,), "int32"), B: T.Buffer((256,), "int32"), F: T.Buffer((256,), "float32")):
    for x, y, z in T.grid(4, 4, 4):`

// cseBody puts lines into the loops of cseHeader.
func cseBody(lines string) string { return indented(lines) }

// TestCSEPairs binds what is computed several times.
func TestCSEPairs(t *testing.T) {
	checkPairs(t, tirpass.CommonSubexprElimTIR, cseHeader, []pair{
		{name: "once", before: cseBody(`
    A[x * 4] = B[y * 4]`)},
		{name: "twice in a statement", before: cseBody(`
    A[x * 4] = B[x * 4]`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    A[cse_v1] = B[cse_v1]`)},
		{name: "a variable or a constant alone", before: cseBody(`
    A[x] = x + 5
    B[x] = 5`)},
		{name: "operands of what is bound are bound where they are used elsewhere", before: cseBody(`
    A[x * 4 + y] = B[x * 4 + y] + x * 4`), after: cseBody(`
    cse_v2: T.int32 = x * 4
    cse_v1: T.int32 = cse_v2 + y
    A[cse_v1] = B[cse_v1] + cse_v2`)},
		{name: "operands of what is bound are not bound otherwise", before: cseBody(`
    A[x * 4 + y] = B[x * 4 + y]`), after: cseBody(`
    cse_v1: T.int32 = x * 4 + y
    A[cse_v1] = B[cse_v1]`)},
		{name: "around two statements", before: cseBody(`
    A[x * 4] = 1
    B[x * 4] = 2`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    A[cse_v1] = 1
    B[cse_v1] = 2`)},
		{name: "in the innermost statement", before: cseBody(`
    for k in range(4):
        A[x * 4] = B[x * 4]
    B[0] = 1`), after: cseBody(`
    for k in range(4):
        cse_v1: T.int32 = x * 4
        A[cse_v1] = B[cse_v1]
    B[0] = 1`)},
		{name: "in a loop and before it", before: cseBody(`
    A[x * 4] = 2
    for k in range(4):
        for l in range(2):
            A[k] = B[x * 4]`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    A[cse_v1] = 2
    for k in range(4):
        for l in range(2):
            A[k] = B[cse_v1]`)},
		{name: "in a loop and after it", before: cseBody(`
    for k in range(4):
        for l in range(2):
            A[k] = B[x * 4]
    A[x * 4] = 2`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    for k in range(4):
        for l in range(2):
            A[k] = B[cse_v1]
    A[cse_v1] = 2`)},
		{name: "in both branches", before: cseBody(`
    if x < y:
        A[x * 4] = 1
    else:
        A[x * 4] = 2`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    if x < y:
        A[cse_v1] = 1
    else:
        A[cse_v1] = 2`)},
		{name: "in bounds", before: cseBody(`
    for k in range(x * 4, x * 4 + 2):
        A[k] = 1`), after: cseBody(`
    for k in range(x * 4, x * 4 + 2):
        A[k] = 1`)},
		{name: "division by what may be 0", before: cseBody(`
    if x > 0:
        A[y // x] = B[y // x]
    A[y % x + T.truncdiv(y, x) + T.truncmod(y, x)] = B[y % x + T.truncdiv(y, x) + T.truncmod(y, x)]`), unrun: true},
		{name: "division by a constant", before: cseBody(`
    A[y // 3] = B[y // 3]`), after: cseBody(`
    cse_v1: T.int32 = y // 3
    A[cse_v1] = B[cse_v1]`)},
		{name: "division of numbers with a fraction", before: cseBody(`
    F[x] = T.Cast("float32", y) / T.Cast("float32", z) + T.Cast("float32", y) / T.Cast("float32", z)`), after: cseBody(`
    cse_v1: T.float32 = T.Cast("float32", y) / T.Cast("float32", z)
    F[x] = cse_v1 + cse_v1`), unrun: true},
		{name: "loads are done again, and what is in them not", before: cseBody(`
    F[x] = F[y + z] + F[y + z]`), after: cseBody(`
    cse_v1: T.int32 = y + z
    F[x] = F[cse_v1] + F[cse_v1]`)},
		{name: "calls are done again, and what is in them not", before: cseBody(`
    F[x] = T.exp(T.Cast("float32", y)) + T.exp(T.Cast("float32", y))`), after: cseBody(`
    cse_v1: T.float32 = T.Cast("float32", y)
    F[x] = T.exp(cse_v1) + T.exp(cse_v1)`)},
		{name: "casts of loads are done again", before: cseBody(`
    F[x] = T.Cast("float32", A[y]) + T.Cast("float32", A[y])`)},
		{name: "casts to several types", before: cseBody(`
    F[x] = T.Cast("float32", y) + T.Cast("float32", T.Cast("float64", y)) + T.Cast("float32", T.Cast("float64", z))`)},
		{name: "vectors are made again", before: cseBody(`
    A[T.Ramp(x * 4, 1, 4) * T.Broadcast(2, 4)] = B[T.Ramp(x * 4, 1, 4) * T.Broadcast(2, 4)]`), after: cseBody(`
    cse_v1: T.int32 = x * 4
    A[T.Ramp(cse_v1, 1, 4) * T.Broadcast(2, 4)] = B[T.Ramp(cse_v1, 1, 4) * T.Broadcast(2, 4)]`)},
		{name: "vectors that a let defines", unrun: true, before: cseBody(`
    with T.LetStmt(B[T.Ramp(0, 1, 4)]) as v:
        A[v + v] = B[v + v]`)},
		{name: "a variable of a let stays in it", before: `
        v = T.int32()` + cseBody(`
    A[T.Let((v + 1) * (v + 1) + (y + v) * (y + v), where={v: y * 2}) % 256] = B[y * 2]`), after: `
        v = T.int32()` + cseBody(`
    cse_v1: T.int32 = y * 2
    A[T.Let((v + 1) * (v + 1) + (y + v) * (y + v), where={v: cse_v1}) % 256] = B[cse_v1]`)},
		{name: "other operators and other operands", before: cseBody(`
    A[x + y] = B[x * y]
    A[x - y + 4] = B[y - x + 4]
    A[T.min(x, y)] = B[T.max(x, y)]`)},
		{name: "order matters without the option", before: cseBody(`
    A[x + y] = B[y + x]`)},
		{name: "many", before: cseBody(`
    A[x * 4] = B[x * 4] + B[y * 5] + B[y * 5] + B[z * 6] + B[z * 6]`), after: cseBody(`
    cse_v3: T.int32 = x * 4
    cse_v2: T.int32 = y * 5
    cse_v1: T.int32 = z * 6
    A[cse_v3] = B[cse_v3] + B[cse_v2] + B[cse_v2] + B[cse_v1] + B[cse_v1]`)},
		{name: "blocks are left alone", before: cseBody(`
    with T.block("b"):
        T.reads()
        T.writes()
        A[x * 4] = B[x * 4]`)},
		{name: "the option", before: cseBody(`
    A[x * 4] = B[x * 4]`), opts: config("tir.disable_cse_tir", true)},
	})
}

// TestCSELeavesDivisionsByNothing leaves a division by 0 where its guard is.
func TestCSELeavesDivisionsByNothing(t *testing.T) {
	a, x := tir.NewBuffer("A", dtype.Int32T, shape(4), ""), index("x")
	bad := tir.NewBinary(tir.OpFloorDiv, x, n(0))
	f := fn(&tir.IfThenElse{Cond: tir.GT(x, n(9)), Then: tir.Seq(store(a, bad, n(0)), store(a, bad, n(1)))}, a, x)
	if g := funcOf(mustPass(t, tirpass.CommonSubexprElimTIR, f)); g != f {
		t.Errorf("got\n%s", print(g))
	}
	choice := fn(store(a, &tir.Select{Cond: tir.GT(x, n(9)), True: bad, False: n(1)}, n(0)), a, x)
	if g := funcOf(mustPass(t, tirpass.RewriteUnsafeSelect, choice)); !strings.Contains(print(g), "T.if_then_else(") {
		t.Errorf("got\n%s", print(g))
	}
}

// TestCSEBesideABlock leaves a function alone whose block is not its last statement.
func TestCSEBesideABlock(t *testing.T) {
	a, x := tir.NewBuffer("A", dtype.Int32T, shape(64), ""), index("x")
	twice := store(a, load(a, mul(x, n(4))), mul(x, n(4)))
	f := fn(tir.Seq(opaque("b", store(a, n(1), n(0))), twice), a, x)
	if g := funcOf(mustPass(t, tirpass.CommonSubexprElimTIR, f)); g != f {
		t.Errorf("got\n%s", print(g))
	}
}

// TestCSEOfEquivalentTerms binds what has one normal form.
func TestCSEOfEquivalentTerms(t *testing.T) {
	opts := config("tir.enable_equiv_terms_in_cse_tir", true)
	same := func(name, x, y, bound string) pair {
		return pair{name: name, opts: opts, before: cseBody(`
    A[0] = ` + x + `
    B[0] = ` + y), after: cseBody(`
    cse_v1: T.int32 = ` + bound + `
    A[0] = cse_v1
    B[0] = cse_v1`)}
	}
	other := func(name, x, y string) pair {
		return pair{name: name, opts: opts, before: cseBody(`
    A[0] = ` + x + `
    B[0] = ` + y)}
	}
	checkPairs(t, tirpass.CommonSubexprElimTIR, cseHeader, []pair{
		same("order of a sum", "x + y", "y + x", "x + y"),
		same("order of a product", "x * y", "y * x", "x * y"),
		same("order of a minimum", "T.min(x, y)", "T.min(y, x)", "T.min(x, y)"),
		same("order of a maximum", "T.max(x, y)", "T.max(y, x)", "T.max(x, y)"),
		same("brackets", "x + y + z", "x + (z + y)", "x + y + z"),
		same("distribution", "x * (y + 2)", "y * x + x * 2", "x * (y + 2)"),
		same("distribution of a product of sums", "(x + 1) * (y - 2)", "x * y - x * 2 + y - 2", "(x + 1) * (y - 2)"),
		same("products that cancel", "(x + 1) * (x - 1)", "x * x - 1", "(x + 1) * (x - 1)"),
		same("what cancels", "x * y - z", "x * y + z - z * 2", "x * y - z"),
		same("in a quotient", "(x + y) // 3", "(y + x) // 3", "(x + y) // 3"),
		other("order of a difference", "x - y", "y - x"),
		other("order of a quotient", "x // 3", "x % 3"),
		other("another constant", "x + 1", "x + 2"),
		other("another factor", "x * 2", "x * 3"),
		other("another variable", "x * y", "x * z"),
		other("minimum and maximum", "T.min(x, y)", "T.max(x, y)"),
		other("variables that cancel", "x * 2", "x + z + x - z"),
		{name: "comparisons", opts: opts, before: cseBody(`
    A[0] = T.Select(x * y < z, 1, 2)
    B[0] = T.Select(z > y * x, 1, 2)`), after: cseBody(`
    cse_v1: T.bool = x * y < z
    A[0] = T.Select(cse_v1, 1, 2)
    B[0] = T.Select(cse_v1, 1, 2)`)},
		{name: "comparisons that more and less tell", opts: opts, before: cseBody(`
    A[0] = T.Select(x * y > z, 1, 2)
    B[0] = T.Select(z < y * x, 1, 2)`), after: cseBody(`
    cse_v1: T.bool = x * y > z
    A[0] = T.Select(cse_v1, 1, 2)
    B[0] = T.Select(cse_v1, 1, 2)`)},
		{name: "comparisons at most", opts: opts, before: cseBody(`
    A[0] = T.Select(x * y <= z, 1, 2)
    B[0] = T.Select(z >= y * x, 1, 2)`), after: cseBody(`
    cse_v1: T.bool = x * y <= z
    A[0] = T.Select(cse_v1, 1, 2)
    B[0] = T.Select(cse_v1, 1, 2)`)},
		{name: "comparisons for equality", opts: opts, before: cseBody(`
    A[0] = T.Select(x * y == z, 1, 2)
    B[0] = T.Select(z == y * x, 1, 2)`), after: cseBody(`
    cse_v1: T.bool = x * y == z
    A[0] = T.Select(cse_v1, 1, 2)
    B[0] = T.Select(cse_v1, 1, 2)`)},
		{name: "comparisons the other way", opts: opts, before: cseBody(`
    A[0] = T.Select(x * y < z, 1, 2)
    B[0] = T.Select(z < y * x, 1, 2)`), after: cseBody(`
    cse_v1: T.int32 = x * y
    A[0] = T.Select(cse_v1 < z, 1, 2)
    B[0] = T.Select(z < cse_v1, 1, 2)`)},
		{name: "numbers with a fraction are added in order", opts: opts, before: cseBody(`
    F[0] = F[x] + T.Cast("float32", x) * T.Cast("float32", y)
    F[1] = F[y] + T.Cast("float32", y) * T.Cast("float32", x)`), after: cseBody(`
    cse_v1: T.float32 = T.Cast("float32", x) * T.Cast("float32", y)
    F[0] = F[x] + cse_v1
    F[1] = F[y] + cse_v1`)},
		{name: "the smaller of numbers with a fraction, which may be a NaN", opts: opts, before: cseBody(`
    A[0] = T.Select(T.min(T.Cast("float32", x), T.Cast("float32", y)) < T.Cast("float32", z), 1, 2)
    B[0] = T.Select(T.min(T.Cast("float32", y), T.Cast("float32", x)) < T.Cast("float32", z), 1, 2)`), after: cseBody(`
    cse_v3: T.float32 = T.Cast("float32", x)
    cse_v2: T.float32 = T.Cast("float32", y)
    cse_v1: T.float32 = T.Cast("float32", z)
    A[0] = T.Select(T.min(cse_v3, cse_v2) < cse_v1, 1, 2)
    B[0] = T.Select(T.min(cse_v2, cse_v3) < cse_v1, 1, 2)`)},
		{name: "a sum of numbers with a fraction in either order", opts: opts, before: cseBody(`
    F[0] = F[x] * (T.Cast("float32", x) + T.Cast("float32", y))
    F[1] = F[y] * (T.Cast("float32", y) + T.Cast("float32", x))`), after: cseBody(`
    cse_v1: T.float32 = T.Cast("float32", x) + T.Cast("float32", y)
    F[0] = F[x] * cse_v1
    F[1] = F[y] * cse_v1`)},
		{name: "a difference of numbers with a fraction", opts: opts, before: cseBody(`
    F[0] = F[x] + (T.Cast("float32", x) - T.Cast("float32", y))
    F[1] = F[y] + (T.Cast("float32", y) - T.Cast("float32", x))`), after: cseBody(`
    cse_v2: T.float32 = T.Cast("float32", x)
    cse_v1: T.float32 = T.Cast("float32", y)
    F[0] = F[x] + (cse_v2 - cse_v1)
    F[1] = F[y] + (cse_v1 - cse_v2)`)},
	})
}

// TestCSELaunch: what extents of threads compute is bound in front of the kernel, where whoever launches it knows it.
func TestCSELaunch(t *testing.T) {
	checkPairs(t, tirpass.CommonSubexprElimTIR, `@T.prim_func
def kernel(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int32):`, []pair{
		{name: "an extent below another", before: `
    by = T.launch_thread("blockIdx.y", 2)
    bx = T.launch_thread("blockIdx.x", (n * m + 31) // 32)
    tx = T.launch_thread("threadIdx.x", 32)
    if by * 64 + bx * 32 + tx < n * m:
        A[bx * 32 + tx] = 1`, after: `
    cse_v2: T.int32 = n * m
    by = T.launch_thread("blockIdx.y", 2)
    bx = T.launch_thread("blockIdx.x", (cse_v2 + 31) // 32)
    tx = T.launch_thread("threadIdx.x", 32)
    cse_v1: T.int32 = bx * 32
    if by * 64 + cse_v1 + tx < cse_v2:
        A[cse_v1 + tx] = 1`, unrun: true},
		{name: "an extent that a variable inside gives", before: `
    by = T.launch_thread("blockIdx.y", 2)
    k: T.int32 = n + 1
    bx = T.launch_thread("blockIdx.x", k * m)
    if bx < k * m:
        A[bx] = by`, after: `
    by = T.launch_thread("blockIdx.y", 2)
    k: T.int32 = n + 1
    cse_v1: T.int32 = k * m
    bx = T.launch_thread("blockIdx.x", cse_v1)
    if bx < cse_v1:
        A[bx] = by`, unrun: true},
		{name: "one kernel behind another", before: `
    with T.launch_thread("blockIdx.x", n * m) as bx:
        A[bx] = n * m
    with T.launch_thread("blockIdx.x", n * 3 + m) as bx:
        A[bx] = n * 3 + m`, after: `
    with T.LetStmt(n * m) as cse_v2:
        bx = T.launch_thread("blockIdx.x", cse_v2)
        A[bx] = cse_v2
    cse_v1: T.int32 = n * 3 + m
    bx = T.launch_thread("blockIdx.x", cse_v1)
    A[bx] = cse_v1`, unrun: true},
	})
}
