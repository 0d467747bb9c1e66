package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// LowerSmallDatatypes makes memory of floats of at most eight bits and of integers of fewer one of bytes, and computes with float32, int8, and uint8
// in their place. The results are the same: each is rounded to the small float, or wrapped to the small integer, before it is used.
//
// TVM computes with floats of eight bits by tir.FP8ComputeLegalize and tir.FP8StorageLegalize, which round only what is stored, so that a number that is quantized and
// made real again in one kernel would not be rounded.
var LowerSmallDatatypes = &pass.Pass{
	Name: "tir.LowerSmallDatatypes", Kind: pass.PrimFunc, Lowering: true, ReadsTarget: true,
	Doc: "Stores floats of at most eight bits, and integers of fewer, as bytes, and computes with float32, int8, and uint8 in their place. Results are rounded, or wrapped, as those of the small types. It runs after tir.MakePackedAPI. Functions for the interpreter, which knows the types, are left alone, and those for kinds of targets that no code is made for here.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !hasSmall(f) {
			return f, nil
		}
		if keepsSmall(f, c.TargetOf()) {
			c.Declined("lower small types", f, "its target knows the types, or no code is made for it here")
			return f, nil
		}
		for _, b := range f.Buffers {
			if b != nil && isSmall(b.DType) {
				return nil, fmt.Errorf("parameter buffer %s: the pass must be called after tir.MakePackedAPI", b.Name)
			}
		}
		l := &smallTypes{c: c, vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
		l.m.Stmt, l.m.Expr, l.m.Buffer = l.stmt, l.expr, l.buffer
		return f.WithParams(ir.MapSame(f.Params, l.variable)).WithBody(l.stmt(f.Body)), nil
	}),
}

// ruleSmall is what the pass reports.
const ruleSmall = "compute with bytes or float32 in place of a small type"

// keepsSmall reports whether a function, by its target or else that of the run, is left its small types.
func keepsSmall(f *tir.PrimFunc, run target.Target) bool {
	t := targetOf(f, run)
	return !t.IsZero() && (t.Kind().Small || !t.Kind().Code)
}

// isSmall reports whether the pass lowers a type.
func isSmall(d dtype.DType) bool {
	if d.IsInteger() {
		return d.Bits < 8
	}
	_, ok := formOf(d)
	return ok && d.Bits <= 8
}

func hasSmall(f *tir.PrimFunc) bool {
	small := func(v *tir.Var) bool {
		elem, ok := pointee(v)
		return ok && isSmall(elem) || isSmall(v.DType())
	}
	for _, p := range f.Params {
		if small(p) {
			return true
		}
	}
	return ir.Any(f.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			return small(n)
		case *tir.IntImm, *tir.FloatImm, *tir.Cast, *tir.Call, *tir.BufferLoad: // all other expressions have the types of these
			return isSmall(n.(tir.Expr).DType())
		case *tir.Allocate:
			return isSmall(n.Type)
		case *tir.BufferStore:
			return isSmall(n.Buffer.DType)
		}
		return false
	})
}

// computedAs is the type that is computed with in place of a small one.
func computedAs(d dtype.DType) dtype.DType {
	switch {
	case !isSmall(d):
		return d
	case d.IsInt():
		return dtype.Int8T.LikeVector(d)
	case d.IsUInt():
		return dtype.UInt8T.LikeVector(d)
	}
	return dtype.Float32T.LikeVector(d)
}

// smallTypes lowers one function. What stands for an expression of a small type is of the type computedAs, and its value is one of the small type.
type smallTypes struct {
	c       *pass.Context
	m       tir.Mapper
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
}

// variable returns what becomes of a variable where it is defined.
func (l *smallTypes) variable(v *tir.Var) *tir.Var {
	out := *v
	if elem, ok := pointee(v); ok && isSmall(elem) {
		out = *pointerOf(v, storageOf(elem))
	} else if isSmall(v.DType()) {
		out.Type = &ir.PrimType{DType: computedAs(v.DType())}
	} else {
		return v
	}
	l.vars[v] = &out
	return &out
}

func (l *smallTypes) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := l.buffers[b]; ok {
		return out
	}
	out := b.MapExprs(l.expr)
	if isSmall(b.DType) {
		again := *out
		again.DType = storageOf(b.DType)
		out = &again
	}
	l.buffers[b] = out
	return out
}

func (l *smallTypes) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Allocate:
		v := l.variable(s.Var)
		out := l.m.MapStmt(s).(*tir.Allocate).WithVar(v)
		if isSmall(s.Type) {
			out = out.WithType(storageOf(s.Type))
		}
		return out
	case *tir.LetStmt:
		value := l.expr(s.Value)
		return s.WithVar(l.variable(s.Var)).WithValue(value).WithBody(l.stmt(s.Body))
	case *tir.BufferStore:
		out := s.WithBuffer(l.buffer(s.Buffer)).WithIndices(ir.MapSame(s.Indices, l.expr))
		if isSmall(s.Buffer.DType) {
			out = out.WithValue(l.code(s.Value))
		} else {
			out = out.WithValue(l.expr(s.Value))
		}
		if s.Predicate != nil {
			out = out.WithPredicate(l.expr(s.Predicate))
		}
		l.c.Rewrite(ruleSmall, s, out)
		return out
	case *tir.Evaluate:
		out := l.m.MapStmt(s)
		l.c.Rewrite(ruleSmall, s, out)
		return out
	}
	return l.m.MapStmt(s)
}

func (l *smallTypes) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if v := l.vars[e]; v != nil {
			return v
		}
		return e
	case *tir.IntImm:
		return tir.CastTo(computedAs(e.Type), e)
	case *tir.FloatImm:
		if isSmall(e.Type) {
			return &tir.FloatImm{Base: e.Base, Type: dtype.Float32T, Value: element(e).Float(0)}
		}
		return e
	case *tir.Cast:
		if isSmall(e.Type) {
			return number(l.code(e), e.Type)
		}
		if value := l.expr(e.Value); value != e.Value {
			return tir.CastTo(e.Type, value) // none from float32 to itself
		}
		return e
	case *tir.BufferLoad:
		if d := e.DType(); isSmall(d) {
			return number(l.code(e), d)
		}
	case *tir.Let:
		value := l.expr(e.Value)
		return e.WithVar(l.variable(e.Var)).WithValue(value).WithBody(l.expr(e.Body))
	case *tir.Call:
		if isCall(e, tir.OpReinterpret) && isSmall(e.Type) {
			return number(l.code(e), e.Type)
		}
	}
	if computes(e) && isSmall(e.DType()) {
		return rounded(l.result(e), e.DType())
	}
	return l.result(e)
}

// computes reports whether the result of e may be none of its small type, where its operands are.
func computes(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Binary:
		return e.Op != tir.OpMin && e.Op != tir.OpMax
	case *tir.Call:
		return !isCall(e, tir.OpIfThenElse)
	case *tir.Ramp:
		return true
	}
	return false
}

// result is expr before it is rounded or wrapped.
func (l *smallTypes) result(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Binary:
		a, b := l.expr(e.A), l.expr(e.B)
		if a == e.A && b == e.B {
			return e
		}
		return tir.BinaryExpr(e.Op, a, b)
	case *tir.Call:
		return l.call(e)
	}
	return l.m.MapExpr(e)
}

// call lowers a call other than one that makes bits a number of a small type.
func (l *smallTypes) call(e *tir.Call) tir.Expr {
	switch {
	case isCall(e, tir.OpReinterpret) && isSmall(e.Args[0].DType()):
		return reinterpretAs(e.Type, l.code(e.Args[0]))
	case isCall(e, tir.OpTypeAnnot) && isSmall(e.Type):
		return e.WithType(storageOf(e.Type))
	case isCall(e, tir.OpAddressOf):
		if load, ok := e.Args[0].(*tir.BufferLoad); ok {
			return e.WithArgs([]tir.Expr{l.m.MapExpr(load)})
		}
	}
	out := e.WithArgs(ir.MapSame(e.Args, l.expr))
	if isSmall(e.Type) {
		out = out.WithType(computedAs(e.Type))
	}
	return out
}

// code returns the byte that memory holds for a value of a small type. What is loaded, or chosen from it, is stored as it is.
func (l *smallTypes) code(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.BufferLoad:
		return l.m.MapExpr(e)
	case *tir.Select:
		return e.WithCond(l.expr(e.Cond)).WithTrue(l.code(e.True)).WithFalse(l.code(e.False))
	case *tir.Broadcast:
		return e.WithValue(l.code(e.Value))
	case *tir.Shuffle:
		return e.WithVectors(ir.MapSame(e.Vectors, l.code)).WithIndices(ir.MapSame(e.Indices, l.expr))
	case *tir.Let:
		value := l.expr(e.Value)
		return e.WithVar(l.variable(e.Var)).WithValue(value).WithBody(l.code(e.Body))
	case *tir.IntImm:
		return tir.Const(dtype.UInt8T, e.Value&(1<<e.Type.Bits-1))
	case *tir.FloatImm:
		return tir.Const(dtype.UInt8T, int64(element(e).Data[0]))
	case *tir.Call:
		switch {
		case isCall(e, tir.OpIfThenElse):
			out := e.WithArgs([]tir.Expr{l.expr(e.Args[0]), l.code(e.Args[1]), l.code(e.Args[2])})
			return out.WithType(storageOf(e.Type))
		case isCall(e, tir.OpReinterpret) && isSmall(e.Args[0].DType()):
			return masked(l.code(e.Args[0]), e.Type)
		case isCall(e, tir.OpReinterpret):
			return masked(reinterpretAs(storageOf(e.Type), l.expr(e.Args[0])), e.Type)
		}
	case *tir.Cast:
		return codeOf(l.expr(e.Value), e.Type)
	}
	if computes(e) {
		return codeOf(l.result(e), e.DType())
	}
	return codeOf(l.expr(e), e.DType())
}

// element is a constant as memory holds it, rounded to its type.
func element(e *tir.FloatImm) *tensor.Tensor {
	t := tensor.MustNew(e.Type, 1)
	t.SetFloat(0, e.Value)
	return t
}

// codeOf returns the bytes of numbers as a small type d, rounded once or wrapped.
func codeOf(e tir.Expr, d dtype.DType) tir.Expr {
	from := e.DType()
	switch {
	case d.IsInteger():
		return masked(tir.CastTo(dtype.UInt8T.LikeVector(d), e), d)
	case from.Elem() == dtype.Float64T:
	case !from.IsFloat() && from.Bits > 16: // float32 has not all of them
		e = tir.CastTo(dtype.Float64T.LikeVector(d), e)
	default:
		e = tir.CastTo(dtype.Float32T.LikeVector(d), e)
	}
	return bare(convertFloat(e, d))
}

// bare returns the bits that e makes a number of, without doing so.
func bare(e tir.Expr) tir.Expr {
	if let, ok := e.(*tir.Let); ok {
		return let.WithBody(bare(let.Body))
	}
	call, _ := tir.IsCallTo(e, tir.OpReinterpret)
	return call.Args[0]
}

// masked keeps the bits that a code of type d has.
func masked(e tir.Expr, d dtype.DType) tir.Expr {
	if d.Bits == 8 {
		return e
	}
	return floatBits{e}.and(1<<d.Bits - 1).e
}

// number returns what codes of type d stand for.
func number(code tir.Expr, d dtype.DType) tir.Expr {
	switch {
	case d.IsUInt():
		return code
	case d.IsInt():
		return signed(tir.CastTo(dtype.Int8T.LikeVector(d), code), d)
	}
	return floatOf(floatBits{code}, d, dtype.Float32T.LikeVector(d))
}

// signed repeats the sign of an integer of type d in the higher bits of a byte.
func signed(e tir.Expr, d dtype.DType) tir.Expr {
	n := 8 - int(d.Bits)
	return floatBits{e}.left(n).right(n).e
}

// rounded returns a result as a number of a small type d.
func rounded(e tir.Expr, d dtype.DType) tir.Expr {
	switch {
	case d.IsUInt():
		return masked(e, d)
	case d.IsInt():
		return signed(e, d)
	}
	return number(codeOf(e, d), d)
}
