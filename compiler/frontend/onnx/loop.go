package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Loop and Scan are repeated in one of two ways. A few turns whose number is known are written out: iteration numbers and what is computed from them
// are known then, so that extents may differ from turn to turn, and kernels fuse across turns. Otherwise the body becomes a function that calls itself.

// maxUnrolled bounds the nodes of a loop that is written out: the time that it takes to compile grows with them.
const maxUnrolled = 256

// loop is a node Loop or Scan while it is converted.
type loop struct {
	*node
	body     *onnxpb.Graph
	path     string
	numbered bool   // the body takes the number of the turn and the condition, and yields a condition
	limit    *value // how many turns there are at most, nil for any number
	cond     *value // whether there is a first one, nil for certainly
	carried  []*value
	sources  []*source
	scans    int // results that are collected, one element from each turn
}

// source is a tensor of which each turn gets an element.
type source struct {
	v       *value
	axis    int
	reverse bool
}

// turn is what one repetition of the body takes or yields.
type turn struct {
	number   *value
	cond     *value
	carried  []*value
	elements []*value
}

// repeat makes the results of the node those of the loop: what it carries, and what it collects along a new first axis.
func (l *loop) repeat() (carried, collected []*value) {
	for i := range l.body.Inputs {
		if name := l.body.Inputs[i].Name; l.g.values[name] != nil {
			l.fail("input %d of the body: value %q is defined outside of the body as well", i, name)
		}
	}
	if carried, collected, ok := l.unrolled(); ok {
		return carried, collected
	}
	return l.appending()
}

// run converts the body for one turn. The names of its inputs are gone behind it.
func (l *loop) run(in turn) (out turn) {
	g := l.g
	list := append(append([]*value{}, in.carried...), in.elements...)
	if l.numbered {
		list = append([]*value{in.number, in.cond}, list...)
	}
	for i, v := range list {
		name := l.body.Inputs[i].Name
		if name == "" {
			l.fail("input %d of the body has no name", i)
		}
		if err := g.define(name, v); err != nil {
			l.fail("input %d of the body: %v", i, err)
		}
		if t := v.tensorInfo(); t != nil {
			if want := l.body.Inputs[i].Type; want != nil && want.Tensor != nil && want.Tensor.Elem != onnxpb.Undefined && onnxpb.FromDType(t.DType) != want.Tensor.Elem {
				l.fail("input %d of the body (%q) is declared as %v, but gets %s", i, name, want.Tensor.Elem, t.DType)
			}
		}
	}
	born := len(g.symbols.born)
	outs, err := g.inline(l.body, l.path)
	l.check(err)
	for i, v := range outs {
		outs[i] = l.declared(v, l.body.Outputs[i].Type, g.symbols.born[born:])
	}
	for i := range list {
		delete(g.values, l.body.Inputs[i].Name)
	}
	if l.numbered {
		out.cond, outs = outs[0], outs[1:]
	}
	out.carried, out.elements = outs[:len(l.carried)], outs[len(l.carried):]
	return out
}

// declared is a result of the body with the extents that the model declares where they are symbols of the body, which would be others in each turn.
func (l *loop) declared(v *value, t *onnxpb.Type, own []*tir.Var) *value {
	if v.expr == nil || t == nil || t.Tensor == nil || !t.Tensor.HasShape {
		return v
	}
	info := v.tensorInfo()
	if info == nil {
		return v
	}
	dims, ok := info.Dims()
	if !ok || len(dims) != len(t.Tensor.Shape) {
		return v
	}
	cast := slices.Clone(dims)
	for i, d := range t.Tensor.Shape {
		if d.HasValue && d.Value >= 0 && mentions(dims[i], own) {
			cast[i] = tir.Int(d.Value)
		}
	}
	if sameDims(cast, dims) {
		return v
	}
	return &value{expr: l.matchCast(v.expr, cast)}
}

// element returns the only element of a value if it is known, nil otherwise.
func (l *loop) element(v *value, what string) tir.Expr {
	k := l.g.elems(v)
	if k == nil {
		return nil
	}
	if len(k.elems) != 1 {
		l.fail("%s has %d elements, expected one", what, len(k.elems))
	}
	return k.elems[0]
}

// truth returns a condition if it is known.
func (l *loop) truth(v *value) (holds, known bool) {
	if v == nil {
		return true, true
	}
	e := l.element(v, "the condition")
	if e == nil {
		return false, false
	}
	n, ok := tir.AsInt(e)
	return n != 0, ok
}

// unrolled writes out the turns if they are few and their number is known.
func (l *loop) unrolled() (carried, collected []*value, ok bool) {
	if l.limit == nil {
		return nil, nil, false
	}
	e := l.element(l.limit, "the trip count")
	if e == nil {
		return nil, nil, false
	}
	count, ok := tir.AsInt(e)
	holds, known := l.truth(l.cond)
	if !ok || !known || !holds || count < 1 || count > maxUnrolled/int64(max(1, len(l.body.Nodes))) {
		return nil, nil, false
	}
	inlined := l.g.inlined
	yes := &value{known: scalar(dtype.BoolT, tir.Bool(true))}
	collect := make([][]relax.Expr, l.scans)
	carried = l.carried
	for i := range count {
		in := turn{number: &value{known: scalar(dtype.Int64T, tir.Int(i))}, cond: yes, carried: carried}
		for _, s := range l.sources {
			at := i
			if s.reverse {
				at = count - 1 - i
			}
			in.elements = append(in.elements, &value{expr: l.pick(l.tensor(s.v), s.axis, l.tensor(&value{known: scalar(dtype.Int64T, tir.Int(at))}))})
		}
		out := l.run(in)
		carried = out.carried
		for k, v := range out.elements {
			x := l.tensor(v)
			collect[k] = append(collect[k], l.reshape(x, append([]tir.Expr{tir.Int(1)}, l.extents(x, k)...)))
		}
		holds, known := l.truth(out.cond)
		if !known {
			return nil, nil, false // what has been written is not used
		}
		if l.g.inlined-inlined > 4*maxUnrolled && i+1 < count { // bodies in it
			return nil, nil, false
		}
		if !holds {
			break
		}
	}
	for _, list := range collect {
		x := list[0]
		if len(list) > 1 {
			x = l.emit("relax.concat", args(tuple(list)), "axis", int64(0))
		}
		collected = append(collected, &value{expr: x})
	}
	return carried, collected, true
}

// pick is the element of a tensor at an index along an axis.
func (l *loop) pick(x relax.Expr, axis int, index relax.Expr) relax.Expr {
	return l.emit("relax.take", args(x, index), "axis", int64(axis))
}

// extents are those of an element that is collected.
func (l *loop) extents(x relax.Expr, k int) []tir.Expr {
	t, ok := relax.SInfoOf(x).(*relax.TensorStructInfo)
	if !ok {
		l.fail("output %d of the body is not a tensor", len(l.body.Outputs)-l.scans+k)
	}
	dims, ok := t.Dims()
	if !ok {
		l.fail("the shape of output %d of the body is not known during the import", len(l.body.Outputs)-l.scans+k)
	}
	return dims
}

// results makes carried values and collected ones the results of the node.
func (l *loop) results(carried, collected []*value) {
	for i, v := range append(carried, collected...) {
		if i < len(l.pb.Outputs) {
			l.setValue(i, v)
		}
	}
}

// emptyRows is a tensor of no elements of the given extents.
func (l *loop) emptyRows(d dtype.DType, dims []tir.Expr) relax.Expr {
	dims = append([]tir.Expr{tir.Int(0)}, dims...)
	if shape, ok := relax.StaticInts(dims); ok {
		b, err := ir.NewBlob(d, shape, nil)
		l.check(err)
		return &relax.Constant{Base: ir.Base{Origin: l.origin}, Data: b}
	}
	zero, err := ir.NewBlob(d, []int64{}, make([]byte, d.Bytes()))
	l.check(err)
	return l.emit("relax.full", args(shapeExpr(dims), &relax.Constant{Data: zero}), "dtype", d)
}
