package lower

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestIndependent asks of loops i whether their turns touch nothing of each other. What generated code does with the answer is tested in target/x86.
func TestIndependent(t *testing.T) {
	f32, i32, i64 := dtype.Float32T, dtype.Int32T, dtype.Int64T
	i, j, n, m := tir.NewVar("i", i32), tir.NewVar("j", i32), tir.NewVar("n", i32), tir.NewVar("m", i32)
	wide := tir.NewVar("k", i64)
	a, b := tir.NewBuffer("A", f32, []tir.Expr{tir.Int32(64)}, "global"), tir.NewBuffer("B", f32, []tir.Expr{tir.Int32(64)}, "global")
	vec := tir.NewBuffer("V", f32.WithLanes(4), []tir.Expr{tir.Int32(16)}, "global")
	one := tir.FloatConst(f32, 1)
	c := tir.Int32
	none := func(*tir.Var) bool { return false }
	loop := func(v *tir.Var, extent tir.Expr, body ...tir.Stmt) *tir.For {
		return &tir.For{LoopVar: v, Min: tir.Const(v.DType(), 0), Extent: extent, Body: tir.Seq(body...)}
	}
	store := func(at tir.Expr) tir.Stmt { return tir.Store(a, one, at) }
	mul, add := tir.Mul, tir.Add
	for _, x := range []struct {
		name string
		want bool
		loop *tir.For
	}{
		{"elements", true, loop(i, n, store(i))},
		{"elements behind an offset", true, loop(i, n, store(add(i, m)))},
		{"elements behind two offsets", false, loop(i, n, store(add(i, m)), store(i))},
		{"the same offset on both sides", true, loop(i, n, tir.Store(a, tir.Load(a, add(i, mul(m, c(3)))), add(mul(m, c(3)), i)))},
		{"an offset that is taken off", true, loop(i, n, store(tir.Sub(add(i, m), m)), store(i))},
		{"rows", true, loop(i, n, loop(j, c(8), store(add(mul(i, c(8)), j))))},
		{"rows that are one too long", false, loop(i, n, loop(j, c(9), store(add(mul(i, c(8)), j))))},
		{"rows of unknown length", false, loop(i, n, loop(j, m, store(add(mul(i, c(8)), j))))},
		{"rows of a size that is not known", false, loop(i, n, loop(j, c(8), store(add(mul(i, m), j))))},
		{"large rows", true, loop(i, n, loop(j, c(1<<25), store(add(mul(i, c(1<<25)), j))))},
		{"rows in two places", true, loop(i, c(4), loop(j, c(8), store(add(mul(i, c(8)), j))), loop(j, c(8), store(add(add(mul(i, c(8)), j), c(32)))))},
		{"rows in two places that meet", false, loop(i, c(5), loop(j, c(8), store(add(mul(i, c(8)), j))), loop(j, c(8), store(add(add(mul(i, c(8)), j), c(32)))))},
		{"rows in two places of so many turns", false, loop(i, n, loop(j, c(8), store(add(mul(i, c(8)), j))), loop(j, c(8), store(add(add(mul(i, c(8)), j), c(32)))))},
		{"rows in two places, one behind zero", false, loop(i, c(5), store(mul(i, c(8))), store(add(mul(i, c(8)), c(-32))))},
		{"columns beside each other", true, loop(i, n, store(mul(i, c(8))), store(add(mul(i, c(8)), c(36))))},
		{"an offset that is computed outside", true, loop(i, n, store(add(mul(i, c(8)), tir.FloorMod(m, c(3)))), store(add(mul(i, c(8)), add(tir.FloorMod(m, c(3)), c(1)))))},
		{"two offsets that are computed outside", false, loop(i, n, store(add(i, tir.FloorDiv(m, c(3)))), store(add(i, tir.FloorDiv(m, c(4)))))},
		{"an offset that is computed from the turn", false, loop(i, n, store(add(i, tir.FloorDiv(i, c(3)))), store(add(i, tir.FloorDiv(i, c(3)))))},
		{"an offset of a let", true, loop(i, n, &tir.LetStmt{Var: j, Value: mul(i, c(4)), Body: tir.Seq(store(j), store(add(j, c(3))))})},
		{"a let of the neighbour", false, loop(i, n, &tir.LetStmt{Var: j, Value: mul(i, c(4)), Body: tir.Seq(store(j), store(add(j, c(4))))})},
		{"a let that is bounded", true, loop(i, n, &tir.LetStmt{Var: j, Value: tir.FloorMod(i, c(4)), Body: store(add(mul(i, c(4)), j))})},
		{"a let that is not", false, loop(i, n, &tir.LetStmt{Var: j, Value: tir.FloorDiv(i, c(4)), Body: store(add(mul(i, c(4)), j))})},
		{"a read element as an index", false, loop(i, n, store(tir.CastTo(i32, tir.Load(b, i))))},
		{"other memory that is read anywhere", true, loop(i, n, tir.Store(a, tir.Load(b, tir.CastTo(i32, tir.Load(b, c(0)))), i))},
		{"vectors", true, loop(i, n, tir.Store(vec, tir.Load(vec, i), i))},
		{"a ramp backwards", true, loop(i, n, tir.Store(a, &tir.Broadcast{Value: one, Lanes: 4}, &tir.Ramp{Start: mul(i, c(4)), Stride: c(-1), Lanes: 4}))},
		{"a ramp that is too long", false, loop(i, n, tir.Store(a, &tir.Broadcast{Value: one, Lanes: 4}, &tir.Ramp{Start: mul(i, c(6)), Stride: c(2), Lanes: 4}))},
		{"wide numbers", true, loop(wide, tir.Const(i64, 9), store(add(mul(wide, tir.Const(i64, 8)), tir.CastTo(i64, m))))},
		{"narrowed numbers", false, loop(wide, tir.Const(i64, 9), store(tir.CastTo(dtype.Int8T, wide)))},
		{"numbers out of all bounds", false, loop(wide, tir.Const(i64, 9), store(mul(mul(wide, tir.Const(i64, 1<<39)), tir.Const(i64, 1<<39))))},
		{"steps", false, &tir.For{LoopVar: i, Min: c(0), Extent: n, Step: c(2), Body: store(i)}},
		{"an opaque call", false, loop(i, n, store(i), &tir.Evaluate{Value: &tir.Call{Type: i32, Op: tir.OpCallExtern, Args: []tir.Expr{&tir.StringImm{Value: "f"}}}})},
		{"a view", false, loop(i, n, &tir.LetStmt{Var: b.Data, Value: a.Data, Body: tir.Store(b, one, i)})},
		{"the end of the function", false, loop(i, n, store(i), &tir.Evaluate{Value: &tir.Call{Type: i32, Op: tir.OpRet, Args: []tir.Expr{c(0)}}})},
	} {
		e := Scan(x.loop, ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
		if got := e.Independent(x.loop, true, none); got != x.want {
			t.Errorf("%s: independent: %v", x.name, got)
		}
		if e.Independent(x.loop, false, none) {
			t.Errorf("%s: independent though buffers may overlap", x.name)
		}
	}
	around := loop(i, n, store(i))
	e := Scan(&tir.LetStmt{Var: b.Data, Value: a.Data, Body: tir.Seq(loop(j, n, tir.Store(b, one, j), tir.Store(a, one, add(j, c(1)))), around)},
		ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
	for l := range e.Loops {
		if l := l.(*tir.For); l != around && e.Independent(l, true, none) {
			t.Error("two pointers to the same memory are taken for two memories")
		}
	}
}

// TestIndependentVariables asks of loops that use an allocation around them: kept in variables, each turn may have it for itself, in memory never.
func TestIndependentVariables(t *testing.T) {
	f32, c := dtype.Float32T, tir.Int32
	i, j, n := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T), tir.NewVar("n", dtype.Int32T)
	a := tir.NewBuffer("A", f32, []tir.Expr{c(64)}, "global")
	acc := tir.NewBuffer("acc", f32, []tir.Expr{c(8)}, "local")
	one := tir.FloatConst(f32, 1)
	loop := func(v *tir.Var, extent tir.Expr, body ...tir.Stmt) *tir.For {
		return &tir.For{LoopVar: v, Min: c(0), Extent: extent, Body: tir.Seq(body...)}
	}
	set := func(k int64) tir.Stmt { return tir.Store(acc, one, c(k)) }
	add := func(k int64) tir.Stmt { return tir.Store(acc, tir.Add(tir.Load(acc, c(k)), one), c(k)) }
	out := func(k int64) tir.Stmt { return tir.Store(a, tir.Load(acc, c(k)), i) }
	when := func(then, other tir.Stmt) tir.Stmt {
		return &tir.IfThenElse{Cond: tir.LT(i, n), Then: then, Else: other}
	}
	leave := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: tir.OpBreakLoop}}
	for _, x := range []struct {
		name   string
		want   bool
		body   []tir.Stmt
		behind []tir.Stmt
	}{
		{"a sum", true, []tir.Stmt{set(0), loop(j, n, add(0)), out(0)}, nil},
		{"a sum of the turn before", false, []tir.Stmt{add(0), out(0)}, nil},
		{"another element", false, []tir.Stmt{set(1), out(0)}, nil},
		{"a vector", true, []tir.Stmt{tir.Store(acc, &tir.Broadcast{Value: one, Lanes: 4}, &tir.Ramp{Start: c(0), Stride: c(1), Lanes: 4}), out(3)}, nil},
		{"an element behind a vector", false, []tir.Stmt{tir.Store(acc, &tir.Broadcast{Value: one, Lanes: 4}, &tir.Ramp{Start: c(0), Stride: c(1), Lanes: 4}), out(4)}, nil},
		{"begun in a loop", true, []tir.Stmt{loop(j, c(2), set(0)), out(0)}, nil},
		{"begun in a loop without turns", false, []tir.Stmt{loop(j, n, set(0)), out(0)}, nil},
		{"begun in a loop that may be left before", false, []tir.Stmt{loop(j, c(2), &tir.IfThenElse{Cond: tir.LT(i, n), Then: leave}, set(0)), out(0)}, nil},
		{"begun while", false, []tir.Stmt{&tir.While{Cond: tir.LT(i, n), Body: set(0)}, out(0)}, nil},
		{"begun on one way", false, []tir.Stmt{when(set(0), nil), out(0)}, nil},
		{"begun on the other way", false, []tir.Stmt{when(set(1), set(0)), out(0)}, nil},
		{"begun on both ways", true, []tir.Stmt{when(set(0), set(0)), out(0)}, nil},
		{"read behind the loop", false, []tir.Stmt{set(0), out(0)}, []tir.Stmt{tir.Store(a, tir.Load(acc, c(0)), c(0))}},
		{"written behind the loop", false, []tir.Stmt{set(0), out(0)}, []tir.Stmt{set(0)}},
		{"read only", true, []tir.Stmt{out(0)}, []tir.Stmt{set(0)}},
	} {
		l := loop(i, c(8), x.body...)
		s := &tir.Allocate{Var: acc.Data, Type: f32, Extents: acc.Shape, Condition: tir.Bool(true), Body: tir.Seq(append([]tir.Stmt{l}, x.behind...)...)}
		e := Scan(s, ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
		if got := e.Independent(l, true, func(v *tir.Var) bool { return v == acc.Data }); got != x.want {
			t.Errorf("%s: independent: %v", x.name, got)
		}
		if e.Independent(l, true, func(*tir.Var) bool { return false }) != (x.name == "read only") {
			t.Errorf("%s: independent, though it is in memory that all turns share", x.name)
		}
	}
}
