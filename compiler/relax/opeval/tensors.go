package opeval

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// rounded returns x as an element of t.
func rounded(t *tensor.Tensor, x float64) float64 {
	if t.DType == dtype.Float32T {
		return float64(float32(x))
	}
	return x
}

// permute reads element i of dimension k in dimension axes[k] of its operand; without axes, dimensions are reversed.
func permute(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	rank := len(in[0].Shape)
	axes := c.Attrs.Ints("axes")
	if !c.Attrs.Has("axes") || axes == nil {
		axes = nil
		for k := rank - 1; k >= 0; k-- {
			axes = append(axes, int64(k))
		}
	}
	if len(axes) != rank {
		return fmt.Errorf("%d axes of %d dimensions", len(axes), rank)
	}
	from, at := stridesOf(in[0].Shape), make(cursor, rank)
	for k, a := range axes {
		axis, err := axisOf(a, rank)
		if err != nil {
			return err
		}
		at[k] = from[axis]
	}
	size := out.DType.Bytes()
	each(out.Shape, func(i int, index []int64) {
		p := at.at(index)
		copy(out.Data[i*size:(i+1)*size], in[0].Data[p*size:])
	})
	return nil
}

// concat puts tensors one after the other along an axis; without one, all are flat.
func concat(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	axis, err := axisOf(c.Attrs.Int("axis", 0), len(out.Shape))
	if err != nil {
		return err
	}
	size := int64(out.DType.Bytes())
	outer := int64(1)
	for _, n := range out.Shape[:axis] {
		outer *= n
	}
	at := int64(0)
	for o := range outer {
		for _, t := range in {
			n := int64(len(t.Data)) / outer
			if at+n > int64(len(out.Data)) || n%size != 0 {
				return fmt.Errorf("%v does not fit into %v", t, out)
			}
			at += int64(copy(out.Data[at:], t.Data[o*n:(o+1)*n]))
		}
	}
	return nil
}

// reduce sums up, multiplies, or takes the largest or the smallest element along axes, all if none are named.
func reduce(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	x := in[0]
	over := make([]bool, len(x.Shape))
	axes := c.Attrs.Ints("axis")
	for k := range over {
		over[k] = axes == nil
	}
	for _, a := range axes {
		axis, err := axisOf(a, len(x.Shape))
		if err != nil {
			return err
		}
		over[axis] = true
	}
	// kept are the dimensions of the result, of which keepdims only adds ones.
	var kept []int64
	for k, n := range x.Shape {
		if !over[k] {
			kept = append(kept, n)
		}
	}
	strides, at, i, count := stridesOf(kept), make(cursor, len(x.Shape)), 0, int64(1)
	for k, n := range x.Shape {
		if over[k] {
			count *= n
			continue
		}
		at[k] = strides[i]
		i++
	}
	name := operator(c)
	start := map[string]float64{"prod": 1, "max": math.Inf(-1), "min": math.Inf(1)}[name]
	sums := make([]float64, out.Len())
	for i := range sums {
		sums[i] = start
	}
	each(x.Shape, func(i int, index []int64) {
		p, v := at.at(index), x.Float(i)
		switch name {
		case "prod":
			sums[p] = rounded(out, sums[p]*v)
		case "max":
			sums[p] = math.Max(sums[p], v)
		case "min":
			sums[p] = math.Min(sums[p], v)
		default:
			sums[p] = rounded(out, sums[p]+v)
		}
	})
	for i, s := range sums {
		if name == "mean" {
			s /= float64(count)
		}
		out.SetFloat(i, s)
	}
	return nil
}

// softmax is exp(x - m) / sum(exp(x - m)) along an axis, where m is the largest element, and log_softmax its logarithm, x - m - log(sum(exp(x - m))).
func softmax(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	x := in[0]
	axis, err := axisOf(c.Attrs.Int("axis", -1), len(x.Shape))
	if err != nil {
		return err
	}
	n, stride := x.Shape[axis], stridesOf(x.Shape)[axis]
	each(x.Shape, func(i int, index []int64) {
		if index[axis] != 0 {
			return
		}
		at := func(k int64) int { return i + int(k*stride) }
		most := math.Inf(-1)
		for k := range n {
			most = math.Max(most, x.Float(at(k)))
		}
		sum := 0.0
		for k := range n {
			sum = rounded(out, sum+rounded(out, math.Exp(rounded(out, x.Float(at(k))-most))))
		}
		for k := range n {
			d := rounded(out, x.Float(at(k))-most)
			if operator(c) == "nn.softmax" {
				out.SetFloat(at(k), rounded(out, math.Exp(d))/sum)
				continue
			}
			out.SetFloat(at(k), d-rounded(out, math.Log(sum)))
		}
	})
	return nil
}
