package te_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func create(t *testing.T, args ...*te.Tensor) *tir.PrimFunc {
	t.Helper()
	fn, err := te.CreatePrimFunc(args, te.FuncOpts{})
	if err != nil {
		t.Fatal(err)
	}
	if found := tir.Verify("f", fn); len(found) > 0 {
		t.Fatalf("not well formed: %v", found)
	}
	return fn
}

func run(t *testing.T, fn *tir.PrimFunc, args ...any) {
	t.Helper()
	if err := interp.Run(context.Background(), fn, args, nil); err != nil {
		t.Fatal(err)
	}
}

func blocks(fn *tir.PrimFunc) (out []*tir.Block) {
	ir.Walk(fn.Body, func(n ir.Node) bool {
		if b, ok := n.(*tir.Block); ok {
			out = append(out, b)
		}
		return true
	})
	return out
}

func matmul(m, n, k tir.Expr) (a, b, c *te.Tensor) {
	a = te.Placeholder("A", dtype.Float32T, m, k)
	b = te.Placeholder("B", dtype.Float32T, k, n)
	r := te.ReduceAxis("k", k)
	c = te.Compute("matmul", []tir.Expr{m, n}, func(i []tir.Expr) tir.Expr {
		return te.Sum(tir.Mul(a.At(i[0], r.Var), b.At(r.Var, i[1])), r)
	}, te.AxisPrefix("i"))
	return a, b, c
}

func TestMatmulWithEpilogue(t *testing.T) {
	m := tir.NewSizeVar("m", dtype.Int64T)
	a, b, c := matmul(m, tir.Int(2), tir.Int(3))
	relu := te.Compute("compute", c.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Max(c.At(i...), tir.FloatConst(dtype.Float32T, 0))
	}, te.AxisPrefix("i"))
	fn := create(t, a, b, relu)
	x := tensor.MustOf([]int64{2, 3}, []float32{1, 2, 3, -4, -5, -6})
	y := tensor.MustOf([]int64{3, 2}, []float32{1, 0, 0, 1, 1, 1})
	out := tensor.MustNew(dtype.Float32T, 2, 2)
	run(t, fn, x, y, out)
	if got := out.Floats(); got[0] != 4 || got[1] != 5 || got[2] != 0 || got[3] != 0 {
		t.Fatalf("got %v", got)
	}
	bs := blocks(fn)
	if len(bs) != 3 || bs[0].Name != "root" || bs[1].Name != "matmul" || bs[2].Name != "compute" {
		t.Fatalf("blocks: %v", bs)
	}
	if len(bs[0].AllocBuffers) != 1 || bs[0].AllocBuffers[0].Name != "matmul" {
		t.Fatalf("allocations of the root block: %v", bs[0].AllocBuffers)
	}
	mm := bs[1]
	if mm.Init == nil || len(mm.Reads) != 2 || len(mm.Writes) != 1 || mm.IterVars[2].Kind != tir.CommReduce || mm.IterVars[2].Var.Name != "v_k" {
		t.Fatalf("reduction block: %+v", mm)
	}
	if r := mm.Reads[1]; r.Buffer.Name != "B" || r.Region[0].Min != tir.Expr(mm.IterVars[2].Var) || !tir.IsConst(r.Region[1].Extent, 1) {
		t.Fatalf("reads: %+v", r)
	}
}

func TestTupleReduction(t *testing.T) {
	a := te.Placeholder("A", dtype.Float32T, tir.Int(2), tir.Int(4))
	k := te.ReduceAxis("k", tir.Int(4))
	combine := func(x, y []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.Add(x[0], y[0]), tir.Max(x[1], y[1])}
	}
	both := te.ComputeN("both", []tir.Expr{tir.Int(2)}, func(i []tir.Expr) []tir.Expr {
		e := a.At(i[0], k.Var)
		return te.Reduction(combine, []tir.Expr{tir.FloatConst(dtype.Float32T, 0), te.MinValue(dtype.Float32T)}, []tir.Expr{e, e}, k)
	})
	fn := create(t, a, both[0], both[1])
	x := tensor.MustOf([]int64{2, 4}, []float32{1, 7, 3, 2, -1, -5, -2, -3})
	sum, top := tensor.MustNew(dtype.Float32T, 2), tensor.MustNew(dtype.Float32T, 2)
	run(t, fn, x, sum, top)
	if sum.Float(0) != 13 || sum.Float(1) != -11 || top.Float(0) != 7 || top.Float(1) != -1 {
		t.Fatalf("got %v %v", sum.Floats(), top.Floats())
	}
}

func TestScalarResult(t *testing.T) {
	a := te.Placeholder("A", dtype.Float32T)
	b := te.Compute("T_add", nil, func([]tir.Expr) tir.Expr { return tir.Add(a.At(), a.At()) })
	fn := create(t, a, b)
	x, out := tensor.MustOf([]int64{}, []float32{3}), tensor.MustNew(dtype.Float32T)
	run(t, fn, x, out)
	if out.Float(0) != 6 {
		t.Fatalf("got %v", out.Floats())
	}
	if b := blocks(fn)[1]; len(b.IterVars) != 1 || b.IterVars[0].Var.Name != "vi" {
		t.Fatalf("a block without axes gets the iteration variable vi: %+v", b.IterVars)
	}
}

func TestExternAndNames(t *testing.T) {
	n := []tir.Expr{tir.Int(3)}
	a := te.Placeholder("A", dtype.Int32T, n...)
	twice := func(x *te.Tensor) *te.Tensor {
		return te.Compute("compute", n, func(i []tir.Expr) tir.Expr { return tir.Add(x.At(i...), x.At(i...)) })
	}
	rev := te.Extern("reverse", []te.Out{{DType: dtype.Int32T, Shape: n}}, []*te.Tensor{twice(twice(a))}, func(in, out []*tir.Buffer) tir.Stmt {
		i := tir.NewVar("i", dtype.Int64T)
		return &tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(3), Body: tir.Store(out[0], tir.Load(in[0], tir.Sub(tir.Int(2), i)), i)}
	})[0]
	fn := create(t, a, rev)
	out := tensor.MustNew(dtype.Int32T, 3)
	run(t, fn, tensor.MustOf([]int64{3}, []int32{1, 2, 3}), out)
	if out.Int(0) != 12 || out.Int(2) != 4 {
		t.Fatalf("got %v", out.Ints())
	}
	var names []string
	for _, b := range blocks(fn) {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "root compute compute_1 reverse" {
		t.Fatalf("block names: %s", got)
	}
}

func TestCreatePrimFuncErrors(t *testing.T) {
	a, b, c := matmul(tir.Int(2), tir.Int(2), tir.Int(2))
	for _, tc := range []struct {
		args []*te.Tensor
		want string
	}{
		{[]*te.Tensor{a, c}, "matmul reads placeholder B, which is not among the arguments"},
		{[]*te.Tensor{a, b}, "none of the tensors is computed"},
		{[]*te.Tensor{a, a, b, c}, "tensor A is given as an argument twice"},
	} {
		if _, err := te.CreatePrimFunc(tc.args, te.FuncOpts{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}
