package wasm_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestLoweredOperators lowers operators by the whole loop pipeline and compares the kernels
// with the interpreter's run of the functions before lowering.
func TestLoweredOperators(t *testing.T) {
	f32 := dtype.Float32T
	in := func(name string, d dtype.DType, shape ...int64) *te.Tensor {
		dims := make([]tir.Expr, len(shape))
		for i, n := range shape {
			dims[i] = tir.Int(n)
		}
		return te.Placeholder(name, d, dims...)
	}
	must := func(x *te.Tensor, err error) *te.Tensor {
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x4 := in("x", f32, 1, 3, 9, 10)
	x2, y2 := in("x", f32, 5, 12), in("y", f32, 12, 7)
	n := tir.NewSizeVar("n", dtype.Int64T)
	sym := te.Placeholder("x", f32, n, tir.Int(6))
	idx := in("i", dtype.Int64T, 4, 12)
	w4 := in("w", f32, 4, 3, 3, 3)
	cases := map[string][]*te.Tensor{
		"softmax":   {x2, topi.Softmax(x2, 1)},
		"symbolic":  {sym, topi.Softmax(sym, 1)},
		"relu":      {x2, must(topi.Unary("relu", x2))},
		"exp":       {x2, must(topi.Unary("exp", x2))},
		"erf":       {x2, must(topi.Unary("erf", x2))},
		"sigmoid":   {x4, must(topi.Unary("sigmoid", x4))},
		"matmul":    {x2, y2, must(topi.Matmul(x2, y2, topi.MatmulOpts{}))},
		"sum":       {x4, must(topi.Reduce("sum", x4, []int{1, 3}, false))},
		"argmax":    {x2, topi.ArgReduce(x2, 1, false, false, false, dtype.Int64T)},
		"permute":   {x4, topi.PermuteDims(x4, []int{0, 2, 3, 1})},
		"cast":      {x2, topi.Cast(x2, dtype.Int32T)},
		"half":      {x2, topi.Cast(topi.Cast(x2, dtype.Float16T), f32)},
		"gather":    {x2, idx, topi.GatherElements(x2, idx, 0)},
		"cumsum":    {x2, topi.Scan("sum", x2, 1, f32, false)},
		"pad":       {x4, must(topi.Pad(x4, []int64{0, 0, 1, 2}, []int64{0, 0, 2, 1}, "constant", tir.FloatConst(f32, 0)))},
		"layernorm": {x2, in("g", f32, 12), in("b", f32, 12), nil},
		"conv":      {x4, w4, must(topi.Conv(x4, w4, topi.ConvOpts{Strides: []int64{2, 1}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Groups: 1, Data: "NCHW", Kernel: "OIHW"}))},
	}
	ln := cases["layernorm"]
	ln[3] = topi.LayerNorm(ln[0], ln[1], ln[2], []int{1}, 1e-5)
	lower := []*pass.Pass{
		tirpass.CanonicalizeLoop, tirpass.LowerInitBlock, tirpass.PlanAndUpdateBufferAllocationLocation,
		tirpass.ConvertBlocksToOpaque, tirpass.CompactBufferAllocation, tirpass.LowerMatchBuffer,
		tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer, tirpass.VectorizeLoop, tirpass.StorageRewrite,
		tirpass.UnrollLoop, tirpass.RewriteUnsafeSelect, tirpass.CommonSubexprElimTIR,
		tirpass.MakePackedAPI, tirpass.LowerTVMBuiltin, tirpass.LowerIntrin, tirpass.LowerMath,
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
			if err != nil {
				t.Fatal(err)
			}
			f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
			var want []any
			for i, a := range args {
				shape := make([]int64, len(a.Shape))
				for k, e := range a.Shape {
					v, ok := tir.AsInt(e)
					if !ok {
						v = 3
					}
					shape[k] = v
				}
				x := random(a.DType, uint64(i), shape...)
				if a.DType.IsInteger() {
					for k := range x.Len() {
						x.SetInt(k, int64(k*7%5))
					}
				}
				want = append(want, x)
			}
			got := cloneArgs(want)
			if err := interp.Run(context.Background(), f, want, nil); err != nil {
				t.Fatal(err)
			}
			c, err := pass.NewContext(context.Background(), pass.WithTarget(mustTarget("wasm")))
			if err != nil {
				t.Fatal(err)
			}
			m := ir.NewModule().With("kernel", f)
			for _, p := range lower {
				if m, err = c.Run(p, m); err != nil {
					t.Fatal(err)
				}
			}
			lib, mod, d := load(t, m, mustTarget("wasm"))
			if err := runWasm(t, mod, d, got); err != nil {
				t.Fatal(err)
			}
			last := len(args) - 1
			if i := differ(got[last].(*tensor.Tensor), want[last].(*tensor.Tensor), 1e-4); i >= 0 {
				t.Errorf("element %d: got %s, want %s\n%s", i, got[last].(*tensor.Tensor).Format(i, 8), want[last].(*tensor.Tensor).Format(i, 8), lib.Kernels[0].Text())
			}
		})
	}
}
