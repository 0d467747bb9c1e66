package bench

import (
	"bytes"
	"math"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// machineCode compiles two convolutions and a product for the processor of this machine.
func machineCode(t *testing.T) *compiler.Result {
	t.Helper()
	tg, err := compiler.ForMachine(target.Of("x86"))
	if err != nil {
		t.Skip(err)
	}
	m := ob.New("net", 17)
	x := m.Input("x", onnxpb.Float, 1, 64, 56, 56)
	w1, w2 := m.Weights("w1", 0, 0.1, 64, 64, 3, 3), m.Weights("w2", 0, 0.1, 64, 64, 3, 3)
	m.NodeOut("Conv", "conv1", []string{x, w1}, []string{"a"}, ob.IntList("pads", 1, 1, 1, 1))
	m.NodeOut("Conv", "conv2", []string{"a", w2}, []string{"y"}, ob.IntList("pads", 1, 1, 1, 1))
	m.Output("y", onnxpb.Float, 1, 64, 56, 56)
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: importModel(t, m.Bytes()), Target: tg})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestThreads compares one thread, two threads, and two programs beside each other with one thread each, in turns: what those gain is what the machine has to give at the
// time. Outputs are equal to the bit.
func TestThreads(t *testing.T) {
	res := machineCode(t)
	one, other, two := load(t, res, 1), load(t, res, 1), load(t, res, 2)
	ctx := t.Context()
	_, args := inputsOf(t, res)
	want, err := one.Run(ctx, "main", args...)
	if err != nil {
		t.Fatal(err)
	}
	timed := func(f func()) float64 {
		start := time.Now()
		f()
		return time.Since(start).Seconds()
	}
	alone, beside, together := math.Inf(1), math.Inf(1), math.Inf(1)
	run := func(p *artifact.Program) {
		got, err := p.Run(ctx, "main", args...)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got[0].Data, want[0].Data) {
			t.Error("outputs differ")
		}
	}
	for range 20 {
		alone = min(alone, timed(func() { run(one) }))
		beside = min(beside, timed(func() {
			var wg sync.WaitGroup
			wg.Go(func() { run(one) })
			wg.Go(func() { run(other) })
			wg.Wait()
		}))
		together = min(together, timed(func() { run(two) }))
	}
	t.Logf("one thread %.1f ms, two %.1f ms: %.2f times as fast; two programs beside each other gain %.2f times", alone*1e3, together*1e3, alone/together, 2*alone/beside)
	if goruntime.GOMAXPROCS(0) > 1 {
		goal.Time(t, "two threads", time.Duration(together*1e9), time.Duration(beside/2/0.9*1e9))
	}
}

// TestThreadsOfModels compares the outputs of models on one thread and on three, to the bit.
func TestThreadsOfModels(t *testing.T) {
	tg, err := target.Parse("x86 -num-cores=3")
	if err != nil {
		t.Fatal(err)
	}
	if tg, err = compiler.ForMachine(tg); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"light_squeezenet", "light_shufflenet", "light_inception_v2"} {
		t.Run(name, func(t *testing.T) {
			res, err := compiler.Compile(t.Context(), compiler.Request{Module: importModel(t, light(t, name)), Target: tg})
			if err != nil {
				t.Fatal(err)
			}
			_, args := inputsOf(t, res)
			var want []*tensor.Tensor
			for _, threads := range []int{1, 3} {
				prog := load(t, res, threads)
				for range 3 {
					got, err := prog.Run(t.Context(), "main", args...)
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = got
					}
					for i := range want {
						if !bytes.Equal(got[i].Data, want[i].Data) {
							t.Errorf("%d threads: output %d differs", threads, i)
						}
					}
				}
			}
		})
	}
}

// TestLoad loads the kernels of light_resnet50: what an artifact takes besides uploading, or packing, its weights.
func TestLoad(t *testing.T) {
	tg, err := compiler.ForMachine(target.Of("x86"))
	if err != nil {
		t.Skip(err)
	}
	res, err := compiler.Compile(t.Context(), compiler.Request{Module: importModel(t, light(t, "light_resnet50")), Target: tg})
	if err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for range 5 {
		eng := compiler.NewEngine()
		dev, err := eng.NewDevice(runtime.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for _, m := range res.Artifact.Modules {
			if _, err := dev.Load(t.Context(), m.Format, m.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}
	goal.Time(t, "loading the kernels of light_resnet50", best, 50*time.Millisecond)
}
