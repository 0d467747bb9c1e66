package linediff

import "sync"

// changed is a line that only one of the texts has.
type changed struct {
	text  string
	at    int32 // its number
	other int32 // index of its counterpart; -1 for none
	mark  byte  // 0 for MarkChanged
}

type marker struct {
	x, y []changed // before and after
	next []int32   // of the removed lines with the same text or shape, the one after each; -1 for none
	out  Marks

	first    map[string]int32 // of the removed lines with a text, the first that has no counterpart; -1 for none
	shapes   map[uint64]int32 // the same of those in a block that have a shape
	ids      map[string]int32 // the numbers of names
	to, from []int32          // what a name became, and which name became it; -1 where not known
	known    bool             // defs is known
	defs     []uint8          // of names: bit 0 where a removed line defines it, bit 1 an added one
	pairs    [][2]string      // the names of the two lines that rename looks at
	undo     []int32          // what it has noted
}

// markers are kept for the next diff: most diffs are short, and there are thousands in a compilation.
var markers = sync.Pool{New: func() any {
	return &marker{first: map[string]int32{}, shapes: map[uint64]int32{}, ids: map[string]int32{}}
}}

// maxKept is how many lines and names a marker may hold that is kept: clearing its tables takes as long as there is room.
const maxKept = 1 << 10

// release prepares m for another diff, and forgets the texts of this one.
func (m *marker) release() {
	if len(m.x) > maxKept || len(m.y) > maxKept || len(m.ids) > maxKept {
		return
	}
	clear(m.x)
	clear(m.y)
	clear(m.first)
	clear(m.shapes)
	clear(m.ids)
	clear(m.pairs[:cap(m.pairs)])
	*m = marker{
		x: m.x[:0], y: m.y[:0], next: m.next[:0], first: m.first, shapes: m.shapes, ids: m.ids,
		to: m.to[:0], from: m.from[:0], defs: m.defs[:0], pairs: m.pairs[:0], undo: m.undo[:0],
	}
	markers.Put(m)
}
