package main

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/spf13/cobra"
)

// report is what run, compile and exec write with --json. Durations are in nanoseconds.
type report struct {
	Model       string              `json:"model"`
	Import      time.Duration       `json:"import_ns,omitempty"`
	Compile     time.Duration       `json:"compile_ns,omitempty"`
	Codegen     time.Duration       `json:"codegen_ns,omitempty"`
	Load        time.Duration       `json:"load_ns,omitempty"`
	Once        time.Duration       `json:"once_ns,omitempty"`     // part of Load: preparing weights
	Specialized *specialized        `json:"specialized,omitempty"` // where symbolic dimensions got fixed sizes
	Events      []event.Event       `json:"events,omitempty"`      // as in docs/protocol.md
	Timing      json.Marshaler      `json:"timing,omitempty"`
	Diagnostics []string            `json:"diagnostics,omitempty"`
	Inputs      []string            `json:"input_notes,omitempty"`
	Check       *check.Report       `json:"check,omitempty"` // of every pass
	Outputs     []outputReport      `json:"outputs,omitempty"`
	Compared    []comparison        `json:"compared,omitempty"`
	Latency     []time.Duration     `json:"latency_ns,omitempty"`
	Profiles    []*profileReport    `json:"profiles,omitempty"`
	MemoryPlans []*event.MemoryPlan `json:"memory_plans,omitempty"`
	Written     string              `json:"written,omitempty"`
	Kernels     int                 `json:"kernels,omitempty"`
	Code        *codeReport         `json:"code,omitempty"`
	PassedOver  []string            `json:"passed_over,omitempty"` // modules that this machine cannot execute, with others in their place
	Error       string              `json:"error,omitempty"`

	timing *instruments.Timing
	sink   *eventLog // takes the events
}

// specialized is what a report says about code for the sizes of one execution.
type specialized struct {
	Sizes   map[string]int64 `json:"sizes"`
	Compile time.Duration    `json:"compile_ns,omitempty"`
	Error   string           `json:"error,omitempty"`
}

type outputReport struct {
	Name    string  `json:"name"`
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Summary summary `json:"summary"`
}

// summary is a tensor.Summary with numbers that JSON may lack.
type summary struct {
	Elements       int
	Min, Max, Mean event.Float
	NaNs, Infs     int
	First          []string
}

func newOutputReport(name string, t *tensor.Tensor, s tensor.Summary) outputReport {
	return outputReport{name, t.DType.String(), t.Shape, summary{
		Elements: s.Elements, Min: event.Float(s.Min), Max: event.Float(s.Max), Mean: event.Float(s.Mean),
		NaNs: s.NaNs, Infs: s.Infs, First: s.First,
	}}
}

// write runs work, which fills the report and writes text. With a form of JSON the text is dropped and the report written in its
// place, also of a failure: as lines, it is the last one and has no events, each of which had a line of its own.
func (r *report) write(cmd *cobra.Command, form jsonForm, work func(w io.Writer) error) error {
	if form == jsonNone {
		return work(cmd.OutOrStdout())
	}
	err := work(io.Discard)
	if err != nil {
		r.Error = err.Error()
	}
	if form == jsonLines {
		r.Events = nil
		return errors.Join(err, writeLine(cmd.OutOrStdout(), reportLine{"report", r}))
	}
	return errors.Join(err, writeJSON(cmd.OutOrStdout(), r))
}

// reportLine is the last line of --json=lines.
type reportLine struct {
	Type string  `json:"type"`
	Body *report `json:"body"`
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
