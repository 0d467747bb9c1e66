package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// vote is what a leaf adds to a target.
type vote struct {
	leaf, target int32
	weight       float64
}

// ballots are trees with what their leaves say of targets.
type ballots struct {
	splits  []treeSplit
	roots   []int32
	leaves  int
	votes   []vote
	targets int64
	of      []int32 // the tree of each leaf
}

// scores are the votes of each row for each target, and which targets had any.
type scores struct {
	sum    relax.Expr // (rows, targets)
	always []bool     // by target: every row has a vote for it
	never  []bool     // no row has
	any    relax.Expr // bool (rows, targets), nil unless there are targets that are neither
	rows   tir.Expr
	floats dtype.DType
}

// treesOfLeaves notes for each leaf the tree that it is in.
func (b *ballots) treesOfLeaves() {
	b.of = make([]int32, b.leaves)
	var stack []int32
	for t, root := range b.roots {
		stack = append(stack[:0], root)
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if at < 0 {
				b.of[^at] = int32(t)
				continue
			}
			stack = append(stack, b.splits[at].yes, b.splits[at].no)
		}
	}
}

// inner counts the splits that the roots lead to.
func (b *ballots) inner() int {
	count := 0
	stack := slices.Clone(b.roots)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; at >= 0 {
			count++
			stack = append(stack, b.splits[at].yes, b.splits[at].no)
		}
	}
	return count
}

// table is room for numbers of each leaf and target, for the leaf that stands for none, too. A large one must have votes in one of 64 places at least.
func (b *ballots) table(n *node, fill float64) []float64 {
	if size := int64(b.leaves+1) * b.targets; size > min(max(1<<22, 64*int64(len(b.votes))), maxVotes) {
		n.fail("%d leaves with %d votes for %d targets take a table of %d numbers, which is too large", b.leaves, len(b.votes), b.targets, size)
	}
	return slices.Repeat([]float64{fill}, (b.leaves+1)*int(b.targets))
}

// reached counts the leaves of each tree.
func (b *ballots) reached() []int32 {
	out := make([]int32, len(b.roots))
	for _, t := range b.of {
		out[t]++
	}
	return out
}

// count returns how the votes of all trees for each row of x come out: their sum, or the least or greatest of them.
func (b *ballots) count(n *node, x relax.Expr, floats dtype.DType, features int64, reduce string) *scores {
	f := &forest{floats: floats, features: features}
	f.plant(n, b.splits, b.roots, int32(b.leaves))
	dims, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	s := &scores{rows: dims[0], floats: floats}
	none := map[string]float64{"relax.sum": 0, "relax.max": math.Inf(-1), "relax.min": math.Inf(1)}[reduce]
	combine := map[string]func(a, b float64) float64{"relax.sum": func(a, b float64) float64 { return a + b }, "relax.max": math.Max, "relax.min": math.Min}[reduce]
	b.treesOfLeaves()
	b.coverage(s)
	leaves := f.leaves(n, x)
	if own, most := b.alone(); own != nil {
		s.sum = b.apart(n, s, leaves, own, most, len(f.roots), none, reduce)
	} else {
		k := b.targets
		table := b.table(n, none)
		for _, v := range b.votes {
			at := int64(v.leaf)*k + int64(v.target)
			table[at] = combine(table[at], v.weight)
		}
		weights := n.numbers(floats, []int64{int64(b.leaves + 1), k}, func(i int) float64 { return table[i] })
		taken := n.emit("relax.take", args(weights, leaves), "axis", int64(0))
		s.sum = n.emit(reduce, args(taken), "axis", []int64{1}, "keepdims", false)
	}
	if slices.Contains(s.mixed(), true) {
		s.any = b.anyVotes(n, leaves)
	}
	if none != 0 {
		s.sum = s.where(n, s.sum, n.constant(floats, 0))
	}
	return s
}

// alone returns the target that each tree votes for, and the most trees that vote for one. It is nil if a tree votes for several, or if there are many more targets than trees.
func (b *ballots) alone() (own []int32, most int) {
	own = slices.Repeat([]int32{-1}, len(b.roots))
	for _, v := range b.votes {
		if t := b.of[v.leaf]; own[t] >= 0 && own[t] != v.target {
			return nil, 0
		} else {
			own[t] = v.target
		}
	}
	counts := make([]int, b.targets)
	for t := range own {
		own[t] = max(own[t], 0)
		counts[own[t]]++
	}
	if most = slices.Max(counts); int64(most)*b.targets > 16*int64(len(own))+64 {
		return nil, 0
	}
	return own, most
}

// apart is the result where each tree votes for one target: the trees are put in the order of targets, as many for each as the most have, so that a reduction of the last
// axis is left. What stands for trees that are not there is a leaf of its own, which has no vote.
func (b *ballots) apart(n *node, s *scores, leaves relax.Expr, own []int32, most, trees int, none float64, reduce string) relax.Expr {
	weights := slices.Repeat([]float64{none}, b.leaves+1)
	seen := make([]bool, b.leaves)
	for _, v := range b.votes {
		switch w := &weights[v.leaf]; {
		case !seen[v.leaf]:
			*w = v.weight
		case reduce == "relax.sum":
			*w += v.weight
		case reduce == "relax.max":
			*w = math.Max(*w, v.weight)
		default:
			*w = math.Min(*w, v.weight)
		}
		seen[v.leaf] = true
	}
	table := n.numbers(s.floats, []int64{int64(b.leaves + 1)}, func(i int) float64 { return weights[i] })
	taken := n.emit("relax.take", args(table, leaves), "axis", int64(0))
	k := int(b.targets)
	if k == 1 {
		return n.emit(reduce, args(taken), "axis", []int64{1}, "keepdims", true)
	}
	order := slices.Repeat([]int64{int64(len(own))}, k*most)
	filled := make([]int, k)
	ordered := k*most == trees
	for t, target := range own {
		at := int(target)*most + filled[target]
		order[at] = int64(t)
		ordered = ordered && at == t
		filled[target]++
	}
	if !ordered {
		if k*most > len(own) && trees == len(own) {
			nothing := n.filled(s.floats, []tir.Expr{s.rows, tir.Int(1)}, none)
			taken = n.emit("relax.concat", args(tuple(args(taken, nothing))), "axis", int64(1))
		}
		taken = n.emit("relax.take", args(taken, n.int64s(order)), "axis", int64(1))
	}
	taken = n.reshape(taken, []tir.Expr{s.rows, tir.Int(int64(k)), tir.Int(int64(most))})
	return n.emit(reduce, args(taken), "axis", []int64{2}, "keepdims", false)
}

// coverage says which targets have votes of any row.
func (b *ballots) coverage(s *scores) {
	s.always, s.never = make([]bool, b.targets), slices.Repeat([]bool{true}, int(b.targets))
	reached := b.reached()
	type key struct{ tree, target int32 }
	voting := map[key]int32{} // leaves of a tree that vote for a target
	last := make(map[key]int32)
	for _, v := range b.votes {
		s.never[v.target] = false
		k := key{b.of[v.leaf], v.target}
		if at, ok := last[k]; ok && at == v.leaf {
			continue // twice
		}
		last[k] = v.leaf
		if voting[k]++; voting[k] == reached[k.tree] {
			s.always[v.target] = true
		}
	}
}

func (s *scores) mixed() []bool {
	out := make([]bool, len(s.always))
	for i := range out {
		out[i] = !s.always[i] && !s.never[i]
	}
	return out
}

// anyVotes is bool (rows, targets): whether a leaf of the row votes for the target.
func (b *ballots) anyVotes(n *node, leaves relax.Expr) relax.Expr {
	k := b.targets
	table := b.table(n, 0)
	for _, v := range b.votes {
		table[int64(v.leaf)*k+int64(v.target)] = 1
	}
	votes := n.numbers(dtype.Float32T, []int64{int64(b.leaves + 1), k}, func(i int) float64 { return table[i] })
	taken := n.emit("relax.take", args(votes, leaves), "axis", int64(0))
	most := n.emit("relax.max", args(taken), "axis", []int64{1}, "keepdims", false)
	return n.emit("relax.greater", args(most, n.constant(dtype.Float32T, 0)))
}

// where is x where targets have votes, and other elsewhere.
func (s *scores) where(n *node, x, other relax.Expr) relax.Expr {
	switch {
	case !slices.Contains(s.always, false):
		return x
	case s.any != nil:
		return n.emit("relax.where", args(s.any, x, other))
	}
	there := make([]byte, len(s.always))
	for i, a := range s.always {
		if a {
			there[i] = 1
		}
	}
	return n.emit("relax.where", args(vectorOf(n, dtype.BoolT, there), x, other))
}
