package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// loopOp is Loop: operands are the trip count, the condition, and what is carried.
func loopOp(n *node) {
	l := &loop{node: n, path: n.path + ".body", numbered: true}
	if n.has(0) {
		n.wantDType(0, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
		l.limit = n.value(0)
	}
	if n.has(1) {
		n.wantDType(1, "bool", dtype.DType.IsBool)
		l.cond = n.value(1)
	}
	for i := 2; i < len(n.in); i++ {
		l.carried = append(l.carried, n.value(i))
	}
	l.body = n.graph("body", 2+len(l.carried), 1+len(l.carried))
	l.scans = len(l.body.Outputs) - 1 - len(l.carried)
	l.outputs()
	l.results(l.repeat())
}

func (l *loop) outputs() {
	if want := len(l.carried) + l.scans; len(l.pb.Outputs) > want {
		l.fail("has %d outputs, but the body yields %d", len(l.pb.Outputs), want)
	}
}

// scan is Scan: operands are what is carried, and the tensors whose elements the turns get.
func scan(n *node) {
	if n.opset < 9 {
		n.fail("operator set %d is not supported for Scan, which was another operator before 9", n.opset)
	}
	count := n.int("num_scan_inputs", 0)
	if count < 1 || count > int64(len(n.in)) {
		n.fail("attribute \"num_scan_inputs\" is %d for %d inputs", count, len(n.in))
	}
	l := &loop{node: n, path: n.path + ".body"}
	states := len(n.in) - int(count)
	for i := range states {
		n.info(i)
		l.carried = append(l.carried, n.value(i))
	}
	l.body = n.graph("body", len(n.in), states)
	l.scans = len(l.body.Outputs) - states
	l.outputs()
	axes, directions := l.each("scan_input_axes", int(count)), l.directions("scan_input_directions", int(count))
	var extent tir.Expr
	ctx := &relax.InferContext{Prover: n.g.prover}
	for i := range int(count) {
		dims := n.dims(states + i)
		axis := n.axis(axes[i], len(dims))
		l.sources = append(l.sources, &source{n.value(states + i), axis, directions[i]})
		switch {
		case extent == nil:
			extent = dims[axis]
		case ctx.Equal(extent, dims[axis]) == relax.False:
			n.fail("inputs %d and %d have %s and %s elements along their axes, expected as many", states, states+i, relax.FormatPrim(extent), relax.FormatPrim(dims[axis]))
		}
	}
	l.limit = &value{known: scalar(dtype.Int64T, extent)}
	outAxes, reversed := l.each("scan_output_axes", l.scans), l.directions("scan_output_directions", l.scans)
	carried, collected := l.repeat()
	for k, v := range collected {
		x := n.tensor(v)
		if reversed[k] {
			x = n.emit("relax.flip", args(x), "axis", int64(0))
		}
		rank := len(l.extents(x, k))
		if axis := n.axis(outAxes[k], rank); axis > 0 {
			var order []int64
			for i := 1; i < rank; i++ {
				order = append(order, int64(i))
			}
			order = append(order[:axis:axis], append([]int64{0}, order[axis:]...)...)
			x = n.emit("relax.permute_dims", args(x), "axes", order)
		}
		collected[k] = &value{expr: x}
	}
	l.results(carried, collected)
}

// each is a list attribute with a number for each of count tensors, zeros by default.
func (l *loop) each(name string, count int) []int64 {
	list := l.ints(name)
	if list == nil {
		return make([]int64, count)
	}
	if len(list) != count {
		l.fail("attribute %q has %d elements, expected %d", name, len(list), count)
	}
	return list
}

func (l *loop) directions(name string, count int) []bool {
	out := make([]bool, count)
	for i, d := range l.each(name, count) {
		if d != 0 && d != 1 {
			l.fail("attribute %q has the element %d, expected 0 or 1", name, d)
		}
		out[i] = d == 1
	}
	return out
}
