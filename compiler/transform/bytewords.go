package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// ByteWords says which products of bytes PackByteProducts has computed by words of four.
type ByteWords struct {
	// gains says that words of bytes are faster than numbers, measured on products of 1024 by 1024: with avx512vnni they take 0.22 of the time, and 0.5 with avx2. Without the
	// instruction, AVX-512 multiplies sixteen int32 at a time, which takes a third of the time of bytes that are taken apart, and WebAssembly takes as long either way.
	gains bool
	// block is how many output channels of a convolution make a block, 0 where convolutions stay.
	block int64
	mixed bool // the target multiplies bytes without signs by bytes with signs only
}

// wordBlock is the smallest number of output channels that make a block.
const wordBlock = 16

// fewByteRows is how many rows must use a factor that is no constant, and is brought into words each time, so that it pays.
const fewByteRows = 16

// ByteWordsOf are the products that are faster so on a target.
func ByteWordsOf(t target.Target) ByteWords {
	w := ByteWords{mixed: t.Feature("avx512vnni")}
	w.gains = w.mixed || t.Feature("avx2") && !t.Feature("avx512f")
	if n := int64(t.VectorLanes(dtype.Float32T)); w.mixed && n >= wordBlock {
		w.block = n
	}
	return w
}

// allByteWords are those that have the form for it.
func allByteWords() ByteWords { return ByteWords{gains: true, block: wordBlock} }

// Matmul says why a product of matrices of bytes stays as it is, "" if it does not. constant says of the right factor that it is known when a program is loaded.
func (w ByteWords) Matmul(a, b *relax.TensorStructInfo, constant bool) string {
	x, known := a.Dims()
	y, also := b.Dims()
	switch {
	case !w.gains:
		return "the target has no instructions that make words of bytes faster"
	case !known || !also:
		return "the shape of a factor is not known"
	case len(x) < 2 || len(y) < 2:
		return "a factor is a vector"
	}
	depth, static := tir.AsInt(y[len(y)-2])
	columns, _ := tir.AsInt(y[len(y)-1])
	rows, fixed := tir.AsInt(x[len(x)-2])
	switch {
	case !static || !tir.IsConst(x[len(x)-1], depth):
		return "how many products are summed up is not known"
	case depth < 4:
		return fmt.Sprintf("%d products make no word of four", depth)
	case columns == 0:
		return "how many columns the right factor has is not known"
	case fixed && rows < fewByteRows && !constant:
		return fmt.Sprintf("%d rows are too few for a right factor that is no constant: it would be brought into words each time", rows)
	}
	return ""
}

// convForm are the layouts of a convolution of bytes.
type convForm struct {
	data, kernel, out string
	rank              int // of the weights
}

// convForms are those that there are kernels for: NCHW, and those in blocks that BlockConvLayout makes.
func (w ByteWords) convForms() []convForm {
	n := w.block
	blocks := fmt.Sprintf("NCHW%dc", n)
	return []convForm{
		{"NCHW", "OIHW", "NCHW", 4},
		{"NCHW", fmt.Sprintf("OIHW%do", n), blocks, 5},
		{blocks, fmt.Sprintf("OIHW%di%do", n, n), blocks, 6},
	}
}

// formOf is the form of a call, false if it has none of these.
func (w ByteWords) formOf(call *relax.Call) (convForm, bool) {
	data := call.Attrs.Str("data_layout", "NCHW")
	f := convForm{data: data, kernel: call.Attrs.Str("kernel_layout", "OIHW"), out: call.Attrs.Str("out_layout", "")}
	if f.out == "" {
		f.out = data
	}
	for _, x := range w.convForms() {
		if f.data == x.data && f.kernel == x.kernel && f.out == x.out {
			return x, true
		}
	}
	return f, false
}

// Conv2D is Matmul for a call of conv2d with data x and weights.
func (w ByteWords) Conv2D(call *relax.Call, x, weights *relax.TensorStructInfo, constant bool) string {
	dims, known := x.Dims()
	kernel, static := weights.StaticDims()
	f, ok := w.formOf(call)
	switch {
	case w.block == 0:
		return "the target has no instructions that make words of bytes faster in convolutions"
	case !ok:
		return "its layouts are not NCHW and OIHW"
	case !known || !static || len(dims) < 4 || len(kernel) != f.rank:
		return "the shape of its data or of its weights is not known"
	case call.Attrs.Int("groups", 1) != 1:
		return fmt.Sprintf("it has %d groups", call.Attrs.Int("groups", 1))
	case !tir.IsConst(dims[1], kernel[1]) || f.data == "NCHW" && kernel[1] < 3:
		return fmt.Sprintf("%d input channels make no word of four", kernel[1])
	case kernel[0] == 0 || kernel[2] == 0 || kernel[3] == 0:
		return "its weights are empty"
	case !constant:
		return "its weights are not constant: they would be brought into words at each inference"
	}
	return ""
}
