// Package linediff compares two texts line by line: the blocks of lines that
// differ, which of them are renamed or moved only, and the hunks that events carry.
//
// It is the only place that chooses a diff algorithm, so that the counts in an
// event agree with the diff that the page fetches. Instruments and the web may
// import it; it imports the event format and must not know IR, storage or pages.
package linediff

import (
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

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
	blocks, w := windowBlocks(before, after)
	for i := range blocks {
		b := &blocks[i]
		b.X0, b.X1, b.Y0, b.Y1 = b.X0+w.line, b.X1+w.line, b.Y0+w.line, b.Y1+w.line
	}
	return blocks
}

// windowBlocks returns where two texts that are not equal differ, in lines of the window.
func windowBlocks(before, after string) ([]Block, window) {
	e := endsOf(before, after)
	if b, ok := e.plain(before, after); ok {
		w := e.window(before, after, Context, Context)
		return []Block{{w.lead, w.lead + b.X1, w.lead, w.lead + b.Y1}}, w
	}
	w := e.window(before, after, leadLines, trailLines)
	blocks := compare(w.before, w.after)
	if !w.settled(blocks) {
		w = window{before: before, after: after}
		blocks = compare(before, after)
	}
	return blocks, w
}

// compare returns where two texts differ.
func compare(before, after string) []Block {
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

// appendLines appends Lines(text) to list.
func appendLines(list []string, text string) []string {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		list, text = append(list, line), rest
	}
	return list
}

// CountLines returns len(Lines(text)) without cutting the text.
func CountLines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
