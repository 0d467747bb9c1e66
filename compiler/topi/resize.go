package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ResizeOpts are the parameters of Resize, with the names and meanings that ONNX Resize
// and TVM's resize2d have.
type ResizeOpts struct {
	Layout        string
	Method        string // "nearest_neighbor", "linear", "cubic"
	Coordinate    string // "half_pixel", "align_corners", "asymmetric", ...
	Rounding      string // of nearest_neighbor
	CubicAlpha    float64
	CubicExclude  bool
	ROI           []float64 // of tf_crop_and_resize: the start along each axis, then the end, relative to the extents
	Extrapolation float64
	Out           dtype.DType

	divided bool // nearest elements are those at quotients of integers, where these are the same
}

// Resize resizes the images of x to the given height and width, or volumes to the given depth, height and width. The layout may split channels.
func Resize(x *te.Tensor, size []tir.Expr, o ResizeOpts) (*te.Tensor, error) {
	n := len(size)
	pos, err := resized(o.Layout, n)
	if err != nil {
		return nil, err
	}
	if o.Out.IsVoid() {
		o.Out = x.DType
	}
	shape := append([]tir.Expr{}, x.Shape...)
	for k, e := range size {
		shape[pos[k]] = e
	}
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	out, err := o.along("resize", x, shape, pos, all)
	switch {
	case err != nil:
		return nil, err
	case o.Method == "nearest_neighbor":
		o.divided = true
		return te.Better(out, func() []*te.Tensor { return []*te.Tensor{must(o.along("resize", x, shape, pos, all))} }), nil
	case !o.fasterInTurn(x, shape, pos):
		return out, nil
	}
	return te.Better(out, func() []*te.Tensor { return []*te.Tensor{o.inTurn(x, shape, pos)} }), nil
}

// along resizes x to a shape along some of the axes at pos, those that which names. Along the others, the shape has the extents of x.
func (o ResizeOpts) along(name string, x *te.Tensor, shape []tir.Expr, pos, which []int) (*te.Tensor, error) {
	var bad error
	out := te.Compute(name, shape, func(i []tir.Expr) tir.Expr {
		read := func(place []tir.Expr) tir.Expr {
			at := append([]tir.Expr{}, i...)
			for j, e := range place {
				at[pos[which[j]]] = e
			}
			return x.At(at...)
		}
		axes := make([]resizeAxis, len(which))
		for j, k := range which {
			p := pos[k]
			a := resizeAxis{ResizeOpts: o, in: x.Shape[p], out: shape[p]}
			if n := len(pos); len(o.ROI) == 2*n {
				a.start, a.end = o.ROI[k], o.ROI[n+k]
			}
			a.index = i[p]
			var err error
			if a.coord, err = a.coordinate(i[p]); err != nil {
				bad = err
				a.coord = fconst(0)
			}
			axes[j] = a
		}
		return o.interpolate(axes, read)
	}, te.AxisPrefix("i"))
	return out, bad
}

// fasterInTurn reports whether what is computed along the last axis serves several elements along the others: then these are computed from
// it, where neighbours along the last axis are, as vectors take them, and not at places of their own.
func (o ResizeOpts) fasterInTurn(x *te.Tensor, shape []tir.Expr, pos []int) bool {
	last := len(pos) - 1
	if last < 1 || pos[last] != len(shape)-1 || o.Method == "nearest_neighbor" || o.Coordinate == "tf_crop_and_resize" {
		return false
	}
	before, after := int64(1), int64(1)
	for k, p := range pos {
		in, ok := tir.AsInt(x.Shape[p])
		out, fixed := tir.AsInt(shape[p])
		if !ok || !fixed {
			return false
		}
		switch {
		case k < last:
			before, after = before*in, after*out
		case in == out:
			return false
		}
	}
	return after > before
}

// inTurn resizes along the last axis and then along the others. The sums are those of all axes at once.
func (o ResizeOpts) inTurn(x *te.Tensor, shape []tir.Expr, pos []int) *te.Tensor {
	last := len(pos) - 1
	part, first := o, append([]tir.Expr{}, x.Shape...)
	first[pos[last]] = shape[pos[last]]
	part.Out = dtype.Float32T // which all is interpolated in
	wide := must(part.along("resize_last", x, first, pos, []int{last}))
	others := make([]int, last)
	for k := range others {
		others[k] = k
	}
	return must(o.along("resize", wide, shape, pos, others))
}

// must is t of modes that have been computed with before.
func must(t *te.Tensor, err error) *te.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// resized returns the positions of the axes that are resized, in a layout that may split channels.
func resized(layout string, n int) ([]int, error) {
	if l, err := tensorlayout.Parse(layout); err == nil && SplitsChannels(layout) {
		var out []int
		for _, letter := range []byte(spatialLetters[n]) {
			out = append(out, l.Pos(letter))
		}
		return out, nil
	}
	pos, err := positions(layout, "NC", n)
	if err != nil {
		return nil, err
	}
	return pos[2:], nil
}

func fconst(v float64) tir.Expr { return tir.FloatConst(dtype.Float32T, v) }

func float(e tir.Expr) tir.Expr { return tir.CastTo(dtype.Float32T, e) }

// resizeAxis is one of the axes that are resized: extents and the coordinate in the input, a float.
type resizeAxis struct {
	ResizeOpts
	in, out    tir.Expr
	start, end float64
	index      tir.Expr // in the result
	coord      tir.Expr
}

// coordinate maps index i of the result to the input.
func (a *resizeAxis) coordinate(i tir.Expr) (tir.Expr, error) {
	x, in, out := float(i), float(a.in), float(a.out)
	half := fconst(0.5)
	last := func(e tir.Expr) tir.Expr { return tir.Sub(e, fconst(1)) }
	scale := tir.Div(in, out)
	if sameExpr(a.in, a.out) && a.Coordinate != "tf_crop_and_resize" && a.Coordinate != "tf_half_pixel_for_nn" {
		return x, nil
	}
	many := func(yes, no tir.Expr) tir.Expr { // unless the result has extent 1
		if n, ok := tir.AsInt(a.out); ok {
			if n > 1 {
				return yes
			}
			return no
		}
		return &tir.Select{Cond: tir.GT(a.out, tir.Int(1)), True: yes, False: no}
	}
	switch a.Coordinate {
	case "half_pixel", "half_pixel_symmetric":
		return tir.Sub(tir.Mul(tir.Add(x, half), scale), half), nil
	case "align_corners":
		return tir.Mul(x, many(tir.Div(last(in), last(out)), fconst(0))), nil
	case "asymmetric":
		return tir.Mul(x, scale), nil
	case "pytorch_half_pixel":
		return many(tir.Sub(tir.Mul(tir.Add(x, half), scale), half), fconst(0)), nil
	case "tf_half_pixel_for_nn":
		return tir.Mul(tir.Add(x, half), scale), nil
	case "tf_crop_and_resize":
		span := tir.Mul(fconst(a.end-a.start), last(in))
		from := tir.Mul(fconst(a.start), last(in))
		middle := tir.Mul(fconst(0.5*(a.start+a.end)), last(in))
		return many(tir.Add(from, tir.Mul(x, tir.Div(span, last(out)))), middle), nil
	}
	return nil, fmt.Errorf("unknown coordinate_transformation_mode %q", a.Coordinate)
}

// clamp moves an index into the input.
func (a *resizeAxis) clamp(i tir.Expr) tir.Expr {
	return tir.Max(tir.Min(i, tir.Sub(a.in, tir.Int(1))), tir.Int(0))
}

func toIndex(e tir.Expr) tir.Expr { return tir.CastTo(dtype.Int64T, e) }

func floor(e tir.Expr) tir.Expr { return call(tir.OpFloor, e) }

// nearest is the index that the coordinate is rounded to.
func (a *resizeAxis) nearest() tir.Expr {
	e := a.rounded()
	if a.divided {
		if q := a.quotient(e); q != nil {
			return q
		}
	}
	return e
}

// rounded is the coordinate, rounded.
//
// What TVM divides as integers is divided where that is the same number: an axis that grows by a whole factor, which
// is at most two where a coordinate is not rounded down.
func (a *resizeAxis) rounded() tir.Expr {
	c := a.coord
	rounding := a.Rounding
	if rounding == "" {
		rounding = "round"
		if a.Coordinate == "asymmetric" {
			rounding = "floor"
		}
	}
	n, known := tir.AsInt(a.in)
	if m, ok := tir.AsInt(a.out); ok && known && a.Coordinate == "asymmetric" && n > 0 && m > n && m%n == 0 && m < 1<<24 {
		if rounding == "floor" || m == 2*n && (rounding == "round" || rounding == "round_prefer_floor") {
			return a.clamp(tir.Div(a.index, tir.Int(m/n)))
		}
	}
	switch rounding {
	case "floor":
		c = floor(c)
	case "ceil":
		c = call(tir.OpCeil, c)
	case "round_prefer_ceil":
		c = floor(tir.Add(c, fconst(0.5)))
	default: // "round" and "round_prefer_floor": a half goes down
		c = call(tir.OpCeil, tir.Sub(c, fconst(0.5)))
	}
	return a.clamp(toIndex(c))
}

// taps returns the indices of the input that contribute and their weights.
func (a *resizeAxis) taps() (at, weights []tir.Expr) {
	base := floor(a.coord)
	t := tir.Sub(a.coord, base)
	i := toIndex(base)
	if a.Method == "linear" {
		one := tir.Add(i, tir.Int(1))
		return []tir.Expr{a.clamp(i), a.clamp(one)}, []tir.Expr{tir.Sub(fconst(1), t), t}
	}
	weights = cubicWeights(t, a.CubicAlpha)
	var total tir.Expr = fconst(0)
	for k := range weights {
		j := tir.Add(i, tir.Int(int64(k-1)))
		if a.CubicExclude {
			inside := tir.And(tir.LE(tir.Int(0), j), tir.LT(j, a.in))
			weights[k] = &tir.Select{Cond: inside, True: weights[k], False: fconst(0)}
			total = tir.Add(total, weights[k])
		}
		at = append(at, a.clamp(j))
	}
	if a.CubicExclude {
		for k := range weights {
			weights[k] = tir.Div(weights[k], total)
		}
	}
	return at, weights
}

// cubicWeights are the weights at distances 1+t, t, 1-t and 2-t of Keys' cubic convolution
// kernel with parameter a.
func cubicWeights(t tir.Expr, a float64) []tir.Expr {
	number := func(v float64) tir.Expr { return tir.FloatConst(t.DType(), v) }
	poly := func(x tir.Expr, c3, c2, c1, c0 float64) tir.Expr { // Horner
		e := tir.Add(tir.Mul(number(c3), x), number(c2))
		e = tir.Add(tir.Mul(e, x), number(c1))
		return tir.Add(tir.Mul(e, x), number(c0))
	}
	far := func(x tir.Expr) tir.Expr { return poly(x, a, -5*a, 8*a, -4*a) }
	near := func(x tir.Expr) tir.Expr { return poly(x, a+2, -(a + 3), 0, 1) }
	one, two := number(1), number(2)
	return []tir.Expr{far(tir.Add(t, one)), near(t), near(tir.Sub(one, t)), far(tir.Sub(two, t))}
}

func (o ResizeOpts) interpolate(axes []resizeAxis, read func(at []tir.Expr) tir.Expr) tir.Expr {
	if o.Method == "nearest_neighbor" {
		var at []tir.Expr
		for k := range axes {
			at = append(at, axes[k].nearest())
		}
		return o.crop(axes, tir.CastTo(o.Out, read(at)))
	}
	list := make([]taps, len(axes))
	for k := range axes {
		list[k].at, list[k].weights = axes[k].taps()
	}
	return o.crop(axes, tir.CastTo(o.Out, interpolate(list, nil, func(at []tir.Expr) tir.Expr { return float(read(at)) })))
}

// taps is where along an axis elements are read, and their weights; none where a single one counts.
type taps struct{ at, weights []tir.Expr }

// bindTaps computes what taps are made of for body.
func bindTaps(axes []taps, body func(axes []taps) tir.Stmt) tir.Stmt {
	bound := make([]taps, len(axes))
	var vars []*tir.Var
	var values []tir.Expr
	bind := func(name string, e tir.Expr) tir.Expr {
		v := tir.NewVar(name, e.DType())
		vars, values = append(vars, v), append(values, e)
		return v
	}
	for k, a := range axes {
		for _, e := range a.at {
			bound[k].at = append(bound[k].at, bind("at", e))
		}
		for _, e := range a.weights {
			bound[k].weights = append(bound[k].weights, bind("weight", e))
		}
	}
	st := body(bound)
	for k := len(vars) - 1; k >= 0; k-- {
		st = &tir.LetStmt{Var: vars[k], Value: values[k], Body: st}
	}
	return st
}

// interpolate sums over the taps of the first axis what they contribute along the others.
func interpolate(axes []taps, at []tir.Expr, read func(at []tir.Expr) tir.Expr) tir.Expr {
	if len(axes) == 0 {
		return read(at)
	}
	var sum tir.Expr
	for k, e := range axes[0].at {
		v := interpolate(axes[1:], append(at[:len(at):len(at)], e), read)
		if axes[0].weights != nil {
			v = tir.Mul(v, axes[0].weights[k])
		}
		if sum == nil {
			sum = v
		} else {
			sum = tir.Add(sum, v)
		}
	}
	return sum
}

// crop replaces what lies outside of the input by the extrapolation value.
func (o ResizeOpts) crop(axes []resizeAxis, e tir.Expr) tir.Expr {
	if o.Coordinate != "tf_crop_and_resize" {
		return e
	}
	var inside []tir.Expr
	for _, a := range axes {
		inside = append(inside, tir.LE(fconst(0), a.coord), tir.LE(a.coord, tir.Sub(float(a.in), fconst(1))))
	}
	return tir.IfThenElseExpr(all(inside), e, tir.FloatConst(e.DType(), o.Extrapolation))
}
