package differ

import (
	"math"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	for name, f := range map[string]func(*draw){
		"ArrayFeatureExtractor": extractor, "Binarizer": binarizer, "FeatureVectorizer": vectorizer, "Imputer": imputer, "LabelEncoder": labelEncoder,
		"LinearClassifier": linearClassifier, "LinearRegressor": linearRegressor, "Normalizer": mlNormalizer, "OneHotEncoder": oneHotEncoder,
		"SVMClassifier": svmClassifier, "SVMRegressor": svmRegressor, "Scaler": scaler,
	} {
		register(f, "ai.onnx.ml."+name)
	}
}

// mlTypes are the types that most of these operators take.
var mlTypes = []onnxpb.DataType{onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int64, onnxpb.Int32}

func (d *draw) float32s(k kind, n int64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(d.float(k))
	}
	return out
}

// table is an input of rows of features, or of one row without a dimension for it.
func (d *draw) table(dt onnxpb.DataType, k kind) (x val, features int64) {
	features = d.between(1, 9)
	if d.chance(0.1) {
		d.symbolic = false
		return d.input(d.values(dt, k, features)), features
	}
	return d.rowsOf(d.values(dt, k, d.extent(), features)), features
}

func (d *draw) transform() onnxpb.Attribute {
	return ob.Str("post_transform", pick(d, "NONE", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"))
}

func scaler(d *draw) {
	dt := pick(d, mlTypes...)
	x, f := d.table(dt, plain)
	count := pick(d, f, f, 1)
	d.result("ai.onnx.ml.Scaler", onnxpb.Float, []val{x}, ob.FloatList("offset", d.float32s(plain, count)...), ob.FloatList("scale", d.float32s(plain, count)...))
}

func mlNormalizer(d *draw) {
	dt := pick(d, mlTypes...)
	x, _ := d.table(dt, pick(d, plain, small))
	d.result("ai.onnx.ml.Normalizer", onnxpb.Float, []val{x}, maybe(d, 0.8, ob.Str("norm", pick(d, "MAX", "L1", "L2")))...)
}

func binarizer(d *draw) {
	x := d.input(d.values(onnxpb.Float, pick(d, small, plain), d.shape(1, 4)...))
	d.result("ai.onnx.ml.Binarizer", onnxpb.Float, []val{x}, maybe(d, 0.8, ob.Float("threshold", float32(d.between(-2, 2))/2))...)
}

func imputer(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Int64)
	features := d.between(1, 5)
	t := d.values(dt, small, d.extent(), features)
	count := pick(d, features, features, 1)
	if dt == onnxpb.Int64 {
		x := d.rowsOf(t)
		values := make([]int64, count)
		for i := range values {
			values[i] = d.between(-99, 99)
		}
		d.result("ai.onnx.ml.Imputer", dt, []val{x}, ob.IntList("imputed_value_int64s", values...), ob.Int("replaced_value_int64", d.between(-2, 2)))
		return
	}
	old := float32(d.between(-2, 2))
	if d.chance(0.5) {
		old = float32(math.NaN())
		for i := range t.Len() {
			if d.chance(0.2) {
				t.SetFloat(i, math.NaN())
			}
		}
	}
	d.result("ai.onnx.ml.Imputer", dt, []val{d.rowsOf(t)}, ob.FloatList("imputed_value_floats", d.float32s(plain, count)...), ob.Float("replaced_value_float", old))
}

func oneHotEncoder(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Double, onnxpb.Int64)
	var cats []int64
	for _, c := range d.Perm(7)[:d.between(1, 6)] {
		cats = append(cats, int64(c)-3)
	}
	x := d.input(d.values(dt, pick(d, small, plain), d.shape(1, 3)...))
	d.result("ai.onnx.ml.OneHotEncoder", onnxpb.Float, []val{x}, ob.IntList("cats_int64s", cats...))
}

func vectorizer(d *draw) {
	dt := pick(d, mlTypes...)
	rows := d.extent()
	var in []val
	var widths []int64
	for range d.between(1, 4) {
		w := d.between(1, 5)
		in, widths = append(in, d.rowsOf(d.values(dt, plain, rows, w))), append(widths, w)
	}
	d.result("ai.onnx.ml.FeatureVectorizer", onnxpb.Float, in, ob.IntList("inputdimensions", widths...))
}

func extractor(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Double, onnxpb.Int64, onnxpb.Int32)
	dims := d.filled(1, 3)
	at := d.below(onnxpb.Int64, 0, dims[len(dims)-1], d.between(1, 6))
	d.symbolic = false
	d.result("ai.onnx.ml.ArrayFeatureExtractor", dt, []val{d.input(d.values(dt, plain, dims...)), d.either(0.5, at)})
}

// labelEncoder maps numbers to numbers, by lists and since version 4 by tensors.
func labelEncoder(d *draw) {
	version := d.between(2, 4)
	d.begin().Import("ai.onnx.ml", version)
	from, to := pick(d, onnxpb.Float, onnxpb.Int64), pick(d, onnxpb.Float, onnxpb.Int64)
	tensors := version == 4 && d.chance(0.5)
	if tensors {
		pair := pick(d, [2]onnxpb.DataType{onnxpb.Double, onnxpb.Double}, [2]onnxpb.DataType{onnxpb.Int64, onnxpb.Int64}, [2]onnxpb.DataType{onnxpb.Float, onnxpb.Float}, [2]onnxpb.DataType{onnxpb.Int64, onnxpb.Float})
		from, to = pair[0], pair[1]
	}
	if version < 4 && from == to && from == onnxpb.Float {
		from = onnxpb.Int64
	}
	n := d.between(1, 20)
	keys, values := d.values(from, small, n), d.values(to, plain, n)
	for i, p := range d.Perm(int(n)) {
		if isFloat(from) {
			keys.SetFloat(i, float64(p)/2-2)
		} else {
			keys.SetInt(i, int64(p)-5)
		}
	}
	if version == 4 && isFloat(from) && d.chance(0.3) {
		keys.SetFloat(d.IntN(int(n)), math.NaN())
	}
	list := func(what string, t *tensor.Tensor) onnxpb.Attribute {
		dt := onnxpb.FromDType(t.DType)
		switch {
		case tensors:
			return ob.Tensor(what+"_tensor", onnxpb.Tensor{Type: dt, Dims: t.Shape, Data: t.Data})
		case dt == onnxpb.Int64:
			return ob.IntList(what+"_int64s", t.Ints()...)
		}
		var out []float32
		for _, v := range t.Floats() {
			out = append(out, float32(v))
		}
		return ob.FloatList(what+"_floats", out...)
	}
	attrs := []onnxpb.Attribute{list("keys", keys), list("values", values)}
	if rest := d.values(to, plain, 1); tensors {
		attrs = append(attrs, maybe(d, 0.7, list("default", rest))...)
	} else if to == onnxpb.Int64 {
		attrs = append(attrs, maybe(d, 0.7, ob.Int("default_int64", rest.Int(0)))...)
	} else {
		attrs = append(attrs, maybe(d, 0.7, ob.Float("default_float", float32(rest.Float(0))))...)
	}
	x := empty(from, d.shape(1, 3))
	for i := range x.Len() {
		switch {
		case !isFloat(from):
			x.SetInt(i, d.between(-8, 18))
		case d.chance(0.15):
			x.SetFloat(i, pick(d, math.NaN(), math.Inf(1), math.Copysign(0, -1)))
		default:
			x.SetFloat(i, float64(d.between(-6, 20))/2)
		}
	}
	d.result("ai.onnx.ml.LabelEncoder", to, []val{d.input(x)}, attrs...)
}

func linearRegressor(d *draw) {
	x, f := d.table(onnxpb.Float, plain)
	targets := d.between(1, 4)
	attrs := []onnxpb.Attribute{ob.FloatList("coefficients", d.float32s(plain, f*targets)...), ob.Int("targets", targets), d.transform()}
	d.tol.ofMax, d.tol.abs = 1e-5, 1e-5
	d.result("ai.onnx.ml.LinearRegressor", onnxpb.Float, []val{x}, append(attrs, maybe(d, 0.7, ob.FloatList("intercepts", d.float32s(plain, targets)...))...)...)
}

// classes are the labels of a classifier.
func (d *draw) classes(n int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = d.between(-50, 50)
	}
	return out
}

// classified adds a classifier, whose results are labels and scores.
func (d *draw) classified(op string, x val, attrs ...onnxpb.Attribute) {
	d.tol.ofMax, d.tol.abs = 1e-5, 1e-5
	out := d.nodes(op, 2, []val{x}, attrs...)
	d.out(out[0], onnxpb.Int64)
	d.out(out[1], onnxpb.Float)
}

func linearClassifier(d *draw) {
	x, f := d.table(pick(d, mlTypes...), plain)
	n := pick(d, 2, d.between(2, 5))
	scores := n
	if n == 2 && d.chance(0.6) {
		scores = 1
	}
	d.classified("ai.onnx.ml.LinearClassifier", x, append(maybe(d, 0.5, ob.Int("multi_class", d.Int64N(2))),
		ob.FloatList("coefficients", d.float32s(plain, f*scores)...), ob.FloatList("intercepts", d.float32s(plain, scores)...), ob.IntList("classlabels_ints", d.classes(n)...), d.transform())...)
}

// kernel are the attributes of a support vector machine that say how vectors are compared.
func (d *draw) kernel() []onnxpb.Attribute {
	degree := pick(d, float32(2), 3, 1)
	return []onnxpb.Attribute{
		ob.Str("kernel_type", pick(d, "LINEAR", "POLY", "RBF", "SIGMOID")), ob.FloatList("kernel_params", float32(0.05+d.Float64()*.3), float32(d.Float64()), degree),
	}
}

func svmRegressor(d *draw) {
	x, f := d.table(onnxpb.Float, plain)
	n := d.between(0, 9)
	attrs := append(d.kernel(), ob.FloatList("rho", d.float32s(plain, 1)...), ob.Int("n_supports", n))
	attrs = append(attrs, maybe(d, 0.2, ob.Int("one_class", d.Int64N(2)))...)
	if n == 0 {
		attrs = append(attrs, ob.FloatList("coefficients", d.float32s(plain, f)...))
	} else {
		attrs = append(attrs, ob.FloatList("coefficients", d.float32s(plain, n)...), ob.FloatList("support_vectors", d.float32s(plain, n*f)...))
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-4, abs: 1e-4}
	d.result("ai.onnx.ml.SVMRegressor", onnxpb.Float, []val{x}, attrs...)
}

func svmClassifier(d *draw) {
	x, f := d.table(pick(d, mlTypes...), plain)
	n := d.between(2, 4)
	attrs := append(d.kernel(), ob.IntList("classlabels_ints", d.classes(n)...), d.transform())
	if d.chance(0.2) {
		attrs = append(attrs, ob.FloatList("coefficients", d.float32s(pick(d, plain, above), f*n)...), ob.FloatList("rho", d.float32s(plain, 1)...))
		d.classified("ai.onnx.ml.SVMClassifier", x, attrs...)
		return
	}
	var counts []int64
	total := int64(0)
	for range n {
		c := d.between(1, 4)
		counts, total = append(counts, c), total+c
	}
	pairs := n * (n - 1) / 2
	attrs = append(attrs, ob.IntList("vectors_per_class", counts...), ob.FloatList("support_vectors", d.float32s(plain, total*f)...),
		ob.FloatList("coefficients", d.float32s(plain, total*(n-1))...), ob.FloatList("rho", d.float32s(plain, pairs)...))
	if d.chance(0.5) {
		attrs = append(attrs, ob.FloatList("prob_a", d.float32s(unit, pairs)...), ob.FloatList("prob_b", d.float32s(unit, pairs)...))
	}
	d.classified("ai.onnx.ml.SVMClassifier", x, attrs...)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3, abs: 1e-4}
}
