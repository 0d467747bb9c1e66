package interp

import "testing"

// TestMmaFragments checks that the lanes of a warp hold each element of a matrix once, and some places that PTX writes down.
func TestMmaFragments(t *testing.T) {
	for _, s := range []mmaShape{{16, 8, 2}, {16, 16, 2}, {16, 16, 4}, {16, 32, 4}, {8, 16, 4}, {8, 4, 1}} {
		nA, nB, nC := s.counts()
		for _, x := range []struct {
			name       string
			n          int64
			at         func(lane, i int64) (int64, int64)
			rows, cols int64
		}{{"a", nA, s.a, s.m, s.k}, {"b", nB, s.b, s.k, 8}, {"c", nC, s.c, s.m, 8}} {
			seen := map[[2]int64]bool{}
			for lane := range int64(mmaLanes) {
				for i := range x.n {
					row, col := x.at(lane, i)
					if row < 0 || row >= x.rows || col < 0 || col >= x.cols || seen[[2]int64{row, col}] {
						t.Fatalf("%v, %s: lane %d holds (%d, %d) as number %d, which is out of bounds or held already", s, x.name, lane, row, col, i)
					}
					seen[[2]int64{row, col}] = true
				}
			}
			if int64(len(seen)) != x.rows*x.cols {
				t.Errorf("%v: %d elements of %s are held", s, len(seen), x.name)
			}
		}
	}
	half, bytes := mmaShape{16, 16, 2}, mmaShape{16, 32, 4}
	for _, x := range []struct {
		name           string
		at             func(lane, i int64) (int64, int64)
		lane, i, r, c2 int64
	}{
		{"a of float16", half.a, 5, 2, 9, 2},
		{"a of float16", half.a, 5, 5, 1, 11},
		{"b of float16", half.b, 5, 2, 10, 1},
		{"c", half.c, 5, 3, 9, 3},
		{"a of int8", bytes.a, 6, 4, 9, 8},
		{"a of int8", bytes.a, 6, 9, 1, 25},
		{"b of int8", bytes.b, 6, 5, 25, 1},
	} {
		if r, c := x.at(x.lane, x.i); r != x.r || c != x.c2 {
			t.Errorf("%s: number %d of lane %d is (%d, %d), want (%d, %d)", x.name, x.i, x.lane, r, c, x.r, x.c2)
		}
	}
}
