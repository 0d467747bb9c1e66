package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// polynomials returns all expressions of the depth over the leaves by +, - and *.
func polynomials(leaves []tir.Expr, depth int) []tir.Expr {
	if depth == 0 {
		return leaves
	}
	below := polynomials(leaves, depth-1)
	out := below
	for _, op := range []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMul} {
		for _, x := range below {
			for _, y := range leaves {
				out = append(out, tir.NewBinary(op, x, y), tir.NewBinary(op, y, x))
			}
		}
	}
	return out
}

// linearByForm tells whether e is linear in v, as far as its form tells: v is in no operation but
// +, - and *, and in one factor of a product at most.
func linearByForm(e tir.Expr, v *tir.Var) bool {
	has := func(e tir.Expr) bool { return UsesVar(e, func(x *tir.Var) bool { return x == v }) }
	b := bin(e)
	switch b.Op {
	case tir.OpAdd, tir.OpSub:
		return linearByForm(b.A, v) && linearByForm(b.B, v)
	case tir.OpMul:
		return linearByForm(b.A, v) && linearByForm(b.B, v) && !(has(b.A) && has(b.B))
	}
	return e == tir.Expr(v) || !has(e)
}

// TestLinearForms takes small polynomials of two variables and a parameter apart: the coefficients
// are found if and only if the polynomial is linear, use no variable, and give its value back.
func TestLinearForms(t *testing.T) {
	x, y, n := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T), tir.NewVar("n", dtype.Int32T)
	leaves := []tir.Expr{x, y, n, tir.Int32(3), tir.FloorDiv(n, tir.Int32(2)), tir.FloorMod(x, tir.Int32(2))}
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		vars := []*tir.Var{x, y}
		linear := 0
		for _, e := range polynomials(leaves, 2) {
			if r.IntN(3) > 0 {
				continue
			}
			coeffs, base, ok := DetectLinearEquation(e, vars)
			one := func(v *tir.Var) bool { return linearByForm(e, v) }
			if !one(x) || !one(y) {
				if ok {
					t.Fatalf("%s is linear: %v", show(e), coeffs)
				}
				continue
			}
			if !ok {
				// A product of x and y is linear in each of them, not in both.
				if c, _, ok := DetectLinearEquation(e, vars[:1]); !ok || !UsesVar(c[0], func(v *tir.Var) bool { return v == y }) {
					t.Fatalf("%s is not linear", show(e))
				}
				continue
			}
			linear++
			sum := base
			for i, c := range coeffs {
				sum = tir.NewBinary(tir.OpAdd, sum, tir.NewBinary(tir.OpMul, c, vars[i]))
			}
			for _, c := range append(coeffs, base) {
				if UsesVar(c, func(v *tir.Var) bool { return v == x || v == y }) {
					t.Fatalf("%s: the part %s uses a variable", show(e), show(c))
				}
			}
			for _, at := range someValues(r, []*tir.Var{x, y, n}, 4) {
				if got, want := evalAll(sum, at)[0], evalAll(e, at)[0]; got != want {
					t.Fatalf("%s as %s: %d at %v, want %d", show(e), show(sum), got, point(at), want)
				}
			}
		}
		if linear < 100 {
			t.Errorf("%d polynomials are linear", linear)
		}
	})
}

// TestLinearFormsAreWritten checks how coefficients are written: as TVM does, the factor without
// the variable first, zeros left out.
func TestLinearFormsAreWritten(t *testing.T) {
	for _, c := range []struct{ expr, coeff, base string }{
		{"x", "1", "0"},
		{"y", "0", "y"},
		{"x * y", "y", "0"},
		{"y * x", "y", "0"},
		{"x * y * z", "z * y", "0"},
		{"z * (y * x)", "z * y", "0"},
		{"(x + y) * z", "z", "z * y"},
		{"z * (x + y)", "z", "z * y"},
		{"y - x", "-1", "y"},
		{"y - x * z", "0 - z", "y"},
		{"x - y", "1", "0 - y"},
		{"x * y + x * z", "y + z", "0"},
		{"x * y - x * z", "y - z", "0"},
		{"y + z", "0", "y + z"},
		{"y - z", "0", "y - z"},
		{"fld(y, z) * x", "fld(y, z)", "0"},
	} {
		v := newEnv()
		coeffs, base, ok := DetectLinearEquation(v.expr(c.expr), []*tir.Var{v.variable("x")})
		if !ok || !Equal(coeffs[0], v.expr(c.coeff)) || !Equal(base, v.expr(c.base)) {
			t.Errorf("%s is %s * x + %s, want %s * x + %s", c.expr, show(coeffs[0]), show(base), c.coeff, c.base)
		}
	}
	for _, expr := range []string{"x * x", "(x + y) * (z - x)", "fld(x, 2)", "y + fld(y, x)", "min(x, y)", "(x - x) * x", "x * fld(x, y)", "fld(x, y) - x", "x - fld(x, y)"} {
		v := newEnv()
		if coeffs, base, ok := DetectLinearEquation(v.expr(expr), []*tir.Var{v.variable("x")}); ok || coeffs != nil || base != nil {
			t.Errorf("%s is linear in x: %v and %s", expr, coeffs, show(base))
		}
	}
	u := tir.NewVar("u", dtype.MustParse("uint32"))
	coeffs, _, ok := DetectLinearEquation(u, []*tir.Var{u})
	if !ok || coeffs[0].DType() != dtype.Int32T {
		t.Errorf("the coefficient of an unsigned variable has type %v", coeffs[0].DType())
	}
}

// TestClipBounds compares what is read from a comparison with the values that satisfy it.
func TestClipBounds(t *testing.T) {
	const least, most = -12, 12
	n := tir.NewVar("n", dtype.Int32T)
	x, y := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)
	num := func(v int64) tir.Expr { return tir.Int32(v) }
	sides := [][2]tir.Expr{}
	for k := int64(-3); k <= 3; k++ {
		sides = append(sides,
			[2]tir.Expr{x, num(k)}, [2]tir.Expr{num(k), x}, [2]tir.Expr{tir.Add(x, n), num(k)}, [2]tir.Expr{num(k), tir.Sub(n, x)},
			[2]tir.Expr{x, tir.Add(n, num(k))}, [2]tir.Expr{tir.Mul(n, num(k)), x}, [2]tir.Expr{tir.Sub(num(k), x), n}, [2]tir.Expr{x, n}, [2]tir.Expr{n, x})
	}
	check := func(cond tir.Expr) {
		bounds, ok := DetectClipBound(cond, []*tir.Var{y, x})
		if !ok {
			t.Errorf("%s bounds nothing", show(cond))
			return
		}
		if bounds[0].Min != nil || bounds[0].Max != nil {
			t.Errorf("%s bounds y", show(cond))
		}
		for vn := int64(-2); vn <= 2; vn++ {
			at := map[*tir.Var]int64{n: vn}
			lo, hi := int64(least), int64(most)
			if bounds[1].Min != nil {
				lo = evalAll(bounds[1].Min, at)[0]
			}
			if bounds[1].Max != nil {
				hi = evalAll(bounds[1].Max, at)[0]
			}
			for vx := int64(least); vx <= most; vx++ {
				at[x] = vx
				if got, want := lo <= vx && vx <= hi, evalAll(cond, at)[0] != 0; got != want {
					t.Errorf("%s: x in %s..%s, but it is %v at %v", show(cond), show(bounds[1].Min), show(bounds[1].Max), want, point(at))
					return
				}
			}
		}
	}
	var single []tir.Expr
	for _, s := range sides {
		for _, op := range compares {
			cond := tir.NewBinary(op, s[0], s[1])
			if op != tir.OpNE {
				check(cond)
				single = append(single, cond)
			} else if _, ok := DetectClipBound(cond, []*tir.Var{y, x}); ok {
				t.Errorf("%s is a bound", show(cond))
			}
		}
	}
	bounds, _ := DetectClipBound(tir.And(tir.LT(x, tir.Add(n, num(3))), tir.LE(tir.Sub(n, num(1)), x)), []*tir.Var{x})
	if least, most := tir.Add(n, num(-1)), tir.Add(n, num(2)); !Equal(bounds[0].Min, least) && !Equal(bounds[0].Min, tir.Sub(n, num(1))) || !Equal(bounds[0].Max, most) {
		t.Errorf("x in %s..%s, want %s..%s", show(bounds[0].Min), show(bounds[0].Max), show(least), show(most))
	}
	m := tir.NewVar("m", dtype.Int32T)
	conds := tir.And(tir.And(tir.LE(n, x), tir.LE(m, x)), tir.And(tir.LE(x, tir.Mul(n, num(9))), tir.LE(x, tir.Mul(m, num(9)))))
	bounds, _ = DetectClipBound(conds, []*tir.Var{x}) // in the order of the conditions, as TVM has it
	if !Equal(bounds[0].Min, tir.Max(n, m)) || !Equal(bounds[0].Max, tir.Mul(tir.Min(n, m), num(9))) {
		t.Errorf("x in %s..%s", show(bounds[0].Min), show(bounds[0].Max))
	}
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for range 60 {
			a, b := single[r.IntN(len(single))], single[r.IntN(len(single))]
			if c, ok := cst(NewAnalyzer().Simplify(tir.NewBinary(tir.OpAnd, a, b))); ok && c == 0 {
				continue
			}
			check(tir.NewBinary(tir.OpAnd, a, b))
		}
	})
}

// TestClipRefuses lists conditions that are no bounds of one variable each.
func TestClipRefuses(t *testing.T) {
	for _, c := range []struct {
		cond string
		want bool
	}{
		{"x < 3 && y < 4", true},
		{"x < 3 && (y < 4 && 2 < x)", true},
		{"x == y", false},
		{"x + y < 3", false},
		{"x < 3 && x + y < 3", false},
		{"x + y < 3 && x < 3", false},
		{"n < 3", false},
		{"x < 3 && n < 3", false},
		{"n < 3 && x < 3", false},
		{"x < 3 || 4 < x", false},
		{"x != 3", false},
		{"p_bool", false},
		{"q_bool", false},
		{"q_bool && x < 3", false},
		{"p_bool && x < 3", false},
		{"x < 3 && p_bool", false},
		{"x * 4 < n", false},
		{"x * -3 < n", false},
		{"x * 2 == n", false},
		{"x * n < 7", false},
		{"fld(x, 4) < n", false},
		{"x * 4 < 8", true},
		{"f_f32 < 3.0", false},
		{"u_u32 < w_u32", false},
	} {
		v := newEnv()
		vars := []*tir.Var{v.variable("x"), v.variable("y"), v.variable("f_f32"), v.variable("u_u32"), v.variable("q_bool")}
		bounds, ok := DetectClipBound(v.expr(c.cond), vars)
		if ok != c.want || ok != (bounds != nil) {
			t.Errorf("%s: %v", c.cond, ok)
		}
	}
}
