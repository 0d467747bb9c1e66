// Package whatif says, as plain data, what a run would come to with other settings: without one of its optional passes, with two adjacent passes swapped,
// at other levels. The driver makes the rows (driver.WhatIf); the command line prints them. It knows no compiler.
package whatif

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// Kind says what a variant changes.
type Kind string

// The kinds of variants.
const (
	Base    Kind = "base"    // nothing
	Without Kind = "without" // an optional pass does not run
	Swapped Kind = "swapped" // two passes that run one after the other change places
	Level   Kind = "level"   // another opt_level
)

// Variant is a change of settings.
type Variant struct {
	Kind Kind `json:"kind"`
	// Name says what is changed: "without FuseOps", "FoldConstant before LegalizeOps", "opt_level 3".
	Name string `json:"name"`
	// Settings are those with the change.
	Settings request.Settings `json:"settings"`
}

// Row is what a variant came to. Numbers are absent where it did not get so far.
type Row struct {
	Variant
	// Key is the hash of everything that the row depends on, but for the speed of the machine.
	Key string `json:"key"`
	// Ops counts the calls in the last module, and Kernels the functions of generated code.
	Ops     *int64 `json:"ops,omitempty"`
	Kernels *int64 `json:"kernels,omitempty"`
	// Memory is that of intermediate tensors, and Code the size of generated code, in bytes.
	Memory *int64 `json:"memory,omitempty"`
	Code   *int64 `json:"code,omitempty"`
	// Compile is the time of all passes, and Latency that of an execution, in nanoseconds.
	Compile *int64 `json:"compile,omitempty"`
	Latency *int64 `json:"latency,omitempty"`
	// Error is the largest difference of an output from that of the base, and Wrong tells that it is beyond the tolerance, or that outputs cannot be compared.
	Error *event.Float `json:"error,omitempty"`
	Wrong bool         `json:"wrong,omitempty"`
	// Failed says why the variant did not get to its end.
	Failed string `json:"failed,omitempty"`
}

// Columns are what rows can be sorted by, in the order in which they are shown.
var Columns = []string{"ops", "kernels", "memory", "code", "compile", "latency", "error"}

// number returns the number of a column; ok is false where the row has none.
func (r *Row) number(column string) (n float64, ok bool) {
	var x *int64
	switch column {
	case "ops":
		x = r.Ops
	case "kernels":
		x = r.Kernels
	case "memory":
		x = r.Memory
	case "code":
		x = r.Code
	case "compile":
		x = r.Compile
	case "latency":
		x = r.Latency
	case "error":
		if r.Error == nil {
			return 0, false
		}
		return float64(*r.Error), true
	}
	if x == nil {
		return 0, false
	}
	return float64(*x), true
}

// Sort sorts rows by a column, the smallest number first and rows without one last. The order of rows that have the same stays.
func Sort(rows []Row, column string) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, okX := a.number(column)
		y, okY := b.number(column)
		switch {
		case okX && okY:
			return cmp.Compare(x, y)
		case okX:
			return -1
		case okY:
			return 1
		}
		return 0
	})
}
