package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

func (v *virtualThread) expr(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Var:
		if v.strides[x] != nil {
			v.fail("the pointer %s of a buffer that gets a part for each thread is used other than by buffers", x.Name)
		}
		v.met = v.met || v.touched[x]
		return e
	case *tir.BufferLoad:
		l := v.m.MapExpr(x).(*tir.BufferLoad)
		v.met = v.met || v.touched[l.Buffer.Data]
		return l.WithIndices(v.at(l.Buffer, l.Indices))
	case *tir.Call:
		if _, ok := tir.IsCallTo(x, tir.OpAccessPtr); ok && len(x.Args) == 5 {
			return v.accessPtr(x)
		}
		if op, ok := x.Op.(*ir.Op); ok && op.Name == "tir.tvm_context_id" && !v.share {
			v.met = true
			return v.v
		}
	}
	return v.m.MapExpr(e)
}

// accessPtr moves a pointer into a buffer with parts to that of the thread.
func (v *virtualThread) accessPtr(x *tir.Call) tir.Expr {
	p, ok := x.Args[1].(*tir.Var)
	if !ok {
		return v.m.MapExpr(x)
	}
	v.met = v.met || v.touched[p]
	stride := v.strides[p]
	offset, extent := v.expr(x.Args[2]), v.expr(x.Args[3])
	if stride != nil {
		v.met = true
		lanes := int64(x.Args[0].DType().Lanes)
		part := tir.CastTo(offset.DType(), stride)
		if lanes > 1 {
			part = tir.Div(part, tir.Const(part.DType(), lanes))
		}
		offset = v.an.Simplify(tir.Add(offset, tir.Mul(tir.CastTo(offset.DType(), v.v), part)))
	}
	return x.WithArgs([]tir.Expr{x.Args[0], p, offset, extent, x.Args[4]})
}

// at returns indices into the part of the thread, for buffers with parts.
func (v *virtualThread) at(b *tir.Buffer, indices []tir.Expr) []tir.Expr {
	stride := v.strides[b.Data]
	if stride == nil {
		return indices
	}
	v.met = true
	if len(indices) != 1 {
		v.fail("buffer %s is accessed by %d indices: run tir.FlattenBuffer first", b.Name, len(indices))
		return indices
	}
	e := indices[0]
	scalar := e.DType().WithLanes(1)
	part := tir.Mul(tir.CastTo(scalar, v.v), tir.CastTo(scalar, stride))
	return []tir.Expr{v.an.Simplify(tir.Add(e, widen(part, int(e.DType().Lanes))))}
}

// buffer returns b with room for the parts of all threads.
func (v *virtualThread) buffer(b *tir.Buffer) *tir.Buffer {
	stride := v.strides[b.Data]
	if stride == nil || len(b.Shape) != 1 {
		return b
	}
	if out := v.buffers[b]; out != nil {
		return out
	}
	out := *b
	more := tir.Mul(tir.CastTo(b.Shape[0].DType(), stride), tir.Const(b.Shape[0].DType(), v.n-1))
	out.Shape = []tir.Expr{tir.Add(b.Shape[0], more)}
	v.buffers[b] = &out
	return &out
}

// touchedBy returns the variables and pointers whose values, or elements, depend on a thread: those that are computed from it, or from
// others that depend on it.
func touchedBy(c *pass.Context, body tir.Stmt, thread *tir.Var) map[*tir.Var]bool {
	reach := map[*tir.Var][]*tir.Var{} // what is computed from a variable
	from := func(to *tir.Var, es ...tir.Expr) {
		for _, e := range es {
			if e == nil {
				continue
			}
			ir.Walk(e, func(n ir.Node) bool {
				c.Budget().Spend(1)
				switch n := n.(type) {
				case *tir.Var:
					reach[n] = append(reach[n], to)
				case *tir.BufferLoad:
					reach[n.Buffer.Data] = append(reach[n.Buffer.Data], to)
				}
				return true
			})
		}
	}
	var conds []tir.Expr // of branches around: what is stored there depends on them
	var visit func(n ir.Node)
	visit = func(n ir.Node) {
		switch n := n.(type) {
		case *tir.LetStmt:
			from(n.Var, n.Value)
		case *tir.Let:
			from(n.Var, n.Value)
		case *tir.For:
			from(n.LoopVar, n.Min, n.Extent)
		case *tir.Allocate:
			from(n.Var, append([]tir.Expr{n.Condition}, n.Extents...)...)
		case *tir.BufferStore:
			from(n.Buffer.Data, append(append([]tir.Expr{n.Value, n.Predicate}, n.Indices...), conds...)...)
		case *tir.IfThenElse:
			conds = append(conds, n.Cond)
			n.EachChild(visit)
			conds = conds[:len(conds)-1]
			return
		case *tir.Call:
			if p, ok := writtenPointer(n); ok {
				from(p, append(append([]tir.Expr{}, conds...), n.Args[2])...)
			}
			for _, a := range n.Args { // what a call writes may depend on all of its arguments
				if w, ok := a.(*tir.Call); ok {
					if p, ok := writtenPointer(w); ok {
						from(p, n.Args...)
					}
				}
			}
		}
		n.EachChild(visit)
	}
	visit(body)
	out := map[*tir.Var]bool{thread: true}
	for pending := []*tir.Var{thread}; len(pending) > 0; {
		at := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, to := range reach[at] {
			if !out[to] {
				out[to] = true
				pending = append(pending, to)
			}
		}
	}
	return out
}

// writtenPointer returns the pointer of T.tvm_access_ptr with the right to write.
func writtenPointer(c *tir.Call) (*tir.Var, bool) {
	if _, ok := tir.IsCallTo(c, tir.OpAccessPtr); !ok || len(c.Args) != 5 {
		return nil, false
	}
	p, ok := c.Args[1].(*tir.Var)
	mask, known := tir.AsInt(c.Args[4])
	return p, ok && (!known || mask&2 != 0)
}
