package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/tensorfile"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/spf13/cobra"
)

// dataFlags say what to run a program on and what to expect of it.
type dataFlags struct {
	inputs, expect []string
	seed           uint64
	rtol, atol     float64
	repeat         int
	function       string // to run
}

func (f *dataFlags) register(cmd *cobra.Command) {
	f.function = entry
	fl := cmd.Flags()
	fl.StringArrayVar(&f.inputs, "input", nil, "input as `[name=]FILE`, .pb, .npy, or .npz, in the order of the graph's inputs if no name is given (repeatable); random by default")
	fl.StringArrayVar(&f.expect, "expect", nil, "expected output as `[name=]FILE` (repeatable); exit code 1 beyond the tolerance")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the random inputs")
	fl.Float64Var(&f.rtol, "rtol", 1e-3, "largest relative error, added to --atol")
	fl.Float64Var(&f.atol, "atol", 1e-5, "largest absolute error")
	fl.IntVar(&f.repeat, "repeat", 3, "number of timed runs")
}

// file is a tensor from a flag [name=]FILE.
type file struct {
	flag, name, path string
	tensor           *tensor.Tensor
	at               int // place among the inputs or outputs, set by place
}

// data is what the flags name, read.
type data struct{ inputs, expect []file }

// load reads the files.
func (f *dataFlags) load() (*data, error) {
	if f.repeat < 1 {
		return nil, usageError{fmt.Errorf("--repeat is %d, expected 1 or more", f.repeat)}
	}
	if f.rtol < 0 || f.atol < 0 {
		return nil, usageError{errors.New("--rtol and --atol are 0 or more")}
	}
	d := &data{}
	for _, l := range []struct {
		flag string
		args []string
		to   *[]file
	}{{"--input", f.inputs, &d.inputs}, {"--expect", f.expect, &d.expect}} {
		for _, s := range l.args {
			x := file{flag: l.flag + " " + s, path: s}
			if name, path, ok := strings.Cut(s, "="); ok {
				x.name, x.path = name, path
			}
			read, err := readTensors(x.path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.flag, err)
			}
			for _, t := range read {
				one := x
				if one.tensor = t.Tensor; x.name == "" && tensorfile.Archive(x.path) {
					one.name = t.Name
				}
				*l.to = append(*l.to, one)
			}
			if x.name != "" && len(read) > 1 {
				return nil, usageError{fmt.Errorf("%s: the file has %d arrays, each with a name of its own; give it without a name", x.flag, len(read))}
			}
		}
	}
	return d, nil
}

// place finds for each file the input or output that it belongs to: by name, else by order.
func (d *data) place(inputs, outputs []string) error {
	if err := place(d.inputs, "input", inputs); err != nil {
		return usageError{err}
	}
	if err := place(d.expect, "output", outputs); err != nil {
		return usageError{err}
	}
	return nil
}

func place(files []file, what string, names []string) error {
	list := make([]tensorfile.Named, len(files))
	for i, f := range files {
		list[i] = tensorfile.Named{Name: f.name, From: f.flag}
	}
	at, err := tensorfile.Place(list, what, names)
	for i := range at {
		files[i].at = at[i]
	}
	return err
}

// inputsOf says that files are the inputs where they are given, once they are placed; the others are made up.
func (d *data) inputsOf(f *dataFlags) driver.Inputs {
	return driver.Inputs{Function: f.function, Guess: true, Repeat: f.repeat, Given: func(param int) *tensor.Tensor {
		for _, x := range d.inputs {
			if x.at == param {
				return x.tensor
			}
		}
		return nil
	}}
}

// comparison is the distance of an output from what was expected.
type comparison struct {
	Output string      `json:"output"`
	File   string      `json:"file"`
	MaxAbs event.Float `json:"max_abs"`
	MaxRel event.Float `json:"max_rel"`
	Within bool        `json:"within"`
	text   string
}

// compare compares outputs with the files that were given with --expect.
func (d *data) compare(names []string, outs []*tensor.Tensor, tol tensor.Tolerance) ([]comparison, error) {
	var list []comparison
	for _, f := range d.expect {
		if f.at >= len(outs) {
			return nil, fmt.Errorf("%s: the program has %d outputs", f.flag, len(outs))
		}
		diff, err := tensor.Compare(outs[f.at], f.tensor, tol)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", names[f.at], err)
		}
		list = append(list, comparison{names[f.at], f.path, event.Float(diff.MaxAbs), event.Float(diff.MaxRel), diff.OK(), diff.String()})
	}
	return list, nil
}
