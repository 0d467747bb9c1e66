package tir_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// evaluate interprets a scalar expression without variables.
func evaluate(t *rapid.T, e tir.Expr) int64 {
	d := e.DType()
	out := tir.NewBuffer("out", d, []tir.Expr{tir.Int(1)}, "")
	f := &tir.PrimFunc{
		Params: []*tir.Var{tir.NewVar("h", dtype.HandleT)}, Buffers: []*tir.Buffer{out},
		RetType: ir.VoidType(), Body: tir.Store(out, e, tir.Int(0)),
	}
	got, err := tirtest.Run(f, []any{tensor.MustNew(d, 1)}, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return got[0].(*tensor.Tensor).Int(0)
}

// TestFoldIsArithmetic compares folding with the interpreter, for all operations and widths.
func TestFoldIsArithmetic(t *testing.T) {
	types := []dtype.DType{dtype.Int8T, dtype.Int16T, dtype.Int32T, dtype.Int64T, dtype.UInt8T, dtype.UInt16T, dtype.UInt32T, dtype.UInt64T, dtype.BoolT}
	edges := []int64{0, 1, -1, 2, -7, 127, -128, 255, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63}
	seed.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		op := tir.BinaryOp(rapid.IntRange(0, int(tir.OpOr)).Draw(t, "op"))
		if d.IsBool() {
			op = rapid.SampledFrom([]tir.BinaryOp{tir.OpAnd, tir.OpOr, tir.OpEQ, tir.OpNE}).Draw(t, "op")
		} else if op == tir.OpAnd || op == tir.OpOr {
			op = tir.OpAdd
		}
		number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64Range(-300, 300))
		a, b := tir.Const(d, number.Draw(t, "a")), tir.Const(d, number.Draw(t, "b"))
		folded, ok := tir.BinaryExpr(op, a, b).(*tir.IntImm)
		if !ok {
			return // left to run time, as a division by zero
		}
		if want := evaluate(t, tir.NewBinary(op, a, b)); folded.Value != want {
			t.Fatalf("%s %s: %d and %d fold to %d, computed they give %d", d, op, a.(*tir.IntImm).Value, b.(*tir.IntImm).Value, folded.Value, want)
		}
	})
}

// TestCastFoldIsArithmetic does so for conversions.
func TestCastFoldIsArithmetic(t *testing.T) {
	types := []dtype.DType{dtype.Int8T, dtype.Int32T, dtype.Int64T, dtype.UInt8T, dtype.UInt32T, dtype.UInt64T, dtype.BoolT}
	seed.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(types).Draw(t, "from"), rapid.SampledFrom(types).Draw(t, "to")
		x := tir.Const(from, rapid.Int64().Draw(t, "x"))
		folded, ok := tir.CastTo(to, x).(*tir.IntImm)
		if !ok {
			t.Fatalf("a constant was not folded")
		}
		if want := evaluate(t, &tir.Cast{Type: to, Value: x}); folded.Value != want {
			t.Fatalf("%s to %s: %d folds to %d, computed it gives %d", from, to, x.(*tir.IntImm).Value, folded.Value, want)
		}
	})
}

// TestCastToFloatIsArithmetic does so for integers that become floats, which round once.
func TestCastToFloatIsArithmetic(t *testing.T) {
	types := []dtype.DType{dtype.Int8T, dtype.Int32T, dtype.Int64T, dtype.UInt32T, dtype.UInt64T}
	seed.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(types).Draw(t, "from"), rapid.SampledFrom([]dtype.DType{dtype.Float32T, dtype.Float64T}).Draw(t, "to")
		x := tir.Const(from, rapid.Int64().Draw(t, "x"))
		folded, ok := tir.CastTo(to, x).(*tir.FloatImm)
		if !ok {
			t.Fatalf("a constant was not folded")
		}
		out := tir.NewBuffer("out", to, []tir.Expr{tir.Int(1)}, "")
		f := &tir.PrimFunc{
			Params: []*tir.Var{tir.NewVar("h", dtype.HandleT)}, Buffers: []*tir.Buffer{out},
			RetType: ir.VoidType(), Body: tir.Store(out, &tir.Cast{Type: to, Value: x}, tir.Int(0)),
		}
		got, err := tirtest.Run(f, []any{tensor.MustNew(to, 1)}, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if want := got[0].(*tensor.Tensor).Float(0); folded.Value != want {
			t.Fatalf("%s to %s: %d folds to %v, computed it gives %v", from, to, x.(*tir.IntImm).Value, folded.Value, want)
		}
	})
}
