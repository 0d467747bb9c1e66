package tirpass

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func sameExprs(a, b []tir.Expr) bool { return slices.EqualFunc(a, b, tir.Equal) }

// allocation makes the statements that allocate the memory of an entry, none if it is a part of another one.
func (r *storageRewriter) allocation(e *storageEntry) {
	first := e.allocs[0]
	if e.placed == nil {
		e.placed = e
	}
	if e.placed != e {
		return
	}
	typ, same := first.node.Type, len(e.pieces) <= 1
	for _, a := range e.allocs[1:] {
		if a.node.Type.Lanes > typ.Lanes {
			typ = a.node.Type
		}
		same = same && a.node.Type == first.node.Type && sameExprs(a.node.Extents, first.node.Extents)
	}
	e.v = first.node.Var
	if typ != first.node.Type {
		v := *e.v
		v.Type = &ir.PointerType{Elem: &ir.PrimType{DType: typ}, Scope: scopeName(e.v)}
		e.v = &v
	}
	out := &tir.Allocate{Base: first.node.Base, Var: e.v, Type: typ, Condition: tir.Bool(true)}
	switch {
	case len(e.pieces) > 1:
		out.Type = out.Type.Elem()
		last := e.pieces[len(e.pieces)-1]
		out.Extents = []tir.Expr{constSize(e, last.offset+last.bits, out.Type)}
	case same:
		out.Extents = ir.MapSame(first.node.Extents, func(x tir.Expr) tir.Expr { return r.extent(first, x) })
	case e.bits > 0:
		out.Extents = []tir.Expr{constSize(e, e.bits, typ)}
	default:
		out.Extents = []tir.Expr{r.largest(e, typ)}
	}
	e.nest = []tir.Stmt{out}
	if same && first.decl != nil && r.live.accessed[first.decl] {
		r.hoisted[first.decl] = true
		e.nest = append(e.nest, &tir.DeclBuffer{Base: first.node.Body.(*tir.DeclBuffer).Base, Buffer: first.decl})
	}
}

// extent is an extent of an allocation where it is moved to: what may be negative there, as conditions around do not hold, becomes 0.
func (r *storageRewriter) extent(a *liveAlloc, x tir.Expr) tir.Expr {
	zero := tir.Const(x.DType(), 0)
	if _, ok := tir.AsInt(x); ok || !a.guarded || r.an.CanProve(tir.GE(x, zero)) {
		return x
	}
	return tir.Max(x, zero)
}

// largest is the size of memory in elements of type typ, of which not all allocations have constant sizes.
func (r *storageRewriter) largest(e *storageEntry, typ dtype.DType) tir.Expr {
	width, unit := elemBits(typ), elemBits(typ)
	for _, a := range e.allocs {
		if elemBits(a.node.Type) != width {
			unit = 1
		}
	}
	var out tir.Expr
	for _, a := range e.allocs {
		n := r.extent(a, a.node.Extents[0])
		n = tir.Mul(n, tir.Const(n.DType(), elemBits(a.node.Type)/unit))
		if out == nil {
			out = n
		} else {
			out = maxOf(out, n)
		}
	}
	w := tir.Const(out.DType(), width/unit)
	if !r.an.CanProve(tir.EQ(tir.FloorMod(out, w), tir.Const(out.DType(), 0))) {
		return r.an.Simplify(tir.Add(tir.FloorDiv(out, w), tir.Const(out.DType(), 1)))
	}
	return r.an.Simplify(tir.FloorDiv(out, w))
}

func elemBits(d dtype.DType) int64 { return int64(d.Bits) * max(int64(d.Lanes), 1) }

// maxOf is the larger of two sizes, in the wider type.
func maxOf(a, b tir.Expr) tir.Expr {
	if a.DType().Bits < b.DType().Bits {
		a = tir.CastTo(b.DType(), a)
	} else {
		b = tir.CastTo(a.DType(), b)
	}
	return tir.Max(a, b)
}

// constSize is a size of so many bits in elements of type typ.
func constSize(e *storageEntry, bits int64, typ dtype.DType) tir.Expr {
	width := elemBits(typ)
	n := (bits + width - 1) / width
	for _, a := range e.allocs {
		for _, x := range a.node.Extents {
			if x.DType().Bits > 32 || n > math.MaxInt32 {
				return tir.Int(n)
			}
		}
	}
	return tir.Int32(n)
}
