//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestForks runs loops whose turns are independent, and others, with forks wherever the generator takes them for independent.
func TestForks(t *testing.T) {
	f32 := dtype.Float32T
	i, j, n := i32var("i"), i32var("j"), i32var("n")
	a, b := flat("A", f32, 64), flat("B", f32, 64)
	c := tir.Int32
	at := func(x *tir.Var, k int64, y tir.Expr) tir.Expr { return tir.Add(tir.Mul(x, c(k)), y) }
	two := func(x tir.Expr) tir.Expr { return tir.Mul(x, tir.FloatConst(f32, 2)) }
	acc := tir.NewBuffer("acc", f32, []tir.Expr{c(8)}, "local")
	big := tir.NewBuffer("big", f32, []tir.Expr{c(8 << 10)}, "global")
	var longs [5]*tir.Buffer // of 16 KiB
	for k := range longs {
		longs[k] = tir.NewBuffer("long", f32, []tir.Expr{c(4 << 10)}, "global")
	}
	long := func(k int) *tir.Buffer { return longs[k] }
	for _, s := range []struct {
		name  string
		forks bool
		body  tir.Stmt
		asks  bool // for workspaces
	}{
		{"rows", true, forLoop(i, c(8), forLoop(j, c(8), tir.Store(b, two(tir.Load(a, at(i, 8, j))), at(i, 8, j)))), false},
		{"rows of vectors", true, forLoop(i, c(8), tir.Store(b, two2(tir.Load(a, ramp(tir.Mul(i, c(8)), 1, 8))), ramp(tir.Mul(i, c(8)), 1, 8))), false},
		{"with a gap", true, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), at(i, 8, c(3)))), false},
		{"backwards", true, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), tir.Sub(c(63), tir.Mul(i, c(8))))), false},
		{"of some number", true, forLoop(i, n, tir.Store(b, tir.Load(a, i), i)), false},
		{"a remainder", true, forLoop(i, c(16), forLoop(j, c(7), tir.Store(b, tir.Load(a, j), tir.Add(tir.Mul(i, c(4)), tir.FloorMod(j, c(4)))))), false},
		{"read and written", true, forLoop(i, c(8), tir.Store(b, two(tir.Load(b, i)), i)), false},
		{"behind a condition", true, forLoop(i, c(64), &tir.IfThenElse{Cond: tir.LT(i, n), Then: tir.Store(b, tir.Load(a, i), i)}), false},
		{"with local arrays", true, forLoop(i, c(8), local(acc,
			forLoop(j, c(8), tir.Store(acc, tir.Load(a, at(i, 8, j)), j)),
			forLoop(j, c(8), tir.Store(b, tir.Load(acc, tir.Sub(c(7), j)), at(i, 8, j))))), false},
		{"with a workspace", true, forLoop(i, c(8), local(big,
			forLoop(j, c(8), tir.Store(big, tir.Load(a, at(i, 8, j)), tir.Mul(j, c(1000)))),
			forLoop(j, c(8), tir.Store(b, tir.Load(big, tir.Mul(j, c(1000))), at(i, 8, j))))), true},
		{"with an array as long as they stay local", true, forLoop(i, c(8), local(long(0),
			forLoop(j, c(8), tir.Store(long(0), tir.Load(a, at(i, 8, j)), tir.Mul(j, c(512)))),
			forLoop(j, c(8), tir.Store(b, tir.Load(long(0), tir.Mul(j, c(512))), at(i, 8, j))))), false},
		{"with more arrays than the area of a chunk takes", true, forLoop(i, c(8), local(long(0), local(long(1), local(long(2), local(long(3), local(long(4),
			forLoop(j, c(4), tir.Store(long(0), tir.Load(a, at(i, 8, j)), tir.Mul(j, c(1000)))),
			forLoop(j, c(4), tir.Store(long(1), two(tir.Load(long(0), tir.Mul(j, c(1000)))), tir.Mul(j, c(1000)))),
			forLoop(j, c(4), tir.Store(long(2), two(tir.Load(long(1), tir.Mul(j, c(1000)))), tir.Mul(j, c(1000)))),
			forLoop(j, c(4), tir.Store(long(3), two(tir.Load(long(2), tir.Mul(j, c(1000)))), tir.Mul(j, c(1000)))),
			forLoop(j, c(4), tir.Store(long(4), two(tir.Load(long(3), tir.Mul(j, c(1000)))), tir.Mul(j, c(1000)))),
			forLoop(j, c(4), tir.Store(b, tir.Add(tir.Load(long(4), tir.Mul(j, c(1000))), tir.Load(long(0), tir.Mul(j, c(1000)))), at(i, 8, j))))))))), true},
		{"a local array of all turns", true, local(acc,
			forLoop(i, c(8), tir.Store(acc, tir.Load(a, i), i)),
			forLoop(i, c(8), tir.Store(b, tir.Load(acc, tir.Sub(c(7), i)), i))), false},
		{"sums in registers that all turns take", true, local(acc, forLoop(i, c(8),
			tir.Store(acc, tir.Load(a, i), c(0)), tir.Store(acc, tir.Load(a, at(i, 2, c(1))), c(1)),
			forLoop(j, n, tir.Store(acc, tir.Add(tir.Load(acc, c(0)), tir.Load(a, at(j, 3, i))), c(0)), tir.Store(acc, two(tir.Load(acc, c(1))), c(1))),
			tir.Store(b, tir.Load(acc, c(0)), tir.Mul(i, c(2))), tir.Store(b, tir.Load(acc, c(1)), at(i, 2, c(1))))), false},
		{"a sum of all turns in a register", false, local(acc, tir.Store(acc, tir.FloatConst(f32, 1), c(0)), forLoop(i, c(8),
			tir.Store(acc, tir.Add(tir.Load(acc, c(0)), tir.Load(a, i)), c(0)),
			tir.Store(b, tir.Load(acc, c(0)), i))), false},
		{"inside of one that depends", true, forLoop(i, c(4), forLoop(j, c(8), tir.Store(b, two(tir.Load(b, j)), j))), false},
		{"a sum", false, forLoop(i, c(64), tir.Store(b, tir.Add(tir.Load(b, c(0)), tir.Load(a, i)), c(0))), false},
		{"the neighbour", false, forLoop(i, c(63), tir.Store(b, tir.Load(b, i), tir.Add(i, c(1)))), false},
		{"rows that overlap", false, forLoop(i, c(8), tir.Store(b, two2(tir.Load(a, ramp(tir.Mul(i, c(4)), 1, 8))), ramp(tir.Mul(i, c(4)), 1, 8))), false},
		{"two strides", false, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), i), tir.Store(b, tir.Load(a, i), tir.Mul(i, c(2)))), false},
		{"halves", false, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), tir.FloorDiv(i, c(2)))), false},
		{"the same", false, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), n)), false},
		{"said to be parallel, which an error may end", true, sideBySide(forLoop(i, c(8), tir.Store(b, tir.Load(a, n), i), unless(n, tir.OpThrowLastError))), false},
		{"left in the middle", false, forLoop(i, c(8), tir.Store(b, tir.Load(a, i), i),
			&tir.IfThenElse{Cond: tir.GE(i, n), Then: &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpBreakLoop}}}), false},
	} {
		t.Run(s.name, func(t *testing.T) {
			h := newHost(t)
			f := primFunc("f", []any{a, b, n}, s.body)
			tg := avx2(t)
			f = f.WithAttrs(f.Attrs.With(ir.AttrTarget, tg.WithHost(tg).String()))
			wrongly, _ := wrong(h, f, pack(t, f), []any{random(f32, 1, 64), random(f32, 2, 64), int64(5)})
			if wrongly != "" {
				t.Error(wrongly)
			}
			if h.forks > 0 != s.forks {
				t.Errorf("%d forks", h.forks)
			}
			if h.asked > 0 != s.asks {
				t.Errorf("%d workspaces", h.asked)
			}
		})
	}
}

// sideBySide says that the turns of a loop are independent.
func sideBySide(s tir.Stmt) tir.Stmt {
	l := *s.(*tir.For)
	l.Kind = tir.Parallel
	return &l
}

// unless calls an operator where n is negative.
func unless(n tir.Expr, op *ir.Op, args ...tir.Expr) tir.Stmt {
	return &tir.IfThenElse{Cond: tir.LT(n, tir.Int32(0)), Then: &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: op, Args: args}}}
}

// two2 doubles eight lanes.
func two2(x tir.Expr) tir.Expr { return tir.Mul(x, broadcast(tir.FloatConst(dtype.Float32T, 2), 8)) }
