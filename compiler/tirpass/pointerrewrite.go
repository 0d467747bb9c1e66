package tirpass

import (
	"errors"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// repointed is the pointer that takes the place of another one.
type repointed struct {
	v      *tir.Var
	elem   dtype.DType
	factor int // elements of the old type in one of the new
}

type pointerRewriter struct {
	c       *pass.Context
	m       tir.Mapper
	an      *arith.Analyzer
	to      map[*tir.Var]*repointed
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

// rewritePointers gives buffers the element types that fit their accesses.
func rewritePointers(c *pass.Context, f *tir.PrimFunc, rules pointerRules) (*tir.PrimFunc, error) {
	types := &pointerTypes{rules: rules, an: arith.Bounded(c.Budget()), info: map[*tir.Var]*pointedAt{}}
	types.function(f)
	if types.err != nil {
		return nil, types.err
	}
	r := &pointerRewriter{c: c, an: types.an, to: map[*tir.Var]*repointed{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
	for _, a := range types.order {
		want := types.preferred(a)
		if want == a.elem || !a.rewrites {
			continue
		}
		v := *a.v
		v.Type = &ir.PointerType{Elem: &ir.PrimType{DType: want}, Scope: scopeName(a.v)}
		r.to[a.v] = &repointed{&v, want, max(int(want.Lanes), 1) / max(int(a.elem.Lanes), 1)}
		c.Rewrite("give a buffer elements that are vectors", a.v, &v)
	}
	if len(r.to) == 0 {
		return f, nil
	}
	r.m = tir.Mapper{Stmt: r.stmt, Expr: r.expr, Buffer: r.buffer, Var: r.variable}
	params, buffers := ir.MapSame(f.Params, r.variable), ir.MapSame(f.Buffers, func(b *tir.Buffer) *tir.Buffer {
		if b == nil {
			return nil
		}
		return r.buffer(b)
	})
	out := f.WithParams(params).WithBuffers(buffers).WithBody(r.stmt(f.Body))
	if r.err != nil {
		return nil, r.err
	}
	return out, nil
}

// scopeName is the scope of a pointer as its type writes it.
func scopeName(v *tir.Var) string {
	if p, ok := v.Type.(*ir.PointerType); ok {
		return p.Scope
	}
	return ""
}

func (r *pointerRewriter) variable(v *tir.Var) *tir.Var {
	if to := r.to[v]; to != nil {
		return to.v
	}
	return v
}

// scaled divides an extent or an index by the lanes of an element.
func scaled(e tir.Expr, factor int) tir.Expr { return tir.Div(e, tir.Const(e.DType(), int64(factor))) }

func (r *pointerRewriter) buffer(b *tir.Buffer) *tir.Buffer {
	out, ok := r.buffers[b]
	if ok {
		return out
	}
	out = b
	if to := r.to[b.Data]; to != nil {
		again := *b
		again.Data, again.DType = to.v, to.elem
		if n := len(b.Shape); n > 0 {
			again.Shape = append(append([]tir.Expr{}, b.Shape[:n-1]...), scaled(b.Shape[n-1], to.factor))
		}
		out = &again
	}
	r.buffers[b] = out
	return out
}

// index returns the place of an access in a buffer of vectors, and the lane of it, -1 if it is all of the vector.
func (r *pointerRewriter) index(to *repointed, indices []tir.Expr) ([]tir.Expr, int) {
	if len(indices) == 0 {
		return indices, -1
	}
	last, lane := indices[len(indices)-1], -1
	d := last.DType()
	switch ramp, ok := last.(*tir.Ramp); {
	case ok && !ramp.Scalable && tir.IsConst(ramp.Stride, 1):
		at := scaled(ramp.Start, ramp.Lanes)
		if ramp.Lanes != to.factor {
			if ramp.Lanes%to.factor != 0 {
				r.err = errors.New("a vector is accessed across elements: this is a bug of the pass")
				return indices, -1
			}
			n := ramp.Lanes / to.factor
			at = &tir.Ramp{Base: ramp.Base, Start: tir.Mul(at, tir.Const(at.DType(), int64(n))), Stride: ramp.Stride, Lanes: n}
		}
		last = at
	case max(int(d.Lanes), 1) == 1 && to.factor > 1:
		m := r.an.ModularSet(last)
		lane = int(((m.Base % int64(to.factor)) + int64(to.factor)) % int64(to.factor))
		last = scaled(last, to.factor)
	}
	return append(append([]tir.Expr{}, indices[:len(indices)-1]...), last), lane
}

func (r *pointerRewriter) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BufferStore:
		out := r.m.MapStmt(s).(*tir.BufferStore)
		if to := r.to[s.Buffer.Data]; to != nil {
			indices, lane := r.index(to, out.Indices)
			if lane >= 0 {
				r.err = errors.New("a scalar is stored into a vector: this is a bug of the pass")
			}
			return out.WithIndices(indices)
		}
		return out
	case *tir.Allocate:
		out := r.m.MapStmt(s).(*tir.Allocate)
		if to := r.to[s.Var]; to != nil {
			return out.WithType(to.elem).WithExtents(lastScaled(out.Extents, to.factor))
		}
		return out
	case *tir.AllocateConst:
		out := r.m.MapStmt(s).(*tir.AllocateConst)
		if to := r.to[s.Var]; to != nil {
			return out.WithType(to.elem).WithExtents(lastScaled(out.Extents, to.factor))
		}
		return out
	}
	return r.m.MapStmt(s)
}

func lastScaled(extents []tir.Expr, factor int) []tir.Expr {
	out := append([]tir.Expr{}, extents...)
	if n := len(out); n > 0 {
		out[n-1] = scaled(out[n-1], factor)
	}
	return out
}

func (r *pointerRewriter) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		return r.variable(e)
	case *tir.BufferLoad:
		out := r.m.MapExpr(e).(*tir.BufferLoad)
		to := r.to[e.Buffer.Data]
		if to == nil {
			return out
		}
		indices, lane := r.index(to, out.Indices)
		out = out.WithIndices(indices)
		if lane < 0 {
			return out
		}
		return &tir.Shuffle{Base: e.Base, Vectors: []tir.Expr{out}, Indices: []tir.Expr{tir.Int32(int64(lane))}}
	case *tir.Call:
		if op, _ := callOp(e, true); op == tir.OpAccessPtr.Name && len(e.Args) == 5 {
			v, _ := e.Args[1].(*tir.Var)
			to := r.to[v]
			if to == nil {
				break
			}
			elem := &tir.Call{Base: e.Base, Type: to.elem, Op: tir.OpTypeAnnot}
			return e.WithArgs([]tir.Expr{elem, to.v, scaled(r.expr(e.Args[2]), to.factor), scaled(r.expr(e.Args[3]), to.factor), e.Args[4]})
		}
	}
	return r.m.MapExpr(e)
}
