package onnx

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// node is one node of the model while its converter runs. Its methods give access to
// operands and attributes, and stop the converter (see bail) where something is wrong.
type node struct {
	g       *graph
	pb      *onnxpb.Node
	row     *operator
	body    func(*node) // converts a call of a function, which has no row
	path    string
	opset   int64 // of the default domain: of the model, and the newest for operators of other domains
	version int64 // of the operator's own domain
	origin  ir.OriginID
	base    string   // what the variables of the node are called after
	of      *node    // the node that this is one step of; nil for those of the model
	in      []*value // operands; nil for those left out
	out     []*value // results, set by the converter
}

// has reports whether operand i is given.
func (n *node) has(i int) bool { return i < len(n.in) && n.in[i] != nil }

// value returns operand i, which must be given.
func (n *node) value(i int) *value {
	if !n.has(i) {
		n.fail("input %d is missing", i)
	}
	return n.in[i]
}

// expr returns operand i as an expression.
func (n *node) expr(i int) relax.Expr { return n.tensor(n.value(i)) }

// tensor returns v as an expression, which takes a binding if v is a computed shape.
func (n *node) tensor(v *value) relax.Expr {
	if v.expr != nil {
		return v.expr
	}
	switch {
	case v.list != nil || v.stack != nil:
		n.fail("a sequence is used where a tensor is expected; a loop that is not written out can only append to one: collect tensors, or give the loop a constant trip count")
	case v.absent:
		n.fail("an optional value without an element is used where a tensor is expected")
	}
	if b, ok := v.known.blob(); ok {
		v.expr = &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
		return v.expr
	}
	if !v.known.dtype.IsInteger() {
		n.fail("a value computed from symbolic dimensions is used as %s data; give the inputs fixed shapes", v.known.dtype)
	}
	values := make([]tir.Expr, len(v.known.elems)) // extents of a shape are int64
	for i, e := range v.known.elems {
		if values[i] = n.g.widen(e, dtype.Int64T); values[i] == nil {
			values[i] = tir.CastTo(dtype.Int64T, e)
		}
	}
	e := n.emit("relax.shape_to_tensor", args(&relax.ShapeExpr{Values: values}))
	if len(v.known.shape) != 1 {
		e = n.reshape(e, relax.Ints(v.known.shape))
	}
	if v.known.dtype != dtype.Int64T {
		e = n.emit("relax.astype", args(e), "dtype", v.known.dtype)
	}
	v.expr = e
	n.g.cached = append(n.g.cached, v)
	return e
}

// info returns the struct info of operand i.
func (n *node) info(i int) *relax.TensorStructInfo {
	t := n.value(i).tensorInfo()
	if t == nil {
		n.fail("input %d is not a tensor", i)
	}
	return t
}

// dims returns the extents of operand i.
func (n *node) dims(i int) []tir.Expr {
	d, ok := n.info(i).Dims()
	if !ok {
		n.fail("the shape of input %d (%q) is not known during the import", i, n.pb.Inputs[i])
	}
	return d
}

// anyRank is the upper bound of ranked where there is none.
const anyRank = math.MaxInt

// ranked returns the extents of operand i, which must have so many.
func (n *node) ranked(i, least, most int) []tir.Expr {
	d := n.dims(i)
	switch {
	case len(d) >= least && len(d) <= most:
	case most == anyRank:
		n.fail("input %d (%q) has %d dimensions, expected at least %d", i, n.pb.Inputs[i], len(d), least)
	case least == most:
		n.fail("input %d (%q) has %d dimensions, expected %d", i, n.pb.Inputs[i], len(d), least)
	default:
		n.fail("input %d (%q) has %d dimensions, expected %d to %d", i, n.pb.Inputs[i], len(d), least, most)
	}
	return d
}

func (n *node) rank(i int) int          { return len(n.dims(i)) }
func (n *node) dtype(i int) dtype.DType { return n.info(i).DType }

// wantDType makes sure that operand i has one of the types that ok accepts.
func (n *node) wantDType(i int, what string, ok func(dtype.DType) bool) {
	if d := n.dtype(i); !ok(d) {
		n.fail("input %d (%q) has element type %s, expected %s", i, n.pb.Inputs[i], d, what)
	}
}

// sameDType makes sure that the operands given have one element type.
func (n *node) sameDType(operands ...int) {
	for _, i := range operands[1:] {
		if n.has(i) && n.dtype(i) != n.dtype(operands[0]) {
			n.fail("inputs %d and %d have element types %s and %s, expected the same", operands[0], i, n.dtype(operands[0]), n.dtype(i))
		}
	}
}

// known returns the elements of operand i if they are known, nil if not.
func (n *node) known(i int) *known {
	if !n.has(i) {
		return nil
	}
	return n.g.elems(n.in[i])
}

// shapeOperand returns the elements of operand i, which says how the result is shaped.
func (n *node) shapeOperand(i int, what string) []tir.Expr {
	k := n.known(i)
	if k == nil {
		n.value(i)
		n.fail("%s (input %d, %q) depends on data; it must be known during the import: a constant, or computed from shapes", what, i, n.pb.Inputs[i])
	}
	if !k.dtype.IsInteger() {
		n.fail("%s (input %d, %q) has element type %s, expected int64", what, i, n.pb.Inputs[i], k.dtype)
	}
	return k.elems
}

// intsOperand returns the elements of operand i as integers.
func (n *node) intsOperand(i int, what string) []int64 {
	vs, ok := relax.StaticInts(n.shapeOperand(i, what))
	if !ok {
		n.fail("%s (input %d, %q) depends on symbolic dimensions; it must be constant", what, i, n.pb.Inputs[i])
	}
	return vs
}

// axis normalises an axis that counts from the end where it is negative.
func (n *node) axis(a int64, rank int) int {
	if a < -int64(rank) || a >= int64(rank) {
		n.fail("axis %d is out of range for %d dimensions", a, rank)
	}
	if a < 0 {
		a += int64(rank)
	}
	return int(a)
}

// allAxes are those of a tensor of some rank.
func allAxes(rank int) []int {
	out := make([]int, rank)
	for i := range out {
		out[i] = i
	}
	return out
}

// matchCast returns x with the given extents, which are checked at run time.
func (n *node) matchCast(x relax.Expr, dims []tir.Expr) relax.Expr {
	info := *relax.SInfoOf(x).(*relax.TensorStructInfo)
	info.Shape = shapeExpr(dims)
	v, err := n.g.bb.EmitMatchCast(x, &info, n.g.names.fresh(n.base+"_cast"))
	n.check(err)
	return v
}

// axes normalises a list of axes, which must differ.
func (n *node) axes(as []int64, rank int) []int {
	out := make([]int, len(as))
	seen := make([]bool, rank)
	for i, a := range as {
		out[i] = n.axis(a, rank)
		if seen[out[i]] {
			n.fail("axis %d is given twice", a)
		}
		seen[out[i]] = true
	}
	return out
}

func args(es ...relax.Expr) []relax.Expr { return es }

// emit binds a call of an operator to a new variable and returns that. Attributes follow as
// keys and values.
func (n *node) emit(name string, as []relax.Expr, kv ...any) relax.Expr {
	return n.bind(n.call(name, as, kv), n.base+"_"+name[strings.LastIndexByte(name, '.')+1:], false)
}

// result makes a call of an operator the node's first result, and names it after the node.
func (n *node) result(name string, as []relax.Expr, kv ...any) {
	n.set(0, n.bind(n.call(name, as, kv), n.base, n.isOutput(0)))
}

// resultField binds field i of a tuple, and makes it result i of the node.
func (n *node) resultField(t relax.Expr, i int) {
	name := n.base
	if len(n.pb.Outputs) > 1 {
		name = n.pb.Outputs[i]
	}
	get := &relax.TupleGetItem{Base: ir.Base{Origin: n.origin}, Tuple: t, Index: i}
	n.set(i, n.bind(get, name, n.isOutput(i)))
}

func (n *node) call(name string, as []relax.Expr, kv []any) *relax.Call {
	switch {
	case broadcasts(op.Lookup(name)):
		as = n.agree(as, 0)
	case name == "relax.matmul":
		as = n.agree(as, 2)
	}
	call, err := op.New(name, as, ir.NewAttrs(kv...))
	n.check(err)
	call.Base.Origin = n.origin
	return call
}

// isOutput reports whether result i is an output of the graph.
func (n *node) isOutput(i int) bool {
	return i < len(n.pb.Outputs) && n.g.outputs[n.pb.Outputs[i]]
}

func (n *node) bind(e relax.Expr, name string, output bool) relax.Expr {
	v, err := n.g.emit(e, name, output)
	n.check(err)
	infos := []relax.StructInfo{v.SInfo}
	if t, ok := v.SInfo.(*relax.TupleStructInfo); ok {
		infos = t.Fields
	}
	for _, s := range infos {
		if t, ok := s.(*relax.TensorStructInfo); ok {
			if d, ok := t.Dims(); ok {
				n.check(checkElements(d))
				n.checkTerms(d)
			}
		}
	}
	return v
}

// checkTerms refuses shapes whose expressions have grown out of bounds, as those of a long
// chain of poolings over a symbolic extent do.
func (n *node) checkTerms(dims []tir.Expr) {
	for i, d := range dims {
		if !smallExpr(d) {
			n.fail("extent %d of the result is an expression of more than %d terms; give the inputs fixed shapes", i, maxExprNodes)
		}
	}
}

// set makes e the node's result i.
func (n *node) set(i int, e relax.Expr) { n.setValue(i, &value{expr: e}) }

func (n *node) setValue(i int, v *value) {
	for len(n.out) <= i {
		n.out = append(n.out, nil)
	}
	n.out[i] = v
}

// wants reports whether the model uses output i.
func (n *node) wants(i int) bool {
	return i < len(n.pb.Outputs) && n.pb.Outputs[i] != "" && n.g.uses[n.pb.Outputs[i]] > 0
}

// constant returns a scalar constant of element type d.
func (n *node) constant(d dtype.DType, v float64) relax.Expr {
	return n.splat(d, nil, v)
}

// splat returns a constant tensor of equal elements.
func (n *node) splat(d dtype.DType, shape []int64, v float64) relax.Expr {
	raw, err := ir.EncodeFloat(d, v)
	n.check(err)
	var b *ir.Blob
	if len(shape) == 0 {
		b, err = ir.NewBlob(d, []int64{}, raw)
	} else {
		b, err = ir.NewSplat(d, shape, raw)
	}
	n.check(err)
	return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
}

// filled is a tensor of equal elements, whose extents may be symbolic.
func (n *node) filled(d dtype.DType, dims []tir.Expr, v float64) relax.Expr {
	if shape, ok := relax.StaticInts(dims); ok {
		return n.splat(d, shape, v)
	}
	return n.emit("relax.full", args(shapeExpr(dims), n.constant(d, v)), "dtype", d)
}

// primFloat is a scalar argument of element type d.
func primFloat(d dtype.DType, v float64) relax.Expr {
	return &relax.PrimValue{Value: tir.FloatConst(d, v)}
}

func isInf(v float64) bool { return math.IsInf(v, 0) }
