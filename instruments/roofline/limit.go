package roofline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// Limit is what code for a target reaches on one thread of this machine.
type Limit struct {
	// Flops is the number of floating-point operations per second.
	Flops float64
	// ByteOps is the number of products of bytes, and of sums of these (T.dp4a), per second; 0 where it was not asked for.
	ByteOps float64
	// Bandwidths are bytes per second for several sizes of data, by size.
	Bandwidths []Bandwidth
}

// Bandwidth is the number of bytes per second that move to and from Bytes of data.
type Bandwidth struct {
	Bytes     int64
	PerSecond float64
}

// Ideal returns the least time that operations and bytes take: the longer of what the arithmetic takes, and what moving the bytes
// takes at the bandwidth for that much data.
func (l *Limit) Ideal(flops, byteOps, bytes int64) time.Duration {
	took := float64(flops) / l.Flops
	if byteOps > 0 && l.ByteOps > 0 {
		took += float64(byteOps) / l.ByteOps
	}
	if bytes > 0 {
		took = max(took, float64(bytes)/l.bandwidth(bytes))
	}
	return time.Duration(took * 1e9)
}

// bandwidth returns the bandwidth for the smallest size that has room for bytes, or for the largest size.
func (l *Limit) bandwidth(bytes int64) float64 {
	i, _ := slices.BinarySearchFunc(l.Bandwidths, bytes, func(b Bandwidth, n int64) int { return cmp.Compare(b.Bytes, n) })
	return l.Bandwidths[min(i, len(l.Bandwidths)-1)].PerSecond
}

// Cache keeps the limits of a process by target: what is measured once stays. The zero value is ready for use, by many
// goroutines.
type Cache struct {
	mu    sync.Mutex
	known map[string]*Limit
}

// Limit returns the limit of a target, with ByteOps where bytes says so, measuring it the first time. That takes a tenth of a second, in which others wait.
func (c *Cache) Limit(ctx context.Context, eng *runtime.Engine, tg target.Target, bytes bool) (*Limit, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := tg.String()
	l, err := c.known[key], error(nil)
	if l == nil {
		l, err = Measure(ctx, eng, tg)
	}
	if err == nil && bytes && l.ByteOps == 0 {
		with := *l
		with.ByteOps, err = measureBytes(ctx, eng, tg)
		l = &with
	}
	if err != nil {
		return nil, err
	}
	if c.known == nil {
		c.known = map[string]*Limit{}
	}
	c.known[key] = l
	return l, nil
}

// sizes are the bytes of the three vectors together: what fits the caches of common machines, and what does not.
var sizes = []int64{24 << 10, 192 << 10, 1536 << 10, 12 << 20, 96 << 20}

// deviceBytes is the memory of the device that measures.
const deviceBytes = 128 << 20

// Measure measures the limit of a target.
func Measure(ctx context.Context, eng *runtime.Engine, tg target.Target) (*Limit, error) {
	m, done, err := newMeter(ctx, eng, tg)
	if err != nil {
		return nil, err
	}
	defer done()
	l := &Limit{}
	lanes := lanesOf(tg)
	for _, chains := range chainsOf(tg) {
		n := int64(lanes)
		perSecond, err := m.rate(multiplyAdds(chains, lanes), 2*n*int64(chains), floats(n, n, int64(chains)*n))
		if err != nil {
			return nil, fmt.Errorf("measuring the rate of multiply-adds: %w", err)
		}
		l.Flops = max(l.Flops, perSecond)
	}
	for i, n := range sizes {
		if i > 0 && float64(n)/l.Bandwidths[i-1].PerSecond > tooLong.Seconds() {
			break // an interpreter, to which caches make no difference
		}
		each := n / 3 / 4
		perSecond, err := m.rate(stream(lanes), n, floats(each, each, each), runtime.Int(each/int64(atOnce*lanes)))
		if err != nil {
			return nil, fmt.Errorf("measuring the bandwidth for %d bytes: %w", n, err)
		}
		l.Bandwidths = append(l.Bandwidths, Bandwidth{n, perSecond})
	}
	return l, nil
}

// measureBytes measures the rate of products of bytes: in vectors and, where a target has them, in tiles.
func measureBytes(ctx context.Context, eng *runtime.Engine, tg target.Target) (best float64, err error) {
	m, done, err := newMeter(ctx, eng, tg)
	if err != nil {
		return 0, err
	}
	defer done()
	var kernels []byteKernel
	if tg.Feature("amx-int8") {
		kernels = append(kernels, matricesOfBytes())
	}
	for _, chains := range chainsOf(tg) {
		kernels = append(kernels, multiplyBytes(chains, lanesOf(tg)))
	}
	for _, k := range kernels {
		perSecond, err := m.rate(k.text, k.work, k.vectors)
		if err != nil {
			return 0, fmt.Errorf("measuring the rate of products of bytes: %w", err)
		}
		best = max(best, perSecond)
	}
	return best, nil
}

// meter times kernels on a device.
type meter struct {
	ctx    context.Context
	dev    *runtime.Device
	target target.Target
}

// newMeter returns a meter with a device of its own, which done gives up.
func newMeter(ctx context.Context, eng *runtime.Engine, tg target.Target) (m *meter, done func(), err error) {
	dev, err := eng.NewDevice(runtime.DeviceOptions{MaxBytes: deviceBytes})
	if err != nil {
		return nil, nil, fmt.Errorf("measuring the machine: %w", err)
	}
	return &meter{ctx: ctx, dev: dev, target: tg}, func() { _ = dev.Close() }, nil // frees memory only; there is nothing to do about a failure
}

// vector is an argument of a kernel that is measured.
type vector struct {
	elem dtype.DType // of 32 bits
	n    int64
}

// floats are vectors of float32.
func floats(lengths ...int64) (out []vector) {
	for _, n := range lengths {
		out = append(out, vector{dtype.Float32T, n})
	}
	return out
}

// A kernel is called with so many repetitions that a call takes aim, and the best of tries calls counts: what slows one down is
// something else on the machine.
const (
	aim   = time.Millisecond
	tries = 12
	// tooLong is the time of one repetition from which on a size of data is left out.
	tooLong = 20 * time.Millisecond
)

// one is the float32 1.
var one = []byte{0, 0, 0x80, 0x3f}

// rate returns how many units a function does in a second, which does work units in each repetition. It takes vectors, the
// numbers, and how often to repeat.
func (m *meter) rate(text string, work int64, vectors []vector, numbers ...runtime.Value) (float64, error) {
	mod, err := m.load(text)
	if err != nil {
		return 0, err
	}
	defer func() { _ = mod.Close() }()
	args := make([]runtime.Value, len(vectors), len(vectors)+len(numbers)+1)
	for i, v := range vectors {
		t, err := m.dev.UploadSplat(v.elem, []int64{v.n}, one)
		if err != nil {
			return 0, err
		}
		defer t.Release()
		args[i] = runtime.TensorValue(t)
	}
	args = append(append(args, numbers...), runtime.Null())
	kernel := mod.Kernel(mod.Names()[0])
	call := func(reps int64) (time.Duration, error) {
		args[len(args)-1] = runtime.Int(reps)
		began := time.Now()
		_, err := kernel.Run(m.ctx, args...)
		return time.Since(began), err
	}
	reps := int64(1)
	took, err := call(reps)
	for ; err == nil && took < aim; took, err = call(reps) {
		// At most 16 times as many at once: the first calls are slow.
		reps = max(reps+1, min(16*reps, int64(float64(reps)*1.2*float64(aim)/float64(max(took, time.Microsecond)))))
	}
	best := took
	for range tries {
		if err != nil {
			return 0, err
		}
		if took, err = call(reps); took < best {
			best = took
		}
	}
	return float64(work) * float64(reps) / best.Seconds(), err
}

// load compiles a text with one function.
func (m *meter) load(text string) (*runtime.Module, error) {
	mod, diags := parse.Module("roofline.py", text, parse.Options{})
	if len(diags) > 0 {
		return nil, errors.New(diags[0].String())
	}
	lower, err := pipeline.Lookup("tir", m.target)
	if err != nil {
		return nil, err
	}
	res, err := compiler.Compile(m.ctx, compiler.Request{Module: mod, Target: m.target, Pipeline: lower})
	if err != nil {
		return nil, err
	}
	code := res.Artifact.Modules[0]
	return m.dev.Load(m.ctx, code.Format, code.Bytes)
}
