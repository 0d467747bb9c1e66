package sch_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
)

// TestStoreInPlace: a buffer is kept where the results of its last reader will be, unless something still reads it there, or the results are not all that is there.
func TestStoreInPlace(t *testing.T) {
	const params = `A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")`
	const first, sum, last = "B[vi, vj] = A[vi, vj] * T.float32(2)", "S[vi, vj] = B[vi, vj] + B[vi, 7 - vj]", "C[vi, vj] = B[vi, vj] * S[vi, vj]"
	for _, c := range []struct {
		name                string
		first, second, last string
		where               string // a condition of the last block
		merged              bool   // into one loop over rows
		refused             string
	}{
		{name: "nests behind each other", first: first, second: sum, last: last},
		{name: "rows", first: first, second: sum, last: last, merged: true},
		{name: "another element", first: first, second: sum, last: "C[vi, vj] = B[vi, 7 - vj] * S[vi, vj]", refused: "read elsewhere than at the element that is stored"},
		{name: "one element and another", first: first, second: sum, last: "C[vi, vj] = B[vi, vj] * B[vi, 0] + S[vi, vj]", refused: "read elsewhere than at the element that is stored"},
		{name: "the result, too", first: first, second: sum, last: "C[vi, vj] = B[vi, vj] * S[vi, vj] + C[vi, vj]", refused: "C is read elsewhere"},
		{name: "the results before", first: "B[vi, vj] = A[vi, vj] + C[vi, vj]", second: sum, last: last, refused: "block first accesses C"},
		{name: "written elsewhere", first: first, second: "C[vi, vj] = A[vi, vj]", last: "C[vi, vj] = B[vi, vj]", refused: "block second accesses C"},
		{name: "transposed", first: first, second: sum, last: "C[5 - vi, vj] = B[vi, vj] * S[vi, vj]", refused: "read elsewhere"},
		{name: "some rows only", first: first, second: sum, last: last, where: "i < 5", refused: "may not store all elements"},
		{name: "a row for all", first: first, second: sum, last: "C[0, vj] = B[0, vj] * S[vi, vj]", refused: "may not store all elements"},
		{name: "another shape", first: "F[vi * 8 + vj] = A[vi, vj]", second: "S[vi, vj] = F[vi * 8 + vj]", last: "C[vi, vj] = F[vi * 8 + vj] * S[vi, vj]", refused: "not allocated here with the type and shape of C"},
		{name: "another type", first: "H[vi, vj] = T.Cast(\"float16\", A[vi, vj])", second: "S[vi, vj] = A[vi, vj]", last: "C[vi, vj] = T.Cast(\"float32\", H[vi, vj]) * S[vi, vj]", refused: "not allocated here with the type"},
		{name: "an input", first: first, second: sum, last: "C[vi, vj] = A[vi, vj] * S[vi, vj] + B[vi, vj]", refused: "not allocated here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nest := func(name, where, store string) string {
				if where != "" {
					where = "\n        T.where(" + where + ")"
				}
				return `
for i, j in T.grid(6, 8):
    with T.block("` + name + `"):
        vi, vj = T.axis.remap("SS", [i, j])` + where + `
        ` + store
			}
			m := parsed(t, params, "B = T.alloc_buffer((6, 8))\nS = T.alloc_buffer((6, 8))\nF = T.alloc_buffer((48,))\nH = T.alloc_buffer((6, 8), \"float16\")\n"+
				strings.TrimSpace(nest("first", "", c.first)+nest("second", "", c.second)+nest("last", c.where, c.last)))
			s := newSchedule(t, m, 1)
			if c.merged {
				var loops []*sch.Loop
				for _, name := range []string{"first", "second", "last"} {
					loops = append(loops, do(t, s, "GetLoops", do(t, s, "GetBlock", name, nil)[0])[0].(*sch.Loop))
				}
				do(t, s, "Merge", loops)
			}
			block := do(t, s, "GetBlock", "last", nil)[0]
			_, err := s.Do(sch.KindOf("StoreInPlace"), block, int64(0))
			switch {
			case c.refused == "" && err != nil:
				t.Fatal(err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Fatalf("%v, want %q", err, c.refused)
			case c.refused != "":
				return
			}
			same(t, m, s, nil)
			if text := source(s.Module()); strings.Contains(text, "B = T.alloc_buffer") || strings.Contains(text, "B[") {
				t.Errorf("B is still there\n%s", text)
			}
			replayed(t, m, s)
		})
	}
}

// TestStoreInPlaceAfterTurns: a block that reads what other turns of their loop store is refused, and one that runs behind.
func TestStoreInPlaceAfterTurns(t *testing.T) {
	for name, second := range map[string]string{
		"reads a row before": `with T.block("second"):
        vi, vj = T.axis.remap("SS", [i, j])
        S[vi, vj] = B[T.max(vi - 1, 0), vj]`,
		"comes behind": "",
	} {
		body := `B = T.alloc_buffer((6, 8))
S = T.alloc_buffer((6, 8))
for i0, j0 in T.grid(6, 8):
    with T.block("first"):
        vi, vj = T.axis.remap("SS", [i0, j0])
        B[vi, vj] = A[vi, vj] * T.float32(2)
for i, j in T.grid(6, 8):
    ` + second + `
    with T.block("last"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = B[vi, vj] + T.float32(1)`
		want := "may access in a turn of loop"
		if second == "" {
			body += `
for i1, j1 in T.grid(6, 8):
    with T.block("third"):
        vi, vj = T.axis.remap("SS", [i1, j1])
        D[vi, vj] = B[vi, vj]`
			want = "accesses it later"
		}
		m := parsed(t, `A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32"), D: T.Buffer((6, 8), "float32")`, body)
		s := newSchedule(t, m, 1)
		if _, err := s.Do(sch.KindOf("StoreInPlace"), do(t, s, "GetBlock", "last", nil)[0], int64(0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
