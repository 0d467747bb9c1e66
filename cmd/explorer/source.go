package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/spf13/cobra"
)

// sourceFlags say how inputs are read. They are shared by the commands that read modules.
type sourceFlags struct {
	shapes, define []string
	zeroConstants  bool
	noVerify       bool
}

func (f *sourceFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.shapes, "shape", nil, "shape of an input as `name=1x3x224x224`, or size of a symbolic dimension as name=4 (repeatable)")
	fl.StringArrayVar(&f.define, "define", nil, "TVMScript: value of a name that the text uses but does not define, as `name=value` (repeatable)")
	fl.BoolVar(&f.zeroConstants, "zero-constants", false, "TVMScript: use zeros for constants whose values are not in the text")
	fl.BoolVar(&f.noVerify, "no-verify", false, "do not verify that the module is well-formed; opt does not verify the results of passes either")
}

// options turns the flags into options of the reader. Every error is a usageError.
func (f *sourceFlags) options() (frontend.Options, error) {
	o := frontend.Options{Unverified: f.noVerify}
	o.Script.AllowMissingConstants = f.zeroConstants
	var err error
	if o.Shapes, err = parseShapes(f.shapes); err != nil {
		return o, err
	}
	if o.Script.Define, err = parseDefines(f.define); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// parseShapes reads what --shape binds.
func parseShapes(list []string) (map[string][]onnx.Dim, error) {
	out := map[string][]onnx.Dim{}
	for _, s := range list {
		name, dims, err := onnx.ParseShape(s)
		if err != nil {
			return nil, usageError{fmt.Errorf("--shape: %w", err)}
		}
		out[name] = dims
	}
	return out, nil
}

// source reads a file, standard input ("-") or a model of the gallery, to be loaded before done is called. External data of an ONNX model is
// read from the folder of the file and below.
func (f *sourceFlags) source(cmd *cobra.Command, name string) (src driver.Source, done func(), err error) {
	done = func() {}
	src.Name = label(name)
	if src.Options, err = f.options(); err != nil {
		return src, done, err
	}
	if src.Data, err = readModel(cmd.InOrStdin(), name); err != nil {
		return src, done, err
	}
	if name != "-" && !strings.HasPrefix(name, galleryPrefix) {
		root, err := os.OpenRoot(filepath.Dir(name))
		if err != nil {
			return src, done, err
		}
		src.Options.File.External = root
		done = func() { _ = root.Close() } // it was read only
	}
	return src, done, nil
}

// load reads the modules of a file. Warnings are printed.
func (f *sourceFlags) load(cmd *cobra.Command, name string) ([]frontend.Source, error) {
	src, done, err := f.source(cmd, name)
	if err != nil {
		return nil, err
	}
	defer done()
	src.Options.Script.Nameless = true // what is printed and compared is as TVM's
	list, found, err := src.Load(cmd.Context())
	if err == nil {
		printDiagnostics(cmd.ErrOrStderr(), found)
	}
	return list, err
}

// label is what an input is called in messages.
func label(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// loadOne reads the only module of a file.
func (f *sourceFlags) loadOne(cmd *cobra.Command, name string) (*ir.Module, error) {
	list, err := f.load(cmd, name)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return nil, several(name, list)
	}
	return list[0].Module, nil
}

// several says that a file has more modules than one.
func several(name string, list []frontend.Source) error {
	return fmt.Errorf("%s has %d modules (%s), expected one", label(name), len(list), classNames(list))
}

// classNames lists the names of modules for an error.
func classNames(list []frontend.Source) string {
	names := make([]string, 0, len(list))
	for i, s := range list {
		if i == 10 {
			names = append(names, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
