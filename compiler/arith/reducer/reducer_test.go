package reducer_test

import (
	"errors"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/arith/reducer"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func one(name string, d dtype.DType) *tir.Buffer {
	return tir.NewBuffer(name, d, []tir.Expr{tir.Int32(4)}, "")
}

// TestOf reads reductions of one and two buffers, and says of others which condition they violate.
func TestOf(t *testing.T) {
	f, i32 := dtype.Float32T, dtype.Int32T
	v, w := tir.NewVar("v", i32), tir.NewVar("w", i32)
	b, c, x := one("b", f), one("c", i32), one("x", f)
	at := func(b *tir.Buffer) tir.Expr { return tir.Load(b, v) }
	put := func(b *tir.Buffer, e tir.Expr) tir.Stmt { return tir.Store(b, e, v) }
	num := func(n float64) tir.Expr { return tir.FloatConst(f, n) }
	zero, least := num(0), num(-math.MaxFloat32)
	add := func(e tir.Expr) tir.Stmt { return put(b, tir.Add(at(b), e)) }
	place, value := tir.NewVar("p", i32), tir.NewVar("m", f)
	// the place of the greatest value so far
	greatest := func(inner tir.Stmt) tir.Stmt {
		first := tir.GE(at(b), at(x))
		return &tir.LetStmt{
			Var: place, Value: &tir.Select{Cond: first, True: at(c), False: w},
			Body: &tir.LetStmt{Var: value, Value: &tir.Select{Cond: first, True: at(b), False: at(x)}, Body: inner},
		}
	}
	both := tir.Seq(put(c, place), put(b, value))
	pair := tir.Seq(put(b, least), put(c, tir.Int32(-1)))
	for name, k := range map[string]struct {
		init, body tir.Stmt
		condition  int // 0 for none
		n          int // the buffers
	}{
		"sum":               {put(b, zero), add(at(x)), 0, 1},
		"product":           {put(b, num(1)), put(b, tir.Mul(at(b), at(x))), 0, 1},
		"maximum":           {put(b, least), put(b, tir.Max(at(b), at(x))), 0, 1},
		"place":             {pair, greatest(both), 0, 2},
		"no init":           {nil, add(at(x)), 1, 0},
		"init twice":        {tir.Seq(put(b, zero), put(b, zero)), add(at(x)), 2, 0},
		"no lets":           {pair, both, 3, 0},
		"one store":         {pair, greatest(put(b, value)), 6, 0},
		"stored again":      {pair, greatest(tir.Seq(put(b, value), put(c, value))), 8, 0},
		"not of a let":      {pair, greatest(tir.Seq(put(b, value), put(c, w))), 7, 0},
		"twice the buffer":  {pair, greatest(tir.Seq(put(b, value), put(b, place))), 9, 0},
		"other buffer":      {put(x, zero), add(at(x)), 10, 0},
		"other index":       {tir.Store(b, zero, w), add(at(x)), 12, 0},
		"other start":       {put(b, num(2)), add(at(x)), -1, 0},
		"minus":             {put(b, zero), put(b, tir.Sub(at(b), at(x))), -1, 0},
		"reads what it has": {put(b, zero), add(tir.Load(b, w)), -1, 0},
	} {
		red, err := reducer.Of(&tir.Block{Name: name, Init: k.init, Body: k.body})
		var e *reducer.Error
		switch {
		case k.n > 0:
			if err != nil || len(red.Buffers) != k.n || len(red.Values) != k.n {
				t.Errorf("%s: %v, %v; want %d buffers", name, red, err, k.n)
			}
		case !errors.As(err, &e):
			t.Errorf("%s: %v, want an error", name, err)
		case e.Condition != max(k.condition, 0):
			t.Errorf("%s: condition %d (%v), want %d", name, e.Condition, err, k.condition)
		}
	}
}
