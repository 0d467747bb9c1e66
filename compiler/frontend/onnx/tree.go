package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
)

// treeSplit is an inner node of a decision tree: it compares one feature with a value and goes on to yes or no.
type treeSplit struct {
	mode    treeMode
	feature int64
	value   float64
	members []float64 // of treeMember
	missing bool      // a NaN goes to yes
	yes, no int32     // a split, or leaf ^i for a negative one
}

// treeMode is how a split compares the feature x with its value v. The numbers are those of TreeEnsemble.
type treeMode uint8

const (
	treeLE     treeMode = iota // x <= v
	treeLT                     // x < v
	treeGE                     // x >= v
	treeGT                     // x > v
	treeEQ                     // x == v
	treeNE                     // x != v
	treeMember                 // x is one of several values
)

// treeModes are their names in the operators before TreeEnsemble, in the same order.
var treeModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

// forest is all trees in the form that their kernel reads: records, of which each says which feature is compared with which value, and where the record
// stands that follows if the feature is not less or equal; the one for less or equal is the next one behind it. Nothing is less or equal to a NaN, so
// the record of a leaf has one as its value and itself as what follows: any number of turns behind the leaf stays there. So all trees take
// the same turns without a branch that could be predicted wrongly.
//
// Every comparison is one of less or equal, or a few in a row: x < v is x <= the largest number below v, and x == v is x <= v without x < v. A NaN goes to no; for a
// split where it goes to yes the feature counts from behind the last one, where the kernel's input has the features again with -inf for NaN.
type forest struct {
	floats   dtype.DType // of features and values: float32 or float64
	features int64       // how many there are
	again    bool        // whether features are read that have -inf for NaN
	feature  []int32
	value    []float64
	next     []int32
	leaf     []int32 // the leaf that a record is, 0 of those that are none
	roots    []int32 // the record that each tree starts with
	group    int     // how many trees are walked at once
	turns    []int32 // the most comparisons on a way through a tree of each group

	splits []treeSplit
	steps  []*step // of each split
	plain  []step  // room for those that take one comparison
	pairs  []int32 // of each split: where the records stand that follow its first comparison, 0 before they are made
	levels []int32 // of each split: the most comparisons from it to a leaf
	order  []int32 // splits of a tree
	queue  []place
}

// treeGroup is how many trees a row walks at once: what one waits for memory, others use.
const treeGroup = 8

// place is a record that is still to be written: a split or a leaf, or one of the comparisons of a split.
type place struct {
	record int32
	node   int32
	step   *step
}

// step is a comparison that a split takes; one without others on either side is none, but says what follows the split.
type step struct {
	value   float64
	missing bool
	yes, no *step
	yields  bool
}

// The ends of the ways through the comparisons of a split.
var goesYes, goesNo = step{yields: true}, step{}

// below is the largest number of a type that is less than v, a NaN for -inf.
func below(d dtype.DType, v float64) float64 {
	if math.IsInf(v, -1) {
		return math.NaN()
	}
	if d == dtype.Float64T {
		return math.Nextafter(v, math.Inf(-1))
	}
	return float64(math.Nextafter32(float32(v), float32(math.Inf(-1))))
}

// bands returns numbers in order, and for what is up to each of them and for what is above all whether a comparison holds.
func (s *treeSplit) bands(d dtype.DType) (bounds []float64, holds []bool) {
	up := func(v float64, upTo bool) {
		if math.IsNaN(v) || len(bounds) > 0 && bounds[len(bounds)-1] == v {
			return
		}
		bounds, holds = append(bounds, v), append(holds, upTo)
	}
	v := s.value
	switch {
	case s.mode != treeMember && math.IsNaN(v):
		return nil, []bool{s.mode == treeNE}
	case s.mode == treeLE, s.mode == treeGT:
		up(v, s.mode == treeLE)
		return bounds, append(holds, s.mode == treeGT)
	case s.mode == treeLT, s.mode == treeGE:
		up(below(d, v), s.mode == treeLT)
		return bounds, append(holds, s.mode == treeGE)
	}
	equal := s.members
	if s.mode != treeMember {
		equal = []float64{v}
	}
	for _, v := range slices.Sorted(slices.Values(equal)) {
		if !math.IsNaN(v) {
			up(below(d, v), s.mode == treeNE)
			up(v, s.mode != treeNE)
		}
	}
	return bounds, append(holds, s.mode == treeNE)
}

// steps are the comparisons of a split, a balanced tree of them, and how many are on the longest way. A NaN is on the way that the split has for it.
func (s *treeSplit) steps(d dtype.DType) (*step, int32) {
	bounds, holds := s.bands(d)
	missing := s.missing || s.mode == treeNE
	at := slices.Index(holds, missing) // the band that a NaN goes to
	if last := len(bounds); holds[last] == missing {
		at = last // as it does by itself
	}
	var build func(lo, hi int) (*step, int32)
	build = func(lo, hi int) (*step, int32) {
		if lo == hi {
			return &step{yields: holds[lo]}, 0
		}
		mid := (lo + hi) / 2
		yes, a := build(lo, mid)
		no, b := build(mid+1, hi)
		return &step{value: bounds[mid], missing: at >= 0 && at <= mid, yes: yes, no: no}, 1 + max(a, b)
	}
	first, levels := build(0, len(bounds))
	if at < 0 { // no number goes there
		first, levels = &step{value: math.Inf(1), yes: first, no: &step{yields: missing}}, levels+1
	}
	return first, levels
}

// measure notes what comparisons the splits of a tree take and how many are from each to a leaf. It stops the converter where a split is reached twice.
func (f *forest) measure(n *node, root int32) {
	if root < 0 {
		return
	}
	reach := func(at int32) {
		if f.steps[at] != nil {
			n.fail("node %d of the trees is reached twice: the nodes are no tree", at)
		}
		s := &f.splits[at]
		if s.mode == treeLE && !math.IsNaN(s.value) { // most are
			f.plain[at] = step{value: s.value, missing: s.missing, yes: &goesYes, no: &goesNo}
			f.steps[at], f.levels[at] = &f.plain[at], 1
			return
		}
		f.steps[at], f.levels[at] = s.steps(f.floats)
	}
	f.order = append(f.order[:0], root)
	reach(root)
	for i := 0; i < len(f.order); i++ {
		for _, c := range []int32{f.splits[f.order[i]].yes, f.splits[f.order[i]].no} {
			if c >= 0 {
				reach(c)
				f.order = append(f.order, c)
			}
		}
	}
	for _, at := range slices.Backward(f.order) {
		s := &f.splits[at]
		f.levels[at] += max(f.level(s.yes), f.level(s.no))
	}
}

func (f *forest) level(node int32) int32 {
	if node < 0 {
		return 0
	}
	return f.levels[node]
}

// plant adds trees, of which the roots are splits or leaves, and puts them into the order of their levels. A last group of trees that is not full is filled up
// with the leaf none.
func (f *forest) plant(n *node, splits []treeSplit, roots []int32, none int32) {
	f.splits, f.steps, f.plain = splits, make([]*step, len(splits)), make([]step, len(splits))
	f.levels, f.pairs = make([]int32, len(splits)), make([]int32, len(splits))
	for _, root := range roots {
		f.measure(n, root)
	}
	slices.SortStableFunc(roots, func(a, b int32) int { return int(f.level(b)) - int(f.level(a)) })
	f.group = min(treeGroup, len(roots))
	for i, root := range roots {
		if i%f.group == 0 {
			f.turns = append(f.turns, f.level(root))
		}
		f.grow(root)
	}
	for len(f.roots)%f.group != 0 {
		f.grow(^none)
	}
}

// grow writes the records of a tree.
func (f *forest) grow(root int32) {
	at := f.records(1)
	f.roots = append(f.roots, at)
	f.queue = append(f.queue[:0], place{record: at, node: root})
	for i := 0; i < len(f.queue); i++ {
		f.write(f.queue[i])
	}
}

// records makes room for records and returns the first.
func (f *forest) records(count int) int32 {
	at := int32(len(f.next))
	for range count {
		f.feature, f.value, f.next, f.leaf = append(f.feature, 0), append(f.value, math.NaN()), append(f.next, 0), append(f.leaf, 0)
	}
	return at
}

// write writes one record and puts what follows it into the queue, unless another record of the same split has done so. So what several comparisons of
// one split lead to is there once, but for its first record.
func (f *forest) write(p place) {
	for p.step == nil || p.step.yes == nil {
		if p.step != nil {
			p = place{record: p.record, node: f.splits[p.node].after(p.step.yields)}
		}
		if p.node < 0 {
			f.next[p.record], f.leaf[p.record] = p.record, ^p.node
			return
		}
		if p.step = f.steps[p.node]; p.step.yes != nil {
			if f.pairs[p.node] == 0 {
				f.pairs[p.node] = f.follow(p)
			}
			f.compare(p, f.pairs[p.node])
			return
		}
	}
	f.compare(p, f.follow(p))
}

// follow makes the records that follow a comparison and returns the first.
func (f *forest) follow(p place) int32 {
	at := f.records(2)
	f.queue = append(f.queue, place{at, p.node, p.step.no}, place{at + 1, p.node, p.step.yes})
	return at
}

func (f *forest) compare(p place, next int32) {
	feature := f.splits[p.node].feature
	if p.step.missing {
		feature += f.features
		f.again = true
	}
	f.feature[p.record], f.value[p.record], f.next[p.record] = int32(feature), p.step.value, next
}

func (s *treeSplit) after(yes bool) int32 {
	if yes {
		return s.yes
	}
	return s.no
}
