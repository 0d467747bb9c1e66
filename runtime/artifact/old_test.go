package artifact

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// TestOldKernels runs a program that was compiled when kernels kept their poll budget and the
// texts of their errors in linear memory. It counts how often each of four numbers can be
// halved until it is one, and never ends for a number that is no power of two.
func TestOldKernels(t *testing.T) {
	a, err := Load("testdata/v1")
	if err != nil {
		t.Fatal(err)
	}
	eng := runtime.NewEngine(runtime.EngineOptions{})
	defer eng.Close()
	p, err := a.Open(context.Background(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
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
