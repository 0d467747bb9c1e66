package opeval

import "fmt"

// cursor finds the place of an element in the data of a tensor: the sum of its index in each dimension times the stride, 0 where it is broadcast.
type cursor []int64

func (c cursor) at(index []int64) int {
	p := int64(0)
	for k, s := range c {
		p += s * index[k]
	}
	return int(p)
}

// stridesOf returns the strides of a tensor of a shape, in elements.
func stridesOf(shape []int64) cursor {
	out, n := make(cursor, len(shape)), int64(1)
	for k := len(shape) - 1; k >= 0; k-- {
		out[k], n = n, n*shape[k]
	}
	return out
}

// broadcasted returns the cursor of a tensor of shape from in a result of shape to, whose last dimensions are those of the tensor, or 1 in it.
func broadcasted(from, to []int64) (cursor, error) {
	if len(from) > len(to) {
		return nil, fmt.Errorf("shape %v cannot be broadcast to %v", from, to)
	}
	out, strides, off := make(cursor, len(to)), stridesOf(from), len(to)-len(from)
	for k, n := range from {
		switch n {
		case to[off+k]:
			out[off+k] = strides[k]
		case 1:
		default:
			return nil, fmt.Errorf("shape %v cannot be broadcast to %v", from, to)
		}
	}
	return out, nil
}

// each calls f with the number and the index of each element of a shape, in row-major order.
func each(shape []int64, f func(i int, index []int64)) {
	for _, n := range shape {
		if n == 0 {
			return
		}
	}
	index := make([]int64, len(shape))
	for i := 0; ; i++ {
		f(i, index)
		k := len(shape) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// axisOf returns an axis that may be counted from the end.
func axisOf(axis int64, rank int) (int, error) {
	if axis < 0 {
		axis += int64(rank)
	}
	if axis < 0 || axis >= int64(rank) {
		return 0, fmt.Errorf("axis %d of %d dimensions", axis, rank)
	}
	return int(axis), nil
}
