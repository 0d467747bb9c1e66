package linediff

import (
	"slices"
	"strings"
)

// A diff by lines alone shows a renumbered variable as a hundred changed lines. This file finds the changed
// lines that need no second look: lines that moved, and lines that differ in the names of values only.
//
//	- lv3: R.Tensor((2,)) = R.add(lv2, x)        + lv2: R.Tensor((2,)) = R.add(lv1, x)      lv3 is lv2 now
//
// Moved lines are found by their text in a map. Renamed ones are found in two steps: lines with the same
// shape (shape.go: the text with every name of a value cut out) are candidates, and a candidate counts only
// if it agrees with all others about which old name became which new one. A renaming is therefore one
// consistent map for the whole diff, and a name that changes its meaning stays marked as a change.
//
// Each line is hashed and compared a constant number of times, so the cost is linear in the changed text.

// The marks of lines. A page shows renamed and moved lines otherwise than in red and green.
const (
	MarkSame    = ' ' // the line is on both sides
	MarkChanged = '!'
	MarkRenamed = '~' // it differs from a line on the other side in names only
	MarkMoved   = '>' // the same text, whatever its indentation, is on the other side elsewhere
)

// MaxMarked bounds the bytes of changed lines that Mark looks at. All changed lines of a
// larger diff are MarkChanged.
const MaxMarked = 4 << 20

// Line says what became of a changed line.
type Line struct {
	// Mark is MarkChanged, MarkRenamed or MarkMoved.
	Mark byte
	// Other is the number of the counterpart of a renamed or moved line in the other text, from 0.
	Other int32
}

// Marks are the marks of the changed lines of two texts.
type Marks struct {
	// Before and After hold the lines of all blocks, one block after the other. Both are nil
	// where no line is renamed or moved.
	Before, After []Line
	// Renamed and Moved count pairs of lines.
	Renamed, Moved int
}

// Mark classifies the lines of the blocks of a diff; before and after return a line of the
// texts, from 0.
//
// A line is moved if a line of the other side has its text, which holds a letter or digit;
// each line is the counterpart of one. Of the others, lines removed and added in one block are
// renamed if they differ in names of values only, each name became the same name in all of them,
// and the old name is defined on a removed line and the new one on an added line: else another
// value would be meant. What is called, attributes, keywords, literals and names of arguments
// must be equal.
//
// It takes time and memory in proportion to the lines.
func Mark(blocks []Block, before, after func(int) string) Marks {
	nx, ny := 0, 0
	for _, b := range blocks {
		nx, ny = nx+b.X1-b.X0, ny+b.Y1-b.Y0
	}
	if nx == 0 || ny == 0 {
		return Marks{}
	}
	m := markers.Get().(*marker)
	defer m.release()
	m.x, m.y = slices.Grow(m.x, nx), slices.Grow(m.y, ny)
	m.next = slices.Grow(m.next, nx)[:nx]
	size := 0
	for _, b := range blocks {
		for i := b.X0; i < b.X1; i++ {
			m.x = append(m.x, changed{text: before(i), at: int32(i), other: -1})
			size += len(m.x[len(m.x)-1].text)
		}
		for i := b.Y0; i < b.Y1; i++ {
			m.y = append(m.y, changed{text: after(i), at: int32(i), other: -1})
			size += len(m.y[len(m.y)-1].text)
		}
		if size > MaxMarked {
			return Marks{}
		}
	}
	m.moved()
	x, y := 0, 0
	for i, b := range blocks {
		n, k := b.X1-b.X0, b.Y1-b.Y0
		m.renamed(uint64(i), x, x+n, y, y+k)
		x, y = x+n, y+k
	}
	if m.out.Renamed+m.out.Moved > 0 {
		m.out.Before, m.out.After = lines(m.x, m.y), lines(m.y, m.x)
	}
	return m.out
}

// lines returns the marks of one side.
func lines(side, other []changed) []Line {
	out := make([]Line, len(side))
	for i, c := range side {
		out[i] = Line{Mark: MarkChanged, Other: -1}
		if c.mark != 0 {
			out[i] = Line{Mark: c.mark, Other: other[c.other].at}
		}
	}
	return out
}

// moved pairs lines of equal text, in order.
func (m *marker) moved() {
	first := m.first
	for i := len(m.x) - 1; i >= 0; i-- {
		text := strings.TrimLeft(m.x[i].text, " ")
		m.next[i] = -1
		if j, ok := first[text]; ok {
			m.next[i] = j
		}
		first[text] = int32(i)
	}
	for j := range m.y {
		text := strings.TrimLeft(m.y[j].text, " ")
		i, ok := first[text]
		if !ok || i < 0 || !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || wordByte[r] && r != '_' }) {
			continue
		}
		first[text] = m.next[i]
		m.x[i].mark, m.x[i].other = MarkMoved, int32(j)
		m.y[j].mark, m.y[j].other = MarkMoved, i
		m.out.Moved++
	}
}

// defined notes which names the lines define that have not moved. Most diffs have no name that becomes another one, and need
// not know it.
func (m *marker) defined() {
	if m.known {
		return
	}
	m.known = true
	for side, lines := range [][]changed{m.x, m.y} {
		note := func(name string) { m.defs[m.id(name)] |= 1 << side }
		for i := range lines {
			if lines[i].mark != MarkMoved {
				definitions(lines[i].text, note)
			}
		}
	}
}

// renamed pairs the lines left in a block that have one shape, in order: m.x[x0:x1] and
// m.y[y0:y1]. The number of the block tells its shapes from those of others.
func (m *marker) renamed(block uint64, x0, x1, y0, y1 int) {
	if x0 == x1 || y0 == y1 {
		return
	}
	if x1-x0 == 1 && y1-y0 == 1 { // most blocks; no need for a table
		if m.x[x0].mark == 0 && m.y[y0].mark == 0 && m.rename(m.x[x0].text, m.y[y0].text) {
			m.pair(x0, y0)
		}
		return
	}
	shapes := m.shapes
	for i := x1 - 1; i >= x0; i-- {
		if m.x[i].mark != 0 {
			continue
		}
		shape := shapeHash(block, m.x[i].text)
		m.next[i] = -1
		if j, ok := shapes[shape]; ok {
			m.next[i] = j
		}
		shapes[shape] = int32(i)
	}
	for j := y0; j < y1; j++ {
		if m.y[j].mark != 0 {
			continue
		}
		shape := shapeHash(block, m.y[j].text)
		i, ok := shapes[shape]
		if !ok || i < 0 {
			continue
		}
		shapes[shape] = m.next[i]
		if m.rename(m.x[i].text, m.y[j].text) {
			m.pair(int(i), j)
		}
	}
}

func (m *marker) pair(i, j int) {
	m.x[i].mark, m.x[i].other = MarkRenamed, int32(j)
	m.y[j].mark, m.y[j].other = MarkRenamed, int32(i)
	m.out.Renamed++
}

// rename reports whether one line becomes the other by names alone, given the lines seen so
// far, and notes what the names became.
func (m *marker) rename(before, after string) bool {
	m.pairs = m.pairs[:0]
	i, j := 0, 0
	for i < len(before) && j < len(after) {
		a, b := nextToken(before, i), nextToken(after, j)
		x, y := before[i:a.end], after[j:b.end]
		if a.name != b.name || !a.name && x != y {
			return false
		}
		if a.name {
			m.pairs = append(m.pairs, [2]string{x, y})
		}
		i, j = a.end, b.end
	}
	if i < len(before) || j < len(after) {
		return false
	}
	m.undo = m.undo[:0]
	for _, p := range m.pairs {
		if !m.become(m.id(p[0]), m.id(p[1])) {
			for k := 0; k < len(m.undo); k += 2 {
				m.to[m.undo[k]], m.from[m.undo[k+1]] = -1, -1
			}
			return false
		}
	}
	return true
}

// id returns the number of a name.
func (m *marker) id(name string) int32 {
	n, ok := m.ids[name]
	if !ok {
		n = int32(len(m.to))
		m.ids[name] = n
		m.to, m.from, m.defs = append(m.to, -1), append(m.from, -1), append(m.defs, 0)
	}
	return n
}

// become notes that one name became another. It reports false where it became a third, where
// another name became that, and where the lines do not define the two.
func (m *marker) become(x, y int32) bool {
	if m.to[x] == y && m.from[y] == x {
		return true
	}
	if m.to[x] >= 0 || m.from[y] >= 0 {
		return false
	}
	if x != y {
		if m.defined(); m.defs[x]&1 == 0 || m.defs[y]&2 == 0 {
			return false
		}
	}
	m.to[x], m.from[y] = y, x
	m.undo = append(m.undo, x, y)
	return true
}
