//go:build linux && amd64

package x86_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/x86"
)

// targets are what the scheduled kernels are measured for.
var targets = map[string]string{
	"avx512": "x86 -mattr=+avx512f -l1-cache-bytes=32768 -l2-cache-bytes=1048576",
	"avx2":   "x86 -mattr=+avx2 -l1-cache-bytes=32768 -l2-cache-bytes=524288",
}

// yardstick is the rate in GFLOP/s of a kernel that keeps as many sums in registers as there is room for, and whose factors lie in order in the caches: what a kernel can reach.
func yardstick(b *testing.B, name, tgt string) float64 {
	s := tiles[name]
	m, n, k := 40*s.rows, 8*s.vectors*s.lanes, int64(256)
	f32 := dtype.Float32T
	return 2 * float64(m*n*k) / quickest(b, packed(b, matmul(m, n, k, s)), tgt, 50, random(f32, 1, m*k), random(f32, 2, k*n), random(f32, 3, m*n)) / 1e9
}

// quickest is the time in seconds of the quickest of some runs of the only kernel.
func quickest(b *testing.B, funcs []codegen.Func, tgt string, times int, args ...*tensor.Tensor) float64 {
	b.Helper()
	_, obj, err := build(funcs, machineOf(b, tgt))
	if err != nil {
		b.Fatal(err)
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	h := newHost(b)
	h.whole = true
	c, err := prepare(obj, h, list)
	if err != nil {
		b.Skip(err)
	}
	defer c.code.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best, free := math.Inf(1), c.h.next
	for range times {
		c.h.next = free // workspaces are where they were in the run before
		start := threadTime()
		if err := c.run(); err != nil {
			b.Fatal(err)
		}
		best = min(best, threadTime()-start)
	}
	return best
}

func targetOf(tb testing.TB, text string) target.Target {
	tb.Helper()
	t, err := target.Parse(text)
	if err == nil {
		t, err = t.Explicit(nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func machineOf(tb testing.TB, text string) x86.Machine {
	tb.Helper()
	m, err := x86.MachineOf(targetOf(tb, text))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// scheduled makes a kernel of tensors, gives it the default schedule of a target and lowers it.
func scheduled(tb testing.TB, text string, args []*te.Tensor) []codegen.Func {
	tb.Helper()
	t := targetOf(tb, text)
	f, err := te.CreatePrimFunc(args, te.FuncOpts{Tuned: true})
	if err != nil {
		tb.Fatal(err)
	}
	f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
	if f, err = cpu.MachineOf(t).Schedule(f, nil, nil); err != nil {
		tb.Fatal(err)
	}
	c, err := pass.NewContext(context.Background(), pass.WithTarget(t))
	if err != nil {
		tb.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", t)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := c.Run(lower, ir.NewModule().With("kernel", f))
	if err != nil {
		tb.Fatal(err)
	}
	return codegen.Funcs(m)
}

// tensors are random values for the tensors of a kernel.
func tensors(tb testing.TB, args []*te.Tensor) []*tensor.Tensor {
	var out []*tensor.Tensor
	for i, x := range args {
		var shape []int64
		for _, d := range x.Shape {
			n, _ := tir.AsInt(arith.NewAnalyzer().Simplify(d))
			shape = append(shape, n)
		}
		out = append(out, random(x.DType, uint64(i+1), shape...))
	}
	return out
}

// convolved is a convolution with a bias and relu, and the operations that it takes.
func convolved(oc, ic, h, k, stride, groups int) ([]*te.Tensor, float64) {
	pad := int64(k / 2)
	x, w, b := placeholder("x", 1, ic, h, h), placeholder("w", oc, ic/groups, k, k), placeholder("b", 1, oc, 1, 1)
	y, err := topi.Conv(x, w, topi.ConvOpts{
		Strides: []int64{int64(stride), int64(stride)}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad}, Groups: int64(groups), Data: "NCHW", Kernel: "OIHW",
	})
	if err != nil {
		panic(err)
	}
	out := (h+2*int(pad)-k)/stride + 1
	return []*te.Tensor{x, w, b, must(topi.Unary("relu", must(topi.Binary("add", topi.T(y), topi.T(b)))))}, 2 * float64(oc*ic/groups*k*k*out*out)
}

// blocked is a convolution of channels in blocks, with weights in blocks that read them in order.
func blocked(oc, ic, h, k, stride, block int) ([]*te.Tensor, float64) {
	pad := int64(k / 2)
	part := min(ic, block)
	x, w, b := placeholder("x", 1, ic/part, h, h, part), placeholder("w", oc/block, ic/part, k, k, part, block), placeholder("b", 1, oc/block, 1, 1, block)
	y, ok, err := topi.ConvBlocked(x, w, topi.ConvOpts{
		Strides: []int64{int64(stride), int64(stride)}, Dilation: []int64{1, 1}, Before: []int64{pad, pad}, After: []int64{pad, pad}, Groups: 1,
		Data: fmt.Sprintf("NCHW%dc", part), Kernel: fmt.Sprintf("OIHW%di%do", part, block), Result: fmt.Sprintf("NCHW%dc", block),
	})
	if err != nil || !ok {
		panic(fmt.Sprint(ok, err))
	}
	out := (h+2*int(pad)-k)/stride + 1
	return []*te.Tensor{x, w, b, must(topi.Unary("relu", must(topi.Binary("add", topi.T(y), topi.T(b)))))}, 2 * float64(oc*ic*k*k*out*out)
}

func must(x *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return x
}

func placeholder(name string, shape ...int) *te.Tensor {
	dims := make([]tir.Expr, len(shape))
	for i, n := range shape {
		dims[i] = tir.Int(int64(n))
	}
	return te.Placeholder(name, dtype.Float32T, dims...)
}

// kernels are what light models spend their time in: tensors, the last one computed, and the operations that they take, or the elements.
func kernels() (names []string, args map[string][]*te.Tensor, work map[string]float64) {
	args, work = map[string][]*te.Tensor{}, map[string]float64{}
	add := func(name string, n float64, xs ...*te.Tensor) {
		names = append(names, name)
		args[name], work[name] = xs, n
	}
	for _, c := range []struct{ oc, ic, h, k, stride, groups int }{
		{64, 64, 56, 3, 1, 1},
		{128, 128, 28, 3, 1, 1},
		{256, 256, 14, 3, 1, 1},
		{512, 512, 7, 3, 1, 1},
		{64, 3, 224, 7, 2, 1},
		{64, 256, 56, 1, 1, 1},
		{256, 64, 56, 1, 1, 1},
		{1024, 256, 14, 1, 1, 1},
		{2048, 512, 7, 1, 1, 1},
		{128, 128, 56, 3, 2, 1},
		{96, 96, 112, 3, 1, 96},
		{96, 96, 112, 3, 2, 96},
	} {
		xs, n := convolved(c.oc, c.ic, c.h, c.k, c.stride, c.groups)
		add(fmt.Sprintf("conv%d_%d_%d_k%d_s%d_g%d", c.oc, c.ic, c.h, c.k, c.stride, c.groups), n, xs...)
	}
	for _, block := range []int{8, 16} {
		for _, c := range []struct{ oc, ic, h, k, stride int }{
			{64, 64, 56, 3, 1},
			{128, 128, 28, 3, 1},
			{256, 256, 14, 3, 1},
			{512, 512, 7, 3, 1},
			{512, 512, 28, 3, 1},
			{256, 256, 56, 3, 1},
			{512, 512, 14, 3, 1},
			{64, 3, 224, 7, 2},
			{64, 256, 56, 1, 1},
			{256, 64, 56, 1, 1},
			{1024, 256, 14, 1, 1},
			{2048, 512, 7, 1, 1},
			{128, 128, 56, 3, 2},
		} {
			xs, n := blocked(c.oc, c.ic, c.h, c.k, c.stride, block)
			add(fmt.Sprintf("blocks%d_%d_%d_%d_k%d_s%d", block, c.oc, c.ic, c.h, c.k, c.stride), n, xs...)
		}
	}
	for _, s := range [][3]int{{1024, 1024, 1024}, {1, 2048, 1000}, {128, 64, 128}} {
		m, k, n := s[0], s[1], s[2]
		a, b, bt := placeholder("a", m, k), placeholder("b", k, n), placeholder("bt", n, k)
		add(fmt.Sprintf("matmul_nn_%d_%d_%d", m, k, n), 2*float64(m*k*n), a, b, must(topi.Matmul(a, b, topi.MatmulOpts{})))
		add(fmt.Sprintf("matmul_nt_%d_%d_%d", m, k, n), 2*float64(m*k*n), a, bt, must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true})))
	}
	x, g, b := placeholder("x", 64, 1024), placeholder("g", 1024), placeholder("b", 1024)
	add("softmax", 64*1024, x, topi.Softmax(x, 1))
	add("layer_norm", 64*1024, x, g, b, topi.LayerNorm(x, g, b, []int{1}, 1e-5))
	add("gelu", 64*1024, x, must(topi.Unary("gelu", x)))
	p := placeholder("p", 1, 64, 112, 112)
	add("maxpool_s2", 9*64*56*56, p, must(topi.Pool("max", p, topi.PoolOpts{
		Size: []int64{3, 3}, Strides: []int64{2, 2}, Dilation: []int64{1, 1}, Before: []int64{1, 1}, After: []int64{1, 1}, Layout: "NCHW",
	})))
	v := placeholder("v", 1, 256, 56, 56)
	add("transpose", 256*56*56, v, topi.PermuteDims(v, []int{0, 2, 3, 1}))
	return names, args, work
}

// BenchmarkScheduled reports the rate of kernels under the default schedule, and its part of the yardstick.
func BenchmarkScheduled(b *testing.B) {
	names, args, work := kernels()
	for machine, tgt := range targets {
		most := 0.0
		for _, name := range names {
			b.Run(machine+"/"+name, func(b *testing.B) {
				if most == 0 {
					most = yardstick(b, machine, tgt)
				}
				funcs := scheduled(b, tgt, args[name])
				best := math.Inf(1)
				for b.Loop() {
					best = min(best, quickest(b, funcs, tgt, 5, tensors(b, args[name])...))
				}
				r := work[name] / best / 1e9
				b.ReportMetric(r, "Gop/s")
				b.ReportMetric(r/most, "of-yardstick")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
