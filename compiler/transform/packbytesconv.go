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
	return &lowered{rule: p.conv, hint: "dp4a_conv2d", why: rulePackBytes, hidden: p.dataflow[vb.Var]}
}

// unfitConv says why a convolution stays as it is, "" if it does not.
func (p *bytePacking) unfitConv(vb *relax.VarBinding, call *relax.Call, x, w *relax.TensorStructInfo) string {
	if out, _ := vb.Var.SInfo.(*relax.TensorStructInfo); p.block > 0 && (!isByte(x.DType) || !isByte(w.DType) || out == nil || out.DType != dtype.Int32T) {
		return notSummedUp(x, w)
	}
	return p.Conv2D(call, x, w, p.constants.has(call.Args[1]))
}

// plainResult reports whether a convolution or a pool writes NCHW.
func plainResult(call *relax.Call) bool {
	l := call.Attrs.Str("out_layout", "NCHW")
	return l == "" || l == "NCHW"
}

// conv is the kernel. Data in NCHW becomes words of four channels in it; in blocks of channels, four neighbors are a word where they are. The result comes in blocks of channels, and leaves them at the end
// if it is to be in NCHW.
func (p *bytePacking) conv(k *kernel) ([]*te.Tensor, error) {
	xt, wt := relax.SInfoOf(k.call.Args[0]).(*relax.TensorStructInfo), relax.SInfoOf(k.call.Args[1]).(*relax.TensorStructInfo)
	dims, _ := wt.StaticDims()
	form, _ := p.formOf(k.call)
	flip := p.mixed && xt.DType == wt.DType
	o := topi.ConvOpts{
		Strides: k.ints("strides"), Dilation: k.ints("dilation"), Groups: 1, Out: dtype.Int32T, Words: true,
		Data: "NCHW", Kernel: fmt.Sprintf("OIHW%do", p.block), Result: fmt.Sprintf("NCHW%dc", p.block),
	}
	var x *te.Tensor
	if form.rank == 6 {
		x = p.blocksOfWords(k, xt, flip)
		o.Data, o.Kernel = fmt.Sprintf("NCHW%dc", p.block/4), fmt.Sprintf("OIHW%di%do", p.block/4, p.block)
	} else {
		x = topi.Words(k.tensor(0), 1, flip)
	}
	packed, shape := p.blocked(k.call.Args[1], dims, wt.DType)
	w := k.param(k.bind("words", viewAs(k.bind("blocks", packed), shape, wordsOf(wt.DType))), 1)
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
	plain := form.rank == 4
	switch {
	case !flip && plain:
		return list(te.Compute("unpacked", k.shape(0), func(i []tir.Expr) tir.Expr { return p.channel(out, i) }), k.err)
	case !flip:
		return list(out, k.err)
	}
	axes := []int64{1, 2, 3} // of input channels and the window
	if form.rank == 6 {
		axes = append(axes, 4)
	}
	wide := k.bind("wide", op.AsType(k.call.Args[1], dtype.Int32T))
	of := k.param(k.bind("sums", op.Reduce("sum", wide, axes, false)), 1)
	corrected := func(e, sum tir.Expr) tir.Expr { return tir.Add(e, tir.Mul(sum, tir.Const(dtype.Int32T, sign))) }
	if plain {
		return list(te.Compute("unpacked", k.shape(0), func(i []tir.Expr) tir.Expr { return corrected(p.channel(out, i), of.At(i[1])) }), k.err)
	}
	return list(te.Compute("corrected", out.Shape, func(i []tir.Expr) tir.Expr { return corrected(out.At(i...), of.At(i[1], i[4])) }), k.err)
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

// channel is the element of a result in blocks that stands at an index in NCHW.
func (p *bytePacking) channel(out *te.Tensor, i []tir.Expr) tir.Expr {
	n := tir.Int(p.block)
	return out.At(i[0], tir.FloorDiv(i[1], n), i[2], i[3], tir.FloorMod(i[1], n))
}

// blocksOfWords views data in blocks of channels as words, whose upper bits are turned over where the data is to have the other sign.
func (p *bytePacking) blocksOfWords(k *kernel, t *relax.TensorStructInfo, flip bool) *te.Tensor {
	dims, _ := t.Dims()
	d := wordsOf(t.DType)
	if flip {
		d = wordsOf(otherSign(t.DType))
	}
	shape := append(append([]tir.Expr{}, dims[:4]...), tir.Int(p.block/4))
	x := k.param(k.bind("data", viewAs(k.call.Args[0], shape, d)), 0)
	if !flip {
		return x
	}
	bits := int64(topi.UpperBits)
	if d.IsInt() {
		bits -= 1 << 32
	}
	return te.Compute("turned", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.NewCall(tir.OpBitwiseXor, x.At(i...), tir.Const(d, bits))
	})
}

// blocked puts weights into blocks of output channels, with four input channels of each beside each other. It returns the shape in words, too.
func (p *bytePacking) blocked(w relax.Expr, dims []int64, d dtype.DType) (*relax.Call, []tir.Expr) {
	m := &tir.IndexMap{}
	for i := range dims {
		m.Initial = append(m.Initial, tir.NewVar(fmt.Sprintf("i%d", i), dtype.Int64T))
	}
	at, n, four := m.Initial, tir.Int(p.block), tir.Int(4)
	v := func(i int) tir.Expr { return at[i] }
	var shape []int64
	switch len(dims) {
	case 4: // OIHW
		m.Final = []tir.Expr{tir.FloorDiv(v(0), n), tir.FloorDiv(v(1), four), v(2), v(3), tir.FloorMod(v(0), n), tir.FloorMod(v(1), four)}
		shape = []int64{(dims[0] + p.block - 1) / p.block, (dims[1] + 3) / 4, dims[2], dims[3], p.block}
	case 5: // OIHW16o
		m.Final = []tir.Expr{v(0), tir.FloorDiv(v(1), four), v(2), v(3), v(4), tir.FloorMod(v(1), four)}
		shape = []int64{dims[0], (dims[1] + 3) / 4, dims[2], dims[3], p.block}
	default: // OIHW16i16o
		m.Final = []tir.Expr{v(0), v(1), v(2), v(3), tir.FloorDiv(v(4), four), v(5), tir.FloorMod(v(4), four)}
		shape = []int64{dims[0], dims[1], dims[2], dims[3], p.block / 4, p.block}
	}
	call := op.LayoutTransform(w, m)
	if len(dims) == 4 && dims[0]%p.block != 0 || len(dims) < 6 && dims[1]%4 != 0 {
		call.Attrs = call.Attrs.With("pad_value", tir.Const(d, 0))
	}
	return call, relax.Ints(shape)
}
