package cpu_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	gort "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm"
)

// cLoop is the speed of a C loop of 128-bit multiplications and additions in GFLOP/s, 0
// where there is no C compiler.
var cLoop = sync.OnceValue(func() float64 {
	dir, err := os.MkdirTemp("", "madd")
	if err != nil {
		return 0
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "madd")
	if err := exec.Command("cc", "-O3", "-ffp-contract=off", "-o", exe, "../../../target/wasm/testdata/madd.c").Run(); err != nil {
		return 0
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		return 0
	}
	v, _ := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return v
})

// benchmarks are kernels of real models with the floating-point operations that they need.
func benchmarks() []struct {
	name string
	work float64
	k    kernel
} {
	type row = struct {
		name string
		work float64
		k    kernel
	}
	var out []row
	add := func(name string, work float64, args ...*te.Tensor) {
		out = append(out, row{name: name, work: work, k: kernel{args: args}})
	}
	convs := []struct{ oc, ic, h, k, s, p, g int }{
		{64, 64, 56, 3, 1, 1, 1},
		{64, 64, 224, 3, 1, 1, 1},
		{128, 128, 28, 3, 1, 1, 1},
		{256, 256, 14, 3, 1, 1, 1},
		{512, 512, 7, 3, 1, 1, 1},
		{64, 256, 56, 1, 1, 0, 1},
		{256, 64, 56, 1, 1, 0, 1},
		{512, 256, 56, 1, 2, 0, 1},
		{1024, 256, 14, 1, 1, 0, 1},
		{2048, 512, 7, 1, 1, 0, 1},
		{128, 128, 56, 3, 2, 1, 1},
		{64, 3, 224, 7, 2, 3, 1},
		{96, 96, 112, 3, 1, 1, 96},
		{96, 96, 112, 3, 2, 1, 96},
		{128, 128, 28, 3, 1, 1, 32},
	}
	for _, c := range convs {
		x, w := in("x", 1, c.ic, c.h, c.h), in("w", c.oc, c.ic/c.g, c.k, c.k)
		b := in("b", 1, c.oc, 1, 1)
		y := conv(x, w, int64(c.s), int64(c.p), int64(c.g))
		oh := (c.h+2*c.p-c.k)/c.s + 1
		name := fmt.Sprintf("conv%d_%d_%d_k%d_s%d_g%d", c.oc, c.ic, c.h, c.k, c.s, c.g)
		add(name, 2*float64(c.oc*c.ic/c.g*c.k*c.k*oh*oh), x, w, b, relu(must(topi.Binary("add", topi.T(y), topi.T(b)))))
	}
	for _, s := range [][3]int{{1024, 1024, 1024}, {1, 2048, 1000}, {128, 64, 128}} {
		m, k, n := s[0], s[1], s[2]
		a, b, bt := in("a", m, k), in("b", k, n), in("bt", n, k)
		add(fmt.Sprintf("matmul_nn_%d_%d_%d", m, k, n), 2*float64(m*k*n), a, b, must(topi.Matmul(a, b, topi.MatmulOpts{})))
		add(fmt.Sprintf("matmul_nt_%d_%d_%d", m, k, n), 2*float64(m*k*n), a, bt, must(topi.Matmul(a, bt, topi.MatmulOpts{TransposeB: true})))
	}
	x := in("x", 64, 1024)
	add("softmax_64_1024", 64*1024, x, topi.Softmax(x, 1))
	g, b := in("g", 1024), in("bb", 1024)
	add("layer_norm_64_1024", 64*1024, x, g, b, topi.LayerNorm(x, g, b, []int{1}, 1e-5))
	p := in("p", 1, 64, 112, 112)
	p113 := in("p", 1, 64, 113, 113)
	add("maxpool_113_nopad", 9*64*56*56, p113, pool("max", p113, 3, 2, 0))
	add("maxpool_112_s2", 9*64*56*56, p, pool("max", p, 3, 2, 1))
	q := in("q", 1, 512, 7, 7)
	add("global_avgpool", 512*49, q, must(topi.AdaptiveAvgPool(q, []tir.Expr{tir.Int(1), tir.Int(1)}, "NCHW", "")))
	u := in("u", 1, 192, 35, 35)
	add("maxpool_35_s1", 9*192*35*35, u, pool("max", u, 3, 1, 1))
	u19 := in("u", 1, 64, 19, 19)
	add("maxpool_19_k5", 25*64*19*19, u19, pool("max", u19, 5, 1, 2))
	add("avgpool_35_s1", 9*192*35*35, u, pool("avg", u, 3, 1, 1))
	h1, h2 := in("h1", 12, 128, 64), in("h2", 12, 64, 128)
	add("matmul_batch_12_128_64_128", 2*12*128*64*128, h1, h2, must(topi.Matmul(h1, h2, topi.MatmulOpts{})))
	v := in("v", 1, 256, 56, 56)
	add("concat", 512*56*56, v, topi.Concat([]*te.Tensor{v, v}, 1))
	add("transpose", 256*56*56, v, topi.PermuteDims(v, []int{0, 2, 3, 1}))
	add("relu", 256*56*56, v, relu(v))
	add("gelu", 64*1024, x, must(topi.Unary("gelu", x)))
	return out
}

// BenchmarkKernels reports the rate of each kernel in operations, and its ratio to the C
// loop, and how long it took to compile.
func BenchmarkKernels(b *testing.B) {
	for _, r := range benchmarks() {
		b.Run(r.name, func(b *testing.B) {
			c, seconds := quickest(b, r.k)
			rate := r.work / seconds / 1e9
			b.ReportMetric(rate, "Gop/s")
			b.ReportMetric(rate/max(cLoop(), 1), "of-C-loop")
			b.ReportMetric(float64(c.schedule.Microseconds())/1e3, "ms-schedule")
			b.ReportMetric(float64(c.lower.Microseconds())/1e3, "ms-lower")
			b.ReportMetric(float64(c.codegen.Microseconds())/1e3, "ms-codegen")
			b.ReportMetric(float64(c.load.Microseconds())/1e3, "ms-load")
		})
	}
}

// BenchmarkCompile reports the processor time that scheduling, lowering and code generation
// of each kernel take.
func BenchmarkCompile(b *testing.B) {
	tgt, err := target.Parse("wasm")
	if err != nil {
		b.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range benchmarks() {
		b.Run(r.name, func(b *testing.B) {
			f := create(b, r.k)
			c, err := pass.NewContext(context.Background(), pass.WithTarget(tgt))
			if err != nil {
				b.Fatal(err)
			}
			gort.LockOSThread()
			defer gort.UnlockOSThread()
			var spent [3]float64
			rounds := 0.0
			for b.Loop() {
				start := threadTime()
				lap := func(k int) { now := threadTime(); spent[k] += now - start; start = now }
				g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				lap(0)
				m, err := c.Run(lower, ir.NewModule().With("kernel", g))
				if err != nil {
					b.Fatal(err)
				}
				lap(1)
				if _, err := wasm.Build(context.Background(), m, tgt); err != nil {
					b.Fatal(err)
				}
				lap(2)
				rounds++
			}
			for k, unit := range []string{"ms-schedule", "ms-lower", "ms-codegen"} {
				b.ReportMetric(spent[k]*1e3/rounds, unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
