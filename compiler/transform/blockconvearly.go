package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/runtime/dtype"
)

// betweenBytes reports whether an operator is one of those between real numbers and the bytes that stand for them, which work on each element by itself.
func betweenBytes(name string) bool {
	switch name {
	case "relax.add", "relax.astype", "relax.clip", "relax.divide", "relax.maximum", "relax.minimum", "relax.multiply", "relax.round", "relax.subtract":
		return true
	}
	return false
}

// earlyBlocks returns the layouts of images of bytes that convolutions want in blocks, and that nothing reads otherwise but what works on each element by itself, as dequantizations do. All
// read the blocks: what is made of the bytes, four times as large, need not be brought into them.
func earlyBlocks(f *relax.Function, layouts func(*relax.Call) []string) map[*relax.Var]tensorlayout.Layout {
	out, other := map[*relax.Var]tensorlayout.Layout{}, map[*relax.Var]bool{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		call, ok := b.BoundValue().(*relax.Call)
		data := (*relax.Var)(nil)
		if ok {
			if l := blocksOf(layouts(call)); l != nil {
				data, _ = call.Args[0].(*relax.Var)
				if data != nil && isByte(typeOf(data)) {
					out[data] = l
				}
			} else if betweenBytes(opName(call)) {
				return
			}
		}
		eachUsed(b.BoundValue(), func(v *relax.Var) { other[v] = other[v] || v != data })
	})
	usedVars(f.Body.Body, func(v *relax.Var) { other[v] = true })
	for v := range other {
		if other[v] {
			delete(out, v)
		}
	}
	return out
}

// blocksOf is the first of the layouts of a convolution, if that has blocks of channels.
func blocksOf(list []string) tensorlayout.Layout {
	if list == nil {
		return nil
	}
	l, err := tensorlayout.Parse(list[0])
	if err != nil || !l.Blocked() {
		return nil
	}
	if l, err = l.Rename(nchw, tensorlayout.Initial(imageRank)); err != nil {
		return nil
	}
	return l
}

// nchw is the layout of images in convolutions that blockedConv takes.
var nchw = tensorlayout.Layout{{Letter: 'N'}, {Letter: 'C'}, {Letter: 'H'}, {Letter: 'W'}}

// typeOf is the type of the elements of a tensor.
func typeOf(e relax.Expr) dtype.DType {
	if t, ok := relax.SInfoOf(e).(*relax.TensorStructInfo); ok {
		return t.DType
	}
	return dtype.DType{}
}

// early brings the operands of a call that are to have blocks before anything reads them into these.
func (l *layoutConverter) early(call *relax.Call) {
	for _, a := range call.Args {
		v, ok := a.(*relax.Var)
		if !ok {
			continue
		}
		to, ok := l.ahead[v]
		if _, moved := l.layouts[v]; !ok || moved {
			continue
		}
		l.layouts[v] = op.Leaf(to)
		l.m.Remap(v, l.m.Emit(l.convert(l.m.Lookup(v), op.InitialLayout(v.SInfo), op.Leaf(to)), ""))
	}
}
