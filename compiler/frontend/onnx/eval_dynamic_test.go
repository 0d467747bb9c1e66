package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// evalBits reads elements as those of another type of the same size.
func evalBits(c *evalCall) *tensor {
	return c.each(func(v float64) float64 {
		var bits uint64
		switch c.dtype {
		case dtype.Float32T:
			bits = uint64(int64(int32(math.Float32bits(float32(v)))))
		case dtype.Float64T:
			bits = math.Float64bits(v)
		default:
			bits = uint64(int64(v))
		}
		switch c.odt {
		case dtype.Float32T:
			return float64(math.Float32frombits(uint32(bits)))
		case dtype.Float64T:
			return math.Float64frombits(bits)
		}
		return wrapped(int64(bits), c.odt)
	})
}

// evalDynamicSlice cuts as Python does.
func evalDynamicSlice(c *evalCall) *tensor {
	x := c.in[0]
	dims := make([]int, len(x.Dims))
	at := make([][]int, len(x.Dims))
	for k, n := range x.Dims {
		begin, end, step := int(c.in[1].Data[k]), int(c.in[2].Data[k]), int(c.in[3].Data[k])
		if begin < 0 {
			begin += n
		}
		if end < 0 {
			end += n
		}
		if step > 0 {
			for i := max(begin, 0); i < min(end, n); i += step {
				at[k] = append(at[k], i)
			}
		} else {
			for i := min(begin, n-1); i > max(end, -1); i += step {
				at[k] = append(at[k], i)
			}
		}
		dims[k] = len(at[k])
	}
	out := refeval.New(dims...)
	refeval.Each(dims, func(i int, idx []int) {
		from := make([]int, len(idx))
		for k := range idx {
			from[k] = at[k][idx[k]]
		}
		out.Data[i] = x.At(from)
	})
	return out
}

// row is a call of the only kernel that the importer makes: it writes a row at an index of a tensor of rows.
func (ev *evaluator) row(e *relax.Call) (any, error) {
	v, err := ev.value(e.Args[1])
	if err != nil {
		return nil, err
	}
	rows, row, at := v.([]any)[0].(*tensor), v.([]any)[1].(*tensor), int(v.([]any)[2].(*tensor).Data[0])
	out := refeval.New(rows.Dims...)
	copy(out.Data, rows.Data)
	copy(out.Data[at*len(row.Data):(at+1)*len(row.Data)], row.Data)
	return out, nil
}
