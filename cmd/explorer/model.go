package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/tensorfile"
)

const galleryPrefix = "gallery:"

// maxModelBytes is the size of the largest model file: protobuf's own limit.
const maxModelBytes = 1<<31 - 1

// readModel returns the bytes of a model file.
func readModel(in io.Reader, name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(in, maxModelBytes+1))
		if err == nil && len(data) > maxModelBytes {
			err = fmt.Errorf("it exceeds the limit of %d bytes", maxModelBytes)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the model from standard input: %w", err)
		}
		return data, nil
	}
	short, ok := strings.CutPrefix(name, galleryPrefix)
	if !ok {
		data, err := readFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot read the model: %w (built-in models are %s)", err, strings.Join(galleryNames(), ", "))
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the model: %w", err)
		}
		return data, nil
	}
	if m, ok := gallery.Lookup(short); ok {
		return m.Bytes, nil
	}
	return nil, fmt.Errorf("no model %q in the gallery: it has %s", short, strings.Join(galleryNames(), ", "))
}

// galleryNames returns the names of the built-in models as arguments.
func galleryNames() []string {
	var names []string
	for _, g := range gallery.Models() {
		names = append(names, galleryPrefix+g.Name)
	}
	return names
}

func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, expected a file", name)
	}
	if info.Size() > maxModelBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than the limit of %d", name, info.Size(), maxModelBytes)
	}
	return os.ReadFile(name)
}

// readTensors reads the tensors of a .pb (TensorProto), .npy, or .npz file.
func readTensors(name string) ([]tensorfile.Tensor, error) {
	if err := tensorfile.Known(name); err != nil {
		return nil, usageError{err}
	}
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return tensorfile.Read(name, data, maxModelBytes)
}

// entryNames returns the names of the parameters and results of a module's main: those that
// the model gives them, else those of the parameters and numbers.
func entryNames(m *ir.Module) (inputs, outputs []string, err error) {
	f, ok := m.Lookup(entry).(*relax.Function)
	if !ok {
		return nil, nil, fmt.Errorf("the module has no Relax function %q to run, only %s; 'irscope compile' and 'irscope exec --func NAME' run another function", entry, strings.Join(script.FuncNames(m), ", "))
	}
	inputs, outputs = compiler.Names(m)
	if inputs == nil {
		for _, p := range f.Params {
			inputs = append(inputs, p.Name)
		}
	}
	n := 1
	if t, ok := f.Ret.(*relax.TupleStructInfo); ok {
		n = len(t.Fields)
	}
	return inputs, outputNames(outputs, n), nil
}

// anyPublic reports whether a module has a function that can be called by name.
func anyPublic(m *ir.Module) bool {
	for _, fn := range m.Funcs() {
		if ir.GlobalSymbol(fn) != "" {
			return true
		}
	}
	return false
}
