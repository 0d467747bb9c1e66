package driver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/work"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/vm"
)

// A measurement begins with some runs that do not count, and ends early on the page, where others wait.
const (
	profileWarmup = 2
	profileFor    = 3 * time.Second
)

// kernelKeeper is an instrument that keeps what a profile needs of a compilation: the last module, whose names are those of the
// bytecode, and each kernel as it was before MakePackedAPI, which hides its buffers, and LowerMath, which writes out exp and the
// like.
type kernelKeeper struct {
	module  *ir.Module
	kernels map[string]*tir.PrimFunc // by symbol
}

// keepKernels returns a keeper and the instrument that feeds it, none where nothing is to be measured.
func (t *Task) keepKernels() (*kernelKeeper, []*pass.Instrument) {
	if t.Job.Settings.Profile == 0 {
		return nil, nil
	}
	k := &kernelKeeper{kernels: map[string]*tir.PrimFunc{}}
	return k, []*pass.Instrument{k.instrument()}
}

func (k *kernelKeeper) instrument() *pass.Instrument {
	keep := func(m *ir.Module, _ *pass.Step) error {
		if m == k.module {
			return nil
		}
		k.module = m
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*tir.PrimFunc); ok && f.Attrs.Int(ir.AttrCallingConv, -1) < 0 {
				name := ir.GlobalSymbol(f)
				if name == "" {
					name = gv.Name
				}
				k.kernels[name] = f
			}
		}
		return nil
	}
	return &pass.Instrument{Name: "kernels", Replayable: true, RunAfterPass: keep, PassReused: keep}
}

// profile measures what an execution calls, and describes its work and memory. The program is not changed.
func (t *Task) profile(ctx context.Context, prog *artifact.Program, sig *artifact.Signature, x *Execution, kept *kernelKeeper) error {
	began := time.Now()
	opts := vm.MeasureOptions{Warmup: profileWarmup, Repeat: t.Job.Settings.Profile, For: profileFor}
	if t.Job.Inputs.Repeat > 0 { // of the command line, where nobody waits
		opts.For = 0
	}
	got, err := prog.Measure(ctx, sig.Name, x.Args, opts)
	if err != nil {
		return t.executeFault(err)
	}
	limits := t.hooks.Limits
	if limits == nil {
		limits = &roofline.Cache{}
	}
	p := &profiler{exec: prog.Executable(), kept: kept, got: got, known: map[string]work.Count{}}
	p.limit, err = limits.Limit(ctx, t.hooks.Engine, t.Job.Target, p.multipliesBytes())
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.Profile, x.ProfileTimes = p.describe()
	x.Profile.Function, x.Profile.Bindings = sig.Name, x.Body.Bindings
	for _, in := range x.Args {
		x.Profile.Plan.Inputs += int64(len(in.Data))
	}
	x.ProfileTimes.Took = time.Since(began).Nanoseconds()
	x.profiledAt = time.Since(t.start).Nanoseconds()
	return nil
}

// profiler turns a measurement into the parts of an event.
type profiler struct {
	exec  *vm.Executable
	kept  *kernelKeeper
	got   *vm.Measurement
	limit *roofline.Limit // nil where it could not be measured
	known map[string]work.Count
}

// multipliesBytes reports whether a kernel multiplies words of bytes.
func (p *profiler) multipliesBytes() bool {
	return slices.ContainsFunc(p.got.Calls, func(c vm.TracedCall) bool {
		return p.got.Sites[c.Site].Kernel && p.work(p.got.Sites[c.Site].Callee, c.Args).ByteOps > 0
	})
}

func (p *profiler) describe() (*event.Profiled, *event.ProfileTimes) {
	out, times := &event.Profiled{}, &event.ProfileTimes{Runs: len(p.got.Whole)}
	for _, s := range p.got.Sites {
		out.Calls = append(out.Calls, event.ProfiledCall{Name: s.Callee, Kernel: s.Kernel, In: s.In})
	}
	ideal := make([]time.Duration, len(out.Calls))
	for _, c := range p.got.Calls {
		call := &out.Calls[c.Site]
		call.Count++
		if !call.Kernel {
			continue
		}
		n := p.work(call.Name, c.Args)
		call.Flops, call.ByteOps, call.Special = call.Flops+n.Flops, call.ByteOps+n.ByteOps, call.Special+n.Special
		call.Read, call.Written = call.Read+n.Read, call.Written+n.Written
		call.Bound, call.Partial = call.Bound || n.Bound, call.Partial || n.Partial
		if p.limit != nil {
			ideal[c.Site] += p.limit.Ideal(n.Flops+n.Special, n.ByteOps, n.Read+n.Written)
		}
	}
	times.Median, times.Best = event.Spread(p.got.Whole)
	times.Copies, _ = event.Spread(p.got.Copies)
	times.Machine, _ = event.Spread(p.got.Machine)
	times.Other = times.Median - times.Copies - times.Machine
	for i, runs := range p.got.Times {
		c := event.CallTime{Ideal: ideal[i].Nanoseconds()}
		c.Median, c.Best = event.Spread(runs)
		times.Other -= c.Median
		times.Calls = append(times.Calls, c)
	}
	// Medians do not add up exactly: what they are too much is taken off the machine's.
	if times.Other < 0 {
		times.Machine, times.Other = max(0, times.Machine+times.Other), 0
	}
	if p.limit != nil {
		times.Limit = &event.MachineLimit{Flops: event.Float(p.limit.Flops), ByteOps: event.Float(p.limit.ByteOps)}
		for _, b := range p.limit.Bandwidths {
			times.Limit.Bandwidths = append(times.Limit.Bandwidths, event.Bandwidth{Bytes: b.Bytes, PerSecond: event.Float(b.PerSecond)})
		}
	}
	out.Plan = p.plan(out.Calls)
	return out, times
}

// work counts the work of a call of a kernel. Calls with the same sizes have the same work.
func (p *profiler) work(name string, args []runtime.Value) work.Count {
	f := p.kept.kernels[name]
	if f == nil {
		return work.Count{Partial: true}
	}
	in := make([]work.Arg, len(args))
	for i, a := range args {
		if t, ok := a.AsTensor(); ok {
			in[i].Shape = t.Shape()
		} else {
			in[i].Value, _ = a.AsInt()
		}
	}
	key := fmt.Sprint(name, in)
	n, ok := p.known[key]
	if !ok {
		var err error
		if n, err = work.Of(f, in); err != nil {
			n.Partial = true
		}
		p.known[key] = n
	}
	return n
}
