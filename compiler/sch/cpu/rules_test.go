package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// loopsOf lists the blocks that hold no others with the extents of their loops: v is a loop over vectors, u an unrolled one, ? a symbolic extent.
func loopsOf(r *rules) []string {
	var out []string
	var visit func(x tir.Stmt, loops string)
	visit = func(x tir.Stmt, loops string) {
		switch x := x.(type) {
		case *tir.SeqStmt:
			for _, c := range x.Seq {
				visit(c, loops)
			}
		case *tir.For:
			text := "?"
			if n, ok := tir.AsInt(x.Extent); ok {
				text = fmt.Sprint(n)
			}
			visit(x.Body, loops+" "+text+map[tir.ForKind]string{tir.Vectorized: "v", tir.Unrolled: "u"}[x.Kind])
		case *tir.BlockRealize:
			out = append(out, x.Block.Name+":"+loops)
		}
	}
	visit(r.root().Body, "")
	return out
}

// loopAt is the k-th loop around a block.
func loopAt(t *testing.T, r *rules, b *sch.Block, k int) *sch.Loop {
	t.Helper()
	loops, err := r.loops(b)
	if err != nil {
		t.Fatal(err)
	}
	return loops[k]
}

func TestVectorize(t *testing.T) {
	for _, c := range []struct {
		n     string
		lanes int64
		want  []string
	}{
		{"1", 16, []string{"C: 1"}},
		{"3", 16, []string{"C: 3"}},
		{"4", 16, []string{"C: 1 4v"}},
		{"5", 16, []string{"C: 1 4v", "C_1: 1"}},
		{"7", 8, []string{"C: 1 4v", "C_1: 3"}},
		{"8", 16, []string{"C: 1 8v"}},
		{"12", 16, []string{"C: 3 4v"}},
		{"15", 16, []string{"C: 3 4v", "C_1: 3"}},
		{"16", 16, []string{"C: 1 16v"}},
		{"16", 8, []string{"C: 2 8v"}},
		{"20", 16, []string{"C: 5 4v"}},
		{"24", 16, []string{"C: 3 8v"}},
		{"32", 16, []string{"C: 2 16v"}},
		{"33", 16, []string{"C: 4 8v", "C_1: 1"}},
		{"36", 16, []string{"C: 4 8v", "C_1: 1 4v"}},
		{"40", 16, []string{"C: 5 8v"}},
		{"63", 16, []string{"C: 7 8v", "C_1: 1 4v", "C_1_1: 3"}},
		{"64", 16, []string{"C: 4 16v"}},
		{"66", 16, []string{"C: 4 16v", "C_1: 2"}},
		{"68", 16, []string{"C: 4 16v", "C_1: 1 4v"}},
		{"70", 16, []string{"C: 4 16v", "C_1: 1 4v", "C_1_1: 2"}},
		{"x", 16, []string{"C: ? 16v", "C_1: ? 4v", "C_1_1: ?"}},
		{"x", 4, []string{"C: ? 4v", "C_1: ?"}},
	} {
		r, b := blockOf(t, "a: T.handle, c: T.handle", fmt.Sprintf(`
x = T.int64()
A = T.match_buffer(a, (%[1]s,))
C = T.match_buffer(c, (%[1]s,))
for i in range(%[1]s):
    with T.block("C"):
        vi = T.axis.spatial(%[1]s, i)
        C[vi] = A[vi]`, c.n))
		if err := r.vectorize(loopAt(t, r, b, 0), c.lanes); err != nil {
			t.Fatal(err)
		}
		if got := loopsOf(r); !slices.Equal(got, c.want) {
			t.Errorf("%s in %d lanes: %q, want %q", c.n, c.lanes, got, c.want)
		}
	}
}

func TestPointwise(t *testing.T) {
	for _, c := range []struct {
		name, m, n, a, store string
		want                 []string
	}{
		{"rows are one axis", "4", "6", "(4, 6)", "C[vi, vj] = A[vi, vj]", []string{"C: 3 8v"}},
		{"columns are not", "4", "8", "(8, 4)", "C[vi, vj] = A[vj, vi]", []string{"C: 4 8"}},
		{"a row for all", "4", "8", "(8,)", "C[vi, vj] = A[vj]", []string{"C: 4 1 8v"}},
		{"a part of rows", "4", "8", "(4, 9)", "C[vi, vj] = A[vi, vj]", []string{"C: 4 1 8v"}},
		{"the number of a column", "4", "8", "(4, 8)", `C[vi, vj] = A[vi, vj] * T.Cast("float32", vj)`, []string{"C: 4 1 8v"}},
		{"the number of a row", "4", "8", "(4, 8)", `C[vi, vj] = A[vi, vj] * T.Cast("float32", vi)`, []string{"C: 4 1 8v"}},
		{"one row", "1", "16", "(1, 16)", "C[vi, vj] = A[vi, vj]", []string{"C: 1 16v"}},
		{"one element", "1", "1", "(1, 1)", "C[vi, vj] = A[vi, vj]", []string{"C: 1 1"}},
		{"a function", "4", "16", "(4, 16)", "C[vi, vj] = T.exp(A[vi, vj])", []string{"C: 8 8v"}},
		{"symbolic", "x", "y", "(x, y)", "C[vi, vj] = A[vi, vj]", []string{"C: ? 16v", "C_1: ? 4v", "C_1_1: ?"}},
		{"a symbolic row for all", "x", "y", "(y,)", "C[vi, vj] = A[vj]", []string{"C: ? ? 16v", "C_1: ? ? 4v", "C_1_1: ? ?"}},
		{"in turn", "4", "6", "(4, 3)", "C[vi, vj] = T.if_then_else(vj % 2 == 0, A[vi, vj // 2], T.float32(0))", []string{"C: 4 3 2u"}},
		{"in turn, with a rest", "4", "7", "(4, 4)", "C[vi, vj] = T.if_then_else(vj % 2 == 0, A[vi, vj // 2], T.float32(0))", []string{"C: 4 3 2u", "C_1: 4 1"}},
		{"in turn, too short", "4", "3", "(4, 4)", "C[vi, vj] = T.if_then_else(vj % 4 == 0, A[vi, vj // 4], T.float32(0))", []string{"C: 4 3"}},
		{"in turn, symbolic", "4", "y", "(4, y)", "C[vi, vj] = T.if_then_else(vj % 2 == 0, A[vi, vj // 2], T.float32(0))", []string{"C: 4 ? 2u", "C_1: 4 ?"}},
		{"in turn both ways", "4", "6", "(2, 3)", "C[vi, vj] = T.if_then_else(vj % 2 == 0 and vi % 2 == 0, A[vi // 2, vj // 2], T.float32(0))", []string{"C: 2 2u 3 2u"}},
		{"rows in turn", "4", "8", "(2, 8)", "C[vi, vj] = T.if_then_else(vi % 2 == 0, A[vi // 2, vj], T.float32(0))", []string{"C: 4 1 8v"}},
		{"backwards", "4", "8", "(4, 8)", "C[vi, vj] = A[vi, 7 - vj]", []string{"C: 4 8"}},
	} {
		r, b := pair(t, c.m, c.n, c.a, "("+c.m+", "+c.n+")", c.store)
		if err := r.pointwise(b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := loopsOf(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// What reads what it writes, what holds two stores and what has no loops stays as it is.
	r, b := pair(t, "4", "8", "(4, 8)", "(4, 8)", "C[vi, vj] = C[vi, vj] + A[vi, vj]")
	if err := r.pointwise(b); err != nil || loopsOf(r)[0] != "C: 4 8" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
	r, b = pair(t, "4", "8", "(4, 8)", "(4, 8)", "C[vi, vj] = A[vi, vj]\n        C[vi, vj] = A[vi, vj]")
	if err := r.pointwise(b); err != nil || loopsOf(r)[0] != "C: 4 8" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
	r, b = blockOf(t, `A: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")`, "with T.block(\"B\"):\n    C[0] = T.float32(1)\nwith T.block(\"C\"):\n    C[0] = A[0]")
	if err := r.pointwise(b); err != nil || loopsOf(r)[1] != "C:" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
	r, b = blockOf(t, `A: T.Buffer((4, 8), "float8_e4m3fn"), C: T.Buffer((4, 8), "float8_e4m3fn")`, `
for i, j in T.grid(4, 8):
    with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = A[vi, vj]`)
	if err := r.pointwise(b); err != nil || loopsOf(r)[0] != "C: 4 8" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
	// Loops that were changed before are vectorised, but not fused.
	r, b = pair(t, "4", "8", "(4, 8)", "(4, 8)", "C[vi, vj] = A[vi, vj]")
	if err := r.act("Parallel", loopAt(t, r, b, 0)); err != nil {
		t.Fatal(err)
	}
	if err := r.pointwise(b); err != nil || loopsOf(r)[0] != "C: 4 1 8v" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
}

// TestPointwiseAxes: of three axes those are fused over which each access goes on.
func TestPointwiseAxes(t *testing.T) {
	for _, c := range []struct {
		name, shape, load string
		want              string
	}{
		{"all", "(3, 4, 8)", "vi, vj, vk", "C: 6 16v"},
		{"the last two", "(3, 4, 9)", "vi, vj, vk", "C: 3 4 1 8v"},
		{"the first beside", "(4, 8)", "vj, vk", "C: 3 2 16v"},
		{"the first two", "(8,)", "vk", "C: 3 4 1 8v"},
	} {
		r, b := blockOf(t, fmt.Sprintf(`A: T.Buffer(%s, "float32"), C: T.Buffer((3, 4, 8), "float32")`, c.shape), `
for i, j, k in T.grid(3, 4, 8):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSS", [i, j, k])
        C[vi, vj, vk] = A[`+c.load+`]`)
		if err := r.pointwise(b); err != nil {
			t.Fatal(err)
		}
		if got := loopsOf(r); got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// An axis of one stands between two that belong together.
	r, b := blockOf(t, `A: T.Buffer((3, 1, 8), "float32"), C: T.Buffer((3, 1, 8), "float32")`, `
for i, j, k in T.grid(3, 1, 8):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSS", [i, j, k])
        C[vi, vj, vk] = A[vi, vj, vk]`)
	if err := r.pointwise(b); err != nil || loopsOf(r)[0] != "C: 3 8v" {
		t.Errorf("%v, %q", err, loopsOf(r))
	}
}

// TestPhased: what writes a buffer in phases does so one phase after the other.
func TestPhased(t *testing.T) {
	for _, c := range []struct {
		n     int
		value string
		want  []string
	}{
		{16, "A[vi]", []string{"C: 2u 1 8v"}},
		{40, "A[vi]", []string{"C: 2u 5 4v"}},
		{64, "A[vi]", []string{"C: 2u 4 8v"}},
		{17, "A[vi]", []string{"C: 2u 1 8v", "C_1: 1"}},
		{8, "A[vi]", []string{"C: 2u 1 4v"}},
		{7, "A[vi]", []string{"C: 7"}}, // too short
		{16, "A[vi] + A[vi]", []string{"C: 16"}},
		{16, "T.float32(0)", []string{"C: 16v"}}, // refilled over the axes of the buffer
	} {
		r, b := blockOf(t, fmt.Sprintf(`A: T.Buffer((%[1]d,), "float32"), E: T.Buffer((%[1]d,), "float32")`, c.n), fmt.Sprintf(`
C = T.alloc_buffer((%[1]d,))
for i in range(%[1]d):
    with T.block("C"):
        vi = T.axis.spatial(%[1]d, i)
        C[vi] = %[2]s
for i in range(%[1]d):
    with T.block("E"):
        vi = T.axis.spatial(%[1]d, i)
        E[vi] = C[vi]`, c.n, c.value))
		d := r.at(b).IterVars[0].Var.DType()
		v, two := tir.NewVar("v", d), tir.Const(d, 2)
		m := &tir.IndexMap{Initial: []*tir.Var{v}, Final: []tir.Expr{tir.FloorMod(v, two), tir.FloorDiv(v, two)}}
		if err := r.act("TransformLayout", b, []any{"write", int64(0)}, m, nil, true); err != nil {
			t.Fatal(err)
		}
		r.phases[r.at(b).Writes[0].Buffer] = 2
		if err := r.pointwise(b); err != nil {
			t.Fatal(err)
		}
		got := loopsOf(r)
		if got = got[:len(got)-1]; !slices.Equal(got, c.want) && !(c.value == "T.float32(0)" && strings.HasSuffix(got[0], "v")) {
			t.Errorf("%d of %s: %q, want %q", c.n, c.value, got, c.want)
		}
	}
}

// TestWorthInlining: what costs less to compute again than to store is computed again.
func TestWorthInlining(t *testing.T) {
	same := "for i, j in T.grid(4, 6):\n    with T.block(\"C\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi, vj] = %s"
	more := "for i, j, k in T.grid(4, 6, 5):\n    with T.block(\"C\"):\n        vi, vj, vk = T.axis.remap(\"SSS\", [i, j, k])\n        C[vi, vj] = B[vi, vj]"
	sum := "for i, j in T.grid(4, 6):\n    with T.block(\"C\"):\n        vi, vj = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            C[vi, 0] = T.float32(0)\n        C[vi, 0] = C[vi, 0] + B[vi, vj]"
	rows := "for i, j, k in T.grid(4, 6, 5):\n    with T.block(\"C\"):\n        vi, vj, vk = T.axis.remap(\"SRS\", [i, j, k])\n        with T.init():\n            C[vi, vk] = T.float32(0)\n        C[vi, vk] = C[vi, vk] + B[vi, vj]"
	const cheap, call, branch, plain = "A[vi, vj] + T.float32(1)", "T.exp(A[vi, vj])", "T.if_then_else(vj < 3, A[vi, vj], T.float32(0))", "A[vi, vj]"
	four := "((A[vi, vj] + T.float32(1)) * T.float32(2) - T.float32(3)) * T.float32(4)"
	const five = "(((A[vi, vj] + T.float32(1)) * T.float32(2) - T.float32(3)) * T.float32(4)) + T.float32(5)"
	const once, twice = "B[vi, vj]", "B[vi, vj] * B[vi, 0]"
	// The consumer has 8 nodes, and each term two more.
	terms := func(n int) string { return "A[vi, vj]" + strings.Repeat(" + A[vi, vj]", n) }
	for _, c := range []struct {
		name, value, consumer string
		want                  bool
	}{
		{"a copy once", plain, fmt.Sprintf(same, once), true},
		{"a copy twice", plain, fmt.Sprintf(same, twice), true},
		{"cheap once", cheap, fmt.Sprintf(same, once), true},
		{"cheap twice", cheap, fmt.Sprintf(same, twice), true},
		{"four operations twice", four, fmt.Sprintf(same, twice), true},
		{"five operations twice", five, fmt.Sprintf(same, twice), false},
		{"five operations once", five, fmt.Sprintf(same, once), true},
		{"a function once", call, fmt.Sprintf(same, once), true},
		{"a function twice", call, fmt.Sprintf(same, twice), false},
		{"a condition once", branch, fmt.Sprintf(same, once), true},
		{"a copy into more", plain, more, true},
		{"cheap into more", cheap, more, true},
		{"a function into more", call, more, false},
		{"two operations into more", "(A[vi, vj] + T.float32(1)) * T.float32(2)", more, true},
		{"three operations into more", "(A[vi, vj] + T.float32(1)) * T.float32(2) + T.float32(1)", more, false},
		{"cheap into a sum", cheap, sum, true},
		{"a function into a sum", call, sum, false},
		{"a condition into a sum", branch, sum, false},
		{"a copy into a sum", plain, sum, true},
		{"cheap into a sum that reads it often", cheap, rows, false},
		{"a copy into a sum that reads it often", plain, rows, true},
		{"nothing reads it", cheap, "for i, j in T.grid(4, 6):\n    with T.block(\"C\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n        C[vi, vj] = A[vi, vj]", false},
		{"399 nodes", terms(195), fmt.Sprintf(same, once), true},
		{"401 nodes", terms(196), fmt.Sprintf(same, once), false},
		{"400 nodes", "T.exp(" + terms(195) + ")", fmt.Sprintf(same, once), true},
	} {
		r, _ := blockOf(t, `A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 6), "float32")`, `
B = T.alloc_buffer((4, 6))
for i, j in T.grid(4, 6):
    with T.block("B"):
        vi, vj = T.axis.remap("SS", [i, j])
        B[vi, vj] = `+c.value+"\n"+c.consumer)
		b := r.blocks[0]
		if got := r.notInlined(r.at(b)) == ""; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if r.inline(); r.done[b] != c.want || (len(r.leaves()) == 1) != c.want {
			t.Errorf("%s: inlined is %v, want %v", c.name, r.done[b], c.want)
		}
	}
	r, b := pair(t, "4", "6", "(4, 6)", "(4, 6)", "C[vi, vj] = A[vi, vj]")
	if r.notInlined(r.at(b)) == "" {
		t.Error("a result of the function is worth inlining")
	}
}

// TestErrorsOfRules: where a primitive refuses, the rule says so.
func TestErrorsOfRules(t *testing.T) {
	const kept = ": The primitive can't be applied because the loop i has annotation or thread binding"
	for _, c := range []struct {
		name string
		n    int
		do   func(r *rules, st *tir.BufferStore, l *sch.Loop) error
		want string
	}{
		{"vectors", 20, func(r *rules, _ *tir.BufferStore, l *sch.Loop) error { return r.vectorize(l, 16) }, "schedule: split" + kept},
		{"vectors and a rest", 21, func(r *rules, _ *tir.BufferStore, l *sch.Loop) error { return r.vectorize(l, 16) }, "schedule: cut_loop" + kept},
		{"in turn", 20, func(r *rules, _ *tir.BufferStore, l *sch.Loop) error { return r.interleaved(l, 2) }, "schedule: split" + kept},
		{"in turn and a rest", 21, func(r *rules, _ *tir.BufferStore, l *sch.Loop) error { return r.interleaved(l, 2) }, "schedule: cut_loop" + kept},
		{"phases", 20, func(r *rules, st *tir.BufferStore, l *sch.Loop) error {
			return r.phased(st, []*sch.Loop{l}, 2)
		}, "schedule: split" + kept},
		{"phases and a rest", 21, func(r *rules, st *tir.BufferStore, l *sch.Loop) error {
			return r.phased(st, []*sch.Loop{l}, 2)
		}, "schedule: cut_loop" + kept},
	} {
		r, b := blockOf(t, fmt.Sprintf(`A: T.Buffer((%[1]d,), "float32"), C: T.Buffer((%[1]d,), "float32")`, c.n), fmt.Sprintf(`
for i in range(%[1]d):
    with T.block("C"):
        vi = T.axis.spatial(%[1]d, i)
        C[vi] = A[vi]`, c.n))
		l := loopAt(t, r, b, 0)
		if err := r.act("Annotate", l, "kept", "as it is"); err != nil {
			t.Fatal(err)
		}
		if err := c.do(r, r.at(b).Body.(*tir.BufferStore), l); err == nil || brief(err).Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		do   func(p *plan)
		want string
	}{
		{"no lanes", func(*plan) {}, "schedule: tile_reduction: The block \"C\" cannot be tiled: the tile of the vector variable is not a multiple of 0 lanes"},
		{"a cut of a parallel loop", func(p *plan) {
			p.cut, p.Vector = true, 1
			if err := p.r.act("Parallel", loopAt(t, p.r, p.b, 1)); err != nil {
				t.Fatal(err)
			}
		}, "schedule: cut_loop: The loop j cannot be cut: its iterations do not run one after the other"},
	} {
		p := product(t, "8", "32", "x", "float32", false)
		p.Lanes = 0
		c.do(p)
		if _, err := p.r.tile(p.b, p); err == nil || brief(err).Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
