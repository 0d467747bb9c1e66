package relay

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// enter counts the nesting of expressions; the function that it returns leaves one.
func (p *parser) enter() func() {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.here(), "expressions are nested more than %d deep", maxNesting)
	}
	return func() { p.depth-- }
}

// pending is a let, or a value that is computed and dropped, whose body is still to come.
type pending struct {
	v    *variable
	val  *node
	span *ir.Span
}

// expr reads bindings and the expression that they end with. Chains of bindings are read in a loop.
func (p *parser) expr() *node {
	defer p.enter()()
	var chain []pending
	scopes := 0
	for {
		span := p.here()
		switch {
		case p.tok.kind == tGraph && isToken(p.peek(1), "=") && !isToken(p.peek(2), "="):
			name := p.tok.text
			p.advance()
			p.advance()
			p.graph[name] = p.binary(0)
			p.expect(";")
			continue
		case p.is("let"):
			p.advance()
			t := p.kind(tLocal, "a variable such as %x")
			var info relax.StructInfo
			if p.take(":") {
				info = p.typ(false)
			}
			p.expect("=")
			p.push()
			scopes++
			v := p.bind(t, info)
			val := p.binary(0)
			p.expect(";")
			v.value = val
			chain = append(chain, pending{v, val, span})
			continue
		case p.is("free_var"):
			p.advance()
			t := p.kind(tLocal, "a variable such as %x")
			var info relax.StructInfo
			if p.take(":") {
				info = p.typ(true)
			}
			v := &variable{name: t.text[1:], span: p.spanOf(t), info: info}
			p.scopes[0][v.name] = v
			p.free = append(p.free, v)
			p.expect(";")
			continue
		}
		var e *node
		if p.take("{") {
			p.push()
			e = p.expr()
			p.pop()
			p.expect("}")
		} else {
			e = p.binary(0)
		}
		if p.take(";") { // a value that is dropped: a let without a name
			v := &variable{name: "_", span: span, value: e}
			chain = append(chain, pending{v, e, span})
			continue
		}
		for ; scopes > 0; scopes-- {
			p.pop()
		}
		for i := len(chain) - 1; i >= 0; i-- {
			e = &node{kind: kLet, span: chain[i].span, v: chain[i].v, args: []*node{chain[i].val, e}}
		}
		return e
	}
}

// infix are the operators between expressions by their binding strength, all left-associative.
var infix = []struct {
	marks    string
	op       string
	strength int
}{
	{"==", "equal", 7},
	{"!=", "not_equal", 7},
	{"<=", "less_equal", 8},
	{">=", "greater_equal", 8},
	{"<", "less", 8},
	{">", "greater", 8},
	{"+", "add", 10},
	{"-", "subtract", 10},
	{"*", "multiply", 12},
	{"/", "divide", 12},
}

// operator returns the infix operator at the next token, and how many tokens it has.
func (p *parser) operator() (op string, strength, tokens int) {
	if p.tok.kind != tMark {
		return "", 0, 0
	}
	for _, x := range infix {
		if x.marks[:1] == p.tok.text && (len(x.marks) == 1 || isToken(p.peek(1), x.marks[1:]) && p.peek(1).adjacent) {
			return x.op, x.strength, len(x.marks)
		}
	}
	return "", 0, 0
}

// binary reads calls with infix operators of at least a strength between them.
func (p *parser) binary(least int) *node {
	defer p.enter()()
	left := p.calls()
	for {
		span := p.here()
		op, strength, n := p.operator()
		if n == 0 || strength < least {
			return left
		}
		for range n {
			p.advance()
		}
		right := p.binary(strength + 1)
		left = p.call(span, op, nil, []*node{left, right}, nil)
	}
}

// calls reads an expression with the argument lists behind it.
func (p *parser) calls() *node {
	span := p.here()
	if p.tok.kind == tWord && !p.keyword() {
		name := p.dotted()
		if !p.is("(") {
			p.fail(span, "operator %s as a value has no counterpart in this IR: call it", name)
		}
		args, attrs := p.arguments()
		return p.project(p.more(p.call(span, name, nil, args, attrs)))
	}
	return p.more(p.atom())
}

// more reads further argument lists: what was read is called.
func (p *parser) more(e *node) *node {
	for p.is("(") {
		span := e.span
		args, attrs := p.arguments()
		if len(attrs) > 0 {
			p.fail(attrs[0].span, "attributes of calls of functions have no counterpart in this IR")
		}
		e = p.project(p.call(span, "", e, args, nil))
	}
	return e
}

// keyword reports whether the next word is no operator.
func (p *parser) keyword() bool {
	switch p.tok.text {
	case "fn", "if", "True", "False", "meta", "inff", "nanf", "let":
		return true
	case "ref", "ref_read", "ref_write":
		p.fail(p.here(), "references (%s) have no counterpart in this IR", p.tok.text)
	case "match":
		p.fail(p.here(), "match has no counterpart in this IR, which has no algebraic data types")
	}
	return false
}

// arguments reads a list of arguments and the attributes at its end.
func (p *parser) arguments() (args []*node, attrs []attr) {
	p.expect("(")
	for !p.take(")") {
		if p.tok.kind == tWord && isToken(p.peek(1), "=") && !isToken(p.peek(2), "=") {
			attrs = p.attributes()
			p.expect(")")
			break
		}
		args = append(args, p.expr())
		if !p.take(",") && !p.is(")") {
			p.fail(p.here(), "expected , or ), found %s", p.tok)
		}
	}
	return args, attrs
}

// call makes a call, and notes what it says of variables whose types are not written.
func (p *parser) call(span *ir.Span, name string, callee *node, args []*node, attrs []attr) *node {
	if callee != nil {
		fn := callee
		if callee.kind == kVar {
			callee.v.called = true
			fn = callee.v.value
		}
		if fn != nil && fn.kind == kFn {
			fn.fn.calls = append(fn.fn.calls, args)
		}
	} else {
		r := rows()[name]
		for i, a := range args {
			if r == nil || i >= len(r.op.Args) || r.op.Args[i].Kind != op.AnyValue {
				markOperand(a)
			}
		}
	}
	return &node{kind: kCall, span: span, name: name, op: callee, args: args, attrs: attrs}
}

func markOperand(a *node) {
	switch a.kind {
	case kVar:
		a.v.operand = true
	case kTuple:
		for _, f := range a.args {
			markOperand(f)
		}
	}
}

// project reads .0 behind an expression.
func (p *parser) project(e *node) *node {
	for p.is(".") && p.peek(1).kind == tNumber {
		span := p.here()
		p.advance()
		n := 0
		for _, c := range p.tok.text {
			if n = n*10 + int(c-'0'); n > 1<<20 {
				p.fail(span, "a tuple has no field %s", p.tok.text)
			}
		}
		p.advance()
		if e.kind == kVar {
			e.v.fields = max(e.v.fields, n+1)
		}
		e = &node{kind: kGet, span: span, args: []*node{e}, index: n}
	}
	return e
}

// atom reads an expression without argument lists.
func (p *parser) atom() *node {
	span, t := p.here(), p.tok
	switch t.kind {
	case tLocal:
		p.advance()
		return p.project(&node{kind: kVar, span: span, v: p.lookup(t)})
	case tGraph:
		p.advance()
		n := p.graph[t.text]
		if n == nil {
			p.fail(span, "%s is not defined", t.text)
		}
		return p.project(n)
	case tGlobal:
		p.advance()
		return &node{kind: kGlobal, span: span, name: t.text[1:]}
	case tNumber:
		return &node{kind: kConst, span: span, blob: p.number(false)}
	case tWord:
		p.keyword()
		return p.project(p.wordAtom(span))
	}
	switch t.text {
	case "-":
		negative := false
		for p.take("-") {
			negative = !negative
		}
		if p.tok.kind == tNumber || p.is("inff") || p.is("nanf") {
			return &node{kind: kConst, span: span, blob: p.number(negative)}
		}
		p.fail(span, "expected a number behind -, found %s", p.tok)
	case "(":
		return p.project(p.parens(span))
	}
	p.fail(span, "expected an expression, found %s", t)
	return nil
}

// parens reads an expression in parentheses or a tuple.
func (p *parser) parens(span *ir.Span) *node {
	defer p.enter()()
	p.expect("(")
	if p.take(")") {
		return &node{kind: kTuple, span: span}
	}
	first := p.expr()
	if p.take(")") {
		return first
	}
	out := &node{kind: kTuple, span: span, args: []*node{first}}
	for p.expect(","); !p.take(")"); {
		out.args = append(out.args, p.expr())
		if !p.take(",") && !p.is(")") {
			p.fail(p.here(), "expected , or ), found %s", p.tok)
		}
	}
	return out
}

func (p *parser) wordAtom(span *ir.Span) *node {
	switch p.tok.text {
	case "True", "False":
		return &node{kind: kConst, span: span, blob: p.boolean()}
	case "inff", "nanf":
		return &node{kind: kConst, span: span, blob: p.number(false)}
	case "meta":
		table, index := p.metaRef()
		return &node{kind: kConst, span: span, name: table, index: index}
	case "fn":
		p.advance()
		return &node{kind: kFn, span: span, fn: p.functionDef()}
	case "if":
		p.advance()
		p.expect("(")
		cond := p.expr()
		p.expect(")")
		branch := func() *node {
			p.expect("{")
			p.push()
			defer p.pop()
			e := p.expr()
			p.expect("}")
			return e
		}
		then := branch()
		p.expect("else")
		return &node{kind: kIf, span: span, args: []*node{cond, then, branch()}}
	}
	p.fail(span, "expected an expression, found %s", p.tok)
	return nil
}
