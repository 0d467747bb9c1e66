package arith

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestCastsOfConstants checks which casts of constants fold, and to what: a float only where every
// width of the two types gives the same number.
func TestCastsOfConstants(t *testing.T) {
	f := func(d dtype.DType, v float64) tir.Expr { return &tir.FloatImm{Type: d, Value: v} }
	f16, bf16, u8 := dtype.Float16T, dtype.MustParse("bfloat16"), dtype.MustParse("uint8")
	for _, c := range []struct {
		from tir.Expr
		to   dtype.DType
		want tir.Expr // nil: it stays
	}{
		{f(dtype.Float32T, 2.5), dtype.Float64T, f(dtype.Float64T, 2.5)},
		{f(dtype.Float64T, 2.5), dtype.Float32T, f(dtype.Float32T, 2.5)},
		{f(dtype.Float64T, 0.1), dtype.Float32T, f(dtype.Float32T, float64(float32(0.1)))},
		{f(dtype.Float32T, 2.5), f16, nil},
		{f(dtype.Float32T, 2.5), dtype.Int32T, nil},
		{f(dtype.Float32T, 2.5), dtype.BoolT, nil},
		{f(dtype.Float32T, 2048), f16, f(f16, 2048)},
		{f(dtype.Float32T, 2049), f16, nil},
		{f(dtype.Float32T, -2048), f16, f(f16, -2048)},
		{f(dtype.Float32T, -2049), f16, nil},
		{f(dtype.Float32T, 2049), dtype.Float64T, f(dtype.Float64T, 2049)},
		{f(dtype.Float32T, 2049), dtype.Int32T, nil},
		{f(dtype.Float32T, 1), bf16, nil},
		{f(dtype.Float32T, 1), dtype.MustParse("handle"), nil},
		{f(dtype.Float32T, 1), dtype.MustParse("float32x4"), nil},
		{f(dtype.Float32T, 1), dtype.MustParse("boolx4"), nil},
		{f(dtype.Float32T, 3), dtype.Int32T, num(dtype.Int32T, 3)},
		{f(dtype.Float32T, -3), u8, nil},
		{f(dtype.Float32T, 3), dtype.BoolT, tir.Bool(true)},
		{f(dtype.Float32T, 0), dtype.BoolT, tir.Bool(false)},
		{f(dtype.Float32T, math.Copysign(0, -1)), dtype.Int32T, nil},
		{f(dtype.Float32T, math.Copysign(0, -1)), dtype.Float64T, f(dtype.Float64T, math.Copysign(0, -1))},
		{f(dtype.Float32T, math.Inf(1)), dtype.Float64T, f(dtype.Float64T, math.Inf(1))},
		{f(dtype.Float32T, math.Inf(1)), f16, nil},
		{num(dtype.Int32T, 300), u8, num(u8, 44)},
		{num(dtype.Int32T, -1), dtype.Int64T, num(dtype.Int64T, -1)},
		{num(dtype.Int32T, 3), dtype.Float32T, f(dtype.Float32T, 3)},
		{num(dtype.Int32T, 3), dtype.MustParse("handle"), nil},
		{&tir.Broadcast{Value: num(dtype.Int32T, 3), Lanes: 4}, dtype.MustParse("int64x4"), &tir.Broadcast{Value: num(dtype.Int64T, 3), Lanes: 4}},
	} {
		e := &tir.Cast{Type: c.to, Value: c.from}
		want := c.want
		if want == nil {
			want = e
		}
		for name, got := range map[string]tir.Expr{"rewrite": NewAnalyzer().RewriteSimplify(e), "canonical": NewAnalyzer().CanonicalSimplify(e)} {
			if !Equal(got, want) {
				t.Errorf("%s: %s of %s is %s, want %s", name, c.to, show(c.from), show(got), show(want))
			}
		}
	}
	x := tir.NewVar("x", dtype.Int32T)
	if got := NewAnalyzer().RewriteSimplify(&tir.Cast{Type: dtype.Int32T, Value: x}); got != tir.Expr(x) {
		t.Errorf("a cast to the type at hand is %s", show(got))
	}
	y := tir.NewVar("y", dtype.Int32T)
	same := &tir.Cast{Type: dtype.Int32T, Value: tir.NewBinary(tir.OpAdd, x, y)}
	if got := NewAnalyzer().CanonicalSimplify(tir.NewBinary(tir.OpSub, same, x)); got != tir.Expr(y) {
		t.Errorf("x + y, cast to its own type, less x is %s", show(got))
	}
	half := tir.FloorDiv(x, tir.Int32(2))
	same = &tir.Cast{Type: dtype.Int32T, Value: tir.NewBinary(tir.OpMul, half, tir.Int32(3))}
	if got := NewAnalyzer().CanonicalSimplify(tir.NewBinary(tir.OpSub, same, tir.NewBinary(tir.OpMul, half, tir.Int32(2)))); !Equal(got, half) {
		t.Errorf("3 halves, cast to their own type, less 2 are %s", show(got))
	}
}

// opaque is a function whose calls may do anything.
var opaque = &ir.GlobalVar{Name: "opaque"}

func opaqueCall(d dtype.DType, args ...tir.Expr) *tir.Call {
	return &tir.Call{Type: d, Op: opaque, Args: args}
}

// TestEffectsAreKept checks that nothing that may have an effect is dropped or computed once in
// place of twice, and that conditions that read memory are not remembered.
func TestEffectsAreKept(t *testing.T) {
	u8 := dtype.MustParse("uint8")
	c := opaqueCall(u8)
	x := tir.NewVar("x", u8)
	b := tir.NewBuffer("b", u8, []tir.Expr{tir.Int32(8)}, "")
	load := tir.Load(b, tir.Int32(3))
	for _, e := range []tir.Expr{
		tir.NewBinary(tir.OpEQ, c, c), tir.NewBinary(tir.OpSub, c, c),
		tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpAdd, x, c), c),
		tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpAdd, c, x), c),
		tir.NewBinary(tir.OpSub, c, tir.NewBinary(tir.OpAdd, x, c)),
		tir.NewBinary(tir.OpSub, c, tir.NewBinary(tir.OpAdd, c, x)),
	} {
		if got := NewAnalyzer().RewriteSimplify(e); got != e {
			t.Errorf("%s became %s", show(e), show(got))
		}
	}
	for _, c := range []struct{ e, want tir.Expr }{
		{tir.NewBinary(tir.OpEQ, load, load), tir.Bool(true)},
		{tir.NewBinary(tir.OpSub, load, load), num(u8, 0)},
		{tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpAdd, x, load), load), x},
		{tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpAdd, load, x), load), x},
	} {
		if got := NewAnalyzer().RewriteSimplify(c.e); !Equal(got, c.want) {
			t.Errorf("%s became %s, want %s", show(c.e), show(got), show(c.want))
		}
	}
	cond := tir.NewBinary(tir.OpLT, load, x)
	a := NewAnalyzer()
	a.EnterConstraint(cond)
	if got := a.RewriteSimplify(cond); got != tir.Expr(cond) || len(a.rw.literals) != 0 {
		t.Errorf("%s, which may be stored to, became %s", show(cond), show(got))
	}
	for _, s := range []struct {
		cond, want string
	}{
		{"x_u8 < y_u8", "true"},
		{"y_u8 <= x_u8", "false"},
		{"x_u8 <= y_u8", "x_u8 <= y_u8"},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.EnterConstraint(v.expr("x_u8 < y_u8"))
		if got := a.RewriteSimplify(v.expr(s.cond)); !Equal(got, v.expr(s.want)) {
			t.Errorf("%s where x_u8 < y_u8 is %s, want %s", s.cond, show(got), s.want)
		}
	}
	p := opaqueCall(dtype.BoolT)
	isNaN := &tir.Call{Type: dtype.BoolT, Op: tir.OpIsNaN, Args: []tir.Expr{tir.NewVar("f", dtype.Float32T)}}
	a = NewAnalyzer()
	a.EnterConstraint(isNaN)
	if got := a.RewriteSimplify(&tir.Not{A: isNaN}); !isCst(got, 0) {
		t.Errorf("the opposite of a condition is %s", show(got))
	}
	if got := a.RewriteSimplify(&tir.Call{Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{isNaN}}); !isCst(got, 1) {
		t.Errorf("a condition that is likely is %s", show(got))
	}
	a.EnterConstraint(p)
	if not := (&tir.Not{A: p}); a.RewriteSimplify(not) != tir.Expr(not) {
		t.Error("a call that may change is remembered")
	}
}

// TestNodesStay checks that what the rules leave alone is the same node, and that what they change
// below keeps its kind.
func TestNodesStay(t *testing.T) {
	v := newEnv()
	for _, s := range []string{
		"select(p_bool, x, y)", "ite(p_bool, x, y)", "not(p_bool)", "let(z, x + y, z + 1)", "cast(int64, x)", "load(x)", "shl(x, 2)", "clz(x)", "ramp(x, y, 4)", "bcast(x, 4)",
		"min(x, y)", "p_bool && q_bool", "likely(x < y)",
	} {
		e := v.expr(s)
		for _, a := range []*Analyzer{NewAnalyzer(), {Extensions: ApplyConstraintsToBooleanBranches}} {
			a.rw.a = a
			if got := a.RewriteSimplify(e); got != e {
				t.Errorf("%s became another node, %s", s, show(got))
			}
		}
	}
	for _, c := range []struct{ before, want string }{
		{"select(p_bool && true, x, y)", "select(p_bool, x, y)"},
		{"select(p_bool, x + 0, y)", "select(p_bool, x, y)"},
		{"select(p_bool, x, y + 0)", "select(p_bool, x, y)"},
		{"ite(p_bool, x * 1, y)", "ite(p_bool, x, y)"},
		{"load(x + y - y)", "load(x)"},
		{"cast(int64, x + y - y)", "cast(int64, x)"},
		{"shl(x + y - y, 2)", "shl(x, 2)"},
		{"ramp(x + y - y, y + 0, 4)", "ramp(x, y, 4)"},
		{"likely(x + y - y < z)", "likely(x < z)"},
	} {
		if got := NewAnalyzer().RewriteSimplify(v.expr(c.before)); !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.before, show(got), c.want)
		}
	}
	x, y, z := v.variable("x"), v.variable("y"), tir.NewVar("z", dtype.Int32T)
	zero := func(e tir.Expr) tir.Expr { return tir.NewBinary(tir.OpSub, tir.NewBinary(tir.OpAdd, e, y), y) }
	sum := tir.NewBinary(tir.OpAdd, x, y)
	for _, e := range []*tir.Let{
		{Var: z, Value: zero(sum), Body: tir.NewBinary(tir.OpMul, z, y)},
		{Var: z, Value: sum, Body: zero(tir.NewBinary(tir.OpMul, z, y))},
	} {
		got, ok := NewAnalyzer().RewriteSimplify(e).(*tir.Let)
		if !ok || got.Var != z || !Equal(got.Value, sum) || !Equal(got.Body, tir.NewBinary(tir.OpMul, z, y)) {
			t.Errorf("%s became %s", show(e), show(got))
		}
	}
	// A sum over an axis knows the range of its variable.
	k := tir.NewVar("k", dtype.Int32T)
	r := &tir.Reduce{Axis: []*tir.IterVar{{Var: k, Dom: &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(4)}}}, Source: []tir.Expr{tir.LT(k, tir.Int32(4))}}
	if got, ok := NewAnalyzer().RewriteSimplify(r).(*tir.Reduce); !ok || !isCst(got.Source[0], 1) {
		t.Error("the axis of a reduction has no range")
	}
}

// TestCallsOfConstants checks the calls that fold.
func TestCallsOfConstants(t *testing.T) {
	i := func(v int64) tir.Expr { return tir.Int32(v) }
	f := func(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }
	call := func(d dtype.DType, op *ir.Op, args ...tir.Expr) *tir.Call {
		return &tir.Call{Type: d, Op: op, Args: args}
	}
	x := tir.NewVar("x", dtype.Int32T)
	log := func(e tir.Expr) tir.Expr { return call(dtype.Float32T, tir.OpLog2, e) }
	wide := func(e tir.Expr) tir.Expr { return &tir.Broadcast{Value: e, Lanes: 4} }
	for _, c := range []struct {
		call *tir.Call
		want tir.Expr // nil: it stays
	}{
		{call(dtype.Int32T, tir.OpShiftLeft, i(3), i(31)), i(-1 << 31)},
		{call(dtype.Int32T, tir.OpShiftLeft, i(3), i(32)), nil},
		{call(dtype.Int32T, tir.OpShiftLeft, i(3), i(-1)), nil},
		{call(dtype.Int32T, tir.OpShiftLeft, i(3), x), nil},
		{call(dtype.Int32T, tir.OpShiftLeft, x, i(3)), nil},
		{call(dtype.Int32T, tir.OpShiftLeft, i(3)), nil},
		{call(dtype.Int32T, tir.OpShiftLeft), nil},
		{call(dtype.Int32T, tir.OpShiftLeft, x, i(0)), x},
		{call(dtype.Int32T, tir.OpShiftRight, x, i(0)), x},
		{call(dtype.Int64T, tir.OpShiftRight, x, i(0)), nil},
		{call(dtype.Int32T.WithLanes(4), tir.OpShiftLeft, wide(x), wide(i(0))), wide(x)},
		{call(dtype.Int32T, tir.OpShiftRight, i(-9), i(1)), i(-5)},
		{call(dtype.Int32T, tir.OpShiftRight, i(9), i(0)), i(9)},
		{call(dtype.Float32T, tir.OpCeil, i(9)), f(9)},
		{call(dtype.Float32T, tir.OpCeil, f(2.1)), f(3)},
		{call(dtype.Float32T, tir.OpCeil, f(-2.1)), f(-2)},
		{call(dtype.Float32T, tir.OpCeil, x), nil},
		{call(dtype.Float32T, tir.OpCeil, log(f(8))), f(3)},
		{call(dtype.Float32T, tir.OpCeil, log(f(8.5))), f(4)},
		{call(dtype.Float32T, tir.OpCeil, log(f(0))), nil},
		{call(dtype.Float32T, tir.OpCeil, log(f(-2))), nil},
		{call(dtype.Float32T, tir.OpCeil, log(tir.NewVar("f", dtype.Float32T))), nil},
		{call(dtype.Float32T, tir.OpCeil, call(dtype.Float32T, tir.OpExp, f(3))), nil},
		{call(dtype.Float32T, tir.OpExp, f(3)), nil},
		{call(dtype.Int32T, tir.OpClz, i(1)), i(31)},
		{call(dtype.Int32T, tir.OpClz, i(0)), i(32)},
		{call(dtype.Int32T, tir.OpClz, i(-1)), nil},
		{call(dtype.Int64T, tir.OpClz, num(dtype.Int64T, 1)), num(dtype.Int64T, 63)},
		{call(dtype.BoolT, tir.OpLikely, tir.Bool(false)), tir.Bool(false)},
		{call(dtype.Int32T, tir.OpIfThenElse, tir.Bool(true), i(1), x), i(1)},
		{call(dtype.Int32T, tir.OpIfThenElse, tir.Bool(false), i(1), x), x},
		{opaqueCall(dtype.Int32T, i(1)), nil},
		{opaqueCall(dtype.Int32T), nil},
		{call(dtype.BoolT, tir.OpLikely), nil},
		{call(dtype.Int32T, tir.OpClz), nil},
		{call(dtype.Float32T, tir.OpCeil), nil},
	} {
		want := c.want
		if want == nil {
			want = c.call
		}
		if got := NewAnalyzer().RewriteSimplify(c.call); got != want && !Equal(got, want) {
			t.Errorf("%s is %s, want %s", show(c.call), show(got), show(want))
		}
	}
	for _, c := range []struct{ before, want string }{
		{"likely(x < y)", "true"},
		{"likely(y <= x)", "false"},
		{"ite(p_bool, ite(q_bool, x, 1), 1)", "ite(p_bool && q_bool, x, 1)"},
		{"ite(p_bool, ite(q_bool, x, y), y)", "ite(p_bool, ite(q_bool, x, y), y)"},
		{"ite(p_bool, ite(q_bool, x, 1), 2)", "ite(p_bool, ite(q_bool, x, 1), 2)"},
		{"ite(p_bool, bcast(1, 2), bcast(1, 2))", "ite(p_bool, bcast(1, 2), bcast(1, 2))"},
		{"ite(p_bool, ite(q_bool, vx_i32x2, bcast(1, 2)), bcast(1, 2))", "ite(p_bool && q_bool, vx_i32x2, bcast(1, 2))"},
		{"ite(p_bool, ite(q_bool, vx_i32x2, bcast(y, 2)), bcast(y, 2))", "ite(p_bool, ite(q_bool, vx_i32x2, bcast(y, 2)), bcast(y, 2))"},
		{"ite(x < 5, x < 6, x < 5)", "ite(x < 5, true, false)"},
		{"select(x < 5, x < 6, x < 5)", "select(x < 5, true, false)"},
		{"ite(x < 5, y, ite(x < 4, 1, 2))", "ite(x < 5, y, 2)"},
		{"select(x < 5, y, select(x < 4, 1, 2))", "select(x < 5, y, 2)"},
		{"select(x == 5, x + 1, x)", "select(x == 5, x + 1, x)"},
	} {
		a, v := NewAnalyzer(), newEnv()
		if c.before[:6] == "likely" {
			a.EnterConstraint(v.expr("x < y"))
		}
		if got := a.RewriteSimplify(v.expr(c.before)); !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.before, show(got), c.want)
		}
	}
}

// TestScopesInsideOfExpressions has a condition that is the same node outside and inside of a
// choice: what was found of it before it was known does not count inside.
func TestScopesInsideOfExpressions(t *testing.T) {
	v := newEnv()
	cond := v.expr("x * y < z")
	one, two, three := tir.Expr(tir.Int32(1)), tir.Expr(tir.Int32(2)), tir.Expr(tir.Int32(3))
	choice := func(yes, no tir.Expr) tir.Expr { return &tir.Select{Cond: cond, True: yes, False: no} }
	lazy := func(yes, no tir.Expr) tir.Expr { return tir.IfThenElseExpr(cond, yes, no) }
	for name, c := range map[string]struct{ e, want tir.Expr }{
		"true":       {choice(choice(one, two), three), choice(one, three)},
		"false":      {choice(three, choice(one, two)), choice(three, two)},
		"lazy true":  {lazy(lazy(one, two), three), lazy(one, three)},
		"lazy false": {lazy(three, lazy(one, two)), lazy(three, two)},
		"after":      {tir.NewBinary(tir.OpMin, choice(choice(one, two), three), lazy(two, one)), tir.NewBinary(tir.OpMin, choice(one, three), lazy(two, one))},
	} {
		for how, simplify := range map[string]func(*Analyzer, tir.Expr) tir.Expr{"rewrite": (*Analyzer).RewriteSimplify, "canonical": (*Analyzer).CanonicalSimplify} {
			if got := simplify(NewAnalyzer(), c.e); !Equal(got, c.want) {
				t.Errorf("%s, %s: %s, want %s", name, how, show(got), show(c.want))
			}
		}
	}
}
