package opeval

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

type float interface{ ~float32 | ~float64 }

// views returns the elements of tensors of one type.
func views[T tensor.Scalar](list ...*tensor.Tensor) ([][]T, error) {
	out := make([][]T, len(list))
	for i, t := range list {
		v, err := tensor.View[T](t)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// onElements calls the function for the element type of out with the elements of tensors, out last.
func onElements(in []*tensor.Tensor, out *tensor.Tensor, f32 func([][]float32), f64 func([][]float64)) error {
	list := append(append([]*tensor.Tensor{}, in...), out)
	if out.DType == dtype.Float32T {
		v, err := views[float32](list...)
		if err == nil {
			f32(v)
		}
		return err
	}
	v, err := views[float64](list...)
	if err == nil {
		f64(v)
	}
	return err
}

// matmul multiplies the matrices in the last two dimensions, the others are broadcast. An operand with one dimension is a row on the left, and a column on
// the right, which the result lacks.
func matmul(_ *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	a, b := in[0].Shape, in[1].Shape
	to := append([]int64{}, out.Shape...)
	if len(b) == 1 {
		b, to = []int64{b[0], 1}, append(to, 1)
	}
	if len(a) == 1 {
		a, to = []int64{1, a[0]}, append(to[:len(to)-1], 1, to[len(to)-1])
	}
	m, k, n := a[len(a)-2], a[len(a)-1], b[len(b)-1]
	if b[len(b)-2] != k || len(to) < 2 || to[len(to)-2] != m || to[len(to)-1] != n {
		return fmt.Errorf("%v times %v is not %v", in[0], in[1], out)
	}
	batch := to[:len(to)-2]
	atA, err := broadcasted(a[:len(a)-2], batch)
	if err != nil {
		return err
	}
	atB, err := broadcasted(b[:len(b)-2], batch)
	if err != nil {
		return err
	}
	return onElements(in, out,
		func(v [][]float32) { product(v[0], v[1], v[2], batch, atA, atB, int(m), int(k), int(n)) },
		func(v [][]float64) { product(v[0], v[1], v[2], batch, atA, atB, int(m), int(k), int(n)) })
}

func product[T float](a, b, out []T, batch []int64, atA, atB cursor, m, k, n int) {
	each(batch, func(i int, index []int64) {
		x, y, z := a[atA.at(index)*m*k:], b[atB.at(index)*k*n:], out[i*m*n:]
		for r := range m {
			row := z[r*n : (r+1)*n]
			clear(row)
			for l := range k {
				f := x[r*k+l]
				for c, w := range y[l*n : (l+1)*n] {
					row[c] += T(f * w) // the conversion keeps the product from being fused with the sum
				}
			}
		}
	})
}

// conv2d correlates the channels of each group with the kernels of the group: NCHW and OIHW.
func conv2d(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	x, w, o := in[0].Shape, in[1].Shape, out.Shape
	groups := c.Attrs.Int("groups", 1)
	win, err := windowOf(c, w[2:])
	if err != nil {
		return err
	}
	if groups < 1 || x[1] != groups*w[1] || o[1] != w[0] || w[0]%groups != 0 {
		return fmt.Errorf("%v with %v in %d groups is not %v", in[0], in[1], groups, out)
	}
	return onElements(in, out,
		func(v [][]float32) { correlate(v[0], v[1], v[2], x, w, o, win, int(w[0]/groups)) },
		func(v [][]float64) { correlate(v[0], v[1], v[2], x, w, o, win, int(w[0]/groups)) })
}

func correlate[T float](x, w, out []T, xs, ws, os []int64, win window, perGroup int) {
	h, wd, ci := int(xs[2]), int(xs[3]), int(ws[1])
	kh, kw, co, oh, ow := int(ws[2]), int(ws[3]), int(os[1]), int(os[2]), int(os[3])
	for n := range int(os[0]) {
		for o := range co {
			first := (o / perGroup) * ci
			plane := out[(n*co+o)*oh*ow : (n*co+o+1)*oh*ow]
			clear(plane)
			for c := range ci {
				src := x[(n*int(xs[1])+first+c)*h*wd:]
				for ky := range kh {
					for kx := range kw {
						f := w[((o*ci+c)*kh+ky)*kw+kx]
						for y := range oh {
							sy := y*win.strideY - win.top + ky*win.dilationY
							if sy < 0 || sy >= h {
								continue
							}
							row := src[sy*wd : (sy+1)*wd]
							for i := range ow {
								if sx := i*win.strideX - win.left + kx*win.dilationX; sx >= 0 && sx < wd {
									plane[y*ow+i] += T(f * row[sx])
								}
							}
						}
					}
				}
			}
		}
	}
}

// window is how a window of two dimensions steps over a plane.
type window struct{ h, w, strideY, strideX, dilationY, dilationX, top, left, bottom, right int }

func windowOf(c *relax.Call, size []int64) (window, error) {
	s, d, p := c.Attrs.Ints("strides"), c.Attrs.Ints("dilation"), c.Attrs.Ints("padding")
	if len(s) != 2 || len(d) != 2 || len(p) != 4 || len(size) != 2 {
		return window{}, fmt.Errorf("a window of %v with strides %v, dilation %v, and padding %v", size, s, d, p)
	}
	return window{int(size[0]), int(size[1]), int(s[0]), int(s[1]), int(d[0]), int(d[1]), int(p[0]), int(p[1]), int(p[2]), int(p[3])}, nil
}

// pool2d takes the largest element or the mean in each window. A mean counts the elements of the padding where count_include_pad says so, and never those
// beyond the padding, which rounding up the size of the result adds.
func pool2d(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	win, err := windowOf(c, c.Attrs.Ints("pool_size"))
	if err != nil {
		return err
	}
	mean, padded := operator(c) == "nn.avg_pool2d", c.Attrs.Bool("count_include_pad", false)
	h, w := int(in[0].Shape[2]), int(in[0].Shape[3])
	each(out.Shape, func(i int, index []int64) {
		plane := int(index[0]*in[0].Shape[1]+index[1]) * h * w
		sum, most, count := 0.0, math.Inf(-1), 0
		for ky := range win.h {
			for kx := range win.w {
				y, x := int(index[2])*win.strideY-win.top+ky*win.dilationY, int(index[3])*win.strideX-win.left+kx*win.dilationX
				if y < 0 || y >= h || x < 0 || x >= w {
					if padded && y < h+win.bottom && x < w+win.right {
						count++
					}
					continue
				}
				v := in[0].Float(plane + y*w + x)
				sum, most = rounded(out, sum+v), math.Max(most, v)
				count++
			}
		}
		if mean {
			most = sum / float64(max(count, 1))
		}
		out.SetFloat(i, most)
	})
	return nil
}
