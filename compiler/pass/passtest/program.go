package passtest

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// Program is a random program, and how it runs.
type Program struct {
	Module *ir.Module
	// compute returns what a module computes that passes made of this one, as something that differ compares.
	compute func(m *ir.Module) (any, error)
	differ  func(got, want any) string
}

// Kernel returns a program of one PrimFunc, whose results are compared bit for bit.
func Kernel(src relaxtest.Source) *Program {
	f, args := tirtest.Function(src)
	var lanes []int // as callers know them since the last module whose parameters are buffers
	return &Program{
		Module: stamped(ir.NewModule().With("kernel", f)),
		compute: func(m *ir.Module) (any, error) {
			g, ok := m.Lookup("kernel").(*tir.PrimFunc)
			if !ok {
				return nil, fmt.Errorf("the function is gone")
			}
			if l := tirtest.Lanes(g); l != nil {
				lanes = l
			}
			// A fault may make a loop endless: programs take thousands of steps.
			return tirtest.RunAs(g, lanes, args, &interp.Options{MaxSteps: graphrun.MaxSteps})
		},
		differ: func(got, want any) string { return tirtest.Differ(got.([]any), want.([]any)) },
	}
}

// Graph returns a program of Relax functions. Until its operators are kernels, prepare makes kernels of them to run it. Rounding may
// change in passes that join or reorder what is computed.
func Graph(src relaxtest.Source, prepare *pass.Pass) *Program {
	var inputs []graphrun.Value
	return &Program{
		Module: stamped(relaxtest.Module(src)),
		compute: func(m *ir.Module) (any, error) {
			m, err := NewContext().Run(prepare, m)
			if err != nil {
				return nil, err
			}
			f, ok := m.Lookup("main").(*relax.Function)
			if !ok {
				return nil, fmt.Errorf("the function main is gone")
			}
			if inputs == nil {
				if inputs, err = graphrun.Inputs(f, 2, 7); err != nil {
					return nil, err
				}
			}
			return Outputs(m, f, inputs)
		},
		differ: func(got, want any) string { return Differ(got.([]*tensor.Tensor), want.([]*tensor.Tensor)) },
	}
}

// Outputs runs main, which is f, on inputs and returns its results. A parameter fget_param of a function that asks for its inputs, or fset_output
// of one that hands over its results, is a function that does so; a tuple is as many inputs as it has fields.
func Outputs(m *ir.Module, f *relax.Function, inputs []graphrun.Value) ([]*tensor.Tensor, error) {
	var args []graphrun.Value
	next := 0 // of the inputs
	var set map[int64]graphrun.Value
	hand := graphrun.Func(func(args []graphrun.Value) (graphrun.Value, error) {
		if _, again := set[args[0].(int64)]; again {
			return nil, fmt.Errorf("result %d is handed over twice", args[0])
		}
		set[args[0].(int64)] = args[1]
		return graphrun.Tuple{}, nil
	})
	for _, p := range f.Params {
		switch strings.TrimRight(p.Name, "0123456789") { // a pass that runs again numbers them
		case "fget_param":
			first := next
			next = len(inputs) // it takes those behind the parameters, and another one what was added since
			args = append(args, graphrun.Func(func(args []graphrun.Value) (graphrun.Value, error) {
				i := first + int(args[0].(int64))
				if i == len(inputs) { // the function to hand results over is asked for like an input
					set = map[int64]graphrun.Value{}
					return hand, nil
				}
				return inputs[i], nil
			}))
		case "fset_output":
			set = map[int64]graphrun.Value{}
			args = append(args, hand)
		default:
			if info, bundle := p.SInfo.(*relax.TupleStructInfo); bundle && next+len(info.Fields) <= len(inputs) {
				args, next = append(args, graphrun.Tuple(inputs[next:next+len(info.Fields)])), next+len(info.Fields)
				continue
			}
			if next == len(inputs) {
				return nil, fmt.Errorf("main takes more than the %d inputs that it took", next)
			}
			args, next = append(args, inputs[next]), next+1
		}
	}
	v, err := graphrun.Run(context.Background(), m, "main", args...)
	if err != nil {
		return nil, err
	}
	if set == nil {
		return graphrun.Tensors(v), nil
	}
	var all graphrun.Tuple
	for i := range int64(len(set)) {
		all = append(all, set[i])
	}
	return graphrun.Tensors(all), nil
}

// Differ says how two lists of tensors differ by more than rounding, "" where they do not.
func Differ(got, want []*tensor.Tensor) string {
	return differ(got, want, tensor.Tolerance{RTol: 1e-4, ATol: 1e-5})
}

// roughly is Differ behind a pass that computes in float16, in which sums of a few hundred terms lose most of their digits, and some overflow.
func roughly(got, want any) string {
	list := got.([]*tensor.Tensor)
	for _, x := range list {
		for i := range x.Len() {
			if v := x.Float(i); math.IsInf(v, 0) || math.IsNaN(v) {
				return ""
			}
		}
	}
	return differ(list, want.([]*tensor.Tensor), tensor.Tolerance{RTol: 0.25, ATol: 0.5})
}

func differ(got, want []*tensor.Tensor, tol tensor.Tolerance) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs became %d", len(want), len(got))
	}
	for i := range want {
		d, err := tensor.Compare(got[i], want[i], tol)
		if err != nil {
			return fmt.Sprintf("output %d: %v", i, err)
		}
		if !d.OK() {
			return fmt.Sprintf("output %d: %v", i, d)
		}
	}
	return ""
}

// NewContext returns a context with the target wasm at level 3 that evaluates constants by the interpreter.
func NewContext(opts ...pass.ContextOption) *pass.Context {
	wasm, err := target.Parse("wasm")
	if err != nil {
		panic(err)
	}
	opts = append([]pass.ContextOption{pass.OptLevel(3), pass.WithTarget(wasm), pass.WithEvaluator(compiler.Interpreter{})}, opts...)
	c, err := pass.NewContext(context.Background(), opts...)
	if err != nil {
		panic(err)
	}
	return c
}
