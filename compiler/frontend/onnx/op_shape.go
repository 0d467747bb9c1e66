package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// shapeRows are the operators that change the shape of a tensor but not its elements, and
// those that ask for the shape.
func shapeRows() []operator {
	return []operator{
		{name: "Shape", minIn: 1, maxIn: 1, attrs: []string{"start", "end"}, convert: shapeOf},
		{name: "Size", minIn: 1, maxIn: 1, convert: func(n *node) {
			n.setValue(0, &value{known: scalar(dtype.Int64T, product(n.dims(0)))})
		}},
		{name: "Reshape", minIn: 2, maxIn: 2, attrs: []string{"allowzero"}, convert: reshape, fold: foldReshape},
		{name: "Flatten", minIn: 1, maxIn: 1, attrs: []string{"axis"}, convert: flatten},
		{name: "Squeeze", minIn: 1, maxIn: 2, attrs: []string{"axes"}, convert: squeeze, fold: foldSqueeze},
		{name: "Unsqueeze", minIn: 1, maxIn: 2, attrs: []string{"axes"}, convert: unsqueeze, fold: foldUnsqueeze},
		{name: "Transpose", minIn: 1, maxIn: 1, attrs: []string{"perm"}, convert: transpose, fold: foldTranspose},
		{name: "Expand", minIn: 2, maxIn: 2, convert: expand, fold: foldExpand},
		{name: "Tile", minIn: 2, maxIn: 2, convert: tile, fold: foldTile},
		{name: "DepthToSpace", minIn: 1, maxIn: 1, attrs: []string{"blocksize", "mode"}, convert: depthToSpace},
		{name: "SpaceToDepth", minIn: 1, maxIn: 1, attrs: []string{"blocksize"}, convert: spaceToDepth},
	}
}

// shapeOf yields the extents as known elements: they become a tensor only where one is needed.
func shapeOf(n *node) {
	dims := n.dims(0)
	r := int64(len(dims))
	clamp := func(v int64) int64 {
		if v < 0 {
			v += r
		}
		return min(max(v, 0), r)
	}
	start, end := clamp(n.int("start", 0)), clamp(n.int("end", r))
	n.setValue(0, &value{known: vector(dtype.Int64T, slices.Clone(dims[start:max(start, end)]))})
}

func reshape(n *node) {
	dims := n.dims(0)
	if n.has(1) && n.known(1) == nil {
		n.reshapeByData(dims)
		return
	}
	n.reshapeResult(n.expr(0), n.target(dims, n.shapeOperand(1, "the shape")))
}

// target resolves the 0 and -1 of a reshape: 0 copies an extent (with allowzero it is 0), -1
// is what is left over.
func (n *node) target(from, to []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(to))
	free := -1
	literal, zero := n.bool("allowzero", false), false
	for i, d := range to {
		v, ok := tir.AsInt(d)
		out[i] = tir.CastTo(dtype.Int64T, d)
		switch {
		case !ok || v > 0:
		case v == 0 && literal:
			zero = true
		case v == 0 && i < len(from):
			out[i] = from[i]
		case v == 0:
			n.fail("the shape %s copies extent %d of an input with %d dimensions", relax.FormatDims(to), i, len(from))
		case v == -1 && free < 0:
			free, out[i] = i, tir.Int(1)
		default:
			n.fail("the shape %s has more than one extent below 0", relax.FormatDims(to))
		}
	}
	total, rest := product(from), product(out)
	a, aok := tir.AsInt(total)
	b, bok := tir.AsInt(rest)
	switch {
	case zero && free >= 0:
		n.fail("the shape %s has both 0 and -1, which allowzero=1 does not allow: any extent would fit for -1", relax.FormatDims(to))
	case zero && !aok:
		n.fail("the shape %s has no elements, but an input of shape %s may have some: fix its extents", relax.FormatDims(to), relax.FormatDims(from))
	case free < 0 && aok && bok && a != b:
		n.fail("an input of shape %s has %d elements, but the shape %s has %d", relax.FormatDims(from), a, relax.FormatDims(to), b)
	case free >= 0 && aok && bok && (b == 0 || a%b != 0):
		n.fail("an input of shape %s does not fit the shape %s", relax.FormatDims(from), relax.FormatDims(to))
	case free >= 0:
		out[free] = divideProducts(total, rest)
	}
	n.check(checkElements(out))
	return out
}

func flatten(n *node) {
	dims := n.dims(0)
	axis := int(n.int("axis", 1))
	if axis < 0 {
		axis += len(dims)
	}
	if axis < 0 || axis > len(dims) {
		n.fail("axis %d is out of range for %d dimensions", n.int("axis", 1), len(dims))
	}
	n.reshapeResult(n.expr(0), []tir.Expr{product(dims[:axis]), product(dims[axis:])})
}

// axesArg returns the axes, an attribute up to operator set 12 and an operand since; ok is
// false where there are none.
func (n *node) axesArg() (axes []int64, ok bool) {
	if n.has(1) {
		return n.intsOperand(1, "axes"), true
	}
	axes = n.ints("axes")
	return axes, axes != nil
}

// squeezed returns the extents that are left when axes are dropped.
func (n *node) squeezed(dims []tir.Expr) []tir.Expr {
	axes, given := n.axesArg()
	drop := make([]bool, len(dims))
	for _, a := range n.axes(axes, len(dims)) {
		if v, ok := tir.AsInt(dims[a]); ok && v != 1 {
			n.fail("axis %d has extent %d, expected 1", a, v)
		}
		drop[a] = true
	}
	out := []tir.Expr{}
	for i, d := range dims {
		if !drop[i] && (given || !tir.IsConst(d, 1)) {
			out = append(out, d)
		}
	}
	return out
}

func squeeze(n *node) {
	dims := n.dims(0)
	out := n.squeezed(dims)
	if e := n.view(n.expr(0), out); e != nil {
		n.set(0, e)
		return
	}
	axes, given := n.axesArg()
	var list any
	if given {
		list = axes
	}
	n.result("relax.squeeze", args(n.expr(0)), "axis", list)
}

// unsqueezed returns the extents with those of the new axes, and the axes in order.
func (n *node) unsqueezed(dims []tir.Expr) ([]tir.Expr, []int64) {
	axes, given := n.axesArg()
	if !given {
		n.fail("the axes are missing")
	}
	if len(dims)+len(axes) > 64 {
		n.fail("the result would have %d dimensions, the limit is 64", len(dims)+len(axes))
	}
	list := n.axes(axes, len(dims)+len(axes))
	slices.Sort(list)
	out := slices.Clone(dims)
	sorted := make([]int64, len(list))
	for i, a := range list {
		out = slices.Insert(out, a, tir.Expr(tir.Int(1)))
		sorted[i] = int64(a)
	}
	return out, sorted
}

func unsqueeze(n *node) {
	out, axes := n.unsqueezed(n.dims(0))
	if e := n.view(n.expr(0), out); e != nil {
		n.set(0, e)
		return
	}
	n.result("relax.expand_dims", args(n.expr(0)), "axis", axes)
}

func transpose(n *node) {
	rank := n.rank(0)
	identity := true
	axes := make([]int64, rank)
	for i, a := range n.permutation(rank) {
		axes[i] = int64(a)
		identity = identity && a == i
	}
	if identity {
		n.setValue(0, n.value(0))
		return
	}
	n.result("relax.permute_dims", args(n.expr(0)), "axes", axes)
}

// expand broadcasts in both directions: the result has the greater of each two extents.
func expand(n *node) {
	from := n.dims(0)
	to := slices.Clone(n.wideExtents(from))
	if len(to) > 64 {
		n.fail("the shape has %d dimensions, the limit is 64", len(to))
	}
	for len(to) < len(from) {
		to = slices.Insert(to, 0, tir.Expr(tir.Int(1)))
	}
	for i, d := range from {
		k := len(to) - len(from) + i
		to[k] = tir.CastTo(dtype.Int64T, to[k])
		w, fixed := tir.AsInt(d)
		switch v, ok := tir.AsInt(to[k]); {
		case ok && v == 1 || !ok && fixed && w != 1: // a symbolic one is this or 1
			to[k] = d
		case tir.IsConst(d, 1) || !ok:
		default:
			if fixed && w != v {
				n.fail("extent %d of the shape is %d, but the input has %d there", k, v, w)
			}
		}
	}
	n.check(checkElements(to))
	if sameDims(from, to) {
		n.setValue(0, n.value(0))
		return
	}
	n.result("relax.broadcast_to", args(n.expr(0), shapeExpr(to)))
}

func tile(n *node) {
	dims, list := n.dims(0), n.extentsOperand(1, "repeats")
	if len(list) != len(dims) {
		n.fail("there are %d repeats for %d dimensions", len(list), len(dims))
	}
	repeats, ok := relax.StaticInts(list)
	if !ok { // an axis in front of each, which is broadcast
		var apart, wide, out []tir.Expr
		for i, d := range dims {
			r := tir.CastTo(dtype.Int64T, list[i])
			apart, wide, out = append(apart, tir.Int(1), d), append(wide, r, d), append(out, tir.Mul(r, d))
		}
		n.check(checkElements(out))
		n.reshapeResult(n.emit("relax.broadcast_to", args(n.reshape(n.expr(0), apart), shapeExpr(wide))), out)
		return
	}
	for i, r := range repeats {
		if r < 0 {
			n.fail("repeat %d is %d, expected 0 or more", i, r)
		}
	}
	n.result("relax.tile", args(n.expr(0)), "repeats", repeats)
}
