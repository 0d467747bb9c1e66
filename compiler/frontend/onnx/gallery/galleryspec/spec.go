// Package galleryspec describes the models of the gallery, layer by layer.
//
// The gallery's generator and tests import it; it imports onnxbuild and onnxpb.
package galleryspec

import (
	"math"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Models returns the models by name, freshly built.
func Models() map[string]*onnxpb.Model {
	return map[string]*onnxpb.Model{
		"mlp":         mlp(),
		"cnn":         cnn(),
		"transformer": transformer(),
		"batch":       batch(),
	}
}

// net adds layers to a graph under the names that PyTorch would give them.
type net struct{ *ob.Builder }

// spread makes weights of the variance 2/fanIn, which keeps activations in range through
// layers with ReLU.
func spread(fanIn int64) float64 { return math.Sqrt(6 / float64(fanIn)) }

func in(names ...string) []string { return names }

// linear is x W^T + b in one Gemm.
func (n net) linear(name, x string, from, to int64) string {
	w := n.Weights(name+".weight", 0, spread(from), to, from)
	b := n.Weights(name+".bias", 0, 0.1, to)
	return n.Node("Gemm", "/"+name+"/Gemm", in(x, w, b), ob.Int("transB", 1))
}

// dense is x W + b over the last dimension of a tensor of any rank.
func (n net) dense(name, x string, from, to int64) string {
	w := n.Weights(name+".weight", 0, spread(from)/math.Sqrt2, from, to)
	b := n.Weights(name+".bias", 0, 0.1, to)
	y := n.Node("MatMul", "/"+name+"/MatMul", in(x, w))
	return n.Node("Add", "/"+name+"/Add", in(b, y))
}

// conv is a 3x3 convolution that keeps height and width, or halves them with stride 2.
func (n net) conv(name, x string, from, to, stride int64) string {
	w := n.Weights(name+".weight", 0, spread(9*from), to, from, 3, 3)
	b := n.Weights(name+".bias", 0, 0.1, to)
	return n.Node("Conv", "/"+name+"/Conv", in(x, w, b), ob.IntList("dilations", 1, 1), ob.Int("group", 1),
		ob.IntList("kernel_shape", 3, 3), ob.IntList("pads", 1, 1, 1, 1), ob.IntList("strides", stride, stride))
}

func (n net) batchNorm(name, x string, channels int64) string {
	return n.Node("BatchNormalization", "/"+name+"/BatchNormalization", in(x,
		n.Weights(name+".weight", 1, 0.2, channels), n.Weights(name+".bias", 0, 0.1, channels),
		n.Weights(name+".running_mean", 0, 0.1, channels), n.Weights(name+".running_var", 1, 0.3, channels)),
		ob.Float("epsilon", 1e-5), ob.Float("momentum", 0.9))
}

func (n net) relu(name, x string) string { return n.Node("Relu", "/"+name+"/Relu", in(x)) }

func (n net) softmax(x, out string) {
	n.NodeOut("Softmax", "/Softmax", in(x), in(out), ob.Int("axis", -1))
}

func mlp() *onnxpb.Model {
	n := net{ob.New("mlp", 17)}
	x := n.Input("image", onnxpb.Float, 1, 1, 8, 8)
	x = n.Node("Flatten", "/Flatten", in(x), ob.Int("axis", 1))
	x = n.relu("relu1", n.linear("fc1", x, 64, 64))
	x = n.relu("relu2", n.linear("fc2", x, 64, 32))
	n.softmax(n.linear("fc3", x, 32, 10), "probabilities")
	n.Output("probabilities", onnxpb.Float, 1, 10)
	return n.Model()
}

func cnn() *onnxpb.Model {
	n := net{ob.New("cnn", 17)}
	x := n.Input("image", onnxpb.Float, 1, 3, 32, 32)
	x = n.relu("relu1", n.batchNorm("bn1", n.conv("conv1", x, 3, 16, 1), 16))
	x = n.Node("MaxPool", "/maxpool/MaxPool", in(x), ob.Int("ceil_mode", 0), ob.IntList("kernel_shape", 2, 2),
		ob.IntList("pads", 0, 0, 0, 0), ob.IntList("strides", 2, 2))
	y := n.relu("block1/relu1", n.batchNorm("block1.bn1", n.conv("block1.conv1", x, 16, 16, 1), 16))
	y = n.batchNorm("block1.bn2", n.conv("block1.conv2", y, 16, 16, 1), 16)
	x = n.relu("block1/relu2", n.Node("Add", "/block1/Add", in(y, x)))
	x = n.relu("relu2", n.batchNorm("bn2", n.conv("conv2", x, 16, 32, 2), 32))
	x = n.Node("GlobalAveragePool", "/avgpool/GlobalAveragePool", in(x))
	x = n.Node("Flatten", "/Flatten", in(x), ob.Int("axis", 1))
	n.softmax(n.linear("fc", x, 32, 10), "probabilities")
	n.Output("probabilities", onnxpb.Float, 1, 10)
	return n.Model()
}

func batch() *onnxpb.Model {
	n := net{ob.New("batch", 17)}
	x := n.Input("features", onnxpb.Float, "batch", 32)
	x = n.relu("relu1", n.linear("fc1", x, 32, 48))
	y := n.relu("relu2", n.linear("fc2", x, 48, 48))
	x = n.Node("Add", "/Add", in(y, x))
	n.softmax(n.linear("fc3", x, 48, 10), "probabilities")
	n.Output("probabilities", onnxpb.Float, "batch", 10)
	return n.Model()
}
