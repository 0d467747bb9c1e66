package relaypass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/relaypass"
)

const convolved = "%x: Tensor[(1, 2, 4, 4), float32], %w: Tensor[(2, 2, 3, 3), float32], %s: Tensor[(2, 1, 1), float32]"

func TestForwardFoldScaleAxisPairs(t *testing.T) {
	const folded = "%0 = squeeze(%s, axis=[1, 2]); nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=2)))"
	runPairs(t, relaypass.ForwardFoldScaleAxis, []pair{
		{name: "a convolution", params: convolved, before: "nn.conv2d(multiply(%x, %s), %w)", after: folded},
		{name: "the scale on the left", params: convolved, before: "nn.conv2d(multiply(%s, %x), %w)", after: folded},
		{
			name: "two convolutions", params: convolved, before: "%0 = multiply(%x, %s); add(nn.conv2d(%0, %w), nn.conv2d(%0, %w))",
			after: "%0 = squeeze(%s, axis=[1, 2]); add(nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=2))), nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=2))))",
		},
		{
			name: "a dense layer", params: "%x: Tensor[(3, 2), float32], %w: Tensor[(4, 2), float32], %s: Tensor[(2), float32]",
			before: "nn.dense(multiply(%x, %s), %w)", after: "nn.dense(%x, multiply(%w, %s))",
		},
		{name: "something else takes it", params: convolved, before: "%0 = multiply(%x, %s); (nn.conv2d(%0, %w), %0)"},
		{name: "a let", params: convolved, before: "let %a = multiply(%x, %s); nn.conv2d(%a, %w)"},
		{name: "relu and no constant", params: convolved, before: "nn.conv2d(nn.relu(multiply(%x, %s)), %w)"},
		{name: "relu and a negative one", params: convolved, before: "nn.conv2d(nn.relu(multiply(%x, -1f)), %w)"},
		{name: "a quotient by zero", params: convolved, before: "nn.conv2d(add(multiply(%x, 0f), %s), %w)"},
		{name: "another axis", params: convolved, before: "nn.conv2d(multiply(%x, %x), %w)"},
		{
			name: "integers", params: "%x: Tensor[(1, 2, 4, 4), int32], %w: Tensor[(2, 2, 3, 3), int32], %s: Tensor[(2, 1, 1), int32]",
			before: "nn.conv2d(multiply(%x, %s), %w)",
		},
	})
}

func TestBackwardFoldScaleAxisPairs(t *testing.T) {
	runPairs(t, relaypass.BackwardFoldScaleAxis, []pair{
		{
			name: "a convolution", params: convolved, before: "multiply(nn.conv2d(%x, %w), %s)",
			after: "%0 = squeeze(%s, axis=[1, 2]); nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=3)))",
		},
		{
			name: "a sum", params: convolved, before: "multiply(add(nn.conv2d(%x, %w), %s), %s)",
			after: "%0 = squeeze(%s, axis=[1, 2]); add(nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=3))), multiply(%s, expand_dims(%0, axis=1, num_newaxis=2)))",
		},
		{
			name: "a dense layer", params: "%x: Tensor[(3, 2), float32], %w: Tensor[(4, 2), float32], %s: Tensor[(4), float32]",
			before: "multiply(%s, nn.dense(%x, %w))", after: "nn.dense(%x, multiply(%w, expand_dims(%s, axis=1)))",
		},
		{name: "something else takes it", params: convolved, before: "%0 = nn.conv2d(%x, %w); (multiply(%0, %s), %0)"},
		{name: "relu and no constant", params: convolved, before: "multiply(nn.relu(nn.conv2d(%x, %w)), %s)"},
		{name: "relu and zero", params: convolved, before: "multiply(nn.relu(nn.conv2d(%x, %w)), 0f)"},
	})
}

func TestFoldScaleAxisPairs(t *testing.T) {
	const params = "%x: Tensor[(1, 2, 5, 5), float32], %w: Tensor[(2, 2, 3, 3), float32], %s: Tensor[(2, 1, 1), float32]"
	runPairs(t, relaypass.FoldScaleAxis, []pair{
		{
			name: "a scale between goes backward", params: params, before: "nn.conv2d(multiply(nn.conv2d(%x, %w), %s), %w)",
			after: "%0 = squeeze(%s, axis=[1, 2]); nn.conv2d(nn.conv2d(%x, multiply(%w, expand_dims(%0, axis=1, num_newaxis=3))), %w)",
		},
		{name: "no scale", params: params, before: "nn.conv2d(nn.relu(%x), %w)"},
	})
}
