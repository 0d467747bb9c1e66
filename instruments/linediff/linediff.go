// Package linediff compares two texts line by line: the blocks of lines that
// differ, and the hunks that events carry.
//
// It is the only place that chooses a diff algorithm, so that the counts in an
// event agree with the diff that the page fetches. Instruments and the web may
// import it; it imports the event format and must not know IR, storage or pages.
package linediff

import (
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/irscope/irscope/instruments/event"
)

// Context is the number of unchanged lines around the changes of a hunk.
const Context = 3

// Block is a place where the texts differ: lines X0 to X1-1 of the text before
// stand where lines Y0 to Y1-1 of the text after do, counted from 0. At least
// one of the two ranges is not empty.
type Block struct {
	X0, X1, Y0, Y1 int
}

// Blocks returns where two texts differ, in order and without overlap; nil where
// they are equal. It takes O(n log n) time in the number of lines: the fast mode
// of the algorithm, because the exact ones take seconds on texts of 100,000 lines.
func Blocks(before, after string) []Block {
	if before == after {
		return nil
	}
	var blocks []Block
	for _, h := range textdiff.Hunks(before, after, diff.Fast(), diff.Context(0), textdiff.IndentHeuristic()) {
		x, y := h.LineNoX, h.LineNoY
		cur := Block{x, x, y, y}
		for _, e := range h.Edits {
			switch e.Op {
			case diff.Delete:
				cur.X1++
			case diff.Insert:
				cur.Y1++
			case diff.Match:
				blocks = appendBlock(blocks, cur)
				cur = Block{cur.X1 + 1, cur.X1 + 1, cur.Y1 + 1, cur.Y1 + 1}
			}
		}
		blocks = appendBlock(blocks, cur)
	}
	return blocks
}

// appendBlock appends a block that is not empty; one that touches the last block
// is joined to it.
func appendBlock(blocks []Block, b Block) []Block {
	if b.X0 == b.X1 && b.Y0 == b.Y1 {
		return blocks
	}
	if n := len(blocks) - 1; n >= 0 && blocks[n].X1 == b.X0 && blocks[n].Y1 == b.Y0 {
		blocks[n].X1, blocks[n].Y1 = b.X1, b.Y1
		return blocks
	}
	return append(blocks, b)
}

// Lines cuts a text into lines without their newline. A newline at the very end
// does not begin another line; the empty text has no lines.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// CountLines returns len(Lines(text)) without cutting the text.
func CountLines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

// Hunks returns the differences of two texts with Context lines around them, as
// events carry them, and the numbers of added and removed lines. Where the lines
// of the hunks take more than limit bytes, hunks is nil and truncated is true;
// the counts are exact all the same.
func Hunks(before, after string, limit int) (hunks []event.Hunk, added, removed int, truncated bool) {
	blocks := Blocks(before, after)
	for _, b := range blocks {
		removed += b.X1 - b.X0
		added += b.Y1 - b.Y0
	}
	xs, ys := Lines(before), Lines(after)
	size := 0
	for _, b := range blocks {
		for _, s := range xs[b.X0:b.X1] {
			size += len(s) + 1
		}
		for _, s := range ys[b.Y0:b.Y1] {
			size += len(s) + 1
		}
	}
	if size > limit {
		return nil, added, removed, true // without building what would be dropped
	}
	size = 0
	line := func(h *event.Hunk, mark byte, s string) {
		size += len(s) + 1
		h.Lines = append(h.Lines, string(mark)+s)
	}
	for i := 0; i < len(blocks) && size <= limit; {
		b := blocks[i]
		lead := min(Context, b.X0)
		h := event.Hunk{Before: b.X0 - lead + 1, After: b.Y0 - lead + 1}
		x := b.X0 - lead
		for ; i < len(blocks) && size <= limit; i++ {
			b = blocks[i]
			if x < b.X0 && b.X0-x > 2*Context {
				break
			}
			for ; x < b.X0; x++ {
				line(&h, ' ', xs[x])
			}
			for ; x < b.X1 && size <= limit; x++ {
				line(&h, '-', xs[x])
			}
			x = b.X1
			for y := b.Y0; y < b.Y1 && size <= limit; y++ {
				line(&h, '+', ys[y])
			}
		}
		for end := min(x+Context, len(xs)); x < end; x++ {
			line(&h, ' ', xs[x])
		}
		hunks = append(hunks, h)
	}
	if size > limit {
		return nil, added, removed, true
	}
	return hunks, added, removed, false
}
