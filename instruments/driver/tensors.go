package driver

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/tensorfile"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// Placed is a tensor of a file with the name of the input or output that it belongs to.
type Placed struct {
	Name   string
	Tensor *tensor.Tensor
}

// PlaceTensors reads a file of tensors for the module of a job: its inputs, or outputs that are expected of it. A tensor belongs to what its name in the file
// says, or the name of the file (image.npy), or the number at its end (input_0.pb), else to the first that is not taken. Its type must be that of
// the input or output. The tensors take at most the memory of the job. The error is described for an event.
func PlaceTensors(ctx context.Context, j *Job, hooks Hooks, expected bool, file string, data []byte, taken []string) ([]Placed, error) {
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: &Log{}}}
	if err := t.read(ctx); err != nil {
		return nil, t.Describe(ctx, err)
	}
	name, err := checkedFunction(t.Model.Module, j.Inputs.Function)
	if err != nil {
		return nil, err
	}
	sig := compiler.Signature(t.Model.Module, name)
	limit := j.Memory / 4 // they are held, copied to the device, and compared
	if limit <= 0 {
		limit = 1 << 40
	}
	read, err := tensorfile.Read(file, data, limit)
	if err != nil {
		return nil, Input("%v", err)
	}
	what, params := "input", sig.Params
	if expected {
		what, params = "output", results(sig)
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	var out []Placed
	taken = slices.Clone(taken)
	for _, x := range read {
		i, err := placeOf(file, x.Name, what, names, taken)
		if err != nil {
			return nil, Input("%s: %v", file, err)
		}
		one := artifact.Signature{Name: name, Params: params[i : i+1]}
		if err := one.Check([]*tensor.Tensor{x.Tensor}); err != nil {
			return nil, Input("%s: %s %s", file, what, strings.TrimPrefix(err.Error(), "input "))
		}
		taken = append(taken, names[i])
		out = append(out, Placed{names[i], x.Tensor})
	}
	return out, nil
}

// results are the tensors of the result of a function, like parameters.
func results(sig *artifact.Signature) []artifact.Param {
	types := []artifact.Type{sig.Result}
	if sig.Result.Kind == artifact.KindTuple {
		types = sig.Result.Fields
	}
	var out []artifact.Param
	for i, name := range resultNames(sig) {
		out = append(out, artifact.Param{Name: name, Type: types[i]})
	}
	return out
}

// numbered matches the number at the end of the name of a file, such as input_0.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_(\d{1,4})$`) })

// placeOf returns the index of the name that a tensor belongs to.
func placeOf(file, inside, what string, names, taken []string) (int, error) {
	if i := slices.Index(names, inside); inside != "" && i >= 0 {
		return i, nil
	}
	if tensorfile.Archive(file) && inside != "" {
		return 0, fmt.Errorf("there is no %s %q: the model has %s", what, inside, strings.Join(names, ", "))
	}
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if i := slices.Index(names, stem); i >= 0 {
		return i, nil
	}
	if m := numbered().FindStringSubmatch(stem); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n < len(names) {
			return n, nil
		}
	}
	for i, name := range names {
		if !slices.Contains(taken, name) {
			return i, nil
		}
	}
	if len(names) == 1 {
		return 0, nil
	}
	return 0, fmt.Errorf("it does not say which %s it is: name it after one of %s", what, strings.Join(names, ", "))
}
