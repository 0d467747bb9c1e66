package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// pair is a block C over two variables, of extents m and n, that stores at indices into C what it
// reads of A.
func pair(t *testing.T, m, n, aShape, cShape, store string) (*rules, *sch.Block) {
	t.Helper()
	return blockOf(t, "a: T.handle, c: T.handle", fmt.Sprintf(`
x, y = T.int64(), T.int64()
A = T.match_buffer(a, %s)
C = T.match_buffer(c, %s)
for i, j in T.grid(%s, %s):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        %s`, aShape, cShape, m, n, store))
}

// pairBlock is the block of pair.
func pairBlock(t *testing.T, m, n, aShape, cShape, store string) *tir.Block {
	t.Helper()
	r, b := pair(t, m, n, aShape, cShape, store)
	return r.at(b)
}

// blockIn is block C of blockOf.
func blockIn(t *testing.T, params, body string) *tir.Block {
	t.Helper()
	r, b := blockOf(t, params, body)
	return r.at(b)
}

func TestAccesses(t *testing.T) {
	text := func(a access) string {
		var out []string
		for _, e := range a.indices {
			out = append(out, fmt.Sprint(tir.Symbolic(e)))
		}
		kind := "load"
		if a.load == nil {
			kind = "store"
		}
		return fmt.Sprintf("%s %s%v %s", kind, a.buf.Name, len(a.buf.Shape), strings.Join(out, " "))
	}
	for _, c := range []struct {
		name, m, n, a, c, store string
		want                    []string
	}{
		{"plain", "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]", []string{"store C2 true true", "load A2 true true"}},
		{"twice the same place", "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj] + A[vi, vj]", []string{"store C2 true true", "load A2 true true", "load A2 true true"}},
		{"a reshape", "4", "6", "(24,)", "(4, 6)", "C[vi, vj] = A[vi * 6 + vj]", []string{"store C2 true true", "load A1 true"}},
		{"a reshape that divides", "4", "6", "(3, 8)", "(4, 6)", "C[vi, vj] = A[(vi * 6 + vj) // 8, (vi * 6 + vj) % 8]", []string{"store C2 true true", "load A1 true"}},
		{"a reshape that stays divided", "4", "6", "(3, 8)", "(4, 6)", "C[vi, vj] = A[(vi * 6 + vj) // 8, (vi * 6 + vj) // 8]", []string{"store C2 true true", "load A2 true true"}},
		{"one index that divides", "4", "6", "(3,)", "(4, 6)", "C[vi, vj] = A[(vi * 6 + vj) // 8]", []string{"store C2 true true", "load A1 true"}},
		{"a value of one", "1", "6", "(x, y)", "(x, y)", "C[vi, vj] = A[vi, vj]", []string{"store C2 false true", "load A2 false true"}},
		{"a value of one in constant extents", "1", "6", "(1, 6)", "(1, 6)", "C[vi, vj] = A[vi, vj]", []string{"store C2 true true", "load A2 true true"}},
	} {
		b := pairBlock(t, c.m, c.n, c.a, c.c, c.store)
		var got []string
		for _, a := range accesses(b.Body, b.IterVars) {
			got = append(got, text(a))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFollows: whether an access goes on from the end of one axis to the next step of another.
func TestFollows(t *testing.T) {
	for _, c := range []struct {
		name, m, n, a, load string
		want                bool
	}{
		{"rows", "4", "6", "(4, 6)", "vi, vj", true},
		{"columns", "4", "6", "(6, 4)", "vj, vi", false},
		{"a part of rows", "4", "6", "(4, 7)", "vi, vj", false},
		{"all of one row", "4", "6", "(4, 6)", "0, vj", false},
		{"one of each row", "4", "6", "(4, 6)", "vi, 0", false},
		{"neither", "4", "6", "(4, 6)", "0, 0", true},
		{"the same diagonal", "4", "6", "(9,)", "vi + vj", false},
		{"flat", "4", "6", "(24,)", "vi * 6 + vj", true},
		{"square", "4", "6", "(24,)", "vi * vi + vj", false},
		{"symbolic rows", "4", "y", "(4, y)", "vi, vj", true},
		{"symbolic rows, around them another axis", "4", "y", "(2, 4, y)", "1, vi, vj", true},
		{"symbolic rows of another extent", "4", "y", "(4, x)", "vi, vj", false},
		{"symbolic columns", "4", "y", "(y, 4)", "vj, vi", false},
		{"symbolic rows and another axis", "4", "y", "(4, 4, y)", "vi, vi, vj", false},
		{"symbolic rows, twice", "4", "y", "(4, y, 4, y)", "vi, vj, vi, vj", false},
		{"symbolic rows with something between", "4", "y", "(4, 3, y)", "vi, 0, vj", false},
		{"one symbolic row", "4", "y", "(4, y)", "0, vj", false},
		{"one of each symbolic row", "4", "y", "(4, y)", "vi, 0", false},
		{"no symbolic row", "4", "y", "(4, y)", "0, 0", true},
		{"shifted symbolic rows", "4", "y", "(4, y)", "3 - vi, vj", false},
		{"number of rows symbolic", "x", "6", "(x, 6)", "vi, vj", true},
		{"number of rows symbolic, a part", "x", "6", "(x, 7)", "vi, vj", false},
		{"symbolic rows, before them the last axis", "4", "y", "(y, 4, y)", "vj, vi, vj", false},
		{"symbolic rows, behind them the last axis", "4", "y", "(4, y, y)", "vi, vj, vj", false},
		{"the last axis first", "4", "y", "(4, y)", "vj, vi", false},
	} {
		b := pairBlock(t, c.m, c.n, c.a, "("+c.m+", "+c.n+")", "C[vi, vj] = A["+c.load+"]")
		acc := accesses(b.Body, b.IterVars)
		iters := b.IterVars
		if got := acc[1].follows(iters[0], iters[1]); got != c.want {
			t.Errorf("%s: A[%s] of %s is %v, want %v", c.name, c.load, c.a, got, c.want)
		}
	}
}

func TestUses(t *testing.T) {
	b := pairBlock(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, 5 - vi]")
	acc, iters := accesses(b.Body, b.IterVars), b.IterVars
	if !usesIn(acc[1], iters[0].Var) || usesIn(acc[1], iters[1].Var) || !usesIn(acc[0], iters[1].Var) {
		t.Error("A is read at vi, C is stored at both")
	}
	if !uses(acc[1].indices[1], iters[0].Var) || uses(acc[1].indices[1], iters[1].Var) {
		t.Error("5 - vi uses vi")
	}
	if unit(iters[0]) || !unit(&tir.IterVar{Dom: &tir.Range{Min: tir.Int(3), Extent: tir.Int(1)}}) {
		t.Error("a domain of one point is a unit")
	}
}

func TestCostOf(t *testing.T) {
	for _, c := range []struct {
		value string
		want  cost
	}{
		{"A[vi, vj]", cost{nodes: 1, plain: true}},
		{"A[vi, 5 - vj]", cost{nodes: 1, plain: true}},
		{"T.float32(2)", cost{nodes: 1, plain: true}},
		{`T.Cast("float32", vi)`, cost{nodes: 2, plain: true}},
		{"A[vi, vj] + T.float32(1)", cost{nodes: 3, arithmetic: 1}},
		{"A[vi, vj] / T.float32(3)", cost{nodes: 3, arithmetic: 4}},
		{`T.Cast("float32", vi // 3)`, cost{nodes: 4, arithmetic: 1}},
		{`T.Cast("float32", T.truncdiv(vi, 3))`, cost{nodes: 4, arithmetic: 1}},
		{"T.exp(A[vi, vj])", cost{nodes: 2, calls: true}},
		{"T.if_then_else(vi < 2, A[vi, vj], T.float32(0))", cost{nodes: 6, arithmetic: 1, branches: true}},
		{"T.Select(vi < 2, A[vi, vj], T.float32(0))", cost{nodes: 6, arithmetic: 3}},
		{"T.max(A[vi, vj], T.float32(0)) * T.exp(A[vi, vj])", cost{nodes: 6, arithmetic: 2, calls: true}},
	} {
		b := pairBlock(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = "+c.value)
		if got := costOf(b.Body.(*tir.BufferStore).Value); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.value, got, c.want)
		}
	}
	// An expression that shares its parts has more nodes than anyone can count.
	e := tir.Expr(tir.NewVar("x", dtype.Float32T))
	for range 60 {
		e = tir.Add(e, e)
	}
	if c := costOf(e); c.nodes > 8*maxInlined || c.nodes <= 4*maxInlined || c.plain {
		t.Errorf("%+v", c)
	}
	chain := tir.Expr(tir.NewVar("x", dtype.Float32T))
	for range 2 * maxInlined {
		chain = tir.CastTo(dtype.Float64T, tir.CastTo(dtype.Float32T, chain))
	}
	if c := costOf(chain); !c.plain {
		t.Errorf("%d conversions: %+v", c.nodes, c)
	}
	long := tir.Expr(tir.NewVar("x", dtype.Float32T))
	for n := 2; n <= 4*maxInlined+1; n++ { // nodes
		long = &tir.Cast{Type: dtype.Float32T, Value: long}
		if c := costOf(long); n >= 4*maxInlined && c.plain != (n == 4*maxInlined) {
			t.Errorf("%d conversions: %+v", n-1, c)
		}
	}
}

func TestLoadsOf(t *testing.T) {
	b := blockIn(t, `A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")`, `
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = A[vi] * A[0] + B[vi]`)
	for k, want := range []int{2, 1} {
		loads, nodes := loadsOf(b.Body, b.Reads[k].Buffer)
		// The store, the sum, the product, three loads, and of each access the buffer and the index.
		if loads != want || nodes != 14 {
			t.Errorf("%d loads of %s among %d nodes, want %d among 14", loads, b.Reads[k].Buffer.Name, nodes, want)
		}
	}
	if n := volume(b); !tir.IsConst(n, 4) {
		t.Errorf("the block has %v points", n)
	}
}

func TestVolume(t *testing.T) {
	b := pairBlock(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]")
	if n := volume(b); !tir.IsConst(n, 24) {
		t.Errorf("the block has %v points, want 24", n)
	}
}

func TestPhasesOf(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int64
	}{
		{"A[vi, vj]", 0},
		{"A[vi, vj % 2]", 2},
		{"A[vi, vj // 2]", 0},
		{"A[vi, vj % 3 + vj // 3]", 3},
		{"A[vi, (vj + 1) % 4]", 4},
		{"A[vi, (1 + vj) % 4]", 0}, // constants stand behind
		{"A[vi, (vj - 1) % 4]", 0},
		{"A[vi, vj % 8 % 6]", 8},
		{"A[vi, vj % 9]", 0},
		{"A[vi % 2, vj]", 0},
		{"A[vi, (vi + vj) % 2]", 0},
		{"A[vi, (vj * 2) % 2]", 0},
		{"T.if_then_else(vj % 2 == 1, A[vi, vj], T.float32(0))", 2},
	} {
		b := pairBlock(t, "4", "6", "(4, 12)", "(4, 6)", "C[vi, vj] = "+c.value)
		if got := phasesOf(b.Body.(*tir.BufferStore), b.IterVars[1].Var); got != c.want {
			t.Errorf("%s: %d, want %d", c.value, got, c.want)
		}
	}
}

func TestQuotient(t *testing.T) {
	for _, c := range []struct {
		n, load string
		want    int64
	}{
		{"6", "vi, vj", 0},
		{"6", "vi, vj // 2", 2},
		{"6", "vi, vj % 3", 3},
		{"6", "vi, vj // 4", 0}, // does not divide the extent
		{"6", "vi // 2, vj", 0}, // the other variable
		{"6", "vi, (vj + 1) // 2", 0},
		{"6", "vi, vj // 6", 0}, // is 0
		{"y", "vi, vj // 2", 0},
	} {
		b := pairBlock(t, "4", c.n, "(4, 12)", "(4, "+c.n+")", "C[vi, vj] = A["+c.load+"]")
		if got := quotient(b, b.IterVars[1].Var); got != c.want {
			t.Errorf("%s of %s: %d, want %d", c.load, c.n, got, c.want)
		}
	}
}

func TestVectorizable(t *testing.T) {
	for _, c := range []struct {
		name, store string
		want        bool
	}{
		{"a copy", "C[vi, vj] = A[vi, vj]", true},
		{"a broadcast", "C[vi, vj] = A[vi, 0]", true},
		{"transposed", "C[vi, vj] = A[vj, vi]", false},
		{"backwards", "C[vi, vj] = A[vi, 5 - vj]", false},
		{"stores apart", "C[vj, vi] = A[vi, vj]", false},
		{"one place", "C[vi, 0] = A[vi, vj]", false},
		{"every second", "C[vi, vj] = A[vi, vj * 2]", false},
		{"a function of vectors", "C[vi, vj] = T.exp(A[vi, vj])", true},
		{"a condition along it", "C[vi, vj] = T.if_then_else(vj < 3, A[vi, vj], T.float32(0))", false},
		{"a condition across", "C[vi, vj] = T.if_then_else(vi < 3, A[vi, vj], T.float32(0))", true},
		{"a quotient along it", `C[vi, vj] = T.Cast("float32", vj // 3)`, false},
		{"a remainder along it", `C[vi, vj] = T.Cast("float32", vj % 3)`, false},
		{"a quotient along it towards zero", `C[vi, vj] = T.Cast("float32", T.truncdiv(vj, 3))`, false},
		{"a remainder along it towards zero", `C[vi, vj] = T.Cast("float32", T.truncmod(vj, 3))`, false},
		{"a quotient across", `C[vi, vj] = T.Cast("float32", vi // 3)`, true},
		{"a sum of numbers", `C[vi, vj] = T.Cast("float32", vj + 3)`, true},
	} {
		b := pairBlock(t, "6", "6", "(6, 12)", "(6, 6)", c.store)
		st := b.Body.(*tir.BufferStore)
		if got := vectorizable(st, accesses(st, b.IterVars), b.IterVars[1].Var); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// A value that is computed once is not known to vectors.
	b := pairBlock(t, "6", "6", "(6, 12)", "(6, 6)", "C[vi, vj] = A[vi, vj]")
	st := *b.Body.(*tir.BufferStore)
	x := tir.NewVar("x", dtype.Float32T)
	st.Value = &tir.Let{Var: x, Value: st.Value, Body: x}
	if vectorizable(&st, accesses(&st, b.IterVars), b.IterVars[1].Var) {
		t.Error("a let is vectorised")
	}
}

func TestLanesFor(t *testing.T) {
	sum := func(n int) string { return "A[vi, vj]" + strings.Repeat(" + A[vi, vj]", n) }
	for _, c := range []struct {
		name, value string
		want        int64
	}{
		{"a copy", "A[vi, vj]", 16},
		{"a function", "T.exp(A[vi, vj])", 8},
		{"20 terms", sum(19), 16}, // 39 nodes
		{"21 terms", sum(20), 8},  // 41 nodes
		{"a cast of 20 terms", `T.Cast("float32", ` + sum(19) + ")", 16},
	} {
		b := pairBlock(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = "+c.value)
		if got := wide.lanesFor(b.Body.(*tir.BufferStore)); got != c.want {
			t.Errorf("%s: %d lanes, want %d", c.name, got, c.want)
		}
		if got := (Machine{Lanes: 4, Registers: 32}).lanesFor(b.Body.(*tir.BufferStore)); got != 16 { // enough for four vectors side by side
			t.Errorf("%s, with 32 registers: %d lanes, want 16", c.name, got)
		}
	}
}

func TestComputesWith(t *testing.T) {
	for _, c := range []struct {
		store string
		want  bool
	}{
		{"C[vi, vj] = A[vi, vj]", false},
		{`C[vi, vj] = T.Cast("float32", vj)`, true},
		{`C[vi, vj] = T.Cast("float32", vi)`, false},
		{"C[vi, vj] = T.if_then_else(vj < 3, A[vi, vj], T.float32(0))", true},
		{`C[vi, vj] = A[vi, vj] + T.Cast("float32", vj)`, true},
		{"C[vi, vj] = A[vi, vj]\n        C[vi, vj] = A[vi, vj]", true},
	} {
		b := pairBlock(t, "4", "6", "(4, 6)", "(4, 6)", c.store)
		if got := computesWith(b.Body, b.IterVars[1].Var); got != c.want {
			t.Errorf("%s: %v, want %v", c.store, got, c.want)
		}
	}
}

func TestVectorTypes(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"float32", "float32", true}, {"int8", "int8", true}, {"float16", "float32", true}, {"float64", "int64", true}, {"float8_e4m3fn", "float32", false}, {"float32", "bool", true}, {"int4", "int8", false}, {"float32", "float8_e5m2", false},
	} {
		d, err := dtype.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		b := blockIn(t, fmt.Sprintf(`A: T.Buffer((4,), %q), C: T.Buffer((4,), %q)`, c.from, c.to), fmt.Sprintf(`
for i in range(4):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        C[vi] = T.Cast(%q, A[vi])`, d))
		if got := vectorTypes(b); got != c.want {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestConvertedOften(t *testing.T) {
	half := func(m, n string, cast bool) (bool, error) {
		value := "A[vi, vk]"
		if cast {
			value = `T.Cast("float32", A[vi, vk])`
		}
		kind := "float16"
		if !cast {
			kind = "float32"
		}
		r, k := blockOf(t, "a: T.handle, b: T.handle, c: T.handle", fmt.Sprintf(`
x = T.int64()
A = T.match_buffer(a, (4, 6), "%[4]s")
B = T.match_buffer(b, (6, %[1]s, %[2]s))
C = T.match_buffer(c, (4, %[1]s, %[2]s))
H = T.alloc_buffer((4, 6))
for i, k in T.grid(4, 6):
    with T.block("H"):
        vi, vk = T.axis.remap("SS", [i, k])
        H[vi, vk] = %[3]s
for i, j, l, k in T.grid(4, %[1]s, %[2]s, 6):
    with T.block("C"):
        vi, vj, vl, vk = T.axis.remap("SSSR", [i, j, l, k])
        with T.init():
            C[vi, vj, vl] = T.float32(0)
        C[vi, vj, vl] = C[vi, vj, vl] + H[vi, vk] * B[vk, vj, vl]`, m, n, value, kind))
		h, err := r.blocksBy("GetBlock", "H", nil)
		if err != nil {
			return false, err
		}
		b := r.at(h[0])
		often := convertedOften(b.Body.(*tir.BufferStore), r.at(k))
		if (r.notInlined(b) == "") == often {
			t.Errorf("converted often is %v, and so is worth inlining", often)
		}
		return often, nil
	}
	for _, c := range []struct {
		m, n string
		cast bool
		want bool
	}{
		{"8", "1", true, true}, {"7", "1", true, false}, {"2", "4", true, true}, {"2", "3", true, false}, {"x", "1", true, true}, {"1", "1", true, false}, {"8", "8", false, false}, {"1", "8", true, true}, {"3", "3", true, true},
	} {
		got, err := half(c.m, c.n, c.cast)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("each enters %s by %s results: %v, want %v", c.m, c.n, got, c.want)
		}
	}
}
