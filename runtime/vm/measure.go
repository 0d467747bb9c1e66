package vm

import (
	"context"
	"fmt"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// MeasureOptions say how often Measure runs a function.
type MeasureOptions struct {
	// Warmup is the number of runs before those that count, besides the first one, which is traced.
	Warmup int
	// Repeat is the number of runs that count, at least 1.
	Repeat int
	// For ends the measurement early, after at least one run that counts; 0 means never.
	For time.Duration
}

// Measurement is what the calls of a function cost, run by run.
//
// Each instruction that calls a kernel or a packed function is a site. The time of a run is that of its sites, of copying
// inputs and results, and of the rest, which is the machine itself: the three add up to Whole, exactly and in each run.
type Measurement struct {
	Trace
	// Times holds, for each site of the trace, the nanoseconds that its calls took in each run, without the calls that
	// they made in turn.
	Times [][]int64
	// Whole holds the nanoseconds of each run, as a caller of Run sees them; Copies the part that copies inputs to the
	// device and results from it, and Machine what is neither in calls nor in copies.
	Whole, Copies, Machine []int64
}

// Measure runs a function as Run does, first once to see what it calls, then for the time of each call. A hook of the
// machine is not called meanwhile. The clock is read twice for each call: that is part of Machine.
func (m *Machine) Measure(ctx context.Context, name string, inputs []*tensor.Tensor, opts MeasureOptions) (*Measurement, error) {
	s, err := m.dev.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("measuring %s: %w", name, err)
	}
	defer s.End()
	defer m.hook.Store(m.hook.Load())

	tr := newTracer(m)
	m.hook.Store(tr.hook())
	if _, err := m.measured(s, name, inputs, tr); err != nil {
		return nil, fmt.Errorf("measuring %s: %w", name, err)
	}
	out := &Measurement{Trace: tr.finish()}
	out.Times = make([][]int64, len(out.Sites))
	c := &clock{m: m, sites: tr.sites, took: make([]int64, len(out.Sites))}
	m.hook.Store(c.hook())
	start := time.Now()
	for n := -opts.Warmup; n < max(1, opts.Repeat); n++ {
		if opts.For > 0 && n > 0 && time.Since(start) > opts.For {
			break
		}
		clear(c.took)
		took, err := m.measured(s, name, inputs, nil)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", name, err)
		}
		if n < 0 {
			continue
		}
		rest := took.whole - took.copies
		for i, ns := range c.took {
			out.Times[i] = append(out.Times[i], ns)
			rest -= ns
		}
		out.Whole, out.Copies, out.Machine = append(out.Whole, took.whole), append(out.Copies, took.copies), append(out.Machine, rest)
	}
	return out, nil
}

// runTime is what one run took, in nanoseconds.
type runTime struct{ whole, copies int64 }

// measured is one run within a session: upload, call, download. A tracer is told the inputs.
func (m *Machine) measured(s *runtime.Session, name string, inputs []*tensor.Tensor, tr *tracer) (took runTime, err error) {
	start := time.Now()
	args := make([]runtime.Value, 0, len(inputs))
	defer func() {
		for _, a := range args {
			a.Release()
		}
	}()
	for i, h := range inputs {
		t, err := m.dev.Upload(h)
		if err != nil {
			return took, fmt.Errorf("input %d: %w", i, err)
		}
		args = append(args, runtime.TensorValue(t))
	}
	called := time.Now()
	v, err := m.InvokeIn(s, name, args...)
	returned := time.Now()
	if err != nil {
		return took, err
	}
	defer v.Release()
	if tr != nil {
		tr.returned()
	}
	if _, err := Download(nil, v); err != nil {
		return took, fmt.Errorf("result: %w", err)
	}
	took.whole = time.Since(start).Nanoseconds()
	took.copies = took.whole - returned.Sub(called).Nanoseconds()
	return took, nil
}

// clock adds up the time of the calls of a run by site.
type clock struct {
	m     *Machine
	sites map[int64]int
	took  []int64
	// inner is the time of calls that the running call made, and outer that of those around it.
	inner int64
	outer []int64
}

// hook returns what feeds the clock. The time of a function of the executable is that of its calls and of the machine,
// so it has no site; all other calls have their own time without that of the calls inside of them.
func (c *clock) hook() *Hook {
	return &Hook{
		Before: func(*Call) (bool, error) {
			c.outer, c.inner = append(c.outer, c.inner), 0
			return false, nil
		},
		After: func(call *Call) {
			took := call.Elapsed.Nanoseconds()
			if site, ok := c.sites[call.PC]; ok {
				c.took[site] += took - c.inner
			} else {
				took = c.inner
			}
			c.inner = c.outer[len(c.outer)-1] + took
			c.outer = c.outer[:len(c.outer)-1]
		},
	}
}
