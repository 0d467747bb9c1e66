package models

import (
	"context"
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// harness shares one engine, and so the code that it compiled, among the tests.
type harness struct {
	tb  testing.TB
	eng *runtime.Engine
}

func newHarness(tb testing.TB) *harness {
	eng := compiler.NewEngine()
	tb.Cleanup(func() {
		if err := eng.Close(); err != nil {
			tb.Errorf("close the engine: %v", err)
		}
	})
	return &harness{tb, eng}
}

func (h *harness) importModel(m *onnxpb.Model) *ir.Module {
	h.tb.Helper()
	mod, err := onnx.Import(context.Background(), m, onnx.Options{})
	if err != nil {
		h.tb.Fatalf("import: %v", err)
	}
	return mod
}

// settings are what a run of the compiler differs in.
type settings struct {
	target   target.Target // zero: the default
	level    int
	disabled []string
	verify   bool // after every pass
	readBack bool // print and read after every pass
}

func (s settings) String() string {
	return fmt.Sprintf("target %q, opt_level %d, disabled %v", s.target, s.level, s.disabled)
}

func (h *harness) compile(mod *ir.Module, s settings) (*compiler.Result, error) {
	req := compiler.Request{Module: mod, Target: s.target, OptLevel: &s.level, Disabled: s.disabled}
	if s.verify {
		req.Instruments = []*pass.Instrument{instruments.WellFormed(false)}
	}
	if s.readBack {
		req.Instruments = append(req.Instruments, roundtrip.Instrument())
	}
	return compiler.Compile(context.Background(), req)
}

func (h *harness) open(a *artifact.Artifact) *artifact.Program {
	h.tb.Helper()
	prog, err := a.Open(context.Background(), h.eng, runtime.DeviceOptions{}, vm.Options{})
	if err != nil {
		h.tb.Fatalf("open: %v", err)
	}
	return prog
}

func (h *harness) run(prog *artifact.Program, in []*tensor.Tensor) []*tensor.Tensor {
	h.tb.Helper()
	outs, err := prog.Run(context.Background(), "main", in...)
	if err != nil {
		h.tb.Fatalf("run: %v", err)
	}
	return outs
}

// compileAndRun returns the outputs of mod on each set of inputs.
func (h *harness) compileAndRun(mod *ir.Module, s settings, sets [][]*tensor.Tensor) ([][]*tensor.Tensor, error) {
	h.tb.Helper()
	res, err := h.compile(mod, s)
	if err != nil {
		return nil, err
	}
	prog := h.open(res.Artifact)
	defer prog.Close()
	var out [][]*tensor.Tensor
	for _, in := range sets {
		out = append(out, h.run(prog, in))
	}
	return out, nil
}

func (h *harness) tensors(list []*onnxpb.Tensor) []*tensor.Tensor {
	h.tb.Helper()
	out, err := onnxtest.Tensors(list)
	if err != nil {
		h.tb.Fatal(err)
	}
	return out
}

// check compares outputs with those of a case, under its tolerance.
func (h *harness) check(what string, c onnxtest.Case, got []*tensor.Tensor, want []*onnxpb.Tensor) {
	h.tb.Helper()
	if len(got) != len(want) {
		h.tb.Errorf("%s: %d outputs, want %d", what, len(got), len(want))
		return
	}
	for i, t := range got {
		pb := &onnxpb.Tensor{Type: onnxpb.FromDType(t.DType), Dims: t.Shape, Data: t.Data}
		if worst, err := c.Tolerance.Compare(pb, want[i]); err != nil {
			h.tb.Errorf("%s: output %d: %v (largest difference so far %g)", what, i, err, worst)
		}
	}
}

// checkModel runs a case at the given levels for the default target.
func (h *harness) checkModel(c onnxtest.Case, levels ...int) {
	h.tb.Helper()
	h.checkTarget(c, target.Target{}, levels...)
}

// checkTarget runs a case at the given levels.
func (h *harness) checkTarget(c onnxtest.Case, t target.Target, levels ...int) {
	h.tb.Helper()
	mod := h.importModel(c.Model(h.tb))
	for _, level := range levels {
		s := settings{target: t, level: level, verify: true, readBack: level == pass.DefaultOptLevel}
		var sets [][]*tensor.Tensor
		for _, set := range c.Sets {
			sets = append(sets, h.tensors(set.Inputs))
		}
		outs, err := h.compileAndRun(mod, s, sets)
		if err != nil {
			h.tb.Errorf("%s: %v", s, err)
			continue
		}
		for i, set := range c.Sets {
			h.check(fmt.Sprintf("%s, set %d", s, i), c, outs[i], set.Outputs)
		}
	}
}
