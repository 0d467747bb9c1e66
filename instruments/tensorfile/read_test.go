package tensorfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/instruments/tensorfile"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
)

func some(shape ...int64) *tensor.Tensor {
	t := tensor.MustNew(dtype.Float32T, shape...)
	t.Random(3)
	return t
}

func array(tb testing.TB, t *tensor.Tensor) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, t); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// archive returns a zip file with these entries, name and data in turn.
func archive(tb testing.TB, entries ...any) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := z.Create(entries[i].(string))
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write(entries[i+1].([]byte)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestRead reads each kind of file.
func TestRead(t *testing.T) {
	a, b := some(2, 3), some(4)
	pb := &onnxpb.Tensor{Name: "image", Type: onnxpb.Float, Dims: a.Shape, Data: a.Data}
	for file, x := range map[string]struct {
		data  []byte
		names []string
		want  []*tensor.Tensor
	}{
		"input_0.pb": {pb.Marshal(), []string{"image"}, []*tensor.Tensor{a}},
		"x.NPY":      {array(t, a), []string{""}, []*tensor.Tensor{a}},
		"in.npz":     {archive(t, "y.npy", array(t, b), "arr_0.npy", array(t, a)), []string{"y", ""}, []*tensor.Tensor{b, a}},
	} {
		got, err := tensorfile.Read(file, x.data, 1<<20)
		if err != nil || len(got) != len(x.want) {
			t.Errorf("%s: %v, %v", file, got, err)
			continue
		}
		for i, g := range got {
			if g.Name != x.names[i] || !slices.Equal(g.Tensor.Shape, x.want[i].Shape) || !bytes.Equal(g.Tensor.Data, x.want[i].Data) {
				t.Errorf("%s: tensor %d is %q %s", file, i, g.Name, g.Tensor)
			}
		}
	}
}

// TestReadRefuses has hostile files: what they promise costs nothing.
func TestReadRefuses(t *testing.T) {
	// A header that promises 2^40 floats; below, zeros that are there but packed a thousandfold.
	huge := bytes.Replace(array(t, some(2, 3)), []byte("(2, 3), }           "), []byte("(1099511627776,), } "), 1)
	zeros := tensor.MustNew(dtype.Float32T, 1<<22)
	many := []any{}
	for i := range 1100 {
		many = append(many, fmt.Sprintf("a%d.npy", i), []byte{})
	}
	for _, x := range []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"huge", "x.npy", huge, "more than the 4294967296 bytes allowed"},
		{"huge in an archive", "x.npz", archive(t, "x.npy", huge), "more than the 4294967296 bytes allowed"},
		{"a bomb", "x.npz", archive(t, "x.npy", array(t, zeros)), "takes 16777216 bytes; the limit is 1048576"},
		{"together", "x.npz", archive(t, "x.npy", array(t, some(1<<17)), "y.npy", array(t, some(1<<17)), "z.npy", array(t, some(1))), "takes 4 bytes; the limit is 0"},
		{"many", "x.npz", archive(t, many...), "holds 1100 arrays"},
		{"none", "x.npz", archive(t), "holds 0 arrays"},
		{"another file inside", "x.npz", archive(t, "../x.txt", []byte("x")), `holds "../x.txt", expected .npy files only`},
		{"not a zip", "x.npz", []byte("hello"), "not a valid zip file"},
		{"not an array", "x.npy", []byte("hello"), "not an .npy file"},
		{"short", "x.npy", array(t, some(5))[:140], "the file ends after"},
		{"not a tensor", "x.pb", []byte{0xff, 0xff}, "read ONNX tensor"},
		{"a large one", "x.pb", (&onnxpb.Tensor{Type: onnxpb.Float, Dims: zeros.Shape, Data: zeros.Data}).Marshal(), "takes 16777216 bytes; the limit is 1048576"},
		{"texts", "x.pb", (&onnxpb.Tensor{Type: onnxpb.String, Dims: []int64{0}}).Marshal(), "string"},
	} {
		got, err := tensorfile.Read(x.file, x.data, 1<<20)
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.HasPrefix(err.Error(), x.file) {
			t.Errorf("%s: %v, %v, want %q", x.name, got, err, x.want)
		}
	}
	var unknown *tensorfile.UnknownError
	if _, err := tensorfile.Read("x.txt", nil, 1); !errors.As(err, &unknown) || tensorfile.Known("x.txt") == nil || tensorfile.Known("a/X.Npz") != nil {
		t.Errorf("x.txt: %v", err)
	}
}

// TestPlace places tensors by name and by order.
func TestPlace(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, x := range []struct {
		list []tensorfile.Named
		want string
	}{
		{[]tensorfile.Named{{"c", "f"}, {"", "g"}, {"", "h"}}, "[2 0 1]"},
		{[]tensorfile.Named{{"d", "f"}}, `f: there is no input "d": the model has a, b, c`},
		{[]tensorfile.Named{{"a", "f"}, {"", "g"}}, "g: input a is given already by f"},
		{[]tensorfile.Named{{"", "f"}, {"", "g"}, {"", "h"}, {"", "i"}}, "i: the model has 3 inputs: a, b, c"},
	} {
		at, err := tensorfile.Place(x.list, "input", names)
		got := fmt.Sprint(at)
		if err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%v: %s, want %s", x.list, got, x.want)
		}
	}
}
