package wasm_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	gort "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target/wasm"
)

// matmulKernel is C = A*B in the shape that a schedule gives it: rows of A splatted into a
// workspace, panels of eight columns of B packed, tiles of four rows and eight columns in
// registers, the reduction unrolled by four.
func matmulKernel(m, n, k int64) *tir.PrimFunc {
	const mr, nr, ku = 4, 8, 4
	f32 := dtype.Float32T
	a, b, c := flat("A", f32, m*k), flat("B", f32, k*n), flat("C", f32, m*n)
	bp := flat("B_pack", f32, n*k)
	as := flat("A_splat", f32, mr*k*4)
	acc := tir.NewBuffer("acc", f32, []tir.Expr{tir.Int32(mr * nr)}, "local")
	jp, kp, i, ka, j, ko := i32var("jp"), i32var("kp"), i32var("i"), i32var("ka"), i32var("j"), i32var("ko")
	at := func(c int64, terms ...any) tir.Expr {
		e := tir.Expr(tir.Int32(c))
		for x := 0; x < len(terms); x += 2 {
			e = tir.Add(tir.Mul(terms[x].(tir.Expr), tir.Int32(terms[x+1].(int64))), e)
		}
		return e
	}
	packB := forLoop(jp, tir.Int32(n/nr), forLoop(kp, tir.Int32(k),
		tir.Store(bp, tir.Load(b, ramp(at(0, jp, int64(nr), kp, n), 1, nr)), ramp(at(0, jp, k*nr, kp, int64(nr)), 1, nr))))
	var splat, init, step, out []tir.Stmt
	for r := range int64(mr) {
		splat = append(splat, tir.Store(as, broadcast(tir.Load(a, at(r*k, i, int64(mr)*k, ka, int64(1))), 4), ramp(at(4*r, ka, int64(4*mr)), 1, 4)))
		cols := ramp(tir.Int32(r*nr), 1, nr)
		init = append(init, tir.Store(acc, broadcast(tir.FloatConst(f32, 0), nr), cols))
		out = append(out, tir.Store(c, tir.Load(acc, cols), ramp(at(r*n, i, int64(mr)*n, j, int64(nr)), 1, nr)))
	}
	for u := range int64(ku) {
		for r := range int64(mr) {
			for v := int64(0); v < nr; v += 4 {
				x := tir.Load(as, ramp(at((u*mr+r)*4, ko, int64(ku*mr*4)), 1, 4))
				y := tir.Load(bp, ramp(at(u*nr+v, j, k*nr, ko, int64(ku*nr)), 1, 4))
				t := ramp(tir.Int32(r*nr+v), 1, 4)
				step = append(step, tir.Store(acc, tir.Add(tir.Load(acc, t), tir.Mul(x, y)), t))
			}
		}
	}
	return primFunc("matmul", []any{a, b, c}, local(bp, packB, local(as,
		forLoop(i, tir.Int32(m/mr),
			forLoop(ka, tir.Int32(k), splat...),
			forLoop(j, tir.Int32(n/nr), local(acc, tir.Seq(init...), forLoop(ko, tir.Int32(k/ku), step...), tir.Seq(out...)))))))
}

// convKernel is a 3x3 convolution with padding 1: a padded copy of the input, weights
// splatted for four output channels at a time, tiles of four channels and eight columns.
func convKernel(ic, oc, h int64) *tir.PrimFunc {
	const mr, nr = 4, 8
	f32 := dtype.Float32T
	w := h
	ph, pw := h+2, w+2
	x, k, y := flat("X", f32, ic*h*w), flat("W", f32, oc*ic*9), flat("Y", f32, oc*h*w)
	pad, ws := flat("X_pad", f32, ic*ph*pw), flat("W_splat", f32, ic*9*mr*4)
	acc := tir.NewBuffer("acc", f32, []tir.Expr{tir.Int32(mr * nr)}, "local")
	c, r, col, o, t, oh, ow, rc := i32var("c"), i32var("r"), i32var("col"), i32var("o"), i32var("t"), i32var("oh"), i32var("ow"), i32var("rc")
	at := func(c int64, terms ...any) tir.Expr {
		e := tir.Expr(tir.Int32(c))
		for x := 0; x < len(terms); x += 2 {
			e = tir.Add(tir.Mul(terms[x].(tir.Expr), tir.Int32(terms[x+1].(int64))), e)
		}
		return e
	}
	in := tir.And(tir.And(tir.GE(r, tir.Int32(1)), tir.LT(r, tir.Int32(h+1))), tir.And(tir.GE(col, tir.Int32(1)), tir.LT(col, tir.Int32(w+1))))
	padding := forLoop(c, tir.Int32(ic), forLoop(r, tir.Int32(ph), forLoop(col, tir.Int32(pw),
		tir.Store(pad, tir.IfThenElseExpr(in, tir.Load(x, at(-w-1, c, h*w, r, w, col, int64(1))), tir.FloatConst(f32, 0)), at(0, c, ph*pw, r, pw, col, int64(1))))))
	var splat, init, step, out []tir.Stmt
	for q := range int64(mr) {
		splat = append(splat, tir.Store(ws, broadcast(tir.Load(k, at(q*ic*9, o, int64(mr)*ic*9, t, int64(1))), 4), ramp(at(4*q, t, int64(4*mr)), 1, 4)))
		cols := ramp(tir.Int32(q*nr), 1, nr)
		init = append(init, tir.Store(acc, broadcast(tir.FloatConst(f32, 0), nr), cols))
		out = append(out, tir.Store(y, tir.Load(acc, cols), ramp(at(q*h*w, o, int64(mr)*h*w, oh, w, ow, int64(nr)), 1, nr)))
	}
	for kh := range int64(3) {
		for kw := range int64(3) {
			for q := range int64(mr) {
				tile := ramp(tir.Int32(q*nr), 1, nr)
				wx := broadcastSplat(ws, at((kh*3+kw)*mr*4+q*4, rc, int64(9*mr*4)), nr)
				xx := tir.Load(pad, ramp(at(kh*pw+kw, rc, ph*pw, oh, pw, ow, int64(nr)), 1, nr))
				step = append(step, tir.Store(acc, tir.Add(tir.Load(acc, tile), tir.Mul(wx, xx)), tile))
			}
		}
	}
	return primFunc("conv2d", []any{x, k, y}, local(pad, padding, local(ws,
		forLoop(o, tir.Int32(oc/mr),
			forLoop(t, tir.Int32(ic*9), splat...),
			forLoop(oh, tir.Int32(h), forLoop(ow, tir.Int32(w/nr), local(acc,
				tir.Seq(init...), forLoop(rc, tir.Int32(ic), step...), tir.Seq(out...))))))))
}

// broadcastSplat reads four equal elements and repeats them in all lanes.
func broadcastSplat(b *tir.Buffer, at tir.Expr, lanes int) tir.Expr {
	return &tir.Broadcast{Value: tir.Load(b, ramp(at, 1, 4)), Lanes: lanes / 4}
}

func TestTunedKernelsAreRight(t *testing.T) {
	f32 := dtype.Float32T
	check(t, matmulKernel(8, 16, 12), 1e-5, random(f32, 1, 8*12), random(f32, 2, 12*16), random(f32, 3, 8*16))
	check(t, convKernel(3, 8, 8), 1e-5, random(f32, 1, 3*64), random(f32, 2, 8*27), random(f32, 3, 8*64))
}

// cLoop is the speed of testdata/madd.c in GFLOP/s, 0 where there is no C compiler.
var cLoop = sync.OnceValue(func() float64 {
	dir, err := os.MkdirTemp("", "madd")
	if err != nil {
		return 0
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "madd")
	if err := exec.Command("cc", "-O3", "-ffp-contract=off", "-o", exe, "testdata/madd.c").Run(); err != nil {
		return 0
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		return 0
	}
	v, _ := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return v
})

// benchmarkKernel reports the best rate of a kernel, in processor time of its thread, and its
// ratio to the C loop.
func benchmarkKernel(b *testing.B, f *tir.PrimFunc, unit string, work float64, args ...*tensor.Tensor) {
	lib, mod, d := load(b, pack(b, f), mustTarget("wasm"))
	vals := make([]runtime.Value, len(args))
	for i, a := range args {
		t, err := d.Upload(a)
		if err != nil {
			b.Fatal(err)
		}
		vals[i] = runtime.TensorValue(t)
	}
	k := mod.Kernel(mod.Names()[0])
	c := cLoop()
	gort.LockOSThread()
	defer gort.UnlockOSThread()
	b.ReportAllocs()
	best := 0.0
	for b.Loop() {
		start := threadTime()
		if _, err := k.Run(context.Background(), vals...); err != nil {
			b.Fatal(err)
		}
		best = max(best, work/(threadTime()-start)/1e9)
	}
	b.ReportMetric(best, unit)
	if c > 0 && unit == "GFLOP/s" {
		b.ReportMetric(best/c, "of-C-loop")
	}
	b.ReportMetric(float64(len(lib.Bytes)), "wasm-bytes")
}

func BenchmarkMatmul1024(b *testing.B) {
	const n = 1024
	f32 := dtype.Float32T
	benchmarkKernel(b, matmulKernel(n, n, n), "GFLOP/s", 2*n*n*n, random(f32, 1, n*n), random(f32, 2, n*n), random(f32, 3, n*n))
}

func BenchmarkConv3x3(b *testing.B) {
	f32 := dtype.Float32T
	benchmarkKernel(b, convKernel(64, 64, 56), "GFLOP/s", 2*64*64*9*56*56, random(f32, 1, 64*56*56), random(f32, 2, 64*64*9), random(f32, 3, 64*56*56))
}

// BenchmarkElementwise runs relu(a*x+b) and e^x over an array that fits the second cache.
func BenchmarkElementwise(b *testing.B) {
	const n = 64 << 10
	f32 := dtype.Float32T
	for name, e := range map[string]func(x tir.Expr) tir.Expr{
		"relu": func(x tir.Expr) tir.Expr {
			d := x.DType()
			return tir.Max(tir.Add(tir.Mul(x, tir.FloatConst(d, 1.5)), tir.FloatConst(d, -0.25)), tir.FloatConst(d, 0))
		},
		"exp":  func(x tir.Expr) tir.Expr { return tir.NewCall(tir.OpExp, x) },
		"tanh": func(x tir.Expr) tir.Expr { return tir.NewCall(tir.OpTanh, x) },
		"erf":  func(x tir.Expr) tir.Expr { return tir.NewCall(tir.OpErf, x) },
	} {
		b.Run(name, func(b *testing.B) {
			x, y := flat("X", f32, n), flat("Y", f32, n)
			i := i32var("i")
			at := ramp(tir.Mul(i, tir.Int32(8)), 1, 8)
			f := primFunc(name, []any{x, y}, forLoop(i, tir.Int32(n/8), tir.Store(y, e(tir.Load(x, at)), at)))
			benchmarkKernel(b, f, "Gelem/s", n, random(f32, 1, n), random(f32, 2, n))
		})
	}
}

// BenchmarkBuild measures the code generator on the convolution.
func BenchmarkBuild(b *testing.B) {
	m := pack(b, convKernel(64, 64, 56))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wasm.Build(context.Background(), m, mustTarget("wasm")); err != nil {
			b.Fatal(err)
		}
	}
}
