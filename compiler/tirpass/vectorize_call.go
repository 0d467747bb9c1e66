package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (v *vectorizer) load(e *tir.BufferLoad) tir.Expr {
	if !v.depends(e) {
		return e
	}
	b, idx := v.access(e.Buffer, e.Indices)
	var pred tir.Expr
	if e.Predicate != nil {
		pred = v.expr(e.Predicate)
	}
	if v.scalar {
		return e
	}
	return &tir.BufferLoad{Base: e.Base, Buffer: b, Indices: idx, Predicate: pred}
}

func (v *vectorizer) let(e *tir.Let) tir.Expr {
	val := v.expr(e.Value)
	if v.scalar {
		return e
	}
	if val.DType() == e.Var.DType() {
		body := v.expr(e.Body)
		if val == e.Value && body == e.Body {
			return e
		}
		return &tir.Let{Base: e.Base, Var: e.Var, Value: val, Body: body}
	}
	nv := tir.NewVar(e.Var.Name, val.DType())
	v.lets[e.Var] = nv
	return &tir.Let{Base: e.Base, Var: nv, Value: val, Body: v.expr(e.Body)}
}

func (v *vectorizer) call(e *tir.Call) tir.Expr {
	if !v.depends(e) {
		return e
	}
	if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
		cond := v.expr(e.Args[0])
		if v.scalar || cond.DType().Lanes > 1 {
			v.refuse("only the chosen value may be computed in each lane")
			return e
		}
		t, f := v.pair(v.expr(e.Args[1]), v.expr(e.Args[2]))
		return &tir.Call{Base: e.Base, Type: t.DType(), Op: e.Op, Args: []tir.Expr{cond, t, f}}
	}
	op, ok := e.Op.(*ir.Op)
	if !ok {
		v.refuse("a function of the module cannot take vectors")
		return e
	}
	switch op {
	case tir.OpTextureLoad, tir.OpTextureStore:
		return v.texture(e)
	case tir.OpReinterpret:
		return v.reinterpret(e)
	}
	b := tir.LookupBuiltin(op.Name)
	if b == nil || !b.Vector {
		v.refuse("an intrinsic cannot take vectors")
		return e
	}
	args := ir.MapSame(e.Args, v.expr)
	if v.scalar {
		return e
	}
	lanes := 1
	for _, a := range args {
		lanes = max(lanes, int(a.DType().Lanes))
	}
	out := make([]tir.Expr, len(args))
	for i, a := range args {
		out[i] = a
		if _, str := a.(*tir.StringImm); !str && a.DType() != dtype.HandleT {
			out[i] = widen(a, lanes)
		}
	}
	return &tir.Call{Base: e.Base, Type: e.Type.WithLanes(lanes), Op: e.Op, Args: out}
}

// reinterpret returns a vector of as many bits as the vector of its operand has.
func (v *vectorizer) reinterpret(e *tir.Call) tir.Expr {
	x := v.expr(e.Args[0])
	if v.scalar {
		return e
	}
	d := x.DType()
	return &tir.Call{Base: e.Base, Type: e.Type.WithLanes(int(d.Bits) * int(d.Lanes) / int(e.Type.Bits)), Op: e.Op, Args: []tir.Expr{x}}
}

// texture returns an access to a pixel that a loop over its channels makes: the last argument, which channels are loaded or what is stored, becomes
// a vector, and the place of the pixel must not change.
func (v *vectorizer) texture(e *tir.Call) tir.Expr {
	last := len(e.Args) - 1
	for _, a := range e.Args[:last] {
		if v.depends(a) {
			v.refuse("one access to a texture is to one pixel")
			return e
		}
	}
	x := v.expr(e.Args[last])
	lanes, t := int(x.DType().Lanes), e.Type
	bits, _ := tir.AsInt(e.Args[4])
	switch width := int64(e.Args[last].DType().Bits); {
	case v.scalar:
		return e
	case e.Op == tir.OpTextureStore && int64(lanes)*width != bits:
		v.refuse("a store to a texture writes a pixel whole")
		return e
	case e.Op == tir.OpTextureLoad:
		if t = t.WithLanes(lanes); int64(lanes)*int64(t.Bits) > bits {
			v.refuse("a load from a texture is of one pixel")
			return e
		}
	}
	args := append(e.Args[:last:last], x)
	return &tir.Call{Base: e.Base, Type: t, Op: e.Op, Args: args}
}

// computable reports whether e may be computed in lanes where cond does not hold: it does
// not divide by what may be zero and reads only within bounds, or what cond reads as well.
func (v *vectorizer) computable(e, cond tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Binary:
			ok = ok && !mayTrap(n)
		case *tir.BufferLoad:
			ok = ok && (v.inBounds(n) || reads(cond, n))
		case *tir.Call:
			if _, lazy := tir.IsCallTo(n, tir.OpIfThenElse); lazy {
				ok = ok && v.computable(n.Args[0], cond)
				return false // its condition guards the values
			}
			ok = ok && tir.CallEffect(n) <= tir.Pure
		}
		return ok
	})
	return ok
}

// inBounds reports whether the indices of l certainly lie in its buffer.
func (v *vectorizer) inBounds(l *tir.BufferLoad) bool {
	if l.Predicate != nil || len(l.Indices) != len(l.Buffer.Shape) {
		return false
	}
	for i, at := range l.Indices {
		if !v.an.CanProveGreaterEqual(at, 0) || !v.an.CanProve(tir.LT(at, tir.CastTo(at.DType(), l.Buffer.Shape[i]))) {
			return false
		}
	}
	return true
}

// reads reports whether e reads what l does.
func reads(e tir.Expr, l *tir.BufferLoad) bool {
	return ir.Any(e, func(n ir.Node) bool {
		x, ok := n.(*tir.BufferLoad)
		return ok && arith.Equal(x, l)
	})
}
