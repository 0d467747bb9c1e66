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
		if c := cmp.Compare(b.Added+b.Removed, a.Added+a.Removed); c != 0 {
			return c
		}
		return cmp.Compare(a.Name, b.Name)
	})
	p.Added, p.Removed = 0, 0
	budget := MaxEventHunks
	for i := len(p.Functions) - 1; i >= 0; i-- {
		f := &p.Functions[i]
		p.Added += f.Added
		p.Removed += f.Removed
		if n := hunkBytes(f.Hunks); f.Truncated || n > MaxFunctionHunks || n > budget {
			f.Hunks, f.Truncated, p.Truncated = nil, true, true
		} else {
			budget -= n
		}
	}
}

// hunkBytes counts the bytes of the lines of hunks.
func hunkBytes(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			n += len(l) + 4 // quotes, comma, and the rare escape
		}
	}
	return n
}

// Counts adds up the outcomes of the steps of a log, for RunFinished.
type Counts struct {
	Changed, Same, Skipped, Failed, Reused int
}

// Add counts an event; events that end no step change nothing.
func (c *Counts) Add(e Event) {
	switch b := e.Body.(type) {
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
	case *PassFinished:
		for _, f := range b.Functions {
			add(f.Before)
			add(f.After)
		}
	case *CodeGenerated:
		add(b.VM)
		for _, k := range b.Kernels {
			add(k.Text)
		}
	}
	return out
}
