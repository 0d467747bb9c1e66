package event

import (
	"cmp"
	"slices"
)

// Limits of the hunks that an event carries inline, in bytes of text. Whatever
// is larger is fetched by its pair of hashes.
const (
	MaxFunctionHunks = 16 << 10
	MaxEventHunks    = 64 << 10
)

// LineBytes is what a line counts beyond its text and its sign: quotes, comma, and the rare escape.
const LineBytes = 4

// Diff is the difference of a function before its hunks are made: most of those of a pass that changes all functions are beyond the limits.
type Diff interface {
	// Bytes returns how many bytes the hunks count against the limits: those of their lines, LineBytes for each of these, and their marks.
	Bytes() int
	// Hunks makes the hunks.
	Hunks() []Hunk
}

// Arrange brings the functions into the order that PassFinished promises,
// counts lines, and drops the hunks that are beyond the limits, marking what it
// dropped. Small functions keep their hunks before large ones do, so one large
// function does not cost all others theirs. The producer calls it once.
func (p *PassFinished) Arrange() { p.ArrangeDiffs(nil) }

// ArrangeDiffs is Arrange for functions that have no hunks yet: it makes those within the limits. diffs[i] is that of p.Functions[i]; nil for
// one that has its hunks.
func (p *PassFinished) ArrangeDiffs(diffs []Diff) {
	order := make([]int, len(p.Functions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int {
		a, b := &p.Functions[i], &p.Functions[k]
		// Lines that are renamed or moved say less than others.
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(b.Added+b.Removed, a.Added+a.Removed), cmp.Compare(a.Name, b.Name))
	})
	p.Added, p.Removed, p.Renamed, p.Moved = 0, 0, 0, 0
	budget := MaxEventHunks
	for _, i := range slices.Backward(order) {
		f := &p.Functions[i]
		p.Added += f.Added
		p.Removed += f.Removed
		p.Renamed += f.Renamed
		p.Moved += f.Moved
		var d Diff
		if i < len(diffs) {
			d = diffs[i]
		}
		n := 0
		if d == nil {
			n = hunkBytes(f.Hunks)
		} else {
			n = d.Bytes()
		}
		if f.Truncated || n > MaxFunctionHunks || n > budget {
			f.Hunks, f.Truncated, p.Truncated = nil, true, true
			continue
		}
		budget -= n
		if d != nil {
			f.Hunks = d.Hunks()
		}
	}
	if slices.IsSorted(order) {
		return
	}
	sorted := make([]FunctionChange, len(order))
	for to, from := range order {
		sorted[to] = p.Functions[from]
	}
	p.Functions = sorted
}

// size counts the lines that are neither renamed nor moved.
func size(f *FunctionChange) int {
	d := newDelta(f.Added, f.Removed, f.Renamed, f.Moved)
	return d.Added + d.Removed
}

// hunkBytes counts the bytes of the lines of hunks.
func hunkBytes(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			n += len(l) + LineBytes
		}
		n += len(h.Marks)
	}
	return n
}
