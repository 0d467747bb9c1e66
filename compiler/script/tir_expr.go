package script

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
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
	tir.OpAdd:      {" + ", precAdd, "Add"},
	tir.OpSub:      {" - ", precAdd, "Sub"},
	tir.OpMul:      {" * ", precMul, "Mul"},
	tir.OpDiv:      {" / ", precMul, "Div"},
	tir.OpMod:      {"", 0, "truncmod"},
	tir.OpFloorDiv: {" // ", precMul, "FloorDiv"},
	tir.OpFloorMod: {" % ", precMul, "FloorMod"},
	tir.OpMin:      {"", 0, "min"},
	tir.OpMax:      {"", 0, "max"},
	tir.OpEQ:       {" == ", precCompare, "EQ"},
	tir.OpNE:       {" != ", precCompare, "NE"},
	tir.OpLT:       {" < ", precCompare, "LT"},
	tir.OpLE:       {" <= ", precCompare, "LE"},
	tir.OpGT:       {" > ", precCompare, "GT"},
	tir.OpGE:       {" >= ", precCompare, "GE"},
	tir.OpAnd:      {" and ", precAnd, "And"},
	tir.OpOr:       {" or ", precOr, "Or"},
}

// expr prints e, in parentheses if it binds less tightly than prec.
func (p *printer) expr(e tir.Expr, prec int) {
	if p.track == nil {
		p.exprText(e, prec)
		return
	}
	p.track.enter(e, len(p.buf))
	p.exprText(e, prec)
	p.track.leave(len(p.buf))
}

func (p *printer) exprText(e tir.Expr, prec int) {
	switch e := e.(type) {
	case *tir.Var:
		p.pointer(e, nil)
	case *tir.IntImm:
		p.intImm(e)
	case *tir.FloatImm:
		p.floatImm(e)
	case *tir.StringImm:
		p.quote(e.Value)
	case *tir.Cast:
		p.t("Cast(")
		p.quote(e.Type.String())
		p.then(e.Value)
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
		p.call("Select", e.Cond, e.True, e.False)
	case *tir.BufferLoad:
		p.bufferLoad(e)
	case *tir.ProducerLoad:
		p.str(identifier(e.Producer.ProducerName()))
		p.indices(e.Indices)
	case *tir.Ramp:
		p.vector("Ramp", e.Lanes, e.Scalable, e.Start, e.Stride)
	case *tir.Broadcast:
		p.vector("Broadcast", e.Lanes, e.Scalable, e.Value)
	case *tir.Let:
		p.let(e)
	case *tir.Call:
		p.tirCall(e)
	case *tir.Shuffle:
		p.t("Shuffle(")
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

// then prints a comma and another argument, thenQuoted one that is a string.
func (p *printer) then(e tir.Expr) {
	p.str(", ")
	p.expr(e, 0)
}

func (p *printer) thenQuoted(s string) {
	p.str(", ")
	p.quote(s)
}

// call prints a call of what the loop level defines.
func (p *printer) call(name string, args ...tir.Expr) {
	p.t(name)
	p.exprList(args, "(", ")")
}

// call2 is call with two arguments, for which no list is made.
func (p *printer) call2(name string, a, b tir.Expr) {
	p.t(name)
	p.str("(")
	p.expr(a, 0)
	p.then(b)
	p.str(")")
}

// vector prints a call whose last argument is a number of lanes.
func (p *printer) vector(name string, lanes int, scalable bool, args ...tir.Expr) {
	p.t(name)
	p.exprList(args, "(", ", ")
	switch {
	case scalable && lanes == 1:
		p.t("vscale()")
	case scalable:
		p.t("vscale() * ")
		p.int(int64(lanes))
	default:
		p.int(int64(lanes))
	}
	p.str(")")
}

func (p *printer) exprList(list []tir.Expr, open, closing string) {
	p.str(open)
	for i, e := range list { // without a closure: most text is made here
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

// isLiteral reports whether e is printed as a number alone.
func (p *printer) isLiteral(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Type == p.intDType
	case *tir.FloatImm:
		return e.Type == p.opts.FloatDType
	}
	return false
}

// folds reports whether reading the operation with its sign would compute it or match the
// types of its operands: then it is written by the name of its node.
func folds(e *tir.Binary) bool {
	if e.Op >= tir.OpEQ {
		return e.A.DType() != e.B.DType() && e.Op < tir.OpAnd
	}
	if stays(e) {
		return false
	}
	out, ok := tir.BinaryExpr(e.Op, e.A, e.B).(*tir.Binary)
	return !ok || out.A != e.A || out.B != e.B
}

// stays reports whether it is plain that nothing is computed and no type matched, which is
// most often so: operands of one type, at most one of them a constant, and that none that the operator is simpler for.
func stays(e *tir.Binary) bool {
	if e.Op >= tir.OpEQ || e.A.DType() != e.B.DType() {
		return false
	}
	if e.Op > tir.OpFloorMod && e.A == e.B { // min and max
		return false
	}
	x, xok := e.A.(*tir.IntImm)
	y, yok := e.B.(*tir.IntImm)
	switch {
	case xok && yok:
		return false
	case xok:
		return x.Value != 0 && (x.Value != 1 || e.Op == tir.OpAdd || e.Op == tir.OpSub)
	case yok:
		return y.Value != 0 && (y.Value != 1 || e.Op == tir.OpAdd || e.Op == tir.OpSub)
	}
	_, xok = e.A.(*tir.FloatImm)
	_, yok = e.B.(*tir.FloatImm)
	return !xok || !yok
}

func (p *printer) binary(e *tir.Binary, prec int) {
	f := binaryForms[e.Op]
	// Python would compute operations on two literals, and "/" of integers is not TIR's.
	asCall := f.sign == "" || p.isLiteral(e.A) && p.isLiteral(e.B) ||
		e.Op == tir.OpDiv && !e.A.DType().IsFloat()
	if folds(e) {
		p.call2(e.Op.String(), e.A, e.B)
		return
	}
	if asCall {
		p.call2(f.call, e.A, e.B)
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
	p.operand(e.A, e.B, left)
	p.str(f.sign)
	p.operand(e.B, e.A, right)
	if open {
		p.str(")")
	}
}

// sum prints tir.Add(a, b): the ends of thousands of ranges, without making a node of those where nothing is folded.
func (p *printer) sum(a, b tir.Expr, prec int) {
	x, xok := a.(*tir.IntImm)
	_, yok := b.(*tir.IntImm)
	switch {
	case p.track != nil || a.DType() != b.DType() || xok && yok && x.Value != 0 || !xok && !b.DType().IsInt():
		p.expr(tir.Add(a, b), prec)
	case xok && x.Value == 0:
		p.expr(b, prec)
	case tir.IsConst(b, 0):
		p.expr(a, prec)
	default:
		p.binary(&tir.Binary{Op: tir.OpAdd, A: a, B: b}, prec)
	}
}

func (p *printer) bufferLoad(e *tir.BufferLoad) {
	p.use(e.Buffer)
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

// indices prints [i, j]; a Ramp prints as a slice, unless it stays in place: [i:i:0] does not say how many lanes it has.
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
		if !ok || tir.IsConst(r.Stride, 0) {
			p.expr(e, 0)
			continue
		}
		p.expr(r.Start, precOr)
		p.str(":")
		p.sum(r.Start, tir.Mul(r.Stride, tir.Elements(r)), precOr)
		if !tir.IsConst(r.Stride, 1) {
			p.str(":")
			p.expr(r.Stride, precOr)
		}
	}
	p.str("]")
}
