package driver

import (
	"fmt"
	"maps"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// givenToKernel returns what is given for the parameters of the only PrimFunc of a module, by their names, and the binding with the extents and numbers that follow from it.
// The error says what does not fit.
func (t *Task) givenToKernel(name string, binding map[string]int64) (map[string]Named, map[string]int64, error) {
	named := t.Job.Inputs.Named
	if len(named) == 0 {
		return nil, binding, nil
	}
	sig := compiler.Signature(t.Model.Module, name)
	sizes := maps.Clone(binding)
	var given []*tensor.Tensor
	one := *sig
	one.Params = nil
	for _, p := range sig.Params {
		if x := named[p.Name].Tensor; x != nil {
			one.Params, given = append(one.Params, p), append(given, x)
			sizes = sizesOf(p, x, sizes)
		}
	}
	if err := one.Check(given); err != nil {
		return nil, nil, Input("%v", err)
	}
	return named, sizes, nil
}

// givenScalar returns a number that is given for a parameter.
func givenScalar(p *tir.Var, x Named) (argument, error) {
	if x.Tensor.Len() != 1 {
		return argument{}, fmt.Errorf("parameter %s is a number, got %s", p.Name, x.Tensor)
	}
	a := argument{summary: describe(p.Name, x.Tensor, x.From)}
	switch dt := p.DType(); {
	case dt.IsFloat():
		a.value = runtime.Float(x.Tensor.Float(0))
	case dt.IsBool():
		a.value = runtime.Bool(x.Tensor.Float(0) != 0)
	default:
		a.value = runtime.Int(x.Tensor.Ints()[0])
	}
	return a, nil
}
