package onnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// holds is what a split says of a number, by the text of the operators.
func (s *treeSplit) holds(v float64) bool {
	if math.IsNaN(v) && s.missing {
		return true
	}
	return [...]bool{v <= s.value, v < s.value, v >= s.value, v > s.value, v == s.value, v != s.value, slices.Contains(s.members, v)}[s.mode]
}

// walked is the leaf that a row reaches by the records of a tree.
func (f *forest) walked(row []float64, tree int) int32 {
	at := f.roots[tree]
	for range f.turns[tree/f.group] {
		k := int64(f.feature[at])
		v := row[k%f.features]
		if k >= f.features && math.IsNaN(v) {
			v = math.Inf(-1)
		}
		less := v <= f.value[at]
		if at = f.next[at]; less {
			at++
		}
	}
	return f.leaf[at]
}

// TestForest compares the records of random trees with the text of the operators: the numbers are often those that are compared with, their neighbours, NaN, or
// infinite.
func TestForest(t *testing.T) {
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		floats := []dtype.DType{dtype.Float32T, dtype.Float64T}[r.IntN(2)]
		number := func() float64 {
			v := []float64{0, math.Copysign(0, -1), 1, -1, 2.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, 1e-45}[r.IntN(10)]
			switch r.IntN(4) {
			case 0:
				v = below(floats, v)
			case 1:
				v = -below(floats, -v)
			}
			if floats == dtype.Float32T {
				v = float64(float32(v))
			}
			return v
		}
		const features = 3
		var splits []treeSplit
		leaves := int32(0)
		var grow func(depth int) int32
		grow = func(depth int) int32 {
			if depth == 0 || r.IntN(5) == 0 {
				leaves++
				return ^(leaves - 1)
			}
			at := int32(len(splits))
			s := treeSplit{mode: treeMode(r.IntN(7)), feature: r.Int64N(features), value: number(), missing: r.IntN(2) == 0}
			for range r.IntN(5) {
				s.members = append(s.members, number())
			}
			splits = append(splits, s)
			yes := grow(depth - 1)
			no := grow(depth - 1)
			splits[at].yes, splits[at].no = yes, no
			return at
		}
		var roots []int32
		for range 1 + r.IntN(12) {
			roots = append(roots, grow(r.IntN(6)))
		}
		f := &forest{floats: floats, features: features}
		f.plant(nil, splits, roots, leaves)
		for range 60 {
			row := []float64{number(), number(), number()}
			for tree := range f.roots {
				at := ^leaves // of those that fill the last group up
				if tree < len(roots) {
					at = roots[tree]
				}
				for at >= 0 {
					if s := &splits[at]; s.holds(row[s.feature]) {
						at = s.yes
					} else {
						at = s.no
					}
				}
				if got := f.walked(row, tree); got != ^at {
					t.Fatalf("%s: tree %d takes %v to leaf %d, want %d: %+v", floats, tree, row, got, ^at, splits)
				}
			}
		}
	})
}

// chain is a regressor of one tree that is as deep as it has inner nodes, of which each goes on to no.
func chain(count int64) *ob.Builder {
	var trees, nodes, feature, yes, no, voteNodes, zeros []int64
	var values, weights []float32
	var modes [][]byte
	for i := range 2*count + 1 {
		trees, nodes, feature, values = append(trees, 0), append(nodes, i), append(feature, 0), append(values, float32(i))
		if i%2 == 0 && i < 2*count {
			modes, yes, no = append(modes, []byte("BRANCH_LEQ")), append(yes, i+1), append(no, i+2)
			continue
		}
		modes, yes, no = append(modes, []byte("LEAF")), append(yes, 0), append(no, 0)
		voteNodes, zeros, weights = append(voteNodes, i), append(zeros, 0), append(weights, float32(i))
	}
	return treeNode("TreeEnsembleRegressor", ob.IntList("nodes_treeids", trees...), ob.IntList("nodes_nodeids", nodes...), ob.IntList("nodes_featureids", feature...), ob.FloatList("nodes_values", values...),
		onnxpb.Attribute{Name: "nodes_modes", Type: onnxpb.AttrStrings, Strings: modes}, ob.IntList("nodes_truenodeids", yes...), ob.IntList("nodes_falsenodeids", no...),
		ob.IntList("target_treeids", zeros...), ob.IntList("target_nodeids", voteNodes...), ob.IntList("target_ids", zeros...), ob.FloatList("target_weights", weights...), ob.Int("n_targets", 1))
}

// treeNode is a model of one node of trees, whose input has two features.
func treeNode(op string, attrs ...onnxpb.Attribute) *ob.Builder {
	b := ob.New("trees", 17)
	version := int64(3)
	if op == "TreeEnsemble" {
		version = 5
	}
	b.Import(domainML, version)
	x := b.Input("x", onnxpb.Float, "n", 2)
	b.NodeOut(domainML+"."+op, "node", []string{x}, []string{"y"}, attrs...)
	b.Output("y", onnxpb.Float, "n", 1)
	return b
}

// TestDeepTree imports a tree that is a chain of very many nodes, whose import must take time that grows as they do.
func TestDeepTree(t *testing.T) {
	start := time.Now()
	mod, err := Import(t.Context(), chain(200_000).Model(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it takes %v", d)
	}
	if mod.Len() != 2 {
		t.Errorf("the module has %d functions, expected main and the kernel", mod.Len())
	}
}

// TestTreeErrors imports trees that are none.
func TestTreeErrors(t *testing.T) {
	strs := func(name string, list ...string) onnxpb.Attribute {
		a := onnxpb.Attribute{Name: name, Type: onnxpb.AttrStrings}
		for _, s := range list {
			a.Strings = append(a.Strings, []byte(s))
		}
		return a
	}
	// with is a regressor of a split and two leaves with other attributes in the place of its own.
	with := func(other ...onnxpb.Attribute) *ob.Builder {
		attrs := []onnxpb.Attribute{
			ob.IntList("nodes_treeids", 0, 0, 0), ob.IntList("nodes_nodeids", 0, 1, 2), ob.IntList("nodes_featureids", 1, 0, 0), ob.FloatList("nodes_values", 1, 0, 0),
			strs("nodes_modes", "BRANCH_LT", "LEAF", "LEAF"), ob.IntList("nodes_truenodeids", 1, 0, 0), ob.IntList("nodes_falsenodeids", 2, 0, 0),
			ob.IntList("target_treeids", 0, 0), ob.IntList("target_nodeids", 1, 2), ob.IntList("target_ids", 0, 0), ob.FloatList("target_weights", 1, 2), ob.Int("n_targets", 1),
		}
		for _, o := range other {
			attrs = slices.DeleteFunc(attrs, func(a onnxpb.Attribute) bool { return a.Name == o.Name })
		}
		return treeNode("TreeEnsembleRegressor", append(attrs, other...)...)
	}
	floats := func(name string, vs ...float32) onnxpb.Attribute {
		return ob.Tensor(name, ob.Floats([]int64{int64(len(vs))}, vs...))
	}
	// newer is a TreeEnsemble of two splits and three leaves.
	newer := func(other ...onnxpb.Attribute) *ob.Builder {
		attrs := []onnxpb.Attribute{
			ob.IntList("nodes_featureids", 0, 1), floats("nodes_splits", 1, 2), ob.Tensor("nodes_modes", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{2}, Data: []byte{0, 6}}),
			ob.IntList("nodes_truenodeids", 1, 0), ob.IntList("nodes_falsenodeids", 0, 2), ob.IntList("nodes_trueleafs", 0, 1), ob.IntList("nodes_falseleafs", 1, 1),
			ob.IntList("tree_roots", 0), ob.IntList("leaf_targetids", 0, 0, 0), floats("leaf_weights", 1, 2, 3), ob.Int("n_targets", 1), floats("membership_values", 4, 5),
		}
		for _, o := range other {
			attrs = slices.DeleteFunc(attrs, func(a onnxpb.Attribute) bool { return a.Name == o.Name })
		}
		return treeNode("TreeEnsemble", append(attrs, other...)...)
	}
	for _, b := range []*ob.Builder{with(), newer()} {
		if _, err := Import(t.Context(), b.Model(), Options{}); err != nil {
			t.Error(err)
		}
	}
	tensor := onnxpb.Tensor{Type: onnxpb.Double, Dims: []int64{3}, Data: make([]byte, 24)}
	for _, tc := range []struct {
		b    *ob.Builder
		want string
	}{
		{with(ob.IntList("nodes_treeids")), `the trees have 0 nodes`},
		{with(ob.IntList("nodes_featureids", 0)), `attribute "nodes_featureids" has 1 elements, expected 3`},
		{with(ob.IntList("nodes_featureids", 2, 0, 0)), `node 0 of the trees reads feature 2 of 2`},
		{with(ob.IntList("nodes_featureids", -1, 0, 0)), `node 0 of the trees reads feature -1 of 2`},
		{with(ob.FloatList("nodes_values")), `attribute "nodes_values" has 0 elements, expected 3`},
		{with(ob.Tensor("nodes_values_as_tensor", tensor)), `"nodes_values" and "nodes_values_as_tensor" are both given`},
		{with(ob.FloatList("nodes_values"), ob.Tensor("nodes_values_as_tensor", onnxpb.Tensor{Type: onnxpb.Double, Dims: []int64{3, 1}, Data: make([]byte, 24)})), `has 2 dimensions, expected 1`},
		{with(ob.FloatList("nodes_values"), ob.Tensor("nodes_values_as_tensor", onnxpb.Tensor{Type: onnxpb.Double, Dims: []int64{3}, Data: make([]byte, 23)})), `attribute "nodes_values_as_tensor"`},
		{with(strs("nodes_modes", "BRANCH_LT", "LEAF")), `attribute "nodes_modes" has 2 elements`},
		{with(strs("nodes_modes", "BRANCH", "LEAF", "LEAF")), `node 0 of the trees has mode "BRANCH"`},
		{with(ob.IntList("nodes_truenodeids", 9, 0, 0)), `an attribute "nodes_truenodeids" is node 9 of tree 0, which is not there`},
		{with(ob.IntList("nodes_truenodeids", math.MaxInt64, 0, 0)), `which is not there`},
		{with(ob.IntList("nodes_falsenodeids", math.MinInt64, 0, 0)), `which is not there`},
		{with(ob.IntList("nodes_falsenodeids", 1, 0, 0)), `node 1 of tree 0 is reached twice`},
		{with(ob.IntList("nodes_falsenodeids", 0, 0, 0)), `1 nodes are in trees whose roots do not lead to them: they lead to each other in a circle`},
		{with(strs("nodes_modes", "BRANCH_LT", "BRANCH_LT", "LEAF"), ob.IntList("nodes_truenodeids", 1, 0, 0), ob.IntList("nodes_falsenodeids", 2, 2, 0)), `node 2 of tree 0 is reached twice`},
		{with(strs("nodes_modes", "BRANCH_LT", "BRANCH_LT", "BRANCH_LT"), ob.IntList("nodes_truenodeids", 1, 2, 0)), `node 2 of tree 0 is reached twice`},
		{with(ob.IntList("nodes_treeids", 0, 1, 1)), `an attribute "nodes_truenodeids" is node 1 of tree 0, which is not there`},
		{with(strs("nodes_modes", "LEAF", "LEAF", "LEAF")), `tree 0 has two nodes that none leads to`},
		{with(ob.IntList("nodes_nodeids", 0, 1, 1)), `node 1 of tree 0 is there twice`},
		{with(ob.IntList("nodes_missing_value_tracks_true", 1)), `attribute "nodes_missing_value_tracks_true" has 1 elements`},
		{with(ob.IntList("target_ids", 0, 1)), `attribute "target_ids" has the element 1, expected 0 to 0`},
		{with(ob.IntList("target_ids", 0, 1<<32)), `attribute "target_ids" has the element 4294967296`},
		{with(ob.IntList("target_ids", 0, -1)), `attribute "target_ids" has the element -1`},
		{with(ob.IntList("target_nodeids", 1, 7)), `an attribute "target_nodeids" is node 7 of tree 0, which is not there`},
		{with(ob.IntList("target_treeids", 0)), `attribute "target_treeids" has 1 elements, expected 2`},
		{with(ob.FloatList("target_weights", 1)), `attribute "target_weights" has 1 elements, expected 2`},
		{with(ob.Int("n_targets", 0)), `attribute "n_targets" is 0`},
		{with(ob.Int("n_targets", 1<<31-1)), `attribute "n_targets" is 2147483647, expected 1 to 1048576`},
		{with(ob.FloatList("base_values", 1, 2)), `attribute "base_values" has 2 elements, expected 1`},
		{with(ob.Str("aggregate_function", "MEAN")), `attribute "aggregate_function" is "MEAN"`},
		{newer(ob.IntList("nodes_truenodeids", 2, 0)), `a node leads to node 2 of 2`},
		{newer(ob.IntList("nodes_truenodeids", 1, 3)), `a node leads to leaf 3 of 3`},
		{newer(ob.IntList("nodes_truenodeids", 0, 0)), `node 0 of the trees is reached twice`},
		{newer(ob.IntList("nodes_truenodeids", 1, 0), ob.IntList("nodes_trueleafs", 0, 0)), `node 0 of the trees is reached twice`},
		{newer(ob.IntList("tree_roots", 2)), `a tree starts with node 2 of 2`},
		{newer(ob.IntList("tree_roots", 0, 0)), `node 0 of the trees is reached twice`},
		{newer(ob.IntList("tree_roots")), `there is no tree`},
		{newer(ob.IntList("leaf_targetids", 0, 1, 0)), `attribute "leaf_targetids" has the element 1`},
		{newer(ob.IntList("leaf_targetids", 0)), `attribute "leaf_targetids" has 1 elements, expected 3`},
		{newer(ob.Tensor("nodes_modes", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{2}, Data: []byte{0, 7}})), `node 1 of the trees has mode 7`},
		{newer(floats("nodes_splits")), `the trees have 0 nodes`},
		{newer(ob.Int("post_transform", 5)), `attributes "aggregate_function" and "post_transform" are 1 and 5`},
		{newer(ob.Tensor("membership_values", ob.Floats([]int64{0}))), ``},
	} {
		_, err := Import(t.Context(), tc.b.Model(), Options{})
		if tc.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

// TestMLErrors imports nodes of the other operators that say something that cannot be.
func TestMLErrors(t *testing.T) {
	ints, floats := ob.IntList, ob.FloatList
	labels := onnxpb.Attribute{Name: "classlabels_strings", Type: onnxpb.AttrStrings, Strings: [][]byte{[]byte("a"), []byte("b")}}
	svm := func(other ...onnxpb.Attribute) []onnxpb.Attribute {
		return append(other, ints("vectors_per_class", 1, 1), floats("support_vectors", 1, 2, 3, 4), floats("rho", 0))
	}
	for _, tc := range []struct {
		op    string
		attrs []onnxpb.Attribute
		want  string
	}{
		{"ZipMap", []onnxpb.Attribute{ints("classlabels_int64s", 0, 1)}, `zipmap=False`},
		{"DictVectorizer", nil, `maps are not supported`},
		{"Scale", nil, `the operator is not supported; did you mean Scaler?`},
		{"Scaler", nil, `attribute "offset" is missing`},
		{"Scaler", []onnxpb.Attribute{floats("offset", 1, 2, 3), floats("scale", 1)}, `attribute "offset" has 3 elements for 2 features`},
		{"Imputer", nil, `no values are given`},
		{"Imputer", []onnxpb.Attribute{floats("imputed_value_floats", 1), ints("imputed_value_int64s", 1)}, `are both given`},
		{"OneHotEncoder", []onnxpb.Attribute{ints("cats_int64s", 1), ob.Int("zeros", 0)}, `attribute "zeros" is 0`},
		{"OneHotEncoder", nil, `attribute "cats_int64s" is missing`},
		{"LabelEncoder", []onnxpb.Attribute{floats("keys_floats", 1), ints("values_int64s", 1, 2)}, `there are 1 keys and 2 values`},
		{"LabelEncoder", []onnxpb.Attribute{ints("keys_int64s", 1), ints("values_int64s", 1)}, `the keys are of int64`},
		{"LabelEncoder", []onnxpb.Attribute{floats("keys_floats", 1), {Name: "values_strings", Type: onnxpb.AttrStrings}}, `labels that are strings are not supported`},
		{"LabelEncoder", []onnxpb.Attribute{floats("keys_floats", 1), ob.Tensor("values_tensor", onnxpb.Tensor{Type: onnxpb.String, Dims: []int64{1}})}, `labels that are strings are not supported (attribute "values_tensor")`},
		{"LabelEncoder", nil, `keys or values are missing`},
		{"LinearRegressor", []onnxpb.Attribute{floats("coefficients", 1, 2, 3)}, `attribute "coefficients" has 3 elements, expected 2`},
		{"LinearRegressor", []onnxpb.Attribute{floats("coefficients", 1, 2), ob.Int("targets", 1<<40)}, `attribute "targets" is 1099511627776 for 2 coefficients`},
		{"LinearClassifier", []onnxpb.Attribute{floats("coefficients", 1, 2), floats("intercepts", 1)}, `has no class labels`},
		{"LinearClassifier", []onnxpb.Attribute{floats("coefficients", 1, 2), floats("intercepts", 1), labels}, `the labels are strings (attribute "classlabels_strings"), which are not supported`},
		{"LinearClassifier", []onnxpb.Attribute{floats("coefficients", 1, 2), floats("intercepts", 1), labels, ints("classlabels_ints", 1, 2)}, `are both given`},
		{"LinearClassifier", []onnxpb.Attribute{floats("coefficients", 1, 2), floats("intercepts", 1), ints("classlabels_ints", 1, 2, 3)}, `there are 1 scores for 3 classes`},
		{"SVMClassifier", svm(ints("classlabels_ints", 1, 2)), `attribute "coefficients" has 0 elements, expected 2`},
		{"SVMClassifier", svm(ints("classlabels_ints", 1, 2, 3)), `attribute "vectors_per_class" has 2 elements for 3 classes`},
		{"SVMClassifier", svm(ints("classlabels_ints", 1, 2), floats("coefficients", 1, 2), floats("kernel_params", 1)), `attribute "kernel_params" has 1 elements, expected 3`},
		{"SVMClassifier", svm(ints("classlabels_ints", 1, 2), floats("coefficients", 1, 2), floats("prob_a", 1)), `attribute "prob_b" has 0 elements, expected 1`},
		{"SVMClassifier", []onnxpb.Attribute{ints("classlabels_ints", 1, 2), ints("vectors_per_class", -1, 1)}, `attribute "vectors_per_class" has the element -1`},
		{"SVMRegressor", []onnxpb.Attribute{floats("coefficients", 1, 2), ob.Int("n_supports", 3)}, `attribute "rho" has 0 elements, expected 1`},
		{"SVMRegressor", []onnxpb.Attribute{floats("coefficients", 1, 2), floats("rho", 1), ob.Int("n_supports", 3)}, `attribute "n_supports" is 3 for 2 coefficients`},
	} {
		t.Run(fmt.Sprint(tc.op, len(tc.attrs)), func(t *testing.T) {
			_, err := Import(t.Context(), treeNode(tc.op, tc.attrs...).Model(), Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestStringLabels imports a classifier with labels that are strings, of which only the scores are used.
func TestStringLabels(t *testing.T) {
	labels := onnxpb.Attribute{Name: "classlabels_strings", Type: onnxpb.AttrStrings, Strings: [][]byte{[]byte("a"), []byte("b"), []byte("c")}}
	b := ob.New("labels", 17)
	x := b.Input("x", onnxpb.Float, "n", 1)
	b.NodeOut(domainML+".LinearClassifier", "node", []string{x}, []string{"label", "scores"}, ob.FloatList("coefficients", 1, 2, 3), ob.FloatList("intercepts", 1, 2, 3), labels)
	b.Output("scores", onnxpb.Float, "n", 3)
	if _, err := Import(t.Context(), b.Model(), Options{}); err != nil {
		t.Error(err)
	}
}
