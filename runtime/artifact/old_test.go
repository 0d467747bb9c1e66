package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/runtime/wasm"
)

// modules describes one module of kernels.
func modules(code []byte) []runtime.Binary {
	return []runtime.Binary{{
		Kind: "wasm", Format: wasm.Format, Bytes: code,
		Symbols: []string{"add", "fill", "next", "nop", "spin", "trap", "twice", "vandal", "wild"},
	}}
}

// openOld loads an artifact of version 1.
func openOld(t *testing.T, dir string) *Program {
	t.Helper()
	a, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Modules) != 1 || a.Modules[0].Kind != "wasm" || a.Modules[0].Format != wasm.Format || a.Modules[0].Symbols != nil {
		t.Errorf("the modules of version 1 are %+v", a.Modules)
	}
	eng := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	t.Cleanup(func() { eng.Close() })
	p, err := a.Open(context.Background(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOldKernels runs a program that was compiled when kernels kept their poll budget and the
// texts of their errors in linear memory. It counts how often each of four numbers can be
// halved until it is one, and never ends for a number that is no power of two.
func TestOldKernels(t *testing.T) {
	p := openOld(t, "testdata/v1")
	run := func(ctx context.Context, in ...int32) ([]*tensor.Tensor, error) {
		return p.Run(ctx, "main", tensor.MustOf([]int64{4}, in))
	}
	out, err := run(context.Background(), 1, 2, 1024, 1<<30)
	if err != nil || !slices.Equal(out[0].Floats(), []float64{0, 1, 10, 30}) {
		t.Errorf("got %v, %v", out, err)
	}
	var ke *runtime.KernelError
	if _, err = run(context.Background(), 1, 2, 0, 1); !errors.As(err, &ke) || ke.Message != "numbers start at 1" || ke.Kind != "RuntimeError" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err = run(ctx, 1, 3, 1, 1); !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestVersion1 runs models of the gallery that were compiled by the last program that wrote version 1. The figures are what
// that program printed.
func TestVersion1(t *testing.T) {
	random := tensor.MustNew(dtype.Float32T, 1, 1, 8, 8)
	random.Random(3)
	ramp := make([]float32, 96)
	for i := range ramp {
		ramp[i] = float32(i*7%13-6) / 8
	}
	for _, c := range []struct {
		dir            string
		in             *tensor.Tensor
		shape          []int64
		min, max, mean float64
	}{
		{"testdata/v1-mlp", random, []int64{1, 10}, 0.036390792578458786, 0.22927655279636383, 0.10000000596046447},
		{"testdata/v1-batch", tensor.MustOf([]int64{3, 32}, ramp), []int64{3, 10}, 0.002425102051347494, 0.30987903475761414, 0.09999999414818982},
	} {
		p := openOld(t, c.dir)
		out, err := p.Run(context.Background(), "main", c.in)
		if err != nil || len(out) != 1 || !slices.Equal(out[0].Shape, c.shape) {
			t.Errorf("%s: %v, %v", c.dir, out, err)
			continue
		}
		if s := out[0].Summarize(8); s.Min != c.min || s.Max != c.max || s.Mean != c.mean {
			t.Errorf("%s: %v, want min %v max %v mean %v", c.dir, s, c.min, c.max, c.mean)
		}
		// What was read is written in this version, and does the same.
		dir := filepath.Join(t.TempDir(), "new")
		a := *p.Artifact()
		a.Modules = slices.Clone(a.Modules)
		a.Modules[0].Symbols = p.Kernels()
		if err := Save(dir, &a); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, manifestFile))
		if err != nil || !strings.Contains(string(text), `"version": 2`) {
			t.Errorf("%s: %v, %s", c.dir, err, text)
		}
		again, err := Load(dir)
		if err != nil || !slices.Equal(again.Modules[0].Symbols, a.Modules[0].Symbols) || len(a.Modules[0].Symbols) != 5 {
			t.Errorf("%s: %v, %v", c.dir, again, err)
		}
	}
}
