package event

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Measured is the part of an event that differs from run to run. Durations are
// in nanoseconds.
type Measured struct {
	// At is the time since the start of the run.
	At int64 `json:"at,omitempty"`
	// Began is when the run began, in milliseconds since 1970 UTC, in run_started of a run that a server keeps.
	Began int64 `json:"began,omitempty"`
	// Total is the time of a step with the steps in it, Self without them, both without what instruments took: Total is Self and the
	// Totals of the steps in it. A step that is reused has the times of the run in which it was computed. Earlier is how much of the
	// Total of a step that others are in comes from earlier runs that way; the rest was measured in this run.
	Total   int64 `json:"total,omitempty"`
	Self    int64 `json:"self,omitempty"`
	Earlier int64 `json:"earlier,omitempty"`
	// Instruments is the time that instruments took inside the step.
	Instruments int64 `json:"instruments,omitempty"`
	// AllocBytes is what the process allocated meanwhile: approximate, and 0
	// where other runs were going on.
	AllocBytes int64 `json:"alloc_bytes,omitempty"`
	// Latency holds the times of the timed executions, in order.
	Latency []int64 `json:"latency,omitempty"`
	// Compile is the time in which the engine compiled generated code.
	Compile int64 `json:"compile,omitempty"`
	// Once is the part of compile in which functions ran that run once: those that prepare weights.
	Once int64 `json:"once,omitempty"`
	// Fixed is the same execution with code for its sizes alone, where shapes are symbolic.
	Fixed *Fixed `json:"fixed,omitempty"`
	// Profile holds the times of the calls of an execution.
	Profile *ProfileTimes `json:"profile,omitempty"`
	// ReusedSteps counts the steps that this run took from an earlier one, of Steps that ran in
	// all. Sequences are not counted.
	ReusedSteps int `json:"reused_steps,omitempty"`
	Steps       int `json:"steps,omitempty"`
	// Saved is how much longer it would have taken without what was taken from an earlier run:
	// the time that this took there, less the time of taking it over.
	Saved int64 `json:"saved,omitempty"`
}

// Fixed says what an execution took with code that was compiled for the sizes of its inputs.
type Fixed struct {
	// Sizes are the values of the symbolic dimensions, by name.
	Sizes map[string]int64 `json:"sizes"`
	// Latency holds the times of the timed executions, in order.
	Latency []int64 `json:"latency"`
	// Compile is the time of compiling that code, or of finding it where it is Reused from an earlier run, and of loading it.
	Compile int64 `json:"compile"`
	Reused  bool  `json:"reused,omitempty"`
}

// Float is a float64 that JSON can carry: numbers that JSON lacks are written
// as the strings "NaN", "Infinity" and "-Infinity".
//
//wire:type number | "NaN" | "Infinity" | "-Infinity"
type Float float64

// MarshalJSON implements json.Marshaler. Finite values are written in the
// shortest form that reads back to the same value.
func (f Float) MarshalJSON() ([]byte, error) {
	v := float64(f)
	switch {
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Float) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"NaN"`:
		*f = Float(math.NaN())
		return nil
	case `"Infinity"`:
		*f = Float(math.Inf(1))
		return nil
	case `"-Infinity"`:
		*f = Float(math.Inf(-1))
		return nil
	}
	var v float64
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("decode number %s: want a number, \"NaN\" or \"Infinity\"", data)
	}
	*f = Float(v)
	return nil
}

// Spread returns the median and the least of some times, at least one.
func Spread[D ~int64](times []D) (median, best D) {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2], sorted[0]
}
