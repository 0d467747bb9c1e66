package inproc

import (
	"context"
	"errors"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// Tensors implements run.Compiler.
func (r *Runner) Tensors(ctx context.Context, req run.Request, f run.TensorFile) ([]run.GivenTensor, error) {
	req.Settings.Inputs, req.Settings.Expected = nil, nil // they may have gone, or be what is replaced
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	placed, err := driver.PlaceTensors(ctx, job, r.hooks(req, silent{}), f.Expected, f.Name, f.Data, f.Taken)
	if err != nil {
		return nil, err
	}
	out := make([]run.GivenTensor, len(placed))
	for i, p := range placed {
		out[i] = run.GivenTensor{Tensor: request.Tensor{Name: p.Name, File: f.Name, DType: p.Tensor.DType.String(), Shape: append([]int64{}, p.Tensor.Shape...)}, Data: p.Tensor.Data}
	}
	return out, nil
}

// readTensors reads the tensors that settings name. They share memory with the store and must not be written to.
func (r *Runner) readTensors(ctx context.Context, req run.Request, in *driver.Inputs) (err error) {
	left := req.Limits.Memory
	read := func(what string, list []request.Tensor) (map[string]driver.Named, error) {
		if len(list) == 0 {
			return nil, nil
		}
		out := map[string]driver.Named{}
		for _, t := range list {
			b, err := r.cfg.Store.Blob(ctx, t.Blob)
			if errors.Is(err, store.ErrNotFound) {
				return nil, driver.Input("the %s %s of %s has expired; give the file again", what, t.Name, t.File)
			}
			if err != nil {
				return nil, err
			}
			if left -= int64(len(b.Data)); req.Limits.Memory > 0 && left < 0 {
				return nil, driver.Input("the tensors that were given take more than %d MiB, the memory of a run", req.Limits.Memory>>20)
			}
			dt, err := dtype.Parse(t.DType)
			if err != nil {
				return nil, driver.Input("the %s %s: %v", what, t.Name, err)
			}
			value, err := tensor.FromBytes(dt, t.Shape, b.Data)
			if err != nil {
				return nil, driver.Input("the %s %s: %v", what, t.Name, err)
			}
			out[t.Name] = driver.Named{Tensor: value, From: t.File}
		}
		return out, nil
	}
	if in.Named, err = read("input", req.Settings.Inputs); err != nil {
		return err
	}
	in.Expected, err = read("output", req.Settings.Expected)
	return err
}
