package event

import (
	"fmt"
	"strings"
)

// Delta counts changed lines apart: lines that are added or removed, pairs of a line
// before and one after that differ in names of values only, and pairs that have the same
// text elsewhere.
type Delta struct {
	Added, Removed, Renamed, Moved int
}

// Delta counts the lines of the diff of a function.
func (f FunctionChange) Delta() Delta { return newDelta(f.Added, f.Removed, f.Renamed, f.Moved) }

// Delta counts the lines of the diffs of all functions.
func (p *PassFinished) Delta() Delta { return newDelta(p.Added, p.Removed, p.Renamed, p.Moved) }

func newDelta(added, removed, renamed, moved int) Delta {
	return Delta{added - renamed - moved, removed - renamed - moved, renamed, moved}
}

// OnlyNames tells that lines differ, and in names only.
func (d Delta) OnlyNames() bool { return d.Renamed > 0 && d == Delta{Renamed: d.Renamed} }

// String prints "+12 -7 ~30 ↕2"; kinds of which there is none are left out, and "" stands for
// no difference.
func (d Delta) String() string {
	var out []string
	if d.Added+d.Removed > 0 {
		out = append(out, fmt.Sprintf("+%d -%d", d.Added, d.Removed))
	}
	if d.Renamed > 0 {
		out = append(out, fmt.Sprintf("~%d", d.Renamed))
	}
	if d.Moved > 0 {
		out = append(out, fmt.Sprintf("↕%d", d.Moved))
	}
	return strings.Join(out, " ")
}
