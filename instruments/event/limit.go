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

// Arrange brings the functions into the order that PassFinished promises,
// counts lines, and drops the hunks that are beyond the limits, marking what it
// dropped. Small functions keep their hunks before large ones do, so one large
// function does not cost all others theirs. The producer calls it once.
func (p *PassFinished) Arrange() {
	slices.SortFunc(p.Functions, func(a, b FunctionChange) int {
		// Lines that are renamed or moved say less than others.
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(b.Added+b.Removed, a.Added+a.Removed), cmp.Compare(a.Name, b.Name))
	})
	p.Added, p.Removed, p.Renamed, p.Moved = 0, 0, 0, 0
	budget := MaxEventHunks
	for i := len(p.Functions) - 1; i >= 0; i-- {
		f := &p.Functions[i]
		p.Added += f.Added
		p.Removed += f.Removed
		p.Renamed += f.Renamed
		p.Moved += f.Moved
		if n := hunkBytes(f.Hunks); f.Truncated || n > MaxFunctionHunks || n > budget {
			f.Hunks, f.Truncated, p.Truncated = nil, true, true
		} else {
			budget -= n
		}
	}
}

// size counts the lines that are neither renamed nor moved.
func size(f FunctionChange) int {
	d := f.Delta()
	return d.Added + d.Removed
}

// hunkBytes counts the bytes of the lines of hunks.
func hunkBytes(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			n += len(l) + 4 // quotes, comma, and the rare escape
		}
		n += len(h.Marks)
	}
	return n
}
