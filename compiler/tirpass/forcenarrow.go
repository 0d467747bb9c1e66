package tirpass

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ForceNarrowIndexToInt32 makes all 64-bit integers of a function 32-bit ones.
var ForceNarrowIndexToInt32 = &pass.Pass{
	Name: "tir.ForceNarrowIndexToInt32", Kind: pass.PrimFunc,
	Doc: "Computes all indices in 32 bits whether they are known to fit or not. Buffers of 64-bit integers and constants beyond 32 bits are errors.",
	Run: pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return forceInt32(f)
	}),
}

func forceInt32(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	for _, b := range f.Buffers {
		if b != nil && b.DType.IsInt() && b.DType.Bits > 32 {
			return nil, fmt.Errorf("buffer %s holds %s: only indices can be narrowed to int32, not what buffers hold", b.Name, b.DType)
		}
	}
	n := &forcer{buffers: map[*tir.Buffer]*tir.Buffer{}, vars: map[*tir.Var]*tir.Var{}}
	n.m = &tir.Mapper{Expr: n.expr, Stmt: n.stmt, Buffer: n.buffer, Var: n.variable}
	out := n.m.MapFunc(f)
	if n.err != nil {
		return nil, n.err
	}
	return out, nil
}

type forcer struct {
	m       *tir.Mapper
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

func isInt64(d dtype.DType) bool { return d.IsInt() && d.Bits == 64 }

func to32(d dtype.DType) dtype.DType { d.Bits = 32; return d }

func (n *forcer) variable(v *tir.Var) *tir.Var {
	if !isInt64(v.DType()) {
		return v
	}
	if out, ok := n.vars[v]; ok {
		return out
	}
	out := &tir.Var{Base: v.Base, Name: v.Name, Type: &ir.PrimType{DType: to32(v.DType())}, Size: v.Size}
	n.vars[v] = out
	return out
}

func (n *forcer) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := n.buffers[b]; ok {
		return out
	}
	out := b.MapExprs(n.expr)
	if out != b {
		n.buffers[b] = out
	}
	return out
}

func (n *forcer) fail(format string, args ...any) {
	if n.err == nil {
		n.err = fmt.Errorf(format, args...)
	}
}

func (n *forcer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		return n.variable(e)
	case *tir.IntImm:
		if !isInt64(e.Type) {
			return e
		}
		if e.Value > math.MaxInt32 || e.Value < math.MinInt32 {
			n.fail("the constant %d does not fit in int32", e.Value)
		}
		return &tir.IntImm{Base: e.Base, Type: to32(e.Type), Value: e.Value}
	case *tir.Cast:
		v := n.expr(e.Value)
		d := e.Type
		if isInt64(d) {
			d = to32(d)
		}
		if v == e.Value && d == e.Type {
			return e
		}
		return tir.CastTo(d, v)
	case *tir.Call:
		out, ok := n.m.MapExpr(e).(*tir.Call)
		if !ok || !isInt64(out.Type) || tir.CallEffect(out) > tir.Pure {
			return out
		}
		narrow := *out
		narrow.Type = to32(out.Type)
		return &narrow
	}
	return n.m.MapExpr(e)
}

func (n *forcer) stmt(s tir.Stmt) tir.Stmt {
	if b, ok := s.(*tir.Block); ok {
		for _, buf := range b.AllocBuffers {
			if isInt64(buf.DType) {
				n.fail("buffer %s, which the function allocates, holds %s: only indices can be narrowed to int32", buf.Name, buf.DType)
			}
		}
	}
	out := n.m.MapStmt(s)
	if st, ok := out.(*tir.BufferStore); ok && st.Value.DType() != st.Buffer.DType && st.Value.DType().Lanes == 1 {
		fixed := *st
		fixed.Value = tir.CastTo(st.Buffer.DType, st.Value)
		return &fixed
	}
	return out
}
