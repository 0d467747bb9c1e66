package bench

import (
	"context"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/target"
)

// TestPauses stops all goroutines, as collections do, while kernels run: how long a kernel goes on then, and how long a run goes on that is canceled. Where other processes want the
// cores too, threads stand still, with a kernel or without, and who stops them waits for that as well; so what counts is the processor time that a kernel takes from the request
// to its next poll, where the thread that asks had a core whenever it wanted one. Loops in Go stand beside it, which look for requests all the time.
func TestPauses(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(3)) // one for the test itself
	x := 0.0
	stops(t, "loops in Go", func(ctx context.Context, _ int) {
		for n := 1.0; ctx.Err() == nil; n++ {
			x += 1 / n
		}
	}, 1)
	for _, kind := range []string{"x86", "wasm"} {
		t.Run(kind, func(t *testing.T) {
			tg, err := compiler.ForMachine(target.Of(kind))
			if err != nil {
				t.Skip(err)
			}
			// A step of a convolution takes a fraction of a nanosecond, one of a matrix beyond the caches many times as much.
			m := ob.New("net", 17)
			x := m.Input("x", onnxpb.Float, 1, 64, 56, 56)
			v := m.Input("v", onnxpb.Float, 1, 4096)
			m.NodeOut("Conv", "conv", []string{x, m.Weights("w1", 0, 0.1, 64, 64, 3, 3)}, []string{"y"}, ob.IntList("pads", 1, 1, 1, 1))
			m.NodeOut("MatMul", "row", []string{v, m.Weights("w2", 0, 0.1, 4096, 4096)}, []string{"z"})
			m.Output("y", onnxpb.Float, 1, 64, 56, 56)
			m.Output("z", onnxpb.Float, 1, 4096)
			res, err := compiler.Compile(t.Context(), compiler.Request{Module: importModel(t, m.Bytes()), Target: tg})
			if err != nil {
				t.Fatal(err)
			}
			_, args := inputsOf(t, res)
			programs := []*artifact.Program{load(t, res, 1), load(t, res, 1)}
			took := stops(t, "kernels", func(ctx context.Context, i int) {
				for ctx.Err() == nil {
					_, _ = programs[i].Run(ctx, "main", args...) // it ends with the context
				}
			}, len(programs))
			goal.Time(t, "99th percentile of the processor time of kernels until they stop", goal.Percentile(took, 99), time.Millisecond)
		})
	}
}

// undisturbed is how long the thread that asks may have waited for a core: those that do not stop go on meanwhile.
const undisturbed = 20 * time.Microsecond

// stops stops all goroutines again and again while n of them do some work, and returns the longest processor time that one of these took until then, for each stop without disturbance.
func stops(t *testing.T, what string, work func(ctx context.Context, i int), n int) (took []time.Duration) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	threads := make(chan int, n)
	for i := range n {
		wg.Go(func() {
			goruntime.LockOSThread()
			threads <- syscall.Gettid()
			work(ctx, i)
		})
	}
	var clocks []uintptr
	for range n {
		clocks = append(clocks, clockOfThread(<-threads))
	}
	length := 2 * time.Second
	if testing.Short() {
		length /= 10
	}
	time.Sleep(length / 4) // what the first run learns of kernels
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	var waits []time.Duration
	before := make([]time.Duration, n)
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(time.Millisecond) {
		delay, start := delayed(t), time.Now()
		for i, c := range clocks {
			before[i] = cpuClock(c)
		}
		goruntime.ReadMemStats(new(goruntime.MemStats)) // which stops them
		longest := time.Duration(0)
		for i, c := range clocks {
			longest = max(longest, cpuClock(c)-before[i])
		}
		waits = append(waits, time.Since(start))
		if delayed(t)-delay < undisturbed {
			took = append(took, longest)
		}
	}
	canceled := time.Now()
	cancel()
	wg.Wait()
	goal.Time(t, "from a cancel to the end of "+what, time.Since(canceled), 100*time.Millisecond)
	for name, list := range map[string][]time.Duration{"time that passed": waits, "processor time without disturbance": took} {
		t.Logf("%s, %d stops, %s: median %v, 99th percentile %v, longest %v", what, len(list), name, goal.Percentile(list, 50), goal.Percentile(list, 99), goal.Percentile(list, 100))
	}
	return took
}

// delayed is how long the current thread was ready to run while its core did something else.
func delayed(t *testing.T) time.Duration {
	data, err := os.ReadFile("/proc/thread-self/schedstat")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) != 3 {
		t.Skipf("the system does not say how long a thread waits for a core: %q, %v", data, err)
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n)
}
