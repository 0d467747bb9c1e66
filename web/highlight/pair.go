package highlight

import (
	"sort"

	"github.com/irscope/irscope/instruments/linediff"
)

// Bounds on the search for pairs of lines. Lines beyond them are compared in order.
const (
	maxBlockCells   = 1024
	maxSimilarities = 400_000
)

// minSimilar is the similarity from which two lines count as one line changed.
const minSimilar = 0.4

// pairer finds which removed and added lines belong together, so that they stand side by side
// with their words compared.
type pairer struct {
	before, after *Document
	budget        int // comparisons that are left
	xs, ys        []int
}

// block returns the pairs of a block, in order. Renamed and moved lines belong to their counterparts, and lines that bind the
// same name to each other, as far as that keeps the order. What is left between them is paired by similarity. x and y are the
// marks of the block's lines, nil where none has one.
func (p *pairer) block(b linediff.Block, x, y []linediff.Line) []pair {
	if b.X0 == b.X1 || b.Y0 == b.Y1 {
		return nil
	}
	var pairs []pair
	from := pair{b.X0, b.Y0}
	for _, to := range append(inOrder(p.known(b, x, y)), pair{b.X1, b.Y1}) {
		p.xs, p.ys = p.xs[:0], p.ys[:0]
		for i := from.x; i < to.x; i++ {
			if changed(x, i-b.X0) {
				p.xs = append(p.xs, i)
			}
		}
		for i := from.y; i < to.y; i++ {
			if changed(y, i-b.Y0) {
				p.ys = append(p.ys, i)
			}
		}
		pairs = p.lines(pairs)
		if to.x < b.X1 {
			pairs = append(pairs, to)
		}
		from = pair{to.x + 1, to.y + 1}
	}
	return pairs
}

// changed reports whether line i of a block is neither renamed nor moved.
func changed(lines []linediff.Line, i int) bool {
	return lines == nil || lines[i].Mark == linediff.MarkChanged
}

// known returns the pairs of a block that need no search, in the order of the removed lines: renamed and moved lines with their
// counterparts, and lines that alone on their side bind a name with the one that binds it on the other side.
func (p *pairer) known(b linediff.Block, x, y []linediff.Line) []pair {
	binds := make(map[string]pair, b.X1-b.X0) // the line on each side; -1 for none, -2 for several
	bind := func(name string, i int, side func(*pair) *int) {
		if name == "" {
			return
		}
		at, ok := binds[name]
		if !ok {
			at = pair{-1, -1}
		}
		if n := side(&at); *n == -1 {
			*n = i
		} else {
			*n = -2
		}
		binds[name] = at
	}
	for i := b.X0; i < b.X1; i++ {
		if changed(x, i-b.X0) {
			bind(linediff.Bound(p.before.Line(i)), i, func(at *pair) *int { return &at.x })
		}
	}
	for i := b.Y0; i < b.Y1; i++ {
		if changed(y, i-b.Y0) {
			bind(linediff.Bound(p.after.Line(i)), i, func(at *pair) *int { return &at.y })
		}
	}
	var out []pair
	for i := b.X0; i < b.X1; i++ {
		if !changed(x, i-b.X0) {
			if other := int(x[i-b.X0].Other); other >= b.Y0 && other < b.Y1 {
				out = append(out, pair{i, other})
			}
		} else if at, ok := binds[linediff.Bound(p.before.Line(i))]; ok && at.x == i && at.y >= 0 {
			out = append(out, at)
		}
	}
	return out
}

// inOrder returns the most of the pairs that follow each other on both sides: the longest increasing subsequence, found by
// patience sorting in O(n log n).
func inOrder(pairs []pair) []pair {
	left := make([]int, len(pairs)) // the card below each in the pile to the left
	var piles []int                 // the top card of each pile
	for i, c := range pairs {
		k := sort.Search(len(piles), func(k int) bool { return pairs[piles[k]].y >= c.y })
		if k > 0 {
			left[i] = piles[k-1]
		}
		if k == len(piles) {
			piles = append(piles, 0)
		}
		piles[k] = i
	}
	out := make([]pair, len(piles))
	for k, i := len(piles)-1, 0; k >= 0; k-- {
		if k == len(piles)-1 {
			i = piles[k]
		}
		out[k], i = pairs[i], left[i]
	}
	return out
}

// lines pairs p.xs with p.ys by similarity. As many lines on both sides, and large numbers of them, are compared in order; small
// numbers are paired by the alignment with the greatest sum of similarities. Lines that have too little in common are no pair.
func (p *pairer) lines(pairs []pair) []pair {
	n, m := len(p.xs), len(p.ys)
	if n == 0 || m == 0 {
		return pairs
	}
	if n == m || n*m > maxBlockCells || n*m > p.budget {
		for i := range min(n, m) {
			if similarity(p.before.Line(p.xs[i]), p.after.Line(p.ys[i])) >= minSimilar {
				pairs = append(pairs, pair{p.xs[i], p.ys[i]})
			}
		}
		return pairs
	}
	p.budget -= n * m
	// best[i][j] is the greatest sum for the lines from i and j on.
	best := make([]float64, (n+1)*(m+1))
	sims := make([]float64, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			sim := similarity(p.before.Line(p.xs[i]), p.after.Line(p.ys[j]))
			if sim < minSimilar {
				sim = 0
			}
			sims[i*m+j] = sim
			best[i*(m+1)+j] = max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1], sim+best[(i+1)*(m+1)+j+1])
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		sim := sims[i*m+j]
		switch here := best[i*(m+1)+j]; {
		case sim > 0 && here == sim+best[(i+1)*(m+1)+j+1]:
			pairs = append(pairs, pair{p.xs[i], p.ys[j]})
			i, j = i+1, j+1
		case here == best[(i+1)*(m+1)+j]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// similarity returns how much of two lines is a common beginning and a common end
// beyond their indentation, from 0 to 1.
func similarity(a, b string) float64 {
	a, b = clip(a), clip(b)
	longer, n := max(len(a), len(b)), min(len(a), len(b))
	if longer == 0 {
		return 1
	}
	head := 0
	for head < n && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return float64(head+tail) / float64(longer)
}

// clip takes the indentation off a line and all beyond 200 bytes.
func clip(s string) string {
	i := 0
	for i < len(s) && isSpace[s[i]] {
		i++
	}
	return s[i:min(len(s), i+200)]
}
