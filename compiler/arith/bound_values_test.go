package arith

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestBoundsHoldAllValues checks the bounds of operations on all small intervals: each value is
// inside, and no bound is wider than what the operands tell on their own.
func TestBoundsHoldAllValues(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	var intervals []Bound
	for lo := int64(-5); lo <= 5; lo++ {
		for hi := lo; hi <= 5; hi++ {
			intervals = append(intervals, Bound{lo, hi})
		}
	}
	for _, op := range append([]tir.BinaryOp{tir.OpMod, tir.OpFloorMod}, monotone...) {
		e := tir.NewBinary(op, x, y)
		for _, bx := range intervals {
			for _, by := range intervals {
				var values []int64
				for u := bx.Min; u <= bx.Max; u++ {
					for v := by.Min; v <= by.Max; v++ {
						if w, ok := tir.FoldInt(op, dtype.Int64T, u, v); ok {
							values = append(values, w)
						}
					}
				}
				a := NewAnalyzer()
				a.UpdateBound(x, bx)
				a.UpdateBound(y, by)
				got := a.ConstIntBound(e)
				for _, w := range values {
					if w < got.Min || w > got.Max {
						t.Fatalf("%v of %v and %v: got %v, which lacks %d", op, bx, by, got, w)
					}
				}
				if op != tir.OpMod && op != tir.OpFloorMod || len(values) == 0 {
					continue
				}
				// A remainder is smaller than the divisor; that of a truncating division has the
				// sign of the dividend and is not larger than it.
				wide := Bound{min(by.Min+1, 0), max(by.Max-1, 0)}
				if op == tir.OpMod {
					m := max(by.Max, -by.Min) - 1
					wide = Bound{max(-m, min(bx.Min, 0)), min(m, max(bx.Max, 0))}
				} else if bx.Min >= 0 && by.Min >= 0 {
					wide.Max = min(wide.Max, bx.Max)
				}
				if op == tir.OpFloorMod && by.Const() && by.Min > 0 && slices.IsSorted(values) { // one quotient
					wide = Bound{values[0], values[len(values)-1]}
				}
				if got.Min < wide.Min || got.Max > wide.Max {
					t.Fatalf("%v of %v and %v: got %v, want no more than %v", op, bx, by, got, wide)
				}
			}
		}
	}
}

// TestBoundsOfNothing checks that bounds which contradict each other, and a division by zero, are
// answered at all.
func TestBoundsOfNothing(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	all := Bound{NegInf, PosInf}
	for _, op := range []tir.BinaryOp{tir.OpDiv, tir.OpFloorDiv, tir.OpMod, tir.OpFloorMod} {
		for _, by := range []Bound{{0, 0}, {5, -5}, {3, 0}, {0, -3}, {7, 6}} {
			a := NewAnalyzer()
			a.UpdateBound(x, Bound{2, 9})
			a.UpdateBound(y, by)
			if got := a.ConstIntBound(tir.NewBinary(op, x, y)); got != all {
				t.Errorf("%v by %v: got %v, want %v", op, by, got, all)
			}
		}
	}
	// The quotient of floats is no quotient of integers.
	f := tir.NewVar("f", dtype.Float32T)
	a := NewAnalyzer()
	a.UpdateBound(f, Bound{4, 8})
	if got := a.ConstIntBound(tir.NewBinary(tir.OpDiv, f, &tir.FloatImm{Type: f.DType(), Value: 3})); got != all {
		t.Errorf("quotient of floats: got %v, want %v", got, all)
	}
}

// TestBoundsByKnownFactor checks remainders of operands of which a factor is known.
func TestBoundsByKnownFactor(t *testing.T) {
	for _, c := range []struct {
		expr string
		x    Bound
		want Bound
	}{
		{"flm(x * 4 + 1, 6)", Bound{-9, 9}, Bound{1, 5}},
		{"flm(x * 4 + 1, 6)", Bound{0, 9}, Bound{1, 5}},
		{"flm(x * 4 + 1, 6)", Bound{0, 0}, Bound{1, 1}},
		{"flm(x * 4, 8)", Bound{0, 1}, Bound{0, 4}},
		{"flm(x * 4 + 1, 5)", Bound{-9, 9}, Bound{0, 4}},
		{"tmod(x * 4 + 1, 6)", Bound{0, 9}, Bound{1, 5}},
		{"tmod(x * 4 + 1, -6)", Bound{0, 9}, Bound{1, 5}},
		{"tmod(x * 4 + 1, 6)", Bound{-9, 9}, Bound{-5, 5}},
		{"tmod(x * 4 + 1, 5)", Bound{0, 9}, Bound{0, 4}},
		{"flm(x, 6)", Bound{0, 9}, Bound{0, 5}},
		{"flm(x * 4 + 1, y)", Bound{0, 9}, Bound{0, 5}},
		{"tmod(x * 4 + 1, y)", Bound{0, 9}, Bound{0, 5}},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.UpdateBound(v.variable("x"), c.x)
		a.UpdateBound(v.variable("y"), Bound{5, 6})
		if got := a.ConstIntBound(v.expr(c.expr)); got != c.want {
			t.Errorf("%s of %v: got %v, want %v", c.expr, c.x, got, c.want)
		}
	}
	// A variable with a known factor has it without any operation, but is not asked.
	a, v := NewAnalyzer(), newEnv()
	a.UpdateModular(v.variable("x"), Modular{4, 1})
	if got, want := a.ConstIntBound(v.expr("flm(x, 8)")), (Bound{0, 7}); got != want {
		t.Errorf("remainder of a variable: got %v, want %v", got, want)
	}
}

// TestBoundsOfOtherNodes checks nodes that are neither operations of two operands nor casts.
func TestBoundsOfOtherNodes(t *testing.T) {
	for _, c := range []struct {
		expr string
		want Bound
	}{
		{"ramp(x, 3, 4)", Bound{2, 14}},
		{"ramp(x, -3, 4)", Bound{-7, 5}},
		{"ramp(x, y, 3)", Bound{-2, 9}},
		{"bcast(x, 4)", Bound{2, 5}},
		{"select(c > 0, x, y)", Bound{-2, 5}},
		{"let(z, x * 2, z + 1)", Bound{5, 11}},
		{"let(x, 7, x + 1)", Bound{3, 6}}, // a bound variable keeps its bound
		{"x < y", Bound{0, 1}},
		{"x == y || x > 3", Bound{0, 1}},
		{"not(x < y)", Bound{0, 1}},
		{"cast(float32, x)", Bound{2, 5}},
		{"cast(bool, x)", Bound{0, 1}},
		{"cast(uint8, y)", Bound{0, 255}},
		{"cast(uint8, x)", Bound{2, 5}},
		{"cast(uint64, y)", Bound{0, PosInf}},
		{"cast(int32, w_i64)", Bound{-1 << 31, 5}}, // an index type is taken not to wrap
		{"clz(x)", Bound{-1 << 31, 1<<31 - 1}},
		{"S", Bound{0, PosInf}},
		{"cast(int32, ceil(log2(cast(float64, n))))", Bound{0, 10}},
		{"cast(int32, ceil(log2(cast(float64, x))))", Bound{1, 3}},
		{"cast(int32, ceil(log2(cast(float64, y))))", Bound{-1 << 31, 1<<31 - 1}},
		{"cast(uint32, ceil(log2(cast(float64, n))))", Bound{0, 1<<32 - 1}},
		{"cast(int32, ceil(log2(f_f32)))", Bound{-1 << 31, 1<<31 - 1}},
		{"cast(int32, ceil(f_f32))", Bound{-1 << 31, 1<<31 - 1}},
		{"cast(int32, cast(float64, f_f32))", Bound{-1 << 31, 1<<31 - 1}},
		{"band(x, y)", Bound{0, 5}},
		{"band(y, x)", Bound{0, 5}},
		{"shl(y, x)", Bound{-1 << 31, 1<<31 - 1}},
		{"shl(x, y)", Bound{-1 << 31, 1<<31 - 1}},
		{"shr(x, y)", Bound{-1 << 31, 1<<31 - 1}},
		{"cast(int32, f_f32)", Bound{-1 << 31, 1<<31 - 1}},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.UpdateBound(v.variable("x"), Bound{2, 5})
		a.UpdateBound(v.variable("y"), Bound{-2, 2})
		a.UpdateBound(v.variable("n"), Bound{1, 1024})
		a.UpdateBound(v.variable("w_i64"), Bound{-1 << 40, 5})
		a.UpdateBound(v.variable("f_f32"), Bound{1, 2})
		if got := a.ConstIntBound(v.expr(c.expr)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.expr, got, c.want)
		}
	}
	// A call of another function may return anything.
	call := &tir.Call{Type: dtype.Int8T, Op: &ir.GlobalVar{Name: "f"}, Args: []tir.Expr{tir.Int32(1), tir.Int32(2)}}
	if got, want := NewAnalyzer().ConstIntBound(call), DTypeBound(dtype.Int8T); got != want {
		t.Errorf("a call: got %v, want %v", got, want)
	}
	if got := NewAnalyzer().ModularSet(call); got != anyModular {
		t.Errorf("a call: got %v", got)
	}
	// What a let binds is unknown after it.
	a, v := NewAnalyzer(), newEnv()
	a.UpdateBound(v.variable("x"), Bound{2, 5})
	a.ConstIntBound(v.expr("let(z, x * 2, z + 1)"))
	if got, want := a.ConstIntBound(v.variable("z")), DTypeBound(dtype.Int32T); got != want {
		t.Errorf("variable of a let: got %v, want %v", got, want)
	}
}

// TestFloatsHoldIntegers checks which integers come back from a float type as they were, and keep
// their factor.
func TestFloatsHoldIntegers(t *testing.T) {
	for _, c := range []struct {
		float string
		exact int64
	}{
		{"float16", 1 << 11},
		{"float32", 1 << 24},
		{"float64", 1 << 53},
		{"bfloat16", 1 << 8},
		{"float8_e5m2", 0},
	} {
		for _, b := range []Bound{{0, c.exact}, {-c.exact, 0}, {0, c.exact + 1}, {-c.exact - 1, 0}} {
			a, x := NewAnalyzer(), tir.NewVar("x", dtype.Int64T)
			a.UpdateBound(x, b)
			a.UpdateModular(x, Modular{3, 1})
			float := tir.CastTo(dtype.MustParse(c.float), x)
			back := tir.CastTo(dtype.Int64T, float)
			want, factor := b, Modular{3, 1}
			if b.Max > c.exact || b.Min < -c.exact {
				want, factor = DTypeBound(dtype.Int64T), anyModular
			}
			if got := a.ConstIntBound(back); got != want {
				t.Errorf("%v through %s: got %v, want %v", b, c.float, got, want)
			}
			for _, e := range []tir.Expr{float, back} {
				if got := a.ModularSet(e); got != factor {
					t.Errorf("%s of %v: got %v, want %v", show(e), b, got, factor)
				}
			}
		}
	}
	// What comes back must fit, and to bool is no integer.
	a, x := NewAnalyzer(), tir.NewVar("x", dtype.Int64T)
	a.UpdateBound(x, Bound{-3, 200})
	float := tir.CastTo(dtype.Float32T, x)
	for _, c := range []struct {
		to   string
		want Bound
	}{
		{"int16", Bound{-3, 200}},
		{"int8", Bound{-128, 127}},
		{"uint8", Bound{0, 255}},
		{"bool", Bound{0, 1}},
	} {
		if got := a.ConstIntBound(tir.CastTo(dtype.MustParse(c.to), float)); got != c.want {
			t.Errorf("%s of a float: got %v, want %v", c.to, got, c.want)
		}
	}
}

// TestConstantConditionsBound checks what a comparison with a constant tells of the other side.
func TestConstantConditionsBound(t *testing.T) {
	for _, c := range []struct {
		cond, expr string
		want       Bound
	}{
		{"x * 2 <= 7", "x * 2", Bound{-100, 7}},
		{"x * 2 < 7", "x * 2", Bound{-100, 6}},
		{"x * 2 >= 7", "x * 2", Bound{7, 100}},
		{"x * 2 > 7", "x * 2", Bound{8, 100}},
		{"x * 2 == 8", "x * 2", Bound{8, 8}},
		{"x * 2 != 8", "x * 2", Bound{-100, 100}},
		{"7 >= x * 2", "x * 2", Bound{-100, 7}},
		{"7 > x * 2", "x * 2", Bound{-100, 6}},
		{"7 <= x * 2", "x * 2", Bound{7, 100}},
		{"7 < x * 2", "x * 2", Bound{8, 100}},
		{"8 == x * 2", "x * 2", Bound{8, 8}},
		{"x * 2 > 7 && x * 2 < 20", "x * 2", Bound{8, 19}},
		{"x * 2 > 7 || x * 2 < 20", "x * 2", Bound{-100, 100}},
		{"x * 2 > y", "x * 2", Bound{-100, 100}},
		{"x * 2 > 7", "x * 3", Bound{-150, 150}},
		{"x > 7", "x * 3", Bound{24, 150}},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.UpdateBound(v.variable("x"), Bound{-50, 50})
		e := v.expr(c.expr)
		before := a.ConstIntBound(e)
		exit := a.EnterConstraint(v.expr(c.cond))
		if got := a.ConstIntBound(e); got != c.want {
			t.Errorf("%s where %s: got %v, want %v", c.expr, c.cond, got, c.want)
		}
		exit()
		if got := a.ConstIntBound(e); got != before {
			t.Errorf("%s after %s: got %v, want %v", c.expr, c.cond, got, before)
		}
	}
}

// TestLongQuestions asks for the bound and the factor of expressions of more nodes than are
// visited without notes, some of which are shared.
func TestLongQuestions(t *testing.T) {
	a := NewAnalyzer()
	x := tir.NewVar("x", dtype.Int64T)
	a.UpdateBound(x, Bound{1, 2})
	a.UpdateModular(x, Modular{6, 2})
	sum := tir.Expr(x)
	const n = 3 * memoAfter
	for range n - 1 {
		sum = tir.NewBinary(tir.OpAdd, sum, x)
	}
	for range 2 {
		if got, want := a.ConstIntBound(sum), (Bound{n, 2 * n}); got != want {
			t.Errorf("bound of a long sum: got %v, want %v", got, want)
		}
		if got, want := a.ModularSet(sum), newModular(6, 2*n); got != want {
			t.Errorf("factor of a long sum: got %v, want %v", got, want)
		}
	}
	// Of the doubles only the innermost are visited more than once.
	doubled := tir.Expr(x)
	for range 40 {
		doubled = tir.NewBinary(tir.OpAdd, doubled, doubled)
	}
	if got, want := a.ConstIntBound(doubled), (Bound{1 << 40, 2 << 40}); got != want {
		t.Errorf("bound of a double: got %v, want %v", got, want)
	}
	if got, want := a.ModularSet(doubled), newModular(6, 2<<40); got != want {
		t.Errorf("factor of a double: got %v, want %v", got, want)
	}
}
