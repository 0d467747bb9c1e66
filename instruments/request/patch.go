package request

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Patch is IR that a visitor edited in the middle of the pipeline: functions that take the
// place of those that a step left behind.
type Patch struct {
	// After names the step: "FuseOps", or "FuseOps#1" for the second step of that name in the
	// plan of the run; "import" is before the first.
	After string `json:"after"`
	// Text holds the functions that were edited or added, as TVMScript without a class.
	Text string `json:"text"`
	// Removed names functions that are taken out.
	Removed []string `json:"removed,omitempty"`
	// Before holds the hashes of the texts of these functions as they were when they were
	// edited, "" for those that were added.
	Before map[string]string `json:"before,omitempty"`
}

// EditPrefix stands before the step in the names of the steps that apply patches.
const EditPrefix = "edit."

// Bounds on the patches of a run.
const (
	MaxPatches = 32
	// MaxPatchText is the length of all their texts together, in bytes.
	MaxPatchText = 1 << 20
)

// patchedStep matches what names the step of a patch.
var patchedStep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,99}(#[0-9]{1,4})?$`) })

// ValidAfter tells whether a patch may name a step so.
func ValidAfter(after string) error {
	if !patchedStep().MatchString(after) || strings.HasPrefix(after, EditPrefix) {
		return fmt.Errorf("a step is named %.120q, want import, a pass name such as FuseOps, or FuseOps#1 for the second pass of that name", after)
	}
	return nil
}

// normalPatches checks patches and returns them sorted by step.
func normalPatches(list []Patch) ([]Patch, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > MaxPatches {
		return nil, fmt.Errorf("there are %d edits of the IR; the limit is %d", len(list), MaxPatches)
	}
	size := 0
	out := slices.Clone(list)
	for i := range out {
		p := &out[i]
		if err := ValidAfter(p.After); err != nil {
			return nil, fmt.Errorf("edits of the IR: %w", err)
		}
		p.After = strings.TrimSuffix(p.After, "#0")
		if size += len(p.Text); size > MaxPatchText {
			return nil, fmt.Errorf("the edited IR exceeds %d KiB in total; edit single functions instead of the whole module", MaxPatchText>>10)
		}
		if !utf8.ValidString(p.Text) {
			return nil, fmt.Errorf("the edit after %s is not valid UTF-8", p.After)
		}
		if len(p.Removed) > maxNames || len(p.Before) > 2*maxNames {
			return nil, fmt.Errorf("the edit after %s affects too many functions; the limit is %d", p.After, maxNames)
		}
		p.Removed = sortedSet(p.Removed)
	}
	slices.SortFunc(out, func(a, b Patch) int { return cmp.Compare(a.After, b.After) })
	for i := 1; i < len(out); i++ {
		if out[i].After == out[i-1].After {
			return nil, fmt.Errorf("there are two edits after %s; combine them", out[i].After)
		}
	}
	return out, nil
}
