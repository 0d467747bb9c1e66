package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func treeRows() []operator {
	nodes := []string{
		"nodes_falsenodeids", "nodes_featureids", "nodes_hitrates", "nodes_hitrates_as_tensor", "nodes_missing_value_tracks_true", "nodes_modes", "nodes_nodeids", "nodes_treeids",
		"nodes_truenodeids", "nodes_values", "nodes_values_as_tensor", "base_values", "base_values_as_tensor", "post_transform",
	}
	row := func(name string, convert func(*node), attrs ...string) operator {
		return operator{name: name, minIn: 1, maxIn: 1, attrs: attrs, convert: convert}
	}
	return []operator{
		row("TreeEnsemble", treeEnsemble,
			"aggregate_function", "leaf_targetids", "leaf_weights", "membership_values", "n_targets", "nodes_falseleafs", "nodes_falsenodeids", "nodes_featureids", "nodes_hitrates",
			"nodes_missing_value_tracks_true", "nodes_modes", "nodes_splits", "nodes_trueleafs", "nodes_truenodeids", "post_transform", "tree_roots"),
		row("TreeEnsembleClassifier", treeClassifier, append(slices.Clone(nodes),
			"class_ids", "class_nodeids", "class_treeids", "class_weights", "class_weights_as_tensor", "classlabels_int64s", "classlabels_strings")...),
		row("TreeEnsembleRegressor", treeRegressor, append(slices.Clone(nodes),
			"aggregate_function", "n_targets", "target_ids", "target_nodeids", "target_treeids", "target_weights", "target_weights_as_tensor")...),
	}
}

// The most nodes of all trees of an operator, targets of them, and elements of the constants that say what leaves vote for.
const (
	maxTreeNodes = 1 << 26
	maxTargets   = 1 << 20
	maxVotes     = 1 << 25
)

// sameLength stops unless a list attribute has as many elements as there are nodes.
func (n *node) sameLength(name string, got, want int) {
	if got != want {
		n.fail("attribute %q has %d elements, expected %d", name, got, want)
	}
}

// intList is ints that must have so many elements.
func (n *node) intList(name string, count int) []int64 {
	out := n.ints(name)
	n.sameLength(name, len(out), count)
	return out
}

// tracks reads where a NaN goes; left out, it goes to the false branch everywhere.
func (n *node) tracks(count int) []int64 {
	if out := n.ints("nodes_missing_value_tracks_true"); len(out) > 0 {
		n.sameLength("nodes_missing_value_tracks_true", len(out), count)
		return out
	}
	return make([]int64, count)
}

// feature checks the number of a feature.
func (n *node) feature(i int, id, features int64) int64 {
	if id < 0 || id >= features {
		n.fail("node %d of the trees reads feature %d of %d", i, id, features)
	}
	return id
}

// nodeID is what the attributes call a node by.
type nodeID struct{ tree, node int64 }

// treeIDs finds nodes by what the attributes call them.
type treeIDs struct {
	trees, nodes []int64
	first        map[int64]int    // the first node of each tree; nodes whose ids count from there are found by that
	other        map[nodeID]int32 // all others
}

func newTreeIDs(n *node, trees, nodes []int64) *treeIDs {
	ids := &treeIDs{trees: trees, nodes: nodes, first: map[int64]int{}, other: map[nodeID]int32{}}
	for i, t := range trees {
		if _, ok := ids.first[t]; !ok {
			ids.first[t] = i
		}
		at := ids.regular(t, nodes[i])
		if at == i {
			continue
		}
		id := nodeID{t, nodes[i]}
		if _, ok := ids.other[id]; ok || at >= 0 {
			n.fail("node %d of tree %d is there twice", id.node, id.tree)
		}
		ids.other[id] = int32(i)
	}
	return ids
}

// regular is where a node stands if its tree's nodes stand one after the other in the order of their ids, -1 if it does not.
func (ids *treeIDs) regular(tree, node int64) int {
	first, ok := ids.first[tree]
	if !ok {
		return -1
	}
	at := int64(first) + node - ids.nodes[first]
	if at < int64(first) || at >= int64(len(ids.nodes)) || ids.trees[at] != tree || ids.nodes[at] != node {
		return -1
	}
	return int(at)
}

func (ids *treeIDs) find(n *node, tree, node int64, what string) int32 {
	if at := ids.regular(tree, node); at >= 0 {
		return int32(at)
	}
	at, ok := ids.other[nodeID{tree, node}]
	if !ok {
		n.fail("%s is node %d of tree %d, which is not there", what, node, tree)
	}
	return at
}

// oldTrees reads the nodes of TreeEnsembleRegressor and TreeEnsembleClassifier, and the votes of attributes whose names begin with what. It also says
// whether numbers are given as float64.
func (n *node) oldTrees(what string, features int64) (b *ballots, wide bool) {
	trees := n.ints("nodes_treeids")
	count := len(trees)
	if count == 0 || count > maxTreeNodes {
		n.fail("the trees have %d nodes, expected 1 to %d", count, maxTreeNodes)
	}
	nodes, yes, no := n.intList("nodes_nodeids", count), n.intList("nodes_truenodeids", count), n.intList("nodes_falsenodeids", count)
	feature, tracks := n.intList("nodes_featureids", count), n.tracks(count)
	values, wide := n.numberList("nodes_values")
	n.sameLength("nodes_values", len(values), count)
	var modes [][]byte
	if a := n.attr("nodes_modes", onnxpb.AttrStrings); a != nil {
		modes = a.Strings
	}
	n.sameLength("nodes_modes", len(modes), count)

	ids := newTreeIDs(n, trees, nodes)
	b = &ballots{splits: make([]treeSplit, count)}
	refs := make([]int32, count) // of each node: itself, or as a leaf
	isChild := make([]bool, count)
	for i := range count {
		if string(modes[i]) == "LEAF" {
			refs[i] = ^int32(b.leaves)
			b.leaves++
			continue
		}
		refs[i] = int32(i)
		mode := slices.Index(treeModes, string(modes[i]))
		if mode < 0 {
			n.fail("node %d of the trees has mode %q, supported are %s and \"LEAF\"", i, modes[i], quoteList(treeModes))
		}
		b.splits[i] = treeSplit{mode: treeMode(mode), feature: n.feature(i, feature[i], features), value: values[i], missing: tracks[i] != 0}
	}
	for i := range count {
		if refs[i] < 0 {
			continue
		}
		s := &b.splits[i]
		s.yes, s.no = ids.find(n, trees[i], yes[i], "an attribute \"nodes_truenodeids\""), ids.find(n, trees[i], no[i], "an attribute \"nodes_falsenodeids\"")
		for _, c := range []*int32{&s.yes, &s.no} {
			if isChild[*c] {
				n.fail("node %d of tree %d is reached twice: the nodes are no tree", nodes[*c], trees[*c])
			}
			isChild[*c] = true
			*c = refs[*c]
		}
	}
	seen := map[int64]bool{}
	for i := range count {
		if !isChild[i] {
			if seen[trees[i]] {
				n.fail("tree %d has two nodes that none leads to, expected one, its root", trees[i])
			}
			seen[trees[i]] = true
			b.roots = append(b.roots, refs[i])
		}
	}
	for t := range ids.first {
		if !seen[t] {
			n.fail("tree %d has no root: another node leads to each of its nodes", t)
		}
	}
	if inner := b.inner(); inner < count-b.leaves {
		n.fail("%d nodes are in trees whose roots do not lead to them: they lead to each other in a circle", count-b.leaves-inner)
	}
	return b, n.oldVotes(b, ids, refs, what) || wide
}

// oldVotes reads what leaves vote for.
func (n *node) oldVotes(b *ballots, ids *treeIDs, refs []int32, what string) (wide bool) {
	targets := n.ints(what + "_ids")
	weights, wide := n.numberList(what + "_weights")
	n.sameLength(what+"_weights", len(weights), len(targets))
	trees, nodes := n.intList(what+"_treeids", len(targets)), n.intList(what+"_nodeids", len(targets))
	for i, t := range targets {
		if t < 0 || t >= maxTargets {
			n.fail("attribute %q has the element %d, expected 0 to %d", what+"_ids", t, maxTargets-1)
		}
		at := ids.find(n, trees[i], nodes[i], "an attribute \""+what+"_nodeids\"")
		if refs[at] >= 0 {
			continue // only leaves vote
		}
		b.votes = append(b.votes, vote{^refs[at], int32(t), weights[i]})
	}
	return wide
}

// treeInput returns operand 0 as a table, and how many features it has.
func (n *node) treeInput() (x relax.Expr, dims []tir.Expr, features int64) {
	x, dims = n.mlTable()
	return x, dims, n.width(dims)
}

// treeType is the type that features are compared in: float64 if they or numbers of an attribute are of that type.
func (n *node) treeType(wide bool) dtype.DType {
	if wide || n.dtype(0) == dtype.Float64T {
		return dtype.Float64T
	}
	return dtype.Float32T
}

// aggregates are the reductions of the votes for a target.
var aggregates = []string{"AVERAGE", "SUM", "MIN", "MAX"}

var reductions = map[string]string{"AVERAGE": "relax.sum", "SUM": "relax.sum", "MIN": "relax.min", "MAX": "relax.max"}

// regress computes the targets of trees, (rows, targets).
func (n *node) regress(b *ballots, x relax.Expr, features int64, floats dtype.DType, aggregate string, base []float64, transform string, out dtype.DType) {
	s := b.count(n, n.as(x, floats), floats, features, reductions[aggregate])
	y := s.sum
	if aggregate == "AVERAGE" {
		y = n.emit("relax.divide", args(y, n.constant(floats, float64(len(b.roots)))))
	}
	if len(base) > 0 {
		n.sameLength("base_values", len(base), int(b.targets))
		y = n.emit("relax.add", args(y, n.numbers(floats, []int64{b.targets}, func(i int) float64 { return base[i] })))
	}
	if b.targets > 1 || transform == "PROBIT" { // one target has no other transform
		y = n.transformed(y, transform)
	}
	n.put(0, y, out)
}

func (n *node) targets() int64 {
	k := n.int("n_targets", 0)
	if k < 1 || k > maxTargets {
		n.fail("attribute \"n_targets\" is %d, expected 1 to %d", k, maxTargets)
	}
	return k
}

func treeRegressor(n *node) {
	x, _, features := n.treeInput()
	k := n.targets()
	b, wide := n.oldTrees("target", features)
	b.setTargets(n, k, "target_ids")
	base, wideBase := n.numberList("base_values")
	aggregate := n.str("aggregate_function", "SUM", aggregates...)
	n.regress(b, x, features, n.treeType(wide || wideBase), aggregate, base, n.postTransform(), dtype.Float32T)
}

// setTargets says how many targets there are, which the votes must be for.
func (b *ballots) setTargets(n *node, k int64, name string) {
	b.targets = k
	for _, v := range b.votes {
		if int64(v.target) >= k {
			n.fail("attribute %q has the element %d, expected 0 to %d", name, v.target, k-1)
		}
	}
	slices.SortStableFunc(b.votes, func(a, b vote) int { return int(a.leaf) - int(b.leaf) })
}

// tensorAttr is a tensor attribute of one dimension that must be there.
func (n *node) tensorAttr(name string) []float64 {
	a := n.attr(name, onnxpb.AttrTensor)
	if a == nil {
		n.fail("attribute %q is missing", name)
	}
	return floatsOf(n.tensorList(name, a.T))
}

// treeEnsemble is the operator of version 5: leaves have numbers of their own.
func treeEnsemble(n *node) {
	n.wantDType(0, "a floating-point type", dtype.DType.IsFloat)
	dims := n.ranked(0, 2, 2)
	features := n.width(dims)
	values := n.tensorAttr("nodes_splits")
	count := len(values)
	if count == 0 || count > maxTreeNodes {
		n.fail("the trees have %d nodes, expected 1 to %d", count, maxTreeNodes)
	}
	modes := n.tensorAttr("nodes_modes")
	n.sameLength("nodes_modes", len(modes), count)
	feature, tracks := n.intList("nodes_featureids", count), n.tracks(count)
	yes, no := n.intList("nodes_truenodeids", count), n.intList("nodes_falsenodeids", count)
	yesLeaf, noLeaf := n.intList("nodes_trueleafs", count), n.intList("nodes_falseleafs", count)
	weights, targets := n.tensorAttr("leaf_weights"), n.ints("leaf_targetids")
	n.sameLength("leaf_targetids", len(targets), len(weights))
	k := n.targets()

	for _, t := range targets {
		if t < 0 || t >= k {
			n.fail("attribute \"leaf_targetids\" has the element %d, expected 0 to %d", t, k-1)
		}
	}
	b := &ballots{splits: make([]treeSplit, count), targets: k}
	members := n.members()
	// A leaf that two nodes lead to is two leaves here: each belongs to one tree.
	child := func(id, isLeaf int64) int32 {
		if isLeaf == 0 {
			if id < 0 || id >= int64(count) {
				n.fail("a node leads to node %d of %d", id, count)
			}
			return int32(id)
		}
		if id < 0 || id >= int64(len(weights)) {
			n.fail("a node leads to leaf %d of %d", id, len(weights))
		}
		b.votes = append(b.votes, vote{int32(b.leaves), int32(targets[id]), weights[id]})
		b.leaves++
		return ^int32(b.leaves - 1)
	}
	for i := range count {
		if modes[i] < 0 || modes[i] > float64(treeMember) {
			n.fail("node %d of the trees has mode %g, expected 0 to %d", i, modes[i], treeMember)
		}
		s := treeSplit{mode: treeMode(modes[i]), feature: n.feature(i, feature[i], features), value: values[i], missing: tracks[i] != 0}
		if s.mode == treeMember {
			if len(members) == 0 {
				n.fail("attribute \"membership_values\" has fewer lists than there are nodes of the mode for members")
			}
			s.members, members = members[0], members[1:]
		}
		s.yes, s.no = child(yes[i], yesLeaf[i]), child(no[i], noLeaf[i])
		b.splits[i] = s
	}
	for _, r := range n.ints("tree_roots") {
		if r < 0 || r >= int64(count) {
			n.fail("a tree starts with node %d of %d", r, count)
		}
		b.roots = append(b.roots, int32(r))
	}
	if len(b.roots) == 0 {
		n.fail("attribute \"tree_roots\" is missing: there is no tree")
	}
	aggregate, transform := n.int("aggregate_function", 1), n.int("post_transform", 0)
	if aggregate < 0 || aggregate >= int64(len(aggregates)) || transform < 0 || transform >= int64(len(postTransforms)) {
		n.fail("attributes \"aggregate_function\" and \"post_transform\" are %d and %d, expected 0 to %d and 0 to %d", aggregate, transform, len(aggregates)-1, len(postTransforms)-1)
	}
	d := n.dtype(0)
	n.regress(b, n.expr(0), features, n.treeType(false), aggregates[aggregate], nil, postTransforms[transform], d)
}

// members are the lists of values of the nodes that ask for members, between which NaNs stand.
func (n *node) members() [][]float64 {
	a := n.attr("membership_values", onnxpb.AttrTensor)
	if a == nil {
		return nil
	}
	lists := [][]float64{nil}
	values := floatsOf(n.tensorList("membership_values", a.T))
	for i, v := range values {
		if !math.IsNaN(v) {
			lists[len(lists)-1] = append(lists[len(lists)-1], v)
		} else if i+1 < len(values) {
			lists = append(lists, nil)
		}
	}
	return lists
}
