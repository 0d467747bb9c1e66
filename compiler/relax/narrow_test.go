package relax_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestNarrowResult(t *testing.T) {
	n := sym("n")
	bb := op.NewBlockBuilder(nil)
	x := tensorVar("x", n, tir.Int(4))
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	y := must2(bb.Emit(op.Unary("exp", x), ""))
	cast := must2(bb.EmitMatchCast(y, relax.TensorOf(dtype.Float32T, sym("m"), tir.Int(4)), ""))
	f := must2(bb.EndLocalFunction(&relax.Tuple{Fields: []relax.Expr{y, cast}}))
	c := &relax.InferContext{Prover: arith.NewAnalyzer()}
	exact := `Tuple(Tensor((n, 4), "float32"), Tensor(ndim=2, "float32"))`
	for _, ret := range []relax.StructInfo{relax.Object(), f.Ret, &relax.TupleStructInfo{Fields: []relax.StructInfo{relax.Object(), relax.Object()}}} {
		if got := relax.FormatSInfo(relax.NarrowResult(f.WithRet(ret), c).Ret); got != exact {
			t.Errorf("%s became %s, want %s", relax.FormatSInfo(ret), got, exact)
		}
	}
	if relax.NarrowResult(f, c) != f {
		t.Error("a function whose result is known as well as can be was copied")
	}
	other := f.WithRet(relax.TensorOf(dtype.Float32T, tir.Int(9)))
	if relax.NarrowResult(other, c) != other {
		t.Error("struct info that the body contradicts was replaced")
	}
}

// TestMutatorReplacesDeniedResult changes a function whose result is not what it says: what it says is replaced, as in TVM.
func TestMutatorReplacesDeniedResult(t *testing.T) {
	bb := op.NewBlockBuilder(nil)
	x := tensorVar("x", tir.Int(4))
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	f := must2(bb.EndLocalFunction(must2(bb.Emit(op.Unary("exp", x), ""))))
	m := op.NewExprMutator(nil)
	m.Call = func(c *relax.Call) relax.Expr { return op.Unary("sin", c.Args[0]) }
	for ret, want := range map[relax.StructInfo]string{
		relax.TensorOf(dtype.Float32T, tir.Int(9)): `Tensor((4,), "float32")`,
		relax.TensorOfRank(dtype.Float32T, 1):      `Tensor(ndim=1, "float32")`,
	} {
		if got := relax.FormatSInfo(must2(m.Function(f.WithRet(ret))).Ret); got != want {
			t.Errorf("%s became %s, want %s", relax.FormatSInfo(ret), got, want)
		}
	}
}
