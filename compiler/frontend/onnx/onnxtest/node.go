package onnxtest

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// NodeCase is one test of the ONNX backend suite: usually a single operator.
type NodeCase struct {
	Name  string
	Tier  int    // 1 for what common networks use, 2 for other dense operators, 3 for the rest
	Op    string // operator that it tests
	Model []byte
	Sets  []Set // those whose files are all tensors, or sequences of tensors of one shape
}

// Nodes returns the published node tests in order of their names.
func Nodes(tb testing.TB) []NodeCase {
	tb.Helper()
	dir := Dir(tb)
	cases := map[string]*NodeCase{}
	if err := nodeIndex(filepath.Join(dir, "node_index.tsv"), cases); err != nil {
		tb.Fatal(err)
	}
	for _, c := range archive(tb, filepath.Join(dir, "node.tar.gz")) {
		known := cases[c.Name]
		if known == nil {
			tb.Fatalf("the index lacks %s", c.Name)
		}
		known.Model, known.Sets = c.Model, c.Sets
	}
	var out []NodeCase
	for name, c := range cases {
		if c.Model == nil {
			tb.Fatalf("the archive lacks the model of %s", name)
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, byName)
	return out
}

// RecordedFile is where Recorded reads from: an archive as that of the published node tests.
func RecordedFile() string { return filepath.Join(root(), "testdata", "onnxruntime.tar.gz") }

// Recorded returns models of single operators with what ONNX Runtime computes, in order of their names. They are of operators that the
// published node tests do not have; e2e/differ writes them.
func Recorded(tb testing.TB) []NodeCase {
	tb.Helper()
	return archive(tb, RecordedFile())
}

// archive reads node tests from a .tar.gz with the model and the data of each in a folder of its own.
func archive(tb testing.TB, path string) []NodeCase {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	files, err := untar(f)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	var out []NodeCase
	for file, model := range files {
		name, ok := strings.CutSuffix(strings.TrimPrefix(file, "node/"), "/model.onnx")
		if !ok {
			continue
		}
		c := NodeCase{Name: name, Model: model}
		m, err := onnxpb.Read(model, onnxpb.Options{})
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		for i := 0; ; i++ {
			folder := fmt.Sprintf("node/%s/test_data_set_%d/", name, i)
			if files[folder+"output_0.pb"] == nil {
				break
			}
			in, ok := protos(files, folder+"input", m.Graph.Inputs)
			want, ok2 := protos(files, folder+"output", m.Graph.Outputs)
			if ok && ok2 {
				c.Sets = append(c.Sets, Set{Inputs: in, Outputs: want})
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, byName)
	return out
}

func byName(a, b NodeCase) int { return strings.Compare(a.Name, b.Name) }

func nodeIndex(path string, cases map[string]*NodeCase) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		cols := strings.Split(s.Text(), "\t")
		if len(cols) < 3 || cols[0] == "name" {
			continue
		}
		c := &NodeCase{Name: cols[0], Op: cols[2]}
		if _, err := fmt.Sscan(cols[1], &c.Tier); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		cases[c.Name] = c
	}
	return s.Err()
}

func untar(r io.Reader) (map[string][]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg {
			if files[h.Name], err = io.ReadAll(t); err != nil {
				return nil, err
			}
		}
	}
}

// protos reads the values of inputs or outputs. Tensors of a sequence have to have one shape: they are along a new first axis.
func protos(files map[string][]byte, prefix string, infos []onnxpb.ValueInfo) (out []*onnxpb.Tensor, ok bool) {
	for i := 0; ; i++ {
		data, there := files[fmt.Sprintf("%s_%d.pb", prefix, i)]
		if !there {
			return out, true
		}
		typ := infos[i].Type
		optional := typ.Optional != nil
		if optional {
			typ = typ.Optional
		}
		var t *onnxpb.Tensor
		var err error
		switch {
		case typ.Sequence != nil:
			t, err = stacked(data)
		case optional:
			var list []onnxpb.Tensor
			if list, err = onnxpb.ReadSequence(data, onnxpb.Options{}); err == nil && len(list) == 1 {
				t = &list[0]
			}
		default:
			t, err = onnxpb.ReadTensor(data, onnxpb.Options{})
		}
		if err != nil || t == nil {
			return nil, false
		}
		out = append(out, t)
	}
}

// stacked is a sequence as one tensor, nil where its elements have several shapes, or where there is none.
func stacked(data []byte) (*onnxpb.Tensor, error) {
	list, err := onnxpb.ReadSequence(data, onnxpb.Options{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	first := list[0]
	out := &onnxpb.Tensor{Type: first.Type, Dims: append([]int64{int64(len(list))}, first.Dims...)}
	for _, t := range list {
		if t.Type != first.Type || !slices.Equal(t.Dims, first.Dims) {
			return nil, nil
		}
		out.Data = append(out.Data, t.Data...)
	}
	return out, nil
}

// Otherwise are node tests whose values are others here. They take an extent that is not rounded for that of the result, which the
// text of the operator, PyTorch, and ONNX Runtime do not: corners would not be aligned.
var Otherwise = []string{"test_resize_downsample_scales_cubic_align_corners", "test_resize_downsample_scales_linear_align_corners"}

// operands are the inputs of operators that are constants in most models: shapes, axes, and the like, which node tests pass as inputs.
var operands = map[string][]int{
	"Reshape": {1}, "Expand": {1}, "Squeeze": {1}, "Unsqueeze": {1}, "Slice": {3, 4}, "Split": {1}, "SplitToSequence": {1},
	"Pad": {1, 2, 3}, "ConstantOfShape": {0}, "Range": {0, 1, 2}, "Dropout": {2}, "Resize": {1, 2, 3}, "Upsample": {1},
	"OneHot": {1, 2}, "CumSum": {1}, "Trilu": {1}, "TopK": {1}, "AffineGrid": {1}, "Tile": {1, 2}, "MaxUnpool": {2}, "Col2Im": {1, 2},
	"HannWindow": {0}, "HammingWindow": {0}, "BlackmanWindow": {0}, "DFT": {1, 2}, "STFT": {1, 3}, "CenterCropPad": {1}, "CumProd": {1},
	"MelWeightMatrix": {0, 1, 2, 3, 4}, "ReduceMean": {1}, "ReduceSum": {1}, "ReduceMax": {1}, "ReduceMin": {1}, "ReduceProd": {1},
	"ReduceL1": {1}, "ReduceL2": {1}, "ReduceSumSquare": {1}, "ReduceLogSum": {1}, "ReduceLogSumExp": {1},
}

// Bound returns the inputs of a set that an importer needs the values of, by their names, and the others in order.
func Bound(m *onnxpb.Model, set Set) (bound map[string]*onnxpb.Tensor, given []*onnxpb.Tensor) {
	needed := map[string]bool{}
	for _, n := range m.Graph.Nodes {
		for _, i := range operands[n.OpType] {
			if i < len(n.Inputs) {
				needed[n.Inputs[i]] = true
			}
		}
	}
	bound = map[string]*onnxpb.Tensor{}
	for i, in := range m.Graph.Inputs {
		switch {
		case i >= len(set.Inputs):
		case needed[in.Name]:
			bound[in.Name] = set.Inputs[i]
		default:
			given = append(given, set.Inputs[i])
		}
	}
	return bound, given
}
