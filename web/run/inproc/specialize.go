package inproc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/web/run"
)

// Code for fixed sizes is made where the code for all sizes runs in less than fixedBelow and the run took less than fixedFor so far.
// Compiling and timing it may take as long again: the run has its result without it.
const (
	fixedBelow = time.Second
	fixedFor   = 4 * time.Second
)

// fixed times an execution with code that is compiled for its sizes of symbolic dimensions, or was in an earlier run. It returns
// nil where there are none, where the passes are in part those of the visitor, which are written for the module
// with its symbols, and where it fails: the run itself went well.
func (r *Runner) fixed(ctx context.Context, p *prepared, sig *artifact.Signature, x *execution, limits run.Limits) *event.Fixed {
	if x.measured.At > r.fixedFor.Nanoseconds() || x.measured.Latency[0] > fixedBelow.Nanoseconds() {
		return nil
	}
	sizes, err := sig.Sizes(x.args)
	if err != nil || len(sizes) == 0 || len(p.settings.Scripts)+len(p.settings.Patches) > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.fixedFor)
	defer cancel()
	began := time.Now()
	art, known := r.fixedArtifact(ctx, p, sizes)
	if art == nil {
		return nil
	}
	prog, err := art.Open(ctx, r.cfg.Engine, runtime.DeviceOptions{MaxBytes: deviceBytes(limits)}, vm.Options{})
	if err != nil {
		return nil
	}
	defer func() { _ = prog.Close() }() // frees memory only; there is nothing to do about a failure
	out := &event.Fixed{Sizes: sizes, Compile: time.Since(began).Nanoseconds(), Reused: known}
	if _, out.Latency, err = timed(ctx, prog, x.args); err != nil {
		return nil
	}
	return out
}

// fixedArtifact returns the program for sizes, and whether it was known; nil where it cannot be compiled.
func (r *Runner) fixedArtifact(ctx context.Context, p *prepared, sizes map[string]int64) (art *artifact.Artifact, known bool) {
	what := p.settings
	what.Bindings, what.Seed, what.Rewrites = nil, 0, false // none of them changes the code
	key, err := json.Marshal([]any{p.model.id, what, sizes})
	if err != nil {
		return nil, false
	}
	sum := sha256.Sum256(key)
	id := "fixed " + hex.EncodeToString(sum[:])
	if found, ok := r.memory.Get(id); ok {
		return found.program, true
	}
	res, err := compiler.Specialize(ctx, p.request(p.pipeline, nil), entry, sizes)
	if err != nil {
		return nil, false
	}
	keepProgram(r.memory, id, res.Artifact)
	return res.Artifact, false
}

// timed runs a program as often as the bounds on timed executions allow. It returns the results of the last time.
func timed(ctx context.Context, prog *artifact.Program, args []*tensor.Tensor) (outs []*tensor.Tensor, took []int64, err error) {
	for begin := time.Now(); len(took) < timedRuns && (len(took) == 0 || time.Since(begin) < timedFor); {
		began := time.Now()
		if outs, err = prog.Run(ctx, entry, args...); err != nil {
			return nil, nil, err
		}
		took = append(took, time.Since(began).Nanoseconds())
	}
	return outs, took, nil
}
