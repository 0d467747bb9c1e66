package onnx

import (
	"math"
	"slices"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// ownNodes are node tests for operators that the published ones do not reach, with values by the text of the operator.
func ownNodes() []onnxtest.NodeCase {
	bools := func(bits ...byte) *onnxpb.Tensor {
		return &onnxpb.Tensor{Type: onnxpb.Bool, Dims: []int64{int64(len(bits))}, Data: bits}
	}
	bytes := func(t onnxpb.DataType, dims []int64, v ...byte) *onnxpb.Tensor {
		return &onnxpb.Tensor{Type: t, Dims: dims, Data: v}
	}
	floats := func(dims []int64, v ...float32) *onnxpb.Tensor {
		t := ob.Floats(dims, v...)
		return &t
	}
	inf := float32(math.Inf(1))
	return []onnxtest.NodeCase{
		// A region that is divided evenly, and one of a single column that goes beyond the image.
		ownNode("MaxRoiPool", []*onnxpb.Tensor{
			floats([]int64{1, 1, 4, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
			floats([]int64{2, 5}, 0, 0, 0, 3, 3, 0, 1.5, 0, 1.5, 9),
		}, []*onnxpb.Tensor{floats([]int64{2, 1, 2, 2}, 5, 7, 13, 15, 14, 14, 0, 0)}, ob.IntList("pooled_shape", 2, 2)),
		// A slope counts where the input is negative only.
		ownNode("PRelu", []*onnxpb.Tensor{floats([]int64{4}, 2, 0, -2, -1), floats([]int64{4}, inf, inf, -inf, 3)}, []*onnxpb.Tensor{floats([]int64{4}, 2, 0, inf, -3)}),
		ownNode("GlobalLpPool", []*onnxpb.Tensor{floats([]int64{1, 2, 2, 2}, 1, -2, 3, -4, 0, 0, 0, -5)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 1, 1}, 4.6415888, 5)}, ob.Int("p", 3)),
		ownNode("LpPool", []*onnxpb.Tensor{floats([]int64{1, 1, 5}, 1, -2, 3, -4, 5)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 3}, 3, 7, 5)}, ob.Int("p", 1), ob.Int("ceil_mode", 1), ob.IntList("kernel_shape", 2), ob.IntList("strides", 2)),
		ownNode("SimplifiedLayerNormalization", []*onnxpb.Tensor{floats([]int64{1, 2}, 3, 4), floats([]int64{2}, 1, -2)},
			[]*onnxpb.Tensor{floats([]int64{1, 2}, .8485281, -2.2627417)}, ob.Float("epsilon", 1e-9)),
		// Equal elements have equal probabilities, whatever they stand for.
		ownNode("com.microsoft.QLinearSoftmax", []*onnxpb.Tensor{bytes(onnxpb.Int8, []int64{1, 2}, 7, 7), floats(nil, .5), bytes(onnxpb.Int8, nil, 3), floats(nil, 1./256), bytes(onnxpb.Int8, nil, 0x80)},
			[]*onnxpb.Tensor{bytes(onnxpb.Int8, []int64{1, 2}, 0, 0)}, ob.Int("opset", 13)),
		// A norm of 0 leaves zeros.
		ownNode("LpNormalization", []*onnxpb.Tensor{floats([]int64{2, 2}, 0, 0, 3, -4)}, []*onnxpb.Tensor{floats([]int64{2, 2}, 0, 0, .6, -.8)}),
		ownNode("CumProd", []*onnxpb.Tensor{floats([]int64{2, 3}, 1, 2, 3, 4, 5, 6), ptr(ob.Ints(nil, 1))},
			[]*onnxpb.Tensor{floats([]int64{2, 3}, 6, 3, 1, 30, 6, 1)}, ob.Int("exclusive", 1), ob.Int("reverse", 1)),
		// A signal that is too short for the transform, and one that is too long, whose axis is the first.
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{1, 3, 1}, 1, 2, 3), ptr(ob.Ints(nil, 4))},
			[]*onnxpb.Tensor{floats([]int64{1, 3, 2}, 6, 0, -2, -2, 2, 0)}, ob.Int("onesided", 1)),
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{3, 1, 2}, 1, 2, 3, 4, 5, 6), ptr(ob.Ints(nil, 2))},
			[]*onnxpb.Tensor{floats([]int64{2, 1, 2}, 4, 6, -2, -2)}, ob.Int("axis", 0)),
		// Real signals of half of their bins: of odd length, of even length with parts that no real signal has, and of fewer bins and more.
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{1, 2, 2}, 6, 0, -1.5, .8660254), ptr(ob.Ints(nil, 3))},
			[]*onnxpb.Tensor{floats([]int64{1, 3, 1}, 1, 2, 3)}, ob.Int("inverse", 1), ob.Int("onesided", 1)),
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{1, 3, 2}, 10, 7, -2, 2, -2, 9)},
			[]*onnxpb.Tensor{floats([]int64{1, 4, 1}, 1, 2, 3, 4)}, ob.Int("inverse", 1), ob.Int("onesided", 1)),
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{1, 1, 2}, 8, 0), ptr(ob.Ints(nil, 4))},
			[]*onnxpb.Tensor{floats([]int64{1, 4, 1}, 2, 2, 2, 2)}, ob.Int("inverse", 1), ob.Int("onesided", 1)),
		ownNode("DFT", []*onnxpb.Tensor{floats([]int64{1, 3, 2}, 3, 0, 1, 0, 5, 0), ptr(ob.Ints(nil, 2))},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 1}, 2, 1)}, ob.Int("inverse", 1), ob.Int("onesided", 1)),
		// Frames of a window of two, at every third element.
		ownNode("STFT", []*onnxpb.Tensor{floats([]int64{1, 5, 1}, 1, 2, 3, 4, 5), ptr(ob.Ints(nil, 3)), floats([]int64{2}, 1, 10)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 2, 2}, 21, 0, -19, 0, 54, 0, -46, 0)}),
		ownNode("NegativeLogLikelihoodLoss", []*onnxpb.Tensor{floats([]int64{2, 3}, -1, -2, -3, -4, -5, -6), ptr(ob.Ints([]int64{2}, 2, 0)), floats([]int64{3}, 1, 2, 3)},
			[]*onnxpb.Tensor{floats([]int64{}, 3.25)}),
		ownNode("NegativeLogLikelihoodLoss", []*onnxpb.Tensor{floats([]int64{1, 2, 2}, -1, -2, -3, -4), ptr(ob.Ints([]int64{1, 2}, 1, 0))},
			[]*onnxpb.Tensor{floats([]int64{1, 2}, 3, 0)}, ob.Str("reduction", "none"), ob.Int("ignore_index", 0)),
		ownNode("SoftmaxCrossEntropyLoss", []*onnxpb.Tensor{floats([]int64{2, 2}, 1, 1, -3, -3), ptr(ob.Ints([]int64{2}, 1, 0))},
			[]*onnxpb.Tensor{floats([]int64{}, 1.3862944), floats([]int64{2, 2}, -.6931472, -.6931472, -.6931472, -.6931472)}, ob.Str("reduction", "sum")),
		ownNode("MaxPool", []*onnxpb.Tensor{floats([]int64{1, 2, 5}, 1, 3, 2, 5, 4, 5, 4, 3, 2, 1)},
			[]*onnxpb.Tensor{floats([]int64{1, 2, 3}, 1, 3, 5, 5, 4, 2), ptr(ob.Ints([]int64{1, 2, 3}, 0, 1, 3, 5, 6, 8))},
			ob.IntList("kernel_shape", 2), ob.IntList("strides", 2), ob.IntList("pads", 1, 0)),
		// Queries of zeros give the mean of the values that they see: of two keys to the left and one to the right, and of none to the right.
		ownNodeIn(25, "Attention", []*onnxpb.Tensor{floats([]int64{1, 1, 4, 1}, 0, 0, 0, 0), floats([]int64{1, 1, 6, 1}, 5, 4, 3, 2, 1, 0), floats([]int64{1, 1, 6, 1}, 0, 1, 2, 3, 4, 5)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 4, 1}, .5, 1, 1.5, 2.5)}, ob.Int("left_window_size", 2), ob.Int("right_window_size", 1)),
		ownNodeIn(25, "Attention", []*onnxpb.Tensor{floats([]int64{1, 1, 4, 1}, 0, 0, 0, 0), floats([]int64{1, 1, 6, 1}, 5, 4, 3, 2, 1, 0), floats([]int64{1, 1, 6, 1}, 0, 1, 2, 3, 4, 5)},
			[]*onnxpb.Tensor{floats([]int64{1, 1, 4, 1}, 0, .5, 1.5, 2.5)}, ob.Int("left_window_size", 1), ob.Int("is_causal", 1)),
		// Blocks of two, of which the last has one element.
		ownNodeIn(21, "DequantizeLinear", []*onnxpb.Tensor{bytes(onnxpb.Uint8, []int64{1, 3}, 1, 2, 3), floats([]int64{1, 2}, .5, 2), bytes(onnxpb.Uint8, []int64{1, 2}, 0, 1)},
			[]*onnxpb.Tensor{floats([]int64{1, 3}, .5, 1, 4)}, ob.Int("block_size", 2)),
		ownNodeIn(21, "DequantizeLinear", []*onnxpb.Tensor{bytes(onnxpb.Int8, []int64{2, 2}, 1, 2, 3, 0xfc), floats([]int64{1, 2}, .5, 2)},
			[]*onnxpb.Tensor{floats([]int64{2, 2}, .5, 4, 1.5, -8)}, ob.Int("block_size", 2), ob.Int("axis", 0)),
		ownNodeIn(21, "QuantizeLinear", []*onnxpb.Tensor{floats([]int64{3}, 1, -300, 5), floats([]int64{2}, .5, 2), bytes(onnxpb.Int8, []int64{2}, 1, 2)},
			[]*onnxpb.Tensor{bytes(onnxpb.Int8, []int64{3}, 3, 0x80, 4)}, ob.Int("block_size", 2), ob.Int("axis", 0)),
		// In training the statistics are those of the input, and the stored ones move half way towards them.
		ownNode("BatchNormalization", []*onnxpb.Tensor{
			floats([]int64{2, 2, 1, 2}, 1, 2, 3, 4, 5, 6, 7, 8), floats([]int64{2}, 1, 2), floats([]int64{2}, 0, 1), floats([]int64{2}, 1, 2), floats([]int64{2}, 1, 1),
		}, []*onnxpb.Tensor{
			floats([]int64{2, 2, 1, 2}, -.8333333, -.5, -.6666667, 0, .5, .8333333, 2, 2.6666667), floats([]int64{2}, 2.25, 3.75), floats([]int64{2}, 2.625, 2.625),
		}, ob.Int("training_mode", 1), ob.Float("momentum", .5), ob.Float("epsilon", 4.75)),
		// The last n-gram is there with an element in between, and two columns are no n-gram's.
		ownNode("TfIdfVectorizer", []*onnxpb.Tensor{ptr(ob.Ints([]int64{1, 4}, 1, 2, 3, 1))}, []*onnxpb.Tensor{floats([]int64{1, 6}, 2, 3, 0, 1, 0, 4)},
			ob.Str("mode", "TFIDF"), ob.Int("min_gram_length", 1), ob.Int("max_gram_length", 2), ob.Int("max_skip_count", 1), ob.IntList("ngram_counts", 0, 2),
			ob.IntList("ngram_indexes", 3, 0, 1, 5), ob.IntList("pool_int64s", 1, 3, 1, 2, 1, 3), ob.FloatList("weights", .5, 2, 3, 4)),
		ownNode("TfIdfVectorizer", []*onnxpb.Tensor{ptr(ob.Ints([]int64{3}, 7, 7, 7))}, []*onnxpb.Tensor{floats([]int64{2}, 0, 3)},
			ob.Str("mode", "TF"), ob.Int("max_gram_length", 4), ob.Int("max_skip_count", 0), ob.IntList("ngram_counts", 0, 1, 1, 1), ob.IntList("ngram_indexes", 1, 0), ob.IntList("pool_int64s", 7, 7, 7, 7, 7)),
		// Optimizers of one tensor or two, in the first step and later.
		ownNode("ai.onnx.preview.training.Adagrad", []*onnxpb.Tensor{
			floats(nil, .5), ptr(ob.Ints(nil, 3)), floats([]int64{2}, 1, -2), floats([]int64{1}, 3), floats([]int64{2}, .5, .25), floats([]int64{1}, -1), floats([]int64{2}, 2, 1), floats([]int64{1}, 0),
		}, []*onnxpb.Tensor{floats([]int64{2}, .93040726, -2), floats([]int64{1}, 3.14285714), floats([]int64{2}, 2.390625, 1), floats([]int64{1}, .390625)},
			ob.Float("decay_factor", .5), ob.Float("norm_coefficient", .125), ob.Float("epsilon", .25)),
		ownNode("ai.onnx.preview.training.Adam", []*onnxpb.Tensor{
			floats(nil, .5), ptr(ob.Ints(nil, 2)), floats([]int64{2}, 1, -2), floats([]int64{2}, .5, .25), floats([]int64{2}, 1, 2), floats([]int64{2}, 2, 1),
		}, []*onnxpb.Tensor{floats([]int64{2}, .53973613, -1.67315426), floats([]int64{2}, 1, .625), floats([]int64{2}, 1.75, .890625)},
			ob.Float("alpha", .5), ob.Float("beta", .75), ob.Float("norm_coefficient", .5), ob.Float("norm_coefficient_post", .25), ob.Float("epsilon", .25)),
		ownNode("ai.onnx.preview.training.Adam", []*onnxpb.Tensor{
			floats(nil, .5), ptr(ob.Ints(nil, 0)), floats([]int64{2}, 1, -2), floats([]int64{2}, .5, .25), floats([]int64{2}, 1, 2), floats([]int64{2}, 2, 1),
		}, []*onnxpb.Tensor{floats([]int64{2}, .51158318, -1.69633848), floats([]int64{2}, 1, .625), floats([]int64{2}, 1.75, .890625)},
			ob.Float("alpha", .5), ob.Float("beta", .75), ob.Float("norm_coefficient", .5), ob.Float("norm_coefficient_post", .25), ob.Float("epsilon", .25)),
		ownNode("ai.onnx.preview.training.Momentum", []*onnxpb.Tensor{
			floats([]int64{1}, .5), ptr(ob.Ints(nil, 0)), floats([]int64{1}, 1), floats([]int64{1}, -2), floats([]int64{1}, .5), floats([]int64{1}, .25), floats([]int64{1}, 2), floats([]int64{1}, 1),
		}, []*onnxpb.Tensor{floats([]int64{1}, 0), floats([]int64{1}, -1.875), floats([]int64{1}, 2), floats([]int64{1}, -.25)},
			ob.Float("alpha", .5), ob.Float("beta", .25), ob.Float("norm_coefficient", .5), ob.Str("mode", "standard")),
		ownNode("ai.onnx.preview.training.Momentum", []*onnxpb.Tensor{
			floats(nil, .5), ptr(ob.Ints([]int64{1}, 1)), floats([]int64{2}, 1, -2), floats([]int64{2}, .5, .25), floats([]int64{2}, 2, 1),
		}, []*onnxpb.Tensor{floats([]int64{2}, .1875, -1.703125), floats([]int64{2}, 1.25, .3125)},
			ob.Float("alpha", .5), ob.Float("beta", .25), ob.Float("norm_coefficient", .5), ob.Str("mode", "nesterov")),
		ownNode("Not", []*onnxpb.Tensor{bools(0, 1, 1)}, []*onnxpb.Tensor{bools(1, 0, 0)}),
	}
}

func ptr(t onnxpb.Tensor) *onnxpb.Tensor { return &t }

// ownNode is a test of one operator on inputs with known results.
func ownNode(op string, inputs, outputs []*onnxpb.Tensor, attrs ...onnxpb.Attribute) onnxtest.NodeCase {
	return ownNodeIn(17, op, inputs, outputs, attrs...)
}

// ownNodeIn is one in an operator set.
func ownNodeIn(opset int64, op string, inputs, outputs []*onnxpb.Tensor, attrs ...onnxpb.Attribute) onnxtest.NodeCase {
	b := ob.New("own_"+op, opset)
	dims := func(t *onnxpb.Tensor) (out []any) {
		for _, d := range t.Dims {
			out = append(out, int(d))
		}
		return out
	}
	var ins, outs []string
	for i, x := range inputs {
		ins = append(ins, b.Input(string(rune('a'+i)), x.Type, dims(x)...))
	}
	for i := range outputs {
		outs = append(outs, string(rune('p'+i)))
	}
	b.NodeOut(op, "node", ins, outs, attrs...)
	for i, y := range outputs {
		b.Output(outs[i], y.Type, dims(y)...)
	}
	return onnxtest.NodeCase{Name: "own_" + op, Op: op, Model: b.Bytes(), Sets: []onnxtest.Set{{Inputs: inputs, Outputs: outputs}}}
}

// TestOwnNodes runs them where the published tests are absent.
func TestOwnNodes(t *testing.T) {
	own := slices.Concat(ownNodes(), ownOld(), ownSequences(), ownRandom())
	s := runSuite(t, own)
	for _, c := range own {
		if s.valued[c.Op] == 0 {
			t.Errorf("the values of %s were not compared", c.Name)
		}
	}
}

// TestARowWithoutValuesIsFound seeds rows: one that no test has, one whose tests hold nothing to compare, and one whose values the
// evaluator cannot read.
func TestARowWithoutValuesIsFound(t *testing.T) {
	none := &onnxpb.Tensor{Type: onnxpb.Float, Dims: []int64{0}}
	half := &onnxpb.Tensor{Type: onnxpb.Float16, Dims: []int64{1}, Data: []byte{0, 0x3c}}
	s := runSuite(t, append(ownNodes(),
		ownNode("Relu", []*onnxpb.Tensor{none}, []*onnxpb.Tensor{none}),
		ownNode("Neg", []*onnxpb.Tensor{half}, []*onnxpb.Tensor{half}),
	))
	if s.imported != len(ownNodes())+2 {
		t.Errorf("%d tests were imported", s.imported)
	}
	table := map[string]*operator{"Not": tables()[""]["Not"], "Relu": tables()[""]["Relu"], "Neg": tables()[""]["Neg"], "Seeded": {name: "Seeded"}}
	if got := s.withoutValues(table); !slices.Equal(got, []string{"Neg", "Relu", "Seeded"}) {
		t.Errorf("the rows without values are %v", got)
	}
}
