package driver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Whole is what the reproducer of a failure has that is not one of a single pass: a limit of time or memory, a fault in generated code, or one while the
// program runs. The whole run is done again, from the source, under the same limits.
type Whole struct {
	// Name is that of the source, and Form that in which it comes.
	Name string        `json:"name"`
	Form frontend.Form `json:"form"`
	// Data is the source, unless it is TVMScript, which follows in the file.
	Data []byte `json:"data,omitempty"`
	// Time and Memory are the limits of the run, in nanoseconds and bytes; 0 is none.
	Time   time.Duration `json:"time,omitempty"`
	Memory int64         `json:"memory,omitempty"`
	// Inputs are those that were given.
	Inputs []wholeInput `json:"inputs,omitempty"`
}

// wholeInput is an input of a reproducer with its elements.
type wholeInput struct {
	request.Tensor
	Data []byte `json:"data"`
}

// wholeRuns reports whether an error is one that a reproducer of the whole run shows.
func wholeRuns(e *event.Error) bool {
	switch e.Kind {
	case event.KindTimeout, event.KindCodegen, event.KindExecute, event.KindPanic:
		return true
	case event.KindLimit:
		return e.Limit == "memory" || e.Limit == "model"
	}
	return false
}

// errTooLargeToReproduce is the error for a source and inputs that are larger than a reproducer may be.
var errTooLargeToReproduce = fmt.Errorf("the model and its inputs have more than %d MiB, the most that a reproducer has", maxReproduced>>20)

// wholeFile returns the file of a reproducer of a job that ended with an error, under limits of time and of the memory of the job. The error is
// errTooLargeToReproduce.
func wholeFile(j *Job, program string, failed *event.Error, limit time.Duration) ([]byte, error) {
	src := j.Source
	w := &Whole{Name: src.Name, Form: cmp.Or(src.Options.Form, frontend.Detect(src.Name, src.Data)), Time: limit, Memory: j.Memory}
	size := len(src.Data)
	for _, name := range slices.Sorted(maps.Keys(j.Inputs.Named)) {
		x := j.Inputs.Named[name]
		size += len(x.Tensor.Data)
		w.Inputs = append(w.Inputs, wholeInput{request.Tensor{Name: name, File: x.From, DType: x.Tensor.DType.String(), Shape: x.Tensor.Shape}, x.Tensor.Data})
	}
	if size > maxReproduced {
		return nil, errTooLargeToReproduce
	}
	var text []byte
	if w.Form == frontend.Script {
		text = src.Data
	} else {
		w.Data = src.Data
	}
	settings := j.Settings
	settings.Inputs, settings.Expected, settings.Profile, settings.Rewrites = nil, nil, 0, false
	r := Reproducer{Program: program, Error: *failed, Passes: j.Passes, Settings: settings, Whole: w}
	return r.file(text), nil
}

// file writes a reproducer before a text.
func (r *Reproducer) file(text []byte) []byte {
	head, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("a reproducer does not print: %v", err)) // it is plain data
	}
	return slices.Concat([]byte(reproducerLine+"\n# "), head, []byte("\n"), text)
}

// Whole returns the file of a reproducer of the whole run for an error of a stage of a task; nil where none shows it.
func (t *Task) Whole(ctx context.Context, program string, err error) []byte {
	var known *event.Error
	if ctx.Err() != nil || !errors.As(t.Describe(ctx, err), &known) || !wholeRuns(known) || t.Job.Source.Data == nil {
		return nil
	}
	j := *t.Job
	named := maps.Clone(j.Inputs.Named)
	if t.Model != nil {
		for name, x := range j.named(nil, t.Model.Module) {
			if named == nil {
				named = map[string]Named{}
			}
			named[name] = Named{Tensor: x, From: name}
		}
	}
	j.Inputs.Named = named
	file, err := wholeFile(&j, program, known, 0)
	if err != nil { // it is too large
		return nil
	}
	return file
}

// errTimeUp ends a run that takes longer than the one that it reproduces.
var errTimeUp = errors.New("the time of the run is up")

// runWhole does the run again, and returns how it fails now; nil if it does not.
func (r *Reproducer) runWhole(ctx context.Context, file []byte) (*event.Error, error) {
	w := r.Whole
	data := w.Data
	if w.Form == frontend.Script {
		_, data, _ = bytes.Cut(file, []byte("\n"))
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	in := Inputs{Named: map[string]Named{}}
	for _, x := range w.Inputs {
		dt, err := dtype.Parse(x.DType)
		if err != nil {
			return nil, fmt.Errorf("the input %s of the reproducer: %w", x.Name, err)
		}
		t, err := tensor.FromBytes(dt, x.Shape, x.Data)
		if err != nil {
			return nil, fmt.Errorf("the input %s of the reproducer: %w", x.Name, err)
		}
		in.Named[x.Name] = Named{Tensor: t, From: x.File}
	}
	j, problems, err := Resolve(ctx, Request{
		Source: SourceOf(w.Name, data, w.Form, r.Settings.Shapes, w.Memory), Settings: r.Settings, Passes: r.Passes, Memory: w.Memory, Inputs: in, Fixed: FixedBeside,
	})
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		return nil, p.Err
	}
	engine := compiler.NewEngine()
	defer func() { _ = engine.Close() }() // frees memory only
	limited := ctx
	if w.Time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, w.Time, errTimeUp)
		defer cancel()
	}
	err = protected(func() error {
		_, err := Run(limited, j, &Log{}, Hooks{Engine: engine, Log: slog.New(slog.DiscardHandler), History: true})
		return err
	})
	var known *event.Error
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil:
		return nil, nil
	case errors.Is(err, errTimeUp) || limited.Err() != nil:
		return &event.Error{Kind: event.KindTimeout, Limit: "time", Message: fmt.Sprintf("the run exceeded its time limit of %v", w.Time.Round(time.Millisecond))}, nil
	case errors.As(err, &known):
		return known, nil
	}
	return nil, err
}

// protected calls f and describes a panic as a server does.
func protected(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &event.Error{Kind: event.KindPanic, Message: fmt.Sprintf("internal error: %v", p)}
		}
	}()
	return f()
}

// SourceOf returns the source of a run in a form. Shapes are those of inputs of an ONNX model, and memory is what reading it may take, in bytes; 0 is the
// default of the reader. A text may lack the values of its constants.
func SourceOf(name string, data []byte, form frontend.Form, shapes map[string][]int64, memory int64) Source {
	if form != frontend.ONNX {
		return Source{Name: name, Data: data, Zeros: true, Options: frontend.Options{Form: form, Script: parse.Options{Roots: true}}}
	}
	src := Source{Name: name, Data: data, Options: frontend.Options{
		Form: frontend.ONNX, File: onnxpb.Options{Limits: onnxpb.Limits{Memory: memory}}, Shapes: map[string][]onnx.Dim{},
	}}
	for name, shape := range shapes {
		for _, d := range shape {
			src.Options.Shapes[name] = append(src.Options.Shapes[name], onnx.Dim{Value: d})
		}
	}
	return src
}
