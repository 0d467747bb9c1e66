package tirpass

import (
	"cmp"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// PointerValueTypeRewrite gives buffers that are accessed as vectors elements that are vectors.
var PointerValueTypeRewrite = &pass.Pass{
	Name: "tir.PointerValueTypeRewrite", Kind: pass.PrimFunc,
	Doc: "Makes buffers whose accesses all are vectors of one length, aligned to that length, buffers of such vectors. Where only scalars are read from such a buffer, they are taken out of the vector. Parameters of a kernel that a Relax function calls stay as they are: it hands over tensors of their types.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		called := calledFromGraphs(m)
		return pass.EachPrimFunc(func(c *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			return rewritePointers(c, f, pointerRules{params: !called[gv.Name], allocations: true, constants: true, lets: true, shuffles: true})
		})(c, m)
	},
}

// calledFromGraphs are the names of the functions that Relax functions of a module mention.
func calledFromGraphs(m *ir.Module) map[string]bool {
	out := map[string]bool{}
	for _, fn := range m.Funcs() {
		if _, ok := fn.(*tir.PrimFunc); ok {
			continue
		}
		ir.Walk(fn, func(n ir.Node) bool {
			if gv, ok := n.(*ir.GlobalVar); ok {
				out[gv.Name] = true
			}
			return true
		})
	}
	return out
}

// pointerRules says what rewritePointers rewrites.
type pointerRules struct {
	params, allocations, constants, lets bool
	shuffles                             bool // scalars may be read out of vectors
	untyped                              bool // pointers that do not say what they point at are taken too
	lenient                              bool // buffers that are not declared below blocks, or more than once, are left alone
}

// pointedAt is what is known of the data of a buffer.
type pointedAt struct {
	v        *tir.Var
	elem     dtype.DType
	extent   tir.Expr // of the last dimension
	rewrites bool     // whether its kind of declaration is to be rewritten
	accesses map[dtype.DType]bool
	scalars  map[dtype.DType]bool // scalar reads, with as many lanes as their index is a multiple of
	masked   bool                 // an access is under a predicate, or of a kind that stays as it is
	place    ir.Node
}

// pointerTypes finds how the data of each buffer is accessed.
type pointerTypes struct {
	rules pointerRules
	an    *arith.Analyzer
	info  map[*tir.Var]*pointedAt
	order []*pointedAt
	err   error
}

func storedAs(d dtype.DType) dtype.DType {
	if d.IsBool() {
		return dtype.Int8T.WithLanes(max(int(d.Lanes), 1))
	}
	return d
}

func (p *pointerTypes) declare(v *tir.Var, d dtype.DType, extent tir.Expr, rewrites bool, place ir.Node) {
	if old := p.info[v]; old != nil {
		if p.rules.lenient {
			old.masked = true
			return
		}
		//lint:ignore ST1005 as TVM says it
		p.err = cmp.Or(p.err, fmt.Errorf("Array declaration of %s occurred multiple times.: give each its own variable", v.Name))
		return
	}
	a := &pointedAt{v: v, elem: storedAs(d), extent: extent, rewrites: rewrites, accesses: map[dtype.DType]bool{}, scalars: map[dtype.DType]bool{}, place: place}
	a.masked = d.IsBool() // a vector of conditions is none of bytes
	p.info[v] = a
	p.order = append(p.order, a)
}

// pointee is the type of what a pointer points at.
func pointee(v *tir.Var) (dtype.DType, bool) {
	if p, ok := v.Type.(*ir.PointerType); ok {
		if e, ok := p.Elem.(*ir.PrimType); ok {
			return e.DType, true
		}
	}
	return dtype.DType{}, false
}

func (p *pointerTypes) function(f *tir.PrimFunc) {
	for i, v := range f.Params {
		if b := f.Buffers[i]; b != nil {
			extent := tir.Expr(tir.Int32(0))
			if n := len(b.Shape); n > 0 {
				extent = b.Shape[n-1]
			}
			if p.info[b.Data] == nil { // two parameters may be of one buffer
				p.declare(b.Data, b.DType, extent, p.rules.params, f)
			}
		} else if d, ok := pointee(v); ok {
			p.declare(v, d, tir.Int32(0), p.rules.params, f)
		}
	}
	ir.Walk(f.Body, func(n ir.Node) bool { p.visit(n); return p.err == nil })
}

// lastExtent is the last of a list of extents, 1 where there is none.
func lastExtent(list []tir.Expr) tir.Expr {
	if n := len(list); n > 0 {
		return list[n-1]
	}
	return tir.Int32(1)
}

func (p *pointerTypes) visit(n ir.Node) {
	switch n := n.(type) {
	case *tir.Allocate:
		p.declare(n.Var, n.Type, lastExtent(n.Extents), p.rules.allocations, n)
	case *tir.AllocateConst:
		p.declare(n.Var, n.Type, lastExtent(n.Extents), p.rules.constants, n)
	case *tir.LetStmt:
		p.let(n.Var, n)
	case *tir.Let:
		p.let(n.Var, n)
	case *tir.BufferLoad:
		p.access(n.DType(), n.Buffer.Data, n.Indices, true, n.Predicate)
		p.shifted(n.Buffer)
	case *tir.BufferStore:
		p.access(n.Value.DType(), n.Buffer.Data, n.Indices, false, n.Predicate)
		p.shifted(n.Buffer)
	case *tir.Call:
		switch op, _ := callOp(n, true); op {
		case tir.OpAccessPtr.Name:
			if v, ok := n.Args[1].(*tir.Var); ok {
				p.access(n.Args[0].DType(), v, n.Args[2:3], false, nil)
			}
		case tir.OpAddressOf.Name:
			if l, ok := n.Args[0].(*tir.BufferLoad); ok {
				p.access(l.DType(), l.Buffer.Data, l.Indices, false, l.Predicate)
			}
		}
	}
}

// shifted keeps the type of buffers whose elements are not one behind the other from the beginning of the data, as indices are rewritten only.
func (p *pointerTypes) shifted(b *tir.Buffer) {
	if a := p.info[b.Data]; a != nil && (len(b.Strides) > 0 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0)) {
		a.masked = true
	}
}

func (p *pointerTypes) let(v *tir.Var, place ir.Node) {
	if !v.DType().IsHandle() {
		return
	}
	d, ok := pointee(v)
	switch {
	case ok:
		p.declare(v, d, tir.Int32(0), p.rules.lets, place)
	case p.rules.untyped:
		p.declare(v, dtype.HandleT, tir.Int32(0), p.rules.lets, place)
	default:
		//lint:ignore ST1005 as TVM says it
		p.err = cmp.Or(p.err, fmt.Errorf("Let statement of variable %s is missing a type annotation, or type annotation is not a pointer to primitive", v.Name))
	}
}

func (p *pointerTypes) access(value dtype.DType, v *tir.Var, indices []tir.Expr, load bool, predicate tir.Expr) {
	a := p.info[v]
	if a == nil && p.rules.lenient {
		return
	}
	if a == nil {
		//lint:ignore ST1005 as TVM says it
		p.err = cmp.Or(p.err, fmt.Errorf("Load/Store of buffer %s occurred before its declaration.", v.Name))
		return
	}
	if value.Scalable {
		a.masked = true // accesses of unknown length stay as they are, and so must all others
		return
	}
	a.masked = a.masked || predicate != nil
	value = storedAs(value)
	if a.elem.IsHandle() && !value.IsHandle() {
		a.elem = value.WithLanes(1)
	}
	lanes, index := max(int(a.elem.Lanes), 1), tir.Expr(nil)
	if n := len(indices); n > 0 {
		index = indices[n-1]
	}
	width := 1
	if index != nil {
		width = max(int(index.DType().Lanes), 1)
	}
	if width*lanes != max(int(value.Lanes), 1) {
		a.elem, lanes = a.elem.WithLanes(1), 1
	}
	if r, ok := index.(*tir.Ramp); ok && !r.Scalable && tir.IsConst(r.Stride, 1) && p.multiple(r.Start, int64(r.Lanes)) {
		lanes = r.Lanes
	}
	if p.rules.shuffles && load && index != nil && width == 1 {
		m := p.an.ModularSet(index)
		a.scalars[value.WithLanes(int(min(m.Coeff, 1<<15)))] = true
		return
	}
	a.accesses[value.WithLanes(lanes)] = true
}

// multiple reports whether e is known to be a multiple of n.
func (p *pointerTypes) multiple(e tir.Expr, n int64) bool {
	m := p.an.ModularSet(e)
	return m.Coeff%n == 0 && m.Base%n == 0
}

// preferred is the type that the elements should have.
func (p *pointerTypes) preferred(a *pointedAt) dtype.DType {
	bases := map[dtype.DType]bool{}
	for d := range a.accesses {
		bases[d.WithLanes(1)] = true
	}
	for d := range a.scalars {
		bases[d.WithLanes(1)] = true
	}
	if len(bases) != 1 || a.masked {
		return a.elem
	}
	lanes := max(int(a.elem.Lanes), 1)
	var base dtype.DType
	for base = range bases { // the only one
	}
	if lanes == 1 && len(a.accesses) == 1 {
		for d := range a.accesses { // the only one
			want := max(int(d.Lanes), 1)
			for s := range a.scalars {
				if int(s.Lanes)%want != 0 {
					return a.elem
				}
			}
			if p.multiple(a.extent, int64(want)) {
				lanes = want
			}
		}
	}
	return base.WithLanes(lanes)
}
