package differ

import (
	"math"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(func(d *draw) { oldTrees(d, "target") }, "ai.onnx.ml.TreeEnsembleRegressor")
	register(func(d *draw) { oldTrees(d, "class") }, "ai.onnx.ml.TreeEnsembleClassifier")
	register(treeEnsemble, "ai.onnx.ml.TreeEnsemble")
}

var treeModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

// drawnTree is a random tree in the order of a walk: inner nodes have two children, leaves none.
type drawnTree struct {
	nodes []drawnNode
}

type drawnNode struct {
	leaf    bool
	yes, no int
}

func (d *draw) tree() (t drawnTree) {
	depth := d.IntN(6)
	var grow func(left int) int
	grow = func(left int) int {
		at := len(t.nodes)
		t.nodes = append(t.nodes, drawnNode{leaf: left == 0 || at > 0 && d.chance(0.2)})
		if !t.nodes[at].leaf {
			yes := grow(left - 1)
			no := grow(left - 1)
			t.nodes[at].yes, t.nodes[at].no = yes, no
		}
		return at
	}
	grow(depth)
	return t
}

// quarters are weights of which sums are exact, so that no label changes with the order of a sum.
func (d *draw) quarters(lo, hi int64) float32 { return float32(d.between(lo, hi)) / 4 }

// rows are numbers that hit the values of nodes often, and are missing at times where a type has that.
func (d *draw) rows(dt onnxpb.DataType, features int64) val {
	x := empty(dt, []int64{pick(d, d.extent(), d.between(30, 80)), features})
	missing := d.chance(0.5)
	for i := range x.Len() {
		switch {
		case !isFloat(dt):
			x.SetInt(i, d.between(-3, 3))
		case missing && d.chance(0.2):
			x.SetFloat(i, pick(d, math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)))
		default:
			x.SetFloat(i, float64(d.between(-6, 6))/2)
		}
	}
	return d.rowsOf(x)
}

// rowsOf is an input of which only the number of rows may be symbolic.
func (d *draw) rowsOf(x *tensor.Tensor) val {
	d.batch, d.symbolic = d.symbolic, false
	return d.input(x)
}

// mode draws how nodes compare, all alike or each in its own way.
func (d *draw) mode() func() int {
	if d.chance(0.4) {
		return func() int { return 0 }
	}
	return func() int { return d.IntN(len(treeModes)) }
}

func oldTrees(d *draw, votes string) {
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	if votes == "class" {
		dt = pick(d, dt, onnxpb.Int64, onnxpb.Int32)
	}
	features := d.between(1, 5)
	version := d.between(1, 3)
	if dt == onnxpb.Double && votes == "target" {
		version = 3
	}
	d.begin().Import("ai.onnx.ml", version)
	targets := pick(d, 1, 2, 2, 3, d.between(1, 6))
	apart := d.chance(0.5)          // each tree votes for one target
	full := !apart && d.chance(0.5) // each leaf votes for all targets
	positive := d.chance(0.5)       // no weight is negative
	only := int64(-1)
	if !full && d.chance(0.3) {
		only = d.Int64N(targets)
	}
	if votes == "class" && d.chance(0.3) { // one score stands for two classes, a probability at times
		targets, only, full, apart = 2, 0, false, false
	}
	mode := d.mode()
	var trees, nodes, feature, yes, no, tracks []int64
	var values, weights []float32
	var modes [][]byte
	var voteTrees, voteNodes, voteTargets []int64
	count := pick(d, 1, 2, d.between(1, 20))
	for tree := range count {
		t := d.tree()
		own := d.Int64N(targets)
		for i, node := range t.nodes {
			trees, nodes = append(trees, tree), append(nodes, int64(i))
			feature, yes, no = append(feature, d.Int64N(features)), append(yes, int64(node.yes)), append(no, int64(node.no))
			values, tracks = append(values, float32(d.between(-6, 6))/2), append(tracks, d.Int64N(2))
			if !node.leaf {
				modes = append(modes, []byte(treeModes[mode()]))
				continue
			}
			modes = append(modes, []byte("LEAF"))
			for target := range targets {
				if targets > 1 && (apart && target != own || !apart && !full && d.chance(0.2)) {
					continue
				}
				if only >= 0 {
					if target = only; len(voteNodes) > 0 && voteNodes[len(voteNodes)-1] == int64(i) && voteTrees[len(voteTrees)-1] == tree {
						continue
					}
				}
				least := int64(-8)
				if positive {
					least = 0
				}
				voteTrees, voteNodes, voteTargets, weights = append(voteTrees, tree), append(voteNodes, int64(i)), append(voteTargets, target), append(weights, d.quarters(least, 8))
			}
		}
	}
	strs := func(name string, list [][]byte) onnxpb.Attribute {
		return onnxpb.Attribute{Name: name, Type: onnxpb.AttrStrings, Strings: list}
	}
	// reals are given as float64 where the input is.
	reals := func(name string, list []float32) onnxpb.Attribute {
		if dt != onnxpb.Double || version < 3 {
			return ob.FloatList(name, list...)
		}
		t := tensor.MustNew(must(onnxpb.Double.DType()), int64(len(list)))
		for i, v := range list {
			t.SetFloat(i, float64(v)+1e-9)
		}
		return ob.Tensor(name+"_as_tensor", onnxpb.Tensor{Type: onnxpb.Double, Dims: t.Shape, Data: t.Data})
	}
	attrs := []onnxpb.Attribute{
		ob.IntList("nodes_treeids", trees...), ob.IntList("nodes_nodeids", nodes...), ob.IntList("nodes_featureids", feature...), reals("nodes_values", values),
		strs("nodes_modes", modes), ob.IntList("nodes_truenodeids", yes...), ob.IntList("nodes_falsenodeids", no...),
		ob.IntList(votes+"_treeids", voteTrees...), ob.IntList(votes+"_nodeids", voteNodes...), ob.IntList(votes+"_ids", voteTargets...), reals(votes+"_weights", weights),
	}
	attrs = append(attrs, maybe(d, 0.5, ob.IntList("nodes_missing_value_tracks_true", tracks...))...)
	transform := pick(d, "NONE", "NONE", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
	attrs = append(attrs, ob.Str("post_transform", transform))
	base := make([]float32, targets)
	for i := range base {
		base[i] = d.quarters(-6, 6)
	}
	if votes == "class" && targets == 2 && (full || only >= 0) && d.chance(0.4) { // else it does not write all scores
		base = base[:1]
	}
	if votes == "class" || full { // else ONNX Runtime leaves them out where a row has no vote
		attrs = append(attrs, maybe(d, 0.4, reals("base_values", base))...)
	}
	d.tol.abs = 1e-6
	x := d.rows(dt, features)
	if votes == "target" {
		attrs = append(attrs, ob.Int("n_targets", targets))
		attrs = append(attrs, maybe(d, 0.7, ob.Str("aggregate_function", pick(d, "SUM", "AVERAGE", "MIN", "MAX")))...)
		d.result("ai.onnx.ml.TreeEnsembleRegressor", onnxpb.Float, []val{x}, attrs...)
		return
	}
	labels := make([]int64, targets)
	for i := range labels {
		labels[i] = d.between(-9, 9)
	}
	attrs = append(attrs, ob.IntList("classlabels_int64s", labels...))
	out := d.nodes("ai.onnx.ml.TreeEnsembleClassifier", 2, []val{x}, attrs...)
	d.out(out[0], onnxpb.Int64)
	d.out(out[1], onnxpb.Float)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// treeEnsemble is the operator of version 5, whose leaves have numbers of their own.
func treeEnsemble(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	features, targets := d.between(1, 5), pick(d, 1, 2, 3, d.between(1, 6))
	d.begin().Import("ai.onnx.ml", 5)
	var feature, modes, yes, no, yesLeaf, noLeaf, tracks, roots, leafTargets []int64
	var splits, weights, members []float64
	mode := d.mode()
	for range pick(d, 1, 2, d.between(1, 20)) {
		t := d.tree()
		place := make([]int64, len(t.nodes))
		first := int64(len(feature))
		inner := int64(0)
		own := d.Int64N(targets)
		if d.chance(0.5) {
			own = -1
		}
		for i, node := range t.nodes {
			if !node.leaf {
				place[i] = first + inner
				inner++
				continue
			}
			place[i] = int64(len(weights))
			target := own
			if own < 0 {
				target = d.Int64N(targets)
			}
			weights, leafTargets = append(weights, float64(d.quarters(-8, 8))), append(leafTargets, target)
		}
		roots = append(roots, first)
		node := func(y, n int64, yl, nl bool) {
			feature, splits, tracks = append(feature, d.Int64N(features)), append(splits, float64(d.between(-6, 6))/2), append(tracks, d.Int64N(2))
			yes, no, yesLeaf, noLeaf = append(yes, y), append(no, n), append(yesLeaf, truth(yl)), append(noLeaf, truth(nl))
			m := int64(mode())
			if d.chance(0.1) {
				m = 6
				if len(members) > 0 {
					members = append(members, math.NaN())
				}
				for range d.between(1, 4) {
					members = append(members, float64(d.between(0, 3))) // others are refused, or do not hold for themselves
				}
			}
			modes = append(modes, m)
		}
		for _, n := range t.nodes {
			if !n.leaf {
				node(place[n.yes], place[n.no], t.nodes[n.yes].leaf, t.nodes[n.no].leaf)
			}
		}
		if t.nodes[0].leaf { // a tree of one leaf
			node(place[0], place[0], true, true)
		}
	}
	reals := func(name string, list []float64) onnxpb.Attribute {
		t := tensor.MustNew(must(dt.DType()), int64(len(list)))
		for i, v := range list {
			t.SetFloat(i, v)
		}
		return ob.Tensor(name, onnxpb.Tensor{Type: dt, Dims: t.Shape, Data: t.Data})
	}
	bytes := make([]byte, len(modes))
	for i, m := range modes {
		bytes[i] = byte(m)
	}
	attrs := []onnxpb.Attribute{
		ob.IntList("nodes_featureids", feature...), reals("nodes_splits", splits), ob.IntList("nodes_truenodeids", yes...), ob.IntList("nodes_falsenodeids", no...),
		ob.Tensor("nodes_modes", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{int64(len(bytes))}, Data: bytes}),
		ob.IntList("nodes_trueleafs", yesLeaf...), ob.IntList("nodes_falseleafs", noLeaf...), ob.IntList("tree_roots", roots...),
		ob.IntList("leaf_targetids", leafTargets...), reals("leaf_weights", weights), ob.Int("n_targets", targets),
		ob.Int("post_transform", pick(d, int64(0), 0, 3, 4)), ob.Int("aggregate_function", d.Int64N(4)),
	}
	attrs = append(attrs, maybe(d, 0.5, ob.IntList("nodes_missing_value_tracks_true", tracks...))...)
	if len(members) > 0 {
		attrs = append(attrs, reals("membership_values", members))
	}
	d.tol.abs = 1e-6
	d.result("ai.onnx.ml.TreeEnsemble", dt, []val{d.rows(dt, features)}, attrs...)
}
