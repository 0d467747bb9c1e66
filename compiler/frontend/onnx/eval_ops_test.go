package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	"github.com/irscope/irscope/runtime/dtype"
)

var evalFns = evalTable()

func evalTable() map[string]func(*evalCall) any {
	one := func(f func(*evalCall) *tensor) func(*evalCall) any { return func(c *evalCall) any { return f(c) } }
	fns := map[string]func(*evalCall) any{
		"relax.divide": one(evalDivide),
		"relax.bitwise_not": one(func(c *evalCall) *tensor {
			return c.each(func(x float64) float64 {
				if c.dtype.IsUInt() {
					return float64(^uint64(x) & (1<<c.dtype.Bits - 1))
				}
				return -x - 1
			})
		}),
		"relax.left_shift":  one(evalShift(1)),
		"relax.right_shift": one(evalShift(-1)),
		"relax.where": one(func(c *evalCall) *tensor {
			out := refeval.New(c.out...)
			refeval.Each(c.out, func(i int, idx []int) {
				if out.Data[i] = c.in[2].At(idx); c.in[0].At(idx) != 0 {
					out.Data[i] = c.in[1].At(idx)
				}
			})
			return out
		}),
		"relax.clip": one(func(c *evalCall) *tensor {
			return c.each(func(x float64) float64 { return min(max(x, c.in[1].Data[0]), c.in[2].Data[0]) })
		}),
		"relax.astype": one(evalCast),
		"relax.nn.leakyrelu": one(func(c *evalCall) *tensor {
			a := c.attrs.Float("alpha", 0)
			return c.each(func(x float64) float64 { return max(x, 0) + a*min(x, 0) })
		}),
		"relax.nn.softmax":     one(func(c *evalCall) *tensor { return evalSoftmax(c, false) }),
		"relax.nn.log_softmax": one(func(c *evalCall) *tensor { return evalSoftmax(c, true) }),
		"relax.sum":            one(evalReduce(0, func(a, b float64) float64 { return a + b })),
		"relax.prod":           one(evalReduce(1, func(a, b float64) float64 { return a * b })),
		"relax.max":            one(evalReduce(math.Inf(-1), math.Max)),
		"relax.min":            one(evalReduce(math.Inf(1), math.Min)),
		"relax.mean": one(func(c *evalCall) *tensor {
			out := evalReduce(0, func(a, b float64) float64 { return a + b })(c)
			for i := range out.Data {
				out.Data[i] /= float64(len(c.in[0].Data)) / float64(len(out.Data))
			}
			return out
		}),
		"relax.argmax":          one(evalArg(1)),
		"relax.argmin":          one(evalArg(-1)),
		"relax.matmul":          one(evalMatmul),
		"relax.permute_dims":    one(evalPermute),
		"relax.reshape":         one(evalView),
		"relax.expand_dims":     one(evalView),
		"relax.squeeze":         one(evalView),
		"relax.shape_to_tensor": one(func(c *evalCall) *tensor { return c.in[0] }),
		"relax.tensor_to_shape": one(func(c *evalCall) *tensor { return c.in[0] }),
		"relax.broadcast_to": one(func(c *evalCall) *tensor {
			return evalIndex(c, func(idx []int) float64 { return c.in[0].At(idx) })
		}),
		"relax.concat": one(evalConcat),
		"relax.split":  evalSplit,
		"relax.tile": one(func(c *evalCall) *tensor {
			return evalIndex(c, func(idx []int) float64 {
				at := make([]int, len(idx))
				for i := range at {
					at[i] = idx[i] % c.in[0].Dims[i]
				}
				return c.in[0].At(at)
			})
		}),
		"relax.flip": one(func(c *evalCall) *tensor {
			a := int(c.attrs.Int("axis", 0))
			return evalIndex(c, func(idx []int) float64 {
				at := slices.Clone(idx)
				at[a] = c.out[a] - 1 - at[a]
				return c.in[0].At(at)
			})
		}),
		"relax.strided_slice":         one(evalSlice),
		"relax.take":                  one(evalTake),
		"relax.dynamic_strided_slice": one(evalDynamicSlice),
		"relax.memory.view":           one(evalBits),
		"relax.nonzero":               one(evalNonZero),
		"relax.unique":                evalUnique,
		"relax.vision.all_class_non_max_suppression": evalNMS,
		"relax.gather_elements":                      one(evalGatherElements),
		"relax.nn.pad":                               one(evalPad),
		"relax.full": one(func(c *evalCall) *tensor {
			return evalIndex(c, func([]int) float64 { return c.in[1].Data[0] })
		}),
		"relax.arange": one(func(c *evalCall) *tensor {
			return evalIndex(c, func(idx []int) float64 { return c.in[0].Data[0] + float64(idx[0])*c.in[2].Data[0] })
		}),
		"relax.gather_nd":         one(evalGatherND),
		"relax.scatter_nd":        one(evalScatterND),
		"relax.einsum":            one(evalEinsum),
		"relax.image.resize2d":    one(evalResize),
		"relax.image.affine_grid": one(evalAffineGrid),
		"relax.image.grid_sample": one(evalGridSample),
		"relax.reverse_sequence":  one(evalReverse),
		"relax.vision.roi_align":  one(evalROIAlign),
		"relax.vision.roi_pool":   one(evalROIPool),
		"relax.scatter_elements":  one(evalScatterElements),
		"relax.one_hot": one(func(c *evalCall) *tensor {
			a := int(c.attrs.Int("axis", 0))
			return evalIndex(c, func(idx []int) float64 {
				if read(c.in[0], slices.Delete(slices.Clone(idx), a, a+1)) == float64(idx[a]) {
					return c.in[1].Data[0]
				}
				return c.in[2].Data[0]
			})
		}),
		"relax.topk":          evalTopK,
		"relax.nn.rnn":        evalRecurrent("rnn"),
		"relax.nn.gru":        evalRecurrent("gru"),
		"relax.nn.lstm":       evalRecurrent("lstm"),
		"relax.triu":          one(evalTriangle(1)),
		"relax.tril":          one(evalTriangle(-1)),
		"relax.cumsum":        one(evalRunning(0, func(a, b float64) float64 { return a + b })),
		"relax.cumprod":       one(evalRunning(1, func(a, b float64) float64 { return a * b })),
		"relax.nn.nll_loss":   one(evalLikelihood),
		"relax.nn.layer_norm": one(evalLayerNorm),
		"relax.nn.batch_norm": func(c *evalCall) any { return []any{evalBatchNorm(c), c.in[3], c.in[4]} },
	}
	for _, n := range []string{"1d", "2d", "3d"} {
		fns["relax.nn.conv"+n] = one(evalConv)
		fns["relax.nn.conv"+n+"_transpose"] = one(evalConvTranspose)
		fns["relax.nn.max_pool"+n] = one(func(c *evalCall) *tensor { return evalPool(c, true) })
		fns["relax.nn.avg_pool"+n] = one(func(c *evalCall) *tensor { return evalPool(c, false) })
	}
	return fns
}

func evalIndex(c *evalCall, f func(idx []int) float64) *tensor {
	out := refeval.New(c.out...)
	refeval.Each(c.out, func(i int, idx []int) { out.Data[i] = f(idx) })
	return out
}

func evalDivide(c *evalCall) *tensor {
	return refeval.Broadcast(c.in[0], c.in[1], func(a, b float64) float64 {
		switch {
		case c.dtype == dtype.Float32T: // scales of quantized values are rounded, on which depends how these are
			return float64(float32(a / b))
		case c.dtype.IsFloat():
			return a / b
		}
		return math.Trunc(a / b)
	})
}

func evalShift(dir int) func(*evalCall) *tensor {
	return func(c *evalCall) *tensor {
		return refeval.Broadcast(c.in[0], c.in[1], func(a, b float64) float64 {
			v := uint64(a) >> uint64(b)
			if dir > 0 {
				v = uint64(a) << uint64(b)
			}
			return float64(v & (1<<c.dtype.Bits - 1))
		})
	}
}

func evalCast(c *evalCall) *tensor {
	return c.each(func(x float64) float64 {
		switch d := c.odt; {
		case d == dtype.Float32T:
			return float64(float32(x))
		case d.IsBool():
			return truth(x != 0)
		case d.IsInteger():
			return wrapped(int64(x), d)
		}
		return x
	})
}

// wrapped is the number of an integer type that the lowest bits of v are.
func wrapped(v int64, d dtype.DType) float64 {
	bits := v << (64 - d.Bits)
	if d.IsInt() {
		return float64(bits >> (64 - d.Bits))
	}
	return float64(uint64(bits) >> (64 - d.Bits))
}

// evalAxes splits an index of the input into the part that stays and whether to reduce.
func evalAxes(c *evalCall) []bool {
	drop := make([]bool, len(c.in[0].Dims))
	axes := c.attrs.Ints("axis")
	if v, _ := c.attrs.Get("axis"); v != nil && axes == nil {
		if n, ok := v.(int64); ok {
			axes = []int64{n}
		}
	}
	for i := range drop {
		drop[i] = axes == nil
	}
	for _, a := range axes {
		drop[a] = true
	}
	return drop
}

func evalReduce(start float64, f func(a, b float64) float64) func(*evalCall) *tensor {
	return func(c *evalCall) *tensor {
		drop := evalAxes(c)
		keep := slices.Clone(c.in[0].Dims)
		for i, d := range drop {
			if d {
				keep[i] = 1
			}
		}
		out := refeval.New(keep...)
		for i := range out.Data {
			out.Data[i] = start
		}
		numbers := refeval.New(keep...)
		for i := range numbers.Data {
			numbers.Data[i] = float64(i)
		}
		refeval.Each(c.in[0].Dims, func(i int, idx []int) {
			k := int(numbers.At(idx))
			out.Data[k] = f(out.Data[k], c.in[0].Data[i])
		})
		out.Dims = c.out
		return out
	}
}

func evalArg(dir float64) func(*evalCall) *tensor {
	return func(c *evalCall) *tensor {
		best := evalReduce(math.Inf(-1), math.Max)(&evalCall{in: []*tensor{c.each(func(x float64) float64 { return dir * x })}, attrs: c.attrs, out: c.out})
		a := int(c.attrs.Int("axis", 0))
		keep := slices.Clone(c.in[0].Dims)
		keep[a] = 1
		at := refeval.New(keep...)
		for i := range at.Data {
			at.Data[i] = -1
		}
		numbers := refeval.New(keep...)
		for i := range numbers.Data {
			numbers.Data[i] = float64(i)
		}
		refeval.Each(c.in[0].Dims, func(i int, idx []int) {
			k := int(numbers.At(idx))
			if at.Data[k] < 0 && dir*c.in[0].Data[i] == best.Data[k] {
				at.Data[k] = float64(idx[a])
			}
		})
		at.Dims = c.out
		return at
	}
}

func evalMatmul(c *evalCall) *tensor {
	a, b := *c.in[0], *c.in[1]
	if len(a.Dims) == 1 {
		a.Dims = []int{1, a.Dims[0]}
	}
	if len(b.Dims) == 1 {
		b.Dims = []int{b.Dims[0], 1}
	}
	out := refeval.MatMul(&a, &b)
	out.Dims = c.out
	return out
}

func evalView(c *evalCall) *tensor { return &tensor{Dims: c.out, Data: c.in[0].Data} }

func evalPermute(c *evalCall) *tensor {
	axes := c.attrs.Ints("axes")
	return evalIndex(c, func(idx []int) float64 {
		at := make([]int, len(idx))
		for i, a := range axes {
			at[a] = idx[i]
		}
		return c.in[0].At(at)
	})
}

func evalConcat(c *evalCall) *tensor {
	a := int(c.attrs.Int("axis", 0))
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		for _, t := range c.list {
			if at[a] < t.Dims[a] {
				return read(t, at)
			}
			at[a] -= t.Dims[a]
		}
		panic("beyond the last part")
	})
}

// read is At without broadcasting.
func read(t *tensor, idx []int) float64 {
	off := 0
	for i, d := range t.Dims {
		off = off*d + idx[i]
	}
	return t.Data[off]
}

func evalSplit(c *evalCall) any {
	a := int(c.attrs.Int("axis", 0))
	cuts := c.attrs.Ints("indices_or_sections")
	ends := append(slices.Clone(cuts), int64(c.in[0].Dims[a]))
	var out []any
	start := 0
	for _, e := range ends {
		dims := slices.Clone(c.in[0].Dims)
		dims[a] = int(e) - start
		part := refeval.New(dims...)
		refeval.Each(dims, func(i int, idx []int) {
			at := slices.Clone(idx)
			at[a] += start
			part.Data[i] = read(c.in[0], at)
		})
		out = append(out, part)
		start = int(e)
	}
	return out
}

func evalSlice(c *evalCall) *tensor {
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		for k, a := range c.in[1].Data {
			at[int(a)] = int(c.in[2].Data[k]) + idx[int(a)]*int(c.in[4].Data[k])
		}
		return read(c.in[0], at)
	})
}

func evalTake(c *evalCall) *tensor {
	a, r := int(c.attrs.Int("axis", 0)), len(c.in[1].Dims)
	return evalIndex(c, func(idx []int) float64 {
		at := append(slices.Clone(idx[:a]), int(read(c.in[1], idx[a:a+r])))
		return read(c.in[0], append(at, idx[a+r:]...))
	})
}

func evalGatherElements(c *evalCall) *tensor {
	a := int(c.attrs.Int("axis", 0))
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		at[a] = int(read(c.in[1], idx))
		return read(c.in[0], at)
	})
}

func evalPad(c *evalCall) *tensor {
	w, mode, fill := c.attrs.Ints("pad_width"), c.attrs.Str("pad_mode", "constant"), c.attrs.Float("pad_value", 0)
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		for i := range at {
			at[i] -= int(w[2*i])
			d := c.in[0].Dims[i]
			switch {
			case at[i] >= 0 && at[i] < d:
			case mode == "edge":
				at[i] = min(max(at[i], 0), d-1)
			case mode == "reflect" && at[i] < 0:
				at[i] = -at[i]
			case mode == "reflect":
				at[i] = 2*(d-1) - at[i]
			case mode == "circular":
				at[i] = ((at[i] % d) + d) % d
			default:
				return fill
			}
		}
		return read(c.in[0], at)
	})
}

func evalSoftmax(c *evalCall, log bool) *tensor {
	a := int(c.attrs.Int("axis", -1))
	x := c.in[0]
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx)
		top, sum := math.Inf(-1), 0.0
		for at[a] = 0; at[a] < x.Dims[a]; at[a]++ {
			top = max(top, read(x, at))
		}
		for at[a] = 0; at[a] < x.Dims[a]; at[a]++ {
			sum += math.Exp(read(x, at) - top)
		}
		if log {
			return read(x, idx) - top - math.Log(sum)
		}
		return math.Exp(read(x, idx)-top) / sum
	})
}

func evalBatchNorm(c *evalCall) *tensor {
	out, eps := refeval.New(c.in[0].Dims...), c.attrs.Float("epsilon", 0)
	refeval.Each(out.Dims, func(i int, idx []int) {
		ch := idx[1]
		out.Data[i] = (c.in[0].Data[i]-c.in[3].Data[ch])/math.Sqrt(c.in[4].Data[ch]+eps)*c.in[1].Data[ch] + c.in[2].Data[ch]
	})
	return out
}

func evalLayerNorm(c *evalCall) *tensor {
	n := len(c.in[1].Data)
	out, eps := refeval.New(c.in[0].Dims...), c.attrs.Float("epsilon", 0)
	for s := 0; s < len(out.Data); s += n {
		mean, variance := 0.0, 0.0
		for _, v := range c.in[0].Data[s : s+n] {
			mean += v / float64(n)
		}
		for _, v := range c.in[0].Data[s : s+n] {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		for i := range n {
			out.Data[s+i] = (c.in[0].Data[s+i]-mean)/math.Sqrt(variance+eps)*c.in[1].Data[i] + c.in[2].Data[i]
		}
	}
	return out
}

// taps calls f with each position of a window: its number and the input index it is at,
// and whether that lies in the padding.
func (c *evalCall) taps(out []int, kernel []int64, f func(k []int, at []int, inside bool)) {
	r := len(kernel)
	st, di, pa := c.attrs.Ints("strides"), c.attrs.Ints("dilation"), c.attrs.Ints("padding")
	size := make([]int, r)
	for i, k := range kernel {
		size[i] = int(k)
	}
	at := make([]int, r)
	refeval.Each(size, func(_ int, k []int) {
		inside := true
		for i := range r {
			at[i] = out[i]*int(st[i]) + k[i]*int(di[i]) - int(pa[i])
			inside = inside && at[i] >= 0 && at[i] < c.in[0].Dims[2+i]
		}
		f(k, at, inside)
	})
}

func evalConv(c *evalCall) *tensor {
	x, w := c.in[0], c.in[1]
	perOut := w.Dims[0] / int(c.attrs.Int("groups", 1))
	return evalIndex(c, func(idx []int) float64 {
		sum := 0.0
		c.taps(idx[2:], dims64(w.Dims[2:]), func(k, at []int, inside bool) {
			if !inside {
				return
			}
			for ch := range w.Dims[1] {
				in := append([]int{idx[0], idx[1]/perOut*w.Dims[1] + ch}, at...)
				sum += read(x, in) * read(w, append([]int{idx[1], ch}, k...))
			}
		})
		return sum
	})
}

func evalConvTranspose(c *evalCall) *tensor {
	x, w := c.in[0], c.in[1]
	r := len(x.Dims) - 2
	groups := int(c.attrs.Int("groups", 1))
	st, di, pa := c.attrs.Ints("strides"), c.attrs.Ints("dilation"), c.attrs.Ints("padding")
	out := refeval.New(c.out...)
	refeval.Each(x.Dims, func(i int, in []int) {
		refeval.Each(w.Dims[2:], func(_ int, k []int) {
			at := make([]int, r)
			for a := range r {
				at[a] = in[2+a]*int(st[a]) + k[a]*int(di[a]) - int(pa[a])
				if at[a] < 0 || at[a] >= c.out[2+a] {
					return
				}
			}
			for o := range w.Dims[1] {
				group := in[1] / (x.Dims[1] / groups)
				off := 0
				for d, v := range append([]int{in[0], group*w.Dims[1] + o}, at...) {
					off = off*c.out[d] + v
				}
				out.Data[off] += x.Data[i] * read(w, append([]int{in[1], o}, k...))
			}
		})
	})
	return out
}

func evalPool(c *evalCall, maximum bool) *tensor {
	kernel, pa := c.attrs.Ints("pool_size"), c.attrs.Ints("padding")
	include := c.attrs.Bool("count_include_pad", false)
	return evalIndex(c, func(idx []int) float64 {
		top, sum, n := math.Inf(-1), 0.0, 0
		c.taps(idx[2:], kernel, func(_, at []int, inside bool) {
			if inside {
				v := read(c.in[0], append([]int{idx[0], idx[1]}, at...))
				top, sum, n = max(top, v), sum+v, n+1
				return
			}
			padded := include
			for i, a := range at {
				padded = padded && a < c.in[0].Dims[2+i]+int(pa[len(at)+i])
			}
			n += int(truth(padded))
		})
		if maximum {
			return top
		}
		return sum / float64(n)
	})
}

func evalGatherND(c *evalCall) *tensor {
	b, r := int(c.attrs.Int("batch_dims", 0)), len(c.in[1].Dims)
	return evalIndex(c, func(idx []int) float64 {
		at := slices.Clone(idx[:b])
		for k := range c.in[1].Dims[r-1] {
			at = append(at, int(read(c.in[1], append(slices.Clone(idx[:r-1]), k))))
		}
		return read(c.in[0], append(at, idx[r-1:]...))
	})
}

func evalScatterElements(c *evalCall) *tensor {
	out := &tensor{Dims: c.out, Data: slices.Clone(c.in[0].Data)}
	a, how := int(c.attrs.Int("axis", 0)), c.attrs.Str("reduction", "")
	refeval.Each(c.in[1].Dims, func(i int, idx []int) {
		off := 0
		for d, v := range idx {
			if d == a {
				v = int(c.in[1].Data[i])
			}
			off = off*c.out[d] + v
		}
		old, v := out.Data[off], c.in[2].Data[i]
		out.Data[off] = map[string]float64{"update": v, "add": old + v, "mul": old * v, "max": max(old, v), "min": min(old, v)}[how]
	})
	return out
}

func evalTriangle(dir int) func(*evalCall) *tensor {
	return func(c *evalCall) *tensor {
		k := int(c.in[1].Data[0])
		return evalIndex(c, func(idx []int) float64 {
			if r := len(idx); dir*(idx[r-1]-idx[r-2]-k) < 0 {
				return 0
			}
			return read(c.in[0], idx)
		})
	}
}

func evalRunning(start float64, f func(a, b float64) float64) func(*evalCall) *tensor {
	return func(c *evalCall) *tensor {
		a, exclusive := int(c.attrs.Int("axis", 0)), int(truth(c.attrs.Bool("exclusive", false)))
		return evalIndex(c, func(idx []int) float64 {
			y, at := start, slices.Clone(idx)
			for at[a] = 0; at[a] <= idx[a]-exclusive; at[a]++ {
				y = f(y, read(c.in[0], at))
			}
			return y
		})
	}
}

// evalLikelihood is the negative log likelihood, of weight 1 for each class if there are no weights.
func evalLikelihood(c *evalCall) *tensor {
	losses, sum, weights := refeval.New(c.in[1].Dims...), 0.0, 0.0
	refeval.Each(losses.Dims, func(i int, idx []int) {
		label, w := int(c.in[1].Data[i]), 1.0
		if int64(label) == c.attrs.Int("ignore_index", 0) {
			return
		}
		if len(c.in) > 2 {
			w = c.in[2].Data[label]
		}
		losses.Data[i] = -w * read(c.in[0], slices.Insert(slices.Clone(idx), 1, label))
		sum, weights = sum+losses.Data[i], weights+w
	})
	switch c.attrs.Str("reduction", "") {
	case "none":
		return losses
	case "mean":
		sum /= weights
	}
	return &tensor{Data: []float64{sum}}
}
