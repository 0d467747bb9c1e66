package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// factorOf is the modular set of the values: the factor that their differences share, and what
// is left.
func factorOf(values []int64, more int64) Modular {
	g := more
	for _, v := range values {
		g = GCD(g, v-values[0])
	}
	return newModular(g, values[0])
}

// TestModularSetIsExact checks the modular set of an operation on two known ones against that
// of all its values.
func TestModularSetIsExact(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	values := func(m Modular) (out []int64) {
		for i := int64(-8); i <= 8; i++ {
			out = append(out, m.Coeff*i+m.Base)
		}
		return out
	}
	var sets []Modular
	for c := int64(0); c <= 8; c++ {
		for b := int64(0); b < max(c, 1); b += 1 + c/5 {
			sets = append(sets, Modular{c, b})
		}
	}
	sets = append(sets, Modular{0, 3}, Modular{0, -4}, Modular{0, 6})
	for _, mx := range sets {
		for _, my := range sets {
			a := NewAnalyzer()
			a.UpdateModular(x, mx)
			a.UpdateModular(y, my)
			for _, op := range []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpMin, tir.OpMax, tir.OpFloorDiv, tir.OpDiv, tir.OpFloorMod, tir.OpMod} {
				more := int64(0)
				switch op {
				case tir.OpMin, tir.OpMax:
					// All values of both but where one is a constant, which may win always.
					if (mx.Coeff == 0) != (my.Coeff == 0) {
						more = GCD(max(mx.Coeff, my.Coeff), mx.Base-my.Base)
					}
					if mx.Coeff == 0 && my.Coeff == 0 {
						more = mx.Base - my.Base
					}
				case tir.OpFloorDiv, tir.OpDiv:
					if my.Coeff != 0 || my.Base == 0 {
						continue
					}
					exact := mx.Base%my.Base == 0
					if mx.Coeff%my.Base != 0 || !exact && (my.Base < 0 || op == tir.OpDiv) {
						if got := a.ModularSet(tir.NewBinary(op, x, y)); mx.Coeff != 0 && got != anyModular {
							t.Errorf("%v of %v and %v: got %v, want anything", op, mx, my, got)
						}
						continue
					}
				case tir.OpFloorMod, tir.OpMod:
					if my.Coeff != 0 || my.Base == 0 {
						continue
					}
					more = my.Base
				}
				var all []int64
				for _, u := range values(mx) {
					for _, v := range values(my) {
						if w, ok := tir.FoldInt(op, dtype.Int64T, u, v); ok {
							all = append(all, w)
						}
					}
				}
				if got, want := a.ModularSet(tir.NewBinary(op, x, y)), factorOf(all, more); got != want {
					t.Errorf("%v of %v and %v: got %v, want %v", op, mx, my, got, want)
				}
			}
			// What is in both sets.
			var common []int64
			for v := int64(-60); v <= 60; v++ {
				if floorModIntOr(v-mx.Base, mx.Coeff) == 0 && floorModIntOr(v-my.Base, my.Coeff) == 0 {
					common = append(common, v)
				}
			}
			got := mx.intersect(my)
			if len(common) > 0 && got != factorOf(common, 0) || len(common) == 0 && got != mx && got != my {
				t.Errorf("%v and %v: got %v, common values %v", mx, my, got, common)
			}
		}
	}
}

// TestSetIsTheHull checks that the values of an operation over intervals, as far as it is
// monotonic in both operands, are exactly the hull, whether the ends are there or not.
func TestSetIsTheHull(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	end := func(v int64) tir.Expr {
		if v == PosInf || v == NegInf {
			return nil
		}
		return num(x.DType(), v)
	}
	for _, op := range monotone {
		for _, bx := range operands {
			for _, by := range operands {
				want, ok := hull(op, bx, by)
				if !ok || (Bound{NegInf, PosInf}) == bx && bx == by {
					continue
				}
				for _, point := range []bool{false, true} {
					e := tir.NewBinary(op, x, y)
					dom := map[*tir.Var]IntSet{x: Interval(end(bx.Min), end(bx.Max)), y: Interval(end(by.Min), end(by.Max))}
					if point {
						if !by.Const() {
							continue
						}
						e, dom = tir.NewBinary(op, x, end(by.Min)), map[*tir.Var]IntSet{x: dom[x]}
					}
					got := EvalSet(e, dom)
					a := NewAnalyzer()
					if b := got.ConstBound(a); got.Empty || b != want || (got.Min == nil) != (want.Min == NegInf) || (got.Max == nil) != (want.Max == PosInf) {
						t.Errorf("%s of %v and %v: got %s..%s, want %v", show(e), bx, by, show(got.Min), show(got.Max), want)
					}
				}
			}
		}
	}
}

// TestSetOfRemainders checks remainders of intervals that lie in one period or cover one.
func TestSetOfRemainders(t *testing.T) {
	x := tir.NewVar("x", dtype.Int64T)
	for _, op := range []tir.BinaryOp{tir.OpMod, tir.OpFloorMod} {
		for c := int64(1); c <= 7; c++ {
			for lo := int64(-9); lo <= 9; lo++ {
				for _, n := range []int64{0, 1, 2, c - 1, 3 * c} {
					bx := Bound{lo, lo + n}
					if op == tir.OpMod && lo < 0 {
						continue
					}
					onePeriod := floorDivInt(lo, c) == floorDivInt(lo+n, c)
					if !onePeriod && n < c {
						continue
					}
					want, _ := hull(op, bx, Bound{c, c})
					got := EvalSet(tir.NewBinary(op, x, num(x.DType(), c)), map[*tir.Var]IntSet{x: Interval(num(x.DType(), bx.Min), num(x.DType(), bx.Max))})
					if b := got.ConstBound(NewAnalyzer()); got.Empty || b != want {
						t.Errorf("%v of %v by %d: got %v, want %v", op, bx, c, b, want)
					}
				}
			}
		}
	}
}

// eachSet calls f for sets of -2 to 2, with their values; nil ends are -5 and 5.
func eachSet(f func(s IntSet, in Bound)) {
	f(Nothing(), Bound{1, 0})
	ends := []int64{-5, -2, -1, 0, 1, 2, 5}
	end := func(v int64) tir.Expr {
		if v == 5 || v == -5 {
			return nil
		}
		return tir.Int32(v)
	}
	for _, lo := range ends[:6] {
		for _, hi := range ends[1:] {
			if lo <= hi {
				f(Interval(end(lo), end(hi)), Bound{lo, hi})
			}
		}
	}
}

// TestSetAlgebra checks unions and intersections of sets value by value.
func TestSetAlgebra(t *testing.T) {
	holds := func(s IntSet) Bound {
		b := s.ConstBound(NewAnalyzer())
		if s.Empty {
			return Bound{1, 0}
		}
		return Bound{max(b.Min, -5), min(b.Max, 5)}
	}
	empty := func(b Bound) bool { return b.Min > b.Max }
	eachSet(func(x IntSet, bx Bound) {
		eachSet(func(y IntSet, by Bound) {
			want := bx.union(by)
			if empty(bx) {
				want = by
			} else if empty(by) {
				want = bx
			}
			if got := holds(Union(x, y)); got != want {
				t.Errorf("union of %v and %v: got %v, want %v", bx, by, got, want)
			}
			touching := !empty(bx) && !empty(by) && bx.Min <= by.Max+1 && by.Min <= bx.Max+1
			lower := want
			if !touching && !empty(bx) {
				lower = bx // the first of those apart
			}
			if got := holds(UnionLowerBound(x, y)); got != lower {
				t.Errorf("lower bound of the union of %v and %v: got %v, want %v", bx, by, got, lower)
			}
			want = bx.intersect(by)
			got := holds(Intersect(x, y))
			if empty(bx) || empty(by) || empty(want) {
				if !empty(got) {
					t.Errorf("common values of %v and %v: got %v, want none", bx, by, got)
				}
			} else if got != want {
				t.Errorf("common values of %v and %v: got %v, want %v", bx, by, got, want)
			}
		})
		lower, upper := bx.Min > -5, bx.Max < 5
		if empty(bx) {
			lower, upper = false, false
		}
		if x.HasLower() != lower || x.HasUpper() != upper || x.IsEverything() != (bx == Bound{-5, 5}) || x.CanProvePoint(NewAnalyzer()) != bx.Const() {
			t.Errorf("%v: lower %v, upper %v, everything %v, point %v", bx, x.HasLower(), x.HasUpper(), x.IsEverything(), x.CanProvePoint(NewAnalyzer()))
		}
		if empty(bx) {
			return
		}
		if x.CanProveNonNegative() != (bx.Min >= 0) || x.CanProvePositive() != (bx.Min > 0) || x.CanProveNegative() != (bx.Max < 0) {
			t.Errorf("%v: not negative %v, positive %v, negative %v", bx, x.CanProveNonNegative(), x.CanProvePositive(), x.CanProveNegative())
		}
		limit := &tir.Range{Min: tir.Int32(-7), Extent: tir.Int32(99)}
		r := x.CoverRange(limit)
		if !lower || !upper {
			if r != limit {
				t.Errorf("%v covers %s", bx, show(r.Extent))
			}
		} else if !isCst(r.Min, bx.Min) || !isCst(r.Extent, bx.Max-bx.Min+1) {
			t.Errorf("%v covers %s from %s on", bx, show(r.Extent), show(r.Min))
		}
		for lo := int64(-3); lo <= 3; lo++ {
			for n := int64(1); n <= 5; n++ {
				r := &tir.Range{Min: tir.Int32(lo), Extent: tir.Int32(n)}
				if got := x.MatchRange(r); got != (lower && upper && bx.Min == lo && bx.Max == lo+n-1) {
					t.Errorf("%v is %d from %d on: %v", bx, n, lo, got)
				}
			}
		}
	})
	if s := FromMinExtent(tir.Int32(3), tir.Int32(1)); !s.IsPoint() || !isCst(s.Min, 3) {
		t.Error("one value is not a point")
	}
	if s := Intersect(); !s.Empty {
		t.Error("no sets have something in common")
	}
}
