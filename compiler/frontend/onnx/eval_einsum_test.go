package onnx

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
)

// evalEinsum walks all values of all letters and adds the product of the operands there to the element that the letters of the result
// name.
func evalEinsum(c *evalCall) *tensor {
	left, right, _ := strings.Cut(c.attrs.Str("subscripts", ""), "->")
	terms := strings.Split(left, ",")
	var letters []rune
	var extents []int
	for i, term := range terms {
		for k, l := range []rune(term) {
			if !slices.Contains(letters, l) {
				letters, extents = append(letters, l), append(extents, c.list[i].Dims[k])
			}
		}
	}
	out := refeval.New(c.out...)
	numbers := refeval.New(c.out...)
	for i := range numbers.Data {
		numbers.Data[i] = float64(i)
	}
	refeval.Each(extents, func(_ int, idx []int) {
		at := func(term string) (list []int) {
			for _, l := range term {
				list = append(list, idx[slices.Index(letters, l)])
			}
			return list
		}
		product := 1.0
		for i, term := range terms {
			product *= read(c.list[i], at(term))
		}
		out.Data[int(read(numbers, at(right)))] += product
	})
	return out
}

// evalScatterND takes the places of the last dimension of indices in the data, one after the other.
func evalScatterND(c *evalCall) *tensor {
	out := &tensor{Dims: c.in[0].Dims, Data: slices.Clone(c.in[0].Data)}
	indices, updates := c.in[1], c.in[2]
	outer := len(indices.Dims) - 1
	refeval.Each(updates.Dims, func(i int, idx []int) {
		k := 0
		for d := range indices.Dims[outer] {
			n := int(read(indices, append(slices.Clone(idx[:outer]), d)))
			if n < 0 {
				n += out.Dims[d]
			}
			k = k*out.Dims[d] + n
		}
		for d, n := range idx[outer:] {
			k = k*out.Dims[indices.Dims[outer]+d] + n
		}
		x := updates.Data[i]
		switch c.attrs.Str("reduction", "") {
		case "add":
			x += out.Data[k]
		case "mul":
			x *= out.Data[k]
		case "min":
			x = min(x, out.Data[k])
		case "max":
			x = max(x, out.Data[k])
		}
		out.Data[k] = x
	})
	return out
}
