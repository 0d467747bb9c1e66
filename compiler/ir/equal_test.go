package ir_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var plain, mapped = ir.EqualOpts{}, ir.EqualOpts{MapFreeVars: true}

// function builds main(x: Tensor((n, 4))) -> relu(x + x) with names and operator as given.
func function(x, n, op string) *relax.Function {
	dim := tir.NewVar(n, dtype.Int64T)
	info := relax.TensorOf(dtype.Float32T, dim, tir.Int(4))
	p := &relax.Var{Name: x, SInfo: info}
	a := &relax.Var{Name: x + "a", SInfo: info, Dataflow: true}
	b := &relax.Var{Name: x + "b", SInfo: info}
	call := func(op string, args ...relax.Expr) relax.Expr {
		return &relax.Call{Op: ir.NewOp(op), Args: args, SInfo: info}
	}
	return &relax.Function{
		Params: []*relax.Var{p}, Pure: true, Ret: info,
		Body: &relax.SeqExpr{
			Blocks: []*relax.BindingBlock{{Dataflow: true, Bindings: []relax.Binding{
				&relax.VarBinding{Var: a, Value: call("relax.add", p, p)},
				&relax.VarBinding{Var: b, Value: call(op, a)},
			}}},
			Body: b,
		},
	}
}

// loop builds for i in range(16): for j in range(8): B[i, j] = A[i, j] + 1.
func loop(name string) *tir.PrimFunc {
	shape := []tir.Expr{tir.Int32(16), tir.Int32(8)}
	a, b := tir.NewBuffer(name, dtype.Float32T, shape, ""), tir.NewBuffer(name+"2", dtype.Float32T, shape, "")
	i, j := tir.NewVar(name+"i", dtype.Int32T), tir.NewVar(name+"j", dtype.Int32T)
	body := tir.Store(b, tir.Add(tir.Load(a, i, j), tir.FloatConst(dtype.Float32T, 1)), i, j)
	inner := &tir.For{LoopVar: j, Min: tir.Int32(0), Extent: tir.Int32(8), Body: body}
	return &tir.PrimFunc{
		Params:  []*tir.Var{tir.NewVar(name+"a", dtype.HandleT), tir.NewVar(name+"b", dtype.HandleT)},
		Buffers: []*tir.Buffer{a, b}, RetType: ir.VoidType(),
		Body: &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(16), Body: inner},
	}
}

func check(t *testing.T, what string, a, b ir.Node, opts ir.EqualOpts, want string) {
	t.Helper()
	m := ir.FirstMismatch(a, b, opts)
	switch {
	case want == "" && m != nil:
		t.Errorf("%s: differ at %s", what, m)
	case want == "" && ir.StructuralHash(a) != ir.StructuralHash(b):
		t.Errorf("%s: equal, but their hashes differ", what)
	case want != "" && m == nil:
		t.Errorf("%s: equal, expected a difference at %s", what, want)
	case want != "" && m.String() != want:
		t.Errorf("%s: differ at\n %s\nexpected\n %s", what, m, want)
	}
	if r := ir.FirstMismatch(b, a, opts); (r == nil) != (m == nil) {
		t.Errorf("%s: equality is not symmetric: %v", what, r)
	}
}

func TestAlphaEquivalence(t *testing.T) {
	f := function("x", "n", "relax.nn.relu")
	check(t, "other names", f, function("data", "batch", "relax.nn.relu"), plain, "")
	check(t, "another operator", f, function("x", "n", "relax.exp"), plain,
		`body.blocks[0].bindings[1].value.op.name: "relax.nn.relu" differs from "relax.exp"`)
	check(t, "loops", loop("a"), loop("b"), plain, "")
	if ir.StructuralHash(f) == ir.StructuralHash(function("x", "n", "relax.exp")) {
		t.Error("functions with different operators have one hash")
	}
}

func TestUsesFollowDefinitions(t *testing.T) {
	i, j := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T)
	nest := func(outer, inner, use *tir.Var) ir.Node {
		return &tir.For{
			LoopVar: outer, Min: tir.Int32(0), Extent: tir.Int32(4),
			Body: &tir.For{LoopVar: inner, Min: tir.Int32(0), Extent: tir.Int32(4), Body: &tir.Evaluate{Value: use}},
		}
	}
	check(t, "inner variable", nest(i, j, j), nest(j, i, i), plain, "")
	check(t, "inner against outer", nest(i, j, j), nest(j, i, j), plain, "body.body.value: variable j is not the counterpart of j")
	if ir.StructuralHash(nest(i, j, j)) == ir.StructuralHash(nest(i, j, i)) {
		t.Error("uses of different loops have one hash")
	}
}

func TestFreeVariables(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	sum := func(a, b tir.Expr) tir.Expr { return tir.NewBinary(tir.OpAdd, a, b) }
	check(t, "same", sum(x, y), sum(x, y), plain, "")
	check(t, "swapped", sum(x, y), sum(y, x), plain, "a: free variable x differs from y")
	check(t, "swapped, mapped", sum(x, y), sum(y, x), mapped, "")
	check(t, "two for one", sum(x, y), sum(x, x), mapped, "b: variable y is not the counterpart of x")
	check(t, "other type", x, tir.NewVar("x", dtype.Int32T), mapped, "type.dtype: int64 differs from int32")
}

func TestValuesAreComparedByBits(t *testing.T) {
	f := func(v float64) ir.Node { return &tir.FloatImm{Type: dtype.Float32T, Value: v} }
	check(t, "NaN", f(math.NaN()), f(math.NaN()), plain, "")
	check(t, "zeros", f(0), f(math.Copysign(0, -1)), plain, "value: 0 differs from -0")
	c := func(b *ir.Blob) ir.Node { return &relax.Constant{Data: b} }
	splat, err := ir.NewSplat(dtype.Float32T, []int64{2}, []byte{0, 0, 128, 63})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "splat", c(splat), c(ir.Float32Blob([]int64{2}, 1, 1)), plain, "")
	check(t, "constants", c(ir.Float32Blob([]int64{2}, 1, 1)), c(ir.Float32Blob([]int64{2}, 1, 2)), plain, "data: constants differ")
	attrs := func(v any) ir.Node { return &relax.Call{Op: ir.NewOp("f"), Attrs: ir.NewAttrs("axis", v)} }
	check(t, "attributes", attrs([]int64{1, 2}), attrs([]int64{1, 3}), plain, `attrs["axis"][1]: 2 differs from 3`)
	check(t, "kinds", attrs(1), attrs(1.0), plain, `attrs["axis"]: 1 differs from 1`)
	check(t, "none", attrs(nil), attrs(0), plain, `attrs["axis"]: only the second side has it`)
	check(t, "empty and nil", &relax.Call{Op: ir.NewOp("f"), Attrs: ir.NewAttrs()}, &relax.Call{Op: ir.NewOp("f")}, plain, "")
}

func TestSpansOriginsAndHintsAreIgnored(t *testing.T) {
	at := ir.Base{Span: &ir.Span{Line: 3}, Origin: 7}
	check(t, "base", &tir.IntImm{Base: at, Type: dtype.Int32T, Value: 3}, tir.Int32(3), plain, "")
	check(t, "block names", &tir.Block{Name: "a", Body: tir.NoOp()}, &tir.Block{Name: "b", Body: tir.NoOp()}, plain, "")
	check(t, "inferred info", &relax.Call{Op: ir.NewOp("f"), SInfo: relax.Object()}, &relax.Call{Op: ir.NewOp("f")}, plain, "")
}

func TestSharedLoopEqualsCopies(t *testing.T) {
	one := loop("a").Body
	shared := &tir.SeqStmt{Seq: []tir.Stmt{one, one}}
	// The copy has loops of its own over the same buffers.
	again := tir.SubstStmt(one, map[*tir.Var]tir.Expr{}).(*tir.For)
	i := tir.NewVar("k", dtype.Int32T)
	check(t, "shared", shared, &tir.SeqStmt{Seq: []tir.Stmt{one, again.WithLoopVar(i).WithBody(tir.SubstStmt(again.Body, map[*tir.Var]tir.Expr{again.LoopVar: i}))}}, plain, "")
}

func TestModules(t *testing.T) {
	f, g := function("x", "n", "relax.exp"), function("y", "m", "relax.exp")
	a := ir.NewModule().With("f", f).With("g", loop("a"))
	b := ir.NewModule().With("g", loop("b")).With("f", g)
	if m := ir.FirstModuleMismatch(a, b, plain); m != nil {
		t.Errorf("modules with functions in another order differ: %s", m)
	}
	if ir.StructuralHashModule(a) != ir.StructuralHashModule(b) {
		t.Error("equal modules have different hashes")
	}
	c := b.With("f", function("x", "n", "relax.log"))
	want := `functions["f"].body.blocks[0].bindings[1].value.op.name: "relax.exp" differs from "relax.log"`
	if m := ir.FirstModuleMismatch(a, c, plain); m == nil || m.String() != want {
		t.Errorf("difference is %v, expected %s", m, want)
	}
	if m := ir.FirstModuleMismatch(a, a.Without("g"), plain); m == nil || m.String() != `functions["g"]: only the first side has it` {
		t.Errorf("difference is %v, expected a missing function", m)
	}
	if ir.StructuralEqualModule(a, a.WithAttrs(ir.NewAttrs("k", 1)), plain) {
		t.Error("modules with different attributes are equal")
	}
}
