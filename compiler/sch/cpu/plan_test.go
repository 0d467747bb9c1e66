package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// blockOf reads the body of a function in TVMScript and returns the rules under way on it, for whole tiles, and block C.
func blockOf(t *testing.T, params, body string) (*rules, *sch.Block) {
	t.Helper()
	text := "# from tvm.script import tir as T\n\n@T.prim_func\ndef main(" + params + "):\n    " +
		strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
	m, found := parse.Module("text.py", text, parse.Options{})
	for _, d := range found {
		t.Fatalf("%s\n%s", d.Format(), text)
	}
	var f *tir.PrimFunc
	for _, x := range m.Funcs() {
		f = x.(*tir.PrimFunc)
	}
	r, err := newRules(f, wide)
	if err != nil {
		t.Fatal(err)
	}
	r.whole = true
	for _, b := range r.blocks {
		if r.at(b).Name == "C" {
			return r, b
		}
	}
	t.Fatal("there is no block C")
	return nil, nil
}

// planOf is the plan of block C before anything is chosen.
func planOf(t *testing.T, params, body string) *plan {
	t.Helper()
	r, b := blockOf(t, params, body)
	return newPlan(r, b)
}

// product is C = A @ B, where n is the text of an extent; the last factor may be transposed.
func product(t *testing.T, m, k, n, dtype string, transposed bool) *plan {
	t.Helper()
	b, at := fmt.Sprintf("(%s, %s)", k, n), "vk, vj"
	if transposed {
		b, at = fmt.Sprintf("(%s, %s)", n, k), "vj, vk"
	}
	zero := "T." + dtype + "(0)"
	return planOf(t, "a: T.handle, b: T.handle, c: T.handle", fmt.Sprintf(`
x, y = T.int64(), T.int64()
A = T.match_buffer(a, (%[1]s, %[2]s), "%[5]s")
B = T.match_buffer(b, %[4]s, "%[5]s")
C = T.match_buffer(c, (%[1]s, %[3]s), "%[5]s")
for i, j, k in T.grid(%[1]s, %[3]s, %[2]s):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = %[6]s
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[%[7]s]`, m, k, n, b, dtype, zero, at))
}

func TestBestShape(t *testing.T) {
	for _, c := range []struct {
		lanes, registers, m, n int64
		rows, cols             int64
	}{
		{4, 1, 16, 24, 4, 8},
		{4, 1, 1, 1000, 1, 32},
		{4, 1, 1, 16, 1, 16},
		{4, 1, 1, 24, 1, 24},
		{4, 1, 1, 4, 1, 4},
		{4, 1, 1, 2, 1, 4}, // none fits
		{4, 1, 3, 8, 3, 8},
		{4, 1, 8, 4, 8, 4},
		{4, 1, 6, 4, 6, 4},
		{4, 1, 5, 4, 5, 4},
		{4, 1, 2, 16, 2, 16},
		{4, 1, 2, 8, 2, 8},
		{4, 1, 3, 4, 3, 4},
		{4, 1, 2, 4, 2, 4},
		{4, 1, 4, 20, 4, 8},
		{4, 1, 0, 24, 4, 8}, // symbolic
		{4, 1, 0, 4, 4, 4},  // no more than four of symbolic rows
		{4, 1, 16, 0, 4, 8},
		{4, 1, 0, 0, 4, 8},
		{2, 1, 16, 24, 4, 4}, // two sums in a register
		{4, 2, 16, 24, 4, 4},
		{4, 2, 8, 4, 4, 4},
		{4, 2, 1, 100, 1, 16},
	} {
		p := &plan{registers: c.registers, machine: wide}
		p.Lanes = c.lanes
		if s, _ := p.bestShape(extents{c.m, c.n, 1, 0}, 0); s.rows != c.rows || s.vectors*s.lanes != c.cols {
			t.Errorf("lanes %d in %d registers, %d by %d: tiles of %d by %d, want %d by %d", c.lanes, c.registers, c.m, c.n, s.rows, s.vectors*s.lanes, c.rows, c.cols)
		}
	}
}

func TestWaste(t *testing.T) {
	for _, c := range []struct {
		n, t int64
		want float64
	}{{8, 4, 0}, {10, 4, 0.2}, {5, 4, 0.6}, {1, 4, 3}, {12, 1, 0}} {
		if got := waste(c.n, c.t); got-c.want > 1e-9 || c.want-got > 1e-9 {
			t.Errorf("tiles of %d waste %v of %d, want %v", c.t, got, c.n, c.want)
		}
	}
}

// TestFit: the largest tile that computes at most a quarter twice.
func TestFit(t *testing.T) {
	for n := int64(1); n <= 20; n++ {
		p := product(t, fmt.Sprint(n), "4", "8", "float32", false)
		for limit := int64(1); limit <= 8; limit++ {
			want := int64(1)
			for k := int64(2); k <= limit && k <= n; k++ {
				if float64((n+k-1)/k*k) <= 1.25*float64(n) {
					want = k
				}
			}
			got := int64(1)
			if len(p.spatial) > 1 {
				got = p.fit(0, limit)
			}
			if got != want {
				t.Errorf("the tile of %d up to %d is %d, want %d", n, limit, got, want)
			}
		}
	}
	p := product(t, "x", "4", "8", "float32", false)
	for limit, want := range map[int64]int64{2: 2, 4: 4, 8: 4} {
		if got := p.fit(0, limit); got != want {
			t.Errorf("the tile of a symbolic extent up to %d is %d, want %d", limit, got, want)
		}
	}
}

// TestWiden: as many accumulators as vectors go at least twice into the extent, or fewer where less is left over then.
func TestWiden(t *testing.T) {
	for _, c := range []struct{ lanes, n, vectors, want int64 }{
		{4, 32, 4, 16}, {4, 31, 4, 4}, {4, 40, 4, 8}, {4, 16, 4, 8}, {4, 15, 4, 4}, {4, 8, 4, 4}, {4, 4, 4, 4}, {4, 0, 4, 16}, {4, 100, 1, 4}, {4, 100, 3, 12}, {4, 20, 3, 4}, {2, 16, 4, 8}, {4, 100, 0, 4},
	} {
		p := &plan{}
		p.Lanes, p.Tile = c.lanes, []int64{1}
		if p.widen(0, c.n, c.vectors); p.Tile[0] != c.want {
			t.Errorf("%d vectors of %d for an extent of %d: a tile of %d, want %d", c.vectors, c.lanes, c.n, p.Tile[0], c.want)
		}
	}
}

// columns is the sum of a matrix of n columns of rows by k, over k.
func columns(t *testing.T, rows, k, n, dtype string) *plan {
	t.Helper()
	return planOf(t, "a: T.handle, c: T.handle", fmt.Sprintf(`
x, y = T.int64(), T.int64()
A = T.match_buffer(a, (%[1]s, %[2]s, %[3]s), "%[4]s")
C = T.match_buffer(c, (%[1]s, %[3]s), "%[4]s")
for i, j, k in T.grid(%[1]s, %[3]s, %[2]s):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
        with T.init():
            C[vi, vj] = T.%[4]s(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk, vj]`, rows, k, n, dtype))
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		rows, n, dtype string
		tile           []int64
	}{
		{"3", "64", "float32", []int64{1, 32, 1}},
		{"3", "100", "float32", []int64{1, 16, 1}}, // 32 would waste 28 of 100
		{"3", "16", "float32", []int64{1, 16, 1}},
		{"4", "8", "float32", []int64{2, 8, 1}},
		{"3", "8", "float32", []int64{1, 8, 1}}, // two rows would waste one of three
		{"4", "4", "float32", []int64{4, 4, 1}},
		{"5", "4", "float32", []int64{3, 4, 1}}, // four rows would waste three of five
		{"7", "4", "float32", []int64{4, 4, 1}},
		{"2", "4", "float32", []int64{2, 4, 1}},
		{"1", "4", "float32", []int64{1, 4, 1}},
		{"4", "y", "float32", []int64{2, 8, 1}},
		{"x", "8", "float32", []int64{1, 8, 1}},
		{"4", "9", "float32", []int64{4, 4, 1}},   // 8 would waste 7 of 9, 4 three
		{"3", "64", "float64", []int64{1, 16, 1}}, // two in a register
		{"4", "4", "float64", []int64{2, 4, 1}},
	} {
		p := columns(t, c.rows, "5", c.n, c.dtype)
		p.columns(1, p.extent(1))
		if !slices.Equal(p.Tile, c.tile) {
			t.Errorf("%s by %s of %s: tiles are %v, want %v", c.rows, c.n, c.dtype, p.Tile, c.tile)
		}
	}
}

func TestTileTwo(t *testing.T) {
	for _, c := range []struct {
		rows, cols string
		budget     int64
		want       []int64
	}{
		{"16", "16", 8, []int64{2, 4, 1}},
		{"16", "3", 8, []int64{2, 3, 1}},
		{"16", "2", 8, []int64{4, 2, 1}},
		{"16", "16", 4, []int64{2, 2, 1}},
		{"x", "16", 8, []int64{2, 4, 1}},
		{"x", "2", 8, []int64{2, 2, 1}}, // a symbolic row has two at most
		{"16", "y", 8, []int64{2, 4, 1}},
		{"16", "16", 2, []int64{2, 1, 1}},
	} {
		p := product(t, c.rows, "20", c.cols, "float32", true)
		p.tileTwo(1, 0, c.budget)
		if !slices.Equal(p.Tile, c.want) {
			t.Errorf("%s by %s in %d: tiles are %v, want %v", c.rows, c.cols, c.budget, p.Tile, c.want)
		}
	}
}

// TestKnownRows: rows of a known number go before those of an unknown one, and need no version of their own.
func TestKnownRows(t *testing.T) {
	for _, c := range []struct {
		rows string
		want []int64
	}{
		{"224", []int64{1, 6, 8}},
		{"y", []int64{1, 6, 8}},
		{"1", []int64{6, 1, 8}},
	} {
		p := planOf(t, "a: T.handle, B: T.Buffer((64, 32)), c: T.handle", fmt.Sprintf(`
x, y = T.int64(), T.int64()
A = T.match_buffer(a, (x, %[1]s, 64))
C = T.match_buffer(c, (x, %[1]s, 32))
for n, i, j, k in T.grid(x, %[1]s, 32, 64):
    with T.block("C"):
        vn, vi, vj, vk = T.axis.remap("SSSR", [n, i, j, k])
        with T.init():
            C[vn, vi, vj] = T.float32(0)
        C[vn, vi, vj] = C[vn, vi, vj] + A[vn, vi, vk] * B[vk, vj]`, c.rows))
		p.machine.Spreads = true
		if !p.alongResult(2) || !slices.Equal(p.Tile[:3], c.want) {
			t.Errorf("%s rows: %+v, want %v", c.rows, p.TileSpec, c.want)
		}
	}
}

func TestAlongReduction(t *testing.T) {
	for _, c := range []struct {
		name, m, k, n, dtype string
		want                 []int64
		needs                int
	}{
		{"two rows", "16", "64", "16", "float32", []int64{2, 4, 4}, 0},
		{"three columns", "16", "64", "3", "float32", []int64{2, 3, 4}, 0},
		{"a row of one", "1", "64", "16", "float32", []int64{1, 4, 8}, 0},
		{"a column of one", "16", "64", "1", "float32", []int64{4, 1, 8}, 0},
		{"a short reduction", "1", "12", "16", "float32", []int64{1, 4, 4}, 0},
		{"one result", "1", "64", "1", "float32", []int64{1, 1, 16}, 0},
		{"two registers", "1", "64", "16", "float64", []int64{1, 4, 4}, 0},
		{"symbolic rows", "x", "64", "16", "float32", []int64{2, 4, 4}, 1},
		{"symbolic", "x", "64", "y", "float32", []int64{2, 4, 4}, 2},
		{"a symbolic reduction", "1", "x", "16", "float32", []int64{1, 4, 8}, 0},
	} {
		p := product(t, c.m, c.k, c.n, c.dtype, true)
		if !p.alongReduction(2) || p.Vector != 2 || p.Factor != 1 || !slices.Equal(p.Reduce, []int{2}) {
			t.Errorf("%s: %+v", c.name, p.TileSpec)
		}
		if !slices.Equal(p.Tile, c.want) {
			t.Errorf("%s: tiles are %v, want %v", c.name, p.Tile, c.want)
		}
		if len(p.Whole) != c.needs || len(p.r.needs) != c.needs {
			t.Errorf("%s: whole are %v where %v, want %d", c.name, p.Whole, p.r.needs, c.needs)
		}
		p = product(t, c.m, c.k, c.n, c.dtype, true)
		p.r.whole = false
		if p.alongReduction(2); len(p.Whole)+len(p.r.needs) > 0 {
			t.Errorf("%s, small: whole are %v where %v", c.name, p.Whole, p.r.needs)
		}
	}
	// Rows of a sum have no tile that they would need.
	rows := planOf(t, "a: T.handle, c: T.handle", `
x = T.int64()
A = T.match_buffer(a, (x, 64))
C = T.match_buffer(c, (x,))
for i, k in T.grid(x, 64):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vk]`)
	if rows.alongReduction(1); len(rows.r.needs) > 0 || !slices.Equal(rows.Tile, []int64{1, 16}) {
		t.Errorf("rows need %v, tiles are %v", rows.r.needs, rows.Tile)
	}
	// The lanes run along the variable inside, whichever it is.
	p := planOf(t, `A: T.Buffer((4, 16, 6), "float32"), C: T.Buffer((4,), "float32")`, `
for i, j, k in T.grid(4, 16, 6):
    with T.block("C"):
        vi, vj, vk = T.axis.remap("SRR", [i, j, k])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vi, vj, vk]`)
	if p.alongReduction(1); !slices.Equal(p.Reduce, []int{2, 1}) || !slices.Equal(p.Tile, []int64{1, 8, 1}) {
		t.Errorf("the reduction is %v in tiles of %v", p.Reduce, p.Tile)
	}
}

// batched is C[b, i, j] of A[b, i, k] and B[k, j] or B[b, k, j].
func batched(t *testing.T, second string) *plan {
	t.Helper()
	return planOf(t, `A: T.Buffer((3, 8, 12), "float32"), B: T.Buffer((3, 12, 16), "float32"), C: T.Buffer((3, 8, 16), "float32")`, `
for b, i, j, k in T.grid(3, 8, 16, 12):
    with T.block("C"):
        vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
        with T.init():
            C[vb, vi, vj] = T.float32(0)
        C[vb, vi, vj] = C[vb, vi, vj] + A[vb, vi, vk] * `+second)
}

func TestSpatialByUse(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *plan
		want []int
	}{
		{"a product", product(t, "4", "12", "8", "float32", true), []int{1, 0}},
		{"a row", product(t, "1", "12", "8", "float32", true), []int{1}},
		{"a batch of both", batched(t, "B[vb, vk, vj]"), []int{2, 1}},
		{"a batch of one", batched(t, "B[0, vk, vj]"), []int{2, 1}},
		{"both of one", batched(t, "B[0, vk, 0]"), []int{1}},
		{"one of both, one of none", planOf(t, `A: T.Buffer((8, 12), "float32"), B: T.Buffer((8, 12), "float32"), C: T.Buffer((3, 8), "float32")`, `
for b, i, k in T.grid(3, 8, 12):
    with T.block("C"):
        vb, vi, vk = T.axis.remap("SSR", [b, i, k])
        with T.init():
            C[vb, vi] = T.float32(0)
        C[vb, vi] = C[vb, vi] + A[vi, vk] * B[vi, vk]`), nil},
	} {
		if got := c.p.spatialByUse(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRowAxis(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *plan
		v    int
		want int
	}{
		{"a product", product(t, "4", "12", "8", "float32", false), 1, 0},
		{"a row of one", product(t, "1", "12", "8", "float32", false), 1, -1},
		{"symbolic rows", product(t, "x", "12", "8", "float32", false), 1, 0},
		{"a batch of both", batched(t, "B[vb, vk, vj]"), 2, 1},
		{"a batch of one: the longer one", batched(t, "B[0, vk, vj]"), 2, 1},
	} {
		if got := c.p.shapes(c.v); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	rows := func(m, l string) *plan {
		return planOf(t, "a: T.handle, b: T.handle, c: T.handle", fmt.Sprintf(`
x = T.int64()
A = T.match_buffer(a, (%[1]s, %[2]s, 12))
B = T.match_buffer(b, (12, 8))
C = T.match_buffer(c, (%[1]s, %[2]s, 8))
for i, l, j, k in T.grid(%[1]s, %[2]s, 8, 12):
    with T.block("C"):
        vi, vl, vj, vk = T.axis.remap("SSSR", [i, l, j, k])
        with T.init():
            C[vi, vl, vj] = T.float32(0)
        C[vi, vl, vj] = C[vi, vl, vj] + A[vi, vl, vk] * B[vk, vj]`, m, l))
	}
	for _, c := range []struct {
		m, l string
		want int
	}{{"4", "9", 0}, {"9", "4", 1}, {"5", "5", 1}, {"x", "5", 0}, {"5", "x", 1}} {
		if got := rows(c.m, c.l).shapes(2); got != c.want {
			t.Errorf("%s by %s rows: %d, want %d", c.m, c.l, got, c.want)
		}
	}
}

func TestPlanQueries(t *testing.T) {
	nn, nt := product(t, "4", "12", "8", "float32", false), product(t, "4", "12", "8", "float32", true)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"results of nn", nn.contiguousResult(), 1},
		{"results of nt", nt.contiguousResult(), 1},
		{"results of a narrow product", product(t, "4", "12", "3", "float32", false).contiguousResult(), -1},
		{"results of just a vector", product(t, "4", "12", "4", "float32", false).contiguousResult(), 1},
		{"results of a symbolic width", product(t, "4", "12", "x", "float32", false).contiguousResult(), 1},
		{"results of two doubles", product(t, "4", "12", "2", "float64", false).contiguousResult(), 1},
		{"reduction of nn", nn.contiguousReduction(), -1},
		{"reduction of nt", nt.contiguousReduction(), 2},
		{"reduction of two vectors", product(t, "4", "8", "8", "float32", true).contiguousReduction(), 2},
		{"reduction of less", product(t, "4", "7", "8", "float32", true).contiguousReduction(), -1},
		{"reduction of a symbol", product(t, "4", "x", "8", "float32", true).contiguousReduction(), 2},
		{"reduction of columns", columns(t, "4", "16", "8", "float32").contiguousReduction(), -1},
		{"nn is plain", nn.plain(1), true},
		{"nt is plain", nt.plain(1), false},
		{"nn is a product", nn.product(), true},
		{"a sum is a product", columns(t, "4", "16", "8", "float32").product(), false},
		{"lanes", nn.Lanes, int64(4)},
		{"registers", nn.registers, int64(1)},
		{"lanes of doubles", product(t, "4", "12", "8", "float64", false).Lanes, int64(2)},
		{"registers of doubles", product(t, "4", "12", "8", "float64", false).registers, int64(1)},
		{"per register", nn.perRegister(), int64(4)},
		{"others", len(nn.without(0)), 1},
		{"extent", nn.extent(2), int64(12)},
		{"symbolic extent", product(t, "x", "12", "8", "float32", false).extent(0), int64(0)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if !slices.Equal(nn.spatial, []int{0, 1}) || !slices.Equal(nn.reduce, []int{2}) || !slices.Equal(nn.Order, []int{0, 1}) || !slices.Equal(nn.Reduce, []int{2}) || !slices.Equal(nn.Tile, []int64{1, 1, 1}) {
		t.Errorf("%+v", nn)
	}
	if p := product(t, "1", "12", "1", "float32", false); len(p.spatial) != 0 || !slices.Equal(p.reduce, []int{2}) {
		t.Errorf("variables of one value are spatial %v, reduce %v", p.spatial, p.reduce)
	}
	// Sums of 64 bits of narrower terms take two registers, unless they are added in runs.
	wide := func(attr string) *plan {
		return planOf(t, `A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float64")`, `
for i, k in T.grid(4, 8):
    with T.block("C"):
        vi, vk = T.axis.remap("SR", [i, k])
`+attr+`        with T.init():
            C[vi] = T.float64(0)
        C[vi] = C[vi] + T.Cast("float64", A[vi, vk])`)
	}
	if p := wide(""); p.Lanes != 4 || p.registers != 2 || p.run != 0 || p.perRegister() != 2 {
		t.Errorf("wide sums have %d lanes in %d registers, runs of %d", p.Lanes, p.registers, p.run)
	}
	if p := wide("        T.block_attr({\"" + tir.AttrSumRuns + "\": 64})\n"); p.Lanes != 4 || p.registers != 1 || p.run != 64 {
		t.Errorf("sums in runs have %d lanes in %d registers, runs of %d", p.Lanes, p.registers, p.run)
	}
	if p := wide(""); !p.plain(1) || p.product() || p.contiguousReduction() != 1 {
		t.Error("a sum of rows is not contiguous along them")
	}
}

func TestWorthPacking(t *testing.T) {
	for _, c := range []struct {
		m, k, n string
		v       int
		want    bool
	}{
		{"64", "512", "8", 1, true}, {"63", "512", "8", 1, false}, {"64", "x", "8", 1, true}, {"63", "x", "8", 1, false}, // long sums
		{"16", "32", "8", 1, true}, {"15", "32", "8", 1, false}, {"31", "80", "8", 1, false}, {"32", "80", "8", 1, true}, // short ones, with four lanes
		{"64", "12", "8", -1, false}, {"64", "12", "x", 1, false}, {"1", "12", "8", 1, false}, {"x", "12", "8", 1, false},
	} {
		if got := product(t, c.m, c.k, c.n, "float32", true).worthPacking(c.v); got != c.want {
			t.Errorf("%s by %s by %s: %v, want %v", c.m, c.k, c.n, got, c.want)
		}
	}
	if columns(t, "64", "12", "8", "float32").worthPacking(1) {
		t.Error("a sum is worth packing")
	}
}

func TestWindow(t *testing.T) {
	window := func(c, y, x string) *plan {
		return planOf(t, "a: T.handle, c: T.handle", fmt.Sprintf(`
s = T.int64()
A = T.match_buffer(a, (%[1]s, %[2]s, %[3]s, 8))
C = T.match_buffer(c, (8,))
for i, c, y, x in T.grid(8, %[1]s, %[2]s, %[3]s):
    with T.block("C"):
        vi, vc, vy, vx = T.axis.remap("SRRR", [i, c, y, x])
        with T.init():
            C[vi] = T.float32(0)
        C[vi] = C[vi] + A[vc, vy, vx, vi]`, c, y, x))
	}
	for _, c := range []struct {
		c, y, x string
		unroll  []int // innermost first
		factor  int64
		steps   int64
		inner   int
	}{
		{"16", "3", "3", []int{3, 2}, 2, 9, 1},
		{"16", "5", "5", []int{3, 2}, 1, 25, 1},
		{"16", "6", "5", []int{3}, 2, 5, 2},
		{"16", "26", "2", []int{3}, 2, 2, 2},
		{"16", "16", "26", []int{}, 4, 1, 3},
		{"16", "16", "32", []int{}, 16, 1, 3},
		{"16", "16", "130", []int{}, 16, 1, 3}, // little is left over
		{"16", "26", "3", []int{3}, 2, 3, 2},
		{"2", "3", "4", []int{3, 2, 1}, 1, 24, -1},
		{"16", "s", "3", []int{3}, 4, 3, 2},
		{"16", "4", "4", []int{3, 2}, 1, 16, 1},
	} {
		p := window(c.c, c.y, c.x)
		p.window()
		if !slices.Equal(p.Unroll, c.unroll) || p.Factor != c.factor || p.unrolledSteps() != c.steps || p.innerReduction() != c.inner {
			t.Errorf("%s, %s, %s: unrolled %v by %d, %d steps, inner %d; want %v by %d, %d, %d", c.c, c.y, c.x, p.Unroll, p.Factor, p.unrolledSteps(), p.innerReduction(), c.unroll, c.factor, c.steps, c.inner)
		}
	}
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		n    string
		want []int64
		ok   bool
	}{{"8", []int64{1, 4, 1}, true}, {"3", []int64{1, 3, 1}, true}, {"x", []int64{1, 1, 1}, true}, {"5", []int64{1, 3, 1}, true}} {
		p := product(t, "6", "12", c.n, "float32", false)
		if p.scalars() != c.ok || !slices.Equal(p.Tile, c.want) || p.Vector != 1 || p.Lanes != 1 {
			t.Errorf("%s columns: tiles of %v, %d lanes along %d, want %v", c.n, p.Tile, p.Lanes, p.Vector, c.want)
		}
	}
	if product(t, "1", "12", "1", "float32", false).scalars() {
		t.Error("a single result is tiled")
	}
}

// packed is the name of the buffer of a load, by its number.
func (p *plan) packed(k int) string {
	_, value, _, _ := sch.Combiner(p.block())
	return sch.Loads(value, nil)[k].Buffer.Name
}

// TestCopies: what all lanes read is spread over them where it is used again, what they read from afar
// is copied.
func TestCopies(t *testing.T) {
	load := func(p *plan, list []int) string {
		var out []string
		for _, k := range list {
			out = append(out, p.packed(k))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name, m, k, n string
		transposed    bool
		splat, pack   string
	}{
		{"columns side by side", "8", "32", "16", false, "A", ""},
		{"one tile of columns", "8", "32", "8", false, "", ""},
		{"columns far apart", "8", "32", "512", false, "A", "B"},
		{"columns not so far apart", "8", "32", "508", false, "A", ""},
		{"few rows", "7", "32", "512", false, "A", ""},
		{"symbolic rows", "x", "32", "512", false, "A", "B"},
		{"a symbolic width", "8", "32", "y", false, "A", ""},
		{"an unrolled reduction", "8", "16", "512", false, "A", ""},
		{"transposed", "8", "32", "16", true, "A", "B"},
	} {
		p := product(t, c.m, c.k, c.n, "float32", c.transposed)
		p.alongResult(1)
		if got := load(p, p.Splat); got != c.splat {
			t.Errorf("%s: spread %q, want %q", c.name, got, c.splat)
		}
		if got := load(p, p.Pack); got != c.pack {
			t.Errorf("%s: packed %q, want %q", c.name, got, c.pack)
		}
	}
	window := planOf(t, `X: T.Buffer((32, 2000), "float32"), W: T.Buffer((16, 32, 32), "float32"), C: T.Buffer((16, 1900), "float32")`, `
for f, y, c, r in T.grid(16, 1900, 32, 32):
    with T.block("C"):
        vf, vy, vc, vr = T.axis.remap("SSRR", [f, y, c, r])
        with T.init():
            C[vf, vy] = T.float32(0)
        C[vf, vy] = C[vf, vy] + X[vc, vy + vr] * W[vf, vc, vr]`)
	if window.alongResult(1); load(window, window.Splat) != "W" || load(window, window.Pack) != "" {
		t.Errorf("of a window %q is spread, %q packed", load(window, window.Splat), load(window, window.Pack))
	}
	if !window.overlapping(window.loads[0]) || window.overlapping(window.loads[1]) {
		t.Error("windows overlap in X only")
	}
	turned := planOf(t, `X: T.Buffer((32, 2000), "float32"), W: T.Buffer((16, 32, 32), "float32"), C: T.Buffer((16, 1900), "float32")`, `
for y, f, r, c in T.grid(1900, 16, 32, 32):
    with T.block("C"):
        vy, vf, vr, vc = T.axis.remap("SSRR", [y, f, r, c])
        with T.init():
            C[vf, vy] = T.float32(0)
        C[vf, vy] = C[vf, vy] + X[vc, vy + vr] * W[vf, vc, vr]`)
	if !turned.overlapping(turned.loads[0]) || turned.overlapping(turned.loads[1]) {
		t.Error("windows overlap in X only, in any order")
	}
	if n := window.innerWindow(window.loads[0]); n != 32 {
		t.Errorf("a window has %d steps", n)
	}
}

// TestSymbolicColumns: what runs along a symbolic extent needs a whole tile, or is cut.
func TestSymbolicColumns(t *testing.T) {
	p := product(t, "8", "32", "x", "float32", false)
	if p.alongResult(1); p.cut || !slices.Equal(p.Whole, []int{1}) || len(p.r.needs) != 1 || p.Tile[1] != 8 {
		t.Errorf("whole are %v where %v, cut is %v", p.Whole, p.r.needs, p.cut)
	}
	if e, ok := p.r.needs[0].(*tir.Binary); !ok || e.Op != tir.OpGE || !tir.IsConst(e.B, 8) {
		t.Errorf("it needs %v", p.r.needs[0])
	}
	p = product(t, "8", "32", "x", "float32", false)
	p.r.whole = false
	if p.alongResult(1); !p.cut || len(p.Whole) > 0 || len(p.r.needs) > 0 {
		t.Errorf("whole are %v where %v, cut is %v", p.Whole, p.r.needs, p.cut)
	}
	p = product(t, "8", "32", "16", "float32", false)
	if p.alongResult(1); p.cut || len(p.Whole) > 0 || p.Tile[0] != 4 || p.Tile[1] != 8 || p.Factor != 16 {
		t.Errorf("%+v", p.TileSpec)
	}
}

// TestSplitPhases: a window that moves by two to four elements at a time reads a copy in phases.
func TestSplitPhases(t *testing.T) {
	for stride := 1; stride <= 6; stride++ {
		for size := 1; size <= 3; size++ {
			n := (8-1)*stride + size
			p := planOf(t, fmt.Sprintf(`X: T.Buffer((3, %d), "float32"), C: T.Buffer((8,), "float32")`, n), fmt.Sprintf(`
for y, c, r in T.grid(8, 3, %d):
    with T.block("C"):
        vy, vc, vr = T.axis.remap("SRR", [y, c, r])
        with T.init():
            C[vy] = T.float32(0)
        C[vy] = C[vy] + X[vc, vy * %d + vr]`, size, stride))
			if size == 1 && stride == 1 {
				continue
			}
			p.splitPhases(0)
			copies := len(p.r.blocks) - 1
			split := stride >= 2 && stride <= 4 && size >= 2
			from := p.loads[0].buf
			if (copies == 1) != split || (len(p.r.phases) == 1) != split || (from.Name != "X") != split {
				t.Errorf("steps of %d over %d: %d copies, phases of %v, it reads %s", stride, size, copies, p.r.phases, from.Name)
				continue
			}
			if !split {
				continue
			}
			if p.r.phases[from] != int64(stride) || len(from.Shape) != 3 || !tir.IsConst(from.Shape[1], int64(stride)) || !tir.IsConst(from.Shape[2], int64((n+stride-1)/stride)) {
				t.Errorf("steps of %d over %d: phases %d of the shape %v", stride, size, p.r.phases[from], from.Shape)
			}
			if got := p.stride(p.loads[0], 0); got != 1 {
				t.Errorf("steps of %d over %d: one result later it reads %d elements later", stride, size, got)
			}
		}
	}
}

// TestRowsOfTheFirstVariable: variables count from 0.
func TestRowsOfTheFirstVariable(t *testing.T) {
	turned := func(k string) *plan {
		return planOf(t, `A: T.Buffer((64, `+k+`), "float32"), B: T.Buffer((`+k+`, 512), "float32"), C: T.Buffer((64, 512), "float32")`, `
for k, j, i in T.grid(`+k+`, 512, 64):
    with T.block("C"):
        vk, vj, vi = T.axis.remap("RSS", [k, j, i])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]`)
	}
	p := turned("32")
	if p.alongResult(1); p.Vector != 1 || len(p.Pack) != 1 || p.packed(p.Pack[0]) != "B" || p.Tile[2] != 4 || p.Tile[1] != 8 {
		t.Errorf("%+v", p.TileSpec)
	}
	q := planOf(t, `A: T.Buffer((64, 12), "float32"), B: T.Buffer((8, 12), "float32"), C: T.Buffer((64, 8), "float32")`, `
for j, i, k in T.grid(8, 64, 12):
    with T.block("C"):
        vj, vi, vk = T.axis.remap("SSR", [j, i, k])
        with T.init():
            C[vi, vj] = T.float32(0)
        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]`)
	if q.contiguousResult() != 0 || !q.worthPacking(0) || q.shapes(0) != 1 {
		t.Errorf("results along %d, rows along %d", q.contiguousResult(), q.shapes(0))
	}
}
