// Package gallery holds the models that come with the program: small ones, made by this
// project with seeded weights, each to show something of the compiler.
//
// The files in models/ are written by gallery/gen; a test checks that they are fresh. The
// web and the command line import this package; it imports nothing of ours.
package gallery

import (
	"embed"
	"fmt"
)

//go:generate go run ./gen -root ../../../..

//go:embed models/*.onnx
var files embed.FS

// Model is a model of the gallery.
type Model struct {
	Name        string // as it stands in URLs and file names
	Title       string
	Description string // one or two sentences for a page
	Symbolic    string // name of its symbolic dimension, empty if it has none
	Bytes       []byte // the encoded ModelProto; the caller must not change it
}

// Models returns the gallery in the order in which to show it.
func Models() []Model {
	ms := []Model{
		{
			Name: "mlp", Title: "Multilayer perceptron",
			Description: "Three dense layers over an 8x8 image. The smallest model that goes through every pass: " +
				"a good first look at how Gemm, bias and ReLU become one kernel.",
		},
		{
			Name: "cnn", Title: "Convolutional network",
			Description: "A ResNet in miniature on a 3x32x32 image: convolution, batch normalization, max pooling, " +
				"a residual block, global average pooling and a classifier.",
		},
		{
			Name: "transformer", Title: "Transformer block",
			Description: "Layer normalization, four-headed attention written out in MatMul and Softmax, a feed-forward " +
				"layer with GELU spelled through Erf, and two residual additions, on 16 tokens of width 32.",
		},
		{
			Name: "batch", Title: "Symbolic batch", Symbolic: "batch",
			Description: "A small classifier whose batch size stays a variable: compiled once, it runs at any batch. " +
				"Watch the variable travel from the signature into loop bounds.",
		},
	}
	for i := range ms {
		b, err := files.ReadFile("models/" + ms[i].Name + ".onnx")
		if err != nil {
			panic(fmt.Sprintf("gallery: %v", err)) // the file is embedded or the program does not build
		}
		ms[i].Bytes = b
	}
	return ms
}

// Lookup returns the model called name and whether there is one.
func Lookup(name string) (Model, bool) {
	for _, m := range Models() {
		if m.Name == name {
			return m, true
		}
	}
	return Model{}, false
}
