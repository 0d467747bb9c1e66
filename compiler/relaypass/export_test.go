package relaypass

import (
	"maps"
	"slices"
)

// FormNames are the operators that ToRelax knows.
func FormNames() []string { return slices.Sorted(maps.Keys(relaxForms())) }
