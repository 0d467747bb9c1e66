package inproc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// model is an imported module. The same source and shapes give the same pointer while
// it is remembered, so that re-runs share everything with the first.
type model struct {
	module *ir.Module
	// id is the hash of all that determines the module.
	id string
	// warnings are what reading the module had to say.
	warnings []ir.Diagnostic
	// took is the time that making the module took.
	took time.Duration
}

// open reads the module of a request: a text, or a model that is imported. It tells what it
// saved where the module was known.
func (r *Runner) open(ctx context.Context, req run.Request, sink run.Sink) (m *model, saved time.Duration, err error) {
	start := time.Now()
	data, err := r.read(ctx, req.Source)
	if err != nil {
		return nil, 0, err
	}
	// The bytes, and about as much again for what is read from them.
	if err := sink.Account(2 * int64(len(data))); err != nil {
		return nil, 0, err
	}
	shapes, err := json.Marshal(req.Settings.Shapes)
	if err != nil {
		return nil, 0, fmt.Errorf("encode shapes: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", req.Source.Kind, req.Source.Name) // spans mention the name
	h.Write(data)
	h.Write(shapes)
	id := hex.EncodeToString(h.Sum(nil))
	if found, ok := r.memory.Get(id); ok {
		return found.model, max(found.model.took-time.Since(start), 0), nil
	}
	switch {
	case req.Source.Kind == store.SourceScript:
		m, err = openText(ctx, req.Source.Name, string(data), frontend.Script, sink)
	case frontend.Detect(req.Source.Name, data) != frontend.ONNX:
		m, err = openText(ctx, req.Source.Name, string(data), "", sink)
	default:
		m, err = openModel(ctx, req, data)
	}
	if err != nil {
		return nil, 0, err
	}
	m.id, m.took = id, time.Since(start)
	keepModel(r.memory, m)
	return m, 0, nil
}

// openText reads a text or a JSON file; the form "" is detected. Its mistakes become events of the run, with their places.
func openText(ctx context.Context, name, text string, form frontend.Form, sink run.Sink) (*model, error) {
	src, found, err := oneModule(ctx, name, text, form)
	if err == nil {
		return &model{module: src.Module, warnings: found}, nil
	}
	if err := emitFound(sink, found); err != nil {
		return nil, err
	}
	return nil, input("%s cannot be read: %v", name, err)
}

// openModel imports an ONNX model.
func openModel(ctx context.Context, req run.Request, data []byte) (*model, error) {
	file, err := onnxpb.Read(data, onnxpb.Options{Limits: onnxpb.Limits{Memory: req.Limits.Memory}})
	if err != nil {
		return nil, importFault(fmt.Errorf("%s cannot be read: it is no ONNX model, or damaged: %w", req.Source.Name, err))
	}
	dims := map[string][]onnx.Dim{}
	for name, shape := range req.Settings.Shapes {
		for _, d := range shape {
			dims[name] = append(dims[name], onnx.Dim{Value: d})
		}
	}
	mod, err := onnx.Import(ctx, file, onnx.Options{Shapes: dims})
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, importFault(fmt.Errorf("%s: %w", req.Source.Name, err))
	}
	return &model{module: mod}, nil
}

// read returns the bytes of a source.
func (r *Runner) read(ctx context.Context, src store.Source) ([]byte, error) {
	if src.Kind == store.SourceGallery {
		data, ok := r.cfg.Gallery(src.Name)
		if !ok {
			return nil, input("there is no model %q in the gallery", src.Name)
		}
		return data, nil
	}
	b, err := r.cfg.Store.Blob(ctx, src.Blob)
	if errors.Is(err, store.ErrNotFound) {
		return nil, input("the model %q has expired; upload it again", src.Name)
	}
	return b.Data, err
}

// configValues turns options from JSON into values of the compiler.
func configValues(config map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(config))
	for key, x := range config {
		v, err := value(x)
		if err != nil {
			return nil, input("config %s: %v", key, err)
		}
		out[key] = v
	}
	return out, nil
}

// value turns a value from JSON into one of the compiler: whole numbers become
// integers, objects dictionaries.
func value(x any) (ir.Value, error) {
	switch x := x.(type) {
	case bool, string:
		return x, nil
	case float64:
		if n := int64(x); float64(n) == x {
			return n, nil
		}
		return x, nil
	case []any:
		out := make([]ir.Value, len(x))
		for i, e := range x {
			v, err := value(e)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case map[string]any:
		attrs := ir.NewAttrs()
		for k, e := range x {
			v, err := value(e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			attrs = attrs.With(k, v)
		}
		return attrs, nil
	default:
		return nil, fmt.Errorf("a value is %v, want true, false, a number, a text, a list or an object", x)
	}
}

// orDefault returns s without blanks around it, or a default for "".
func orDefault(s, def string) string {
	if s = strings.TrimSpace(s); s == "" {
		return def
	}
	return s
}
