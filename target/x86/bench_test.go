//go:build linux && amd64

package x86_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/x86"
)

// tile says how matmul computes: rows and vectors of a tile that is kept in registers, lanes of a vector, turns of the sum in a row.
type tile struct{ rows, vectors, lanes, unroll int64 }

// matmul is C = A*B with the columns of B in panels as wide as a tile, as a schedule for the machine would have it: A is spread, sums are fused.
func matmul(m, n, k int64, s tile) *tir.PrimFunc {
	f32 := dtype.Float32T
	a, b, c := flat("A", f32, m*k), flat("B", f32, k*n), flat("C", f32, m*n)
	width := s.vectors * s.lanes
	acc := tir.NewBuffer("acc", f32, []tir.Expr{tir.Int32(s.rows * width)}, "local")
	i, j, ko := i32var("i"), i32var("j"), i32var("k")
	at := func(c int64, terms ...any) tir.Expr {
		e := tir.Expr(tir.Int32(c))
		for x := 0; x < len(terms); x += 2 {
			e = tir.Add(tir.Mul(terms[x].(tir.Expr), tir.Int32(terms[x+1].(int64))), e)
		}
		return e
	}
	vector := func(e tir.Expr) tir.Expr { return ramp(e, 1, int(s.lanes)) }
	spread := func(e tir.Expr) tir.Expr { return broadcast(e, int(s.lanes)) }
	var init, step, out []tir.Stmt
	for r := range s.rows {
		for v := range s.vectors {
			place := vector(tir.Int32(r*width + v*s.lanes))
			init = append(init, tir.Store(acc, spread(tir.FloatConst(f32, 0)), place))
			out = append(out, tir.Store(c, tir.Load(acc, place), vector(at(r*n+v*s.lanes, i, s.rows*n, j, width))))
		}
	}
	for u := range s.unroll {
		for r := range s.rows {
			for v := range s.vectors {
				place := vector(tir.Int32(r*width + v*s.lanes))
				x := spread(tir.Load(a, at(r*k+u, i, s.rows*k, ko, s.unroll)))
				y := tir.Load(b, vector(at(u*width+v*s.lanes, j, k*width, ko, s.unroll*width)))
				step = append(step, tir.Store(acc, tir.NewCall(tir.OpFma, x, y, tir.Load(acc, place)), place))
			}
		}
	}
	f := primFunc("matmul", []any{a, b, c}, forLoop(j, tir.Int32(n/width), forLoop(i, tir.Int32(m/s.rows),
		local(acc, tir.Seq(init...), forLoop(ko, tir.Int32(k/s.unroll), step...), tir.Seq(out...)))))
	tg := target.Of("x86")
	return f.WithFuncAttrs(f.Attrs.With(ir.AttrTarget, tg.WithHost(tg).String())).(*tir.PrimFunc)
}

var tiles = map[string]tile{"avx2": {6, 2, 8, 4}, "avx512": {14, 2, 16, 4}}

func TestMatmul(t *testing.T) {
	for _, s := range tiles {
		m, n, k := 2*s.rows, 2*s.vectors*s.lanes, 3*s.unroll
		f := matmul(m, n, k, s)
		checkLowered(t, f, packed(t, f), random(dtype.Float32T, 1, m*k), random(dtype.Float32T, 2, k*n), random(dtype.Float32T, 3, m*n))
	}
}

// BenchmarkMatmul reports the rate of a product whose panels are packed.
func BenchmarkMatmul(b *testing.B) {
	for name, s := range tiles {
		b.Run(name, func(b *testing.B) {
			m, n, k := 40*s.rows, 8*s.vectors*s.lanes, int64(256)
			benchmark(b, matmul(m, n, k, s), name, "GFLOP/s", float64(2*m*n*k), random(dtype.Float32T, 1, m*k), random(dtype.Float32T, 2, k*n), random(dtype.Float32T, 3, m*n))
		})
	}
}

func benchmark(b *testing.B, f *tir.PrimFunc, machine, unit string, work float64, args ...*tensor.Tensor) {
	_, obj, err := build(packed(b, f), machines[machine])
	if err != nil {
		b.Fatal(err)
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	c, err := prepare(obj, newHost(b), list)
	if err != nil {
		b.Skip(err)
	}
	defer c.code.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := 0.0
	for b.Loop() {
		start := threadTime()
		if err := c.run(); err != nil {
			b.Fatal(err)
		}
		best = max(best, work/(threadTime()-start)/1e9)
	}
	b.ReportMetric(best, unit)
}

// threadTime is the processor time of this thread in seconds, which other processes do not disturb.
func threadTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Sec) + float64(t.Nsec)*1e-9
}

// BenchmarkBuild measures the code generator on a product with an unrolled tile.
func BenchmarkBuild(b *testing.B) {
	for name, s := range tiles {
		b.Run(name, func(b *testing.B) {
			funcs := packed(b, matmul(10*s.rows, 4*s.vectors*s.lanes, 64, s))
			b.ReportAllocs()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			best := math.Inf(1)
			for b.Loop() {
				start := threadTime()
				if _, err := x86.BuildFor(context.Background(), funcs, machines[name]); err != nil {
					b.Fatal(err)
				}
				best = min(best, threadTime()-start)
			}
			b.ReportMetric(best*1e3, "ms-of-processor")
		})
	}
}
