package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/runtime/dtype"
)

const ruleBlockConv = "bring into blocks of channels"

// BlockConvLayout brings convolutions into layouts in which the channels of a block, as many as a vector holds, are beside each other.
//
// A vector of results then needs one vector of weights and one number of the data at each step, which a machine loads to all lanes, for any
// size of image. TVM's Relax has ConvertLayout, which takes the layouts from a user; in Relay AlterOpLayout chose them for CPUs.
var BlockConvLayout = &pass.Pass{
	Name: "BlockConvLayout", Level: 2, Kind: pass.Function, ReadsTarget: true,
	Doc: "Brings conv2d with constant weights, whose channels are a multiple of the numbers that a vector of the target holds, into NCHW16c with weights in OIHW16i16o (for 16 numbers), depthwise ones with weights in OIHW1i16o, with channels of zeros more where they lack some for whole blocks and that makes less work than the change of a layout, and those of fewer input channels, as images have, with the data in NCHW, weights in OIHW16o, and the result in NCHW16c. What comes after takes that layout as by ConvertLayout, so that layouts change at the ends only, and each value once. Convolutions of float16 into float32 take them behind conversions of what they read. Convolutions of int8 and uint8 into int32 take them where PackByteProducts multiplies words of bytes.",
	Options: []pass.Option{
		{Name: "block", Default: int64(0), Doc: "the channels of a block; 0 for as many as a vector of 32-bit numbers of the target holds, if these are 8 or more"},
	},
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		block, short := c.Arg("block").(int64), false
		if block == 0 && !c.TargetOf().IsZero() {
			block = int64(c.TargetOf().VectorLanes(dtype.Float32T))
			short = block > 0 && block < gainful
		}
		if block < 0 || block > maxBlock {
			return nil, fmt.Errorf("block: %d channels, want 0 to %d", block, maxBlock)
		}
		if block < 2 {
			c.Declined(ruleBlockConv, f, "the target has no vectors, and the option block is not given")
			return f, nil
		}
		k, words := constantsOf(f), ByteWordsOf(c.TargetOf())
		if !short && anyCall(f, func(call *relax.Call) bool { return halfConv(call, k) }) {
			var err error
			if f, err = withWideHalves(c, f, k); err != nil {
				return nil, err
			}
			k = constantsOf(f)
		}
		blocked := func(call *relax.Call) bool {
			_, why := blockedConv(call, k, words, block)
			return why == ""
		}
		if !short && anyCall(f, func(call *relax.Call) bool { return blocked(call) || added(call, k, block, true) > 0 }) {
			full, err := withImageRank(c, f, k)
			if err == nil {
				full, err = withWholeBlocks(c, full, words, block)
			}
			if err != nil {
				return nil, err
			}
			if k = constantsOf(full); anyCall(full, blocked) {
				f = full
			}
		}
		layouts := func(call *relax.Call) []string {
			list, _ := blockedConv(call, k, words, block)
			return list
		}
		ahead := map[*relax.Var]tensorlayout.Layout{}
		if !short {
			ahead = earlyBlocks(f, layouts)
		}
		out, err := convertLayout(c, f, ahead, func(call *relax.Call) ([]tensorlayout.Layout, error) {
			if opName(call) != conv2d {
				return nil, nil
			}
			if short {
				c.Declined(ruleBlockConv, call, fmt.Sprintf("a vector of the target holds %d numbers; blocks of fewer than %d channels are not faster than NCHW (the option block takes any)", block, gainful))
				return nil, nil
			}
			list, why := blockedConv(call, k, words, block)
			if why != "" {
				c.Declined(ruleBlockConv, call, why)
				return nil, nil
			}
			return op.DesiredLayouts(opName(call), list)
		})
		if err != nil || out == f {
			return out, err
		}
		return transformOnce(c, out)
	})),
}

// transformOnce has a value that several operators read in one layout brought into it once.
func transformOnce(c *pass.Context, f *relax.Function) (*relax.Function, error) {
	out, err := ShareEqualValues(c, f, func(b relax.Binding) bool { return opName(b.BoundValue()) == "relax.layout_transform" })
	if err != nil || out == f {
		return out, err
	}
	return removeUnused(c, c.Step().Input, out)
}

// gainful is the smallest number of lanes for which blocks were measured to be faster, on the light models of ONNX: with 16 lanes and 32 registers
// resnet50 takes 0.43 of its time in NCHW and none takes more; with 8 and 16 it takes 0.7, vgg19 0.8 and none more; with 4 they take two to three times as long.
const gainful = 8

// maxBlock bounds the channels of a block.
const maxBlock = 64

const conv2d = "relax.nn.conv2d"

// anyCall reports whether f binds a call of that kind.
func anyCall(f *relax.Function, is func(*relax.Call) bool) bool {
	found := false
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		call, ok := b.BoundValue().(*relax.Call)
		found = found || ok && is(call)
	})
	return found
}

// blockedConv returns the layouts of data, weights and perhaps result for a convolution with blocks of n channels, or says why it stays.
func blockedConv(call *relax.Call, k *constantValues, words ByteWords, n int64) (layouts []string, why string) {
	if opName(call) != conv2d {
		return nil, "it is no conv2d"
	}
	for name, want := range map[string]string{"data_layout": "NCHW", "kernel_layout": "OIHW"} {
		if l := call.Attrs.Str(name, want); l != want {
			return nil, fmt.Sprintf("its %s is %s, not %s", name, l, want)
		}
	}
	if l := call.Attrs.Str("out_layout", "NCHW"); l != "" && l != "NCHW" {
		return nil, fmt.Sprintf("its out_layout is %s, not NCHW", l)
	}
	x, ok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	w, also := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	bytes := ok && also && isByte(x.DType) && isByte(w.DType) && call.Attrs.DType("out_dtype") == dtype.Int32T
	switch {
	case !ok || !also || !bytes && (x.DType != dtype.Float32T || w.DType != dtype.Float32T):
		return nil, "its tensors are not of type float32"
	case bytes && words.block != n:
		return nil, "words of bytes are not faster on the target"
	}
	if !k.has(call.Args[1]) {
		return nil, "its weights are not constant: they would be brought into blocks at each inference"
	}
	dims, known := w.StaticDims()
	if !known || len(dims) != 4 {
		return nil, "the shape of its weights is not known"
	}
	data, groups := fmt.Sprintf("NCHW%dc", n), call.Attrs.Int("groups", 1)
	switch {
	case dims[0]%n != 0:
		return nil, fmt.Sprintf("it has %d output channels, which blocks of %d do not divide", dims[0], n)
	case bytes && groups != 1:
		return nil, fmt.Sprintf("it has %d groups", groups)
	case bytes && dims[1] < 3:
		return nil, fmt.Sprintf("%d input channels make no word of four", dims[1])
	case groups == dims[0] && dims[1] == 1 && groups > 1:
		return []string{data, fmt.Sprintf("OIHW1i%do", n)}, ""
	case groups != 1:
		return nil, fmt.Sprintf("it has %d groups of %d input channels", groups, dims[1])
	case dims[1] < n: // the colours of an image: a number of the data is taken for all lanes wherever it lies
		return []string{"NCHW", fmt.Sprintf("OIHW%do", n), data}, ""
	case dims[1]%n != 0:
		return nil, fmt.Sprintf("it has %d input channels, which blocks of %d do not divide", dims[1], n)
	}
	return []string{data, fmt.Sprintf("OIHW%di%do", n, n)}, ""
}
