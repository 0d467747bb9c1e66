package refeval

import "math"

// MatMul is numpy's matmul for operands of at least two dimensions.
func MatMul(a, b *Tensor) *Tensor {
	ra, rb := len(a.Dims), len(b.Dims)
	m, k, n := a.Dims[ra-2], a.Dims[ra-1], b.Dims[rb-1]
	lead := broadcastDims(a.Dims[:ra-2], b.Dims[:rb-2])
	out := New(append(append([]int{}, lead...), m, n)...)
	oa, ob := offsets(a.Dims[:ra-2], lead), offsets(b.Dims[:rb-2], lead)
	for l := range product(lead) {
		x, y, z := a.Data[oa[l]*m*k:], b.Data[ob[l]*k*n:], out.Data[l*m*n:]
		for i := range m {
			for p := range k {
				v := x[i*k+p]
				for j := range n {
					z[i*n+j] += v * y[p*n+j]
				}
			}
		}
	}
	return out
}

// offsets maps each index of a broadcast shape to the element of the shape dims.
func offsets(dims, to []int) []int {
	numbers := New(dims...)
	for i := range numbers.Data {
		numbers.Data[i] = float64(i)
	}
	var out []int
	Each(to, func(_ int, idx []int) { out = append(out, int(numbers.At(idx))) })
	return out
}

func gemm(c *call) *Tensor {
	a, b := c.in[0], c.in[1]
	swap := func(x *Tensor) *Tensor {
		out := New(x.Dims[1], x.Dims[0])
		Each(out.Dims, func(i int, idx []int) { out.Data[i] = x.Data[idx[1]*x.Dims[1]+idx[0]] })
		return out
	}
	if c.int("transA", 0) != 0 {
		a = swap(a)
	}
	if c.int("transB", 0) != 0 {
		b = swap(b)
	}
	out := MatMul(a, b)
	alpha, beta := c.float("alpha", 1), c.float("beta", 1)
	Each(out.Dims, func(i int, idx []int) {
		out.Data[i] *= alpha
		if len(c.in) > 2 {
			out.Data[i] += beta * c.in[2].At(idx)
		}
	})
	return out
}

func softmax(c *call) *Tensor {
	x := c.in[0]
	// Before operator set 13 all dimensions from axis on are one.
	a, last := axis(c.int("axis", 1), len(x.Dims)), len(x.Dims)
	if c.opset >= 13 {
		a = axis(c.int("axis", -1), len(x.Dims))
		last = a + 1
	}
	n, inner := product(x.Dims[a:last]), product(x.Dims[last:])
	out := New(x.Dims...)
	for o := range product(x.Dims[:a]) {
		for i := range inner {
			at := func(k int) int { return (o*n+k)*inner + i }
			top, sum := math.Inf(-1), 0.0
			for k := range n {
				top = max(top, x.Data[at(k)])
			}
			for k := range n {
				sum += math.Exp(x.Data[at(k)] - top)
			}
			for k := range n {
				out.Data[at(k)] = math.Exp(x.Data[at(k)]-top) / sum
			}
		}
	}
	return out
}

// reduceMean reduces the last dimension, which is kept: what the models need.
func reduceMean(c *call) *Tensor {
	x := c.in[0]
	n := x.Dims[len(x.Dims)-1]
	out := New(append(append([]int{}, x.Dims[:len(x.Dims)-1]...), 1)...)
	for i := range x.Data {
		out.Data[i/n] += x.Data[i] / float64(n)
	}
	return out
}

func layerNorm(c *call) *Tensor {
	x := c.in[0]
	n := product(x.Dims[axis(c.int("axis", -1), len(x.Dims)):])
	eps := c.float("epsilon", 1e-5)
	out := New(x.Dims...)
	for start := 0; start < len(x.Data); start += n {
		mean, variance := 0.0, 0.0
		for _, v := range x.Data[start : start+n] {
			mean += v / float64(n)
		}
		for _, v := range x.Data[start : start+n] {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		for i, v := range x.Data[start : start+n] {
			y := (v - mean) / math.Sqrt(variance+eps) * c.in[1].Data[i]
			if len(c.in) > 2 {
				y += c.in[2].Data[i]
			}
			out.Data[start+i] = y
		}
	}
	return out
}

func batchNorm(c *call) *Tensor {
	x, scale, bias, mean, variance := c.in[0], c.in[1].Data, c.in[2].Data, c.in[3].Data, c.in[4].Data
	eps := c.float("epsilon", 1e-5)
	out := New(x.Dims...)
	inner := product(x.Dims[2:])
	for i, v := range x.Data {
		ch := i / inner % x.Dims[1]
		out.Data[i] = (v-mean[ch])/math.Sqrt(variance[ch]+eps)*scale[ch] + bias[ch]
	}
	return out
}

func lrn(c *call) *Tensor {
	x := c.in[0]
	size := c.int("size", 0)
	alpha, beta, bias := c.float("alpha", 1e-4), c.float("beta", 0.75), c.float("bias", 1)
	channels, inner := x.Dims[1], product(x.Dims[2:])
	out := New(x.Dims...)
	for i, v := range x.Data {
		ch, sum := i/inner%channels, 0.0
		for k := max(0, ch-(size-1)/2); k <= min(channels-1, ch+size/2); k++ {
			y := x.Data[i+(k-ch)*inner]
			sum += y * y
		}
		out.Data[i] = v / math.Pow(bias+alpha/float64(size)*sum, beta)
	}
	return out
}

func globalAveragePool(c *call) *Tensor {
	x := c.in[0]
	n := product(x.Dims[2:])
	out := New(x.Dims[0], x.Dims[1], 1, 1)
	for i, v := range x.Data {
		out.Data[i/n] += v / float64(n)
	}
	return out
}

// window is the geometry of a two-dimensional convolution or pooling.
type window struct{ kernel, stride, dilation, before, out [2]int }

func geometry(c *call, x *Tensor, kernel []int) (w window) {
	pads, st, di := c.ints("pads", 0, 0, 0, 0), c.ints("strides", 1, 1), c.ints("dilations", 1, 1)
	for i := range 2 {
		w.kernel[i], w.stride[i], w.dilation[i] = kernel[i], st[i], di[i]
		in, reach := x.Dims[2+i], (kernel[i]-1)*di[i]+1
		total := pads[i] + pads[2+i]
		w.before[i] = pads[i]
		if a := c.node.Attribute("auto_pad"); a != nil && string(a.S) == "SAME_UPPER" {
			total = max(0, ((in+st[i]-1)/st[i]-1)*st[i]+reach-in)
			w.before[i] = total / 2
		}
		w.out[i] = (in+total-reach)/st[i] + 1
	}
	return w
}

func conv(c *call) *Tensor {
	x, f := c.in[0], c.in[1]
	w := geometry(c, x, f.Dims[2:])
	groups := c.int("group", 1)
	perOut, perIn := f.Dims[0]/groups, f.Dims[1]
	out := New(x.Dims[0], f.Dims[0], w.out[0], w.out[1])
	Each(out.Dims, func(i int, idx []int) {
		sum := 0.0
		if len(c.in) > 2 {
			sum = c.in[2].Data[idx[1]]
		}
		for ch := range perIn {
			plane := x.Data[(idx[0]*x.Dims[1]+idx[1]/perOut*perIn+ch)*x.Dims[2]*x.Dims[3]:]
			taps := f.Data[(idx[1]*perIn+ch)*w.kernel[0]*w.kernel[1]:]
			for ky := range w.kernel[0] {
				y := idx[2]*w.stride[0] + ky*w.dilation[0] - w.before[0]
				if y < 0 || y >= x.Dims[2] {
					continue
				}
				for kx := range w.kernel[1] {
					if z := idx[3]*w.stride[1] + kx*w.dilation[1] - w.before[1]; z >= 0 && z < x.Dims[3] {
						sum += plane[y*x.Dims[3]+z] * taps[ky*w.kernel[1]+kx]
					}
				}
			}
		}
		out.Data[i] = sum
	})
	return out
}

// pool leaves padding out of both maximum and average, which is the default of ONNX.
func pool(c *call, maximum bool) *Tensor {
	x := c.in[0]
	w := geometry(c, x, c.ints("kernel_shape"))
	out := New(x.Dims[0], x.Dims[1], w.out[0], w.out[1])
	Each(out.Dims, func(i int, idx []int) {
		plane := x.Data[(idx[0]*x.Dims[1]+idx[1])*x.Dims[2]*x.Dims[3]:]
		top, sum, n := math.Inf(-1), 0.0, 0
		for ky := range w.kernel[0] {
			for kx := range w.kernel[1] {
				y, z := idx[2]*w.stride[0]+ky*w.dilation[0]-w.before[0], idx[3]*w.stride[1]+kx*w.dilation[1]-w.before[1]
				if y >= 0 && y < x.Dims[2] && z >= 0 && z < x.Dims[3] {
					v := plane[y*x.Dims[3]+z]
					top, sum, n = max(top, v), sum+v, n+1
				}
			}
		}
		if out.Data[i] = top; !maximum {
			out.Data[i] = sum / float64(n)
		}
	})
	return out
}
