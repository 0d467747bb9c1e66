package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestMemo does to a Memo what it does to a map, and finds the same in both.
func TestMemo(t *testing.T) {
	seed.Each(t, 4, func(t *testing.T, r *rand.Rand) {
		nodes := make([]tir.Expr, 300)
		for i := range nodes {
			nodes[i] = tir.Int(7) // equal, but at addresses of their own
		}
		var memo ir.Memo[tir.Expr, int]
		want := map[tir.Expr]int{}
		for i := range 20_000 {
			k := nodes[r.IntN(len(nodes))]
			if r.IntN(2) == 0 {
				k = nodes[r.IntN(5)]
			}
			switch n := r.IntN(400); {
			case n == 0:
				memo.Clear()
				clear(want)
			case n < 200:
				memo.Put(k, i)
				want[k] = i
			}
			got, ok := memo.Get(k)
			if v, has := want[k]; got != v || ok != has {
				t.Fatalf("after %d steps: found %d, %t, expected %d, %t", i, got, ok, v, has)
			}
			if memo.Len() != len(want) {
				t.Fatalf("after %d steps: %d entries, expected %d", i, memo.Len(), len(want))
			}
		}
	})
}

// TestMemoOfPointers uses a type of nodes as the key, and nil.
func TestMemoOfPointers(t *testing.T) {
	var memo ir.Memo[*tir.IntImm, string]
	a, b := tir.Int(1), tir.Int(1)
	memo.Put(a, "a")
	memo.Put(nil, "none")
	if got, ok := memo.Get(a); got != "a" || !ok {
		t.Errorf("found %q, %t", got, ok)
	}
	if got, ok := memo.Get(nil); got != "none" || !ok {
		t.Errorf("found %q, %t of nil", got, ok)
	}
	if _, ok := memo.Get(b); ok {
		t.Error("another node was found")
	}
}

// BenchmarkMemo fills and clears a table as a rewrite of a small expression does: beside it, a map.
func BenchmarkMemo(b *testing.B) {
	nodes := make([]tir.Expr, 12)
	for i := range nodes {
		nodes[i] = tir.Int(int64(i))
	}
	b.Run("memo", func(b *testing.B) {
		b.ReportAllocs()
		var memo ir.Memo[tir.Expr, tir.Expr]
		for b.Loop() {
			for _, n := range nodes {
				if _, ok := memo.Get(n); !ok {
					memo.Put(n, n)
				}
			}
			memo.Clear()
		}
	})
	b.Run("map", func(b *testing.B) {
		b.ReportAllocs()
		memo := map[tir.Expr]tir.Expr{}
		for b.Loop() {
			for _, n := range nodes {
				if _, ok := memo[n]; !ok {
					memo[n] = n
				}
			}
			clear(memo)
		}
	})
}

// TestSeen: a set forgets what was in it when it is done with, and two at once know nothing of each other.
func TestSeen(t *testing.T) {
	a, b := tir.Int(1), tir.Int(1)
	for range 3 {
		s, other := ir.NewSeen(), ir.NewSeen()
		if !s.First(a) || s.First(a) || !s.First(b) || !other.First(a) {
			t.Fatal("a node was met before it was, or not again")
		}
		s.Done()
		other.Done()
	}
}
