package topi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ConvOpts are the parameters of a convolution of n spatial axes.
type ConvOpts struct {
	Strides, Dilation []int64
	Before, After     []int64 // padding of each spatial axis
	OutputPadding     []int64 // of a transposed convolution
	Groups            int64
	Data, Kernel      string      // layouts, e.g. "NCHW" and "OIHW"
	Result            string      // layout of the result; "" is that of the data
	Out               dtype.DType // of the result; Void is that of the data
	// Words says that the elements are words of four bytes each, along the input channels, as MatmulOpts.Words has them. Pad is what stands around the data; nil is zero. Both are of
	// convolutions by parts alone.
	Words bool
	Pad   tir.Expr
}

var (
	spatialLetters = [4]string{1: "W", 2: "HW", 3: "DHW"}
	spatialNames   = []string{"yy", "xx", "zz"}
	windowNames    = []string{"ry", "rx", "rz"}
)

// positions returns where the letters of a layout stand, spatial axes last.
func positions(layout, first string, n int) ([]int, error) {
	letters := first + spatialLetters[n]
	if len(layout) != len(letters) {
		return nil, fmt.Errorf("layout %q is not supported: expected an order of %s", layout, letters)
	}
	out := make([]int, len(letters))
	for k, r := range letters {
		if out[k] = strings.IndexRune(layout, r); out[k] < 0 {
			return nil, fmt.Errorf("layout %q is not supported: expected an order of %s", layout, letters)
		}
	}
	return out, nil
}

// arrange puts the values, listed as (first two, spatial...), where their letters stand.
func arrange(pos []int, values ...tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(pos))
	for k, p := range pos {
		out[p] = values[k]
	}
	return out
}

// arrangeInts is arrange for numbers of the spatial axes; those of others are 0.
func arrangeInts(pos []int, spatial []int64) []int64 {
	out := make([]int64, len(pos))
	for k, n := range spatial {
		out[pos[2+k]] = n
	}
	return out
}

// conv holds what the kinds of convolution share.
type conv struct {
	ConvOpts
	n                  int
	x, w               *te.Tensor
	dpos, kpos, rpos   []int
	name               string
	channels, features tir.Expr // input channels of a group, output channels of all
	kernel             []tir.Expr
}

func newConv(kind string, x, w *te.Tensor, o ConvOpts) (*conv, error) {
	c := &conv{ConvOpts: o, n: x.NDim() - 2, x: x, w: w}
	if c.n < 1 || c.n > 3 {
		return nil, fmt.Errorf("convolution of a tensor of %d dimensions: expected 3 to 5", x.NDim())
	}
	if c.Result == "" {
		c.Result = c.Data
	}
	var err error
	if c.dpos, err = positions(c.Data, "NC", c.n); err != nil {
		return nil, err
	}
	if c.rpos, err = positions(c.Result, "NC", c.n); err != nil {
		return nil, err
	}
	if c.kpos, err = positions(c.Kernel, "OI", c.n); err != nil {
		return nil, err
	}
	if c.Out.IsVoid() {
		c.Out = x.DType
	}
	c.name = fmt.Sprintf("conv%dd%s_%s", c.n, kind, strings.ToLower(c.Result))
	if c.Groups > 1 {
		c.name = "group_" + c.name
	}
	for _, p := range c.kpos[2:] {
		c.kernel = append(c.kernel, w.Shape[p])
	}
	return c, nil
}

// windowAxes are the reduction axes: input channels, then the window.
func (c *conv) windowAxes() (rc *tir.IterVar, window []*tir.IterVar) {
	for k, d := range c.kernel {
		window = append(window, te.ReduceAxis(windowNames[k], d))
	}
	return te.ReduceAxis("rc", c.channels), window
}

// axes are the reduction axes in the order in which their letters stand in the layout of the data.
func (c *conv) axes(rc *tir.IterVar, window []*tir.IterVar) []*tir.IterVar {
	out := make([]*tir.IterVar, len(c.dpos))
	for k, p := range c.dpos[1:] {
		out[p] = append([]*tir.IterVar{rc}, window...)[k]
	}
	return slices.Delete(out, c.dpos[0], c.dpos[0]+1)
}

// compute returns the result whose element at (n, f, y, ...) is the sum of f over the axes.
func (c *conv) compute(spatial []tir.Expr, rc *tir.IterVar, window []*tir.IterVar, f func(n, ff tir.Expr, at []tir.Expr) tir.Expr) *te.Tensor {
	names := make([]string, len(c.rpos))
	for k, p := range c.rpos {
		names[p] = append([]string{"nn", "ff"}, spatialNames...)[k]
	}
	shape := arrange(c.rpos, append([]tir.Expr{c.x.Shape[c.dpos[0]], c.features}, spatial...)...)
	return te.Compute(c.name, shape, func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, c.n)
		for k, p := range c.rpos[2:] {
			at[k] = i[p]
		}
		return te.Sum(f(i[c.rpos[0]], i[c.rpos[1]], at), c.axes(rc, window)...)
	}, te.AxisNames(names...))
}

// Conv is the convolution of x with weights w, for one, two or three spatial axes, grouped
// (and so depthwise), in any layout. Padding is a block of its own, pad_temp, left out
// where there is none.
func Conv(x, w *te.Tensor, o ConvOpts) (*te.Tensor, error) {
	c, err := newConv("", x, w, o)
	if err != nil {
		return nil, err
	}
	x, w = c.x, c.w
	c.channels, c.features = w.Shape[c.kpos[1]], w.Shape[c.kpos[0]]
	padded := padConstant(x, arrangeInts(c.dpos, c.Before), arrangeInts(c.dpos, c.After), tir.Const(x.DType, 0), "pad_temp")
	spatial := make([]tir.Expr, c.n)
	for k, p := range c.dpos[2:] {
		spatial[k] = windows(padded.Shape[p], c.kernel[k], c.Strides[k], c.Dilation[k])
	}
	rc, window := c.windowAxes()
	perGroup := tir.FloorDiv(c.features, tir.Int(c.Groups))
	out := c.compute(spatial, rc, window, func(n, ff tir.Expr, at []tir.Expr) tir.Expr {
		ci := tir.Expr(rc.Var)
		if c.Groups > 1 {
			ci = tir.Add(tir.Mul(tir.FloorDiv(ff, perGroup), c.channels), rc.Var)
		}
		in, k := []tir.Expr{n, ci}, []tir.Expr{ff, rc.Var}
		for d, y := range at {
			in = append(in, tir.Add(tir.Mul(y, tir.Int(c.Strides[d])), tir.Mul(window[d].Var, tir.Int(c.Dilation[d]))))
			k = append(k, window[d].Var)
		}
		return tir.Mul(tir.CastTo(c.Out, padded.At(arrange(c.dpos, in...)...)), tir.CastTo(c.Out, w.At(arrange(c.kpos, k...)...)))
	})
	return out, nil
}

func anyNonZero(xs []int64) bool {
	for _, x := range xs {
		if x != 0 {
			return true
		}
	}
	return false
}

// windows is the number of windows of extent size that fit into extent n. That of a symbolic n
// is simplified, so that it is seen to be n where it is: n + 2 - 2 - 1 + 1 of a padded window of 3.
func windows(n, size tir.Expr, stride, dilation int64) tir.Expr {
	span := tir.Mul(tir.Sub(size, tir.Int(1)), tir.Int(dilation))
	count := tir.Add(tir.FloorDiv(tir.Sub(tir.Sub(n, span), tir.Int(1)), tir.Int(stride)), tir.Int(1))
	if _, ok := tir.AsInt(count); ok {
		return count
	}
	return arith.SimplifyAlone(count)
}
