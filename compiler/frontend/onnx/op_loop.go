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
		scanBatch(n)
		return
	}
	if n.pb.Attribute("directions") != nil {
		n.fail("attribute \"directions\" is one of operator set 8")
	}
	count := scanned(n, len(n.in))
	l := &loop{node: n, path: n.path + ".body"}
	states := len(n.in) - count
	for i := range states {
		n.info(i)
		l.carried = append(l.carried, n.value(i))
	}
	l.body = n.graph("body", len(n.in), states)
	l.scans = len(l.body.Outputs) - states
	l.outputs()
	axes, directions := l.each("scan_input_axes", count), l.directions("scan_input_directions", count)
	var extent tir.Expr
	ctx := &relax.InferContext{Prover: n.g.prover}
	for i := range count {
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

// scanned is how many of so many operands are tensors whose elements the turns get.
func scanned(n *node, operands int) int {
	count := n.int("num_scan_inputs", 0)
	if count < 1 || count > int64(operands) {
		n.fail("attribute \"num_scan_inputs\" is %d for %d inputs", count, operands)
	}
	return int(count)
}

// maxBatch bounds the items of a batch that Scan before operator set 9 goes through.
const maxBatch = 64

// scanBatch is Scan before operator set 9: operand 0, the lengths of sequences, may be left out, and all others have a batch along their first axis. The tensors whose elements
// the turns get have these along the second one, and so has what is collected.
func scanBatch(n *node) {
	if n.has(0) {
		n.fail("lengths of sequences (input 0) are not supported")
	}
	if len(n.in) < 2 {
		n.fail("there is nothing to scan")
	}
	count := scanned(n, len(n.in)-1)
	states := len(n.in) - 1 - count
	batch, ok := tir.AsInt(n.batchDims(1)[0])
	if !ok || batch < 1 || batch > maxBatch {
		n.fail("the batch is %s, expected a fixed one of 1 to %d", relax.FormatPrim(n.dims(1)[0]), maxBatch)
	}
	for i := 1; i < len(n.in); i++ {
		dims := n.batchDims(i)
		if size, ok := tir.AsInt(dims[0]); !ok || size != batch {
			n.fail("input %d has a batch of %s, input 1 one of %d", i, relax.FormatPrim(dims[0]), batch)
		}
		if i <= states {
			continue
		}
		if len(dims) < 2 {
			n.fail("input %d has %d dimensions, expected a batch and a sequence", i, len(dims))
		}
		if first := n.dims(1 + states)[1]; !sameDims([]tir.Expr{first}, dims[1:2]) {
			n.fail("inputs %d and %d have %s and %s elements along their sequences, expected as many", 1+states, i, relax.FormatPrim(first), relax.FormatPrim(dims[1]))
		}
	}
	body := n.graph("body", len(n.in)-1, states)
	limit := &value{known: scalar(dtype.Int64T, n.dims(1 + states)[1])}
	var outs [][]*value // by result
	for b := range batch {
		l := &loop{node: n, path: n.path + ".body", body: body, scans: len(body.Outputs) - states, limit: limit}
		directions := l.directions("directions", count)
		for i := 1; i < len(n.in); i++ {
			item := &value{expr: n.reshape(n.part(n.expr(i), 0, tir.Int(b), tir.Int(b+1)), n.dims(i)[1:])}
			if i <= states {
				l.carried = append(l.carried, item)
			} else {
				l.sources = append(l.sources, &source{item, 0, directions[i-1-states]})
			}
		}
		l.outputs()
		carried, collected := l.repeat()
		for k, v := range append(carried, collected...) {
			if b == 0 {
				outs = append(outs, nil)
			}
			outs[k] = append(outs[k], v)
		}
	}
	for i := range n.pb.Outputs {
		n.setValue(i, &value{expr: n.stackOf(outs[i])})
	}
}

// batchDims returns the extents of operand i, of which there is one at least.
func (n *node) batchDims(i int) []tir.Expr {
	dims := n.dims(i)
	if len(dims) == 0 {
		n.fail("input %d has no dimensions, expected a batch", i)
	}
	return dims
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
