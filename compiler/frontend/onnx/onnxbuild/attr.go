package onnxbuild

import "github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"

// Int is an integer attribute.
func Int(name string, v int64) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrInt, I: v}
}

// IntList is an attribute that holds a list of integers.
func IntList(name string, vs ...int64) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrInts, Ints: vs}
}

// Float is a float attribute.
func Float(name string, v float32) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrFloat, F: v}
}

// FloatList is an attribute that holds a list of floats.
func FloatList(name string, vs ...float32) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrFloats, Floats: vs}
}

// Str is a string attribute.
func Str(name, v string) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrString, S: []byte(v)}
}

// Tensor is a tensor attribute.
func Tensor(name string, t onnxpb.Tensor) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrTensor, T: &t}
}

// Graph is a graph attribute.
func Graph(name string, g *onnxpb.Graph) onnxpb.Attribute {
	return onnxpb.Attribute{Name: name, Type: onnxpb.AttrGraph, G: g}
}
