package tirpass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// A statement that computes dst[i] = f(src[i]), and is the last to read src and the first to write dst, may write each element of dst
// over the one that it was computed from. This holds if every element of src is read only where the element of dst at the same place is computed,
// and that happens once: the indices differ between any two iterations of the loops around, and any two threads that share the memory.
//
// TVM asks for the indices to be equal only, and relies on schedules to write each element once.

// inPlaceCheck looks at one statement for two allocations.
type inPlaceCheck struct {
	dst, src *tir.Var
	iters    map[*tir.Var]*tir.Range // loops and threads around the present statement
	store    *tir.BufferStore        // to dst, whose value is visited
	nested   bool                    // within an index, or in the indices of a load
	stores   int                     // to dst
	reads    int                     // of src
	an       *arith.Analyzer
	why      string
}

// computedInPlace says why s, in the given threads, cannot write dst over src; "" if it can.
func computedInPlace(c *pass.Context, s tir.Stmt, threads []*tir.IterVar, dst, src *liveAlloc) string {
	p := &inPlaceCheck{dst: dst.node.Var, src: src.node.Var, iters: map[*tir.Var]*tir.Range{}, an: arith.Bounded(c.Budget())}
	for _, t := range threads {
		if sharedBetween(dst.scope, t.ThreadTag) {
			p.iters[t.Var] = t.Dom
		}
	}
	switch s.(type) {
	case *tir.AttrStmt, *tir.For, *tir.IfThenElse, *tir.BufferStore:
		p.visit(s)
	default:
		return "it is not written by a loop or a store"
	}
	switch {
	case p.why != "":
		return p.why
	case p.reads == 0 || p.stores != 1:
		return src.node.Var.Name + " and it are not accessed by one store only"
	}
	return ""
}

// sharedBetween reports whether threads of a kind have memory of a scope in common.
func sharedBetween(scope, tag string) bool {
	kind, _, _ := splitScope(scope)
	switch kind {
	case "global":
		return true
	case "shared", "warp":
		return !strings.HasPrefix(tag, "blockIdx.")
	}
	return false
}

func (p *inPlaceCheck) refuse(why string) {
	if p.why == "" {
		p.why = why
	}
}

func (p *inPlaceCheck) visit(n ir.Node) {
	if p.why != "" {
		return
	}
	switch n := n.(type) {
	case *tir.Var:
		if n == p.dst || n == p.src {
			p.refuse("the address of " + n.Name + " is taken")
		}
	case *tir.While:
		p.refuse("a while loop may write an element twice")
	case *tir.For:
		p.visit(n.Min)
		p.visit(n.Extent)
		p.iters[n.LoopVar] = &tir.Range{Min: n.Min, Extent: n.Extent}
		if n.Step != nil && !tir.IsConst(n.Step, 1) {
			p.iters[n.LoopVar] = &tir.Range{Min: n.Min, Extent: tir.Div(tir.Sub(tir.Add(n.Extent, n.Step), tir.Const(n.Step.DType(), 1)), n.Step)}
			p.refuse("a loop has steps")
		}
		p.visit(n.Body)
		delete(p.iters, n.LoopVar)
	case *tir.AttrStmt:
		if n.Key == keyExternScope || n.Key == keyVolatileScope {
			p.refuse("code may do there what is not visible")
		}
		if iv := n.BoundThread(); iv != nil {
			p.iters[iv.Var] = &tir.Range{Min: tir.Const(iv.Var.DType(), 0), Extent: n.Value}
		}
		n.EachChild(p.visit)
	case *tir.BufferStore:
		p.storing(n)
	case *tir.BufferLoad:
		p.load(n)
	case *tir.Call:
		if op, _ := callOp(n, true); op == tir.OpAddressOf.Name {
			if l, ok := n.Args[0].(*tir.BufferLoad); ok && (l.Buffer.Data == p.src || l.Buffer.Data == p.dst) {
				p.refuse("the address of an element of " + l.Buffer.Name + " is taken")
			}
		}
		n.EachChild(p.visit)
	default:
		n.EachChild(p.visit)
	}
}

func (p *inPlaceCheck) storing(n *tir.BufferStore) {
	outer := p.nested
	p.nested = true
	for _, e := range n.Indices {
		p.visit(e)
	}
	p.nested = outer
	switch n.Buffer.Data {
	case p.src:
		p.refuse(n.Buffer.Name + " is written there")
	case p.dst:
		p.stores++
		p.store = n
		p.visit(n.Value)
		p.store = nil
	default:
		p.visit(n.Value)
	}
	if n.Predicate != nil {
		p.visit(n.Predicate)
	}
}

func (p *inPlaceCheck) load(n *tir.BufferLoad) {
	data := n.Buffer.Data
	switch {
	case data == p.dst:
		p.refuse(n.Buffer.Name + " is read there")
	case p.nested:
		p.refuse("an index is loaded from " + n.Buffer.Name)
	case data == p.src:
		p.reads++
		s := p.store
		if s == nil || s.Value.DType() != n.DType() || !sameLayout(s.Buffer, n.Buffer) || !slices.EqualFunc(s.Indices, n.Indices, tir.Equal) {
			p.refuse(n.Buffer.Name + " is read where another element is written")
		} else if p.reads == 1 && !p.once(s.Indices) {
			p.refuse("an element may be written twice")
		}
	}
	p.nested = true
	for _, e := range n.Indices {
		p.visit(e)
	}
	p.nested = false
	if n.Predicate != nil {
		p.visit(n.Predicate)
	}
}

// sameLayout reports whether equal indices are equal addresses, if the data are.
func sameLayout(a, b *tir.Buffer) bool {
	offset := func(b *tir.Buffer) tir.Expr {
		if b.ElemOffset == nil {
			return tir.Int32(0)
		}
		return b.ElemOffset
	}
	return a.DType == b.DType && slices.EqualFunc(a.Shape, b.Shape, tir.Equal) && slices.EqualFunc(a.Strides, b.Strides, tir.Equal) &&
		(tir.Equal(offset(a), offset(b)) || tir.IsConst(offset(a), 0) && tir.IsConst(offset(b), 0))
}

// once reports whether the indices differ between any two iterations of the loops and threads around.
func (p *inPlaceCheck) once(indices []tir.Expr) bool {
	iters := map[*tir.Var]*tir.Range{}
	for v, r := range p.iters {
		if !tir.IsConst(r.Extent, 1) {
			iters[v] = r
		}
	}
	list := slices.Clone(indices)
	if n := len(list); n > 0 {
		if r, ok := list[n-1].(*tir.Ramp); ok { // the lanes are an inner loop
			if r.Scalable {
				return false
			}
			d := r.Start.DType()
			lane := tir.NewVar("lane", d)
			iters[lane] = &tir.Range{Min: tir.Const(d, 0), Extent: tir.Const(d, int64(r.Lanes))}
			list[n-1] = tir.Add(r.Start, tir.Mul(lane, r.Stride))
		}
	}
	if len(iters) == 0 {
		return true
	}
	for _, e := range list {
		if e.DType().Lanes > 1 {
			return false
		}
	}
	return len(arith.DetectIterMap(list, iters, nil, arith.Bijective, p.an, true).Indices) == len(list) && len(list) > 0
}
