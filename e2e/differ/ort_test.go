package differ

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/node"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// ort is ONNX Runtime in a process of its own. It is started when it is first needed, and again when a model has ended it.
type ort struct {
	folder string // of the npm package
	model  string // file that models are written to
	// process is nil where none runs.
	process *node.Process
}

// newORT skips a test where ONNX Runtime is not installed.
func newORT(t *testing.T) *ort {
	t.Helper()
	folder := os.Getenv("ONNXRUNTIME_NODE")
	if folder == "" {
		t.Skip("ONNXRUNTIME_NODE does not name a folder with the npm package onnxruntime-node")
	}
	o := &ort{folder: folder, model: filepath.Join(t.TempDir(), "model.onnx")}
	t.Cleanup(o.stop)
	return o
}

func (o *ort) stop() {
	if o.process != nil {
		o.process.Stop()
		o.process = nil
	}
}

// feed is a tensor as the script reads and writes it.
type feed struct {
	Name string  `json:"name"`
	Type string  `json:"type"`
	Dims []int64 `json:"dims"`
	Data []byte  `json:"data"`
}

// errEnded is what a model that ends ONNX Runtime's process gives.
var errEnded = errors.New("the process of ONNX Runtime has ended")

// run returns the outputs of a model by name.
func (o *ort) run(model []byte, names []string, args []*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if err := os.WriteFile(o.model, model, 0o600); err != nil {
		return nil, err
	}
	list := []feed{}
	for i, a := range args {
		list = append(list, feed{names[i], a.DType.String(), append([]int64{}, a.Shape...), a.Data})
	}
	line, err := json.Marshal(map[string]any{"model": o.model, "inputs": list})
	if err != nil {
		return nil, err
	}
	if o.process == nil {
		if o.process, err = node.Start(o.folder, filepath.Join("testdata", "serve.cjs"), nil); err != nil {
			return nil, fmt.Errorf("start ONNX Runtime: %w", err)
		}
	}
	text, err := o.process.Ask(string(line))
	if err != nil {
		o.stop()
		return nil, errEnded
	}
	return answer([]byte(text))
}

func answer(text []byte) (map[string]*tensor.Tensor, error) {
	var said struct {
		Outputs []feed `json:"outputs"`
		Error   string `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, err
	}
	if said.Error != "" {
		return nil, errors.New(said.Error)
	}
	out := map[string]*tensor.Tensor{}
	for _, f := range said.Outputs {
		dt, err := dtype.Parse(f.Type)
		if err != nil {
			return nil, err
		}
		if out[f.Name], err = tensor.FromBytes(dt, f.Dims, f.Data); err != nil {
			return nil, err
		}
	}
	return out, nil
}
