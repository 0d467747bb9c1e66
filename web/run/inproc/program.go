package inproc

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/web/run"
)

// Program implements run.Compiler. Steps and code of the run that are still in memory are not made again.
func (r *Runner) Program(ctx context.Context, req run.Request) (data []byte, err error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	t, err := driver.Open(ctx, job, silent{}, r.hooks(req, silent{}))
	if err == nil {
		err = t.Compile(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("compile the program: %w", err)
	}
	dir, err := os.MkdirTemp("", "irscope-program-")
	if err != nil {
		return nil, fmt.Errorf("write the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := artifact.Save(dir, t.Result.Artifact); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		return nil, fmt.Errorf("pack the program: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack the program: %w", err)
	}
	return out.Bytes(), nil
}
