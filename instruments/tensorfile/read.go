// Package tensorfile reads the files in which tensors are exchanged: TensorProto of ONNX (.pb), and arrays of NumPy (.npy, .npz). Files
// may come from anywhere: what they take is bounded, whatever they promise.
//
// The command line and the driver import it. It knows no models.
package tensorfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
)

// Extensions lists those of the files that Read knows, for messages and dialogs.
const Extensions = ".pb, .npy, and .npz"

// maxArrays bounds the arrays of an .npz file.
const maxArrays = 1024

// Tensor is a tensor with the name that its file gives it, "" for none. Names of arrays in an .npz file are those of inputs and outputs; that of a
// TensorProto may be anything.
type Tensor struct {
	Name   string
	Tensor *tensor.Tensor
}

// Archive tells whether a file of that name holds several tensors by name.
func Archive(file string) bool { return strings.EqualFold(path.Ext(file), ".npz") }

// Known returns an *UnknownError where Read does not know files of that name.
func Known(file string) error {
	switch strings.ToLower(path.Ext(file)) {
	case ".pb", ".npy", ".npz":
		return nil
	}
	return &UnknownError{file}
}

// UnknownError says that a file is of no known kind, by its name.
type UnknownError struct{ File string }

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: tensors are read only from %s files", e.File, Extensions)
}

// Read reads the tensors of a file, whose name tells its kind: one, or all of an .npz file. They take at most maxBytes together. The error names
// the file; one of type *UnknownError says that its kind is not known.
func Read(file string, data []byte, maxBytes int64) ([]Tensor, error) {
	var out []Tensor
	var err error
	switch strings.ToLower(path.Ext(file)) {
	case ".pb":
		out, err = readPB(data, maxBytes)
	case ".npy":
		var t *tensor.Tensor
		t, err = npy.ReadMax(bytes.NewReader(data), maxBytes)
		out = []Tensor{{Tensor: t}}
	case ".npz":
		out, err = readNPZ(data, maxBytes)
	default:
		return nil, &UnknownError{file}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

func readPB(data []byte, maxBytes int64) ([]Tensor, error) {
	pb, err := onnxpb.ReadTensor(data, onnxpb.Options{})
	if err != nil {
		return nil, err
	}
	dt, err := pb.Type.DType()
	if err != nil {
		return nil, err
	}
	size, err := tensor.ByteSize(dt, pb.Dims)
	if err != nil {
		return nil, err
	}
	if size > maxBytes {
		return nil, fmt.Errorf("the tensor takes %d bytes; the limit is %d", size, maxBytes)
	}
	t, err := tensor.FromBytes(dt, pb.Dims, pb.Unpacked())
	return []Tensor{{pb.Name, t}}, err
}

// position matches the names that numpy.savez gives to arrays that have none.
var position = regexp.MustCompile(`^arr_\d+$`)

// readNPZ reads an archive of arrays, in its order.
func readNPZ(data []byte, left int64) ([]Tensor, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("reading .npz: %w", err)
	}
	if len(r.File) == 0 || len(r.File) > maxArrays {
		return nil, fmt.Errorf("reading .npz: it holds %d arrays, expected 1 to %d", len(r.File), maxArrays)
	}
	var out []Tensor
	for _, f := range r.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("reading .npz: it holds %q, expected .npy files only", f.Name)
		}
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("reading .npz: %q: %w", f.Name, err)
		}
		t, err := npy.ReadMax(in, left)
		_ = in.Close() // it was read, or failed to be
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		left -= int64(len(t.Data))
		if position.MatchString(name) {
			name = ""
		}
		out = append(out, Tensor{name, t})
	}
	return out, nil
}
