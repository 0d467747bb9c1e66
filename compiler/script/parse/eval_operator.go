package parse

import (
	"cmp"
	"math/big"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) unary(n *syntax.Node) any {
	v := b.eval(n.Kids[0])
	if n.Text == "not" {
		switch x := v.(type) {
		case bool:
			return !x
		case int64:
			return x == 0
		case relax.Expr:
			return b.callOp(n, "relax.logical_not", x)
		}
		return &tir.Not{Base: b.span(n), A: b.toExpr(v, n.Kids[0])}
	}
	switch x := v.(type) {
	case int64:
		switch n.Text {
		case "-":
			return b.sized(n, new(big.Int).Neg(big.NewInt(x)))
		case "~":
			return ^x
		}
		return x
	case float64:
		if n.Text == "-" {
			return -x
		}
		return x
	case uint64:
		if n.Text == "-" {
			return b.sized(n, new(big.Int).Neg(new(big.Int).SetUint64(x)))
		}
	case relax.Expr:
		switch n.Text {
		case "-":
			return b.callOp(n, "relax.negative", x)
		case "~":
			return b.callOp(n, "relax.bitwise_not", x)
		}
		return x
	}
	e := b.toExpr(v, n.Kids[0])
	var out tir.Expr
	switch n.Text {
	case "-":
		out = tir.Mul(e, tir.Const(e.DType(), -1))
	case "~":
		out = &tir.Call{Type: e.DType(), Op: tir.OpBitwiseNot, Args: []tir.Expr{e}}
	default:
		return e
	}
	setSpan(out, b.span(n))
	return out
}

var arithmetic = map[string]tir.BinaryOp{
	"+": tir.OpAdd, "-": tir.OpSub, "*": tir.OpMul, "/": tir.OpDiv, "//": tir.OpFloorDiv, "%": tir.OpFloorMod,
}

var bitwise = map[string]*ir.Op{
	"&": tir.OpBitwiseAnd, "|": tir.OpBitwiseOr, "^": tir.OpBitwiseXor, "<<": tir.OpShiftLeft, ">>": tir.OpShiftRight,
}

var relaxBinary = map[string]string{
	"+": "relax.add", "-": "relax.subtract", "*": "relax.multiply", "/": "relax.divide", "//": "relax.floor_divide", "%": "relax.mod", "**": "relax.power",
	"&": "relax.bitwise_and", "|": "relax.bitwise_or", "^": "relax.bitwise_xor", "<<": "relax.left_shift", ">>": "relax.right_shift",
	"<": "relax.less", "<=": "relax.less_equal", ">": "relax.greater", ">=": "relax.greater_equal", "==": "relax.equal", "!=": "relax.not_equal",
}

func isGraphValue(v any) bool {
	_, ok := v.(relax.Expr)
	return ok
}

// binary applies an arithmetic sign. Numbers are computed as Python does; expressions are
// matched in type and folded as TVM does.
func (b *builder) binary(n *syntax.Node, op string, x, y any) any {
	if isGraphValue(x) || isGraphValue(y) {
		return b.callOp(n, relaxBinary[op], x, y)
	}
	if v, ok := b.pythonBinary(n, op, x, y); ok {
		return v
	}
	e1, e2 := b.toExpr(x, n.Kids[0]), b.toExpr(y, n.Kids[len(n.Kids)-1])
	var out tir.Expr
	switch {
	case bitwise[op] != nil:
		e1, e2 = tir.MatchTypes(e1, e2)
		out = &tir.Call{Type: e1.DType(), Op: bitwise[op], Args: []tir.Expr{e1, e2}}
	case op == "**":
		out = &tir.Call{Type: e1.DType(), Op: tir.OpPow, Args: []tir.Expr{e1, e2}}
	case op == "@":
		b.fail(n, "", "scalars have no operator @")
	default:
		if d1, d2 := e1.DType(), e2.DType(); op == "/" && !d1.IsFloat() && !d2.IsFloat() {
			b.fail(n, "use // , or T.truncdiv, for integers", "the quotient of integers is ambiguous")
		}
		out = tir.BinaryExpr(arithmetic[op], e1, e2)
	}
	setSpan(out, b.span(n))
	return out
}

var comparisons = map[string]tir.BinaryOp{
	"==": tir.OpEQ, "!=": tir.OpNE, "<": tir.OpLT, "<=": tir.OpLE, ">": tir.OpGT, ">=": tir.OpGE,
}

func (b *builder) compare(n *syntax.Node) any {
	x, y := b.eval(n.Kids[0]), b.eval(n.Kids[1])
	if isGraphValue(x) || isGraphValue(y) {
		return b.callOp(n, relaxBinary[n.Text], x, y)
	}
	if n.Text == "is" {
		return x == nil && y == nil
	}
	i, iok := asBig(x)
	k, kok := asBig(y)
	if iok && kok {
		return compared(n.Text, i.Cmp(k))
	}
	f, fok := asPythonFloat(x)
	g, gok := asPythonFloat(y)
	if fok && gok {
		if f != f || g != g {
			return n.Text == "!="
		}
		return compared(n.Text, cmp.Compare(f, g))
	}
	if s, ok := x.(string); ok {
		if t, ok := y.(string); ok && (n.Text == "==" || n.Text == "!=") {
			return (s == t) == (n.Text == "==")
		}
	}
	e1, e2 := b.pairOf(x, n.Kids[0], y, n.Kids[1])
	return tir.BinaryAt(b.span(n), comparisons[n.Text], e1, e2)
}

// compared returns what a sign says about two values that compare as c.
func compared(sign string, c int) bool {
	switch sign {
	case "==":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// pairOf turns two operands into expressions of one type; a literal takes the other's.
func (b *builder) pairOf(x any, n1 *syntax.Node, y any, n2 *syntax.Node) (tir.Expr, tir.Expr) {
	isNumber := func(v any) bool { _, ok := asPythonFloat(v); return ok }
	var e1, e2 tir.Expr
	switch {
	case isNumber(x) && !isNumber(y):
		e2 = b.toExpr(y, n2)
		e1 = b.exprOf(x, e2.DType().Elem(), n1)
	case isNumber(y) && !isNumber(x):
		e1 = b.toExpr(x, n1)
		e2 = b.exprOf(y, e1.DType().Elem(), n2)
	default:
		e1, e2 = b.toExpr(x, n1), b.toExpr(y, n2)
	}
	if d1, d2 := e1.DType(), e2.DType(); d1 != d2 && !d1.IsHandle() && !d2.IsHandle() {
		e1, e2 = tir.MatchTypes(e1, e2)
	}
	return e1, e2
}

func (b *builder) logic(n *syntax.Node) any {
	x := b.eval(n.Kids[0])
	if t, ok := x.(bool); ok {
		if t != (n.Text == "and") {
			return x
		}
		return b.eval(n.Kids[1])
	}
	y := b.eval(n.Kids[1])
	if isGraphValue(x) || isGraphValue(y) {
		return b.callOp(n, "relax.logical_"+n.Text, x, y)
	}
	e1, e2 := b.toExpr(x, n.Kids[0]), b.toExpr(y, n.Kids[1])
	op := tir.OpAnd
	if n.Text == "or" {
		op = tir.OpOr
	}
	if e1.DType().Lanes != e2.DType().Lanes {
		e1, e2 = tir.MatchTypes(e1, e2)
	}
	return tir.BinaryAt(b.span(n), op, e1, e2)
}

func (b *builder) conditional(n *syntax.Node) any {
	cond := b.eval(n.Kids[0])
	if t, ok := cond.(bool); ok {
		if t {
			return b.eval(n.Kids[1])
		}
		return b.eval(n.Kids[2])
	}
	yes, no := tir.MatchTypes(b.expr(n.Kids[1]), b.expr(n.Kids[2]))
	return &tir.Call{Base: b.span(n), Type: yes.DType(), Op: tir.OpIfThenElse, Args: []tir.Expr{b.toExpr(cond, n.Kids[0]), yes, no}}
}
