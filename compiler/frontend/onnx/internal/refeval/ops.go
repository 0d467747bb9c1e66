package refeval

import "math"

var operators = map[string]func(*call) *Tensor{
	"Add": binary2(func(a, b float64) float64 { return a + b }),
	"Sub": binary2(func(a, b float64) float64 { return a - b }),
	"Mul": binary2(func(a, b float64) float64 { return a * b }),
	"Div": binary2(func(a, b float64) float64 { return a / b }),
	"Sum": func(c *call) *Tensor {
		out := c.in[0]
		for _, x := range c.in[1:] {
			out = Broadcast(out, x, func(a, b float64) float64 { return a + b })
		}
		return out
	},
	"Relu":    unary(func(x float64) float64 { return max(x, 0) }),
	"Sigmoid": unary(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	"Sqrt":    unary(math.Sqrt),
	"Exp":     unary(math.Exp),
	"Erf":     unary(math.Erf),
	"Dropout": func(c *call) *Tensor { return c.in[0] },
	"Constant": func(c *call) *Tensor {
		t, err := FromONNX(c.node.Attribute("value").T)
		if err != nil {
			panic(err) // models of this project have no other constants
		}
		return t
	},
	"Reshape":            reshape,
	"Flatten":            flatten,
	"Unsqueeze":          unsqueeze,
	"Transpose":          transpose,
	"Concat":             concat,
	"Gather":             gather,
	"Expand":             expand,
	"Slice":              slice,
	"MatMul":             func(c *call) *Tensor { return MatMul(c.in[0], c.in[1]) },
	"Gemm":               gemm,
	"Softmax":            softmax,
	"ReduceMean":         reduceMean,
	"LayerNormalization": layerNorm,
	"BatchNormalization": batchNorm,
	"LRN":                lrn,
	"Conv":               conv,
	"MaxPool":            func(c *call) *Tensor { return pool(c, true) },
	"AveragePool":        func(c *call) *Tensor { return pool(c, false) },
	"GlobalAveragePool":  globalAveragePool,
}

func unary(f func(float64) float64) func(*call) *Tensor {
	return func(c *call) *Tensor {
		out := New(c.in[0].Dims...)
		for i, v := range c.in[0].Data {
			out.Data[i] = f(v)
		}
		return out
	}
}

func binary2(f func(a, b float64) float64) func(*call) *Tensor {
	return func(c *call) *Tensor { return Broadcast(c.in[0], c.in[1], f) }
}

func broadcastDims(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]int{}, a...)
	for i, d := range b {
		if k := len(a) - len(b) + i; out[k] == 1 {
			out[k] = d
		}
	}
	return out
}

// At reads t at an index of a shape that x is broadcast to.
func (t *Tensor) At(idx []int) float64 {
	off, st := 0, strides(t.Dims)
	for i, d := range t.Dims {
		if d != 1 {
			off += st[i] * idx[len(idx)-len(t.Dims)+i]
		}
	}
	return t.Data[off]
}

// Broadcast applies f to the elements of a and b under NumPy's broadcasting.
func Broadcast(a, b *Tensor, f func(a, b float64) float64) *Tensor {
	out := New(broadcastDims(a.Dims, b.Dims)...)
	Each(out.Dims, func(i int, idx []int) { out.Data[i] = f(a.At(idx), b.At(idx)) })
	return out
}

func expand(c *call) *Tensor {
	out := New(broadcastDims(c.in[0].Dims, c.in[1].ints())...)
	Each(out.Dims, func(i int, idx []int) { out.Data[i] = c.in[0].At(idx) })
	return out
}

func reshape(c *call) *Tensor {
	x, dims := c.in[0], c.list("shape", 1)
	rest := -1
	for i, d := range dims {
		switch {
		case d == 0 && c.int("allowzero", 0) == 0:
			dims[i] = x.Dims[i]
		case d == -1:
			rest, dims[i] = i, 1
		}
	}
	if rest >= 0 {
		dims[rest] = len(x.Data) / product(dims)
	}
	return &Tensor{Dims: dims, Data: x.Data}
}

func flatten(c *call) *Tensor {
	x := c.in[0]
	a := axis(c.int("axis", 1), len(x.Dims))
	return &Tensor{Dims: []int{product(x.Dims[:a]), product(x.Dims[a:])}, Data: x.Data}
}

func unsqueeze(c *call) *Tensor {
	x, axes := c.in[0], c.list("axes", 1)
	dims := make([]int, len(x.Dims)+len(axes))
	for _, a := range axes {
		dims[axis(a, len(dims))] = 1
	}
	k := 0
	for i := range dims {
		if dims[i] == 0 {
			dims[i] = x.Dims[k]
			k++
		}
	}
	return &Tensor{Dims: dims, Data: x.Data}
}

func transpose(c *call) *Tensor {
	x := c.in[0]
	perm := c.ints("perm")
	if perm == nil {
		for i := range x.Dims {
			perm = append(perm, len(x.Dims)-1-i)
		}
	}
	dims, st := make([]int, len(perm)), make([]int, len(perm))
	for i, p := range perm {
		dims[i], st[i] = x.Dims[p], strides(x.Dims)[p]
	}
	out := New(dims...)
	Each(dims, func(i int, idx []int) {
		off := 0
		for k, v := range idx {
			off += v * st[k]
		}
		out.Data[i] = x.Data[off]
	})
	return out
}

func concat(c *call) *Tensor {
	a := axis(c.int("axis", 1), len(c.in[0].Dims))
	dims := append([]int{}, c.in[0].Dims...)
	for _, x := range c.in[1:] {
		dims[a] += x.Dims[a]
	}
	out := &Tensor{Dims: dims}
	for outer := range product(dims[:a]) {
		for _, x := range c.in {
			n := product(x.Dims[a:])
			out.Data = append(out.Data, x.Data[outer*n:(outer+1)*n]...)
		}
	}
	return out
}

func gather(c *call) *Tensor {
	x, indices := c.in[0], c.in[1]
	a := axis(c.int("axis", 0), len(x.Dims))
	inner := product(x.Dims[a+1:])
	out := &Tensor{Dims: append(append(append([]int{}, x.Dims[:a]...), indices.Dims...), x.Dims[a+1:]...)}
	for outer := range product(x.Dims[:a]) {
		for _, i := range indices.ints() {
			start := (outer*x.Dims[a] + axis(i, x.Dims[a])) * inner
			out.Data = append(out.Data, x.Data[start:start+inner]...)
		}
	}
	return out
}

func slice(c *call) *Tensor {
	x := c.in[0]
	starts, ends, axes, steps := c.list("starts", 1), c.list("ends", 2), c.list("axes", 3), c.list("steps", 4)
	dims, from, step := append([]int{}, x.Dims...), make([]int, len(x.Dims)), make([]int, len(x.Dims))
	for i := range step {
		step[i] = 1
	}
	for i := range starts {
		a := i
		if len(axes) > 0 {
			a = axis(axes[i], len(x.Dims))
		}
		if len(steps) > 0 {
			step[a] = steps[i]
		}
		d := x.Dims[a]
		s, e := axis(starts[i], d), axis(ends[i], d)
		if step[a] > 0 {
			s, e = min(max(s, 0), d), min(max(e, 0), d)
			dims[a] = max(0, (e-s+step[a]-1)/step[a])
		} else {
			s, e = min(max(s, 0), d-1), min(max(e, -1), d-1)
			dims[a] = max(0, (e-s+step[a]+1)/step[a])
		}
		from[a] = s
	}
	out, st := New(dims...), strides(x.Dims)
	Each(dims, func(i int, idx []int) {
		off := 0
		for k, v := range idx {
			off += (from[k] + v*step[k]) * st[k]
		}
		out.Data[i] = x.Data[off]
	})
	return out
}
