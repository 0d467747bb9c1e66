package arith

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestLeastConstants writes sums with the least constants of a type, of which the opposite does not
// exist: x + least stays, and x - (greatest) is written with a minus.
func TestLeastConstants(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int32T, dtype.Int64T} {
		least := int64(math.MinInt32)
		if d == dtype.Int64T {
			least = math.MinInt64
		}
		x := tir.NewVar("x", d)
		for _, c := range []struct {
			base int64
			want tir.Expr
		}{
			{least, tir.NewBinary(tir.OpAdd, x, num(d, least))},
			{least + 1, tir.NewBinary(tir.OpSub, x, num(d, -(least+1)))},
			{-1, tir.NewBinary(tir.OpSub, x, num(d, 1))},
			{0, x},
			{1, tir.NewBinary(tir.OpAdd, x, num(d, 1))},
			{-(least + 1), tir.NewBinary(tir.OpAdd, x, num(d, -(least+1)))},
		} {
			s := &sum{d: d, base: c.base}
			if got := s.expr(); !Equal(got, num(d, c.base)) {
				t.Errorf("%d of %v is %s", c.base, d, show(got))
			}
			s.addTerm(canon{e: x}.asAnyTerm(), 1)
			if got := s.expr(); !Equal(got, c.want) {
				t.Errorf("x and %d of %v is %s, want %s", c.base, d, show(got), show(c.want))
			}
			minus := &sum{d: d, base: c.base}
			minus.addTerm(canon{e: x}.asAnyTerm(), -1)
			want := tir.Expr(tir.NewBinary(tir.OpSub, num(d, max(c.base, 0)), x))
			switch {
			case c.base == least:
				want = tir.NewBinary(tir.OpSub, num(d, least), x)
			case c.base < 0:
				want = tir.NewBinary(tir.OpSub, want, num(d, -c.base))
			}
			if got := minus.expr(); !Equal(got, want) {
				t.Errorf("-x and %d of %v is %s, want %s", c.base, d, show(got), show(want))
			}
		}
	}
	// In int64 the least int32 is a constant like any other.
	s := &sum{d: dtype.Int64T, base: math.MinInt32}
	x := tir.NewVar("x", dtype.Int64T)
	s.addTerm(canon{e: x}.asAnyTerm(), 1)
	if got, want := s.expr(), tir.NewBinary(tir.OpSub, x, num(dtype.Int64T, -math.MinInt32)); !Equal(got, want) {
		t.Errorf("x and the least int32 is %s, want %s", show(got), show(want))
	}
}

// TestLookups counts what adding two canonical values costs: each term of one is compared with each
// of the other, and both have a constant.
func TestLookups(t *testing.T) {
	d := dtype.Int32T
	value := func(terms int) canon {
		s := &sum{d: d}
		for range terms {
			s.addTerm(canon{e: tir.NewVar("x", d)}.asAnyTerm(), 1)
		}
		return canon{sum: s}
	}
	single := canon{e: tir.NewVar("x", d)}
	for _, c := range []struct {
		a, b canon
		want int
	}{
		{single, single, 0},
		{value(7), single, 1},
		{single, value(7), 1},
		{value(14), single, 1},
		{value(15), single, 2},
		{value(15), value(7), 16},
		{value(7), value(15), 16},
	} {
		if got := c.a.lookups(c.b); got != c.want {
			t.Errorf("%d lookups, want %d", got, c.want)
		}
	}
}

// TestSumsAreCopied changes the sum that was made of a value: the value stays.
func TestSumsAreCopied(t *testing.T) {
	d := dtype.Int32T
	x, y := tir.NewVar("x", d), tir.NewVar("y", d)
	term := func(e tir.Expr) split { return canon{e: e}.asAnyTerm() }
	v := canon{sum: &sum{d: d, base: 3, terms: []split{term(x)}}}
	before := v.expr()
	s := new(sumRoom).sumOf(v, d)
	s.addTerm(term(y), 2)
	s.addSum(v.sum, 4)
	s.times(3)
	if got := v.expr(); !Equal(got, before) {
		t.Errorf("%s became %s", show(before), show(got))
	}
	if got, want := s.expr(), NewAnalyzer().CanonicalSimplify(tir.Add(tir.Add(tir.Mul(x, num(d, 15)), tir.Mul(y, num(d, 6))), num(d, 45))); !Equal(got, want) {
		t.Errorf("the sum is %s, want %s", show(got), show(want))
	}
	if got := s.dividedBy(3).expr(); !Equal(got, NewAnalyzer().CanonicalSimplify(tir.Add(tir.Add(tir.Mul(x, num(d, 5)), tir.Mul(y, num(d, 2))), num(d, 15)))) {
		t.Errorf("a third of it is %s", show(got))
	}
	for _, c := range []struct {
		k             int64
		whole, beside string
	}{{5, "x * 5 + 15", "y * 2"}, {2, "y * 2", "x * 5 + 15"}, {3, "15", "x * 5 + y * 2"}, {1, "x * 5 + y * 2 + 15", "0"}, {7, "0", "x * 5 + y * 2 + 15"}} {
		whole, rest := new(sumRoom).separate(s, c.k)
		env := &env{vars: map[string]*tir.Var{"x": x, "y": y}}
		if !Equal(whole.expr(), env.expr(c.whole)) || !Equal(rest.expr(), env.expr(c.beside)) {
			t.Errorf("by %d: %s and %s, want %s and %s", c.k, show(whole.expr()), show(rest.expr()), c.whole, c.beside)
		}
		if rest.isZero() != (c.beside == "0") || whole.isZero() != (c.whole == "0") {
			t.Errorf("by %d: %s is nothing: %v", c.k, show(rest.expr()), rest.isZero())
		}
	}
	for _, c := range []struct {
		v    canon
		want int64
		ok   bool
	}{{canon{e: num(d, 3)}, 3, true}, {canon{sum: &sum{d: d, base: 4}}, 4, true}, {v, 0, false}, {canon{e: x}, 0, false}, {canon{term: &split{index: num(d, 3), lower: 1, upper: PosInf, scale: 2, d: d}}, 0, false}} {
		if got, ok := constOf(c.v); got != c.want || ok != c.ok {
			t.Errorf("%s is the constant %d: %v", show(c.v.expr()), got, ok)
		}
	}
}

// TestKindsOfDivisionStayApart asks a value for a term with a kind of division.
func TestKindsOfDivisionStayApart(t *testing.T) {
	d := dtype.Int32T
	x := tir.NewVar("x", d)
	quotient := split{index: x, lower: 4, upper: PosInf, scale: 3, floor: true, d: d}
	remainder := split{index: x, lower: 1, upper: 4, scale: 3, floor: true, d: d}
	plain := split{index: x, lower: 1, upper: PosInf, scale: 3, floor: true, d: d}
	for _, c := range []struct {
		v     canon
		floor bool
		inner bool // the term is part of the index of another one
	}{
		{canon{term: &quotient}, true, false},
		{canon{term: &quotient}, false, true},
		{canon{term: &remainder}, true, false},
		{canon{term: &remainder}, false, true},
		{canon{term: &plain}, true, false},
		{canon{term: &plain}, false, false},
		{canon{sum: &sum{d: d, terms: []split{quotient}}}, true, false},
		{canon{sum: &sum{d: d, terms: []split{quotient}}}, false, true},
		{canon{sum: &sum{d: d, terms: []split{plain}}}, false, false},
		{canon{sum: &sum{d: d, base: 1, terms: []split{plain}}}, true, true},
		{canon{sum: &sum{d: d, terms: []split{plain, quotient}}}, true, true},
		{canon{sum: &sum{d: d, base: 0}}, true, true},
	} {
		got := c.v.asTerm(c.floor)
		if got.floor != c.floor {
			t.Errorf("%s has the other kind of division", show(c.v.expr()))
		}
		if inner := got.scale == 1; inner != c.inner {
			t.Errorf("%s is the term %s", show(c.v.expr()), show(got.scaled(1)))
		}
		if !Equal(got.scaled(1), c.v.expr()) {
			t.Errorf("%s as a term is %s", show(c.v.expr()), show(got.scaled(1)))
		}
	}
	if quotient.floor != true || plain.floor != true {
		t.Error("a value was changed")
	}
}

// TestValuesOfVariables simplifies operations on variables that are constants: what they make is a
// constant in a sum.
func TestValuesOfVariables(t *testing.T) {
	for _, c := range []struct{ e, want string }{
		{"fld(x, 2) + y", "y + 3"},
		{"flm(x, 2) + y", "y + 1"},
		{"tdiv(z, 2) + y", "y - 3"},
		{"tmod(z, 2) + y", "y - 1"},
		{"fld(z, 2) + y", "y - 4"},
		{"flm(z, -2) + y", "y - 1"},
		{"x * z + y", "y - 49"},
		{"x + z + y", "y"},
		{"fld(x, 2) * y", "y * 3"},
		{"fld(y, fld(x, 2))", "fld(y, 3)"},
		{"fld(p + y, w) - p", "y"},
		{"flm(p + y, w) - p", "0 - p"},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.Bind(v.variable("x"), tir.Int32(7))
		a.Bind(v.variable("z"), tir.Int32(-7))
		a.Bind(v.variable("w"), tir.Int32(1))
		if got := a.CanonicalSimplify(v.expr(c.e)); !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.e, show(got), c.want)
		}
	}
}

// TestProductsWithManyFactors joins products of as many factors as are taken apart, and of more.
func TestProductsWithManyFactors(t *testing.T) {
	x := tir.NewVar("x", dtype.Int64T)
	power := func(n int) tir.Expr {
		p := tir.Expr(x)
		for range n - 1 {
			p = tir.NewBinary(tir.OpMul, p, x)
		}
		return p
	}
	for _, c := range []struct {
		factors int
		apart   bool
	}{{2, true}, {maxFactors, true}, {maxFactors + 1, true}, {maxFactors + 2, false}, {200, false}} {
		n := maxFactors
		if got := tooManyFactors(power(c.factors), &n); got == c.apart {
			t.Errorf("%d factors are too many: %v", c.factors, got)
		}
		got := bin(mulNormal(x, power(c.factors)))
		if got.Op != tir.OpMul || (got.B == tir.Expr(x)) != c.apart {
			t.Errorf("a product of %d factors is taken apart: %v", c.factors, !c.apart)
		}
	}
	d := x.DType()
	for _, c := range []struct{ x, y, want tir.Expr }{
		{num(d, 3), num(d, 4), num(d, 12)},
		{x, num(d, 1), x},
		{num(d, 1), x, x},
		{tir.NewBinary(tir.OpMul, x, num(d, 3)), num(d, 4), tir.NewBinary(tir.OpMul, x, num(d, 12))},
		{tir.NewBinary(tir.OpMul, x, num(d, 3)), tir.NewBinary(tir.OpMul, num(d, 2), x), tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpMul, x, x), num(d, 6))},
	} {
		if got := mulNormal(c.x, c.y); !Equal(got, c.want) {
			t.Errorf("%s times %s is %s, want %s", show(c.x), show(c.y), show(got), show(c.want))
		}
	}
	long := tir.NewBinary(tir.OpMul, power(100), num(d, 5))
	if got, want := mulNormal(tir.NewBinary(tir.OpMul, x, num(d, 3)), long), tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpMul, x, power(100)), num(d, 15)); !Equal(got, want) {
		t.Errorf("3x times 5x^100 is %s", show(got))
	}
	// Where steps run out a product with 0 may be left: nothing divides by it.
	zero := tir.NewBinary(tir.OpMul, x, num(d, 0))
	a := NewAnalyzer()
	a.MaxSteps = 1
	for _, op := range []tir.BinaryOp{tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod} {
		e := tir.NewBinary(op, zero, zero)
		if got := a.CanonicalSimplify(e); !Equal(got, e) && !isCst(got, 0) && !isCst(got, 1) {
			t.Errorf("%s is %s", show(e), show(got))
		}
	}
}
