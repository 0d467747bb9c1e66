package inproc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// open reads the module of a request: a text, or a model that is imported. The same source and shapes give the same module while
// it is remembered, so that re-runs share everything with the first; what that saved is told.
func (r *Runner) open(ctx context.Context, req run.Request, sink run.Sink) (*driver.Model, error) {
	start := time.Now()
	data, err := r.read(ctx, req.Source)
	if err != nil {
		return nil, err
	}
	// The bytes, and about as much again for what is read from them.
	if err := sink.Account(2 * int64(len(data))); err != nil {
		return nil, err
	}
	shapes, err := json.Marshal(req.Settings.Shapes)
	if err != nil {
		return nil, fmt.Errorf("encode shapes: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", req.Source.Kind, req.Source.Name) // spans mention the name
	h.Write(data)
	h.Write(shapes)
	id := hex.EncodeToString(h.Sum(nil))
	if found, ok := r.memory.Get(id); ok {
		known := *found.model
		known.Saved = max(known.Took-time.Since(start), 0)
		return &known, nil
	}
	m, err := sourceOf(req, data).Model(ctx)
	if err != nil {
		return nil, err
	}
	m.ID, m.Took = id, time.Since(start)
	keepModel(r.memory, m)
	return m, nil
}

// sourceOf returns the source of a request.
func sourceOf(req run.Request, data []byte) driver.Source {
	form := frontend.Script
	if req.Source.Kind != store.SourceScript {
		form = frontend.Detect(req.Source.Name, data)
	}
	return driver.SourceOf(req.Source.Name, data, form, req.Settings.Shapes, req.Limits.Memory)
}

// textSource is the source of a text.
func textSource(name, text string) driver.Source {
	return driver.SourceOf(name, []byte(text), frontend.Script, nil, 0)
}

// read returns the bytes of a source.
func (r *Runner) read(ctx context.Context, src store.Source) ([]byte, error) {
	if src.Kind == store.SourceGallery {
		data, ok := r.cfg.Gallery(src.Name)
		if !ok {
			return nil, driver.Input("there is no model %q in the gallery", src.Name)
		}
		return data, nil
	}
	b, err := r.cfg.Store.Blob(ctx, src.Blob)
	if errors.Is(err, store.ErrNotFound) {
		return nil, driver.Input("the model %q has expired; upload it again", src.Name)
	}
	return b.Data, err
}
