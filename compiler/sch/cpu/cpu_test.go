package cpu_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

var f32 = dtype.Float32T

func in(name string, shape ...any) *te.Tensor {
	var dims []tir.Expr
	for _, n := range shape {
		switch n := n.(type) {
		case int:
			dims = append(dims, tir.Int(int64(n)))
		case tir.Expr:
			dims = append(dims, n)
		}
	}
	return te.Placeholder(name, f32, dims...)
}

func must(x *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return x
}

func conv(x, w *te.Tensor, stride, pad, groups int64) *te.Tensor {
	return must(topi.Conv(x, w, topi.ConvOpts{
		Strides: []int64{stride, stride}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad},
		Groups: groups, Data: "NCHW", Kernel: "OIHW",
	}))
}

func pool(kind string, x *te.Tensor, size, stride, pad int64) *te.Tensor {
	return must(topi.Pool(kind, x, topi.PoolOpts{
		Size: []int64{size, size}, Strides: []int64{stride, stride}, Dilation: []int64{1, 1},
		Before: []int64{pad, pad}, After: []int64{pad, pad}, Layout: "NCHW",
	}))
}

func relu(x *te.Tensor) *te.Tensor { return must(topi.Unary("relu", x)) }

// kernel is a case of the tests: tensors, the last one computed, and values of symbols.
type kernel struct {
	args []*te.Tensor
	syms map[*tir.Var]int64
}

func kernels() map[string]kernel {
	out := map[string]kernel{}
	add := func(name string, args ...*te.Tensor) { out[name] = kernel{args: args} }
	biasAdd := func(x, b *te.Tensor) *te.Tensor { return must(topi.Binary("add", topi.T(x), topi.T(b))) }
	{
		for _, c := range []struct{ oc, ic, h, k, s, p int }{
			{8, 3, 16, 3, 1, 1},
			{6, 5, 13, 3, 1, 1},
			{8, 4, 7, 3, 1, 1},
			{8, 3, 17, 3, 2, 1},
			{16, 4, 15, 7, 2, 3},
			{8, 8, 14, 1, 1, 0},
			{4, 6, 13, 1, 1, 0},
			{8, 4, 14, 1, 2, 0},
			{3, 4, 9, 5, 1, 2},
			{8, 4, 6, 6, 1, 0},
		} {
			x, w, b := in("x", 1, c.ic, c.h, c.h), in("w", c.oc, c.ic, c.k, c.k), in("b", 1, c.oc, 1, 1)
			y := conv(x, w, int64(c.s), int64(c.p), 1)
			add(fmt.Sprintf("conv%d_%d_%d_k%d_s%d", c.oc, c.ic, c.h, c.k, c.s), x, w, b, relu(biasAdd(y, b)))
		}
	}
	{
		x, w := in("x", 2, 8, 10, 10), in("w", 8, 1, 3, 3)
		add("depthwise", x, w, conv(x, w, 1, 1, 8))
		add("depthwise_s2", x, w, conv(x, w, 2, 1, 8))
		w2 := in("w", 8, 4, 3, 3)
		add("grouped", x, w2, conv(x, w2, 1, 1, 2))
	}
	for _, c := range []struct{ oc, ic, h, k, block int }{{48, 32, 9, 3, 16}, {32, 16, 17, 3, 16}, {16, 24, 7, 3, 8}, {32, 3, 15, 7, 16}, {64, 32, 6, 1, 16}} {
		for stride := int64(1); stride <= 2; stride++ { // channels in parts
			part, pad := min(c.ic, c.block), int64(c.k/2)
			x, w, b := in("x", 1, c.ic/part, c.h, c.h, part), in("w", c.oc/c.block, c.ic/part, c.k, c.k, part, c.block), in("b", 1, c.oc/c.block, 1, 1, c.block)
			y, ok, err := topi.ConvBlocked(x, w, topi.ConvOpts{
				Strides: []int64{stride, stride}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad}, Groups: 1,
				Data: fmt.Sprintf("NCHW%dc", part), Kernel: fmt.Sprintf("OIHW%di%do", part, c.block), Result: fmt.Sprintf("NCHW%dc", c.block),
			})
			if err != nil || !ok {
				panic(fmt.Sprint(ok, err))
			}
			add(fmt.Sprintf("blocked%d_%d_%d_k%d_s%d", c.oc, c.ic, c.h, c.k, stride), x, w, b, relu(biasAdd(y, b)))
		}
	}
	for _, m := range []int{1, 2, 5, 16} {
		a, b, bt := in("a", m, 20), in("b", 20, 24), in("bt", 18, 20)
		add(fmt.Sprintf("matmul_nn_%d", m), a, b, must(topi.Matmul(a, b, topi.MatmulOpts{})))
		add(fmt.Sprintf("matmul_nt_%d", m), a, bt, must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true})))
	}
	{
		a, b, c := in("a", 20, 7), in("b", 20, 9), in("c", 9)
		add("matmul_tn", a, b, c, biasAdd(must(topi.Matmul(a, b, topi.MatmulOpts{TransposeA: true})), c))
		p, q := in("p", 2, 3, 10, 12), in("q", 2, 3, 12, 14)
		add("matmul_batch", p, q, must(topi.Matmul(p, q, topi.MatmulOpts{})))
		u := in("u", 12)
		add("matvec", p, u, must(topi.Matmul(p, u, topi.MatmulOpts{})))
	}
	{
		x := in("x", 1, 4, 15, 15)
		add("maxpool_nopad", x, pool("max", x, 3, 2, 0))
		add("adaptive", x, must(topi.AdaptiveAvgPool(x, []tir.Expr{tir.Int(4), tir.Int(6)}, "NCHW", "")))
		s := in("s", 7, 9, 5)
		add("sum_short", s, must(topi.Reduce("sum", s, []int{2}, false)))
		add("maxpool_s2", x, pool("max", x, 3, 2, 1))
		add("maxpool_s1", x, pool("max", x, 3, 1, 1))
		z := in("z", 1, 1, 12, 33)
		add("avgpool_rows", z, must(topi.Pool("avg", z, topi.PoolOpts{
			Size: []int64{5, 1}, Strides: []int64{1, 1}, Dilation: []int64{1, 1}, Before: []int64{2, 0}, After: []int64{2, 0}, Layout: "NCHW",
		})))
		add("avgpool", x, pool("avg", x, 3, 2, 1))
		add("global_avg", x, must(topi.AdaptiveAvgPool(x, []tir.Expr{tir.Int(1), tir.Int(1)}, "NCHW", "")))
		add("softmax1", x, topi.Softmax(x, 1))
		add("relu", x, relu(x))
		add("transpose", x, topi.PermuteDims(x, []int{0, 2, 3, 1}))
		y, g, b := in("y", 5, 37), in("g", 37), in("b", 37)
		add("softmax", y, topi.Softmax(y, 1))
		add("layer_norm", y, g, b, topi.LayerNorm(y, g, b, []int{1}, 1e-5))
		add("sum0", y, must(topi.Reduce("sum", y, []int{0}, false)))
		add("sum_all", y, must(topi.Reduce("sum", y, []int{0, 1}, false)))
		add("argmax", y, topi.ArgReduce(y, 1, false, false, false, dtype.Int64T))
		add("concat", x, topi.Concat([]*te.Tensor{x, x}, 1))
		y2 := in("y2", 5, 37)
		less := must(topi.Binary("less", topi.T(y), topi.T(y2)))
		add("less", y, y2, less)
		add("to_bool_and_back", y, y2, topi.Cast(less, f32))
		add("to_int64", y, topi.Cast(y, dtype.Int64T))
		add("to_int8", y, topi.Cast(y, dtype.Int8T))
		add("to_half", y, topi.Cast(y, dtype.Float16T))
		add("via_half", y, topi.Cast(topi.Cast(y, dtype.Float16T), f32))
		i64 := topi.Cast(y, dtype.Int64T)
		add("sum_int64", y, must(topi.Reduce("sum", i64, []int{1}, false)))
		add("max_cols", y, must(topi.Reduce("max", y, []int{0}, false)))
		add("all", y, y2, must(topi.Reduce("all", less, []int{1}, false)))
		add("prod", y, must(topi.Reduce("prod", y, []int{0, 1}, true)))
		add("scan", y, topi.Scan("sum", y, 1, f32, false))
		add("softmax_of_sum", y, y2, topi.Softmax(must(topi.Binary("add", topi.T(y), topi.T(y2))), 1))
		z0 := in("z0", 0, 8)
		add("empty", z0, relu(z0))
		add("empty_sum", z0, must(topi.Reduce("sum", z0, []int{0}, false)))
		add("empty_rows", z0, must(topi.Reduce("sum", z0, []int{1}, false)))
		r4 := topi.Reshape(x, []tir.Expr{tir.Int(1), tir.Int(1), tir.Int(4), tir.Int(225)})
		add("reshape_relu", x, relu(r4))
		add("gelu", y, must(topi.Unary("gelu", y)))
	}
	{
		n := tir.NewSizeVar("n", dtype.Int64T)
		for _, k := range []int64{1, 3, 8} {
			a, b := in("a", n, 20), in("b", 20, 24)
			out[fmt.Sprintf("symbolic_rows_%d", k)] = kernel{[]*te.Tensor{a, b, must(topi.Matmul(a, b, topi.MatmulOpts{}))}, map[*tir.Var]int64{n: k}}
			bt := in("bt", 10, 20)
			out[fmt.Sprintf("symbolic_rows_nt_%d", k)] = kernel{[]*te.Tensor{a, bt, relu(must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true})))}, map[*tir.Var]int64{n: k}}
		}
		a, b := in("a", 6, n), in("b", n, n)
		out["symbolic_all"] = kernel{[]*te.Tensor{a, b, must(topi.Matmul(a, b, topi.MatmulOpts{}))}, map[*tir.Var]int64{n: 21}}
		bt := in("bt", 5, n)
		out["symbolic_sum"] = kernel{[]*te.Tensor{a, bt, must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true}))}, map[*tir.Var]int64{n: 21}}
		cx, cw, cb := in("x", n, 3, 9, 9), in("w", 8, 3, 3, 3), in("b", 1, 8, 1, 1)
		cy := relu(biasAdd(conv(cx, cw, 2, 1, 1), cb))
		out["symbolic_conv"] = kernel{[]*te.Tensor{cx, cw, cb, cy}, map[*tir.Var]int64{n: 3}}
		nx, g := in("x", n, 37), in("g", 37)
		out["symbolic_layer_norm"] = kernel{[]*te.Tensor{nx, g, topi.LayerNorm(nx, g, nil, []int{1}, 1e-5)}, map[*tir.Var]int64{n: 3}}
		q, kt := in("q", 2, n, 16), in("k", 2, n, 16)
		scores := topi.Softmax(must(topi.Matmul(q, kt, topi.MatmulOpts{TransposeB: true})), 2)
		for _, len := range []int64{1, 5, 19} {
			out[fmt.Sprintf("symbolic_attention_%d", len)] = kernel{[]*te.Tensor{q, kt, must(topi.Matmul(scores, kt, topi.MatmulOpts{}))}, map[*tir.Var]int64{n: len}}
		}
		out["symbolic_softmax"] = kernel{[]*te.Tensor{a, topi.Softmax(a, 1)}, map[*tir.Var]int64{n: 21}}
		// Long and symbolic sums, which are added in runs.
		for _, k := range []int64{0, 1, 63, 2500} {
			sym := map[*tir.Var]int64{n: k}
			la, lb, lc := in("a", 5, n), in("b", n, 9), in("c", 3, n)
			if k > 0 {
				out[fmt.Sprintf("runs_mean_%d", k)] = kernel{[]*te.Tensor{la, must(topi.Reduce("mean", la, []int{1}, false))}, sym}
			}
			out[fmt.Sprintf("runs_rows_%d", k)] = kernel{[]*te.Tensor{lb, must(topi.Reduce("sum", lb, []int{0}, false))}, sym}
			out[fmt.Sprintf("runs_matmul_%d", k)] = kernel{[]*te.Tensor{la, lb, must(topi.Matmul(la, lb, topi.MatmulOpts{}))}, sym}
			out[fmt.Sprintf("runs_matmul_nt_%d", k)] = kernel{[]*te.Tensor{la, lc, must(topi.Matmul(la, lc, topi.MatmulOpts{TransposeB: true}))}, sym}
		}
		l3 := in("x", 5, 3, 701)
		add("runs_apart", l3, must(topi.Reduce("sum", l3, []int{0, 2}, false)))
		l4, lw := in("x", 1, 1031, 5, 6), in("w", 4, 1031, 3, 3)
		add("runs_conv", l4, lw, conv(l4, lw, 1, 1, 1))
		add("runs_scalar", l3, must(topi.Reduce("sum", l3, []int{0, 1, 2}, false)))
		out["symbolic_relu"] = kernel{[]*te.Tensor{a, relu(a)}, map[*tir.Var]int64{n: 21}}
	}
	return out
}

// arguments fills tensors for a kernel.
func (k kernel) arguments(t testing.TB) []any {
	var out []any
	for i, x := range k.args {
		var shape []int64
		sub := map[*tir.Var]tir.Expr{}
		for v, n := range k.syms {
			sub[v] = tir.Int(n)
		}
		for _, d := range x.Shape {
			n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(tir.SubstExpr(d, sub)))
			if !ok {
				t.Fatalf("extent %v is not known", d)
			}
			shape = append(shape, n)
		}
		y, err := tensor.New(x.DType, shape)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i == len(k.args)-1:
		case y.DType.IsFloat():
			y.FillUniform(uint64(i+1), -1, 1)
		default:
			y.Random(uint64(i + 1))
		}
		out = append(out, y)
	}
	return out
}

func run(t testing.TB, f *tir.PrimFunc, args []any) *tensor.Tensor {
	t.Helper()
	if err := interp.Run(context.Background(), f, args, nil); err != nil {
		t.Fatal(err)
	}
	return args[len(args)-1].(*tensor.Tensor)
}

func create(t testing.TB, k kernel) *tir.PrimFunc {
	t.Helper()
	f, err := te.CreatePrimFunc(k.args, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	return f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
}

// TestRulesKeepMeaning runs kernels before and after scheduling.
func TestRulesKeepMeaning(t *testing.T) {
	for name, k := range kernels() {
		t.Run(name, func(t *testing.T) {
			f := create(t, k)
			g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tir.Verify(name, g) {
				t.Error(d.Message)
			}
			want := run(t, f, k.arguments(t))
			compare(t, want, run(t, g, k.arguments(t)))
		})
	}
}

// near tells whether two numbers agree but for rounding; infinities and NaN agree with themselves alone.
func near(a, b float64) bool {
	if math.IsNaN(a) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	}
	return math.Abs(a-b) <= 1e-4*(1+math.Abs(a))
}

func compare(t testing.TB, want, got *tensor.Tensor) {
	t.Helper()
	if len(want.Data) != len(got.Data) {
		t.Fatal("different sizes")
	}
	n := want.Len()
	for i := range n {
		a, b := want.Float(i), got.Float(i)
		if !near(a, b) {
			t.Fatalf("element %d is %g, want %g", i, b, a)
		}
	}
}
