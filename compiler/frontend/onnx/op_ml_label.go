package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	host "github.com/irscope/irscope/runtime/tensor"
)

// labelEncoder puts a value in the place of each key, and a default in the place of all else.
func labelEncoder(n *node) {
	keys, values := n.labelList("keys"), n.labelList("values")
	d := n.dtype(0)
	switch {
	case n.pb.Attribute("classes_strings") != nil:
		n.fail("labels that are strings are not supported (attribute \"classes_strings\")")
	case keys == nil || values == nil:
		n.fail("keys or values are missing (attributes \"keys_int64s\", \"keys_floats\", or \"keys_tensor\", and those of values)")
	case keys.Len() != values.Len():
		n.fail("there are %d keys and %d values", keys.Len(), values.Len())
	case keys.DType != d:
		n.fail("input 0 has element type %s, but the keys are of %s", d, keys.DType)
	}
	rest := n.labelDefault(values.DType)
	order, nan := sortedKeys(keys)
	n.lookUp(keys, values, rest, order, nan)
}

// labelList returns keys or values, nil if there are none.
func (n *node) labelList(what string) *host.Tensor {
	if n.pb.Attribute(what+"_strings") != nil {
		n.fail("labels that are strings are not supported (attribute %q)", what+"_strings")
	}
	var out *host.Tensor
	for _, name := range []string{what + "_int64s", what + "_floats", what + "_tensor"} {
		if n.pb.Attribute(name) == nil {
			continue
		}
		if out != nil {
			n.fail("two lists of %s are given, expected one", what)
		}
		switch name {
		case what + "_int64s":
			list := n.ints(name)
			out = host.MustNew(dtype.Int64T, int64(len(list)))
			for i, v := range list {
				out.SetInt(i, v)
			}
		case what + "_floats":
			list := n.floatList(name)
			out = host.MustNew(dtype.Float32T, int64(len(list)))
			for i, v := range list {
				out.SetFloat(i, float64(v))
			}
		default:
			pb := n.attr(name, onnxpb.AttrTensor).T
			if pb.Type == onnxpb.String {
				n.fail("labels that are strings are not supported (attribute %q)", name)
			}
			if out = n.tensorList(name, pb); !out.DType.IsInteger() && !out.DType.IsFloat() || out.DType.Bits < 16 {
				n.fail("attribute %q has element type %s, expected numbers of 16 bits or more", name, out.DType)
			}
		}
	}
	return out
}

// labelDefault is what other keys are mapped to, a tensor of one element.
func (n *node) labelDefault(d dtype.DType) *host.Tensor {
	out := host.MustNew(d, 1)
	if a := n.attr("default_tensor", onnxpb.AttrTensor); a != nil {
		t := n.tensorList("default_tensor", a.T)
		if t.DType != d || t.Len() != 1 {
			n.fail("attribute \"default_tensor\" has %d elements of %s, expected one of %s like the values", t.Len(), t.DType, d)
		}
		return t
	}
	switch {
	case d.IsFloat():
		out.SetFloat(0, n.float("default_float", math.Copysign(0, -1)))
	default:
		out.SetInt(0, n.int("default_int64", -1))
	}
	return out
}

// sortedKeys returns the places of different keys in their order, and that of the key NaN, -1 if there is none. Of equal keys the last one counts.
func sortedKeys(keys *host.Tensor) (order []int, nan int) {
	nan = -1
	float := keys.DType.IsFloat()
	var all []int
	for i := range keys.Len() {
		if float && math.IsNaN(keys.Float(i)) {
			nan = i
			continue
		}
		all = append(all, i)
	}
	compare := func(a, b int) int {
		if float {
			return cmp.Compare(keys.Float(a), keys.Float(b))
		}
		return cmp.Compare(keys.Int(a), keys.Int(b))
	}
	slices.SortStableFunc(all, compare)
	for i, k := range all {
		if i+1 == len(all) || compare(k, all[i+1]) != 0 {
			order = append(order, k)
		}
	}
	return order, nan
}

// lookUp makes the values of keys the result: keys are searched in order.
func (n *node) lookUp(keys, values, rest *host.Tensor, order []int, nan int) {
	vector := func(t *host.Tensor, order []int) relax.Expr {
		data := make([]byte, 0, len(order)*t.DType.Bytes())
		for _, i := range order {
			data = append(data, t.Data[i*t.DType.Bytes():(i+1)*t.DType.Bytes()]...)
		}
		b, err := ir.NewBlob(t.DType, []int64{int64(len(order))}, data)
		n.check(err)
		return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
	}
	x, dims := n.expr(0), n.dims(0)
	y := n.reshape(vector(rest, []int{0}), []tir.Expr{})
	if len(order) > 0 {
		sorted := vector(keys, order)
		at := n.emit("relax.minimum", args(n.emit("relax.bucketize", args(x, sorted)), n.constant(dtype.Int64T, float64(len(order)-1))))
		found := n.emit("relax.equal", args(n.emit("relax.take", args(sorted, at), "axis", int64(0)), x))
		y = n.emit("relax.where", args(found, n.emit("relax.take", args(vector(values, order), at), "axis", int64(0)), y))
	}
	if nan >= 0 {
		known := n.reshape(vector(values, []int{nan}), []tir.Expr{})
		y = n.emit("relax.where", args(n.emit("relax.not_equal", args(x, x)), known, y))
	}
	if len(order) == 0 && nan < 0 {
		y = n.emit("relax.broadcast_to", args(y, shapeExpr(dims)))
	}
	n.set(0, y)
}
