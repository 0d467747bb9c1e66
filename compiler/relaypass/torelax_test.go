package relaypass_test

import (
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/runtime/tensor"
)

// nd reads elements of a tensor by their index.
type nd struct{ t *tensor.Tensor }

func (x nd) at(index ...int) float64 {
	i := 0
	for k, n := range x.t.Shape {
		if index[k] < 0 || index[k] >= int(n) {
			return 0 // what lies outside counts nothing
		}
		i = i*int(n) + index[k]
	}
	return x.t.Float(i)
}

// sum adds f(0) to f(n-1).
func sum(n int, f func(k int) float64) float64 {
	s := 0.0
	for k := range n {
		s += f(k)
	}
	return s
}

// greatest is the largest of f(0) to f(n-1).
func greatest(n int, f func(k int) float64) float64 {
	m := math.Inf(-1)
	for k := range n {
		m = max(m, f(k))
	}
	return m
}

// forms are operators of Relay with what TVM's documentation says that an element of the result is. Of a tuple the fields follow each other.
var forms = []struct {
	op, params, call string
	want             []func(in []nd, i []int) float64
}{
	{"nn.cross_entropy", "%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]", "nn.cross_entropy(exp(%x), %y)", one(func(in []nd, _ []int) float64 {
		return -sum(6, func(k int) float64 { return in[0].at(k/3, k%3) * in[1].at(k/3, k%3) }) / 2
	})},
	{"nn.cross_entropy_with_logits", "%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]", "nn.cross_entropy_with_logits(%x, %y)", one(func(in []nd, _ []int) float64 {
		return -sum(6, func(k int) float64 { return in[0].at(k/3, k%3) * in[1].at(k/3, k%3) }) / 2
	})},
	{"nn.conv2d_backward_weight", "%g: Tensor[(2, 3, 3, 2), float32], %x: Tensor[(2, 2, 6, 4), float32]", `nn.conv2d_backward_weight(%g, %x, strides=[2, 1], channels=3, kernel_size=[2, 3], data_layout="NCHW", kernel_layout="NCHW", out_layout="OIHW")`, one(func(in []nd, i []int) float64 {
		return sum(2*3*2, func(k int) float64 {
			n, y, x := k/6, k/2%3, k%2
			return in[0].at(n, i[0], y, x) * in[1].at(n, i[1], 2*y+i[2], x+i[3])
		})
	})},
	{"nn.conv2d_backward_weight", "%g: Tensor[(2, 2, 4, 4), float32], %x: Tensor[(2, 4, 3, 4), float32]", `nn.conv2d_backward_weight(%g, %x, groups=4, channels=4, kernel_size=[2, 2], padding=[0, 0, 0, 1], data_layout="NHWC", kernel_layout="NCHW", out_layout="HWIO")`, one(func(in []nd, i []int) float64 {
		return sum(2*2*4, func(k int) float64 {
			n, y, x := k/8, k/4%2, k%4
			return in[0].at(n, y, x, i[3]) * in[1].at(n, i[3], y+i[0], x+i[1])
		})
	})},
	{"nn.dense", "%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]", "nn.dense(%x, %w, units=4)", one(func(in []nd, i []int) float64 {
		return sum(3, func(k int) float64 { return in[0].at(i[0], k) * in[1].at(i[1], k) })
	})},
	{"nn.dense", "%x: Tensor[(2, 2, 3), float32], %w: Tensor[(4, 3), float32]", "nn.dense(%x, %w, units=4)", one(func(in []nd, i []int) float64 {
		return sum(3, func(k int) float64 { return in[0].at(i[0], i[1], k) * in[1].at(i[2], k) })
	})},
	{"nn.matmul", "%x: Tensor[(3, 2), float32], %w: Tensor[(4, 3), float32]", "nn.matmul(%x, %w, transpose_a=True, transpose_b=True)", one(func(in []nd, i []int) float64 {
		return sum(3, func(k int) float64 { return in[0].at(k, i[0]) * in[1].at(i[1], k) })
	})},
	{"nn.batch_matmul", "%x: Tensor[(1, 2, 3), float32], %w: Tensor[(2, 4, 3), float32]", "nn.batch_matmul(%x, %w, transpose_b=True)", one(func(in []nd, i []int) float64 {
		return sum(3, func(k int) float64 { return in[0].at(0, i[1], k) * in[1].at(i[0], i[2], k) })
	})},
	{"nn.bias_add", "%x: Tensor[(2, 3, 4), float32], %b: Tensor[(3), float32]", "nn.bias_add(%x, %b, axis=-2)", one(func(in []nd, i []int) float64 { return in[0].at(i...) + in[1].at(i[1]) })},
	{"nn.l2_normalize", "%x: Tensor[(2, 3), float32]", "nn.l2_normalize(%x, eps=0.5f, axis=[1])", one(func(in []nd, i []int) float64 {
		return in[0].at(i...) / math.Sqrt(max(0.5, sum(3, func(k int) float64 { return in[0].at(i[0], k) * in[0].at(i[0], k) })))
	})},
	{"nn.lrn", "%x: Tensor[(1, 6, 2, 2), float32]", "nn.lrn(%x, size=3, axis=1, bias=1f, alpha=0.5f, beta=0.75f)", one(func(in []nd, i []int) float64 {
		s := sum(3, func(k int) float64 { v := in[0].at(0, i[1]+k-1, i[2], i[3]); return v * v })
		return in[0].at(i...) / math.Pow(1+0.5/3*s, 0.75)
	})},
	{"nn.layer_norm", "%x: Tensor[(2, 3, 2), float32], %g: Tensor[(3), float32], %b: Tensor[(3), float32]", "nn.layer_norm(%x, %g, %b, axis=1, epsilon=0.1f)", one(func(in []nd, i []int) float64 {
		return normal(in, i, i[1], 0.1, 3, func(k int) float64 { return in[0].at(i[0], k, i[2]) })
	})},
	{"nn.instance_norm", "%x: Tensor[(2, 3, 2, 2), float32], %g: Tensor[(3), float32], %b: Tensor[(3), float32]", "nn.instance_norm(%x, %g, %b, axis=1, epsilon=0.1f)", one(func(in []nd, i []int) float64 {
		return normal(in, i, i[1], 0.1, 4, func(k int) float64 { return in[0].at(i[0], i[1], k/2, k%2) })
	})},
	{"nn.group_norm", "%x: Tensor[(2, 4, 2), float32], %g: Tensor[(4), float32], %b: Tensor[(4), float32]", "nn.group_norm(%x, %g, %b, num_groups=2, axis=1, epsilon=0.1f)", one(func(in []nd, i []int) float64 {
		return normal(in, i, i[1], 0.1, 4, func(k int) float64 { return in[0].at(i[0], i[1]/2*2+k/2, k%2) })
	})},
	{"nn.dropout", "%x: Tensor[(2, 3), float32]", "nn.dropout(%x)", []func([]nd, []int) float64{same, constant(1)}},

	{
		"nn.contrib_conv2d_NCHWc", "%x: Tensor[(1, 2, 4, 4, 3), float32], %w: Tensor[(2, 2, 3, 3, 3, 2), float32]",
		`nn.contrib_conv2d_NCHWc(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3], data_layout="NCHW3c", kernel_layout="OIHW3i2o", out_layout="NCHW2c")`, one(func(in []nd, i []int) float64 {
			return sum(6*9, func(k int) float64 {
				c, y, x := k/9, k/3%3, k%3
				return in[0].at(0, c/3, i[2]+y-1, i[3]+x-1, c%3) * in[1].at(i[1], c/3, y, x, c%3, i[4])
			})
		}),
	},
	{
		"nn.contrib_depthwise_conv2d_NCHWc", "%x: Tensor[(1, 2, 4, 4, 2), float32], %w: Tensor[(2, 1, 3, 3, 1, 2), float32]",
		`nn.contrib_depthwise_conv2d_NCHWc(%x, %w, groups=4, channels=4, kernel_size=[3, 3], data_layout="NCHW2c", kernel_layout="OIHW1i2o", out_layout="NCHW2c")`, one(func(in []nd, i []int) float64 {
			return sum(9, func(k int) float64 {
				return in[0].at(0, i[1], i[2]+k/3, i[3]+k%3, i[4]) * in[1].at(i[1], 0, k/3, k%3, 0, i[4])
			})
		}),
	},
	{"nn.global_avg_pool2d", "%x: Tensor[(2, 4, 3, 2), float32]", `nn.global_avg_pool2d(%x, layout="NHWC")`, one(func(in []nd, i []int) float64 {
		return sum(12, func(k int) float64 { return in[0].at(i[0], k/3, k%3, i[3]) }) / 12
	})},
	{"nn.global_max_pool2d", "%x: Tensor[(2, 2, 3, 4), float32]", `nn.global_max_pool2d(%x)`, one(func(in []nd, i []int) float64 {
		return greatest(12, func(k int) float64 { return in[0].at(i[0], i[1], k/4, k%4) })
	})},
	{"nn.adaptive_max_pool2d", "%x: Tensor[(1, 2, 6, 4), float32]", `nn.adaptive_max_pool2d(%x, output_size=[3, 1])`, one(func(in []nd, i []int) float64 {
		return greatest(8, func(k int) float64 { return in[0].at(0, i[1], 2*i[2]+k/4, k%4) })
	})},
	{"nn.adaptive_max_pool1d", "%x: Tensor[(1, 2, 6), float32]", `nn.adaptive_max_pool1d(%x, output_size=[6])`, one(same)},
	{"nn.adaptive_max_pool3d", "%x: Tensor[(1, 1, 4, 2, 2), float32]", `nn.adaptive_max_pool3d(%x, output_size=[2, 2, 1])`, one(func(in []nd, i []int) float64 {
		return greatest(4, func(k int) float64 { return in[0].at(0, 0, 2*i[2]+k/2, i[3], k%2) })
	})},
	{"nn.upsampling", "%x: Tensor[(1, 2, 2, 3), float32]", `nn.upsampling(%x, scale_h=2f, scale_w=3f)`, one(func(in []nd, i []int) float64 { return in[0].at(0, i[1], i[2]/2, i[3]/3) })},
	{"nn.upsampling", "%x: Tensor[(1, 1, 2, 3), float32]", `nn.upsampling(%x, scale_h=1f, scale_w=2f, method="bilinear")`, one(func(in []nd, i []int) float64 {
		lo := i[3] / 2
		hi := min(lo+1, 2)
		f := float64(i[3])/2 - float64(lo)
		return in[0].at(0, 0, i[2], lo)*(1-f) + in[0].at(0, 0, i[2], hi)*f
	})},
	{
		"image.resize2d", "%x: Tensor[(1, 1, 2, 4), float32]", `image.resize2d(%x, size=[2, 2], roi=[0f, 0f, 0f, 0f], method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")`,
		one(func(in []nd, i []int) float64 { return in[0].at(0, 0, i[2], 2*i[3]) }),
	},
	{"nn.pad", "%x: Tensor[(2, 3), float32]", "nn.pad(%x, 5f, pad_width=[[1, 0], [0, 2]])", one(func(in []nd, i []int) float64 {
		if i[0] < 1 || i[1] > 2 {
			return 5
		}
		return in[0].at(i[0]-1, i[1])
	})},
	{"nn.pad", "%x: Tensor[(2, 3), float32], %v: Tensor[(), float32]", "nn.pad(%x, %v, pad_width=[[1, 0], [0, 2]])", one(func(in []nd, i []int) float64 {
		if i[0] < 1 || i[1] > 2 {
			return in[1].at()
		}
		return in[0].at(i[0]-1, i[1])
	})},
	{"nn.pad", "%x: Tensor[(2, 3), int32], %v: Tensor[(), int32]", "nn.pad(%x, 7, pad_width=[[1, 0], [0, 2]])", one(func(in []nd, i []int) float64 {
		if i[0] < 1 || i[1] > 2 {
			return 7
		}
		return in[0].at(i[0]-1, i[1])
	})},
	{"nn.pad", "%x: Tensor[(2, 3), float32]", `nn.pad(%x, 0f, pad_width=[[0, 0], [4, 5]], pad_mode="edge")`, one(func(in []nd, i []int) float64 { return in[0].at(i[0], min(max(i[1]-4, 0), 2)) })},
	{"nn.mirror_pad", "%x: Tensor[(2, 3), float32]", `nn.mirror_pad(%x, mode="SYMMETRIC", pad_width=[[2, 0], [1, 3]])`, one(func(in []nd, i []int) float64 {
		return in[0].at([]int{1, 0, 0, 1}[i[0]], []int{0, 0, 1, 2, 2, 1, 0}[i[1]])
	})},
	{"nn.mirror_pad", "%x: Tensor[(2, 3), float32]", `nn.mirror_pad(%x, mode="REFLECT", pad_width=[[1, 1], [2, 1]])`, one(func(in []nd, i []int) float64 {
		return in[0].at([]int{1, 0, 1, 0}[i[0]], []int{2, 1, 0, 1, 2, 1}[i[1]])
	})},

	{"nn.depth_to_space", "%x: Tensor[(1, 8, 2, 3), float32]", `nn.depth_to_space(%x, block_size=2)`, one(func(in []nd, i []int) float64 {
		return in[0].at(0, (i[2]%2*2+i[3]%2)*2+i[1], i[2]/2, i[3]/2)
	})},
	{"nn.depth_to_space", "%x: Tensor[(1, 2, 3, 8), float32]", `nn.depth_to_space(%x, block_size=2, layout="NHWC", mode="CRD")`, one(func(in []nd, i []int) float64 {
		return in[0].at(0, i[1]/2, i[2]/2, i[3]*4+i[1]%2*2+i[2]%2)
	})},
	{"nn.space_to_depth", "%x: Tensor[(1, 2, 4, 6), float32]", `nn.space_to_depth(%x, block_size=2)`, one(func(in []nd, i []int) float64 {
		b := i[1] / 2
		return in[0].at(0, i[1]%2, i[2]*2+b/2, i[3]*2+b%2)
	})},
	{"nn.batch_to_space_nd", "%x: Tensor[(12, 2, 1, 2), float32]", `nn.batch_to_space_nd(%x, block_shape=[2, 3], crops=[[1, 0], [0, 1]])`, one(func(in []nd, i []int) float64 {
		y, x := i[1]+1, i[2]
		return in[0].at((y%2*3+x%3)*2+i[0], y/2, x/3, i[3])
	})},
	{"nn.space_to_batch_nd", "%x: Tensor[(2, 3, 5, 2), float32]", `nn.space_to_batch_nd(%x, block_shape=[2, 3], paddings=[[1, 0], [0, 1]], pad_value=9f)`, one(func(in []nd, i []int) float64 {
		b := i[0] / 2
		y, x := i[1]*2+b/3-1, i[2]*3+b%3
		if y < 0 || x > 4 {
			return 9
		}
		return in[0].at(i[0]%2, y, x, i[3])
	})},
	{"contrib_reverse_reshape", "%x: Tensor[(2, 3, 4), float32]", "contrib_reverse_reshape(%x, newshape=[-3, 0])", one(func(in []nd, i []int) float64 { return in[0].at(i[0]/3, i[0]%3, i[1]) })},
	{"reshape_like", "%x: Tensor[(2, 6), float32], %y: Tensor[(3, 4), float32]", "reshape_like(%x, %y)", one(func(in []nd, i []int) float64 { k := i[0]*4 + i[1]; return in[0].at(k/6, k%6) })},
	{"broadcast_to", "%x: Tensor[(3, 1), float32]", "broadcast_to(%x, shape=[2, 3, 4])", one(func(in []nd, i []int) float64 { return in[0].at(i[1], 0) })},
	{"broadcast_to_like", "%x: Tensor[(3, 1), float32], %y: Tensor[(2, 3, 4), int32]", "broadcast_to_like(%x, %y)", one(func(in []nd, i []int) float64 { return in[0].at(i[1], 0) })},
	{"full", "%x: Tensor[(), float32]", `full(%x, shape=[2, 3], dtype="float32")`, one(func(in []nd, _ []int) float64 { return in[0].at() })},
	{"zeros", "%x: Tensor[(2), float32]", `zeros(shape=[2, 3], dtype="int32")`, one(constant(0))},
	{"ones", "%x: Tensor[(2), float32]", `ones(shape=[2], dtype="float32")`, one(constant(1))},
	{"zeros_like", "%x: Tensor[(2), float32]", `zeros_like(%x)`, one(constant(0))},
	{"ones_like", "%x: Tensor[(2), float32]", `ones_like(%x)`, one(constant(1))},
	{"full_like", "%x: Tensor[(2), float32], %y: Tensor[(), float32]", `full_like(%x, %y)`, one(func(in []nd, _ []int) float64 { return in[1].at() })},
	{"collapse_sum_to", "%x: Tensor[(2, 3, 4), float32], %s: Tensor[(2), int32]", "collapse_sum_to(%x, %s, shape=[3, 1])", one(func(in []nd, i []int) float64 {
		return sum(8, func(k int) float64 { return in[0].at(k/4, i[0], k%4) })
	})},
	{"slice_like", "%x: Tensor[(3, 4), float32], %y: Tensor[(2, 3), float32]", `slice_like(%x, %y, axes=[1])`, one(same)},
	{"layout_transform", "%x: Tensor[(1, 4, 2, 3), float32]", `layout_transform(%x, src_layout="NCHW", dst_layout="NHWC2c")`, one(func(in []nd, i []int) float64 { return in[0].at(0, i[3]*2+i[4], i[1], i[2]) })},
	{"shape_of", "%x: Tensor[(5, 4), float32]", `shape_of(%x, dtype="int32")`, one(func(_ []nd, i []int) float64 { return []float64{5, 4}[i[0]] })},
	{"ndarray_size", "%x: Tensor[(5, 4), float32]", `ndarray_size(%x, dtype="int32")`, one(constant(20))},
	{"arange", "%x: Tensor[(2), float32]", `arange(1, 8, 3, dtype="int32")`, one(func(_ []nd, i []int) float64 { return float64(1 + 3*i[0]) })},

	{"strided_slice", "%x: Tensor[(5, 7), float32]", `strided_slice(%x, begin=[1, -1], end=[5, 0], strides=[2, -3], axes=[0, 1])`, one(func(in []nd, i []int) float64 { return in[0].at(1+2*i[0], 6-3*i[1]) })},
	{"strided_slice", "%x: Tensor[(5, 7), float32]", `strided_slice(%x, begin=[1, 2], end=[2, -1], slice_mode="size")`, one(func(in []nd, i []int) float64 { return in[0].at(1+i[0], 2+i[1]) })},
	{"take", "%x: Tensor[(2, 2), float32], %i: Tensor[(3), int32]", `take(%x, %i, axis=1)`, one(func(in []nd, i []int) float64 { return in[0].at(i[0], min(int(in[1].at(i[1])), 1)) })},
	{"take", "%x: Tensor[(2, 2), float32], %i: Tensor[(3, 2), int32]", `take(%x, %i, mode="wrap")`, one(func(in []nd, i []int) float64 { k := int(in[1].at(i...)) % 4; return in[0].at(k/2, k%2) })},
	{"gather", "%x: Tensor[(2, 3), float32], %i: Tensor[(2, 4), int32]", `gather(%x, %i, axis=1)`, one(func(in []nd, i []int) float64 { return in[0].at(i[0], int(in[1].at(i...))) })},
	{"gather_nd", "%x: Tensor[(3, 3, 2), float32], %i: Tensor[(2, 4), int32]", `gather_nd(%x, %i)`, one(func(in []nd, i []int) float64 { return in[0].at(int(in[1].at(0, i[0])), int(in[1].at(1, i[0])), i[1]) })},
	{"scatter_nd", "%x: Tensor[(3, 2), float32], %i: Tensor[(1, 3), int32], %u: Tensor[(3, 2), float32]", `scatter_nd(%x, %i, %u, mode="add")`, one(func(in []nd, i []int) float64 {
		return in[0].at(i...) + sum(3, func(k int) float64 {
			if int(in[1].at(0, k)) == i[0] {
				return in[2].at(k, i[1])
			}
			return 0
		})
	})},
	{"scatter_elements", "%x: Tensor[(3, 2), float32], %i: Tensor[(2, 2), int32], %u: Tensor[(2, 2), float32]", `scatter_elements(%x, %i, %u, axis=0, reduction="add")`, one(func(in []nd, i []int) float64 {
		return in[0].at(i...) + sum(2, func(k int) float64 {
			if int(in[1].at(k, i[1])) == i[0] {
				return in[2].at(k, i[1])
			}
			return 0
		})
	})},
	{"sequence_mask", "%x: Tensor[(4, 3, 2), float32], %n: Tensor[(3), int32]", `sequence_mask(%x, %n, mask_value=-1f, axis=0)`, one(func(in []nd, i []int) float64 {
		if float64(i[0]) >= in[1].at(i[1]) {
			return -1
		}
		return in[0].at(i...)
	})},
	{"one_hot", "%i: Tensor[(2, 3), int32], %a: Tensor[(), float32], %b: Tensor[(), float32]", `one_hot(%i, %a, %b, depth=4, axis=1, dtype="float32")`, one(func(in []nd, i []int) float64 {
		if int(in[0].at(i[0], i[2])) == i[1] {
			return in[1].at()
		}
		return in[2].at()
	})},
	{"where", "%c: Tensor[(2, 3), int32], %a: Tensor[(3), float32], %b: Tensor[(2, 1), float32]", `where(%c, %a, %b)`, one(func(in []nd, i []int) float64 {
		if in[0].at(i...) != 0 {
			return in[1].at(i[1])
		}
		return in[2].at(i[0], 0)
	})},
	{"sort", "%x: Tensor[(2, 5), float32]", `sort(%x, axis=1, is_ascend=False)`, one(func(in []nd, i []int) float64 { return ranked(in[0], i[0], 5, i[1], true) })},
	{"argsort", "%x: Tensor[(2, 5), float32]", `argsort(%x, axis=1, is_ascend=True, dtype="int32")`, one(func(in []nd, i []int) float64 { return place(in[0], i[0], 5, i[1], false) })},
	{"invert_permutation", "%x: Tensor[(5), float32]", `invert_permutation(argsort(%x, axis=0, dtype="int32"))`, one(func(in []nd, i []int) float64 {
		return sum(5, func(k int) float64 {
			if in[0].at(k) < in[0].at(i[0]) {
				return 1
			}
			return 0
		})
	})},
	{"topk", "%x: Tensor[(2, 5), float32]", `topk(%x, k=3, axis=1, dtype="int32")`, []func([]nd, []int) float64{
		func(in []nd, i []int) float64 { return ranked(in[0], i[0], 5, i[1], true) },
		func(in []nd, i []int) float64 { return place(in[0], i[0], 5, i[1], true) },
	}},
	{"argmax", "%x: Tensor[(2, 3, 2), float32]", `argmax(%x, axis=[1], exclude=True, keepdims=True)`, one(func(in []nd, i []int) float64 {
		best, where := math.Inf(-1), 0
		for k := range 4 {
			if v := in[0].at(k/2, i[1], k%2); v > best {
				best, where = v, k
			}
		}
		return float64(where)
	})},
	{"argmin", "%x: Tensor[(5), float32]", `argmin(%x)`, one(func(in []nd, _ []int) float64 {
		where := 0
		for k := range 5 {
			if in[0].at(k) < in[0].at(where) {
				where = k
			}
		}
		return float64(where)
	})},
	{"all", "%x: Tensor[(2, 3), bool]", `all(%x, axis=[1])`, one(func(in []nd, i []int) float64 { return in[0].at(i[0], 0) * in[0].at(i[0], 1) * in[0].at(i[0], 2) })},
	{"any", "%x: Tensor[(2, 3), bool]", `any(%x, axis=[1], keepdims=True)`, one(func(in []nd, i []int) float64 { return greatest(3, func(k int) float64 { return in[0].at(i[0], k) }) })},
	{"variance", "%x: Tensor[(2, 3), float32], %m: Tensor[(2, 1), float32]", `variance(%x, %m, axis=[1], unbiased=True)`, one(func(in []nd, i []int) float64 {
		return sum(3, func(k int) float64 { d := in[0].at(i[0], k) - in[1].at(i[0], 0); return d * d }) / 2
	})},
	{"cumsum", "%x: Tensor[(2, 3), float32]", `cumsum(%x, axis=1, exclusive=True)`, one(func(in []nd, i []int) float64 { return sum(i[1], func(k int) float64 { return in[0].at(i[0], k) }) })},
	{"cumprod", "%x: Tensor[(3), float32]", `cumprod(%x, axis=0)`, one(func(in []nd, i []int) float64 {
		p := 1.0
		for k := range i[0] + 1 {
			p *= in[0].at(k)
		}
		return p
	})},

	{"copy", "%x: Tensor[(3), float32]", `copy(%x)`, one(same)},
	{"annotation.stop_fusion", "%x: Tensor[(3), float32]", `annotation.stop_fusion(%x)`, one(same)},
	{"log2", "%x: Tensor[(3), float32]", `log2(exp(%x))`, one(func(in []nd, i []int) float64 { return in[0].at(i...) / math.Ln2 })},
	{"log10", "%x: Tensor[(3), float32]", `log10(exp(%x))`, one(func(in []nd, i []int) float64 { return in[0].at(i...) / math.Ln10 })},
	{"cast_like", "%x: Tensor[(3), float32], %y: Tensor[(1), int32]", `cast_like(multiply(%x, 5f), %y)`, one(func(in []nd, i []int) float64 { return math.Trunc(in[0].at(i...) * 5) })},
	{"trunc_divide", "%x: Tensor[(4), int32]", `trunc_divide(subtract(multiply(%x, 5), 7), 3)`, one(func(in []nd, i []int) float64 { return math.Trunc((in[0].at(i...)*5 - 7) / 3) })},
	{"trunc_mod", "%x: Tensor[(4), int32]", `trunc_mod(subtract(multiply(%x, 5), 7), 3)`, one(func(in []nd, i []int) float64 { return math.Mod(in[0].at(i...)*5-7, 3) })},
	{"fixed_point_multiply", "%x: Tensor[(4), int32]", `fixed_point_multiply(subtract(multiply(%x, 500), 333), multiplier=1518500250, shift=-3)`, one(func(in []nd, i []int) float64 {
		return math.Floor((in[0].at(i...)*500-333)*1518500250/(1<<34) + 0.5)
	})},
	{"qnn.quantize", "%x: Tensor[(2, 3), float32]", `qnn.quantize(%x, 0.01f, 3, out_dtype="int8")`, one(func(in []nd, i []int) float64 {
		return min(max(math.RoundToEven(in[0].at(i...)/float64(float32(0.01)))+3, -128), 127)
	})},
	{"qnn.dequantize", "%x: Tensor[(2, 3), int8], %s: Tensor[(2), float32], %z: Tensor[(2), int32]", `qnn.dequantize(%x, %s, %z, axis=0)`, one(func(in []nd, i []int) float64 {
		return (in[0].at(i...) - in[2].at(i[0])) * in[1].at(i[0])
	})},
}

func one(f func(in []nd, i []int) float64) []func([]nd, []int) float64 {
	return []func([]nd, []int) float64{f}
}

func same(in []nd, i []int) float64 { return in[0].at(i...) }

func constant(v float64) func([]nd, []int) float64 { return func([]nd, []int) float64 { return v } }

// normal is an element normalized by the mean and the variance of n elements, then scaled and shifted as its channel is.
func normal(in []nd, i []int, channel int, epsilon float64, n int, f func(k int) float64) float64 {
	mean := sum(n, f) / float64(n)
	variance := sum(n, func(k int) float64 { return (f(k) - mean) * (f(k) - mean) }) / float64(n)
	return (in[0].at(i...)-mean)/math.Sqrt(variance+epsilon)*in[1].at(channel) + in[2].at(channel)
}

// place is where the element that sorting puts at k stands in a row of n.
func place(x nd, row, n, k int, descending bool) float64 {
	for c := range n {
		before := 0
		for o := range n {
			if v, w := x.at(row, o), x.at(row, c); v < w && !descending || v > w && descending || v == w && o < c {
				before++
			}
		}
		if before == k {
			return float64(c)
		}
	}
	panic("no such place")
}

func ranked(x nd, row, n, k int, descending bool) float64 {
	return x.at(row, int(place(x, row, n, k, descending)))
}

// TestToRelax computes every form of an operator, and compares each element with what its definition says.
func TestToRelax(t *testing.T) {
	for _, x := range forms {
		t.Run(strings.ReplaceAll(x.op, ".", "_"), func(t *testing.T) {
			text := "def @main(" + x.params + ") { " + x.call + " }"
			m := read(t, text)
			f := ir.MustLookup[*relax.Function](m, "main")
			calls := false
			ir.Walk(f, func(n ir.Node) bool {
				c, ok := n.(*ir.Op)
				calls = calls || ok && c.Name == op.RelayPrefix+x.op
				return true
			})
			if !calls {
				t.Fatalf("no call of it in %s", text)
			}
			args, err := graphrun.Inputs(f, 3, 7)
			if err != nil {
				t.Fatal(err)
			}
			var in []nd
			for _, a := range args {
				in = append(in, nd{a.(*tensor.Tensor)})
			}
			got := outputs(t, m)
			if len(got) != len(x.want) {
				t.Fatalf("%d tensors, want %d", len(got), len(x.want))
			}
			for k, y := range got {
				for i := range y.Len() {
					at, rest := make([]int, len(y.Shape)), i
					for d := len(y.Shape) - 1; d >= 0; d-- {
						at[d], rest = rest%int(y.Shape[d]), rest/int(y.Shape[d])
					}
					if want := x.want[k](in, at); math.Abs(y.Float(i)-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("%s: element %v of tensor %d is %v, want %v", text, at, k, y.Float(i), want)
					}
				}
			}
		})
	}
}

// TestEveryFormIsTested: what nothing computes is the argument of the call, or stands for one that is tested.
func TestEveryFormIsTested(t *testing.T) {
	tested := map[string]bool{"vm.shape_of": true, "reshape": true, "strided_set": true} // the last by the derivatives of slices
	for _, n := range strings.Fields("on_device device_copy annotation.compiler_begin annotation.compiler_end annotation.checkpoint annotation.cast_hint") {
		tested[n] = true
	}
	for _, x := range forms {
		tested[x.op] = true
	}
	for _, n := range relaypass.FormNames() {
		if !tested[n] {
			t.Errorf("no program has %s", n)
		}
	}
}
