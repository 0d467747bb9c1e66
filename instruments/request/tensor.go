package request

import (
	"fmt"
	"regexp"
	"sync"
)

// Tensor names a tensor that a visitor gave: an input of the module, or an output that is expected of it. Its elements are kept under a hash, as
// they lie in memory: row-major and little-endian.
type Tensor struct {
	// Name is that of the input or output, and File that of the file which the tensor came in.
	Name  string  `json:"name"`
	File  string  `json:"file"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Blob  string  `json:"blob"`
}

// Bounds on the tensors of a run.
const (
	maxTensors    = 256
	maxTensorName = 512
	maxDims       = 64
)

// blobHash matches the hash of a blob.
var blobHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

// validTensors checks number and form. Whether the module has inputs of these names and types is for package driver to say.
func validTensors(what string, list []Tensor) error {
	if len(list) > maxTensors {
		return fmt.Errorf("%s lists %d tensors; the limit is %d", what, len(list), maxTensors)
	}
	seen := map[string]bool{}
	for _, t := range list {
		switch {
		case t.Name == "" || len(t.Name) > maxTensorName || len(t.File) > maxTensorName || len(t.DType) > maxTensorName:
			return fmt.Errorf("%s: the names of tensor %.60q have 1 to %d bytes", what, t.Name, maxTensorName)
		case len(t.Shape) > maxDims:
			return fmt.Errorf("%s: tensor %.60q has %d dimensions; the limit is %d", what, t.Name, len(t.Shape), maxDims)
		case !blobHash().MatchString(t.Blob):
			return fmt.Errorf("%s: tensor %.60q has the blob %.60q, want a hash", what, t.Name, t.Blob)
		case seen[t.Name]:
			return fmt.Errorf("%s lists %.60q twice", what, t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// Blobs returns the hashes of what settings name and do not hold: the elements of tensors.
func (s Settings) Blobs() []string {
	var out []string
	for _, list := range [][]Tensor{s.Inputs, s.Expected} {
		for _, t := range list {
			out = append(out, t.Blob)
		}
	}
	return out
}
