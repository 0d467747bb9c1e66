package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/runtime/dtype"
)

// pointwise are the operators between real numbers and the bytes that stand for them.
var pointwise = map[string]bool{
	"relax.add": true, "relax.astype": true, "relax.clip": true, "relax.divide": true, "relax.maximum": true, "relax.minimum": true, "relax.multiply": true, "relax.round": true, "relax.subtract": true,
}

// earlyBlocks returns the layouts of images of float32 that are quantized, each element by itself, for convolutions that want blocks. Their layout changes in front of the
// quantization, where elements are words, which machines transpose in registers; and whoever else reads the bytes gets them in blocks, too.
func earlyBlocks(f *relax.Function, layouts func(*relax.Call) []string) map[*relax.Var]tensorlayout.Layout {
	readers, defs := map[*relax.Var]int{}, map[*relax.Var]*relax.Call{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		eachUsed(b.BoundValue(), func(v *relax.Var) { readers[v]++ })
		if call, ok := b.BoundValue().(*relax.Call); ok {
			defs[b.Bound()] = call
		}
	})
	usedVars(f.Body.Body, func(v *relax.Var) { readers[v]++ })
	out := map[*relax.Var]tensorlayout.Layout{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		call, ok := b.BoundValue().(*relax.Call)
		if !ok {
			return
		}
		list := layouts(call)
		if list == nil {
			return
		}
		l, err := tensorlayout.Parse(list[0])
		v, isVar := call.Args[0].(*relax.Var)
		if err != nil || !l.Blocked() || !isVar || !isByte(typeOf(v)) {
			return
		}
		if l, err = l.Rename(nchw, tensorlayout.Initial(imageRank)); err != nil {
			return
		}
		for v != nil && defs[v] != nil {
			if v = imageOf(defs[v]); v == nil || readers[v] != 1 {
				return
			}
			if typeOf(v) == dtype.Float32T && imageOf(defs[v]) == nil {
				out[v] = l
				return
			}
		}
	})
	return out
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

// imageOf is the image of which a call makes one number of each, nil where it does something else or needs other images.
func imageOf(call *relax.Call) *relax.Var {
	if call == nil || !pointwise[opName(call)] {
		return nil
	}
	var image *relax.Var
	for _, a := range call.Args {
		t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
		if !ok || t.NDim == 0 {
			continue
		}
		v, isVar := a.(*relax.Var)
		if image != nil || !isVar || t.NDim != imageRank {
			return nil
		}
		image = v
	}
	return image
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
