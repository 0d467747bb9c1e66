package script

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Python's precedences, higher binds tighter.
const (
	precLambda = iota + 1
	precIf
	precOr
	precAnd
	precNot
	precCompare
	precAdd
	precMul
	precUnary
	precPostfix
)

type binaryForm struct {
	sign string // infix sign; empty prints as a call
	prec int
	call string // name of the call form
}

var binaryForms = [...]binaryForm{
	tir.OpAdd:      {" + ", precAdd, "T.Add"},
	tir.OpSub:      {" - ", precAdd, "T.Sub"},
	tir.OpMul:      {" * ", precMul, "T.Mul"},
	tir.OpDiv:      {" / ", precMul, "T.Div"},
	tir.OpMod:      {"", 0, "T.truncmod"},
	tir.OpFloorDiv: {" // ", precMul, "T.FloorDiv"},
	tir.OpFloorMod: {" % ", precMul, "T.FloorMod"},
	tir.OpMin:      {"", 0, "T.min"},
	tir.OpMax:      {"", 0, "T.max"},
	tir.OpEQ:       {" == ", precCompare, "T.EQ"},
	tir.OpNE:       {" != ", precCompare, "T.NE"},
	tir.OpLT:       {" < ", precCompare, "T.LT"},
	tir.OpLE:       {" <= ", precCompare, "T.LE"},
	tir.OpGT:       {" > ", precCompare, "T.GT"},
	tir.OpGE:       {" >= ", precCompare, "T.GE"},
	tir.OpAnd:      {" and ", precAnd, "T.And"},
	tir.OpOr:       {" or ", precOr, "T.Or"},
}

// expr prints e, in parentheses if it binds less tightly than prec.
func (p *printer) expr(e tir.Expr, prec int) {
	switch e := e.(type) {
	case *tir.Var:
		p.str(p.dataName(e, nil))
	case *tir.IntImm:
		p.intImm(e)
	case *tir.FloatImm:
		p.str("T." + e.Type.String() + "(")
		p.float(e.Value)
		p.str(")")
	case *tir.StringImm:
		p.quote(e.Value)
	case *tir.Cast:
		p.str("T.Cast(")
		p.quote(e.Type.String())
		p.str(", ")
		p.expr(e.Value, 0)
		p.str(")")
	case *tir.Binary:
		p.binary(e, prec)
	case *tir.Not:
		if prec > precNot {
			p.str("(")
		}
		p.str("not ")
		p.expr(e.A, precNot)
		if prec > precNot {
			p.str(")")
		}
	case *tir.Select:
		p.call("T.Select", e.Cond, e.True, e.False)
	case *tir.BufferLoad:
		p.bufferLoad(e)
	case *tir.ProducerLoad:
		p.str(identifier(e.Producer.ProducerName()))
		p.indices(e.Indices)
	case *tir.Ramp:
		p.str("T.Ramp(")
		p.expr(e.Start, 0)
		p.str(", ")
		p.expr(e.Stride, 0)
		p.str(", ")
		p.int(int64(e.Lanes))
		p.str(")")
	case *tir.Broadcast:
		p.str("T.Broadcast(")
		p.expr(e.Value, 0)
		p.str(", ")
		p.int(int64(e.Lanes))
		p.str(")")
	case *tir.Let:
		p.let(e)
	case *tir.Call:
		p.tirCall(e)
	case *tir.Shuffle:
		p.str("T.Shuffle(")
		p.exprList(e.Vectors, "[", "]")
		p.str(", ")
		p.exprList(e.Indices, "[", "]")
		p.str(")")
	case *tir.Reduce:
		p.reduce(e)
	default:
		panic(fmt.Sprintf("script: unknown expression %T", e))
	}
}

func (p *printer) call(name string, args ...tir.Expr) {
	p.str(name)
	p.exprList(args, "(", ")")
}

func (p *printer) exprList(list []tir.Expr, open, closing string) {
	p.str(open)
	for i, e := range list {
		if i > 0 {
			p.str(", ")
		}
		p.expr(e, 0)
	}
	p.str(closing)
}

// tuple prints list as a Python tuple.
func (p *printer) tuple(list []tir.Expr) {
	if len(list) == 1 {
		p.exprList(list, "(", ",)")
		return
	}
	p.exprList(list, "(", ")")
}

func isLiteral(e tir.Expr, def dtype.DType) bool {
	i, ok := e.(*tir.IntImm)
	return ok && i.Type == def
}

// folds reports whether reading the operation with its sign would compute it or match the
// types of its operands: then it is written by the name of its node.
func folds(e *tir.Binary) bool {
	if e.Op >= tir.OpEQ {
		return e.A.DType() != e.B.DType() && e.Op < tir.OpAnd
	}
	out, ok := tir.BinaryExpr(e.Op, e.A, e.B).(*tir.Binary)
	return !ok || out.A != e.A || out.B != e.B
}

func (p *printer) binary(e *tir.Binary, prec int) {
	f := binaryForms[e.Op]
	// Python would compute operations on two literals, and "/" of integers is not TIR's.
	asCall := f.sign == "" || isLiteral(e.A, p.intDType) && isLiteral(e.B, p.intDType) ||
		e.Op == tir.OpDiv && !e.A.DType().IsFloat()
	if folds(e) {
		p.call("T."+e.Op.String(), e.A, e.B)
		return
	}
	if asCall {
		p.call(f.call, e.A, e.B)
		return
	}
	open := prec > f.prec
	if open {
		p.str("(")
	}
	left, right := f.prec, f.prec+1
	if f.prec == precCompare {
		left = f.prec + 1
	}
	p.expr(e.A, left)
	p.str(f.sign)
	p.expr(e.B, right)
	if open {
		p.str(")")
	}
}

func (p *printer) bufferLoad(e *tir.BufferLoad) {
	p.str(p.name(e.Buffer))
	if e.Predicate != nil {
		p.str(".vload(")
		p.exprList(e.Indices, "[", "]")
		p.str(", predicate=")
		p.expr(e.Predicate, 0)
		p.str(")")
		return
	}
	p.indices(e.Indices)
}

// indices prints [i, j]; a Ramp prints as a slice.
func (p *printer) indices(list []tir.Expr) {
	if len(list) == 0 {
		p.str("[()]")
		return
	}
	p.str("[")
	for i, e := range list {
		if i > 0 {
			p.str(", ")
		}
		r, ok := e.(*tir.Ramp)
		if !ok {
			p.expr(e, 0)
			continue
		}
		p.expr(r.Start, precOr)
		p.str(":")
		p.expr(tir.Add(r.Start, tir.Mul(r.Stride, tir.Const(r.Stride.DType(), int64(r.Lanes)))), precOr)
		if !tir.IsConst(r.Stride, 1) {
			p.str(":")
			p.expr(r.Stride, precOr)
		}
	}
	p.str("]")
}
