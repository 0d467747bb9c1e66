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

// pickConv returns the kernel of a convolution of bytes.
func (p *bytePacking) pickConv(vb *relax.VarBinding, call *relax.Call) *lowered {
	x, ok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
	w, also := relax.SInfoOf(call.Args[1]).(*relax.TensorStructInfo)
	if !ok || !also || !isByte(x.DType) && !isByte(w.DType) {
		return nil
	}
	if why := p.unfitConv(vb, call, x, w); why != "" {
		p.c.Declined(rulePackBytes, vb, why)
		return nil
	}
	return &lowered{rule: p.conv, hint: "dp4a_conv2d", why: rulePackBytes}
}

// unfitConv says why a convolution stays as it is, "" if it does not.
func (p *bytePacking) unfitConv(vb *relax.VarBinding, call *relax.Call, x, w *relax.TensorStructInfo) string {
	out, _ := vb.Var.SInfo.(*relax.TensorStructInfo)
	dims, known := x.Dims()
	weights, static := w.StaticDims()
	switch {
	case p.block == 0:
		return "the target has no instructions that make words of bytes faster in convolutions"
	case !isByte(x.DType) || !isByte(w.DType) || out == nil || out.DType != dtype.Int32T:
		return fmt.Sprintf("it multiplies %s by %s, and the products of bytes are summed up as int32", x.DType, w.DType)
	case call.Attrs.Str("data_layout", "NCHW") != "NCHW" || call.Attrs.Str("kernel_layout", "OIHW") != "OIHW" || !plainResult(call):
		return "its layouts are not NCHW and OIHW"
	case !known || !static || len(dims) != 4 || len(weights) != 4:
		return "the shape of its data or of its weights is not known"
	case call.Attrs.Int("groups", 1) != 1:
		return fmt.Sprintf("it has %d groups", call.Attrs.Int("groups", 1))
	case !tir.IsConst(dims[1], weights[1]) || weights[1] < 3:
		return fmt.Sprintf("%d input channels make no word of four", weights[1])
	case weights[0] == 0 || weights[2] == 0 || weights[3] == 0:
		return "its weights are empty"
	case !p.constants.has(call.Args[1]):
		return "its weights are not constant: they would be brought into words at each inference"
	}
	return ""
}

// plainResult reports whether a convolution or a pool writes NCHW.
func plainResult(call *relax.Call) bool {
	l := call.Attrs.Str("out_layout", "NCHW")
	return l == "" || l == "NCHW"
}

// conv is the kernel: the data becomes words of four channels, the result comes in blocks of channels, and leaves them at the end.
func (p *bytePacking) conv(k *kernel) ([]*te.Tensor, error) {
	k.hidden = p.dataflow[k.v]
	xt, wt := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo), relax.SInfoOf(k.call.Args[1]).(*relax.TensorStructInfo)
	dims, _ := wt.StaticDims()
	flip := p.mixed && xt.DType == wt.DType
	x := topi.Words(k.tensor(0), 1, flip)
	blocks := k.bind("blocks", p.blocked(k.call.Args[1], dims, wt.DType))
	shape := relax.Ints([]int64{(dims[0] + p.block - 1) / p.block, (dims[1] + 3) / 4, dims[2], dims[3], p.block})
	w := k.param(k.bind("words", viewAs(blocks, shape, wordsOf(wt.DType))), 1)
	o := topi.ConvOpts{
		Strides: k.ints("strides"), Dilation: k.ints("dilation"), Groups: 1, Out: dtype.Int32T, Words: true,
		Data: "NCHW", Kernel: fmt.Sprintf("OIHW%do", p.block), Result: fmt.Sprintf("NCHW%dc", p.block),
	}
	o.Before, o.After = halves(k.ints("padding"))
	sign := int64(0)
	if flip {
		bits := int64(topi.UpperBits)
		if sign = 128; xt.DType.IsInt() {
			sign = -128
		} else {
			bits -= 1 << 32 // as an int32
		}
		o.Pad = tir.Const(x.DType, bits)
	}
	out, ok, err := topi.ConvBlocked(x, w, o)
	if err != nil || !ok || k.err != nil {
		return nil, orError(k.err, err)
	}
	var of *te.Tensor
	if flip {
		wide := k.bind("wide", op.AsType(k.call.Args[1], dtype.Int32T))
		of = k.param(k.bind("sums", op.Reduce("sum", wide, []int64{1, 2, 3}, false)), 1)
	}
	return list(te.Compute("unpacked", k.shape(0), func(i []tir.Expr) tir.Expr {
		n := tir.Int(p.block)
		e := out.At(i[0], tir.FloorDiv(i[1], n), i[2], i[3], tir.FloorMod(i[1], n))
		if of == nil {
			return e
		}
		return tir.Add(e, tir.Mul(of.At(i[1]), tir.Const(dtype.Int32T, sign)))
	}), k.err)
}

// orError is the first of two errors, or one that says that no kernel was made.
func orError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return skipf("its layouts do not split channels alike")
}

// blocked puts weights into blocks of output channels, with four input channels of each beside each other.
func (p *bytePacking) blocked(w relax.Expr, dims []int64, d dtype.DType) *relax.Call {
	m := &tir.IndexMap{}
	for i := range 4 {
		m.Initial = append(m.Initial, tir.NewVar(fmt.Sprintf("i%d", i), dtype.Int64T))
	}
	o, i, n := m.Initial[0], m.Initial[1], tir.Int(p.block)
	m.Final = []tir.Expr{tir.FloorDiv(o, n), tir.FloorDiv(i, tir.Int(4)), m.Initial[2], m.Initial[3], tir.FloorMod(o, n), tir.FloorMod(i, tir.Int(4))}
	call := op.LayoutTransform(w, m)
	if dims[0]%p.block != 0 || dims[1]%4 != 0 {
		call.Attrs = call.Attrs.With("pad_value", tir.Const(d, 0))
	}
	return call
}
