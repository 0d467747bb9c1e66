package parse

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call evaluates a call by what is called.
func (b *builder) call(n *syntax.Node) any {
	b.enter(n)
	defer func() { b.depth-- }()
	fn := n.Kids[0]
	if path, ok := b.path(fn); ok {
		dot := strings.IndexByte(path, '.')
		if dot < 0 {
			return b.hostCall(path, n)
		}
		switch path[:dot] {
		case "T":
			return b.tirCall(path[dot+1:], n)
		case "R":
			return b.relaxCall(path[dot+1:], n)
		case "I":
			return b.moduleCall(path[dot+1:], n)
		}
		b.fail(n, "values of the host program are given with --define", "%s cannot be called from a script", path)
	}
	switch v := b.eval(fn).(type) {
	case method:
		return b.methodCall(v, n)
	case *macro:
		return b.expand(v, n)
	case *ir.GlobalVar, moduleRef:
		if gv, ok := v.(*ir.GlobalVar); ok {
			return b.callGlobal(gv, n)
		}
	default:
		if out, ok := b.callValue(v, n); ok {
			return out
		}
		b.fail(fn, "", "%s cannot be called", describe(v))
	}
	return nil
}

// hostCall evaluates the few functions of Python that scripts use.
func (b *builder) hostCall(name string, n *syntax.Node) any {
	switch name {
	case "range":
		return b.loopRange(n, tir.Serial)
	case "len":
		a := b.bind(n, "x")
		b.need(n, a, 1, "x")
		if l, ok := b.eval(a[0]).(*list); ok {
			return int64(len(l.items))
		}
	case "int", "bool":
		a := b.bind(n, "x")
		b.need(n, a, 1, "x")
		switch v := b.eval(a[0]).(type) {
		case float64:
			return int64(v)
		case int64, bool:
			return v
		}
	case "float":
		a := b.bind(n, "x")
		b.need(n, a, 1, "x")
		switch v := b.eval(a[0]).(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		case string:
			if f, ok := namedFloat(v); ok {
				return f
			}
		}
	}
	b.fail(n, "", "%s cannot be called like this in a script", name)
	return nil
}

func namedFloat(s string) (float64, bool) {
	switch s {
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	case "nan":
		return math.NaN(), true
	}
	return 0, false
}

// callGlobal calls a function of the module.
func (b *builder) callGlobal(gv *ir.GlobalVar, n *syntax.Node) any {
	if b.graph {
		return b.graphCall(gv, n)
	}
	c := &tir.Call{Base: b.span(n), Op: gv}
	if f, ok := b.mod.funcs[gv.Name].(*tir.PrimFunc); ok {
		c.Type = ir.TypeDType(f.RetType)
	}
	for i, v := range b.values(n.Kids[1:]) {
		at := n.Kids[min(i+1, len(n.Kids)-1)]
		if buf, ok := v.(*tir.Buffer); ok {
			v = buf.Data
		}
		c.Args = append(c.Args, b.toExpr(v, at))
	}
	return c
}

// nodeNames are the operations of two operands by the name of their node, which does not fold.
var nodeNames = map[string]tir.BinaryOp{
	"Add": tir.OpAdd, "Sub": tir.OpSub, "Mul": tir.OpMul, "Div": tir.OpDiv, "Mod": tir.OpMod, "FloorDiv": tir.OpFloorDiv,
	"FloorMod": tir.OpFloorMod, "Min": tir.OpMin, "Max": tir.OpMax, "EQ": tir.OpEQ, "NE": tir.OpNE, "LT": tir.OpLT,
	"LE": tir.OpLE, "GT": tir.OpGT, "GE": tir.OpGE, "And": tir.OpAnd, "Or": tir.OpOr,
}

// foldNames are those that fold constants.
var foldNames = map[string]tir.BinaryOp{
	"truncdiv": tir.OpDiv, "truncmod": tir.OpMod, "floordiv": tir.OpFloorDiv, "floormod": tir.OpFloorMod,
	"min": tir.OpMin, "max": tir.OpMax, "indexdiv": tir.OpFloorDiv, "indexmod": tir.OpFloorMod,
}

func (b *builder) tirCall(name string, n *syntax.Node) any {
	if op, ok := nodeNames[name]; ok {
		x, y := b.two(n)
		return tir.BinaryAt(b.span(n), op, x, y)
	}
	if op, ok := foldNames[name]; ok {
		x, y := b.two(n)
		out := tir.BinaryExpr(op, x, y)
		setSpan(out, b.span(n))
		return out
	}
	if b.tf != nil || name == "Buffer" {
		if v, ok := b.scopeCall(name, n); ok {
			return v
		}
	}
	if name == "handle" {
		return b.handle(n)
	}
	if d, ok := dtypeName(name); ok {
		return b.typedCall(d, n)
	}
	if v, ok := b.special(name, n); ok {
		return v
	}
	return b.intrinsic(name, n)
}

// two evaluates two operands and matches their types.
func (b *builder) two(n *syntax.Node) (tir.Expr, tir.Expr) {
	a := b.bind(n, "a", "b", "span")
	b.need(n, a, 2, "a", "b")
	x, y := b.eval(a[0]), b.eval(a[1])
	_, xn := asPythonFloat(x)
	_, yn := asPythonFloat(y)
	if xn && yn {
		return tir.MatchTypes(b.toExpr(x, a[0]), b.toExpr(y, a[1]))
	}
	return b.pairOf(x, y, &syntax.Node{At: n.At, End: n.End, Kids: []*syntax.Node{a[0], a[1]}})
}

// typedCall evaluates T.int32(v): a constant, a cast, or a new variable.
func (b *builder) typedCall(d dtype.DType, n *syntax.Node) any {
	if len(n.Kids) == 1 {
		for _, kw := range n.Keywords() {
			if kw.Name == "expr" {
				return b.typedValue(d, kw.Value, n)
			}
		}
		return b.newVar(d, n)
	}
	out := b.typedValue(d, n.Kids[1], n)
	if e, ok := out.(tir.Expr); ok {
		setSpan(e, b.span(n))
	}
	return out
}

func (b *builder) typedValue(d dtype.DType, n, at *syntax.Node) any {
	switch v := b.eval(n).(type) {
	case nil:
		return fresh{&tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}}
	case string:
		if f, ok := namedFloat(v); ok {
			return tir.FloatConst(d, f)
		}
		b.fail(n, `"inf", "-inf" and "nan" are the only numbers written as strings`, "%q is no number", v)
	case int64, float64, bool, uint64:
		if !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
			b.fail(n, "", "there are no constants of type %s", d)
		}
		return b.literal(d, v, at)
	default:
		e := b.toExpr(v, n)
		if f, ok := e.(*tir.FloatImm); ok && d.IsFloat() && d.Lanes == 1 {
			return &tir.FloatImm{Type: d, Value: f.Value}
		}
		if e.DType().Lanes > 1 && d.Lanes == 1 {
			d = d.WithLanes(int(e.DType().Lanes))
		}
		return tir.CastTo(d, e)
	}
	return nil
}
