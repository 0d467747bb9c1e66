package graph

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/flow"
)

// Of nested boxes, in pixels.
const (
	boxPad    = 10 // between the sides of a box and what stands in it
	boxGap    = 8  // below the head of a box, and between boxes in it
	rowGap    = 4  // between statements
	partGap   = 8  // between pieces of text, and between boxes beside one another
	headSpace = 6  // above and below the text of a head or a statement
	rowWidth  = 660
	maxRows   = 4 // lines of one statement
)

// boxes lays a loop nest out as boxes in boxes: what a loop, a block or a branch holds stands in
// its box, in order from the top to the bottom. Loops directly in one another share one box, as
// the loops of a perfect nest do: the outer one is the box, and the others are labels in its
// head. Buffers that are allocated one after the other stand beside one another.
//
// Sizes are found from the inside to the outside, and places from the outside to the inside, so
// that all boxes in one box are as wide as it allows. Both are linear.
func (l *Layout) boxes(ctx context.Context) error {
	b := &boxer{Layout: l, below: make([][]int, len(l.Boxes))}
	roots := b.family()
	// A node stands before all that is in it, so going backwards is from the inside out.
	b.content = make([]size, len(l.Boxes))
	b.head = make([]size, len(l.Boxes))
	for i := len(l.Boxes) - 1; i >= 0; i-- {
		b.measure(i)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	all := b.stack(roots)
	l.W, l.H = all.w+2*margin, all.h+2*margin
	b.place(roots, margin, margin, all.w)
	for i := range l.Boxes { // parents have their places before what is in them
		b.inside(i)
	}
	return nil
}

type size struct{ w, h int }

type boxer struct {
	*Layout
	below   [][]int // what stands in each node
	head    []size  // the text of a node, and the labels of the loops that share its box
	content []size  // what is below the head
}

// family finds the node that each node stands in: the first of those before it that lead to it,
// which is that after the pass in a diff, since what is gone comes last. Nodes in none are roots.
func (b *boxer) family() (roots []int) {
	b.Parents = make([]int, len(b.Boxes))
	for i := range b.Parents {
		b.Parents[i] = -1
	}
	for _, e := range b.Graph.Edges {
		if e.From < e.To && b.Parents[e.To] < 0 {
			b.Parents[e.To] = e.From
		}
	}
	for i, p := range b.Parents {
		if p < 0 {
			roots = append(roots, i)
		} else {
			b.below[p] = append(b.below[p], i)
		}
	}
	return roots
}

// inner returns the loop that shares the box of node i: the only thing in it. It is -1 where
// there is none.
func (b *boxer) inner(i int) int {
	if list := b.below[i]; len(list) == 1 && b.Graph.Nodes[i].Kind == flow.Loop && b.Graph.Nodes[list[0]].Kind == flow.Loop {
		return list[0]
	}
	return -1
}

// shares reports whether node i is a label in the head of another one.
func (b *boxer) shares(i int) bool { return b.Parents[i] >= 0 && b.inner(b.Parents[i]) == i }

// measure finds the size of a node, whose contents have theirs.
func (b *boxer) measure(i int) {
	n, box := &b.Graph.Nodes[i], &b.Boxes[i]
	box.Frame = len(b.below[i]) > 0 && !b.shares(i)
	*box = write(n, box.Frame, b.shares(i))
	b.head[i] = size{box.W, box.H}
	if !box.Frame {
		return
	}
	// The labels of the loops in the head stand in rows.
	last, x, height := i, box.W-boxPad, box.H
	for k := b.inner(i); k >= 0; k = b.inner(k) {
		label := &b.Boxes[k]
		if x+partGap+label.W > rowWidth {
			x, height = boxPad-partGap, height+label.H+rowGap
		}
		label.X, label.Y = x+partGap, height-label.H-headSpace/2
		x += partGap + label.W
		b.head[i].w = max(b.head[i].w, x+boxPad)
		last = k
	}
	b.head[i].h = height
	b.content[i] = b.stack(b.below[last])
	box.W = max(b.head[i].w, b.content[i].w+2*boxPad)
	box.H = b.head[i].h + b.content[i].h + boxPad
}

// stack is the size of nodes below one another.
func (b *boxer) stack(list []int) size {
	var s size
	b.rows(list, func(row []int, y int) {
		w, h := 0, 0
		for k, n := range row {
			if k > 0 {
				w += partGap
			}
			w, h = w+b.Boxes[n].W, max(h, b.Boxes[n].H)
		}
		s.w, s.h = max(s.w, w), max(s.h, y+h)
	})
	return s
}

// rows calls f for each row of nodes below one another, with the place of its top: a node
// alone, or several buffers.
func (b *boxer) rows(list []int, f func(row []int, y int)) {
	y := 0
	for i := 0; i < len(list); {
		end, w, h := i+1, b.Boxes[list[i]].W, b.Boxes[list[i]].H
		for end < len(list) && b.small(list[i]) && b.small(list[end]) && w+partGap+b.Boxes[list[end]].W <= rowWidth {
			w, h = w+partGap+b.Boxes[list[end]].W, max(h, b.Boxes[list[end]].H)
			end++
		}
		f(list[i:end], y)
		gap := rowGap
		if b.Boxes[list[i]].Frame || end < len(list) && b.Boxes[list[end]].Frame {
			gap = boxGap
		}
		y += h + gap
		i = end
	}
}

// small reports whether a node may stand beside others.
func (b *boxer) small(i int) bool {
	return b.Graph.Nodes[i].Kind == flow.Alloc && !b.Boxes[i].Frame
}

// place gives nodes below one another their places. What stands alone becomes as wide as the room.
func (b *boxer) place(list []int, x, y, width int) {
	b.rows(list, func(row []int, at int) {
		left := x
		for _, n := range row {
			box := &b.Boxes[n]
			box.X, box.Y = left, y+at
			if len(row) == 1 && !b.small(n) {
				box.W = width
			}
			left += box.W + partGap
		}
	})
}

// inside gives what is in a frame its place, once the frame has one.
func (b *boxer) inside(i int) {
	box := &b.Boxes[i]
	if !box.Frame {
		return
	}
	last := i
	for k := b.inner(i); k >= 0; k = b.inner(k) {
		b.Boxes[k].X += box.X
		b.Boxes[k].Y += box.Y
		last = k
	}
	b.place(b.below[last], box.X+boxPad, box.Y+b.head[i].h, box.W-2*boxPad)
}

// write returns the box of a node with its text: what it does, and then the rest in as many
// lines as it takes. A label is one line, and a frame has room for its contents below.
func write(n *flow.Node, frame, label bool) Box {
	side := boxPad
	if label {
		side = boxPad / 2
	}
	head, parts := clean(n.Label), []string{n.Info}
	if label && n.Name != "" {
		head = n.Name // the first of the loops says that they are loops
	}
	if n.Was != "" {
		parts = append([]string{"was " + n.Was}, parts...)
	}
	parts = append(parts, joined(n)...)
	out := Box{Frame: frame}
	x, y := side, headSpace
	put := func(t Line, base int) {
		t.X, t.Y = x, y+base
		out.Lines = append(out.Lines, t)
		x += textWidth(t) + partGap
		out.W = max(out.W, x-partGap+side)
	}
	for k, s := range broken(head, (rowWidth-2*side)*100/int(labelWidth*100)) {
		if k > 0 {
			x, y = side, y+labelHeight
		}
		put(Line{Text: s}, labelBase)
	}
	rows := 1
	for _, p := range parts {
		if p = clean(p); p == "" {
			continue
		}
		t := Line{Text: p, Small: true}
		if x+textWidth(t)+side <= rowWidth || label {
			put(t, labelBase)
			continue
		}
		for _, s := range broken(p, (rowWidth-2*side)*100/int(smallWidth*100)) {
			if rows == maxRows {
				break
			}
			rows++
			x, y = side, y+labelHeight
			put(Line{Text: s, Small: true}, labelBase)
		}
	}
	out.H = y + labelHeight + headSpace
	if label {
		out.H -= headSpace // its own, above and below
		for i := range out.Lines {
			out.Lines[i].Y -= headSpace / 2
		}
	}
	return out
}

// joined returns the rest of what is said of a node: the parameters of a function on as few
// lines as they take, else a piece for each.
func joined(n *flow.Node) []string {
	if n.Kind != flow.Function {
		return n.Inline
	}
	return []string{strings.Join(n.Inline, ", ")}
}

// broken breaks a text into lines of at most n letters, after a blank or a comma where there is
// one in the last third. What maxRows lines do not hold is elided from the middle.
func broken(s string, n int) []string {
	if utf8.RuneCountInString(s) <= n {
		return []string{s}
	}
	r := []rune(elide(s, n*maxRows*2/3))
	var out []string
	for len(r) > n {
		at := n
		for i := n; i > n*2/3; i-- {
			if r[i-1] == ' ' || r[i-1] == ',' {
				at = i
				break
			}
		}
		out, r = append(out, strings.TrimSpace(string(r[:at]))), r[at:]
	}
	if rest := strings.TrimSpace(string(r)); rest != "" {
		out = append(out, rest)
	}
	return out
}
