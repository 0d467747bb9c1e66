package op

import (
	"encoding/binary"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// mostSummed bounds the bytes of a constant that are summed up while a module is made.
const mostSummed = 1 << 26

// byteSums are the sums of bytes along axes in int32. Those of constants are computed here: they are a number for each channel, which what comes behind the product joins with its own.
func byteSums(emit Emit, x relax.Expr, axes []int64, keep bool) relax.Expr {
	if c, ok := x.(*relax.Constant); ok {
		if out := constantSums(c, axes, keep); out != nil {
			return out
		}
	}
	wide := emit("relax.astype", []relax.Expr{x}, "dtype", dtype.Int32T)
	return emit("relax.sum", []relax.Expr{wide}, "axis", axes, "keepdims", keep)
}

// constantSums is byteSums of a constant, nil where it is not of bytes or too large.
func constantSums(c *relax.Constant, axes []int64, keep bool) *relax.Constant {
	d, shape := c.Data.DType(), c.Data.Shape()
	if d != dtype.Int8T && d != dtype.UInt8T || c.Data.NumElements() > mostSummed {
		return nil
	}
	var kept []int64
	strides, count := make([]int64, len(shape)), int64(1) // in the result, 0 along what is summed up
	for i := len(shape) - 1; i >= 0; i-- {
		if !slices.Contains(axes, int64(i)) {
			strides[i] = count
			count *= shape[i]
		}
	}
	for i, n := range shape {
		switch {
		case !slices.Contains(axes, int64(i)):
			kept = append(kept, n)
		case keep:
			kept = append(kept, 1)
		}
	}
	sums, at, to := make([]int32, count), make([]int64, len(shape)), int64(0)
	for i := range c.Data.NumElements() {
		b := c.Data.Elem(i)[0]
		if d.IsInt() {
			sums[to] += int32(int8(b))
		} else {
			sums[to] += int32(b)
		}
		for k := len(shape) - 1; k >= 0; k-- { // the next index
			at[k]++
			to += strides[k]
			if at[k] < shape[k] {
				break
			}
			to -= strides[k] * shape[k]
			at[k] = 0
		}
	}
	var data []byte
	for _, s := range sums {
		data = binary.LittleEndian.AppendUint32(data, uint32(s))
	}
	blob, err := ir.NewBlob(dtype.Int32T, kept, data)
	if err != nil {
		return nil
	}
	return &relax.Constant{Base: c.Base, Data: blob}
}
