package onnx

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	host "github.com/irscope/irscope/runtime/tensor"
)

// mlRows are the operators of the domain ai.onnx.ml that compute with numbers. Where the text of an operator leaves something open, they compute what ONNX Runtime does.
func mlRows() []operator {
	row := func(name string, convert func(*node), attrs ...string) operator {
		return operator{name: name, minIn: 1, maxIn: 1, attrs: attrs, convert: convert}
	}
	return slices.Concat([]operator{
		{name: "ArrayFeatureExtractor", minIn: 2, maxIn: 2, convert: extractFeatures},
		row("Binarizer", binarizer, "threshold"),
		{name: "FeatureVectorizer", minIn: 1, maxIn: -1, attrs: []string{"inputdimensions"}, convert: vectorizeFeatures},
		row("Imputer", imputer, "imputed_value_floats", "imputed_value_int64s", "replaced_value_float", "replaced_value_int64"),
		row("LabelEncoder", labelEncoder,
			"classes_strings", "keys_floats", "keys_int64s", "keys_strings", "keys_tensor", "values_floats", "values_int64s", "values_strings", "values_tensor",
			"default_float", "default_int64", "default_string", "default_tensor"),
		row("LinearClassifier", linearClassifier, "classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class", "post_transform"),
		row("LinearRegressor", linearRegressor, "coefficients", "intercepts", "post_transform", "targets"),
		row("Normalizer", normalizer, "norm"),
		row("OneHotEncoder", oneHotEncoder, "cats_int64s", "cats_strings", "zeros"),
		row("SVMClassifier", svmClassifier,
			"classlabels_ints", "classlabels_strings", "coefficients", "kernel_params", "kernel_type", "post_transform", "prob_a", "prob_b", "rho", "support_vectors", "vectors_per_class"),
		row("SVMRegressor", svmRegressor, "coefficients", "kernel_params", "kernel_type", "n_supports", "one_class", "post_transform", "rho", "support_vectors"),
		row("Scaler", scaler, "offset", "scale"),
	}, treeRows())
}

// mlNumber reports whether a type is one that most operators of the domain take.
func mlNumber(d dtype.DType) bool {
	return d == dtype.Float32T || d == dtype.Float64T || d == dtype.Int32T || d == dtype.Int64T
}

// mlTable returns operand 0, which must be of numbers, as a table of rows and features; a vector is one row.
func (n *node) mlTable() (x relax.Expr, dims []tir.Expr) {
	n.wantDType(0, "float32, float64, int32, or int64", mlNumber)
	dims = n.dims(0)
	switch len(dims) {
	case 1:
		dims = []tir.Expr{tir.Int(1), dims[0]}
		return n.reshape(n.expr(0), dims), dims
	case 2:
		return n.expr(0), dims
	}
	n.fail("input 0 has %d dimensions, expected 1 or 2", len(dims))
	return nil, nil
}

// float32Table is mlTable in float32.
func (n *node) float32Table() (x relax.Expr, dims []tir.Expr) {
	x, dims = n.mlTable()
	return n.as(x, dtype.Float32T), dims
}

// width is how many features rows have, which must be known.
func (n *node) width(dims []tir.Expr) int64 {
	w, ok := tir.AsInt(dims[len(dims)-1])
	if !ok {
		n.fail("input 0 has %s features, expected a fixed number; give the input a shape", relax.FormatPrim(dims[len(dims)-1]))
	}
	return w
}

// floatList returns a list attribute, nil where it is left out.
func (n *node) floatList(name string) []float32 {
	if a := n.attr(name, onnxpb.AttrFloats); a != nil {
		return a.Floats
	}
	return nil
}

// hasStrings reports whether the node has a list of strings that is not empty.
func (n *node) hasStrings(name string) bool {
	a := n.attr(name, onnxpb.AttrStrings)
	return a != nil && len(a.Strings) > 0
}

// numberList returns a list attribute of floats, or of the tensor that may stand in its place; wide says that this holds float64.
func (n *node) numberList(name string) (out []float64, wide bool) {
	list := n.floatList(name)
	a := n.attr(name+"_as_tensor", onnxpb.AttrTensor)
	if a != nil && len(list) > 0 {
		n.fail("attributes %q and %q are both given", name, name+"_as_tensor")
	}
	if a != nil {
		t := n.tensorList(name+"_as_tensor", a.T)
		return floatsOf(t), t.DType == dtype.Float64T
	}
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out, false
}

// tensorList is a tensor of an attribute, which must have one dimension.
func (n *node) tensorList(name string, pb *onnxpb.Tensor) *host.Tensor {
	d, err := pb.Type.DType()
	if err != nil {
		n.fail("attribute %q: %v", name, err)
	}
	if len(pb.Dims) != 1 {
		n.fail("attribute %q has %d dimensions, expected 1", name, len(pb.Dims))
	}
	b, err := blobOf(pb)
	if err != nil {
		n.fail("attribute %q: %v", name, err)
	}
	if b.IsSplat() {
		data := slices.Repeat(b.Elem(0), int(b.NumElements()))
		return &host.Tensor{DType: d, Shape: pb.Dims, Data: data}
	}
	return &host.Tensor{DType: d, Shape: pb.Dims, Data: pb.Unpacked()}
}

// floatsOf are the elements of a tensor.
func floatsOf(t *host.Tensor) []float64 {
	out := make([]float64, t.Len())
	for i := range out {
		out[i] = t.Float(i)
	}
	return out
}

// vectorOf is a constant vector of any length.
func vectorOf[T byte | int32 | int64](n *node, d dtype.DType, vs []T) relax.Expr {
	data, err := binary.Append(nil, binary.LittleEndian, vs)
	n.check(err)
	b, err := ir.NewBlob(d, []int64{int64(len(vs))}, data)
	n.check(err)
	return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
}

// extractFeatures takes elements of the last axis. A vector has one row.
func extractFeatures(n *node) {
	dims := n.dims(0)
	if len(dims) == 0 {
		n.fail("input 0 has no dimensions")
	}
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	at := n.indices(dims[len(dims)-1])
	rows := dims[:len(dims)-1]
	if len(rows) == 0 {
		rows = []tir.Expr{tir.Int(1)}
	}
	count := product(n.dims(1))
	x := n.emit("relax.take", args(n.expr(0), n.reshape(at, []tir.Expr{count})), "axis", int64(len(dims)-1))
	n.reshapeResult(x, append(slices.Clone(rows), count))
}

// binarizer is 1 above the threshold and 0 elsewhere.
func binarizer(n *node) {
	n.wantDType(0, "float32, float64, int32, or int64", mlNumber)
	d, limit := n.dtype(0), n.float("threshold", 0)
	if d.IsInteger() {
		limit = math.Floor(limit)
	}
	if math.IsNaN(limit) || d.IsInteger() && math.Abs(limit) > math.MaxInt32 {
		n.fail("attribute \"threshold\" is %g, expected a number of type %s", limit, d)
	}
	n.result("relax.astype", args(n.emit("relax.greater", args(n.expr(0), n.number(d, limit)))), "dtype", d)
}

// number is a scalar constant of any numeric type.
func (n *node) number(d dtype.DType, v float64) relax.Expr {
	if d.IsFloat() {
		return n.constant(d, v)
	}
	return n.tensor(&value{known: scalar(d, tir.Const(d, int64(v)))})
}

// vectorizeFeatures puts the features of all inputs behind each other, as float32.
func vectorizeFeatures(n *node) {
	widths := n.ints("inputdimensions")
	if len(widths) > 0 && len(widths) != len(n.in) {
		n.fail("attribute \"inputdimensions\" has %d elements for %d inputs", len(widths), len(n.in))
	}
	var parts []relax.Expr
	for i := range n.in {
		n.value(i)
		n.wantDType(i, "float32, float64, int32, or int64", mlNumber)
		dims := n.ranked(i, 1, 2)
		if w, ok := tir.AsInt(dims[len(dims)-1]); ok && len(widths) > 0 && w != widths[i] {
			n.fail("input %d has %d features, but attribute \"inputdimensions\" says %d", i, w, widths[i])
		}
		x := n.expr(i)
		if len(dims) == 1 {
			x = n.reshape(x, []tir.Expr{tir.Int(1), dims[0]})
		}
		parts = append(parts, n.as(x, dtype.Float32T))
	}
	if len(parts) == 1 {
		n.set(0, parts[0])
		return
	}
	n.result("relax.concat", args(tuple(parts)), "axis", int64(1))
}

// imputer puts numbers in the place of one that stands for a missing one.
func imputer(n *node) {
	n.wantDType(0, "float32, float64, int32, or int64", mlNumber)
	d, dims, x := n.dtype(0), n.dims(0), n.expr(0)
	floats, ints := n.floatList("imputed_value_floats"), n.ints("imputed_value_int64s")
	count := len(floats)
	if d.IsInteger() {
		count = len(ints)
	}
	switch {
	case len(floats) > 0 && len(ints) > 0:
		n.fail("attributes \"imputed_value_floats\" and \"imputed_value_int64s\" are both given")
	case count == 0:
		n.fail("no values are given to put into a tensor of %s (attributes \"imputed_value_floats\" and \"imputed_value_int64s\")", d)
	case len(dims) == 0:
		n.fail("input 0 has no dimensions")
	}
	if count > 1 { // one of all features, if there are not as many
		if w := n.width(dims); w != int64(count) {
			count = 1
		}
	}
	var values, missing relax.Expr
	if d.IsInteger() {
		values = n.as(vectorOf(n, dtype.Int64T, ints[:count]), d)
		missing = n.emit("relax.equal", args(x, n.number(d, float64(n.int("replaced_value_int64", 0)))))
	} else {
		values = n.numbers(d, []int64{int64(count)}, func(i int) float64 { return float64(floats[i]) })
		if old := n.float("replaced_value_float", 0); math.IsNaN(old) {
			missing = n.emit("relax.not_equal", args(x, x))
		} else {
			missing = n.emit("relax.equal", args(x, n.constant(d, old)))
		}
	}
	n.result("relax.where", args(missing, values, x))
}

// scaler is (x - offset) * scale.
func scaler(n *node) {
	n.wantDType(0, "float32, float64, int32, or int64", mlNumber)
	dims := n.dims(0)
	if len(dims) == 0 {
		n.fail("input 0 has no dimensions")
	}
	x := n.as(n.expr(0), dtype.Float32T)
	for _, by := range []struct{ name, op string }{{"offset", "relax.subtract"}, {"scale", "relax.multiply"}} {
		list := n.floatList(by.name)
		if len(list) > 1 {
			if w := n.width(dims); w != int64(len(list)) {
				n.fail("attribute %q has %d elements for %d features", by.name, len(list), w)
			}
		}
		if len(list) == 0 {
			n.fail("attribute %q is missing", by.name)
		}
		x = n.emit(by.op, args(x, n.float32s([]int64{int64(len(list))}, list)))
	}
	n.set(0, x)
}

// normalizer divides rows by their norm, unless that is 0.
func normalizer(n *node) {
	x, dims := n.float32Table()
	var norm relax.Expr
	y := x
	last := []int64{1}
	switch n.str("norm", "MAX", "MAX", "L1", "L2") {
	case "MAX":
		norm = n.emit("relax.max", args(x), "axis", last, "keepdims", true)
	case "L1":
		norm = n.emit("relax.sum", args(n.emit("relax.abs", args(x))), "axis", last, "keepdims", true)
	case "L2":
		norm = n.emit("relax.sqrt", args(n.emit("relax.sum", args(n.emit("relax.multiply", args(x, x))), "axis", last, "keepdims", true)))
	}
	if tir.IsConst(dims[1], 0) {
		n.reshapeResult(x, n.dims(0))
		return
	}
	zero := n.emit("relax.equal", args(norm, n.constant(dtype.Float32T, 0)))
	y = n.emit("relax.divide", args(y, n.emit("relax.where", args(zero, n.constant(dtype.Float32T, 1), norm))))
	n.reshapeResult(y, n.dims(0))
}

// oneHotEncoder is 1 where an element is the category of a place in a new last axis.
func oneHotEncoder(n *node) {
	if n.hasStrings("cats_strings") {
		n.fail("categories that are strings are not supported (attribute \"cats_strings\")")
	}
	n.wantDType(0, "float32, float64, int32, or int64", mlNumber)
	dims, cats := n.dims(0), n.ints("cats_int64s")
	if len(cats) == 0 {
		n.fail("attribute \"cats_int64s\" is missing")
	}
	if !n.bool("zeros", true) {
		n.fail("attribute \"zeros\" is 0: other elements than the categories are to be errors of the run, which is not supported; others give zeros with zeros=1")
	}
	x := n.reshape(n.as(n.expr(0), dtype.Int64T), append(slices.Clone(dims), tir.Int(1)))
	n.result("relax.astype", args(n.emit("relax.equal", args(x, vectorOf(n, dtype.Int64T, cats)))), "dtype", dtype.Float32T)
}
