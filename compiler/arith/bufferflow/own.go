package bufferflow

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// access is a load or a store in a loop.
type access struct {
	indices []tir.Expr
	write   bool
	inside  []*tir.Var // the loops between the loop and the access
}

// accesses returns the accesses in the body of x by buffer, of the buffers that are followed. An assumption
// about an element counts as a write.
func (f *flow) accesses(x *tir.For) map[*tir.Buffer][]access {
	if got, ok := f.inLoop[x]; ok {
		return got
	}
	out := map[*tir.Buffer][]access{}
	add := func(b *tir.Buffer, indices []tir.Expr, write bool, inside []*tir.Var) {
		if _, ok := f.axes[b]; ok {
			out[b] = append(out[b], access{indices, write, inside})
		}
	}
	var visit func(n ir.Node, inside []*tir.Var)
	visit = func(n ir.Node, inside []*tir.Var) {
		f.step(1)
		switch n := n.(type) {
		case *tir.For:
			inside = append(slices.Clip(inside), n.LoopVar)
		case *tir.BufferLoad:
			add(n.Buffer, n.Indices, false, inside)
		case *tir.BufferStore:
			add(n.Buffer, n.Indices, true, inside)
		case *tir.Call:
			if n.Op == ir.Callee(tir.OpAssume) {
				ir.Walk(n, func(n ir.Node) bool {
					if l, ok := n.(*tir.BufferLoad); ok {
						add(l.Buffer, l.Indices, true, inside)
					}
					return true
				})
			}
		}
		n.EachChild(func(c ir.Node) { visit(c, inside) })
	}
	visit(x.Body, nil)
	f.inLoop[x] = out
	return out
}

// written reports whether x stores to b.
func (f *flow) written(x *tir.For, b *tir.Buffer) bool {
	return slices.ContainsFunc(f.accesses(x)[b], func(a access) bool { return a.write })
}

// owner returns the only iteration of x in which an element of b is touched, as an expression in the
// position of the element; nil if there may be several. Without reads, only writes count.
//
// It finds an axis along which all accesses have an index c*i + inner + outer where i is the variable of x,
// inner comes from the loops inside x and lies in 0..c-1, and outer does not change in x: then i is
// (position - outer) // c.
func (f *flow) owner(x *tir.For, b *tir.Buffer, reads bool) tir.Expr {
	for d, axis := range f.axes[b] {
		var own tir.Expr
		all := true
		for _, ac := range f.accesses(x)[b] {
			if !reads && !ac.write {
				continue
			}
			e := f.ownerAt(x.LoopVar, ac, d, axis)
			if all = e != nil && (own == nil || arith.Equal(own, e)); !all {
				break
			}
			own = e
		}
		if all && own != nil {
			return own
		}
	}
	return nil
}

func (f *flow) ownerAt(v *tir.Var, ac access, d int, axis *tir.Var) tir.Expr {
	e := tir.SubstExpr(ac.indices[d], f.lets)
	if !f.fixed(e) || e.DType() != axis.DType() {
		return nil
	}
	coeff, base, ok := arith.DetectLinearEquation(e, []*tir.Var{v})
	if !ok {
		return nil
	}
	zero := map[*tir.Var]tir.Expr{}
	for _, i := range ac.inside {
		zero[i] = tir.Const(i.DType(), 0)
	}
	outer := f.a.Simplify(tir.SubstExpr(base, zero))
	inner := f.a.ConstIntBound(f.a.Simplify(tir.Sub(base, outer)))
	c, _ := tir.AsInt(f.a.Simplify(coeff[0]))
	switch {
	case c == -1 && inner == (arith.Bound{}):
		return f.a.Simplify(tir.Sub(outer, axis))
	case c > 0 && inner.Min >= 0 && inner.Max < c:
		return f.a.Simplify(tir.FloorDiv(tir.Sub(axis, outer), tir.Const(axis.DType(), c)))
	}
	return nil
}
