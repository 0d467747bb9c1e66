package onnx

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
)

// lpRows are the operators that compute p-norms, the p-th root of the sum of |x|^p.
func lpRows() []operator {
	return []operator{
		{name: "LpNormalization", minIn: 1, maxIn: 1, attrs: []string{"axis", "p"}, convert: lpNormalization},
		{
			name: "LpPool", minIn: 1, maxIn: 1,
			attrs: append(slices.Clone(windowAttrs), "ceil_mode", "p"), convert: lpPool,
		},
		{name: "GlobalLpPool", minIn: 1, maxIn: 1, attrs: []string{"p"}, convert: globalLpPool},
	}
}

// power is |x|^p, where p is the attribute.
func (n *node) power(x relax.Expr) relax.Expr {
	switch p := n.int("p", 2); {
	case p < 1 || p > 64:
		n.fail("attribute \"p\" is %d, expected 1 to 64", p)
	case p == 1:
		return n.emit("relax.abs", args(x))
	case p == 2:
		return n.emit("relax.multiply", args(x, x))
	default:
		return n.emit("relax.power", args(n.emit("relax.abs", args(x)), n.constant(n.dtype(0).Accumulator(), float64(p))))
	}
	return nil
}

// root is the call that takes the p-th root of a sum of powers; of one that is the sum itself, which no absolute value changes.
func (n *node) root(sum relax.Expr) (name string, as []relax.Expr) {
	switch p := n.int("p", 2); p {
	case 1:
		return "relax.abs", args(sum)
	case 2:
		return "relax.sqrt", args(sum)
	default:
		return "relax.power", args(sum, n.constant(n.dtype(0).Accumulator(), 1/float64(p)))
	}
}

// lpNormalization divides by the norm along an axis; where that is 0 the result is 0.
func lpNormalization(n *node) {
	elem := n.dtype(0)
	x := n.widened(n.floats(0), elem)
	axis := n.axis(n.int("axis", -1), n.rank(0))
	if p := n.int("p", 2); p != 1 && p != 2 {
		n.fail("attribute \"p\" is %d, expected 1 or 2", p)
	}
	name, as := n.root(n.emit("relax.sum", args(n.power(x)), "axis", []int64{int64(axis)}, "keepdims", true))
	norm, zero := n.emit(name, as), n.constant(elem.Accumulator(), 0)
	quotient := n.emit("relax.divide", args(x, norm))
	n.roundedResult(elem, "relax.where", args(n.emit("relax.equal", args(norm, zero)), zero, quotient))
}

// lpPool is the mean over each window, padding included, times the size of the window.
func lpPool(n *node) {
	elem := n.dtype(0)
	n.padSame(n.ints("kernel_shape"), 0)
	x := n.widened(n.floats(0), elem)
	w, r, extra := n.pooling()
	y := n.emit(fmt.Sprintf("relax.nn.avg_pool%dd", r), args(n.power(x)), "pool_size", w.kernel, "strides", w.strides,
		"dilation", w.dilations, "padding", w.padded(extra), "count_include_pad", true)
	size := 1.0
	for _, k := range w.kernel {
		size *= float64(k)
	}
	name, as := n.root(n.emit("relax.multiply", args(y, n.constant(elem.Accumulator(), size))))
	n.roundedResult(elem, name, as)
}

func globalLpPool(n *node) {
	elem := n.dtype(0)
	y := n.power(n.widened(n.floats(0), elem))
	name, as := n.root(n.emit("relax.sum", args(y), "axis", n.spatialAxes(), "keepdims", true))
	n.roundedResult(elem, name, as)
}
