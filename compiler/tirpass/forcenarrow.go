package tirpass

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ForceNarrowIndexToInt32 makes all 64-bit integers of a function 32-bit ones.
var ForceNarrowIndexToInt32 = &pass.Pass{
	Name: "tir.ForceNarrowIndexToInt32", Kind: pass.PrimFunc,
	Doc: "Computes all indices in 32 bits whether they are known to fit or not. Buffers of 64-bit integers and constants beyond 32 bits are errors.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return forceInt32(c, f)
	}),
}

func forceInt32(c *pass.Context, f *tir.PrimFunc) (*tir.PrimFunc, error) {
	n := &forcer{c: c, buffers: map[*tir.Buffer]*tir.Buffer{}, vars: map[*tir.Var]*tir.Var{}, an: arith.NewAnalyzer()}
	n.an.MarkShapes(f)
	n.m = &tir.Mapper{Expr: n.expr, Stmt: n.stmt, Buffer: n.buffer, Var: n.variable}
	out := n.m.MapFunc(f)
	if n.err != nil {
		return nil, n.err
	}
	return out, nil
}

type forcer struct {
	c       *pass.Context
	m       *tir.Mapper
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
	an      *arith.Analyzer // knows the ranges of the variables as they were
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
	n.c.Rewrite("narrow a variable", v, out)
	return out
}

// buffer narrows the shape, strides and offset of b. No buffer holds what is narrowed, so values that are stored keep their types.
func (n *forcer) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := n.buffers[b]; ok {
		return out
	}
	if isInt64(b.DType) {
		n.fail("buffer %s holds %s: only indices can be narrowed to int32, not what buffers hold", b.Name, b.DType)
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
		out := &tir.IntImm{Base: e.Base, Type: to32(e.Type), Value: e.Value}
		n.c.Rewrite("narrow a constant", e, out)
		return out
	case *tir.Cast:
		v, d := n.operand(e.Value), e.Type
		if isInt64(d) {
			d = to32(d)
		}
		if v == e.Value && d == e.Type {
			return e
		}
		out := tir.CastTo(d, v)
		n.c.Rewrite("narrow a conversion", e, out)
		return out
	case *tir.Call:
		out := n.call(e)
		if !isInt64(out.DType()) {
			return out
		}
		narrow := tir.CastTo(to32(out.DType()), out)
		n.c.Rewrite("narrow the result of a call", out, narrow)
		return narrow
	}
	return n.m.MapExpr(e)
}

// operand maps what is converted or not used: there a call may keep its type.
func (n *forcer) operand(e tir.Expr) tir.Expr {
	if c, ok := e.(*tir.Call); ok {
		return n.call(c)
	}
	return n.expr(e)
}

// call maps a call. One with effects keeps its type, which belongs to the function that it calls.
// (TVM widens what meets the result of such a call, here the result is converted.)
func (n *forcer) call(e *tir.Call) tir.Expr {
	if _, ok := tir.IsCallTo(e, tir.OpReinterpret); ok {
		return n.bits(e, e.WithArgs(ir.MapSame(e.Args, n.operand)))
	}
	out, ok := n.m.MapExpr(e).(*tir.Call)
	if !ok {
		return out
	}
	if isInt64(out.Type) && tir.CallEffect(out) <= tir.Pure {
		out = out.WithType(to32(out.Type))
	}
	return n.bits(e, out)
}

// bits mends the calls whose result depends on the number of bits of the argument: a number
// of 64 bits that fits in 32 has 32 more in front, zeros or the copies of its sign.
func (n *forcer) bits(old, out *tir.Call) tir.Expr {
	if len(old.Args) == 0 || !isInt64(old.Args[0].DType()) || isInt64(out.Args[0].DType()) {
		return out
	}
	natural := n.an.ConstIntBound(old.Args[0]).Min >= 0
	x, zero, more := out.Args[0], tir.Const(out.Args[0].DType(), 0), tir.Const(out.Type, 32)
	switch out.Op {
	case tir.OpClz:
		// As TVM writes it: minus the new bits, plus the old ones.
		wide := tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpSub, out, more), tir.Const(out.Type, 64))
		if natural {
			return wide
		}
		return &tir.Select{Base: old.Base, Cond: tir.LT(x, zero), True: tir.Const(out.Type, 0), False: wide}
	case tir.OpPopcount:
		if natural {
			return out
		}
		return &tir.Select{Base: old.Base, Cond: tir.LT(x, zero), True: tir.Add(out, more), False: out}
	case tir.OpReinterpret:
		n.fail("the bits of an %s are reinterpreted as %s: int32 does not have as many", old.Args[0].DType(), old.Type)
	}
	return out
}

func (n *forcer) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Evaluate:
		return s.WithValue(n.operand(s.Value))
	case *tir.For:
		n.an.BindRange(s.LoopVar, &tir.Range{Min: s.Min, Extent: s.Extent})
	case *tir.AttrStmt:
		if iv := s.BoundThread(); iv != nil {
			n.an.BindRange(iv.Var, &tir.Range{Min: tir.Const(s.Value.DType(), 0), Extent: s.Value})
		}
	case *tir.Block:
		for _, iv := range s.IterVars {
			n.an.BindRange(iv.Var, iv.Dom)
		}
	}
	return n.m.MapStmt(s)
}
