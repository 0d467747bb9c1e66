package onnxpb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/published"
	"google.golang.org/protobuf/encoding/protowire"
)

// sample is a model with every kind of field that the reader knows.
func sample() *Model {
	f32 := func(dims ...Dim) *Type { return &Type{Tensor: &TensorType{Elem: Float, HasShape: true, Shape: dims}} }
	body := &Graph{
		Name:    "then",
		Nodes:   []Node{{OpType: "Neg", Inputs: []string{"x"}, Outputs: []string{"t"}}},
		Outputs: []ValueInfo{{Name: "t"}},
	}
	attrs := []Attribute{
		{Name: "f", Type: AttrFloat, F: 0.5},
		{Name: "zero", Type: AttrFloat},
		{Name: "i", Type: AttrInt, I: -3},
		{Name: "s", Type: AttrString, S: []byte("SAME_UPPER")},
		{Name: "t", Type: AttrTensor, T: &Tensor{Type: Int64, Dims: []int64{2}, Data: make([]byte, 16)}},
		{Name: "g", Type: AttrGraph, G: body},
		{Name: "floats", Type: AttrFloats, Floats: []float32{1, -2}},
		{Name: "ints", Type: AttrInts, Ints: []int64{1, -1, 1 << 40}},
		{Name: "none", Type: AttrInts},
		{Name: "strings", Type: AttrStrings, Strings: [][]byte{[]byte("a"), []byte("b")}},
		{Name: "tensors", Type: AttrTensors, Tensors: []Tensor{{Type: Bool, Dims: []int64{1}, Data: []byte{1}}}},
		{Name: "graphs", Type: AttrGraphs, Graphs: []*Graph{body, body}},
		{Name: "tp", Type: AttrTypeProto, TP: &Type{Sequence: f32(Dim{Param: "N"})}},
		{Name: "tps", Type: AttrTypeProtos, TypeProtos: []*Type{{Optional: f32()}}},
		{Name: "ref", Type: AttrInt, RefAttrName: "outer"},
	}
	return &Model{
		IRVersion: 8, ProducerName: "irscope", ProducerVersion: "1", Domain: "d", ModelVersion: 2, DocString: "doc",
		OpsetImports: []OpsetID{{Version: 17}, {Domain: "local", Version: 1}},
		Metadata:     []Entry{{"k", "v"}},
		Functions: []Function{{
			Name: "F", Domain: "local", Inputs: []string{"a"}, Outputs: []string{"b"}, Attributes: []string{"x"},
			AttributeDefaults: []Attribute{{Name: "y", Type: AttrInt, I: 1}},
			Nodes:             []Node{{OpType: "Abs", Inputs: []string{"a"}, Outputs: []string{"b"}}},
			OpsetImports:      []OpsetID{{Version: 17}},
		}},
		Graph: &Graph{
			Name: "g", DocString: "d",
			Nodes: []Node{{
				Name: "/n", OpType: "Foo", Domain: "x", Overload: "o", DocString: "d", Inputs: []string{"x", "", "w"},
				Outputs: []string{"y"}, Attributes: attrs, Metadata: []Entry{{"a", "b"}},
			}},
			Initializers: []Tensor{
				{Name: "w", Type: Float, Dims: []int64{2, 1}, Data: []byte{0, 0, 128, 63, 0, 0, 0, 64}},
				{Name: "s", Type: String, Dims: []int64{1}, Strings: [][]byte{[]byte("hi")}},
				{Name: "empty", Type: Float, Dims: []int64{0, 3}},
			},
			Inputs:     []ValueInfo{{Name: "x", Type: f32(Dim{Param: "batch"}, Dim{HasValue: true, Value: 3}, Dim{}), DocString: "d"}},
			Outputs:    []ValueInfo{{Name: "y", Type: &Type{Map: &MapType{Key: Int64, Value: f32()}}}},
			ValueInfos: []ValueInfo{{Name: "z", Type: &Type{SparseTensor: &TensorType{Elem: Float}}, Metadata: []Entry{{"c", "d"}}}},
		},
	}
}

// dropPos zeroes positions and makes empty lists nil, so that a model that was built
// equals one that was read.
func dropPos(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dropPos(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Pos" {
				v.Field(i).SetInt(0)
				continue
			}
			dropPos(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
			return
		}
		for i := range v.Len() {
			dropPos(v.Index(i))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	b := sample().Marshal()
	got, err := Read(b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again := got.Marshal(); !bytes.Equal(again, b) {
		t.Error("writing what was read gives other bytes")
	}
	want := sample()
	dropPos(reflect.ValueOf(got))
	dropPos(reflect.ValueOf(want))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestTruncated cuts a model at each byte. Every cut must be an error: the operator sets
// come after the graph, and what follows them is left out here.
func TestTruncated(t *testing.T) {
	m := sample()
	m.Metadata, m.Functions, m.OpsetImports = nil, nil, m.OpsetImports[:1]
	b := m.Marshal()
	for n := range b {
		if _, err := Read(b[:n], Options{}); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", n, len(b))
		}
	}
	if _, err := Read(b, Options{}); err != nil {
		t.Fatal(err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	edit := func(f func(*Model)) []byte {
		m := sample()
		f(m)
		return m.Marshal()
	}
	nest := func(n int) []byte {
		g := &Graph{Name: "leaf"}
		for range n {
			g = &Graph{Nodes: []Node{{OpType: "If", Attributes: []Attribute{{Name: "then_branch", Type: AttrGraph, G: g}}}}}
		}
		return (&Model{IRVersion: 8, OpsetImports: []OpsetID{{Version: 17}}, Graph: g}).Marshal()
	}
	for _, tc := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "the file is empty"},
		{"another message", []byte{0x0a, 1, 0}, "the file is no ONNX model, a protobuf message ModelProto, or it is damaged: byte 0: ir_version has wire type 2, expected 0"},
		{"no graph", edit(func(m *Model) { m.Graph = nil }), "no graph"},
		{"no opset", edit(func(m *Model) { m.OpsetImports = nil }), "imports no operator set"},
		{"unknown attribute type", edit(func(m *Model) { m.Graph.Nodes[0].Attributes[0].Type = 99 }), `graph.node[0].attribute["f"]: unknown attribute type 99`},
		{"data too short", edit(func(m *Model) { m.Graph.Initializers[0].Dims[0] = 3 }), `graph.initializer[0]: tensor "w": dims [3 1] of float32 make 12 bytes, but raw_data holds 8`},
		{"huge tensor", edit(func(m *Model) { m.Graph.Initializers[0].Dims = []int64{1 << 20, 1 << 20} }), `more than 2147483648 elements`},
		{"overflow", edit(func(m *Model) { m.Graph.Initializers[0].Dims = []int64{1 << 40, 1 << 40, 1 << 40} }), `more than 2147483648 elements`},
		{"negative", edit(func(m *Model) { m.Graph.Initializers[0].Dims[1] = -1 }), `dims[1] is -1`},
		{"element type", edit(func(m *Model) { m.Graph.Inputs[0].Type.Tensor.Elem = 77 }), `graph.input[0].type.tensor_type: elem_type: unknown data type 77`},
		{"not UTF-8", edit(func(m *Model) { m.Graph.Nodes[0].Inputs[0] = "\xff" }), `graph.node[0]: input is not UTF-8`},
		{"nested", nest(30), "nested more than 64 deep"},
		{"deeply nested", nest(2000), "nested more than 64 deep"},
		{"long name", edit(func(m *Model) { m.Graph.Name = strings.Repeat("x", 2<<20) }), "the limit is 1048576"},
		{"rank", edit(func(m *Model) { m.Graph.Inputs[0].Type.Tensor.Shape = make([]Dim, 100) }), "100 dimensions; the limit is 64"},
		{"sparse", protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), putMessage(nil, 15, nil)), "graph: sparse_initializer: sparse tensors (SparseTensorProto) are not supported"},
		{"two graphs", append(sample().Marshal(), putMessage(nil, 7, nil)...), "graph occurs twice"},
		{"external", protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), putMessage(nil, 5, externalTensor("w.bin", 8))), "not accepted here"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Read(tc.data, Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got error %v, want one with %q", err, tc.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Pos < 0 || e.Pos > len(tc.data) {
				t.Errorf("error %v has no position in the file", err)
			}
		})
	}
}

// TestHostile reads files that are cheap to make and must be cheap to refuse.
func TestHostile(t *testing.T) {
	const size = 40 << 20
	fill := func(unit ...byte) []byte { return bytes.Repeat(unit, size/len(unit)) }
	graphOf := func(b []byte) []byte { return putMessage([]byte{8, 8}, 7, b) }
	node := func(b []byte) []byte { return graphOf(putMessage(nil, 1, b)) }
	attr := func(b []byte) []byte { return node(putMessage(nil, 5, b)) }
	for name, data := range map[string][]byte{
		"empty nodes":        graphOf(fill(1<<3|2, 0)),
		"empty initializers": graphOf(fill(5<<3|2, 0)),
		"empty inputs":       graphOf(fill(11<<3|2, 0)),
		"empty attributes":   node(fill(5<<3|2, 0)),
		"empty operands":     node(fill(1<<3|2, 0)),
		"unpacked ints":      attr(fill(8<<3, 1)),
		"packed ints":        attr(putMessage(nil, 8, fill(1))),
		"empty strings":      attr(fill(9<<3|2, 0)),
		"tensors one by one": attr(fill(5<<3|2, 0)),
		"graphs one by one":  attr(fill(6<<3|2, 0)),
		"dims":               graphOf(putMessage(nil, 5, fill(1<<3, 1))),
		"typed data":         graphOf(putMessage(nil, 5, append([]byte{1 << 3, 1, 2 << 3, 7}, fill(7<<3, 1)...))),
		"functions":          fill(0xca, 1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := Read(data, Options{})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("accepted")
			}
			// The bound is a second; a loaded machine or the race detector may need more.
			if took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 200<<20 {
				t.Errorf("allocated %d MiB", got>>20)
			}
			t.Logf("%v, %d KiB: %v", took, (after.TotalAlloc-before.TotalAlloc)>>10, err)
		})
	}
}

func TestNodeLimit(t *testing.T) {
	g := &Graph{Nodes: make([]Node, 1_000_000)}
	_, err := Read((&Model{Graph: g, OpsetImports: []OpsetID{{Version: 9}}}).Marshal(), Options{})
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "1000000 nodes; the limit is 200000") {
		t.Errorf("got %v", err)
	}
}

// TestConformanceModels reads the real models where they are present and writes them again.
func TestConformanceModels(t *testing.T) {
	for _, file := range conformanceFiles(t, "light/*.onnx", "real/*/model.onnx") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read(data, Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		b := m.Marshal()
		again, err := Read(b, Options{})
		if err != nil {
			t.Errorf("%s: rewritten: %v", file, err)
			continue
		}
		if !bytes.Equal(again.Marshal(), b) {
			t.Errorf("%s: writing is not a fixed point", file)
		}
	}
	for _, file := range conformanceFiles(t, "light_seeded/*/*/*.pb", "real/*/*/*.pb") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTensor(data, Options{}); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func conformanceFiles(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	dir := published.ONNX(t)
	for _, p := range patterns {
		fs, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		if len(fs) == 0 {
			t.Fatalf("no file of %s matches %s", dir, p)
		}
		files = append(files, fs...)
	}
	return files
}

func BenchmarkRead(b *testing.B) {
	for _, file := range conformanceFiles(b, "light/light_densenet121.onnx") {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Read(data, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
