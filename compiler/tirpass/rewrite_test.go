package tirpass

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"pgregory.net/rapid"
)

// loopOf returns a serial loop of n steps over v.
func loopOf(v *tir.Var, n tir.Expr, body ...tir.Stmt) *tir.For {
	return &tir.For{LoopVar: v, Min: tir.Const(v.DType(), 0), Extent: n, Body: tir.Seq(body...)}
}

func likely(e tir.Expr) tir.Expr {
	return &tir.Call{Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{e}}
}

// funcOf returns a function of scalars and buffers.
func funcOf(body tir.Stmt, scalars []*tir.Var, bufs ...*tir.Buffer) *tir.PrimFunc {
	f := &tir.PrimFunc{Body: body, RetType: ir.VoidType()}
	for _, b := range bufs {
		f.Params = append(f.Params, &tir.Var{Name: b.Name + "_h", Type: &ir.PrimType{DType: dtype.HandleT}})
		f.Buffers = append(f.Buffers, b)
	}
	for _, v := range scalars {
		f.Params = append(f.Params, v)
		f.Buffers = append(f.Buffers, nil)
	}
	return f
}

func bodyText(f *tir.PrimFunc) string {
	return strings.TrimSpace(script.Node(f.Body, script.Options{IntDType: dtype.Int32T}))
}

// rewriteCase is a function, the pass, and the body that must come out.
type rewriteCase struct {
	name string
	in   *tir.PrimFunc
	run  func(*tir.PrimFunc) *tir.PrimFunc
	want string
}

func simplified(f *tir.PrimFunc) *tir.PrimFunc { return simplifyFunc(nil, nil, f, 0) }
func withoutNoOps(f *tir.PrimFunc) *tir.PrimFunc {
	return removeNoOp(nil, nil, f, 0, false)
}

func renormalized(f *tir.PrimFunc) *tir.PrimFunc { return renormalizeSplits(nil, f) }

func narrowed(f *tir.PrimFunc) *tir.PrimFunc { return narrowDataType(nil, f, 32) }
func partitioned(f *tir.PrimFunc) *tir.PrimFunc {
	return withoutNoOps(simplified(loopPartition(nil, nil, f, true, false, false)))
}

func rewriteCases() []rewriteCase {
	i32, i64 := dtype.Int32T, dtype.Int64T
	i, j, n := tir.NewVar("i", i32), tir.NewVar("j", i32), tir.NewSizeVar("n", i32)
	c := func(v int64) tir.Expr { return tir.Int32(v) }
	a := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{c(64)}, "")
	b := tir.NewBuffer("B", dtype.Float32T, []tir.Expr{c(64)}, "")
	an := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{n}, "")
	li, lj := tir.NewVar("i", i64), tir.NewVar("j", i64)
	big := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{tir.Int(4096)}, "")
	ints := tir.NewBuffer("Z", i64, []tir.Expr{tir.Int(4096)}, "")
	t := tir.NewVar("t", i32)
	copyAt := func(at tir.Expr) tir.Stmt { return tir.Store(a, tir.Load(b, at), at) }
	return []rewriteCase{
		{
			"split and fused index", funcOf(loopOf(i, c(8), loopOf(j, c(8), copyAt(tir.Add(tir.Mul(tir.FloorDiv(tir.Add(tir.Mul(i, c(8)), j), c(8)), c(8)), tir.FloorMod(tir.Add(tir.Mul(i, c(8)), j), c(8)))))), nil, a, b), simplified,
			"for i, j in T.grid(8, 8):\n    A[i * 8 + j] = B[i * 8 + j]",
		},
		{
			"branch that always runs", funcOf(loopOf(i, c(8), &tir.IfThenElse{Cond: tir.LT(i, c(64)), Then: copyAt(i), Else: copyAt(c(0))}), nil, a, b), simplified,
			"for i in range(8):\n    A[i] = B[i]",
		},
		{
			"branch that never runs", funcOf(loopOf(i, c(8), copyAt(i), &tir.IfThenElse{Cond: tir.GT(i, c(9)), Then: copyAt(c(0))}), nil, a, b), simplified,
			"for i in range(8):\n    A[i] = B[i]",
		},
		{
			"condition known inside", funcOf(loopOf(i, c(64), &tir.IfThenElse{Cond: tir.LT(i, n), Then: &tir.IfThenElse{Cond: tir.LT(i, tir.Add(n, c(1))), Then: copyAt(i)}}), []*tir.Var{n}, a, b), simplified,
			"for i in range(64):\n    if i < n:\n        A[i] = B[i]",
		},
		{
			"let of an integer", funcOf(loopOf(i, c(8), &tir.LetStmt{Var: t, Value: tir.Mul(i, c(4)), Body: copyAt(tir.Add(t, c(1)))}), nil, a, b), simplified,
			"for i in range(8):\n    A[i * 4 + 1] = B[i * 4 + 1]",
		},
		{
			"symbolic loop bound", funcOf(loopOf(i, n, &tir.IfThenElse{Cond: tir.LT(i, n), Then: tir.Store(an, tir.Load(b, c(0)), i)}), []*tir.Var{n}, an, b), simplified,
			"for i in range(n):\n    A[i] = B[0]",
		},
		{
			"store of itself", funcOf(loopOf(i, c(8), tir.Store(a, tir.Load(a, i), i), copyAt(i)), nil, a, b), simplified,
			"for i in range(8):\n    A[i] = B[i]",
		},

		{"loop without steps", funcOf(tir.Seq(copyAt(c(1)), loopOf(i, c(0), copyAt(i))), nil, a, b), withoutNoOps, "A[1] = B[1]"},
		{"loop around nothing", funcOf(tir.Seq(copyAt(c(1)), loopOf(i, c(9), &tir.Evaluate{Value: tir.Load(a, i)})), nil, a, b), withoutNoOps, "A[1] = B[1]"},
		{
			"empty then", funcOf(loopOf(i, c(8), &tir.IfThenElse{Cond: tir.LT(i, n), Then: tir.NoOp(), Else: copyAt(i)}), []*tir.Var{n}, a, b), withoutNoOps,
			"for i in range(8):\n    if not i < n:\n        A[i] = B[i]",
		},
		{"unused let", funcOf(&tir.LetStmt{Var: t, Value: n, Body: copyAt(c(1))}, []*tir.Var{n}, a, b), withoutNoOps, "A[1] = B[1]"},
		{"unused allocation", funcOf(tir.Seq(&tir.Allocate{Var: tir.NewBuffer("w", dtype.Float32T, nil, "").Data, Type: dtype.Float32T, Extents: []tir.Expr{c(4)}, Condition: tir.Bool(true), Body: tir.NoOp()}, copyAt(c(1))), nil, a, b), withoutNoOps, "A[1] = B[1]"},

		{
			"quotient of a remainder", funcOf(loopOf(i, c(64), copyAt(tir.FloorDiv(tir.FloorMod(i, c(32)), c(8)))), nil, a, b), renormalized,
			"for i in range(64):\n    A[i // 8 % 4] = B[i // 8 % 4]",
		},
		{
			"common factor of a division", funcOf(loopOf(i, c(8), loopOf(j, c(8), copyAt(tir.FloorDiv(tir.Add(tir.Mul(i, c(8)), j), c(16))))), nil, a, b), renormalized,
			"for i, j in T.grid(8, 8):\n    A[(i + j // 8) // 2] = B[(i + j // 8) // 2]",
		},

		{
			"narrow loops", funcOf(loopOf(li, tir.Int(64), loopOf(lj, tir.Int(64), tir.Store(big, tir.Load(big, tir.Add(tir.Mul(li, tir.Int(64)), lj)), tir.Add(tir.Mul(lj, tir.Int(64)), li)))), nil, big), narrowed,
			"for i, j in T.grid(64, 64):\n    A[j * 64 + i] = A[i * 64 + j]",
		},
		{
			"values stay wide", funcOf(loopOf(li, tir.Int(64), tir.Store(ints, tir.Mul(li, tir.Int(3)), li)), nil, ints), narrowed,
			"for i in range(64):\n    Z[i] = T.Cast(\"int64\", i * 3)",
		},
		{
			"too large to narrow", funcOf(loopOf(li, tir.Int(1<<20), loopOf(lj, tir.Int(1<<20), tir.Store(ints, tir.Int(1), tir.FloorMod(tir.Add(tir.Mul(li, tir.Int(1<<20)), lj), tir.Int(4096))))), nil, ints), narrowed,
			"for i, j in T.grid(T.int64(1048576), T.int64(1048576)):\n    Z[(i * T.int64(1048576) + j) % T.int64(4096)] = T.int64(1)",
		},

		{
			"partition a tail", funcOf(loopOf(i, c(7), loopOf(j, c(10), &tir.IfThenElse{Cond: likely(tir.LT(tir.Add(tir.Mul(i, c(10)), j), c(64))), Then: copyAt(tir.Add(tir.Mul(i, c(10)), j))})), nil, a, b), partitioned,
			"for i, j in T.grid(6, 10):\n    A[i * 10 + j] = B[i * 10 + j]\nfor j in range(4):\n    A[j + 60] = B[j + 60]",
		},
		{
			"partition three ways", funcOf(loopOf(i, c(16), &tir.IfThenElse{Cond: likely(tir.LE(c(3), i)), Then: &tir.IfThenElse{Cond: likely(tir.LT(i, c(12))), Then: copyAt(i), Else: copyAt(c(0))}, Else: copyAt(c(1))}), nil, a, b), partitioned,
			"for i in range(3):\n    A[1] = B[1]\nfor i in range(9):\n    A[i + 3] = B[i + 3]\nfor i in range(4):\n    A[0] = B[0]",
		},
		{
			"partition a symbolic loop", funcOf(loopOf(i, tir.FloorDiv(tir.Add(n, c(3)), c(4)), loopOf(j, c(4), &tir.IfThenElse{Cond: likely(tir.LT(tir.Add(tir.Mul(i, c(4)), j), n)), Then: tir.Store(an, tir.Load(b, c(0)), tir.Add(tir.Mul(i, c(4)), j))})), []*tir.Var{n}, an, b),
			func(f *tir.PrimFunc) *tir.PrimFunc {
				return simplified(loopPartition(nil, nil, f, false, false, false))
			}, "",
		},
	}
}

// TestRewrites compares what each pass makes of small functions with what it must make, and
// checks that the result is well formed, that the input stays as it was, and that a second
// run changes nothing.
func TestRewrites(t *testing.T) {
	for _, c := range rewriteCases() {
		t.Run(c.name, func(t *testing.T) {
			before := bodyText(c.in)
			out := c.run(c.in)
			if got := bodyText(out); c.want != "" && got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if bodyText(c.in) != before {
				t.Error("the input was changed")
			}
			for _, d := range tir.Verify(c.name, out) {
				t.Error(d)
			}
			if again := c.run(out); bodyText(again) != bodyText(out) {
				t.Errorf("a second run changes the function to\n%s", bodyText(again))
			}
		})
	}
}

// TestLoopPartitionOfSymbolicLoop checks that the main part has no condition left.
func TestLoopPartitionOfSymbolicLoop(t *testing.T) {
	for _, c := range rewriteCases() {
		if c.name != "partition a symbolic loop" {
			continue
		}
		out := c.run(c.in)
		seq, ok := out.Body.(*tir.SeqStmt)
		if !ok {
			t.Fatalf("not split:\n%s", bodyText(out))
		}
		ir.Walk(seq.Seq[0], func(n ir.Node) bool {
			if _, ok := n.(*tir.IfThenElse); ok {
				t.Errorf("the main part has a condition:\n%s", bodyText(out))
			}
			return true
		})
	}
}

func TestForceNarrow(t *testing.T) {
	n := tir.NewSizeVar("n", dtype.Int64T)
	i := tir.NewVar("i", dtype.Int64T)
	a := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{n}, "")
	f := funcOf(loopOf(i, n, tir.Store(a, &tir.FloatImm{Type: dtype.Float32T, Value: 1}, i)), []*tir.Var{n}, a)
	out, err := forceInt32(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	ir.Walk(out, func(x ir.Node) bool {
		if e, ok := x.(tir.Expr); ok && isInt64(e.DType()) {
			t.Errorf("%s is still int64", script.Node(e, script.Options{}))
		}
		return true
	})
	ints := tir.NewBuffer("I", dtype.Int64T, []tir.Expr{tir.Int(4)}, "")
	if _, err := forceInt32(nil, funcOf(tir.Store(ints, tir.Int(1), tir.Int(0)), nil, ints)); err == nil || !strings.Contains(err.Error(), "I") {
		t.Errorf("a buffer of int64: %v", err)
	}
	if _, err := forceInt32(nil, funcOf(loopOf(i, tir.Int(1<<40), tir.Store(a, &tir.FloatImm{Type: dtype.Float32T, Value: 1}, tir.Int(0))), nil, a)); err == nil {
		t.Error("a constant beyond int32 was accepted")
	}
}

// program draws a nest of loops with conditions around stores to one buffer from another.
func drawProgram(t *rapid.T) (f *tir.PrimFunc, size int64) {
	d := rapid.SampledFrom([]dtype.DType{dtype.Int32T, dtype.Int64T}).Draw(t, "type")
	k := func(v int64) tir.Expr { return tir.Const(d, v) }
	size = 64
	in := tir.NewBuffer("X", dtype.Float32T, []tir.Expr{k(size)}, "")
	out := tir.NewBuffer("Y", dtype.Float32T, []tir.Expr{k(size)}, "")
	ints := tir.NewBuffer("Z", dtype.Int64T, []tir.Expr{k(size)}, "")
	var vars []*tir.Var
	var index func(depth int) tir.Expr
	index = func(depth int) tir.Expr {
		if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
			if len(vars) == 0 || rapid.IntRange(0, 3).Draw(t, "const") == 0 {
				return k(rapid.Int64Range(0, 20).Draw(t, "value"))
			}
			return rapid.SampledFrom(vars).Draw(t, "var")
		}
		switch rapid.IntRange(0, 5).Draw(t, "op") {
		case 0:
			return tir.FloorDiv(index(depth-1), k(rapid.Int64Range(1, 8).Draw(t, "by")))
		case 1:
			return tir.FloorMod(index(depth-1), k(rapid.Int64Range(1, 8).Draw(t, "by")))
		case 2:
			return tir.Mul(index(depth-1), k(rapid.Int64Range(1, 8).Draw(t, "by")))
		case 3:
			return tir.Sub(index(depth-1), index(depth-1))
		}
		return tir.Add(index(depth-1), index(depth-1))
	}
	cond := func() tir.Expr {
		e := tir.BinaryExpr(rapid.SampledFrom([]tir.BinaryOp{tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpEQ, tir.OpNE}).Draw(t, "compare"), index(2), index(1))
		if rapid.Bool().Draw(t, "likely") {
			return likely(e)
		}
		return e
	}
	at := func() tir.Expr { return tir.FloorMod(index(2), k(size)) }
	var stmt func(depth int) tir.Stmt
	stmt = func(depth int) tir.Stmt {
		kind := rapid.IntRange(0, 5).Draw(t, "statement")
		if depth == 0 {
			kind = 5
		}
		switch kind {
		case 0, 1:
			v := tir.NewVar(fmt.Sprintf("i%d", len(vars)), d)
			vars = append(vars, v)
			body := stmt(depth - 1)
			vars = vars[:len(vars)-1]
			return loopOf(v, k(rapid.Int64Range(0, 7).Draw(t, "extent")), body)
		case 2:
			x := &tir.IfThenElse{Cond: cond(), Then: stmt(depth - 1)}
			if rapid.Bool().Draw(t, "else") {
				x.Else = stmt(depth - 1)
			}
			return x
		case 3:
			return tir.Seq(stmt(depth-1), stmt(depth-1))
		case 4:
			v := tir.NewVar("t", d)
			value := index(2)
			vars = append(vars, v)
			body := stmt(depth - 1)
			vars = vars[:len(vars)-1]
			return &tir.LetStmt{Var: v, Value: value, Body: body}
		}
		if rapid.Bool().Draw(t, "integers") {
			return tir.Store(ints, tir.CastTo(dtype.Int64T, tir.Add(index(2), tir.CastTo(d, tir.Load(ints, at())))), at())
		}
		value := tir.Expr(tir.Load(in, at()))
		if rapid.Bool().Draw(t, "chosen") {
			value = tir.IfThenElseExpr(cond(), value, tir.CastTo(dtype.Float32T, index(2)))
		}
		return tir.Store(out, tir.Add(value, tir.Load(out, at())), at())
	}
	return funcOf(stmt(5), nil, in, out, ints), size
}

// TestRewritesKeepMeaning runs random programs before and after each pass.
func TestRewritesKeepMeaning(t *testing.T) {
	passes := map[string]func(*tir.PrimFunc) *tir.PrimFunc{
		"Simplify": func(f *tir.PrimFunc) *tir.PrimFunc {
			return simplifyFunc(nil, nil, f, 7)
		},
		"RemoveNoOp":              withoutNoOps,
		"RenormalizeSplitPattern": renormalized,
		"NarrowDataType":          narrowed,
		"LoopPartition":           func(f *tir.PrimFunc) *tir.PrimFunc { return loopPartition(nil, nil, f, true, false, false) },
		"all": func(f *tir.PrimFunc) *tir.PrimFunc {
			return withoutNoOps(simplified(renormalized(partitioned(narrowed(simplified(f))))))
		},
	}
	seed.Check(t, func(t *rapid.T) {
		f, size := drawProgram(t)
		run := func(name string, f *tir.PrimFunc) [2][]float64 {
			x, y, z := tensor.MustNew(dtype.Float32T, size), tensor.MustNew(dtype.Float32T, size), tensor.MustNew(dtype.Int64T, size)
			view, err := tensor.View[float32](x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range view {
				view[i] = float32(i*7%13) + 1
			}
			if err := interp.Run(context.Background(), f, []any{x, y, z}, nil); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, bodyText(f))
			}
			return [2][]float64{y.Floats(), z.Floats()}
		}
		want := run("original", f)
		for name, pass := range passes {
			out := pass(f)
			for _, d := range tir.Verify(name, out) {
				t.Fatalf("%s: %v\n%s\nfrom\n%s", name, d, bodyText(out), bodyText(f))
			}
			got := run(name, out)
			for b := range want {
				for i := range want[b] {
					if want[b][i] != got[b][i] {
						t.Fatalf("%s: element %d is %v, want %v\n%s\nfrom\n%s", name, i, got[b][i], want[b][i], bodyText(out), bodyText(f))
					}
				}
			}
		}
	})
}
