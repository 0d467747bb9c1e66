package parse

import (
	"cmp"
	"math/big"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// operation is what a sign means: on scalars, on their bits, and on graph-level values.
type operation struct {
	scalar tir.BinaryOp // of arithmetic and comparisons
	bits   *ir.Op       // of bits, and of powers
	graph  string
}

var operations = map[string]operation{
	"+": {scalar: tir.OpAdd, graph: "relax.add"}, "-": {scalar: tir.OpSub, graph: "relax.subtract"},
	"*": {scalar: tir.OpMul, graph: "relax.multiply"}, "/": {scalar: tir.OpDiv, graph: "relax.divide"},
	"//": {scalar: tir.OpFloorDiv, graph: "relax.floor_divide"}, "%": {scalar: tir.OpFloorMod, graph: "relax.mod"},
	"**": {bits: tir.OpPow, graph: "relax.power"},
	"&":  {bits: tir.OpBitwiseAnd, graph: "relax.bitwise_and"}, "|": {bits: tir.OpBitwiseOr, graph: "relax.bitwise_or"},
	"^": {bits: tir.OpBitwiseXor, graph: "relax.bitwise_xor"}, "<<": {bits: tir.OpShiftLeft, graph: "relax.left_shift"},
	">>": {bits: tir.OpShiftRight, graph: "relax.right_shift"},
	"==": {scalar: tir.OpEQ, graph: "relax.equal"}, "!=": {scalar: tir.OpNE, graph: "relax.not_equal"},
	"<": {scalar: tir.OpLT, graph: "relax.less"}, "<=": {scalar: tir.OpLE, graph: "relax.less_equal"},
	">": {scalar: tir.OpGT, graph: "relax.greater"}, ">=": {scalar: tir.OpGE, graph: "relax.greater_equal"},
}

func (b *builder) unary(n *syntax.Node) any {
	v, sign := b.eval(n.Kids[0]), n.Text
	if g, ok := v.(relax.Expr); ok {
		if name := map[string]string{"not": "relax.logical_not", "-": "relax.negative", "~": "relax.bitwise_not"}[sign]; name != "" {
			return b.callOp(n, name, g)
		}
		return g
	}
	if i, ok := v.(bool); ok && sign == "not" {
		return !i
	}
	switch x := v.(type) {
	case int64:
		switch sign {
		case "not":
			return x == 0
		case "-":
			return b.sized(n, new(big.Int).Neg(big.NewInt(x)))
		case "~":
			return ^x
		}
		return x
	case float64:
		switch sign {
		case "-":
			return -x
		case "+", "~":
			return x
		}
	case uint64:
		if sign == "-" {
			return b.sized(n, new(big.Int).Neg(new(big.Int).SetUint64(x)))
		}
	}
	e := b.toExpr(v, n.Kids[0])
	switch sign {
	case "not":
		return &tir.Not{Base: b.span(n), A: e}
	case "-":
		e = tir.Mul(e, tir.Const(e.DType(), -1))
	case "~":
		e = &tir.Call{Type: e.DType(), Op: tir.OpBitwiseNot, Args: []tir.Expr{e}}
	default:
		return e
	}
	setSpan(e, b.span(n))
	return e
}

func isGraphValue(v any) bool {
	_, ok := v.(relax.Expr)
	return ok
}

// binary applies an arithmetic sign. Numbers are computed as Python does; expressions are
// matched in type and folded as TVM does.
func (b *builder) binary(n *syntax.Node, op string, x, y any) any {
	if isGraphValue(x) || isGraphValue(y) {
		return b.callOp(n, operations[op].graph, x, y)
	}
	if v, ok := b.pythonBinary(n, op, x, y); ok {
		return v
	}
	e1, e2 := b.toExpr(x, n.Kids[0]), b.toExpr(y, n.Kids[len(n.Kids)-1])
	var out tir.Expr
	switch means := operations[op]; {
	case op == "@":
		b.fail(n, "", "scalars have no operator @")
	case means.bits != nil:
		if op != "**" {
			e1, e2 = tir.MatchTypes(e1, e2)
		}
		out = &tir.Call{Type: e1.DType(), Op: means.bits, Args: []tir.Expr{e1, e2}}
	case op == "/" && !e1.DType().IsFloat() && !e2.DType().IsFloat():
		b.fail(n, "use // or T.truncdiv for integers", "the quotient of integers is ambiguous")
	default:
		out = tir.BinaryExpr(means.scalar, e1, e2)
	}
	setSpan(out, b.span(n))
	return out
}

func (b *builder) compare(n *syntax.Node) any {
	x, y := b.eval(n.Kids[0]), b.eval(n.Kids[1])
	if isGraphValue(x) || isGraphValue(y) {
		return b.callOp(n, operations[n.Text].graph, x, y)
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
	return tir.BinaryAt(b.span(n), operations[n.Text].scalar, e1, e2)
}

// compared returns what a sign says about two values that compare as c.
func compared(sign string, c int) bool {
	return map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[sign]
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
