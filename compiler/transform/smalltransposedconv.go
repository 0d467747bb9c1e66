package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

const (
	ruleSmallTransposedConv = "multiply pixels by weights"
	conv2dTransposed        = "relax.nn.conv2d_transpose"
)

// pickTransposedConv returns what a transposed convolution of images becomes whose rows fill no vector: a product of its pixels by its weights, and the sum of what overlaps.
func (p *weightBlocking) pickTransposedConv(vb *relax.VarBinding) *lowered {
	call := callsOp(vb.Value, conv2dTransposed)
	if call == nil {
		return nil
	}
	if why := p.unfitTransposedConv(vb, call); why != "" {
		p.c.Declined(ruleSmallTransposedConv, vb, why)
		return nil
	}
	return &lowered{rule: p.transposedConv, hint: "col2im", why: ruleSmallTransposedConv, hidden: p.dataflow[vb.Var]}
}

// unfitTransposedConv says why a transposed convolution stays as it is, "" if it does not.
func (p *weightBlocking) unfitTransposedConv(vb *relax.VarBinding, call *relax.Call) string {
	x, xok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	w, wok := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	out, ook := vb.Var.SInfo.(*relax.TensorStructInfo)
	switch {
	case p.block < 2:
		return "the target has no vectors of 8 numbers or more, and the option block is not given"
	case !xok || !wok || !ook || x.DType != dtype.Float32T || w.DType != dtype.Float32T || out.DType != dtype.Float32T:
		return "its tensors are not of type float32"
	case !p.constants.has(call.Args[1]):
		return "its weights are not constant: they would be brought into blocks at each inference"
	}
	for name, want := range map[string]string{"data_layout": "NCHW", "kernel_layout": "IOHW"} {
		if l := call.Attrs.Str(name, want); l != want {
			return fmt.Sprintf("its %s is %s, not %s", name, l, want)
		}
	}
	if l := call.Attrs.Str("out_layout", "NCHW"); l != "" && l != "NCHW" {
		return fmt.Sprintf("its out_layout is %s, not NCHW", l)
	}
	data, known := x.StaticDims()
	weights, also := w.StaticDims()
	_, result := out.StaticDims()
	switch {
	case !known || !also || !result || len(data) != 4 || len(weights) != 4:
		return "the shape of its tensors is not known"
	case call.Attrs.Int("groups", 1) != 1:
		return fmt.Sprintf("it has %d groups", call.Attrs.Int("groups", 1))
	case data[3] >= p.block:
		return fmt.Sprintf("rows of %d pixels fill a vector", data[3])
	case weights[1]%p.block != 0:
		return fmt.Sprintf("it has %d output channels, which blocks of %d do not divide", weights[1], p.block)
	}
	for _, n := range append(append([]int64{}, data...), weights...) {
		if n == 0 {
			return "a tensor is empty"
		}
	}
	for _, n := range call.Attrs.Ints("dilation") {
		if n != 1 {
			return "its windows have holes"
		}
	}
	return ""
}

// transposedConv is the kernel that adds up, with the product before it.
func (p *weightBlocking) transposedConv(k *kernel) ([]*te.Tensor, error) {
	data, _ := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo).StaticDims()
	weights, _ := relax.SInfoOf(k.call.Args[1]).(*relax.TensorStructInfo).StaticDims()
	out, _ := k.out(0).StaticDims()
	n := tir.Int
	pixels := k.bind("pixels", op.PermuteDims(k.bind("rows", op.Reshape(k.call.Args[0], n(data[0]), n(data[1]), n(data[2]*data[3]))), 0, 2, 1))
	windows := k.bind("windows", op.PermuteDims(k.call.Args[1], 0, 2, 3, 1))
	columns := k.bind("columns", op.Reshape(windows, n(weights[0]), n(weights[1]*weights[2]*weights[3])))
	product := k.bind("product", op.Matmul(pixels, columns, dtype.DType{}))
	strides, padding := k.ints("strides"), k.ints("padding") // of two and four numbers, as the operator has them
	return list(topi.Col2im(k.param(product, 0), topi.Col2imOpts{
		Size: [2]int64(data[2:4]), Kernel: [2]int64(weights[2:4]), Out: [2]int64(out[2:4]), Strides: [2]int64(strides), Before: [2]int64(padding[:2]), Features: weights[1],
	}))
}
