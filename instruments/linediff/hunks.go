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
	Counts
}

// Counts is what is known of a difference before its hunks are made.
type Counts struct {
	// Added and Removed count lines, Renamed and Moved the pairs of them that Mark finds.
	Added, Removed, Renamed, Moved int
	// Truncated tells that the lines of the hunks take more bytes than asked for.
	Truncated bool
}

// Hunks compares two texts. Where the lines of the hunks take more than limit bytes, it counts
// them only.
func Hunks(before, after string, limit int) Diff {
	c := Compare(before, after, limit)
	return Diff{c.Hunks(), c.Counts}
}

// Change is a difference whose hunks are not made yet: of a pass that changes all functions, most are too large for its event.
type Change struct {
	Counts
	blocks []Block
	win    window
	marks  Marks
	bytes  int
}

// Compare does what Hunks does but for making the hunks.
func Compare(before, after string, limit int) Change {
	if before == after {
		return Change{}
	}
	blocks, win := windowBlocks(before, after)
	w := hunkWriters.Get().(*hunkWriter)
	defer w.release()
	w.cut(win)
	xs, ys := w.xs, w.ys
	c := Change{blocks: blocks, win: win}
	c.marks = Mark(blocks, func(i int) string { return xs[i] }, func(i int) string { return ys[i] })
	c.Renamed, c.Moved = c.marks.Renamed, c.marks.Moved
	for _, b := range blocks {
		c.Removed += b.X1 - b.X0
		c.Added += b.Y1 - b.Y0
	}
	if c.measure(w, limit); c.Truncated {
		c.blocks, c.win, c.marks = nil, window{}, Marks{}
	}
	return c
}

// measure finds how many bytes the hunks take.
func (c *Change) measure(w *hunkWriter, limit int) {
	w.marks(c.marks)
	size, lines := 0, 0 // with the sign of each line
	for blocks := c.blocks; len(blocks) > 0; {
		_, blocks = w.collect(blocks)
		for _, l := range w.lines {
			size += len(l.text) + 1
		}
		if size > limit {
			c.Truncated = true
			return
		}
		if lines += len(w.lines); w.marked() {
			c.bytes += len(w.lines)
		}
	}
	c.bytes += size + event.LineBytes*lines
}

// Bytes implements event.Diff.
func (c *Change) Bytes() int { return c.bytes }

// Hunks makes the hunks: nil where there is no difference or Truncated is set.
func (c *Change) Hunks() []event.Hunk {
	if len(c.blocks) == 0 {
		return nil
	}
	w := hunkWriters.Get().(*hunkWriter)
	defer w.release()
	w.cut(c.win)
	w.marks(c.marks)
	var out []event.Hunk
	for blocks := c.blocks; len(blocks) > 0; {
		h := event.Hunk{}
		h, blocks = w.collect(blocks)
		h.Before, h.After = h.Before+c.win.line+1, h.After+c.win.line+1
		w.fill(&h)
		out = append(out, h)
	}
	return out
}

// hunkWriter builds hunks.
type hunkWriter struct {
	xs, ys        []string
	before, after []Line   // the marks of the changed lines that are left; nil for none
	lines         []signed // of the hunk that is written
}

// hunkWriters are kept for the next diff.
var hunkWriters = sync.Pool{New: func() any { return &hunkWriter{} }}

// cut cuts the texts of a window into lines.
func (w *hunkWriter) cut(win window) {
	w.xs, w.ys = appendLines(w.xs, win.before), appendLines(w.ys, win.after)
}

// marks sets the marks of the lines of all blocks.
func (w *hunkWriter) marks(m Marks) { w.before, w.after = m.Before, m.After }

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

// collect lists the lines of the first hunk of the blocks that are left. It returns where that begins in the window, and the blocks behind it.
func (w *hunkWriter) collect(blocks []Block) (event.Hunk, []Block) {
	b := blocks[0]
	lead := min(Context, b.X0)
	x := b.X0 - lead
	h := event.Hunk{Before: x, After: b.Y0 - lead}
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
	return h, blocks
}

// marked reports whether a line of the hunk is renamed or moved.
func (w *hunkWriter) marked() bool {
	for _, l := range w.lines {
		if l.mark == MarkRenamed || l.mark == MarkMoved {
			return true
		}
	}
	return false
}

// fill gives h the lines. They are parts of one string: a line alone would be an allocation.
func (w *hunkWriter) fill(h *event.Hunk) {
	size := 0
	for _, l := range w.lines {
		size += len(l.text) + 1
	}
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
	if w.marked() {
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
