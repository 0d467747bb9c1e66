// Package nearest finds the known name that a misspelled one was meant to be, for hints in
// errors. It knows no IR, and every package may import it.
package nearest

import (
	"iter"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxLen bounds the names that are compared, since the cost is the product of their lengths.
const maxLen = 64

// Name returns the candidate at the smallest edit distance from name without regard to case,
// the first in order of the alphabet where several are. It is empty where all are more than a
// third of name's length and one away.
func Name(name string, candidates iter.Seq[string]) string {
	if len(name) > maxLen {
		return ""
	}
	low := strings.ToLower(name)
	best, limit := "", 1+len(name)/3
	for c := range candidates {
		if len(c) > maxLen || max(len(c), len(name))-min(len(c), len(name)) > limit {
			continue
		}
		d := levenshtein.ComputeDistance(low, strings.ToLower(c))
		if d < limit || d == limit && (best == "" || c < best) {
			best, limit = c, d
		}
	}
	return best
}
