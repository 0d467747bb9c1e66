package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// stacked reports whether operand i is a sequence whose length shows at run time. With wanted a list becomes one, if its elements have one shape.
func (n *node) stacked(i int, wanted bool) bool {
	v := n.value(i)
	if v.stack == nil && v.list != nil && wanted {
		v = &value{stack: n.stackOf(v.list.of)}
		n.in[i] = v
	}
	return v.stack != nil
}

// stackOf puts elements of one shape along a new first axis.
func (n *node) stackOf(of []*value) relax.Expr {
	if len(of) == 0 {
		n.fail("a sequence without elements has no shape that its elements could have")
	}
	var rows []relax.Expr
	first := of[0].tensorInfo()
	for i, v := range of {
		t := v.tensorInfo()
		dims, ok := t.Dims()
		want, ok2 := first.Dims()
		if !ok || !ok2 || t.DType != first.DType || !sameDims(dims, want) {
			n.fail("elements 0 and %d of the sequence are %s and %s, but must be alike where a length or a position shows at run time", i, relax.FormatSInfo(first), relax.FormatSInfo(t))
		}
		rows = append(rows, n.reshape(n.tensor(v), append([]tir.Expr{tir.Int(1)}, dims...)))
	}
	if len(rows) == 1 {
		return rows[0]
	}
	return n.emit("relax.concat", args(tuple(rows)), "axis", int64(0))
}

// stackDims are the extents of a stack: its length, then those of an element.
func (n *node) stackDims(i int) []tir.Expr {
	dims, ok := relax.SInfoOf(n.in[i].stack).(*relax.TensorStructInfo).Dims()
	if !ok {
		n.fail("the shape of the elements of input %d (%q) is not known during the import", i, n.pb.Inputs[i])
	}
	return dims
}

func (n *node) setStack(i int, x relax.Expr) { n.setValue(i, &value{stack: x}) }

// stackAt takes an element.
func (n *node) stackAt() {
	dims := n.stackDims(0)
	at := n.place(1, dims[0])
	row := n.part(n.in[0].stack, 0, at, tir.Add(at, tir.Int(1)))
	n.reshapeResult(n.matchCast(row, append([]tir.Expr{tir.Int(1)}, dims[1:]...)), dims[1:])
}

// head is the elements of a sequence in front of a position, which a run checks to be in it.
func (n *node) head(at tir.Expr) relax.Expr {
	dims := slices.Clone(n.stackDims(0))
	x := n.part(n.in[0].stack, 0, tir.Int(0), at)
	dims[0] = at
	return n.matchCast(x, dims)
}

// place is operand i, a position in a sequence of so many elements, as one from 0 on that is at most last. One that is data shows at run time.
func (n *node) place(i int, length tir.Expr) tir.Expr {
	n.wantDType(i, "an integer", dtype.DType.IsInteger)
	if k := n.known(i); k != nil && len(k.elems) == 1 {
		if v, ok := tir.AsInt(k.elems[0]); ok && v < 0 {
			return tir.Add(length, tir.Int(v))
		}
		return tir.CastTo(dtype.Int64T, k.elems[0])
	}
	at := n.as(n.reshape(n.expr(i), []tir.Expr{tir.Int(1)}), dtype.Int64T)
	end := n.tensor(&value{known: scalar(dtype.Int64T, length)})
	at = n.emit("relax.where", args(n.emit("relax.less", args(at, n.constant(dtype.Int64T, 0))), n.emit("relax.add", args(at, end)), at))
	return n.extentsOf(at, 1)[0]
}

// stackInsert adds an element in front of a position, by default at the end.
func (n *node) stackInsert() {
	dims := n.stackDims(0)
	t := n.info(1)
	own, ok := t.Dims()
	s := n.in[0].stack
	if !ok || len(own) != len(dims)-1 || t.DType != relax.SInfoOf(s).(*relax.TensorStructInfo).DType {
		n.fail("the element (input 1) is %s, but those of the sequence have shape %s; they must be alike where the length shows at run time", relax.FormatSInfo(t), relax.FormatDims(dims[1:]))
	}
	x := n.expr(1)
	if !sameDims(own, dims[1:]) {
		x = n.matchCast(x, dims[1:])
	}
	row := n.reshape(x, append([]tir.Expr{tir.Int(1)}, dims[1:]...))
	parts := args(s, row)
	if n.has(2) {
		at := n.place(2, dims[0])
		parts = args(n.head(at), row, n.part(s, 0, at, dims[0]))
	}
	n.setStack(0, n.lengthened(n.emit("relax.concat", args(tuple(parts)), "axis", int64(0)), dims, 1))
}

// stackErase removes the element at a position, by default the last.
func (n *node) stackErase() {
	dims := n.stackDims(0)
	s, at := n.in[0].stack, tir.Sub(dims[0], tir.Int(1))
	if n.has(1) {
		at = n.place(1, dims[0])
	}
	parts := args(n.head(at), n.part(s, 0, tir.Add(at, tir.Int(1)), dims[0]))
	n.setStack(0, n.lengthened(n.emit("relax.concat", args(tuple(parts)), "axis", int64(0)), dims, -1))
}

// lengthened is x, which a run checks to have so many rows more than the extents given.
func (n *node) lengthened(x relax.Expr, dims []tir.Expr, more int64) relax.Expr {
	dims = slices.Clone(dims)
	dims[0] = tir.Add(dims[0], tir.Int(more))
	if t := relax.SInfoOf(x).(*relax.TensorStructInfo); t.Shape != nil {
		if d, ok := t.Dims(); ok && sameDims(d, dims) {
			return x
		}
	}
	return n.matchCast(x, dims)
}

// stackConcat joins the elements along an axis, or along a new one.
func (n *node) stackConcat() {
	if n.pb.Attribute("axis") == nil {
		n.fail("attribute \"axis\" is missing")
	}
	dims, fresh := n.stackDims(0), n.bool("new_axis", false)
	rank := len(dims) - 1
	if fresh {
		rank++
	}
	axis := n.axis(n.int("axis", 0), rank)
	var order []int64
	var out []tir.Expr
	for i := 1; i < len(dims); i++ {
		if i == axis+1 {
			order, out = append(order, 0), append(out, dims[0])
		}
		order, out = append(order, int64(i)), append(out, dims[i])
	}
	if len(order) < len(dims) { // the new axis is the last
		order, out = append(order, 0), append(out, dims[0])
	}
	x := n.in[0].stack
	if !slices.IsSorted(order) {
		x = n.emit("relax.permute_dims", args(x), "axes", order)
	}
	if !fresh {
		out = slices.Concat(out[:axis], []tir.Expr{tir.Mul(out[axis], out[axis+1])}, out[axis+2:])
	}
	n.reshapeResult(x, out)
}

// splitToStack cuts a tensor whose axis has an extent that is not known into parts of one element along it.
func (n *node) splitToStack(dims []tir.Expr, axis int) bool {
	if k := n.known(1); n.has(1) && (k == nil || len(k.shape) > 0 || !tir.IsConst(k.elems[0], 1)) {
		return false
	}
	order := []int64{int64(axis)}
	out := []tir.Expr{dims[axis]}
	for i, d := range dims {
		if i != axis {
			order = append(order, int64(i))
			out = append(out, d)
		}
	}
	x := n.expr(0)
	if axis > 0 {
		x = n.emit("relax.permute_dims", args(x), "axes", order)
	}
	if n.has(1) || n.bool("keepdims", true) {
		x = n.reshape(x, slices.Insert(out, axis+1, tir.Expr(tir.Int(1))))
	}
	n.setStack(0, x)
	return true
}

// stackMap is a loop over the elements: other operands that are sequences give an element in each turn, tensors all.
func (n *node) stackMap() {
	body := *n.graph("body", len(n.in), len(n.pb.Outputs))
	l := &loop{node: n, path: n.path + ".body", scans: len(body.Outputs)}
	inputs := body.Inputs
	body.Inputs = nil
	for i := range n.in {
		if v := n.value(i); v.list == nil && v.stack == nil {
			n.check(n.g.define(inputs[i].Name, v))
			defer delete(n.g.values, inputs[i].Name)
			continue
		}
		n.stacked(i, true)
		if a, b := n.stackDims(0)[0], n.stackDims(i)[0]; !n.equal(a, b) {
			n.fail("inputs 0 and %d have %s and %s elements, expected as many", i, relax.FormatPrim(a), relax.FormatPrim(b))
		}
		l.sources = append(l.sources, &source{v: &value{expr: n.in[i].stack}})
		body.Inputs = append(body.Inputs, inputs[i])
	}
	l.body = &body
	l.limit = &value{known: scalar(dtype.Int64T, n.stackDims(0)[0])}
	_, collected := l.repeat()
	for i := range n.pb.Outputs {
		n.setStack(i, n.tensor(collected[i]))
	}
}
