package wasm_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestBranchesOnMasks branches on comparisons of a constant, on either side, and of a bitwise and: an engine that takes
// the flags from the and must not confuse the sides.
func TestBranchesOnMasks(t *testing.T) {
	for _, name := range []string{"int32", "uint32", "int64", "uint64"} {
		d := dtype.MustParse(name)
		for _, cmp := range []tir.BinaryOp{tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE} {
			for _, k := range []int64{0, 1, 2, -1} {
				if k < 0 && d.IsUInt() {
					continue
				}
				t.Run(fmt.Sprintf("%s %v %d", name, cmp, k), func(t *testing.T) {
					x, y, i := flat("X", d, 8), flat("Y", dtype.Int32T, 8), i32var("i")
					masked, c := tir.NewCall(tir.OpBitwiseAnd, tir.Load(x, i), tir.Const(d, -2)), tir.Const(d, k)
					if d.IsUInt() {
						masked = tir.NewCall(tir.OpBitwiseAnd, tir.Load(x, i), tir.Const(d, 6))
					}
					chosen := func(a, b tir.Expr) *tir.PrimFunc { // one of the two: an and of two uses is computed apart
						return primFunc("branch", []any{x, y}, forLoop(i, tir.Int32(8),
							tir.Store(y, tir.IfThenElseExpr(tir.NewBinary(cmp, a, b), tir.Add(tir.Load(y, i), tir.Int32(7)), tir.Int32(3)), i)))
					}
					in := tensor.MustNew(d, 8)
					for j := range 8 {
						v := int64(j)
						if d.IsInt() {
							v -= 4
						}
						in.SetFloat(j, float64(v))
					}
					check(t, chosen(c, masked), 0, in, tensor.MustNew(dtype.Int32T, 8))
					check(t, chosen(masked, c), 0, in, tensor.MustNew(dtype.Int32T, 8))
				})
			}
		}
	}
}
