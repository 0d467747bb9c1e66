package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// peak compiles and runs testdata/peak.c and returns its GFLOP/s, 0 without a C compiler.
var peak = sync.OnceValues(func() (float64, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return 0, nil
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "peak")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	tmp := filepath.Join(work, "peak")
	if out, err := exec.Command(cc, "-O2", "-o", tmp, filepath.Join(dir, "peak.c")).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("cc: %w: %s", err, out)
	}
	out, err := exec.Command(tmp).Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
})

// BenchmarkKernels measures kernels that came through the whole compiler, next to a C loop
// of 128-bit multiply-adds on the same machine in the same run.
func BenchmarkKernels(b *testing.B) {
	limit, err := peak()
	must(b, err)
	for _, k := range []struct {
		name  string
		flops float64
		model func() []byte
	}{
		{"conv3x3_64_64_56x56", 2 * 64 * 64 * 9 * 56 * 56, func() []byte {
			m := ob.New("conv", 17)
			x := m.Input("x", onnxpb.Float, 1, 64, 56, 56)
			w := m.Weights("w", 0, 0.1, 64, 64, 3, 3)
			m.NodeOut("Conv", "conv", []string{x, w}, []string{"y"}, ob.IntList("pads", 1, 1, 1, 1))
			m.Output("y", onnxpb.Float, 1, 64, 56, 56)
			return m.Bytes()
		}},
		{"matmul_1024", 2 * 1024 * 1024 * 1024, func() []byte {
			m := ob.New("matmul", 17)
			x, w := m.Input("x", onnxpb.Float, 1024, 1024), m.Input("w", onnxpb.Float, 1024, 1024)
			m.NodeOut("MatMul", "matmul", []string{x, w}, []string{"y"})
			m.Output("y", onnxpb.Float, 1024, 1024)
			return m.Bytes()
		}},
	} {
		b.Run(k.name, func(b *testing.B) {
			runtime.LockOSThread() // whose processor time is measured
			defer runtime.UnlockOSThread()
			prog, args := program(b, k.model())
			_, err := prog.Run(b.Context(), "main", args...) // warm
			must(b, err)
			best := 0.0
			for b.Loop() {
				start := threadTime()
				for range 3 {
					_, err := prog.Run(b.Context(), "main", args...)
					must(b, err)
				}
				best = max(best, 3*k.flops/(threadTime()-start)*1e-9)
			}
			b.ReportMetric(best, "GFLOP/s")
			if limit > 0 {
				b.ReportMetric(best/limit, "of-C")
				b.ReportMetric(limit, "C-GFLOP/s")
			} else {
				b.Log("no C compiler, so nothing to compare with: apt-get install gcc libc6-dev")
			}
		})
	}
}

// BenchmarkLatency runs the light models.
func BenchmarkLatency(b *testing.B) {
	for _, name := range []string{"light_resnet50", "light_squeezenet", "light_shufflenet", "light_densenet121", "light_inception_v2"} {
		b.Run(name, func(b *testing.B) {
			prog, args := program(b, light(b, name))
			_, err := prog.Run(b.Context(), "main", args...)
			must(b, err)
			for b.Loop() {
				_, err := prog.Run(b.Context(), "main", args...)
				must(b, err)
			}
		})
	}
}
