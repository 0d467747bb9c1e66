package relaypass

import (
	"maps"
	"slices"
)

// FormNames are the operators that ToRelax knows.
func FormNames() []string { return slices.Sorted(maps.Keys(relaxForms())) }

// GradientNames are the operators that FirstOrderGradient can differentiate.
func GradientNames() []string { return slices.Sorted(maps.Keys(relayGradients())) }
