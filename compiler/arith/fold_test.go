package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var allOps = []tir.BinaryOp{
	tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod, tir.OpMin, tir.OpMax,
	tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpAnd, tir.OpOr,
}

// TestFold folds each operation on each pair of small constants and a variable. Two constants fold
// whenever there is a value; a constant and a variable fold to one of the two, or to a constant,
// where the value is that for all values of the variable.
func TestFold(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int32T, dtype.Int64T, dtype.MustParse("uint8"), dtype.BoolT} {
		x := tir.NewVar("x", d)
		values := []int64{-2, -1, 0, 1, 2}
		if d.IsBool() {
			values = []int64{0, 1}
		} else if d.IsUInt() {
			values = []int64{0, 1, 2, 255}
		}
		for _, op := range allOps {
			logic := op == tir.OpAnd || op == tir.OpOr
			if d.IsBool() != logic && (op != tir.OpEQ || logic) {
				continue
			}
			result := d
			if op >= tir.OpEQ {
				result = dtype.BoolT
			}
			for _, a := range values {
				for _, b := range values {
					got := fold(op, num(d, a), num(d, b))
					want, ok := tir.FoldInt(op, d, a, b)
					if (got != nil) != ok || ok && !Equal(got, num(result, want)) {
						t.Errorf("%v of %v %d and %d: %s, want %d", op, d, a, b, show(got), want)
					}
				}
				for _, left := range []bool{false, true} {
					sides := [2]tir.Expr{x, num(d, a)}
					if left {
						sides[0], sides[1] = sides[1], sides[0]
					}
					got := fold(op, sides[0], sides[1])
					neutral := !left && a == 0 && (op == tir.OpAdd || op == tir.OpSub) || left && a == 0 && op == tir.OpAdd ||
						a == 1 && op == tir.OpMul || !left && a == 1 && (op == tir.OpDiv || op == tir.OpFloorDiv) ||
						op == tir.OpAnd && a == 1 || op == tir.OpOr && a == 0
					absorbing := a == 0 && op == tir.OpMul || left && a == 0 && (op == tir.OpDiv || op == tir.OpFloorDiv || op == tir.OpMod || op == tir.OpFloorMod) ||
						op == tir.OpAnd && a == 0 || op == tir.OpOr && a == 1
					var want tir.Expr
					switch {
					case neutral:
						want = x
					case absorbing:
						want = num(d, a)
					case !left && a == 1 && (op == tir.OpMod || op == tir.OpFloorMod):
						want = num(d, 0)
					}
					if want == nil && got != nil || want != nil && !Equal(got, want) {
						t.Errorf("%v of %s and %s: %s, want %s", op, show(sides[0]), show(sides[1]), show(got), show(want))
					}
					if got == nil {
						continue
					}
					for _, v := range values {
						at := map[*tir.Var]int64{x: v}
						if want, ok := evalOK(tir.NewBinary(op, sides[0], sides[1]), at); ok && evalAll(got, at)[0] != want[0] {
							t.Errorf("%v of %s and %s is %s, but %d at %d", op, show(sides[0]), show(sides[1]), show(got), want[0], v)
						}
					}
				}
			}
			got := fold(op, x, x)
			if same := op == tir.OpMin || op == tir.OpMax; same && got != tir.Expr(x) || !same && got != nil {
				t.Errorf("%v of x and x is %s", op, show(got))
			}
			if got := fold(op, x, tir.NewVar("y", d)); got != nil {
				t.Errorf("%v of x and y is %s", op, show(got))
			}
		}
	}
}

// TestFoldFloats checks what folds of floats: constants, and neutral operands.
func TestFoldFloats(t *testing.T) {
	x := tir.NewVar("x", dtype.Float32T)
	f := func(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }
	for _, c := range []struct {
		op   tir.BinaryOp
		a, b tir.Expr
		want tir.Expr
	}{
		{tir.OpAdd, f(1), f(2), f(3)},
		{tir.OpSub, f(1), f(2), f(-1)},
		{tir.OpMul, f(3), f(2), f(6)},
		{tir.OpDiv, f(3), f(2), f(1.5)},
		{tir.OpMin, f(3), f(2), f(2)},
		{tir.OpDiv, f(3), f(0), nil},
		{tir.OpMod, f(3), f(2), nil},
		{tir.OpLT, f(1), f(2), tir.Bool(true)},
		{tir.OpAdd, x, f(0), x},
		{tir.OpAdd, f(0), x, x},
		{tir.OpAdd, x, f(1), nil},
		{tir.OpAdd, f(1), x, nil},
		{tir.OpSub, x, f(0), x},
		{tir.OpSub, f(0), x, nil},
		{tir.OpSub, x, f(1), nil},
		{tir.OpMul, x, f(1), x},
		{tir.OpMul, f(1), x, x},
		{tir.OpMul, x, f(0), nil},
		{tir.OpMul, f(0), x, nil},
		{tir.OpMul, f(2), x, nil},
		{tir.OpMul, x, f(2), nil},
		{tir.OpDiv, x, f(1), x},
		{tir.OpDiv, f(1), x, nil},
		{tir.OpDiv, f(0), x, nil},
		{tir.OpDiv, x, f(0), nil},
		{tir.OpMin, x, f(0), nil},
		{tir.OpMin, x, f(1), nil},
		{tir.OpMax, f(1), x, nil},
		{tir.OpMin, x, x, x},
		{tir.OpAdd, x, x, nil},
		{tir.OpLT, x, f(0), nil},
	} {
		got := fold(c.op, c.a, c.b)
		if c.want == nil && got != nil || c.want != nil && !Equal(got, c.want) {
			t.Errorf("%v of %s and %s is %s, want %s", c.op, show(c.a), show(c.b), show(got), show(c.want))
		}
		if made := mk(c.op, c.a, c.b); c.want == nil && !Equal(made, tir.NewBinary(c.op, c.a, c.b)) {
			t.Errorf("%v of %s and %s is made %s", c.op, show(c.a), show(c.b), show(made))
		}
	}
	for _, lanes := range []int{1, 4} {
		d := dtype.Int32T.WithLanes(lanes)
		if got := truth(d, true); got.DType() != dtype.BoolT.WithLanes(lanes) {
			t.Errorf("the truth for %v has type %v", d, got.DType())
		}
	}
	if !isCst(truth(dtype.Int32T, true), 1) || !isCst(truth(dtype.Int32T, false), 0) {
		t.Error("truth is not 1 and 0")
	}
}
