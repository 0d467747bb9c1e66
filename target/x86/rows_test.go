//go:build linux && amd64

package x86_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestOverlappedRows: what goes over rows in stages is a pipeline where registers and cache hold it, and gives what its definition gives, also where a row has NaN and infinities.
func TestOverlappedRows(t *testing.T) {
	if err := native.Available(); err != nil {
		t.Skip(err)
	}
	softmax := func(dims ...int) []*te.Tensor {
		x := placeholder("x", dims...)
		return []*te.Tensor{x, topi.Softmax(x, len(dims)-1)}
	}
	norm := func(dims ...int) []*te.Tensor {
		n := dims[len(dims)-1]
		x, g, b := placeholder("x", dims...), placeholder("g", n), placeholder("b", n)
		return []*te.Tensor{x, g, b, topi.LayerNorm(x, g, b, []int{len(dims) - 1}, 1e-5)}
	}
	clipped := func(dims ...int) []*te.Tensor {
		x := placeholder("x", dims...)
		return []*te.Tensor{x, must(topi.Unary("relu", topi.Softmax(x, len(dims)-1)))}
	}
	log := func(dims ...int) []*te.Tensor {
		x := placeholder("x", dims...)
		return []*te.Tensor{x, topi.LogSoftmax(x, len(dims)-1)}
	}
	for _, c := range []struct {
		kind  string
		list  []*te.Tensor
		piped bool
	}{
		{"softmax", softmax(96, 128), true},
		{"softmax", softmax(97, 128), true},
		{"softmax", softmax(12, 1024), true},
		{"softmax", softmax(2, 4, 16, 128), true},
		{"softmax", softmax(3, 5, 7, 96), true},
		{"softmax", softmax(64, 131), false},  // no whole vectors
		{"softmax", softmax(8, 4096), false},  // rows that the first cache does not hold
		{"softmax", softmax(4, 128), false},   // all of it is small
		{"softmax", softmax(1024, 16), false}, // one vector
		{"softmax", softmax(1024, 32), true},  // two
		{"softmax", softmax(5, 1024), false},  // too few rows
		{"log_softmax", log(96, 128), true},
		{"softmax and relu", clipped(2, 3, 24, 128), true},
		{"layer_norm", norm(96, 128), true},
		{"layer_norm", norm(3, 33, 192), true},
		{"layer_norm", norm(16, 768), true},
	} {
		for _, threads := range []int{1, 2} {
			args := tensors(t, c.list)
			t.Run(fmt.Sprint(c.kind, args[0].Shape, ", threads ", threads), func(t *testing.T) {
				tgt := targets["avx512"] + fmt.Sprint(" -num-cores=", threads)
				f := tuned(t, c.list)
				s, err := cpu.MachineOf(targetOf(t, tgt)).Schedule(f, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				piped := false
				ir.Walk(s.Body, func(n ir.Node) bool {
					l, ok := n.(*tir.For)
					piped = piped || ok && l.Annotations.Has("software_pipeline_stage")
					return true
				})
				if piped != c.piped {
					t.Fatalf("a pipeline: %v, want %v", piped, c.piped)
				}
				x := args[0]
				n := x.Shape[len(x.Shape)-1]
				for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					x.SetFloat((2*i*int(n)+5*i+int(n)/2)%x.Len(), v)
				}
				for i := range int(n) {
					x.SetFloat(int(3*n)+i, math.Inf(-1))
					x.SetFloat(int(n)+i, math.NaN())
				}
				sameAsDefined(t, c.list, tgt, args)
			})
		}
	}
}

// tuned is the function of a kernel.
func tuned(t *testing.T, list []*te.Tensor) *tir.PrimFunc {
	t.Helper()
	f, err := te.CreatePrimFunc(list, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	return f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
}

// sameAsDefined runs a kernel for a target, and compares what comes out with what the interpreter makes of the definition.
func sameAsDefined(t *testing.T, list []*te.Tensor, tgt string, args []*tensor.Tensor) {
	t.Helper()
	call := make([]any, len(args))
	for i, a := range args {
		call[i] = a
	}
	plain, err := te.CreatePrimFunc(list, te.FuncOpts{})
	if err != nil {
		t.Fatal(err)
	}
	want := cloneArgs(call)
	if err := interp.Run(context.Background(), plain, want, nil); err != nil {
		t.Fatal(err)
	}
	m := machineOf(t, tgt)
	_, obj, err := build(scheduled(t, tgt, list), m)
	if err != nil {
		t.Fatal(err)
	}
	if !native.Host().Has(m.Features) {
		t.Skip("the processor lacks features")
	}
	got, err := execute(obj, newHost(t), call)
	if err != nil {
		t.Fatal(err)
	}
	a, b := got[len(got)-1].(*tensor.Tensor), want[len(want)-1].(*tensor.Tensor)
	for i := range a.Len() {
		x, y := a.Float(i), b.Float(i)
		if x != y && math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-5*(math.Abs(y)+0.1) {
			t.Fatalf("element %d is %v, want %v", i, x, y)
		}
	}
}
