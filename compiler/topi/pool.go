package topi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// PoolOpts are the parameters of a pooling of n spatial axes.
type PoolOpts struct {
	Size, Strides, Dilation []int64
	Before, After           []int64
	CeilMode                bool
	CountIncludePad         bool
	Layout, Result          string // of data and result, e.g. "NCHW"; "" is that of the data
}

// pool holds what the kinds of pooling share. The positions are those of batch and channels, of n spatial axes, and of parts of channels.
type pool struct {
	n          int
	x          *te.Tensor
	dpos, rpos []int
}

func newPool(x *te.Tensor, layout, result string) (*pool, error) {
	p := &pool{n: x.NDim() - 2, x: x}
	if result == "" {
		result = layout
	}
	var err error
	if l, bad := tensorlayout.Parse(layout); bad == nil && l.Blocked() {
		if layout != result || !SplitsChannels(layout) {
			return nil, fmt.Errorf("layout %q is not supported with %q for the result: expected one layout that splits channels", layout, result)
		}
		return p.inParts(l), nil
	}
	if p.dpos, err = positions(layout, "NC", p.n); err == nil {
		p.rpos, err = positions(result, "NC", p.n)
	}
	return p, err
}

// SplitsChannels reports whether a layout splits the axis of channels and no other. Pool and Resize take such layouts: they treat each channel by itself.
func SplitsChannels(layout string) bool {
	l, err := tensorlayout.Parse(layout)
	if err != nil || !l.Blocked() {
		return false
	}
	spatial := 0
	for _, a := range l {
		if a.Letter != 'C' && a.Factor > 0 {
			return false
		}
		if strings.IndexByte(spatialLetters[3], a.Letter) >= 0 {
			spatial++
		}
	}
	return l.Pos('N') >= 0 && l.Pos('C') >= 0 && l.Rank() == 2+spatial
}

// inParts sets the positions in a layout that splits channels.
func (p *pool) inParts(l tensorlayout.Layout) *pool {
	p.dpos = []int{l.Pos('N'), l.Pos('C')}
	for _, letter := range []byte(spatialLetters[3]) {
		if k := l.Pos(letter); k >= 0 {
			p.dpos = append(p.dpos, k)
		}
	}
	p.n = len(p.dpos) - 2
	for k, a := range l {
		if a.Factor > 0 {
			p.dpos = append(p.dpos, k)
		}
	}
	p.rpos = p.dpos
	return p
}

func (p *pool) axes(extents []tir.Expr) []*tir.IterVar {
	out := make([]*tir.IterVar, len(extents))
	for k, e := range extents {
		out[k] = te.ReduceAxis("rv"+strconv.Itoa(k), e)
	}
	return out
}

func (p *pool) shape(spatial []tir.Expr) []tir.Expr {
	list := append([]tir.Expr{p.x.Shape[p.dpos[0]], p.x.Shape[p.dpos[1]]}, spatial...)
	for _, d := range p.dpos[2+p.n:] {
		list = append(list, p.x.Shape[d])
	}
	return arrange(p.rpos, list...)
}

// split returns the spatial indices of index i of the result.
func (p *pool) split(i []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, p.n)
	for k, r := range p.rpos[2 : 2+p.n] {
		out[k] = i[r]
	}
	return out
}

// source returns the index into the data for batch and channel of i and spatial indices at.
func (p *pool) source(i, at []tir.Expr) []tir.Expr {
	list := append([]tir.Expr{i[p.rpos[0]], i[p.rpos[1]]}, at...)
	for _, r := range p.rpos[2+p.n:] {
		list = append(list, i[r])
	}
	return arrange(p.dpos, list...)
}

// Pool reduces windows of x to their maximum (kind "max") or mean ("avg"). In ceil mode a
// last window may reach beyond the padding. A mean counts the elements of its window that
// lie in the data, or also in the padding if CountIncludePad.
//
// In ceil mode TVM pads by a stride less one, what is tuned only where a window reaches there.
func Pool(kind string, x *te.Tensor, o PoolOpts) (*te.Tensor, error) {
	p, err := newPool(x, o.Layout, o.Result)
	if err != nil {
		return nil, err
	}
	out := p.reduce(kind, o, false)
	if o.CeilMode || kind == "avg" || p.padsParts(o) {
		te.Better(out, func() []*te.Tensor { return []*te.Tensor{p.reduce(kind, o, true)} })
	}
	return out, nil
}

// padsParts reports whether there is padding of a layout whose last axis is a part of the channels.
func (p *pool) padsParts(o PoolOpts) bool {
	return len(p.dpos) > 2+p.n && slices.Max(p.dpos) == p.dpos[2+p.n] && (anyNonZero(o.Before) || anyNonZero(o.After))
}

// overlaps reports whether each window has an element of the data, with so much padding behind them, so that elements of the padding may be replaced in a maximum by the
// nearest one of the data, which is in the window too.
func (p *pool) overlaps(o PoolOpts, after []int64) bool {
	for k := range p.n {
		if o.Dilation[k] != 1 || o.Before[k] < 0 || after[k] < 0 || o.Before[k] >= o.Size[k] || after[k] >= o.Size[k] {
			return false
		}
	}
	return true
}

// reduce is the pooling, with padding where it is needed alone if tight. Maxima over parts of channels then read the nearest element of the data for one of the padding: no
// vector of channels is cut by that, and no padded copy is made.
func (p *pool) reduce(kind string, o PoolOpts, tight bool) *te.Tensor {
	x, exact := p.x, true // every window lies within data and padding
	spatial, size := make([]tir.Expr, p.n), make([]tir.Expr, p.n)
	after := append([]int64{}, o.After...)
	for k, d := range p.dpos[2 : 2+p.n] {
		n := x.Shape[d]
		size[k] = tir.Int(o.Size[k])
		full := tir.Add(n, tir.Int(o.Before[k]+after[k]))
		if o.CeilMode {
			rest := tir.FloorMod(tir.Sub(full, tir.Int((o.Size[k]-1)*o.Dilation[k]+1)), tir.Int(o.Strides[k]))
			if !tight || !tir.IsConst(rest, 0) {
				exact = false
				after[k] += o.Strides[k] - 1 // enough for the last window
				full = tir.Add(full, tir.Int(o.Strides[k]-1))
			}
		}
		spatial[k] = windows(full, size[k], o.Strides[k], o.Dilation[k])
	}
	fill := tir.Const(x.DType, 0)
	if kind == "max" {
		fill = te.MinValue(x.DType)
	}
	padded, nearest := x, tight && kind == "max" && p.padsParts(o) && p.overlaps(o, after)
	if !nearest && (anyNonZero(o.Before) || anyNonZero(after)) {
		padded = padOneSided(x, arrangeInts(p.dpos, o.Before), arrangeInts(p.dpos, after), fill, "pad_temp")
	}
	rv := p.axes(size)
	at := func(i []tir.Expr) tir.Expr {
		idx := p.split(i)
		for k := range idx {
			idx[k] = tir.Add(tir.Mul(idx[k], tir.Int(o.Strides[k])), tir.Mul(rv[k].Var, tir.Int(o.Dilation[k])))
			if nearest {
				last := tir.Sub(x.Shape[p.dpos[2+k]], tir.Int(1))
				idx[k] = tir.Max(tir.Min(tir.Sub(idx[k], tir.Int(o.Before[k])), last), tir.Int(0))
			}
		}
		return padded.At(p.source(i, idx)...)
	}
	if kind == "max" {
		return te.Compute("pool_max", p.shape(spatial), func(i []tir.Expr) tir.Expr { return te.Max(at(i), rv...) },
			te.Attr("schedule_rule", "meta_schedule.pool_max"))
	}
	total := te.Compute("pool_sum", p.shape(spatial), func(i []tir.Expr) tir.Expr { return te.Sum(at(i), rv...) })
	return te.Compute("pool_avg", p.shape(spatial), func(i []tir.Expr) tir.Expr {
		n := p.count(p.split(i), o)
		if tight {
			n = p.tightCount(p.split(i), o, exact)
		}
		return tir.Div(total.At(i...), tir.CastTo(x.DType, n))
	}, te.Attr("schedule_rule", "meta_schedule.pool_avg"))
}

// count is the number of elements of the window at index idx that a mean counts.
func (p *pool) count(idx []tir.Expr, o PoolOpts) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for k, y := range idx {
		d := tir.Int(o.Dilation[k])
		start := tir.Sub(tir.Mul(y, tir.Int(o.Strides[k])), tir.Int(o.Before[k]))
		end := tir.Add(start, tir.Int((o.Size[k]-1)*o.Dilation[k]))
		extent := p.x.Shape[p.dpos[2+k]]
		if o.CountIncludePad {
			end = tir.Min(end, tir.Sub(tir.Add(extent, tir.Int(o.After[k])), tir.Int(1)))
		} else {
			// Elements in front of the data are stepped over.
			jumps := tir.Max(tir.Div(tir.Sub(tir.Int(o.Dilation[k]-1), start), d), tir.Int(0))
			end = tir.Min(end, tir.Sub(extent, tir.Int(1)))
			start = tir.Add(start, tir.Mul(d, jumps))
		}
		n = tir.Mul(n, tir.Add(tir.Div(tir.Sub(end, start), d), tir.Int(1)))
	}
	if o.CountIncludePad && !o.CeilMode { // without, no window lies behind the padding
		return n
	}
	return tir.Max(n, tir.Int(1))
}

// tightCount is count without tests where every window is whole, and with floor divisions, which
// are shifts for powers of two.
func (p *pool) tightCount(idx []tir.Expr, o PoolOpts, exact bool) tir.Expr {
	n := tir.Expr(tir.Int(1))
	padded := anyNonZero(o.Before) || anyNonZero(o.After)
	for k, y := range idx {
		size := tir.Int(o.Size[k])
		if exact && (o.CountIncludePad || !padded) {
			n = tir.Mul(n, size)
			continue
		}
		// Elements start, start+dilation, ... of which those from lo to hi count.
		start := tir.Sub(tir.Mul(y, tir.Int(o.Strides[k])), tir.Int(o.Before[k]))
		lo, hi := tir.Expr(tir.Int(0)), p.x.Shape[p.dpos[2+k]]
		if o.CountIncludePad {
			lo, hi = tir.Int(-o.Before[k]), tir.Add(hi, tir.Int(o.After[k]))
		}
		d := tir.Int(o.Dilation[k])
		first := tir.Max(tir.FloorDiv(tir.Add(tir.Sub(lo, start), tir.Int(o.Dilation[k]-1)), d), tir.Int(0))
		end := tir.Min(tir.Add(tir.FloorDiv(tir.Sub(tir.Sub(hi, tir.Int(1)), start), d), tir.Int(1)), size)
		n = tir.Mul(n, tir.Max(tir.Sub(end, first), tir.Int(0)))
	}
	if exact && (o.CountIncludePad || !padded) {
		return n
	}
	return tir.Max(n, tir.Int(1))
}

// AdaptiveAvgPool is the mean over windows that divide each spatial axis into out[k] parts
// of about one size: part y goes from floor(y n/out) to ceil((y+1) n/out).
func AdaptiveAvgPool(x *te.Tensor, out []tir.Expr, layout, result string) (*te.Tensor, error) {
	p, err := newPool(x, layout, result)
	if err != nil {
		return nil, err
	}
	size := make([]tir.Expr, p.n)
	even := make([]bool, p.n)
	for k, d := range p.dpos[2 : 2+p.n] {
		n, nok := tir.AsInt(x.Shape[d])
		m, mok := tir.AsInt(out[k])
		switch {
		case sameExpr(x.Shape[d], out[k]):
			size[k], even[k] = tir.Int(1), true
		case mok && m == 1:
			size[k], even[k] = x.Shape[d], true
		case nok && mok && n%m == 0:
			size[k], even[k] = tir.Int(n/m), true
		default: // a part has at most two elements more than the quotient
			size[k] = tir.Add(tir.FloorDiv(x.Shape[d], out[k]), tir.Int(2))
		}
	}
	bounds := func(k int, y tir.Expr) (start, end tir.Expr) {
		n := x.Shape[p.dpos[2+k]]
		if even[k] {
			start = tir.Mul(y, size[k])
			return start, tir.Add(start, size[k])
		}
		up := tir.Add(tir.Mul(tir.Add(y, tir.Int(1)), n), tir.Sub(out[k], tir.Int(1)))
		return tir.FloorDiv(tir.Mul(y, n), out[k]), tir.FloorDiv(up, out[k])
	}
	rv := p.axes(size)
	shape := p.shape(out)
	total := te.Compute("adaptive_pool_sum", shape, func(i []tir.Expr) tir.Expr {
		at := p.split(i)
		var inside []tir.Expr
		for k := range at {
			start, end := bounds(k, at[k])
			at[k] = tir.Add(start, rv[k].Var)
			if !even[k] {
				inside = append(inside, tir.LT(at[k], end))
			}
		}
		e := x.At(p.source(i, at)...)
		if len(inside) > 0 {
			e = tir.IfThenElseExpr(all(inside), e, tir.Const(e.DType(), 0))
		}
		return te.Sum(e, rv...)
	})
	return te.Compute("adaptive_pool_avg", shape, func(i []tir.Expr) tir.Expr {
		n := tir.Expr(tir.Int(1))
		for k, y := range p.split(i) {
			start, end := bounds(k, y)
			if even[k] {
				n = tir.Mul(n, size[k])
			} else {
				n = tir.Mul(n, tir.Sub(end, start))
			}
		}
		e := total.At(i...)
		return tir.Div(e, tir.CastTo(e.DType(), n))
	}, te.Attr("schedule_rule", "meta_schedule.adaptive_pool_avg")), nil
}
