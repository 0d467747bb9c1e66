package highlight

import (
	"slices"
	"sort"

	"github.com/irscope/irscope/instruments/linediff"
)

// Bounds on the search for pairs of lines. A block beyond them pairs its lines in
// order.
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

// block returns the pairs of a block, in order. Renamed and moved lines stand beside their
// counterparts where that keeps the order, and beside nothing else; x and y are the marks of the
// block's lines, nil where none has one. The others are paired between them.
func (p *pairer) block(b linediff.Block, x, y []linediff.Line) []pair {
	if b.X0 == b.X1 || b.Y0 == b.Y1 {
		return nil
	}
	var pairs []pair
	from := pair{b.X0, b.Y0}
	for _, to := range append(inOrder(b, x), pair{b.X1, b.Y1}) {
		p.xs, p.ys = p.xs[:0], p.ys[:0]
		for i := from.x; i < to.x; i++ {
			if x == nil || x[i-b.X0].Mark == linediff.MarkChanged {
				p.xs = append(p.xs, i)
			}
		}
		for i := from.y; i < to.y; i++ {
			if y == nil || y[i-b.Y0].Mark == linediff.MarkChanged {
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

// inOrder returns the most lines that have their counterparts in the same block, in the same
// order: the longest increasing subsequence, found by patience sorting.
func inOrder(b linediff.Block, x []linediff.Line) []pair {
	type card struct {
		pair
		left int // the card below it in the pile to the left; -1 for none
	}
	var cards []card
	var piles []int // the top card of each pile
	for i, l := range x {
		y := int(l.Other)
		if l.Mark == linediff.MarkChanged || y < b.Y0 || y >= b.Y1 {
			continue
		}
		k := sort.Search(len(piles), func(k int) bool { return cards[piles[k]].y >= y })
		c := card{pair{b.X0 + i, y}, -1}
		if k > 0 {
			c.left = piles[k-1]
		}
		if k == len(piles) {
			piles = append(piles, 0)
		}
		piles[k] = len(cards)
		cards = append(cards, c)
	}
	out := make([]pair, len(piles))
	for k := len(piles) - 1; k >= 0; k-- {
		c := cards[piles[k]]
		out[k] = c.pair
		if k > 0 {
			piles[k-1] = c.left
		}
	}
	return out
}

// lines pairs p.xs with p.ys. As many lines on both sides, and large numbers of them, are paired
// in order; small ones by the alignment with the greatest sum of similarities.
func (p *pairer) lines(pairs []pair) []pair {
	n, m := len(p.xs), len(p.ys)
	if n == 0 || m == 0 {
		return pairs
	}
	if n == m || n*m > maxBlockCells || n*m > p.budget {
		pairs = slices.Grow(pairs, min(n, m))
		for i := range min(n, m) {
			pairs = append(pairs, pair{p.xs[i], p.ys[i]})
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
