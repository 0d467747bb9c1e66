package differ

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// ort is ONNX Runtime in a process of its own. It is started when it is first needed, and again when a model has ended it.
type ort struct {
	folder string // of the npm package
	model  string // file that models are written to
	in     io.WriteCloser
	out    *bufio.Reader
	cmd    *exec.Cmd
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

func (o *ort) start() error {
	script, err := filepath.Abs(filepath.Join("testdata", "serve.cjs"))
	if err != nil {
		return err
	}
	o.cmd = exec.Command("node", script)
	o.cmd.Dir = o.folder
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	o.out = bufio.NewReader(out)
	return o.cmd.Start()
}

func (o *ort) stop() {
	if o.cmd != nil {
		_ = o.in.Close() // ends it
		_ = o.cmd.Wait()
		o.cmd = nil
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
	if o.cmd == nil {
		if err := o.start(); err != nil {
			return nil, fmt.Errorf("start ONNX Runtime: %w", err)
		}
	}
	_, wrong := o.in.Write(append(line, '\n'))
	text, err := o.out.ReadBytes('\n')
	if err := errors.Join(wrong, err); err != nil {
		o.stop()
		return nil, errEnded
	}
	return answer(text)
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
