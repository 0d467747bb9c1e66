package execute_test

import (
	"errors"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestGeneratedCode adds outputs of a program as the last step: right ones, wrong ones, and an error.
func TestGeneratedCode(t *testing.T) {
	m := parsed(t, network)
	in := inputs(t, m, 1)
	run := func(r *execute.Runner, spoil func([]*tensor.Tensor) []*tensor.Tensor) *check.Report {
		c := &execute.Checker{Runner: r, Function: "main", Inputs: in}
		rep := checked(t, c, m, kind(t, "wasm"), nil)
		if rep.Fault != nil {
			t.Fatalf("%+v", rep.Fault)
		}
		out, err := (&execute.Runner{}).Run(t.Context(), m, "main", in)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Program(t.Context(), spoil(out.Outputs), nil); err != nil {
			t.Fatal(err)
		}
		return c.Report()
	}
	same := func(list []*tensor.Tensor) []*tensor.Tensor { return list }
	spoiled := func(list []*tensor.Tensor) []*tensor.Tensor {
		list[0].SetFloat(3, 7)
		return list
	}
	rep := run(&execute.Runner{Engine: engine(t)}, same)
	if last := rep.Steps[len(rep.Steps)-1]; last.Path != check.CodePath || last.Status.Bad() || !last.How.Machine || rep.Fault != nil {
		t.Errorf("%+v, fault %+v", last, rep.Fault)
	}
	rep = run(&execute.Runner{Engine: engine(t)}, spoiled)
	if f := rep.Fault; f == nil || f.Path != check.CodePath || f.Pass != "code generation" || len(f.Functions) != 0 || f.All < 3 || f.Why == "" {
		t.Errorf("wrong outputs of right kernels: fault %+v", f)
	}
	rep = run(&execute.Runner{}, spoiled)
	if f := rep.Fault; f == nil || f.Path != check.CodePath || f.Why == "" {
		t.Errorf("without code of kernels: fault %+v", f)
	}
	c := &execute.Checker{Runner: &execute.Runner{Engine: engine(t)}, Function: "main", Inputs: in}
	checked(t, c, m, kind(t, "wasm"), nil)
	if err := c.Program(t.Context(), nil, errors.New("a trap")); err != nil {
		t.Fatal(err)
	}
	if f := c.Report().Fault; f == nil || c.Report().Steps[f.Step].Status != check.Failed {
		t.Errorf("a program that fails: fault %+v", f)
	}
}
