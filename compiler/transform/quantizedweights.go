package transform

import (
	"bytes"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// quantizedWeights is a matrix of depth rows and so many columns that a program computes as (data - zero) scale.
type quantizedWeights struct {
	depth, columns int64
	rows           int64 // that have a zero and a scale in common
	data, scale    quantizedOperand
	zero           *quantizedOperand // nil: 0
}

// quantizedOperand is a value that the matrix is computed from.
type quantizedOperand struct {
	value     relax.Expr
	constants *constantValues
	// at is where the element for one of the matrix is.
	at func(row, column tir.Expr) []tir.Expr
}

// axisRole says what an axis of data is of the matrix.
type axisRole byte

const (
	ofDepth  axisRole = iota // all rows
	ofBlocks                 // blocks of rows
	ofWithin                 // the rows of a block
	ofColumns
	ofNothing // there is one element
)

// dequantized returns e, the right factor of a product, as what it is computed from, nil where it is something else.
func (k *constantValues) dequantized(e relax.Expr) *quantizedWeights {
	dims, known := staticDims(e)
	if !known || len(dims) != 2 || dims[0] < 1 || dims[1] < 1 {
		return nil
	}
	w := &quantizedWeights{depth: dims[0], columns: dims[1], rows: dims[0]}
	roles := []axisRole{ofDepth, ofColumns}
	for len(roles) > 0 {
		call := k.call(e)
		switch opName(call) {
		case "relax.permute_dims":
			roles = permutedRoles(roles, call)
		case "relax.strided_slice":
			if !fromStart(call) {
				return nil
			}
		case opReshape:
			roles = w.split(roles, call)
		case "relax.multiply":
			if w.product(k, call.Args[0], call.Args[1], roles) || w.product(k, call.Args[1], call.Args[0], roles) {
				return w
			}
			return nil
		case "relax.dequantize":
			if w.operator(k, call, roles) {
				return w
			}
			return nil
		default:
			return nil
		}
		e = call.Args[0]
	}
	return nil
}

// call is the call that e is, or is bound to; an empty one where it is none.
func (k *constantValues) call(e relax.Expr) *relax.Call {
	if v, ok := e.(*relax.Var); ok {
		e = k.bound(v)
	}
	if c, ok := e.(*relax.Call); ok {
		return c
	}
	return &relax.Call{}
}

// constant is the constant that e is, or is bound to, nil where it is none.
func (k *constantValues) constant(e relax.Expr) *relax.Constant {
	if v, ok := e.(*relax.Var); ok {
		e = k.bound(v)
	}
	c, _ := e.(*relax.Constant)
	return c
}

// staticDims are the extents of a tensor, where they are constant.
func staticDims(e relax.Expr) ([]int64, bool) {
	t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok {
		return nil, false
	}
	return t.StaticDims()
}

// elementType is that of a tensor.
func elementType(e relax.Expr) dtype.DType {
	if t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo); ok {
		return t.DType
	}
	return dtype.DType{}
}

// permutedRoles are the roles of what permute_dims exchanges the axes of; none where its axes are not given.
func permutedRoles(roles []axisRole, call *relax.Call) []axisRole {
	axes := call.Attrs.Ints("axes")
	if axes == nil { // which turns them round
		roles = slices.Clone(roles)
		slices.Reverse(roles)
		return roles
	}
	if len(axes) != len(roles) {
		return nil
	}
	out := make([]axisRole, len(roles))
	for i, a := range axes {
		if a < 0 {
			a += int64(len(roles))
		}
		out[a] = roles[i]
	}
	return out
}

// fromStart reports whether a strided_slice takes what lies together from the start of axes on.
func fromStart(call *relax.Call) bool {
	for i := 2; i < len(call.Args); i++ {
		t, ok := call.Args[i].(*relax.Tuple)
		if !ok {
			return false
		}
		want := map[int]int64{2: 0, 4: 1}
		for _, f := range t.Fields {
			p, ok := f.(*relax.PrimValue)
			if !ok || i != 3 && !tir.IsConst(p.Value, want[i]) {
				return false
			}
		}
	}
	return true
}

// split are the roles of the axes that a reshape makes one of, which must be blocks and the rows of a block; none where it does something else.
func (w *quantizedWeights) split(roles []axisRole, call *relax.Call) []axisRole {
	out, known := staticDims(call)
	in, also := staticDims(call.Args[0])
	if !known || !also || len(in) != len(out)+1 || len(out) != len(roles) {
		return nil
	}
	for i, role := range roles {
		if role == ofDepth && out[i] == in[i]*in[i+1] && slices.Equal(out[:i], in[:i]) && slices.Equal(out[i+1:], in[i+2:]) && in[i+1] > 0 {
			w.rows = in[i+1]
			return slices.Replace(slices.Clone(roles), i, i+1, ofBlocks, ofWithin)
		}
	}
	return nil
}

// product takes the weights for x, numbers that were integers, times a scale.
func (w *quantizedWeights) product(k *constantValues, x, scale relax.Expr, roles []axisRole) bool {
	call, zero := k.call(x), relax.Expr(nil)
	if opName(call) == "relax.subtract" && elementType(x) == dtype.Float32T {
		x, zero = call.Args[0], call.Args[1]
		call = k.call(x)
	}
	if opName(call) != "relax.astype" || elementType(x) != dtype.Float32T || elementType(scale) != dtype.Float32T {
		return false
	}
	data := call.Args[0]
	if c := k.call(data); opName(c) == "relax.subtract" && zero == nil {
		data, zero = c.Args[0], c.Args[1]
		if elementType(data) != dtype.Int32T {
			return false
		}
	}
	if c := k.call(data); opName(c) == "relax.astype" && elementType(data) == dtype.Int32T {
		data = c.Args[0]
	}
	return w.take(k, data, zero, scale, roles, func(o relax.Expr) (func(row, column tir.Expr) []tir.Expr, bool) { return w.aligned(o, roles) })
}

// operator takes the weights for a call of dequantize.
func (w *quantizedWeights) operator(k *constantValues, call *relax.Call, roles []axisRole) bool {
	axis := call.Attrs.Int("axis", -1)
	if axis < 0 {
		axis += int64(len(roles))
	}
	if elementType(call) != dtype.Float32T || axis < 0 || axis >= int64(len(roles)) {
		return false
	}
	return w.take(k, call.Args[0], call.Args[2], call.Args[1], roles, func(o relax.Expr) (func(row, column tir.Expr) []tir.Expr, bool) {
		dims, known := staticDims(o)
		if len(dims) != 1 || dims[0] == 1 {
			return w.aligned(o, nil)
		}
		at, ok := w.aligned(o, roles[axis:axis+1])
		return at, ok && known
	})
}

// take notes what the weights are computed from. It returns false where that is something else than constants of few bits.
func (w *quantizedWeights) take(k *constantValues, data, zero, scale relax.Expr, roles []axisRole, at func(relax.Expr) (func(row, column tir.Expr) []tir.Expr, bool)) bool {
	d := elementType(data)
	if dims, _ := staticDims(data); len(dims) != len(roles) || !d.IsInteger() || d.Bits != 8 || !k.has(data) || !k.has(scale) || zero != nil && !k.has(zero) {
		return false
	}
	w.data = quantizedOperand{data, k, func(row, column tir.Expr) []tir.Expr { return w.indices(roles, row, column) }}
	found, ok := at(scale)
	w.scale = quantizedOperand{scale, k, found}
	if !ok || zero == nil {
		return ok
	}
	if c := k.call(zero); opName(c) == "relax.astype" {
		zero = c.Args[0]
	}
	found, ok = at(zero)
	w.zero = &quantizedOperand{zero, k, found}
	if d := elementType(zero); d.IsInteger() && d.Bits > 16 { // numbers of which need not be exact
		value, same := w.zero.uniform()
		ok = ok && same && max(value, -value) < 1<<16
	}
	return ok
}

// indices are those of an element of the matrix in axes of these roles.
func (w *quantizedWeights) indices(roles []axisRole, row, column tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(roles))
	for i, r := range roles {
		out[i] = map[axisRole]tir.Expr{ofDepth: row, ofColumns: column, ofNothing: tir.Int(0), ofBlocks: tir.FloorDiv(row, tir.Int(w.rows)), ofWithin: tir.FloorMod(row, tir.Int(w.rows))}[r]
	}
	return out
}

// aligned returns where an operand has its element for one of the matrix, whose axes are the last ones of these roles, or have one element.
func (w *quantizedWeights) aligned(o relax.Expr, roles []axisRole) (at func(row, column tir.Expr) []tir.Expr, ok bool) {
	dims, known := staticDims(o)
	if !known {
		return nil, false
	}
	own := make([]axisRole, len(dims))
	for i, n := range dims {
		j := len(roles) - len(dims) + i
		switch {
		case n == 1:
			own[i] = ofNothing
		case j < 0 || roles[j] == ofDepth || roles[j] == ofWithin:
			return nil, false
		default:
			own[i] = roles[j]
		}
	}
	return func(row, column tir.Expr) []tir.Expr { return w.indices(own, row, column) }, true
}

// tensor is a parameter for the operand.
func (o *quantizedOperand) tensor(name string) *te.Tensor {
	dims, _ := relax.SInfoOf(o.value).(*relax.TensorStructInfo).Dims()
	return te.Placeholder(name, elementType(o.value), dims...)
}

// uniform is the element of a constant whose elements are all the same.
func (o *quantizedOperand) uniform() (float64, bool) {
	c := o.constants.constant(o.value)
	if c == nil || c.Data.NumElements() == 0 {
		return 0, false
	}
	first := c.Data.Elem(0)
	for i := range c.Data.NumElements() {
		if c.Data.IsSplat() {
			break
		}
		if !bytes.Equal(c.Data.Elem(i), first) {
			return 0, false
		}
	}
	return (&tensor.Tensor{DType: c.Data.DType(), Shape: []int64{}, Data: first}).Float(0), true
}

// stored says how the data lie in memory: two rows to a byte where all are within four bits, and with less taken off them, so that they are from -8 to 7, or what is -128 to 127 where
// zeros are taken off anyway: those of most models are in the middle then, and nothing is left of them.
func (w *quantizedWeights) stored() (halves bool, less int64) {
	if elementType(w.data.value).IsUInt() && (w.zero == nil || elementType(w.zero.value).IsInteger()) { // of others, differences are rounded
		less = 8
	}
	c := w.data.constants.constant(w.data.value)
	halves = c != nil && w.depth%2 == 0 && !slices.ContainsFunc(c.Data.Stored(), func(b byte) bool { return int64(int8(b))-less < -8 || int64(int8(b))-less > 7 })
	switch {
	case halves || less == 0:
		return halves, less
	case w.zero == nil:
		return false, 0
	}
	return false, 128
}
