package linediff

import (
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/event"
)

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
	if before == after {
		return Diff{}
	}
	blocks, win := windowBlocks(before, after)
	w := hunkWriters.Get().(*hunkWriter)
	defer w.release()
	w.xs, w.ys = appendLines(w.xs, win.before), appendLines(w.ys, win.after)
	xs, ys := w.xs, w.ys
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
	w.first, w.before, w.after = win.line+1, m.Before, m.After
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
	first         int    // number of the first of these lines
	before, after []Line // the marks of the changed lines that are left; nil for none
	hunks         []event.Hunk
	size          int
	lines         []signed // of the hunk that is written
}

// hunkWriters are kept for the next diff.
var hunkWriters = sync.Pool{New: func() any { return &hunkWriter{} }}

// release prepares w for another diff, and forgets the texts of this one.
func (w *hunkWriter) release() {
	if max(len(w.xs), len(w.ys), cap(w.lines)) > maxKept {
		return
	}
	clear(w.xs)
	clear(w.ys)
	clear(w.lines[:cap(w.lines)])
	*w = hunkWriter{xs: w.xs[:0], ys: w.ys[:0], lines: w.lines[:0]}
	hunkWriters.Put(w)
}

// signed is a line of a hunk.
type signed struct {
	text       string
	sign, mark byte
}

// hunk writes the first hunk of the blocks that are left, and returns those behind it.
func (w *hunkWriter) hunk(blocks []Block) []Block {
	b := blocks[0]
	lead := min(Context, b.X0)
	x := b.X0 - lead
	h := event.Hunk{Before: x + w.first, After: b.Y0 - lead + w.first}
	w.lines = w.lines[:0]
	line := func(sign byte, s string, mark byte) { w.lines = append(w.lines, signed{s, sign, mark}) }
	for ; len(blocks) > 0; blocks = blocks[1:] {
		b = blocks[0]
		if x < b.X0 && b.X0-x > 2*Context {
			break
		}
		for ; x < b.X0; x++ {
			line(' ', w.xs[x], MarkSame)
		}
		for ; x < b.X1; x++ {
			line('-', w.xs[x], take(&w.before))
		}
		for y := b.Y0; y < b.Y1; y++ {
			line('+', w.ys[y], take(&w.after))
		}
	}
	for end := min(x+Context, len(w.xs)); x < end; x++ {
		line(' ', w.xs[x], MarkSame)
	}
	w.fill(&h)
	w.hunks = append(w.hunks, h)
	return blocks
}

// fill gives h the lines. They are parts of one string: a line alone would be an allocation.
func (w *hunkWriter) fill(h *event.Hunk) {
	size, marked := 0, false
	for _, l := range w.lines {
		size += len(l.text) + 1
		marked = marked || l.mark == MarkRenamed || l.mark == MarkMoved
	}
	w.size += size
	var text strings.Builder
	text.Grow(size)
	h.Lines = make([]string, 0, len(w.lines))
	for _, l := range w.lines {
		text.WriteByte(l.sign)
		text.WriteString(l.text)
	}
	for all := text.String(); len(h.Lines) < len(w.lines); {
		n := len(w.lines[len(h.Lines)].text) + 1
		h.Lines, all = append(h.Lines, all[:n]), all[n:]
	}
	if marked {
		marks := make([]byte, len(w.lines))
		for i, l := range w.lines {
			marks[i] = l.mark
		}
		h.Marks = string(marks)
	}
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
