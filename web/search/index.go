package search

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// index tells which lines of a text hold which words and paths. It is immutable.
type index struct {
	lines int
	words vocabulary
	// paths holds paths as they are written, and "def NAME" for the functions that the text defines.
	paths vocabulary
}

// vocabulary is a sorted list of keys, each with the numbers of its lines in ascending order, from 0.
type vocabulary struct {
	keys    string // one behind the other
	keyEnds []uint32
	posts   []byte // differences of line numbers as varints
	ends    []uint32
}

// size returns the bytes of memory that the index holds, about.
func (x *index) size() int64 {
	n := 256
	for _, v := range []*vocabulary{&x.words, &x.paths} {
		n += len(v.keys) + len(v.posts) + 4*len(v.keyEnds) + 4*len(v.ends)
	}
	return int64(n)
}

// defKey returns the key of the definition of a function.
func defKey(name string) string { return "def " + name }

// newIndex reads a text of less than 1 GiB, in time linear in its length but for sorting its words.
func newIndex(ctx context.Context, text string) (*index, error) {
	words, paths := newGatherer(), newGatherer()
	n := 0
	for text != "" {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		line, rest, _ := strings.Cut(text, "\n")
		line = cutLine(line)
		scan(line, func(t token, from, to int) {
			switch t {
			case tokenWord:
				words.add(line[from:to], n)
			case tokenPath:
				paths.add(line[from:to], n)
			case tokenDef:
				paths.add(defKey(line[from:to]), n)
			}
		})
		text = rest
		n++
	}
	return &index{lines: n, words: words.vocabulary(), paths: paths.vocabulary()}, nil
}

// gatherer collects which keys are on which lines, line by line.
type gatherer struct {
	ids   map[string]uint32
	keys  []string
	last  []uint32 // the number of the last line of a key, from 1
	count []uint32
	pairs []struct{ id, line uint32 }
}

func newGatherer() *gatherer { return &gatherer{ids: map[string]uint32{}} }

func (g *gatherer) add(key string, line int) {
	id, ok := g.ids[key]
	if !ok {
		id = uint32(len(g.keys))
		g.ids[key] = id
		g.keys, g.last, g.count = append(g.keys, key), append(g.last, 0), append(g.count, 0)
	}
	if n := uint32(line) + 1; g.last[id] != n {
		g.last[id] = n
		g.count[id]++
		g.pairs = append(g.pairs, struct{ id, line uint32 }{id, uint32(line)})
	}
}

// vocabulary orders what was collected.
func (g *gatherer) vocabulary() vocabulary {
	order := make([]uint32, len(g.keys))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(g.keys[a], g.keys[b]) })

	// The lines of each key, one key behind the other.
	starts := make([]uint32, len(g.keys)+1)
	for i, n := range g.count {
		starts[i+1] = starts[i] + n
	}
	lines, fill := make([]uint32, len(g.pairs)), slices.Clone(starts)
	for _, p := range g.pairs {
		lines[fill[p.id]] = p.line
		fill[p.id]++
	}

	v := vocabulary{keyEnds: make([]uint32, len(order)), ends: make([]uint32, len(order))}
	var keys strings.Builder
	posts := make([]byte, 0, len(lines)+len(lines)/4)
	for i, id := range order {
		keys.WriteString(g.keys[id])
		last := uint32(0)
		for _, line := range lines[starts[id]:starts[id+1]] {
			posts = binary.AppendUvarint(posts, uint64(line-last))
			last = line
		}
		v.keyEnds[i], v.ends[i] = uint32(keys.Len()), uint32(len(posts))
	}
	// Clones, for what is kept must not hold the room that growing left.
	v.keys, v.posts = strings.Clone(keys.String()), slices.Clone(posts)
	return v
}

// len returns the number of keys.
func (v *vocabulary) len() int { return len(v.keyEnds) }

// key returns key i.
func (v *vocabulary) key(i int) string {
	from := uint32(0)
	if i > 0 {
		from = v.keyEnds[i-1]
	}
	return v.keys[from:v.keyEnds[i]]
}

// each calls f with the lines of key i.
func (v *vocabulary) each(i int, f func(line int)) {
	from, line := uint32(0), uint64(0)
	if i > 0 {
		from = v.ends[i-1]
	}
	for posts := v.posts[from:v.ends[i]]; len(posts) > 0; {
		d, n := binary.Uvarint(posts)
		posts = posts[n:]
		line += d
		f(int(line))
	}
}

// find returns the number of a key, and whether it is there.
func (v *vocabulary) find(key string) (int, bool) {
	return sort.Find(v.len(), func(i int) int { return strings.Compare(key, v.key(i)) })
}

// lineSet is a set of lines of a text; nil is all of them.
type lineSet []uint64

func newLineSet(lines int) lineSet { return make(lineSet, (lines+63)/64) }

func (s lineSet) add(line int) { s[line>>6] |= 1 << (line & 63) }

// and keeps the lines of s that are also in other; both belong to the same text.
func (s lineSet) and(other lineSet) lineSet {
	switch {
	case s == nil:
		return other
	case other == nil:
		return s
	}
	for i := range s {
		s[i] &= other[i]
	}
	return s
}

// or adds the lines of other, which like s must not be nil.
func (s lineSet) or(other lineSet) lineSet {
	for i := range s {
		s[i] |= other[i]
	}
	return s
}

// empty tells whether no line is in the set.
func (s lineSet) empty() bool {
	if s == nil {
		return false
	}
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}
