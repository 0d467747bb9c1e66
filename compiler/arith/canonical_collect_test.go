package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// oneByOne sums up a tree of + and - operand by operand.
func oneByOne(s *simplifier, e tir.Expr, d dtype.DType) canon {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpAdd && b.Op != tir.OpSub {
		return s.mutate(e)
	}
	x, y := oneByOne(s, b.A, d), oneByOne(s, b.B, d)
	sign := int64(1)
	if b.Op == tir.OpSub {
		sign = -1
	}
	out := s.room.sumOf(x, d)
	out.addSum(s.room.sumOf(y, d), sign)
	return canon{sum: out}
}

// TestCollect compares sums of whole trees with those that are made operand by operand, up to the order of the terms.
func TestCollect(t *testing.T) {
	d := dtype.Int32T
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		vars := make([]tir.Expr, 1+r.IntN(12))
		for i := range vars {
			vars[i] = tir.NewVar("v", d)
		}
		leaf := func() tir.Expr {
			x := vars[r.IntN(len(vars))]
			switch r.IntN(6) {
			case 0:
				return tir.Const(d, int64(r.IntN(9)-4))
			case 1:
				return tir.NewBinary(tir.OpMul, x, tir.Const(d, int64(r.IntN(5)-2)))
			case 2:
				return tir.NewBinary(tir.OpFloorDiv, x, tir.Const(d, int64(1+r.IntN(4))))
			case 3:
				return tir.NewBinary(tir.OpFloorMod, tir.NewBinary(tir.OpFloorDiv, x, tir.Const(d, 2)), tir.Const(d, int64(2+r.IntN(3))))
			}
			return x
		}
		var made []tir.Expr
		var build func(n int) tir.Expr
		build = func(n int) tir.Expr {
			if n <= 1 {
				if len(made) > 0 && r.IntN(8) == 0 {
					return made[r.IntN(len(made))] // a node that stands in several places
				}
				return leaf()
			}
			left := []int{1, n - 1, n / 2, 1 + r.IntN(n-1)}[r.IntN(4)]
			e := tir.NewBinary([]tir.BinaryOp{tir.OpAdd, tir.OpSub}[r.IntN(2)], build(left), build(n-left))
			made = append(made, e)
			return e
		}
		e := build(3 + r.IntN(60)).(*tir.Binary)
		a := NewAnalyzer()
		a.begin()
		got := a.cs.collect(e, d, map[*tir.Binary]bool{}).sum(d)
		a.end()
		a = NewAnalyzer()
		a.begin()
		want := oneByOne(&a.cs, e, d).sum
		a.end()
		if got.base != want.base || len(got.terms) != len(want.terms) {
			t.Fatalf("seed %d: %s: %d terms and %d, want %d and %d", seed, show(e), len(got.terms), got.base, len(want.terms), want.base)
		}
		for i := range got.terms {
			if got.terms[i] != want.terms[i] {
				t.Fatalf("seed %d: %s: term %d of %s is not that of %s", seed, show(e), i, show(got.expr()), show(want.expr()))
			}
		}
	}
}
