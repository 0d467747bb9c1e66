package relax_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var symN, symM = sym("n"), sym("m")

func tensor(extents ...tir.Expr) relax.StructInfo { return relax.TensorOf(f32, extents...) }

func TestIsBaseOf(t *testing.T) {
	two, three := tir.Int(2), tir.Int(3)
	shapeVar := &relax.Var{Name: "s", SInfo: relax.ShapeOf(two, symN)}
	tuple := func(xs ...relax.StructInfo) relax.StructInfo { return &relax.TupleStructInfo{Fields: xs} }
	prim := func(e tir.Expr) relax.StructInfo { return &relax.PrimStructInfo{DType: dtype.Int64T, Value: e} }
	fn := func(ret relax.StructInfo, pure bool, params ...relax.StructInfo) relax.StructInfo {
		return &relax.FuncStructInfo{Params: params, Ret: ret, Pure: pure}
	}
	cases := []struct {
		base, derived relax.StructInfo
		want          relax.Truth
	}{
		{relax.Object(), tensor(two), relax.True},
		{tensor(two), relax.Object(), relax.Unknown},
		{tensor(two), relax.ShapeOf(two), relax.False},
		{tensor(two, symN), tensor(two, symN), relax.True},
		{tensor(tir.Mul(symN, two)), tensor(tir.Add(symN, symN)), relax.True},
		{tensor(symN), tensor(symM), relax.Unknown},
		{tensor(symN), tensor(tir.Add(symN, two)), relax.False},
		{tensor(two), tensor(three), relax.False},
		{tensor(two), tensor(two, two), relax.False},
		{relax.TensorOfRank(f32, 2), tensor(two, three), relax.True},
		{tensor(two, three), relax.TensorOfRank(f32, 2), relax.Unknown},
		{relax.TensorOfRank(dtype.Void, -1), tensor(two), relax.True},
		{relax.TensorOf(dtype.Int64T, two), tensor(two), relax.False},
		{tensor(two, symN), &relax.TensorStructInfo{DType: f32, NDim: 2, Shape: shapeVar}, relax.True},
		{tuple(tensor(two), relax.Object()), tuple(tensor(two), tensor(two)), relax.True},
		{tuple(tensor(two)), tuple(tensor(two), tensor(two)), relax.False},
		{prim(nil), prim(two), relax.True},
		{prim(two), prim(nil), relax.Unknown},
		{&relax.ShapeStructInfo{NDim: -1}, relax.ShapeOf(two), relax.True},
		{fn(relax.Object(), false, tensor(two)), fn(tensor(two), true, tensor(two)), relax.True},
		{fn(relax.Object(), true, tensor(two)), fn(tensor(two), false, tensor(two)), relax.False},
	}
	ctx := &relax.InferContext{Prover: arith.NewAnalyzer()}
	for _, c := range cases {
		if got := ctx.IsBaseOf(c.base, c.derived); got != c.want {
			t.Errorf("%s is base of %s: %s, expected %s", relax.FormatSInfo(c.base), relax.FormatSInfo(c.derived), got, c.want)
		}
		// What two values have in common holds for both.
		lca := ctx.LCA(c.base, c.derived)
		for _, s := range []relax.StructInfo{c.base, c.derived} {
			if ctx.IsBaseOf(lca, s) == relax.False {
				t.Errorf("LCA %s is not a base of %s", relax.FormatSInfo(lca), relax.FormatSInfo(s))
			}
		}
		if lca := ctx.LCA(c.base, c.base); !relax.EqualSInfo(lca, c.base) {
			t.Errorf("LCA of %s and itself is %s", relax.FormatSInfo(c.base), relax.FormatSInfo(lca))
		}
	}
}

func TestEraseToWellDefined(t *testing.T) {
	onlyN := func(v *tir.Var) bool { return v == symN }
	in := &relax.TupleStructInfo{Fields: []relax.StructInfo{
		tensor(symN, tir.Int(2)), tensor(tir.Add(symN, symM)), relax.ShapeOf(symM), &relax.PrimStructInfo{DType: dtype.Int64T, Value: symM},
	}}
	got := relax.FormatSInfo(relax.EraseToWellDefined(in, onlyN, nil))
	if want := `Tuple(Tensor((n, 2), "float32"), Tensor(ndim=1, "float32"), Shape(ndim=1), Prim("int64"))`; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	if same := relax.TensorOf(f32, symN); relax.EraseToWellDefined(same, onlyN, nil) != relax.StructInfo(same) {
		t.Error("what is well defined was copied")
	}
}

func TestDeriveCallBindsSymbolicVariables(t *testing.T) {
	k := sym("k")
	ctx := &relax.InferContext{Prover: arith.NewAnalyzer()}
	f := &relax.FuncStructInfo{
		Params: []relax.StructInfo{tensor(symN, tir.Int(4)), tensor(tir.Mul(symN, tir.Int(2)))},
		Ret:    &relax.TupleStructInfo{Fields: []relax.StructInfo{tensor(tir.Add(symN, tir.Int(1))), tensor(symM)}},
	}
	call := func(infos ...relax.StructInfo) *relax.Call {
		c := &relax.Call{Op: &relax.Var{Name: "f", SInfo: f}}
		for _, s := range infos {
			c.Args = append(c.Args, &relax.Var{Name: "a", SInfo: s})
		}
		return c
	}
	for _, c := range []struct {
		call *relax.Call
		want string
	}{
		{call(tensor(tir.Int(3), tir.Int(4)), tensor(tir.Int(6))), `Tuple(Tensor((4,), "float32"), Tensor((m,), "float32"))`},
		{call(tensor(k, tir.Int(4)), tensor(tir.Mul(k, tir.Int(2)))), `Tuple(Tensor((k + 1,), "float32"), Tensor((m,), "float32"))`},
		{call(relax.TensorOfRank(f32, 2), relax.TensorOfRank(f32, 1)), `Tuple(Tensor(ndim=1, "float32"), Tensor((m,), "float32"))`},
	} {
		info, err := ctx.DeriveCall(c.call, f)
		if err != nil || relax.FormatSInfo(info) != c.want {
			t.Errorf("got %s, %v, expected %s", relax.FormatSInfo(info), err, c.want)
		}
	}
	_, err := ctx.DeriveCall(call(tensor(tir.Int(3), tir.Int(4)), tensor(tir.Int(5))), f)
	if want := `call of f: argument 1: expected Tensor((6,), "float32"), got Tensor((5,), "float32")`; err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
	if _, err := ctx.DeriveCall(call(tensor(tir.Int(3), tir.Int(4))), f); err == nil {
		t.Error("a call with too few arguments is accepted")
	}
}

func TestSymbolicVariables(t *testing.T) {
	s := tensor(symN, tir.Add(symN, symM))
	if got := relax.FreeSymbolicVars(s); len(got) != 2 || got[0] != symN || got[1] != symM {
		t.Errorf("free variables are %v", got)
	}
	if got := relax.DefinableVars(s); len(got) != 1 || got[0] != symN {
		t.Errorf("definable variables are %v", got)
	}
	fn := &relax.FuncStructInfo{Params: []relax.StructInfo{tensor(symN)}, Ret: s}
	if got := relax.FreeSymbolicVars(fn); len(got) != 1 || got[0] != symM {
		t.Errorf("free variables of a signature are %v", got)
	}
}

// TestShapeOfAScalar: a shape without extents is known.
func TestShapeOfAScalar(t *testing.T) {
	for _, s := range []relax.StructInfo{relax.ShapeOf(), relax.SInfoOf(&relax.ShapeExpr{})} {
		if shape, ok := s.(*relax.ShapeStructInfo); !ok || shape.Values == nil || shape.NDim != 0 {
			t.Errorf("the shape of a scalar has struct info %v with unknown extents", s)
		}
	}
}
