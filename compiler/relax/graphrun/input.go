package graphrun

import (
	"fmt"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
)

// input returns a random value of struct info s.
func (f *frame) input(s relax.StructInfo, n int64, seed uint64) (Value, error) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		dims, ok := s.Dims()
		if !ok {
			return nil, fmt.Errorf("the shape of %s is not known", relax.FormatSInfo(s))
		}
		f.syms = map[*tir.Var]int64{}
		for _, d := range dims {
			for _, v := range relax.VarsOf(d) {
				f.syms[v] = n
			}
		}
		shape, err := f.dims(dims)
		if err != nil {
			return nil, err
		}
		t, err := tensor.New(s.DType, shape)
		if err != nil {
			return nil, err
		}
		switch {
		case s.DType.IsFloat():
			t.FillUniform(seed, -1, 1)
		case s.DType.IsBool():
			for i := range t.Data {
				t.Data[i] = byte((seed >> (i % 8)) & 1)
			}
		default:
			for i := range tensorLen(shape) {
				t.SetInt(i, int64(seed+uint64(i))%3)
			}
		}
		return t, nil
	case *relax.TupleStructInfo:
		var out Tuple
		for i, x := range s.Fields {
			v, err := f.input(x, n, seed+1000*uint64(i+1))
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	return nil, fmt.Errorf("cannot make a value of %s", relax.FormatSInfo(s))
}

func tensorLen(shape Shape) int {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return int(n)
}
