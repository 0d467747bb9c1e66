package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// tensorPart is a tensor that a block allocates: whole, or a part of another one.
type tensorPart struct {
	binding *relax.VarBinding
	alloc   *relax.Call
	at      int // place of the allocation in the block

	in     *tensorPart // which it is a part of, from the byte offset on
	offset int64

	// Of a whole tensor, its parts included:
	first   int // the first allocation
	lastUse int
	writes  []int // to itself under any name, in order; not to parts
	lost    bool  // it outlives the block, or is part of what cannot be followed
	grouped bool  // it has parts
}

// place returns the tensor that p is a part of in the end, and where it begins there, in bytes.
func (p *tensorPart) place() (*tensorPart, int64) {
	if p.in == nil {
		return p, 0
	}
	whole, offset := p.in.place()
	p.in, p.offset = whole, p.offset+offset
	return p.in, p.offset
}

// copyGroups knows the tensors of a block and how they are used.
type copyGroups struct {
	parts map[*relax.Var]*tensorPart // by the allocation, and by other names and views of all of it
	order []*tensorPart
	used  map[*relax.Var]bool
}

// groupsOf finds the tensors of b. outer are the variables that are used outside of it.
func (e *copyElision) groupsOf(b *relax.BindingBlock, outer map[*relax.Var]bool) *copyGroups {
	g := &copyGroups{parts: map[*relax.Var]*tensorPart{}, used: map[*relax.Var]bool{}}
	for i, x := range b.Bindings {
		value := x.BoundValue()
		vb, single := x.(*relax.VarBinding)
		if c := callsOp(value, opBuiltinAlloc); c != nil && single {
			p := &tensorPart{binding: vb, alloc: c, at: i, first: i, lastUse: i}
			g.parts[vb.Var], g.order = p, append(g.order, p)
			continue
		}
		call, kernel := e.kernel(value)
		each := func(v *relax.Var, writes, follows bool) {
			g.used[v] = true
			p := g.parts[v]
			if p == nil {
				return
			}
			p.lastUse = i
			if writes {
				p.writes = append(p.writes, i)
			}
			p.lost = p.lost || !follows
		}
		switch {
		case call != nil:
			for n, a := range call.Args {
				usedVars(a, func(v *relax.Var) { each(v, kernel.writes[n], true) })
			}
		case single && sameMemory(value) != nil:
			v := sameMemory(value)
			each(v, false, true)
			if p := g.parts[v]; p != nil {
				g.parts[vb.Var] = p
			}
		case opName(value) == opShapeOf:
			usedVars(value, func(v *relax.Var) { each(v, false, true) })
		default:
			usedVars(value, func(v *relax.Var) { each(v, true, false) })
		}
	}
	for v, p := range g.parts {
		p.lost = p.lost || outer[v]
		g.used[v] = g.used[v] || outer[v]
	}
	return g
}

// sameMemory returns the variable that value is another name or a view of, nil if it is none.
func sameMemory(value relax.Expr) *relax.Var {
	if c, ok := value.(*relax.Call); ok && opName(c) == opReshape {
		value = c.Args[0]
	}
	v, _ := value.(*relax.Var)
	return v
}

// place makes the inputs of the copy that is the i-th binding parts of its output. If that cannot be, it says why and leaves all as it is.
func (g *copyGroups) place(i int, x relax.Binding, call *relax.Call, k *copyKernel) string {
	if g.used[x.Bound()] {
		return "its result, which is empty, is used"
	}
	to := g.tensor(call.Args[k.out])
	if to == nil || to.in != nil || !knownShape(to.alloc) {
		return "what it writes is not allocated in its block, with a known shape"
	}
	inputs := map[*tensorPart]int64{} // and their places
	lastUse := i
	for n, a := range call.Args {
		if n == k.out {
			continue
		}
		p := g.tensor(a)
		if why := unfit(p, to, i, k.offset[n]); why != "" {
			return fmt.Sprintf("input %d: %s", n, why)
		}
		if _, twice := inputs[p]; twice {
			return fmt.Sprintf("input %d is copied twice", n)
		}
		inputs[p] = k.offset[n]
		lastUse = max(lastUse, p.lastUse)
	}
	for _, w := range to.writes {
		if w != i && w <= lastUse {
			return "what it writes is also written elsewhere while an input is needed"
		}
	}
	for p, offset := range inputs {
		p.in, p.offset = to, offset
		to.first, to.lastUse = min(to.first, p.first), max(to.lastUse, p.lastUse) // none was written later than to
	}
	to.grouped = true
	return ""
}

// tensor returns the tensor that e stands for, nil if the block does not allocate it.
func (g *copyGroups) tensor(e relax.Expr) *tensorPart {
	v, _ := e.(*relax.Var)
	return g.parts[v]
}

// knownShape reports whether an allocation depends on nothing, so that it may stand anywhere.
func knownShape(alloc *relax.Call) bool {
	shape, ok := alloc.Args[0].(*relax.ShapeExpr)
	return ok && !slices.ContainsFunc(shape.Values, tir.Symbolic)
}

// unfit says why p cannot be the part of a tensor from a byte on that the i-th binding copies it to, "" if it can.
func unfit(p, to *tensorPart, i int, offset int64) string {
	switch {
	case p == nil:
		return "it is not allocated in the block"
	case p.in != nil:
		return "it is a part of another tensor already"
	case p == to:
		return "it is copied to itself"
	case p.lost:
		return "it outlives the block, or something unknown uses it"
	case len(p.writes) > 0 && p.writes[len(p.writes)-1] > i:
		return "it is written again behind the copy"
	case offset%tir.DefaultAlignment != 0:
		return fmt.Sprintf("its place, byte %d, is no multiple of %d", offset, tir.DefaultAlignment)
	case !ir.StructuralEqual(p.alloc.Args[2], to.alloc.Args[2], ir.EqualOpts{}) || !ir.StructuralEqual(p.alloc.Args[3], to.alloc.Args[3], ir.EqualOpts{}):
		return "it is on another device or in another memory scope"
	}
	return ""
}
