package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// SeedWeights replaces each ConstantOfShape node of m by an initializer of seeded random
// values. The published light models make their weights by such nodes, all of one value, so
// that their outputs tell nothing; with this rule they do. Nodes are counted in their order.
func SeedWeights(m *onnxpb.Model) error {
	g := m.Graph
	shapes := map[string]*onnxpb.Tensor{}
	for i := range g.Initializers {
		shapes[g.Initializers[i].Name] = &g.Initializers[i]
	}
	var weights []onnxpb.Tensor
	var nodes []onnxpb.Node
	for _, n := range g.Nodes {
		if n.OpType != "ConstantOfShape" {
			nodes = append(nodes, n)
			continue
		}
		shape := shapes[n.Inputs[0]]
		if shape == nil {
			return fmt.Errorf("the shape of weight %s is not an initializer", n.Outputs[0])
		}
		dims, err := shape.Ints()
		if err != nil {
			return fmt.Errorf("the shape of weight %s: %w", n.Outputs[0], err)
		}
		w := Seeded(uint64(len(weights)), dims)
		w.Name = n.Outputs[0]
		weights = append(weights, w)
	}
	g.Nodes, g.Initializers = nodes, append(slices.Clone(g.Initializers), weights...)
	return nil
}

// Seeded is weight number t: splitmix64 of the weight's and the element's number, scaled
// by the fan-in where there are two dimensions or more, in [0.5, 1.5) where there are not.
func Seeded(t uint64, dims []int64) onnxpb.Tensor {
	n, fanIn := int64(1), int64(1)
	for i, d := range dims {
		n *= d
		if i > 0 {
			fanIn *= d
		}
	}
	scale := math.Sqrt(6 / float64(fanIn))
	data := make([]byte, 4*n)
	for i := range n {
		z := (t<<32 + uint64(i) + 1) * 0x9e3779b97f4a7c15
		z ^= z >> 30
		z *= 0xbf58476d1ce4e5b9
		z ^= z >> 27
		z *= 0x94d049bb133111eb
		z ^= z >> 31
		u := float64(z>>40) / (1 << 24)
		v := 0.5 + u
		if len(dims) >= 2 {
			v = (2*u - 1) * scale
		}
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(v)))
	}
	return onnxpb.Tensor{Type: onnxpb.Float, Dims: dims, Data: data}
}

// OutputLogits makes the input of the last Softmax node a second output of m: the softmax of
// a deep network with random weights saturates.
func OutputLogits(m *onnxpb.Model) {
	for _, n := range slices.Backward(m.Graph.Nodes) {
		if n.OpType == "Softmax" {
			m.Graph.Outputs = append(m.Graph.Outputs, onnxpb.ValueInfo{Name: n.Inputs[0]})
			return
		}
	}
}
