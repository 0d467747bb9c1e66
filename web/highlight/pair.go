package highlight

import (
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

// pairLines finds which removed and added lines of a block belong together, so
// that they stand side by side with their words compared. Blocks with as many
// lines on both sides, and large ones, are paired in order; small ones by the
// alignment with the greatest sum of similarities. The budget counts comparisons.
func pairLines(before, after *Document, b linediff.Block, budget *int) []pair {
	n, m := b.X1-b.X0, b.Y1-b.Y0
	if n == 0 || m == 0 {
		return nil
	}
	if n == m || n*m > maxBlockCells || n*m > *budget {
		pairs := make([]pair, min(n, m))
		for i := range pairs {
			pairs[i] = pair{b.X0 + i, b.Y0 + i}
		}
		return pairs
	}
	*budget -= n * m
	// best[i][j] is the greatest sum for the lines from i and j on.
	best := make([]float64, (n+1)*(m+1))
	sims := make([]float64, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			sim := similarity(before.Line(b.X0+i), after.Line(b.Y0+j))
			if sim < minSimilar {
				sim = 0
			}
			sims[i*m+j] = sim
			best[i*(m+1)+j] = max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1], sim+best[(i+1)*(m+1)+j+1])
		}
	}
	var pairs []pair
	for i, j := 0, 0; i < n && j < m; {
		sim := sims[i*m+j]
		switch here := best[i*(m+1)+j]; {
		case sim > 0 && here == sim+best[(i+1)*(m+1)+j+1]:
			pairs = append(pairs, pair{b.X0 + i, b.Y0 + j})
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
