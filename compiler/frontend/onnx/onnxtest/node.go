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
	"sort"
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
	Sets  []Set // those whose files are all tensors; sequences are left out
}

// Nodes returns the published node tests in order of their names.
func Nodes(tb testing.TB) []NodeCase {
	tb.Helper()
	dir := Dir(tb)
	cases := map[string]*NodeCase{}
	if err := nodeIndex(filepath.Join(dir, "node_index.tsv"), cases); err != nil {
		tb.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "node.tar.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	files, err := untar(f)
	if err != nil {
		tb.Fatalf("%s: %v", f.Name(), err)
	}
	var out []NodeCase
	for name, c := range cases {
		c.Model = files["node/"+name+"/model.onnx"]
		if c.Model == nil {
			tb.Fatalf("the archive lacks the model of %s", name)
		}
		for i := 0; ; i++ {
			folder := fmt.Sprintf("node/%s/test_data_set_%d/", name, i)
			if files[folder+"output_0.pb"] == nil {
				break
			}
			in, ok := protos(files, folder+"input")
			want, ok2 := protos(files, folder+"output")
			if ok && ok2 {
				c.Sets = append(c.Sets, Set{Inputs: in, Outputs: want})
			}
		}
		out = append(out, *c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

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

func protos(files map[string][]byte, prefix string) (out []*onnxpb.Tensor, ok bool) {
	for i := 0; ; i++ {
		data, there := files[fmt.Sprintf("%s_%d.pb", prefix, i)]
		if !there {
			return out, true
		}
		t, err := onnxpb.ReadTensor(data, onnxpb.Options{})
		if err != nil {
			return nil, false
		}
		out = append(out, t)
	}
}

// Otherwise are node tests whose values are others here. They take an extent that is not rounded for that of the result, which the
// text of the operator, PyTorch, and ONNX Runtime do not: corners would not be aligned.
var Otherwise = []string{"test_resize_downsample_scales_cubic_align_corners", "test_resize_downsample_scales_linear_align_corners"}
