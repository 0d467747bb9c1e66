package sch

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestSplitRemainders evaluates indices of random terms, factors, ranges and divisors before and after.
func TestSplitRemainders(t *testing.T) {
	split := 0
	seed.Check(t, func(t *rapid.T) {
		an := arith.NewAnalyzer()
		var sum tir.Expr
		at := map[*tir.Var]tir.Expr{}
		for i := range rapid.IntRange(1, 4).Draw(t, "terms") {
			v := tir.NewVar("v"+string(rune('0'+i)), dtype.Int64T)
			least, n := int64(rapid.IntRange(-1, 1).Draw(t, "least")), int64(rapid.SampledFrom([]int{1, 2, 4, 5, 8, 32}).Draw(t, "extent"))
			an.BindRange(v, &tir.Range{Min: tir.Int(least), Extent: tir.Int(n)})
			at[v] = tir.Int(least + int64(rapid.IntRange(0, int(n)-1).Draw(t, "value")))
			term := tir.Expr(v)
			if f := rapid.SampledFrom([]int64{1, 2, 8, 12, 32, 64, -4}).Draw(t, "factor"); f != 1 {
				term = tir.Mul(v, tir.Int(f))
			}
			sum = plus(sum, term)
		}
		if c := rapid.SampledFrom([]int64{0, 3, 8, -2, 64}).Draw(t, "constant"); c != 0 {
			sum = tir.Add(sum, tir.Int(c))
		}
		e := tir.Add(tir.FloorMod(sum, tir.Int(rapid.SampledFrom([]int64{1, 8, 12, 64, 256}).Draw(t, "divisor"))), tir.Int(1))
		out := splitRemainders(e, an)
		if out != e {
			split++
		}
		value := func(e tir.Expr) string {
			return script.Node(arith.SimplifyAlone(tir.SubstExpr(e, at)), script.Options{})
		}
		if got, want := value(out), value(e); got != want {
			t.Fatalf("%s became %s: %s, want %s", script.Node(e, script.Options{}), script.Node(out, script.Options{}), got, want)
		}
	})
	if split == 0 && !testing.Short() { // of few cases none may have a remainder to split
		t.Error("no remainder was split")
	}
	i, j, k := tir.NewVar("i", dtype.Int64T), tir.NewVar("j", dtype.Int64T), tir.NewVar("k", dtype.Int64T)
	an := arith.NewAnalyzer()
	for _, v := range []*tir.Var{j, k} {
		an.BindRange(v, &tir.Range{Min: tir.Int(0), Extent: tir.Int(32)})
	}
	sum := tir.Add(tir.Add(tir.Mul(i, tir.Int(1024)), tir.Mul(j, tir.Int(32))), k)
	if got := script.Node(splitRemainders(tir.FloorMod(sum, tir.Int(4096)), an), script.Options{}); got != "i % T.int64(4) * T.int64(1024) + j * T.int64(32) + k" {
		t.Errorf("low terms stay: %s", got)
	}
	an.BindRange(i, &tir.Range{Min: tir.Int(0), Extent: tir.Int(33)})
	if carries := tir.FloorMod(tir.Add(tir.Mul(j, tir.Int(32)), i), tir.Int(64)); splitRemainders(carries, an) != carries {
		t.Error("a term that reaches 32 is taken out of what counts in 32s")
	}
}
