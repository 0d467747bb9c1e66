package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// createRows are the operators that make tensors from little or nothing.
func createRows() []operator {
	return []operator{
		{name: "Constant", attrs: []string{
			"value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings", "sparse_value",
		}, convert: constant},
		{name: "ConstantOfShape", minIn: 1, maxIn: 1, attrs: []string{"value"}, convert: constantOfShape},
		{name: "Range", minIn: 3, maxIn: 3, attrs: []string{"stash_type"}, convert: rangeOp},
		{name: "EyeLike", minIn: 1, maxIn: 1, attrs: []string{"dtype", "k"}, convert: eyeLike},
	}
}

// elemType returns the element type that an attribute names.
func (n *node) elemType(attr string) (dtype.DType, error) {
	if n.pb.Attribute(attr) == nil {
		n.fail("attribute %q is missing", attr)
	}
	return onnxpb.DataType(n.int(attr, 0)).DType()
}

// blobOf turns a tensor of the file into a constant that shares its bytes.
func blobOf(t *onnxpb.Tensor) (*ir.Blob, error) {
	d, err := t.Type.DType()
	if err != nil {
		return nil, err
	}
	shape := t.Dims
	if shape == nil {
		shape = []int64{}
	}
	return ir.NewBlob(d, shape, t.Unpacked())
}

func constant(n *node) {
	if len(n.pb.Attributes) != 1 {
		n.fail("has %d attributes, expected one of %s", len(n.pb.Attributes), quoteList(n.row.attrs))
	}
	switch name := n.pb.Attributes[0].Name; name {
	case "value":
		b, err := blobOf(n.attr(name, onnxpb.AttrTensor).T)
		n.check(err)
		n.set(0, &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b})
	case "value_float":
		n.set(0, n.constant(dtype.Float32T, n.float(name, 0)))
	case "value_int":
		n.setValue(0, &value{known: scalar(dtype.Int64T, tir.Int(n.int(name, 0)))})
	case "value_ints":
		n.setValue(0, &value{known: vector(dtype.Int64T, relax.Ints(n.ints(name)))})
	case "value_floats":
		fs := n.attr(name, onnxpb.AttrFloats).Floats
		n.set(0, &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: ir.Float32Blob([]int64{int64(len(fs))}, fs...)})
	default:
		n.fail("attribute %q: only dense tensors of numbers are supported", name)
	}
}

// constantOfShape fills a shape with one value: a constant of which one element is stored,
// or a call of full where the shape is symbolic.
func constantOfShape(n *node) {
	dims := n.extentsOperand(0, "the shape")
	n.check(checkElements(dims))
	d, elem := dtype.Float32T, []byte{0, 0, 0, 0}
	if a := n.attr("value", onnxpb.AttrTensor); a != nil {
		b, err := blobOf(a.T)
		n.check(err)
		if b.NumElements() != 1 {
			n.fail("attribute \"value\" has %d elements, expected one", b.NumElements())
		}
		d, elem = b.DType(), b.Elem(0)
	}
	if shape, ok := relax.StaticInts(dims); ok {
		b, err := ir.NewSplat(d, shape, elem)
		n.check(err)
		n.set(0, &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b})
		return
	}
	b, err := ir.NewBlob(d, []int64{}, elem)
	n.check(err)
	n.result("relax.full", args(shapeExpr(dims), &relax.Constant{Data: b}), "dtype", d)
}

// rangeOp counts from start to limit by delta.
func rangeOp(n *node) {
	n.sameDType(0, 1, 2)
	d := n.dtype(0)
	if n.known(0) == nil || n.known(1) == nil || n.known(2) == nil {
		rangeByData(n)
		return
	}
	if !d.IsInt() {
		start, limit, delta := n.scalarOperand(0, "start"), n.scalarOperand(1, "limit"), n.scalarOperand(2, "delta")
		w := d.Accumulator() // halves are rounded once
		n.roundedResult(d, "relax.arange", args(primFloat(w, start), primFloat(w, limit), primFloat(w, delta)), "dtype", w)
		return
	}
	ends := make([]tir.Expr, 3)
	for i, what := range []string{"start", "limit", "delta"} {
		es := n.shapeOperand(i, what)
		if len(es) != 1 {
			n.fail("%s (input %d) has %d elements, expected one", what, i, len(es))
		}
		ends[i] = es[0]
	}
	vs, static := relax.StaticInts(ends)
	if static && vs[2] == 0 {
		n.fail("delta is 0")
	}
	if static {
		if k := countFrom(d, vs[0], vs[1], vs[2]); k != nil && n.g.fold > 0 {
			n.g.fold -= len(k.elems)
			n.setValue(0, &value{known: k})
			return
		}
	}
	prims := make([]relax.Expr, 3)
	for i, e := range ends {
		prims[i] = &relax.PrimValue{Value: tir.CastTo(dtype.Int64T, e)}
	}
	n.result("relax.arange", prims, "dtype", d)
}

// counting is a vector of the int64 numbers from start on.
func (n *node) counting(start int64, extent tir.Expr) relax.Expr {
	prim := func(e tir.Expr) relax.Expr { return &relax.PrimValue{Value: e} }
	return n.emit("relax.arange", args(prim(tir.Int(start)), prim(tir.Add(extent, tir.Int(start))), prim(tir.Int(1))), "dtype", dtype.Int64T)
}

// eyeLike is 1 on diagonal k and 0 elsewhere.
func eyeLike(n *node) {
	dims, d := n.ranked(0, 2, 2), n.dtype(0)
	if n.pb.Attribute("dtype") != nil {
		var err error
		d, err = n.elemType("dtype")
		n.check(err)
	}
	k := n.int("k", 0)
	if k < -math.MaxInt32 || k > math.MaxInt32 {
		n.fail("attribute \"k\" is %d, expected the number of a diagonal", k)
	}
	rows := n.reshape(n.counting(k, dims[0]), []tir.Expr{dims[0], tir.Int(1)})
	y := n.emit("relax.equal", args(rows, n.counting(0, dims[1])))
	n.result("relax.astype", args(y), "dtype", d)
}

// countFrom returns the elements of a short range, nil for a long one.
func countFrom(d dtype.DType, start, limit, delta int64) *known {
	out := &known{dtype: d}
	for v := start; delta > 0 && v < limit || delta < 0 && v > limit; {
		if len(out.elems) == maxKnownInts {
			return nil
		}
		out.elems = append(out.elems, tir.Const(d, v))
		next := v + delta
		if (next > v) != (delta > 0) {
			break // beyond the range of int64, so beyond limit
		}
		v = next
	}
	out.shape = []int64{int64(len(out.elems))}
	return out
}
