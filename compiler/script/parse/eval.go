package parse

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// eval evaluates an expression as Python would, over nodes of the IR.
func (b *builder) eval(n *node) any {
	switch n.kind {
	case nName:
		return b.name(n)
	case nInt:
		return b.integer(n)
	case nFloat:
		f, err := strconv.ParseFloat(n.s, 64)
		if err != nil && !math.IsInf(f, 0) {
			b.fail(n, "", "%q is no number", n.s)
		}
		return f
	case nString:
		return n.s
	case nConst:
		switch n.s {
		case "True":
			return true
		case "False":
			return false
		case "...":
			b.fail(n, "", "an ellipsis is no value")
		}
		return nil
	case nAttr:
		return b.attr(n)
	case nCall:
		return b.call(n)
	case nIndex:
		return b.index(n)
	case nTuple, nList:
		return &list{items: b.values(n.kids), tuple: n.kind == nTuple}
	case nDict:
		d := &dict{}
		for i := 0; i < len(n.kids); i += 2 {
			d.keys = append(d.keys, b.eval(n.kids[i]))
			d.vals = append(d.vals, b.eval(n.kids[i+1]))
		}
		return d
	case nUnary:
		return b.unary(n)
	case nBinary:
		return b.binary(n, n.s, b.eval(n.kids[0]), b.eval(n.kids[1]))
	case nCompare:
		return b.compare(n)
	case nBool:
		return b.logic(n)
	case nIfExp:
		return b.conditional(n)
	case nValue:
		return n.val
	case nLambda:
		b.fail(n, "", "a lambda may only stand where a function is expected, as in T.index_map")
	case nSlice:
		b.fail(n, "", "a slice may only stand in the indices of a buffer")
	case nStar:
		b.fail(n, "", "a starred value may only stand in a list or among arguments")
	}
	panic(failure{})
}

// values evaluates a list, spreading what is starred.
func (b *builder) values(kids []*node) []any {
	out := make([]any, 0, len(kids))
	for _, k := range kids {
		if k.kind != nStar {
			out = append(out, b.eval(k))
			continue
		}
		v, ok := b.eval(k.kids[0]).(*list)
		if !ok {
			b.fail(k, "", "only a list or tuple can be spread with *")
		}
		out = append(out, v.items...)
	}
	return out
}

// name looks up a name; those of the dialects are known without an import.
func (b *builder) name(n *node) any {
	if v, ok := b.env.lookup(n.s); ok {
		switch x := v.(type) {
		case poison:
			panic(failure{})
		case metaVar:
			return x.v
		}
		return v
	}
	switch n.s {
	case "T", "R", "I":
		return namespace{n.s}
	case "tvm", "script", "metadata", "range", "int", "float", "bool", "float32", "len":
		return namespace{n.s}
	case "cls", "Module":
		return moduleRef{}
	}
	if v, ok := b.opts.Define[n.s]; ok {
		return b.defined(v, n)
	}
	var names []string
	for k := range b.env.vals {
		names = append(names, k)
	}
	for k := range b.opts.Define {
		names = append(names, k)
	}
	sort.Strings(names)
	help := "define it before it is used"
	if near := nearest(n.s, names); near != "" {
		help = "did you mean " + near + "?"
	} else if b.mod != nil && b.mod.vars[n.s] != nil {
		help = "functions of the module are called as cls." + n.s
	}
	b.fail(n, help, "undefined name %q", n.s)
	return nil
}

// defined turns a value of Options.Define into one of the builder's.
func (b *builder) defined(v any, n *node) any {
	switch x := v.(type) {
	case int:
		return int64(x)
	case []any:
		out := &list{}
		for _, y := range x {
			out.items = append(out.items, b.defined(y, n))
		}
		return out
	case nil, bool, int64, float64, string, dtype.DType, ir.Node:
		return v
	}
	b.fail(n, "", "the value given for %q is a %T, which a script cannot hold", n.s, v)
	return nil
}

func (b *builder) integer(n *node) any {
	if v, err := strconv.ParseInt(n.s, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseUint(n.s, 0, 64); err == nil {
		return v
	}
	if v, err := strconv.ParseInt(n.s, 10, 64); err == nil {
		return v
	}
	b.fail(n, "integers have at most 64 bits", "%q is no integer", n.s)
	return nil
}

func (b *builder) unary(n *node) any {
	v := b.eval(n.kids[0])
	if n.s == "not" {
		switch x := v.(type) {
		case bool:
			return !x
		case int64:
			return x == 0
		case relax.Expr:
			return b.relaxOp(n, "logical_not", x)
		}
		return &tir.Not{Base: b.span(n), A: b.toExpr(v, n.kids[0])}
	}
	switch x := v.(type) {
	case int64:
		switch n.s {
		case "-":
			return -x
		case "~":
			return ^x
		}
		return x
	case float64:
		if n.s == "-" {
			return -x
		}
		return x
	case uint64:
		if n.s == "-" && x == 1<<63 {
			return int64(math.MinInt64)
		}
	case relax.Expr:
		switch n.s {
		case "-":
			return b.relaxOp(n, "negative", x)
		case "~":
			return b.relaxOp(n, "bitwise_not", x)
		}
		return x
	}
	e := b.toExpr(v, n.kids[0])
	var out tir.Expr
	switch n.s {
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
	"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "mod", "**": "power",
	"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift",
	"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal",
}

func isGraphValue(v any) bool {
	_, ok := v.(relax.Expr)
	return ok
}

// binary applies an arithmetic sign. Numbers are computed as Python does; expressions are
// matched in type and folded as TVM does.
func (b *builder) binary(n *node, op string, x, y any) any {
	if isGraphValue(x) || isGraphValue(y) {
		return b.relaxOp(n, relaxBinary[op], x, y)
	}
	if v, ok := pythonBinary(op, x, y); ok {
		return v
	}
	e1, e2 := b.toExpr(x, n.kids[0]), b.toExpr(y, n.kids[len(n.kids)-1])
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

// pythonBinary computes with numbers and lists known now.
func pythonBinary(op string, x, y any) (any, bool) {
	if l, ok := x.(*list); ok {
		if r, ok := y.(*list); ok && op == "+" {
			return &list{items: append(append([]any{}, l.items...), r.items...), tuple: l.tuple}, true
		}
		if n, ok := y.(int64); ok && op == "*" && n >= 0 && n*int64(len(l.items)) < 1<<16 {
			out := &list{tuple: l.tuple}
			for range n {
				out.items = append(out.items, l.items...)
			}
			return out, true
		}
		return nil, false
	}
	if s, ok := x.(string); ok {
		t, ok := y.(string)
		return s + t, ok && op == "+"
	}
	a, aok := asPythonInt(x)
	c, cok := asPythonInt(y)
	if aok && cok {
		return pythonInt(op, a, c)
	}
	f, fok := asPythonFloat(x)
	g, gok := asPythonFloat(y)
	if !fok || !gok {
		return nil, false
	}
	switch op {
	case "+":
		return f + g, true
	case "-":
		return f - g, true
	case "*":
		return f * g, true
	case "/":
		return f / g, g != 0
	case "**":
		return math.Pow(f, g), true
	case "//":
		return math.Floor(f / g), g != 0
	case "%":
		return f - g*math.Floor(f/g), g != 0
	}
	return nil, false
}

func pythonInt(op string, a, c int64) (any, bool) {
	switch op {
	case "+":
		return a + c, true
	case "-":
		return a - c, true
	case "*":
		return a * c, true
	case "/":
		return float64(a) / float64(c), c != 0
	case "//":
		if c == 0 || c == -1 && a == math.MinInt64 {
			return nil, false
		}
		return tir.FloorDivInt(a, c), true
	case "%":
		if c == 0 || c == -1 {
			return int64(0), c != 0
		}
		return tir.FloorModInt(a, c), true
	case "<<":
		return a << uint(c&63), c >= 0 && c < 63
	case ">>":
		return a >> uint(c&63), c >= 0 && c < 64
	case "&":
		return a & c, true
	case "|":
		return a | c, true
	case "^":
		return a ^ c, true
	case "**":
		out := int64(1)
		if c < 0 || c > 64 {
			return math.Pow(float64(a), float64(c)), true
		}
		for range c {
			out *= a
		}
		return out, true
	}
	return nil, false
}

func asPythonInt(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func asPythonFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	}
	return 0, false
}

var comparisons = map[string]tir.BinaryOp{
	"==": tir.OpEQ, "!=": tir.OpNE, "<": tir.OpLT, "<=": tir.OpLE, ">": tir.OpGT, ">=": tir.OpGE,
}

func (b *builder) compare(n *node) any {
	x, y := b.eval(n.kids[0]), b.eval(n.kids[1])
	if isGraphValue(x) || isGraphValue(y) {
		return b.relaxOp(n, relaxBinary[n.s], x, y)
	}
	if n.s == "is" {
		return x == nil && y == nil
	}
	f, fok := asPythonFloat(x)
	g, gok := asPythonFloat(y)
	if fok && gok {
		switch n.s {
		case "==":
			return f == g
		case "!=":
			return f != g
		case "<":
			return f < g
		case "<=":
			return f <= g
		case ">":
			return f > g
		}
		return f >= g
	}
	if s, ok := x.(string); ok {
		if t, ok := y.(string); ok && (n.s == "==" || n.s == "!=") {
			return (s == t) == (n.s == "==")
		}
	}
	e1, e2 := b.pairOf(x, y, n)
	return &tir.Binary{Base: b.span(n), Op: comparisons[n.s], A: e1, B: e2}
}

// pairOf turns two operands into expressions of one type; a literal takes the other's.
func (b *builder) pairOf(x, y any, n *node) (tir.Expr, tir.Expr) {
	n1, n2 := n.kids[0], n.kids[len(n.kids)-1]
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

func (b *builder) logic(n *node) any {
	x := b.eval(n.kids[0])
	if t, ok := x.(bool); ok {
		if t != (n.s == "and") {
			return x
		}
		return b.eval(n.kids[1])
	}
	y := b.eval(n.kids[1])
	if isGraphValue(x) || isGraphValue(y) {
		return b.relaxOp(n, "logical_"+n.s, x, y)
	}
	e1, e2 := b.toExpr(x, n.kids[0]), b.toExpr(y, n.kids[1])
	op := tir.OpAnd
	if n.s == "or" {
		op = tir.OpOr
	}
	if e1.DType().Lanes != e2.DType().Lanes {
		e1, e2 = tir.MatchTypes(e1, e2)
	}
	return &tir.Binary{Base: b.span(n), Op: op, A: e1, B: e2}
}

func (b *builder) conditional(n *node) any {
	cond := b.eval(n.kids[0])
	if t, ok := cond.(bool); ok {
		if t {
			return b.eval(n.kids[1])
		}
		return b.eval(n.kids[2])
	}
	yes, no := tir.MatchTypes(b.expr(n.kids[1]), b.expr(n.kids[2]))
	return &tir.Call{Base: b.span(n), Type: yes.DType(), Op: tir.OpIfThenElse, Args: []tir.Expr{b.toExpr(cond, n.kids[0]), yes, no}}
}

// path returns the dotted name that n spells, and whether its first part is a dialect's.
func (b *builder) path(n *node) (string, bool) {
	root := n
	if n.kind == nValue {
		ns, ok := n.val.(namespace)
		return ns.path, ok
	}
	for root.kind == nAttr {
		root = root.kids[0]
	}
	if root.kind != nName {
		return "", false
	}
	v, ok := b.env.lookup(root.s)
	if !ok {
		switch root.s {
		case "T", "R", "I", "tvm", "script", "range", "int", "float", "len", "bool", "metadata":
			v = namespace{root.s}
		default:
			return "", false
		}
	}
	ns, ok := v.(namespace)
	if !ok {
		return "", false
	}
	if root == n {
		return ns.path, true
	}
	if ns.path == root.s && len(root.s) == int(root.end-root.at) {
		if text := b.src[root.at:n.end]; !strings.ContainsAny(text, " \n\t\\()#") {
			return text, true
		}
	}
	rest := ""
	for x := n; x.kind == nAttr; x = x.kids[0] {
		rest = "." + x.s + rest
	}
	return ns.path + rest, true
}

func (b *builder) enter(n *node) {
	if b.depth++; b.depth > maxChain {
		b.fail(n, "", "this nests too deeply")
	}
}
