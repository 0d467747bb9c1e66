package topi

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// Unpack returns a tensor without split axes, and its layout: NCHW for x in layout NCHW16c. A tensor whose layout splits none is x itself.
func Unpack(x *te.Tensor, layout string) (*te.Tensor, string, error) {
	l, err := tensorlayout.Parse(layout)
	if err != nil || !l.Blocked() {
		return x, layout, err
	}
	letters := l.Letters()
	return te.Compute("unpack", simplified(l.Extents(letters, x.Shape)), func(i []tir.Expr) tir.Expr {
		return x.At(l.Physical(letters, i)...)
	}), letters, nil
}

// Pack returns x, in the layout without its parts, in a layout that splits axes. Axes are filled up with zeros to whole parts.
func Pack(x *te.Tensor, layout string) (*te.Tensor, error) {
	l, err := tensorlayout.Parse(layout)
	if err != nil || !l.Blocked() {
		return x, err
	}
	letters := l.Letters()
	an := arith.NewAnalyzer()
	var cut []int // axes whose last part may not be whole
	for k, e := range l.Extents(letters, l.Shape(letters, x.Shape)) {
		if !tir.IsConst(an.Simplify(tir.Sub(e, x.Shape[k])), 0) {
			cut = append(cut, k)
		}
	}
	return te.Compute("pack", simplified(l.Shape(letters, x.Shape)), func(i []tir.Expr) tir.Expr {
		at := l.Logical(letters, i)
		e := x.At(at...)
		var inside []tir.Expr
		for _, k := range cut {
			inside = append(inside, tir.LT(at[k], x.Shape[k]))
		}
		if len(inside) == 0 {
			return e
		}
		return tir.IfThenElseExpr(all(inside), e, tir.Const(x.DType, 0))
	}), nil
}

func simplified(list []tir.Expr) []tir.Expr {
	an := arith.NewAnalyzer()
	out := make([]tir.Expr, len(list))
	for i, e := range list {
		out[i] = an.Simplify(e)
	}
	return out
}

// unpackedLayout is the layout without the parts of axes, layout itself if it has none or is not one.
func unpackedLayout(layout string) string {
	if l, err := tensorlayout.Parse(layout); err == nil && l.Blocked() {
		return l.Letters()
	}
	return layout
}

// WithoutParts computes f, which takes tensors in layouts without split axes and returns one like them, on tensors in any layouts. f gets
// the tensors and their layouts, and that of the result, where result has no parts either.
func WithoutParts(xs []*te.Tensor, layouts []string, result string, f func(xs []*te.Tensor, layouts []string, result string) (*te.Tensor, error)) (*te.Tensor, error) {
	plain, names := make([]*te.Tensor, len(xs)), make([]string, len(xs))
	for i, x := range xs {
		var err error
		if plain[i], names[i], err = Unpack(x, layouts[i]); err != nil {
			return nil, err
		}
	}
	out, err := f(plain, names, unpackedLayout(result))
	if err != nil {
		return nil, err
	}
	return Pack(out, result)
}
