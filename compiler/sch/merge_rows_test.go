package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// TestMergeRowByRow: nests are merged whose blocks depend on each other within a turn only, and compute the same.
func TestMergeRowByRow(t *testing.T) {
	const params = `A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")`
	for _, c := range []struct {
		name, first, second string
		refused             bool
	}{
		{name: "a row", first: "B[vi, vj] = A[vi, vj] * T.float32(2)", second: "C[vi, vj] = B[vi, vj] + B[vi, 7 - vj]"},
		{name: "a row of a flat buffer", first: "D[vi * 8 + vj] = A[vi, vj]", second: "C[vi, vj] = D[vi * 8 + 7 - vj]"},
		{name: "rows of a flat buffer that overlap", first: "D[vi * 8 + vj] = A[vi, vj]", second: "C[vi, vj] = D[vi * 7 + vj]", refused: true},
		{name: "rows of a flat buffer of other lengths", first: "D[vi * 8 + vj] = A[vi, vj]", second: "C[vi, vj] = D[vi * 4 + vj % 4]", refused: true},
		{name: "an element for a row", first: "D[vi] = A[vi, vj]", second: "C[vi, vj] = D[vi * 8 + vj]", refused: true},
		{name: "the flat row before", first: "D[vi * 8 + vj] = A[vi, vj]", second: "C[vi, vj] = D[T.max(vi - 1, 0) * 8 + vj]", refused: true},
		{name: "halves and remainders", first: "E[vi // 3, vi % 3, vj] = A[vi, vj]", second: "C[vi, vj] = E[vi // 3, vi % 3, 7 - vj]"},
		{name: "a half", first: "E[vi // 3, 0, vj] = A[vi, vj]", second: "C[vi, vj] = E[vi // 3, 0, vj]", refused: true},
		{name: "the row before", first: "B[vi, vj] = A[vi, vj]", second: "C[vi, vj] = B[T.max(vi - 1, 0), vj]", refused: true},
		{name: "the row behind", first: "B[vi, vj] = A[vi, vj]", second: "C[vi, vj] = B[T.min(vi + 1, 5), vj]", refused: true},
		{name: "rows from the end", first: "B[5 - vi, vj] = A[vi, vj]", second: "C[vi, vj] = B[vi, vj]", refused: true},
		{name: "a column", first: "B[vj % 6, vi] = A[vi, vj]", second: "C[vi, vj] = B[vi, vj]", refused: true},
		{name: "overwritten", first: "B[vi, vj] = A[vi, vj] + C[5 - vi, vj]", second: "C[vi, vj] = A[vi, vj]", refused: true},
		{name: "overwritten in a row", first: "B[vi, vj] = A[vi, vj] + C[vi, 7 - vj]", second: "C[vi, vj] = A[vi, vj]"},
		{name: "written twice", first: "C[0, vj] = A[vi, vj]", second: "C[vi, vj] = A[vi, vj]", refused: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			nest := func(name, store string) string {
				return `
for i, j in T.grid(6, 8):
    with T.block("` + name + `"):
        vi, vj = T.axis.remap("SS", [i, j])
        ` + store
			}
			m := parsed(t, params, "B = T.alloc_buffer((6, 8))\nD = T.alloc_buffer((48,))\nE = T.alloc_buffer((2, 3, 8))\n"+strings.TrimSpace(nest("first", c.first)+nest("second", c.second)))
			s := newSchedule(t, m, 1)
			var loops []*sch.Loop
			for _, name := range []string{"first", "second"} {
				loops = append(loops, do(t, s, "GetLoops", do(t, s, "GetBlock", name, nil)[0])[0].(*sch.Loop))
			}
			if _, err := s.Do(sch.KindOf("Merge"), []*sch.Loop{loops[1], loops[0]}); err == nil {
				t.Error("the second nest was put in front of the first")
			}
			_, err := s.Do(sch.KindOf("Merge"), loops)
			if (err != nil) != c.refused {
				t.Fatalf("refused %v, want %v", err, c.refused)
			}
			if err == nil {
				same(t, m, s, nil)
			}
		})
	}
}

// TestMergeRowsInParts: the turns of several loops in a row make the row, where a buffer has one axis for all.
func TestMergeRowsInParts(t *testing.T) {
	for read, refused := range map[string]bool{"D[vi * 8 + 7 - vj]": false, "D[vi * 8 + vj + 1]": true, "D[vi * 4 + vj]": true} {
		m := parsed(t, `A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")`, `D = T.alloc_buffer((49,))
for i, j in T.grid(6, 8):
    with T.block("first"):
        vi, vj = T.axis.remap("SS", [i, j])
        D[vi * 8 + vj] = A[vi, vj]
for i, j in T.grid(6, 8):
    with T.block("second"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = `+read)
		s := newSchedule(t, m, 1)
		var rows []*sch.Loop
		for _, name := range []string{"first", "second"} {
			loops := do(t, s, "GetLoops", do(t, s, "GetBlock", name, nil)[0])
			rows = append(rows, loops[0].(*sch.Loop))
			do(t, s, "Split", loops[1], []tir.Expr{nil, tir.Int32(2), tir.Int32(2)}, true, false)
		}
		_, err := s.Do(sch.KindOf("Merge"), rows)
		if (err != nil) != refused {
			t.Errorf("%s: %v", read, err)
		}
		if err == nil {
			same(t, m, s, nil)
		}
	}
}

// TestSplitShared: threads share the first part of a loop that they shared.
func TestSplitShared(t *testing.T) {
	m := parsed(t, `A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")`, `for i in T.parallel(6):
    for j in range(8):
        with T.block("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]`)
	s := newSchedule(t, m, 1)
	parts := do(t, s, "Split", do(t, s, "GetLoops", do(t, s, "GetBlock", "b", nil)[0])[0], []tir.Expr{nil, tir.Int32(2)}, true, false)
	for i, want := range []tir.ForKind{tir.Parallel, tir.Serial} {
		if x, err := s.Get(parts[i]); err != nil || x.(*tir.For).Kind != want {
			t.Errorf("part %d: %v, %v, want %s", i, x, err, want)
		}
	}
	same(t, m, s, nil)
}
