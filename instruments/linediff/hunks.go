package linediff

import "github.com/irscope/irscope/instruments/event"

// Context is the number of unchanged lines around the changes of a hunk.
const Context = 3

// Diff is the difference of two texts as events carry it.
type Diff struct {
	// Hunks has Context lines around the differences; nil where Truncated is set.
	Hunks []event.Hunk
	// Added and Removed count lines, Renamed and Moved the pairs of them that Mark finds.
	Added, Removed, Renamed, Moved int
	// Truncated tells that the lines of the hunks take more bytes than asked for.
	Truncated bool
}

// Hunks compares two texts. Where the lines of the hunks take more than limit bytes, it counts
// them only.
func Hunks(before, after string, limit int) Diff {
	blocks := Blocks(before, after)
	xs, ys := Lines(before), Lines(after)
	m := Mark(blocks, func(i int) string { return xs[i] }, func(i int) string { return ys[i] })
	d := Diff{Renamed: m.Renamed, Moved: m.Moved}
	size := 0
	for _, b := range blocks {
		d.Removed += b.X1 - b.X0
		d.Added += b.Y1 - b.Y0
		for _, s := range xs[b.X0:b.X1] {
			size += len(s) + 1
		}
		for _, s := range ys[b.Y0:b.Y1] {
			size += len(s) + 1
		}
	}
	if size > limit { // before building what would be dropped
		d.Truncated = true
		return d
	}
	w := hunkWriter{xs: xs, ys: ys, before: m.Before, after: m.After}
	for len(blocks) > 0 && w.size <= limit {
		blocks = w.hunk(blocks)
	}
	if w.size > limit {
		d.Truncated = true
		return d
	}
	d.Hunks = w.hunks
	return d
}

// hunkWriter builds hunks.
type hunkWriter struct {
	xs, ys        []string
	before, after []Line // the marks of the changed lines that are left; nil for none
	hunks         []event.Hunk
	size          int
}

// hunk writes the first hunk of the blocks that are left, and returns those behind it.
func (w *hunkWriter) hunk(blocks []Block) []Block {
	b := blocks[0]
	lead := min(Context, b.X0)
	x := b.X0 - lead
	h := event.Hunk{Before: x + 1, After: b.Y0 - lead + 1}
	var marks []byte
	marked := false
	line := func(sign string, s string, mark byte) {
		w.size += len(s) + 1
		h.Lines = append(h.Lines, sign+s)
		marks = append(marks, mark)
		marked = marked || mark == MarkRenamed || mark == MarkMoved
	}
	for ; len(blocks) > 0; blocks = blocks[1:] {
		b = blocks[0]
		if x < b.X0 && b.X0-x > 2*Context {
			break
		}
		for ; x < b.X0; x++ {
			line(" ", w.xs[x], MarkSame)
		}
		for ; x < b.X1; x++ {
			line("-", w.xs[x], take(&w.before))
		}
		for y := b.Y0; y < b.Y1; y++ {
			line("+", w.ys[y], take(&w.after))
		}
	}
	for end := min(x+Context, len(w.xs)); x < end; x++ {
		line(" ", w.xs[x], MarkSame)
	}
	if marked {
		h.Marks = string(marks)
	}
	w.hunks = append(w.hunks, h)
	return blocks
}

// take returns the mark of the next changed line.
func take(lines *[]Line) byte {
	if len(*lines) == 0 {
		return MarkChanged
	}
	m := (*lines)[0].Mark
	*lines = (*lines)[1:]
	return m
}
