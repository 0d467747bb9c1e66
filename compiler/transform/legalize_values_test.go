package transform_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// given makes a tensor of a text like "2 3 float16: 1 2 3 4 5 6"; float32 is left out.
func given(text string) *tensor.Tensor {
	head, list, _ := strings.Cut(text, ":")
	d := dtype.Float32T
	var shape []int64
	for _, w := range strings.Fields(head) {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			shape = append(shape, n)
		} else {
			d = dtype.MustParse(w)
		}
	}
	out := tensor.MustNew(d, shape...)
	for i, w := range strings.Fields(list) {
		out.SetFloat(i, must(strconv.ParseFloat(w, 64)))
	}
	return out
}

// TestOperatorsByValues lowers calls of operators on tensors x, y, ... and compares what the kernels make: results of a tuple
// follow one another. A semicolon ends a statement.
func TestOperatorsByValues(t *testing.T) {
	const x, cube = "2 3: 0 1 2 3 4 5", "2 2 2: 0 1 2 3 4 5 6 7"
	e := math.E
	byValues(t, []valueCase{
		{"R.negative(x)", []string{x}, []float64{0, -1, -2, -3, -4, -5}},
		{"R.nn.relu(x)", []string{"3: -1 0 2"}, []float64{0, 0, 2}},
		{"R.subtract(x, y)", []string{x, "3: 1 1 2"}, []float64{-1, 0, 0, 2, 3, 3}},
		{"R.subtract(x, R.const(2.0, \"float32\"))", []string{x}, []float64{-2, -1, 0, 1, 2, 3}},
		{"R.subtract(R.const(2.0, \"float32\"), x)", []string{x}, []float64{2, 1, 0, -1, -2, -3}},
		{"R.less(x, y)", []string{"2: 1 2", "2: 2 1"}, []float64{1, 0}},

		{"R.sum(x)", []string{x}, []float64{15}},
		{"R.quantize(x, y, z, axis=0, out_dtype=\"int8\")", []string{"2 2: 1 -3 400 -400", "2: 2 1", "2 int8: 1 0"}, []float64{2, -1, 127, -128}},
		{"R.dequantize(x, y, z, axis=-1)", []string{"2 2 int8: 1 2 3 4", "2: 2 0.5", "2 int8: 1 0"}, []float64{0, 1, 4, 2}},
		{"R.nn.nll_loss(x, y, reduction=\"none\")", []string{"2 2: -1 -2 -3 -4", "2 int64: 1 0"}, []float64{2, 3}},
		{"R.nn.nll_loss(x, y, z)", []string{"2 2: -1 -2 -3 -4", "2 int64: 1 0", "2: 3 1"}, []float64{(2 + 9) / 4.0}},
		{"R.nn.nll_loss(x, y, z, reduction=\"sum\")", []string{"2 2: -1 -2 -3 -4", "2 int64: 1 0", "2: 3 1"}, []float64{2 + 9}},
		{"R.grad.nll_loss_backward(x, y, z, u, reduction=\"sum\")", []string{": 2", "2 2: -1 -2 -3 -4", "2 int64: 1 0", "2: 3 1"}, []float64{0, -2, -6, 0}},
		{"R.nn.cross_entropy_with_logits(x, y)", []string{"2 2: 1 2 3 4", "2 2: 1 0 0 1"}, []float64{-2.5}},
		{"R.sum(x, axis=[-1])", []string{x}, []float64{3, 12}},
		{"R.max(x, axis=[0], keepdims=True)", []string{x}, []float64{3, 4, 5}},
		{"R.mean(x, axis=[0])", []string{x}, []float64{1.5, 2.5, 3.5}},
		{"R.argmax(x)", []string{"2 2: 1 4 5 2"}, []float64{2}},
		{"R.argmin(x)", []string{"2 2: 3 4 1 2"}, []float64{2}},
		{"R.argmax(x, axis=-1)", []string{"2 3: 1 4 2 5 2 6"}, []float64{1, 2}},
		{"R.argmin(x, axis=0)", []string{"2 3: 1 4 2 5 2 6"}, []float64{0, 1, 0}},
		{"R.argmax(x, axis=1, keepdims=True)", []string{"2 3: 1 4 2 5 2 6"}, []float64{1, 2}},
		{"R.cumsum(x)", []string{x}, []float64{0, 1, 3, 6, 10, 15}},
		{"R.cumsum(x, axis=0)", []string{x}, []float64{0, 1, 2, 3, 5, 7}},
		{"R.cumsum(x, axis=-1, exclusive=True)", []string{x}, []float64{0, 0, 1, 0, 3, 7}},
		{"R.cumprod(x, axis=1)", []string{"2 2: 2 3 4 5"}, []float64{2, 6, 4, 20}},
		{"R.cumprod(x, axis=0, exclusive=True)", []string{"2 2: 2 3 4 5"}, []float64{1, 1, 2, 3}},
		{"R.cumsum(x, axis=0, dtype=\"int32\")", []string{"3: 1 2 3"}, []float64{1, 3, 6}},

		{"R.reshape(x, R.shape([3, 2]))", []string{x}, []float64{0, 1, 2, 3, 4, 5}},
		{"R.permute_dims(x)", []string{x}, []float64{0, 3, 1, 4, 2, 5}},
		{"R.permute_dims(x, axes=[-1, 0, 1])", []string{cube}, []float64{0, 2, 4, 6, 1, 3, 5, 7}},
		{"R.permute_dims(x, axes=[0, 2, 1])", []string{cube}, []float64{0, 2, 1, 3, 4, 6, 5, 7}},
		{"R.add(R.expand_dims(x, axis=[-1, 0]), y)", []string{"2: 1 2", "1 1 2: 10 20"}, []float64{11, 21, 12, 22}},
		{"R.add(R.expand_dims(x, axis=1), y)", []string{"2: 1 2", "1 2: 10 20"}, []float64{11, 21, 12, 22}},
		{"R.add(R.squeeze(x), y)", []string{"1 2 1: 1 2", "2 1: 10 20"}, []float64{11, 12, 21, 22}},
		{"R.add(R.squeeze(x, axis=[-1]), y)", []string{"1 2 1: 1 2", "2 1: 10 20"}, []float64{11, 12, 21, 22}},
		{"R.broadcast_to(x, R.shape([2, 2]))", []string{"2 1: 1 2"}, []float64{1, 1, 2, 2}},
		{"R.concat((x, y), axis=-1)", []string{"2 1: 1 2", "2 2: 3 4 5 6"}, []float64{1, 3, 4, 2, 5, 6}},
		{"R.concat((x, x, y), axis=0)", []string{"1 2: 1 2", "1 2: 3 4"}, []float64{1, 2, 1, 2, 3, 4}},
		{"R.stack((x, y), axis=-1)", []string{"2: 1 2", "2: 3 4"}, []float64{1, 3, 2, 4}},
		{"R.stack((x, y), axis=0)", []string{"2: 1 2", "2: 3 4"}, []float64{1, 2, 3, 4}},
		{"R.split(x, 3, axis=-1)", []string{x}, []float64{0, 3, 1, 4, 2, 5}},
		{"R.split(x, [1], axis=1)", []string{x}, []float64{0, 3, 1, 2, 4, 5}},
		{"R.split(x, [1, 2], axis=0)", []string{"4: 1 2 3 4"}, []float64{1, 2, 3, 4}},
		{"R.repeat(x, repeats=2)", []string{"2 2: 1 2 3 4"}, []float64{1, 1, 2, 2, 3, 3, 4, 4}},
		{"R.repeat(x, repeats=2, axis=0)", []string{"2 2: 1 2 3 4"}, []float64{1, 2, 1, 2, 3, 4, 3, 4}},
		{"R.repeat(x, repeats=2, axis=-1)", []string{"2 2: 1 2 3 4"}, []float64{1, 1, 2, 2, 3, 3, 4, 4}},
		{"R.tile(x, repeats=[2, 1])", []string{"1 2: 1 2"}, []float64{1, 2, 1, 2}},
		{"R.tile(x, repeats=[1, 2])", []string{"1 2: 1 2"}, []float64{1, 2, 1, 2}},
		{"R.flip(x, axis=0)", []string{x}, []float64{3, 4, 5, 0, 1, 2}},
		{"R.flip(x, axis=-1)", []string{x}, []float64{2, 1, 0, 5, 4, 3}},
		{"R.strided_slice(x, axes=[1], begin=[1], end=[3])", []string{x}, []float64{1, 2, 4, 5}},
		{"R.strided_slice(x, axes=[-1], begin=[2], end=[-5], strides=[-2])", []string{x}, []float64{2, 0, 5, 3}},
		{"R.strided_slice(x, axes=[0, 1], begin=[1, 0], end=[2, 3], strides=[1, 2])", []string{x}, []float64{3, 5}},
		{"R.nn.pixel_shuffle(x, upscale_factor=2)", []string{"1 4 1 1: 1 2 3 4"}, []float64{1, 2, 3, 4}},
		{"R.nn.pad(x, pad_width=[1, 2], pad_mode=\"reflect\")", []string{"3: 1 2 3"}, []float64{2, 1, 2, 3, 2, 1}},
		{"R.layout_transform(x, index_map=T.index_map(lambda i: (i % 2, i // 2)))", []string{"4: 1 2 3 4"}, []float64{1, 3, 2, 4}},
		{"R.layout_transform(x, index_map=T.index_map(lambda i: (i // 2, i % 2)), pad_value=T.float32(7))", []string{"3: 1 2 3"}, []float64{1, 2, 3, 7}},
		{"R.nn.batch_flatten(x)", []string{cube}, []float64{0, 1, 2, 3, 4, 5, 6, 7}},

		{"R.where(x, y, z)", []string{"2 bool: 1 0", "2: 1 2", "2: 3 4"}, []float64{1, 4}},
		{"R.where(x, y, R.const(9.0, \"float32\"))", []string{"2 bool: 1 0", "2: 1 2"}, []float64{1, 9}},
		{"R.take(x, y, axis=1)", []string{x, "2 int64: 2 0"}, []float64{2, 0, 5, 3}},
		{"R.take(x, y, axis=-2)", []string{x, "2 int64: 1 0"}, []float64{3, 4, 5, 0, 1, 2}},
		{"R.take(x, R.prim_value(1), axis=-1)", []string{x}, []float64{1, 4}},
		{"R.take(x, R.prim_value(1), axis=0)", []string{x}, []float64{3, 4, 5}},
		{"R.take(x, R.prim_value(1), axis=1)", []string{cube}, []float64{2, 3, 6, 7}},
		{"R.take(x, y, axis=0, mode=\"clip\")", []string{"2: 5 6", "3 int64: -3 1 9"}, []float64{5, 6, 6}},
		{"R.take(x, y, axis=0, mode=\"wrap\")", []string{"2: 5 6", "3 int64: -1 0 2"}, []float64{6, 5, 5}},
		{"R.gather_elements(x, y, axis=1)", []string{"2 2: 1 2 3 4", "2 2 int64: 0 0 1 0"}, []float64{1, 1, 4, 3}},
		{"R.gather_elements(x, y, axis=-2)", []string{"2 2: 1 2 3 4", "2 2 int64: 0 0 1 0"}, []float64{1, 2, 3, 2}},
		{"R.gather_nd(x, y)", []string{"2 2: 1 2 3 4", "2 2 int64: 0 1 1 0"}, []float64{2, 3}},
		{"R.gather_nd(x, y, batch_dims=1)", []string{"2 2: 1 2 3 4", "2 1 int64: 1 0"}, []float64{2, 3}},
		{"R.scatter_elements(x, y, z, axis=0)", []string{"3: 0 0 0", "2 int64: 2 1", "2: 5 6"}, []float64{0, 6, 5}},
		{"R.scatter_elements(x, y, z, axis=-1, reduction=\"add\")", []string{"3: 1 1 1", "2 int64: 2 2", "2: 5 6"}, []float64{1, 1, 12}},
		{"R.scatter_nd(x, y, z)", []string{"3: 1 1 1", "2 1 int64: 0 2", "2: 5 6"}, []float64{5, 1, 6}},
		{"R.scatter_nd(x, y, z, reduction=\"mul\")", []string{"3: 1 2 3", "2 1 int64: 0 2", "2: 5 6"}, []float64{5, 2, 18}},
		{"R.one_hot(x, R.prim_value(T.float32(8)), R.prim_value(T.float32(9)), depth=3)", []string{"2 int64: 2 0"}, []float64{9, 9, 8, 8, 9, 9}},
		{"R.one_hot(x, R.prim_value(T.float32(8)), R.prim_value(T.float32(9)), depth=3, axis=0)", []string{"2 int64: 2 0"}, []float64{9, 8, 9, 9, 8, 9}},
		{"R.sort(x)", []string{"2 2: 4 3 1 2"}, []float64{3, 4, 1, 2}},
		{"R.sort(x, axis=0, descending=True)", []string{"2 2: 1 3 4 2"}, []float64{4, 3, 1, 2}},
		{"R.argsort(x)", []string{"3: 5 3 4"}, []float64{1, 2, 0}},
		{"R.argsort(x, axis=0, descending=True, dtype=\"int64\")", []string{"3: 5 3 4"}, []float64{0, 2, 1}},
		{"R.topk(x, k=2)", []string{"3: 5 3 4"}, []float64{5, 4, 0, 2}},
		{"R.topk(x, k=2, largest=False, ret_type=\"values\")", []string{"3: 5 3 4"}, []float64{3, 4}},
		{"R.topk(x, k=1, axis=0, ret_type=\"indices\", dtype=\"int64\")", []string{"2 2: 5 3 4 6"}, []float64{0, 1}},

		{"R.ones(R.shape([2]), \"float32\")", nil, []float64{1, 1}},
		{"R.zeros(R.shape([2]), \"int32\")", nil, []float64{0, 0}},
		{"R.ones_like(x)", []string{"2: 5 6"}, []float64{1, 1}},
		{"R.zeros_like(x)", []string{"2: 5 6"}, []float64{0, 0}},
		{"R.full(R.shape([2]), R.const(3.0, \"float32\"))", nil, []float64{3, 3}},
		{"R.full(R.shape([2]), x)", []string{": 4"}, []float64{4, 4}},
		{"R.full_like(x, R.const(3.0, \"float32\"))", []string{"2: 5 6"}, []float64{3, 3}},
		{"R.size(x)", []string{x}, []float64{6}},
		{"R.arange(R.prim_value(2), R.prim_value(9), R.prim_value(3), \"int64\")", nil, []float64{2, 5, 8}},
		{"R.eye(R.prim_value(2), R.prim_value(3), R.prim_value(1), \"float32\")", nil, []float64{0, 1, 0, 0, 0, 1}},
		{"R.eye_like(x, R.prim_value(-1))", []string{"2 2: 5 6 7 8"}, []float64{0, 0, 1, 0}},
		{"R.tril(x, R.prim_value(0))", []string{"2 2: 1 2 3 4"}, []float64{1, 0, 3, 4}},
		{"R.triu(x, R.prim_value(1))", []string{"2 2: 1 2 3 4"}, []float64{0, 2, 0, 0}},
		{"R.astype(x, \"int32\")", []string{"2: 1.5 2.5"}, []float64{1, 2}},

		{"R.matmul(x, y)", []string{"2 2: 1 2 3 4", "2 2: 1 0 1 1"}, []float64{3, 2, 7, 4}},
		{"R.matmul(R.permute_dims(x), y)", []string{"2 2: 1 2 3 4", "2 2: 1 0 1 1"}, []float64{4, 3, 6, 4}},
		{"R.matmul(x, R.permute_dims(y))", []string{"2 2: 1 2 3 4", "2 2: 1 0 1 1"}, []float64{1, 3, 3, 7}},
		{"R.einsum((x, y), subscripts=\"ij,j->i\")", []string{x, "3: 1 2 3"}, []float64{8, 26}},
		{"R.outer(x, y)", []string{"2: 1 2", "3: 1 2 3"}, []float64{1, 2, 3, 2, 4, 6}},
		{"R.ewise_fma(x, y, z)", []string{"2: 1 2", "2: 3 4", "2: 5 6"}, []float64{8, 14}},
		{"R.clip(x, R.prim_value(1), R.prim_value(4))", []string{x}, []float64{1, 1, 2, 3, 4, 4}},
		{"R.nn.leakyrelu(x, alpha=0.5)", []string{"2: -2 2"}, []float64{-1, 2}},
		{"R.nn.prelu(x, y, axis=-1)", []string{"2 2: -1 -1 1 1", "2: 2 3"}, []float64{-2, -3, 1, 1}},
		{"R.nn.prelu(x, y, axis=0)", []string{"2 2: -1 1 -1 1", "2: 2 3"}, []float64{-2, 1, -3, 1}},
		{"R.nn.softplus(x, beta=2.0, threshold=4.0)", []string{"2: 1 3"}, []float64{math.Log(1+math.Exp(2)) / 2, 3}},
		{"R.nn.softmax(x, axis=0)", []string{"2 2: 0 1 0 0"}, []float64{0.5, e / (1 + e), 0.5, 1 / (1 + e)}},
		{"R.nn.softmax(x, axis=-1)", []string{"2 2: 0 1 0 0"}, []float64{1 / (1 + e), e / (1 + e), 0.5, 0.5}},
		{"R.nn.log_softmax(x, axis=0)", []string{"2 2: 0 1 0 0"}, []float64{-math.Ln2, 1 - math.Log(1+e), -math.Ln2, -math.Log(1 + e)}},
		{"R.nn.dropout(x, rate=0.5)", []string{"2: 3 4"}, []float64{3, 4, 1, 1}},
		{"R.nn.layer_norm(x, y, z, axes=[-1], epsilon=3.0)", []string{"2 2: 1 3 2 6", "2: 1 2", "2: 0 1"}, []float64{-0.5, 2, -2 / math.Sqrt(7), 4/math.Sqrt(7) + 1}},
		{"R.nn.layer_norm(x, y, z, axes=[-1], epsilon=3.0, center=False)", []string{"1 2: 1 3", "2: 1 2", "2: 0 1"}, []float64{-0.5, 1}},
		{"R.nn.layer_norm(x, y, z, axes=[-1], epsilon=3.0, scale=False)", []string{"1 2: 1 3", "2: 1 2", "2: 0 1"}, []float64{-0.5, 1.5}},
		{"R.nn.instance_norm(x, y, z, channel_axis=1, axes=[2], epsilon=3.0)", []string{"1 2 2: 1 3 1 3", "2: 1 2", "2: 0 1"}, []float64{-0.5, 0.5, 0, 2}},
		{"R.nn.group_norm(x, y, z, num_groups=1, channel_axis=1, axes=[2], epsilon=3.0)", []string{"1 2 2: 1 3 1 3", "2: 1 2", "2: 0 1"}, []float64{-0.5, 0.5, 0, 2}},
		{"R.nn.rms_norm(x, y, axes=[-1], epsilon=3.0)", []string{"1 2: 1 1", "2: 1 2"}, []float64{0.5, 1}},
		{"R.nn.batch_norm(x, y, z, u, v, axis=1, epsilon=3.0, training=False)", []string{"1 2 1: 5 6", "2: 1 2", "2: 0 1", "2: 1 2", "2: 1 1"}, []float64{2, 5, 1, 2, 1, 1}},
		{"R.nn.batch_norm(x, y, z, u, v, axis=-2, epsilon=3.0, momentum=0.5)", []string{"1 2 2: 5 7 6 8", "2: 1 2", "2: 0 1", "2: 2 3", "2: 2 1"}, []float64{-0.5, 0.5, 0, 2, 4, 5, 1.5, 1}},
		{"R.nn.batch_norm(x, y, z, u, v, axis=1, epsilon=3.0, training=False, center=False, scale=False)", []string{"1 2 1: 5 6", "2: 1 2", "2: 0 1", "2: 1 2", "2: 1 1"}, []float64{2, 2, 1, 2, 1, 1}},

		{"R.nn.conv1d(x, y, strides=[2], padding=[1, 1])", []string{"1 1 4: 1 2 3 4", "1 1 3: 1 1 1"}, []float64{3, 9}},
		{"R.nn.conv1d(x, y, padding=[1, 0], dilation=[2])", []string{"1 1 4: 1 2 3 4", "1 1 2: 1 10"}, []float64{20, 31, 42}},
		{"R.nn.conv1d(x, y, groups=2)", []string{"1 2 1: 1 2", "2 1 1: 3 4"}, []float64{3, 8}},
		{"R.nn.conv2d(x, y, data_layout=\"NHWC\", kernel_layout=\"HWIO\")", []string{"1 1 2 2: 1 2 3 4", "1 1 2 1: 1 10"}, []float64{21, 43}},
		{"R.nn.conv1d_transpose(x, y, strides=[2], output_padding=[1])", []string{"1 1 2: 1 2", "1 1 1: 3"}, []float64{3, 0, 6, 0}},
		{"R.nn.max_pool1d(x, pool_size=[2], strides=[2])", []string{"1 1 4: 1 2 4 3"}, []float64{2, 4}},
		{"R.nn.max_pool1d(x, pool_size=[2], dilation=[2])", []string{"1 1 4: 1 2 4 3"}, []float64{4, 3}},
		{"R.nn.max_pool1d(x, pool_size=[2], strides=[2], ceil_mode=True)", []string{"1 1 3: 1 2 4"}, []float64{2, 4}},
		{"R.nn.avg_pool1d(x, pool_size=[2], strides=[2], padding=[1, 1])", []string{"1 1 2: 2 4"}, []float64{2, 4}},
		{"R.nn.avg_pool1d(x, pool_size=[2], strides=[2], padding=[1, 1], count_include_pad=True)", []string{"1 1 2: 2 4"}, []float64{1, 2}},
		{"R.nn.avg_pool2d(x, pool_size=[1, 2], layout=\"NHWC\")", []string{"1 1 2 1: 2 4"}, []float64{3}},
		{"R.nn.adaptive_avg_pool1d(x, output_size=[2])", []string{"1 1 4: 1 3 5 7"}, []float64{2, 6}},
		{"R.nn.adaptive_avg_pool2d(x, output_size=[1, 2], layout=\"NHWC\")", []string{"1 2 2 1: 1 3 5 7"}, []float64{3, 5}},
		{"R.image.resize2d(x, R.shape([1, 4]), method=\"nearest_neighbor\", coordinate_transformation_mode=\"asymmetric\", rounding_method=\"floor\")", []string{"1 1 1 2: 1 2"}, []float64{1, 1, 2, 2}},
		{"R.image.resize2d(x, R.shape([4, 1]), layout=\"NHWC\", coordinate_transformation_mode=\"align_corners\")", []string{"1 2 1 1: 0 3"}, []float64{0, 1, 2, 3}},

		{"R.image.resize2d(x, R.shape([1, 2]), roi=[0.0, 0.0, 1.0, 3.0], method=\"linear\", coordinate_transformation_mode=\"tf_crop_and_resize\", extrapolation_value=9.0)", []string{"1 1 1 2: 1 2"}, []float64{1, 9}},
		{"R.image.resize2d(x, R.shape([1, 1]), method=\"cubic\", cubic_alpha=-0.5)", []string{"1 1 1 4: 0 0 16 0"}, []float64{9}},

		// Arguments by the names that they are bound to.
		{"s = R.shape([3, 2]); r = s; R.add(R.reshape(x, r), y)", []string{x, "3 1: 10 20 30"}, []float64{10, 11, 22, 23, 34, 35}},
		{"s = (x, y); r = s; R.concat(r, axis=0)", []string{"1: 1", "2: 2 3"}, []float64{1, 2, 3}},
		{"s = R.split(x, 2, axis=0); R.concat((s[1], s[0]), axis=0)", []string{"4: 1 2 3 4"}, []float64{3, 4, 1, 2}},
		{"s = R.split(x, 2, axis=0); R.stack(s, axis=1)", []string{"4: 1 2 3 4"}, []float64{1, 3, 2, 4}},
		{"s = R.prim_value(1); r = R.prim_value(2); R.clip(x, s, r)", []string{x}, []float64{1, 1, 2, 2, 2, 2}},
		{"s = R.const(2.0, \"float32\"); R.multiply(x, s)", []string{"2: 1 2"}, []float64{2, 4}},
		{"s = (R.prim_value(1),); r = (R.prim_value(0),); R.strided_slice(x, s, r, s)", []string{x}, []float64{0, 3}},
		{"R.multiply(x, x)", []string{"2: 2 3"}, []float64{4, 9}},
		{"R.concat((x, x), axis=0)", []string{"2: 2 3"}, []float64{2, 3, 2, 3}},
		{"R.einsum((x, x), subscripts=\"i,i->\")", []string{"2: 2 3"}, []float64{13}},

		// Scores are the query times the keys: 1 and 2 here.
		{"R.nn.rnn(x, y, z, activations=\"affine\", alpha=[1.0], beta=[0.5])", []string{"2 1 1: 1 2", "1 1: 2", "1 1: 3"}, []float64{7.5, 17.5, 17.5}},
		{"R.nn.rnn(x, y, z, activations=\"relu\", reverse=True, clip=4.0)", []string{"2 1 1: 1 2", "1 1: 1", "1 1: 3"}, []float64{4, 4, 4}},
		{"R.nn.gru(x, y, z, u, v, activations=\"relu,relu\")", []string{"2 1 3: 0.5 2 1 0 0 9", "1 3: 0 0 2", "1 1: 1", "1: 3", "1 int32: 1"}, []float64{4.5, 0, 4.5}},
		{"R.nn.lstm(x, y, z, u, activations=\"relu,relu,relu\")", []string{"1 1 4: 1 2 3 4", "1 4: 0 1 0 0", "1 1: 1", "1 1: 2"}, []float64{30, 30, 10}},
		{"R.nn.attention(x, y, z, scale=1.0)", []string{"1 1 1 1: 1", "1 2 1 1: 1 2", "1 2 1 1: 0 1"}, []float64{e / (1 + e)}},
		{"R.nn.attention(x, y, z)", []string{"1 1 1 4: 1 0 0 0", "1 2 1 4: 2 0 0 0 4 0 0 0", "1 2 1 1: 0 1"}, []float64{e / (1 + e)}},
		{"R.nn.attention(x, y, z, scale=1.0, causal_mask=\"TopLeft\")", []string{"1 1 1 1: 1", "1 2 1 1: 1 2", "1 2 1 1: 0 1"}, []float64{0}},
		{"R.nn.attention(x, y, z, scale=1.0, causal_mask=\"BottomRight\")", []string{"1 1 1 1: 1", "1 2 1 1: 1 2", "1 2 1 1: 0 1"}, []float64{e / (1 + e)}},
		{"R.nn.attention(x, y, z, scale=1.0, causal_mask=\"BottomRight\", window_size=1)", []string{"1 1 1 1: 1", "1 2 1 1: 1 2", "1 2 1 1: 0 1"}, []float64{1}},
		{"R.nn.attention_bias(x, y, z, u, scale=1.0)", []string{"1 1 1 1: 1", "1 2 1 1: 1 2", "1 2 1 1: 0 1", "1 1 1 2: 1 0"}, []float64{0.5}},
	})
}

// valueCase is a call of an operator, its tensors and what it makes of them.
type valueCase struct {
	call  string
	given []string
	want  []float64
}

func byValues(t *testing.T, cases []valueCase) {
	for _, c := range cases {
		t.Run(c.call, func(t *testing.T) {
			var params []string
			var inputs []*tensor.Tensor
			for i, text := range c.given {
				in := given(text)
				shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(in.Shape), " ", ", "), "[]")
				if len(in.Shape) == 1 {
					shape += ","
				}
				inputs, params = append(inputs, in), append(params, fmt.Sprintf("%s: R.Tensor((%s), \"%s\")", []string{"x", "y", "z", "u", "v"}[i], shape, in.DType))
			}
			lines := strings.Split(c.call, "; ")
			lines[len(lines)-1] = "out = " + lines[len(lines)-1]
			m := read(t, "@R.function\ndef main("+strings.Join(params, ", ")+"):\n    with R.dataflow():\n        "+strings.Join(lines, "\n        ")+"\n        R.output(out)\n    return out\n")
			passtest.WellFormed(t, "before", m)
			out, found := legalize(t, m)
			passtest.WellFormed(t, "after", out)
			if len(found) > 0 {
				t.Fatalf("diagnostics: %v", found)
			}
			results, err := evalMain(t.Context(), out, inputs)
			if err != nil {
				t.Fatal(err)
			}
			var got []float64
			for _, r := range results {
				got = append(got, r.Floats()...)
			}
			ok := len(got) == len(c.want)
			for i := range got {
				ok = ok && math.Abs(got[i]-c.want[i]) <= 1e-5*math.Max(1, math.Abs(c.want[i]))
			}
			if !ok {
				t.Errorf("it makes %v, want %v", got, c.want)
			}
		})
	}
}

func tensors(texts []string) (out []*tensor.Tensor) {
	for _, x := range texts {
		out = append(out, given(x))
	}
	return out
}
