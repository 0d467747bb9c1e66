package ir_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

func int64Var(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }

func plusOne(x tir.Expr) tir.Expr { return tir.NewBinary(tir.OpAdd, x, tir.Int(1)) }

func evaluate(e tir.Expr) tir.Stmt { return &tir.Evaluate{Value: e} }

func letStmt(v *tir.Var, body tir.Stmt) tir.Stmt {
	return &tir.LetStmt{Var: v, Value: tir.Int(1), Body: body}
}

func block(stmts ...tir.Stmt) tir.Stmt { return &tir.SeqStmt{Seq: stmts} }

func TestFloatsInAttributes(t *testing.T) {
	quiet, other := math.NaN(), math.Float64frombits(0x7ff8000000000002)
	f := func(v float64) ir.Node { return &tir.FloatImm{Type: dtype.Float64T, Value: v} }
	attrs := func(v any) ir.Node { return &relax.Call{Op: ir.NewOp("f"), Attrs: ir.NewAttrs("x", v)} }
	check(t, "same NaN", attrs(quiet), attrs(quiet), plain, "")
	check(t, "other NaN", f(quiet), f(other), plain, "")
	check(t, "NaN of the other sign", attrs(quiet), attrs(math.Copysign(quiet, -1)), plain, "")
	check(t, "NaN and a number", f(quiet), f(1), plain, "value: NaN differs from 1")
	check(t, "zeros", attrs([]float64{1, 0}), attrs([]float64{1, math.Copysign(0, -1)}), plain, `attrs["x"][1]: 0 differs from -0`)
	blob := func(v float32) ir.Node { return &relax.Constant{Data: ir.Float32Blob(nil, v)} }
	check(t, "NaN tensors", blob(float32(quiet)), blob(float32(quiet)), plain, "")
	check(t, "zero tensors", blob(0), blob(float32(math.Copysign(0, -1))), plain, "data: constants differ")
}

func TestAttributes(t *testing.T) {
	call := func(kv ...any) ir.Node { return &relax.Call{Op: ir.NewOp("f"), Attrs: ir.NewAttrs(kv...)} }
	check(t, "order of keys", call("a", 1, "b", 2), call("b", 2, "a", 1), plain, "")
	check(t, "another key", call("a", 1, "b", 2), call("a", 1, "c", 2), plain, `attrs["b"]: only the first side has it`)
	check(t, "one more key", call("a", 1), call("a", 1, "c", 2), plain, `attrs["c"]: only the second side has it`)
	check(t, "one more entry", call("a", []int{1, 2}), call("a", []int{1}), plain,
		`attrs["a"][1]: only the first side has it; a list of length 2 differs from one of length 1`)
	check(t, "inner dictionary", call("a", ir.NewAttrs("b", "x")), call("a", ir.NewAttrs("b", "y")), plain, `attrs["a"]["b"]: x differs from y`)
	check(t, "type", call("a", dtype.Float32T), call("a", dtype.Float16T), plain, `attrs["a"]: float32 differs from float16`)
	i, j := int64Var("i"), int64Var("j")
	check(t, "node", call("a", plusOne(i)), call("a", plusOne(j)), plain, `attrs["a"].a: free variable i differs from j`)
	check(t, "node, mapped", call("a", plusOne(i)), call("a", plusOne(j)), mapped, "")
}

func TestRecursiveFunctions(t *testing.T) {
	f := func(name, callee string) *relax.Function {
		x := &relax.Var{Name: name, SInfo: relax.Object()}
		call := &relax.Call{Op: ir.NewGlobalVar(callee), Args: []relax.Expr{x}}
		return &relax.Function{Params: []*relax.Var{x}, Body: &relax.SeqExpr{Body: call}}
	}
	a, b := ir.NewModule().With("f", f("x", "f")), ir.NewModule().With("f", f("y", "f"))
	if m := ir.FirstModuleMismatch(a, b, plain); m != nil || ir.StructuralHashModule(a) != ir.StructuralHashModule(b) {
		t.Errorf("modules with a function that calls itself differ: %v", m)
	}
	check(t, "another callee", f("x", "f"), f("y", "g"), mapped, `body.body.op.name: "f" differs from "g"`)
}

func TestSymbolicShapes(t *testing.T) {
	f := func(second bool) *relax.Function {
		n, m := int64Var("n"), int64Var("m")
		a := &relax.Var{Name: "a", SInfo: relax.TensorOf(dtype.Float32T, n, m)}
		out := relax.TensorOf(dtype.Float32T, n)
		if second {
			out = relax.TensorOf(dtype.Float32T, m)
		}
		return &relax.Function{Params: []*relax.Var{a}, Body: &relax.SeqExpr{Body: a}, Ret: out}
	}
	check(t, "same dimension", f(false), f(false), plain, "")
	check(t, "another dimension", f(false), f(true), plain, "ret.shape.values[0]: variable n is not the counterpart of m")
	if ir.StructuralHash(f(false)) == ir.StructuralHash(f(true)) {
		t.Error("functions that return another dimension have one hash")
	}
}

func TestBuffersAndViews(t *testing.T) {
	a, b := tir.NewBuffer("a", dtype.Float32T, []tir.Expr{tir.Int(4)}, ""), tir.NewBuffer("b", dtype.Float32T, []tir.Expr{tir.Int(4)}, "")
	load := func(x *tir.Buffer, i tir.Expr) tir.Stmt { return evaluate(tir.Load(x, i)) }
	decl := func(x *tir.Buffer, body tir.Stmt) tir.Stmt { return &tir.DeclBuffer{Buffer: x, Body: body} }
	view := *a
	view.Shape = []tir.Expr{tir.Int(4)}
	check(t, "views of one data variable", load(a, tir.Int(1)), load(&view, tir.Int(1)), plain, "")
	check(t, "free buffers", load(a, tir.Int(1)), load(b, tir.Int(1)), plain, "value.buffer.data: free variable a differs from b")
	check(t, "free buffers, mapped", load(a, tir.Int(1)), load(b, tir.Int(1)), mapped, "")
	check(t, "declared", decl(a, load(a, tir.Int(1))), decl(b, load(b, tir.Int(1))), mapped, "")
	check(t, "strides", decl(a, tir.NoOp()), decl(a.WithStrides([]tir.Expr{tir.Int(2)}), tir.NoOp()), plain,
		"buffer.strides[0]: only the second side has it; a list of length 0 differs from one of length 1")
	scoped := tir.NewBuffer("a", dtype.Float32T, []tir.Expr{tir.Int(4)}, "shared")
	check(t, "scope", decl(a, tir.NoOp()), decl(scoped, tir.NoOp()), mapped, `buffer.data.type.scope: "" differs from "shared"`)
	// A view that is used first and declared later is a use of the declared one from there on.
	other := view
	check(t, "declared after a use", block(load(a, tir.Int(1)), decl(a, load(a, tir.Int(1)))),
		block(load(&view, tir.Int(1)), decl(&other, load(&view, tir.Int(1)))), plain,
		"seq[1].body.value.buffer: variable a is not the counterpart of a")
}

// TestUseBeforeDefinition: what was found equal while a variable was free, or had another
// counterpart, is not taken for equal afterwards, and neither is its hash.
func TestUseBeforeDefinition(t *testing.T) {
	i, j := int64Var("i"), int64Var("j")
	use := evaluate(plusOne(i))
	again := evaluate(plusOne(i))
	check(t, "shared use", block(use, letStmt(i, use)), block(use, letStmt(j, again)), plain,
		"seq[1].body.value.a: variable i is not the counterpart of i")
	check(t, "copied use", block(use, letStmt(i, use)), block(again, letStmt(j, again)), plain,
		"seq[1].body.value.a: variable i is not the counterpart of i")
	check(t, "renamed", block(use, letStmt(i, use)), block(again, letStmt(j, evaluate(plusOne(j)))), plain, "")
	check(t, "shared against copied", block(use, letStmt(i, use)), block(use, letStmt(i, again)), plain, "")
	k := int64Var("k")
	check(t, "mapped", block(use, letStmt(i, use)), block(evaluate(plusOne(k)), letStmt(j, evaluate(plusOne(j)))), mapped, "")
	// Redefined within: the first use means the outer variable at both places.
	inner := block(use, letStmt(i, use))
	y := block(evaluate(plusOne(j)), letStmt(k, evaluate(plusOne(k))))
	check(t, "redefined within", letStmt(i, block(inner, inner)), letStmt(j, block(y, y)), plain, "")
	check(t, "redefined within, copied", letStmt(i, block(inner, inner)),
		letStmt(j, block(y, block(evaluate(plusOne(j)), letStmt(j, evaluate(plusOne(j)))))), plain, "")
	check(t, "use after the inner scope", letStmt(i, block(inner, inner)),
		letStmt(j, block(y, block(evaluate(plusOne(k)), letStmt(k, evaluate(plusOne(k)))))), plain,
		"body.seq[1].seq[0].value.a: variable i is not the counterpart of k")
}

// TestNodesOnBothSides: a node that stands on both sides means other variables on each.
func TestNodesOnBothSides(t *testing.T) {
	h, i, j := int64Var("h"), int64Var("i"), int64Var("j")
	uh, ui, uj := evaluate(plusOne(h)), evaluate(plusOne(i)), evaluate(plusOne(j))
	lets := func(a, b *tir.Var, body ...tir.Stmt) tir.Stmt { return letStmt(a, letStmt(b, block(body...))) }
	check(t, "shifted", lets(h, i, uh, ui), lets(i, j, ui, uj), plain, "")
	check(t, "shifted, wrong", lets(h, i, uh, ui, uh), lets(i, j, ui, uj, uj), plain,
		"body.body.seq[2].value.a: variable h is not the counterpart of j")
}

func TestMismatchNamesInnermostNodes(t *testing.T) {
	f, g := function("x", "n", "relax.exp"), function("y", "m", "relax.log")
	m := ir.FirstMismatch(f, g, plain)
	if l, ok := m.Left.(*ir.Op); !ok || l.Name != "relax.exp" {
		t.Errorf("the left side is %v", m.Left)
	}
	if r, ok := m.Right.(*ir.Op); !ok || r.Name != "relax.log" {
		t.Errorf("the right side is %v", m.Right)
	}
	a, b := ir.NewModule().With("f", f), ir.NewModule()
	if m := ir.FirstModuleMismatch(a, b, plain); m.Left != f || m.Right != nil || m.Path != `functions["f"]` {
		t.Errorf("a missing function differs at %s between %v and %v", m, m.Left, m.Right)
	}
	info := func(id int) *ir.Module {
		return ir.NewModule().WithGlobalInfos("vdevice", []ir.Node{&relax.VDevice{ID: id}})
	}
	if m := ir.FirstModuleMismatch(info(1), info(2), plain); m == nil || m.String() != `global_infos["vdevice"][0].id: 1 differs from 2` {
		t.Errorf("global infos differ at %v", m)
	}
	one, again := info(1), info(1)
	if ir.FirstModuleMismatch(one, again, plain) != nil || ir.StructuralHashModule(one) != ir.StructuralHashModule(again) {
		t.Error("equal global infos differ")
	}
}

// TestMismatchPathsResolve: the path of a difference leads somewhere on one side, all but its
// last step on both, and where it leads to a node, to the nodes that the difference names.
func TestMismatchPathsResolve(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		a := newMaker(rapid.Uint64Range(0, 50).Draw(t, "a"), "a", -1).node(kind)
		b := newMaker(rapid.Uint64Range(0, 50).Draw(t, "b"), "b", -1).node(kind)
		m := ir.FirstMismatch(a, b, mapped)
		if m == nil {
			return
		}
		p, err := ir.ParsePath(m.Path)
		if err != nil || p.String() != m.Path {
			t.Fatalf("the path of %s is read as %s, %v", m, p, err)
		}
		left, errL := ir.At(a, p)
		right, errR := ir.At(b, p)
		if errL != nil && errR != nil {
			t.Fatalf("%s: %v, %v", m, errL, errR)
		}
		if n, ok := left.(ir.Node); ok && errL == nil && n != m.Left {
			t.Fatalf("%s is at %v, but Left is %v", m, n, m.Left)
		}
		if n, ok := right.(ir.Node); ok && errR == nil && n != m.Right {
			t.Fatalf("%s is at %v, but Right is %v", m, n, m.Right)
		}
		if len(p) > 0 {
			if _, err := ir.At(a, p[:len(p)-1]); err != nil {
				t.Fatal(err)
			}
			if _, err := ir.At(b, p[:len(p)-1]); err != nil {
				t.Fatal(err)
			}
		}
	})
}
