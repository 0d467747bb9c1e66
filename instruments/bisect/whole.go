package bisect

import (
	"cmp"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
)

// maxWhole bounds the text of a module with its constants, in bytes: what a session takes as the text of a module.
const maxWhole = 1 << 20

// whole prints a module with the values of its constants, and counts those that are left out since the text would be longer than maxWhole. The
// text is "" where the module has no constants, or none of them fits.
func whole(m *ir.Module) (text string, omitted int) {
	size := len(script.Module(m, script.Options{}).Source)
	// A byte of a constant takes one and a third in the text, and each constant some more, so the first bound may be too large.
	for limit := int64(maxWhole-size) * 3 / 4; limit > 0; limit /= 2 {
		t := script.Module(m, script.Options{ShowMeta: true, MetaBytes: limit})
		omitted = t.Omitted
		switch {
		case len(t.Source) == size: // it has no constants
			return "", 0
		case len(t.Source) <= maxWhole:
			return t.Source, omitted
		}
	}
	return "", cmp.Or(omitted, 1)
}
