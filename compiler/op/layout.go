package op

import (
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// spatialLetters are the letters of the spatial axes for 1, 2 and 3 of them.
var spatialLetters = [...]string{1: "W", 2: "HW", 3: "DHW"}

// layout returns the layout that the attribute called name says, whose axes are letters in some order. They may be split.
func (c *InferContext) layout(name, letters string) (tensorlayout.Layout, error) {
	s := c.Str(name)
	l, err := tensorlayout.Parse(s)
	ok := err == nil && l.Rank() == len(letters)
	for i := range len(letters) {
		ok = ok && l.Pos(letters[i]) >= 0
	}
	if !ok {
		return nil, c.attrErr(name, strconv.Quote(s), "a layout of the axes %s in some order", strings.Join(strings.Split(letters, ""), ", "))
	}
	return l, nil
}

// layoutDims returns the extents of the axes of argument i by their letters; nil if they are not known.
func (c *InferContext) layoutDims(i int, l tensorlayout.Layout) (*relax.TensorStructInfo, map[byte]tir.Expr, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, nil, err
	}
	if t.NDim >= 0 && t.NDim != len(l) {
		return nil, nil, c.argErr(i, describe(t), "a tensor of %d dimensions, as the layout %s says", len(l), l)
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return t, nil, nil
	}
	for p, a := range l {
		if n, known := tir.AsInt(d[p]); a.Factor > 0 && known && n != a.Factor {
			return nil, nil, c.argErr(i, describe(t), "an extent of %d at axis %d, as the layout %s says", a.Factor, p, l)
		}
	}
	letters := l.Letters()
	out := make(map[byte]tir.Expr, len(letters))
	for k, e := range l.Extents(letters, d) {
		if l.Blocked() {
			e = c.Simplify(e)
		}
		out[letters[k]] = e
	}
	return t, out, nil
}

// permuteTo returns the shape in a layout of a tensor with the given extents of axes.
func (c *InferContext) permuteTo(l tensorlayout.Layout, byLetter map[byte]tir.Expr) []tir.Expr {
	letters := l.Letters()
	extents := make([]tir.Expr, len(letters))
	for k := range len(letters) {
		extents[k] = byLetter[letters[k]]
	}
	out := l.Shape(letters, extents)
	if l.Blocked() {
		for i, e := range out {
			out[i] = c.Simplify(e)
		}
	}
	return out
}

// pads returns what the attribute padding adds at the start and at the end of each of n
// spatial axes. One entry is for all sides; n entries are for both sides of an axis.
func (c *InferContext) pads(n int) (lo, hi []int64, err error) {
	p, _ := c.Ints("padding")
	for _, x := range p {
		if x > maxStep || x < -maxStep {
			return nil, nil, c.attrErr("padding", formatInts(p), "numbers of at most %d", maxStep)
		}
	}
	switch len(p) {
	case 1:
		lo, hi = repeat(p[0], n), repeat(p[0], n)
	case n:
		lo, hi = p, p
	case 2 * n:
		lo, hi = p[:n], p[n:]
	default:
		return nil, nil, c.attrErr("padding", formatInts(p), "a list of 1, %d or %d integers", n, 2*n)
	}
	return lo, hi, nil
}

func repeat(v int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// windows returns (in + pad - dilation*(kernel-1) - 1) // stride + 1 for an axis, rounded up
// if ceil.
func (c *InferContext) windows(arg int, axis byte, in, kernel tir.Expr, pad, stride, dilation int64, ceil bool) (tir.Expr, error) {
	span := tir.Mul(tir.Int(dilation), tir.Sub(kernel, tir.Int(1)))
	num := tir.Sub(tir.Sub(tir.Add(in, tir.Int(pad)), span), tir.Int(1))
	if ceil {
		num = tir.Add(num, tir.Int(stride-1))
	}
	out := c.Simplify(tir.Add(tir.FloorDiv(c.Simplify(num), tir.Int(stride)), tir.Int(1)))
	if n, ok := tir.AsInt(out); ok && n <= 0 && !tir.IsConst(in, 0) {
		return nil, c.argErr(arg, "extent "+relax.FormatPrim(in)+" of axis "+string(axis)+" with padding "+strconv.FormatInt(pad, 10),
			"at least the extent of the window, %s", relax.FormatPrim(c.Simplify(tir.Add(span, tir.Int(1)))))
	}
	return out, nil
}
