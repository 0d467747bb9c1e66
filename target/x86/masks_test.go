//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestConstantMasks: more masks of constants than mask registers hold, in front of a loop and in it, for lanes of 8 to 64 bits.
func TestConstantMasks(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int8T, dtype.Float64T} {
		lanes := 512 / int(d.Bits)
		x, y := flat("x", d, 400), flat("y", d, 400)
		some := func(n int64, at tir.Expr) tir.Stmt {
			mask := tir.LT(ramp(tir.Int32(0), 1, lanes), broadcast(tir.Int32(n), lanes))
			place := ramp(at, 1, lanes)
			return tir.Store(y, tir.Add(tir.Load(x, place).WithPredicate(mask), broadcast(tir.Const(d, n), lanes)), place).WithPredicate(mask)
		}
		i := i32var("i")
		var first, body []tir.Stmt
		for n := range int64(9) {
			first = append(first, some(n*int64(lanes)/9, tir.Int32(n)))
			body = append(body, some((8-n)*int64(lanes)/9+1, tir.Add(tir.Mul(i, tir.Int32(40)), tir.Int32(9*n))))
		}
		f := primFunc("masks", []any{x, y}, append(first, forLoop(i, tir.Int32(5), body...))...)
		check(t, f, random(d, 1, 400), random(d, 2, 400))
	}
}

// TestSomeLanes: elements side by side that known lanes of a selection take, in front of others, behind them, and between, with constants in the others; nothing is read where no lane is taken, at the end of the
// memory too.
func TestSomeLanes(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Int8T, dtype.UInt8T, dtype.Float64T, dtype.Float16T, dtype.Int64T} {
		lanes := 512 / int(d.Bits)
		n := int64(lanes)
		x, y := flat("x", d, n), flat("y", d, 12*n)
		at := ramp(tir.Int32(0), 1, lanes)
		same := func(v int64) tir.Expr { return broadcast(tir.Int32(v), lanes) }
		var body []tir.Stmt
		for k, c := range []struct{ from, to, other int64 }{{0, n - 2, 0}, {0, 1, 3}, {2, n, 0}, {n - 1, n, 5}, {1, n - 1, 0}, {3, 5, 7}, {0, n, 1}, {2, 2, 4}} {
			taken := tir.And(tir.LE(same(c.from), at), tir.LT(at, same(c.to)))
			place := tir.Max(tir.Min(at, same(c.to-1)), same(c.from))
			if c.from == c.to {
				place = same(0)
			}
			value := &tir.Select{Cond: taken, True: tir.Load(x, place), False: broadcast(tir.Const(d, c.other), lanes)}
			body = append(body, tir.Store(y, value, ramp(tir.Int32(int64(k)*n), 1, lanes)))
		}
		f := primFunc("some", []any{x, y}, body...)
		check(t, f, random(d, 1, n), random(d, 2, 12*n))
	}
}
