package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestProductAgainstSum compares (x + y)*c with x*y*d, written 0 - x*y*e, for ranges of the four: it
// is proved to be greater, or less, if and only if it is at all points, where no factor can be 0.
func TestProductAgainstSum(t *testing.T) {
	v := newEnv()
	names := []string{"x", "y", "c", "e"}
	var vars []*tir.Var
	for _, n := range names {
		vars = append(vars, v.variable(n))
	}
	ends := [][4]Bound{
		{{1, 4}, {1, 4}, {2, 3}, {1, 1}},
		{{1, 4}, {1, 4}, {3, 5}, {1, 1}},
		{{1, 4}, {1, 4}, {2, 2}, {1, 1}},
		{{1, 4}, {1, 4}, {4, 4}, {2, 2}},
		{{1, 4}, {1, 4}, {5, 5}, {2, 2}},
		{{1, 2}, {1, 9}, {2, 2}, {1, 1}},
		{{1, 2}, {1, 3}, {2, 9}, {1, 1}},
		{{2, 6}, {3, 3}, {2, 2}, {1, 1}},
		{{2, 6}, {3, 3}, {3, 3}, {1, 1}},
		{{1, 3}, {1, 3}, {7, 9}, {2, 4}},
		{{1, 3}, {1, 3}, {5, 9}, {2, 4}},
		{{0, 3}, {1, 3}, {9, 9}, {1, 1}},
		{{1, 3}, {0, 3}, {9, 9}, {1, 1}},
		{{1, 3}, {1, 3}, {0, 9}, {1, 1}},
		{{1, 3}, {1, 3}, {9, 9}, {0, 1}},
		{{-3, -1}, {1, 3}, {9, 9}, {1, 1}},
		{{1, 3}, {-3, -1}, {9, 9}, {1, 1}},
	}
	negated := func(b Bound) Bound { return Bound{-b.Max, -b.Min} }
	for _, sign := range []struct {
		sum, ab, cd bool // which are negative
	}{{}, {cd: true}, {sum: true, ab: true}, {ab: true}, {sum: true}} {
		for _, b := range ends {
			if sign.ab {
				b[0], b[1] = negated(b[0]), negated(b[1])
			}
			if sign.cd {
				b[2], b[3] = negated(b[2]), negated(b[3])
			}
			if sign.sum {
				b[2] = negated(b[2])
			}
			b[3] = negated(b[3])
			w := &world{vars: vars, ranges: b[:]}
			a := NewAnalyzer()
			a.Extensions = ComparisonOfProductAndSum
			for i, x := range vars {
				a.UpdateBound(x, b[i])
			}
			for _, sides := range [][2]string{
				{"(x + y) * c", "0 - x * y * e"},
				{"(y + x) * c", "0 - x * y * e"},
				{"(x + y) * c", "0 - y * x * e"},
				{"x * y * e", "0 - (x + y) * c"},
			} {
				sum, product := v.expr(sides[0]), v.expr(sides[1])
				got := a.rw.compareProductSum(sum, product)
				var seen order
				known := true
				w.each(func(at map[*tir.Var]int64) {
					l, r := evalAll(sum, at)[0], evalAll(product, at)[0]
					switch {
					case l < r:
						seen |= isLT
					case l > r:
						seen |= isGT
					default:
						seen |= isEQ
					}
					for _, v := range vars {
						known = known && at[v] != 0
					}
				})
				if got&seen != seen {
					t.Errorf("%s against %s in %v: %b, but %b occurs", sides[0], sides[1], b, got, seen)
				}
				mirrored := a.rw.compareProductSum(product, sum)
				if mirrored&seen.reverse() != seen.reverse() {
					t.Errorf("%s against %s in %v: %b, but %b occurs", sides[1], sides[0], b, mirrored, seen.reverse())
				}
				positive := b[0].Min > 0 && b[1].Min > 0 && !sign.sum
				if seen.single() && known && positive && got != seen {
					t.Errorf("%s against %s in %v: %b, want %b", sides[0], sides[1], b, got, seen)
				}
			}
		}
	}
}

// TestProductAgainstSumForms lists what is such a comparison. All factors are at least 1.
func TestProductAgainstSumForms(t *testing.T) {
	for _, c := range []struct {
		claim string
		ends  map[string]Bound
		want  bool
	}{
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {1, 2048}, "y": {1, PosInf}}, true},
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {1, 2049}, "y": {1, PosInf}}, false},
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {1, PosInf}, "y": {1, 2048}}, true},
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {1, 4095}, "y": {1, 4095}}, true},
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {1, 4096}, "y": {1, 4096}}, false},
		{"x * y < (x + y) * 2048", map[string]Bound{"x": {0, 2048}, "y": {1, 2048}}, false},
		{"x * y < (x + z) * 2048", map[string]Bound{"x": {1, 9}, "y": {1, 9}, "z": {1, 9}}, true}, // by the bounds alone
		{"x * y < (x + z) * 2", map[string]Bound{"x": {1, 3}, "y": {1, 3}, "z": {1, 3}}, false},
		{"x * y * 3 < (x + y) * 5", map[string]Bound{"x": {1, 3}, "y": {1, 3}}, true},
		{"x * y * 3 < (x + y) * 4", map[string]Bound{"x": {1, 3}, "y": {1, 3}}, false},
		{"(x + y) * 5 <= x * y * 3", map[string]Bound{"x": {1, 3}, "y": {1, 3}}, false},
		{"(x - y) * 5 > x * y * 3", map[string]Bound{"x": {1, 3}, "y": {1, 3}}, false},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.Extensions = ComparisonOfProductAndSum
		for name, b := range c.ends {
			a.UpdateBound(v.variable(name), b)
		}
		if got := a.CanProve(v.expr(c.claim)); got != c.want {
			t.Errorf("%s for %v: %v, want %v", c.claim, c.ends, got, c.want)
		}
	}
	for _, sides := range [][2]string{
		{"(x + y) * 2048", "0 - z"},
		{"(x + y) * 2048", "0 - min(x, y) * w"},
		{"(x + y) * 2048", "0 - x * w"},
		{"(x + y) * 2048", "0 - x * z * w"},
		{"(x - y) * 2048", "0 - x * y"},
		{"x * y", "0 - z * w"},
		{"z", "0 - x * y"},
	} {
		a, v := NewAnalyzer(), newEnv()
		for _, name := range []string{"x", "y", "z", "w"} {
			a.UpdateBound(v.variable(name), Bound{1, 3})
		}
		a.UpdateBound(v.variable("w"), Bound{-3, -1})
		if got := a.rw.compareProductSum(v.expr(sides[0]), v.expr(sides[1])); got != anyOrder {
			t.Errorf("%s against %s: %b", sides[0], sides[1], got)
		}
	}
	// Products beyond the range of int64 are compared exactly.
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	for _, c := range []struct {
		factor int64
		want   order
	}{{1<<61 + 1, isGT}, {1 << 61, anyOrder}} { // x*y*2^22 is at most 2^102, (x + y)*factor is 2^41*factor there
		a := NewAnalyzer()
		a.UpdateBound(x, Bound{1, 1 << 40})
		a.UpdateBound(y, Bound{1, 1 << 40})
		sum := tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpAdd, x, y), num(dtype.Int64T, c.factor))
		product := tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpMul, x, y), num(dtype.Int64T, 1<<22))
		if got := a.rw.compareProductSum(sum, product); got != c.want {
			t.Errorf("a factor of %d: %b", c.factor, got)
		}
	}
}
