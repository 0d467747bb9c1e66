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

// Counts adds up the outcomes of the steps of a log, for RunFinished and what is measured there.
type Counts struct {
	Changed, Same, Skipped, Failed, Reused int
	// Ran counts the steps that began and are no sequences.
	Ran int
	// Saved adds up what reuse has saved, in nanoseconds.
	Saved int64
}

// Add counts an event; events that end no step change nothing.
func (c *Counts) Add(e Event) {
	if e.Measured != nil {
		c.Saved += e.Measured.Saved
	}
	switch b := e.Body.(type) {
	case *PassStarted:
		if b.Kind != "sequential" {
			c.Ran++
		}
	case *PassFinished:
		if b.Changed {
			c.Changed++
		} else {
			c.Same++
		}
		if e.Reused {
			c.Reused++
		}
	case *PassSkipped:
		c.Skipped++
	case *PassFailed:
		c.Failed++
	}
}

// Texts returns the hashes of the texts that an event names, without order.
func Texts(e Event) []string {
	var out []string
	add := func(hash string) {
		if hash != "" {
			out = append(out, hash)
		}
	}
	switch b := e.Body.(type) {
	case *RunStarted:
		for _, f := range b.Functions {
			add(f.Text)
		}
		add(b.History)
	case *PassFinished:
		add(b.History)
		if b.Rewrites != nil {
			add(b.Rewrites.Text)
		}
		for _, f := range b.Functions {
			add(f.Before)
			add(f.After)
		}
	case *CodeGenerated:
		add(b.VM)
		add(b.History)
		for _, k := range b.Kernels {
			add(k.Text)
		}
	}
	return out
}
