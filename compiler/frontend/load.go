package frontend

import (
	"bytes"
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/script/parse"
)

// DefaultTextBytes is the length of the longest TVMScript text that is read, unless the options say
// otherwise.
const DefaultTextBytes = 64 << 20

// Options says how to read an input. The zero value reads with the defaults of each form.
type Options struct {
	// Form is the form of the input; "" detects it.
	Form Form
	// File says how an ONNX file is read: its limits and where its external data lies.
	File onnxpb.Options
	// Shapes are what the inputs and symbolic dimensions of an ONNX model, or of the Relax
	// function of a module, are bound to.
	Shapes map[string][]onnx.Dim
	// Script gives the values that a TVMScript text refers to.
	Script parse.Options
	// JSON bounds what a JSON file may hold; the zero value is irjson.DefaultLimits.
	JSON irjson.Limits
	// TextBytes bounds the length of a TVMScript text; 0 is DefaultTextBytes.
	TextBytes int
	// Unverified leaves out the verification of what a text or a JSON file says.
	Unverified bool
}

// Source is a module that was read.
type Source struct {
	Form Form
	// Name is that of the module's class in TVMScript, "" in other forms.
	Name   string
	Module *ir.Module
}

// Load reads the modules of an input: one of an ONNX model, a text of Relay or a JSON file, one or more of a
// TVMScript text. name is that of the file, for errors and where the content does not tell the
// form. Modules of texts and JSON files are verified.
//
// Where nothing can be loaded there are no sources and an error. Errors in a text are
// diagnostics with spans, and the error is then a *TextError that holds them. Diagnostics
// beside sources are warnings.
func Load(ctx context.Context, name string, data []byte, o Options) ([]Source, []ir.Diagnostic, error) {
	form := o.Form
	if form == "" {
		form = Detect(name, data)
	}
	switch form {
	case ONNX:
		mod, err := loadONNX(ctx, data, o)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		return []Source{{Form: ONNX, Module: mod}}, nil, nil
	case Script:
		return loadScript(ctx, name, data, o)
	case Relay:
		return loadRelay(name, data, o)
	case JSON:
		return loadJSON(name, data, o)
	}
	return nil, nil, fmt.Errorf("%s: unknown form %q", name, form)
}

// DamagedError is the error of an ONNX model whose file cannot be read, in difference to one that the importer does not take.
type DamagedError struct{ Err error }

// Error implements error.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap returns what the reader said.
func (e *DamagedError) Unwrap() error { return e.Err }

func loadONNX(ctx context.Context, data []byte, o Options) (*ir.Module, error) {
	model, err := onnxpb.Read(data, o.File)
	if err != nil {
		return nil, &DamagedError{err}
	}
	return onnx.Import(ctx, model, onnx.Options{Shapes: o.Shapes})
}

// What reading a text may take: the steps of any text, and for each byte.
const (
	textSteps    = 1 << 23
	stepsPerByte = 1 << 8
)

func loadScript(ctx context.Context, name string, data []byte, o Options) ([]Source, []ir.Diagnostic, error) {
	if err := checkText(name, data, o); err != nil {
		return nil, nil, err
	}
	if o.Script.Budget == nil {
		o.Script.Budget = budget.New(ctx, textSteps+stepsPerByte*int64(len(data)))
	}
	mods, found := parse.File(name, string(data), o.Script)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
	if len(mods) == 0 && len(found) == 0 {
		return nil, nil, fmt.Errorf("%s: this text contains no module or function: begin with @I.ir_module and a class, or with @T.prim_func or @R.function", name)
	}
	var out []Source
	for _, m := range mods {
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
		}
		var err error
		if m.Module, err = bindShapes(m.Module, o.Shapes); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if !o.Unverified {
			found = append(found, Verify(m.Module)...)
		}
		out = append(out, Source{Form: Script, Name: m.Name, Module: m.Module})
	}
	if err := textError(name, found); err != nil {
		return nil, found, err
	}
	return out, found, nil
}

func loadRelay(name string, data []byte, o Options) ([]Source, []ir.Diagnostic, error) {
	if err := checkText(name, data, o); err != nil {
		return nil, nil, err
	}
	mod, found := relay.Read(name, string(data))
	if mod != nil {
		var err error
		if mod, err = bindShapes(mod, o.Shapes); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if !o.Unverified {
			found = append(found, Verify(mod)...)
		}
	}
	if err := textError(name, found); err != nil {
		return nil, found, err
	}
	return []Source{{Form: Relay, Module: mod}}, found, nil
}

func loadJSON(name string, data []byte, o Options) ([]Source, []ir.Diagnostic, error) {
	limits := o.JSON
	if limits == (irjson.Limits{}) {
		limits = irjson.DefaultLimits()
	}
	root, err := irjson.Load(bytes.NewReader(data), limits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	mod, ok := root.(*ir.Module)
	if !ok {
		return nil, nil, fmt.Errorf("%s: it contains a %T, expected a module", name, root)
	}
	if mod, err = bindShapes(mod, o.Shapes); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	var found []ir.Diagnostic
	if !o.Unverified {
		found = Verify(mod)
	}
	if err := textError(name, found); err != nil {
		return nil, found, err
	}
	return []Source{{Form: JSON, Module: mod}}, found, nil
}

func checkText(name string, data []byte, o Options) error {
	limit := o.TextBytes
	if limit == 0 {
		limit = DefaultTextBytes
	}
	if len(data) > limit {
		return fmt.Errorf("%s: the text has %d bytes; the limit is %d", name, len(data), limit)
	}
	return nil
}

// One is Load for an input that must hold a single module.
func One(ctx context.Context, name string, data []byte, o Options) (Source, []ir.Diagnostic, error) {
	list, found, err := Load(ctx, name, data, o)
	if err != nil {
		return Source{}, found, err
	}
	if len(list) != 1 {
		return Source{}, found, fmt.Errorf("%s: expected one module, got %d", name, len(list))
	}
	return list[0], found, nil
}
