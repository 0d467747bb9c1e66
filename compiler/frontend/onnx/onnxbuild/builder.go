// Package onnxbuild builds small ONNX models in a few lines of Go: the models of the
// gallery, and those that tests of the importer need.
//
// It checks nothing beyond Go's types, so a test can build a model that is wrong. The
// gallery's generator and tests import it; it imports onnxpb and knows no operator.
package onnxbuild

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Builder collects a graph. Its methods return names of values.
type Builder struct {
	model *onnxpb.Model
	graph *onnxpb.Graph
}

// New returns a builder for a graph called name, written in the given version of the
// default operator set.
func New(name string, opset int64) *Builder {
	g := &onnxpb.Graph{Name: name}
	return &Builder{graph: g, model: &onnxpb.Model{
		IRVersion: 8, ProducerName: "irscope", Graph: g, OpsetImports: []onnxpb.OpsetID{{Version: opset}},
	}}
}

// Model returns the model built so far.
func (b *Builder) Model() *onnxpb.Model { return b.model }

// Bytes returns the encoded model.
func (b *Builder) Bytes() []byte { return b.model.Marshal() }

// TypeOf is a tensor type. A dimension is an int, or a string for a symbolic one.
func TypeOf(t onnxpb.DataType, dims ...any) *onnxpb.Type {
	tt := &onnxpb.TensorType{Elem: t, HasShape: true}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			tt.Shape = append(tt.Shape, onnxpb.Dim{HasValue: true, Value: int64(d)})
		case string:
			tt.Shape = append(tt.Shape, onnxpb.Dim{Param: d})
		default:
			panic(fmt.Sprintf("onnxbuild: a dimension is an int or a string, not a %T", d))
		}
	}
	return &onnxpb.Type{Tensor: tt}
}

// Input adds a graph input.
func (b *Builder) Input(name string, t onnxpb.DataType, dims ...any) string {
	b.graph.Inputs = append(b.graph.Inputs, onnxpb.ValueInfo{Name: name, Type: TypeOf(t, dims...)})
	return name
}

// Output makes a value a graph output.
func (b *Builder) Output(name string, t onnxpb.DataType, dims ...any) {
	b.graph.Outputs = append(b.graph.Outputs, onnxpb.ValueInfo{Name: name, Type: TypeOf(t, dims...)})
}

// Initializer adds a constant.
func (b *Builder) Initializer(name string, t onnxpb.Tensor) string {
	t.Name = name
	b.graph.Initializers = append(b.graph.Initializers, t)
	return name
}

// Node adds a node with one output, which is called like PyTorch calls it: the node's name
// followed by "_output_0".
func (b *Builder) Node(op, name string, inputs []string, attrs ...onnxpb.Attribute) string {
	return b.NodeOut(op, name, inputs, []string{name + "_output_0"}, attrs...)
}

// NodeOut adds a node whose outputs have the given names, and returns the first of them. The name of an operator that is not of the default domain
// begins with that of its domain, as com.microsoft.Gelu; the model imports version 1 of that unless Import was called for it.
func (b *Builder) NodeOut(op, name string, inputs, outputs []string, attrs ...onnxpb.Attribute) string {
	dot := strings.LastIndexByte(op, '.')
	domain := op[:max(dot, 0)]
	if _, ok := b.model.Opset(domain); !ok {
		b.Import(domain, 1)
	}
	b.graph.Nodes = append(b.graph.Nodes, onnxpb.Node{
		Domain: domain, OpType: op[dot+1:], Name: name, Inputs: inputs, Outputs: outputs, Attributes: attrs,
	})
	return outputs[0]
}

// Import makes the model import a version of a domain's operators.
func (b *Builder) Import(domain string, version int64) {
	b.model.OpsetImports = append(b.model.OpsetImports, onnxpb.OpsetID{Domain: domain, Version: version})
}

// Weights adds a float32 initializer of seeded random values, evenly distributed in
// centre ± spread. They depend on the name only.
func (b *Builder) Weights(name string, centre, spread float64, dims ...int64) string {
	return b.Initializer(name, Random(name, centre, spread, dims...))
}

// Random is a float32 tensor of values evenly distributed in centre ± spread that depend
// on name only: the splitmix64 sequence seeded with the FNV-1a hash of the name.
func Random(name string, centre, spread float64, dims ...int64) onnxpb.Tensor {
	h := fnv.New64a()
	h.Write([]byte(name))
	state := h.Sum64()
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]byte, 0, 4*n)
	for range n {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		u := float64(z>>40)/(1<<24)*2 - 1
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(centre+spread*u)))
	}
	return onnxpb.Tensor{Name: name, Type: onnxpb.Float, Dims: dims, Data: data}
}

// Floats is a float32 tensor.
func Floats(dims []int64, vals ...float32) onnxpb.Tensor {
	var data []byte
	for _, v := range vals {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return onnxpb.Tensor{Type: onnxpb.Float, Dims: dims, Data: data}
}

// Ints is an int64 tensor; nil dims make it a scalar.
func Ints(dims []int64, vals ...int64) onnxpb.Tensor {
	var data []byte
	for _, v := range vals {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	return onnxpb.Tensor{Type: onnxpb.Int64, Dims: dims, Data: data}
}

// Shape is an int64 tensor of one dimension, as operands that hold shapes and axes are.
func Shape(vals ...int64) onnxpb.Tensor { return Ints([]int64{int64(len(vals))}, vals...) }
