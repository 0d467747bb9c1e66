package dialect

import "go.starlark.net/syntax"

// with reads a block under managers: a call enters each, and another one leaves them, also where a return, break or continue goes past it.
// Where an error does, whoever catches it leaves them.
func (p *parser) with() []syntax.Stmt {
	pos := p.next()
	var out []syntax.Stmt
	n := 0
	paren := p.isOp("(") && p.groups()
	if paren {
		p.at++
	}
	for {
		entered := call(Enter, p.pos(), p.test())
		if p.takeWord("as") {
			to := p.postfix()
			p.assignable(to, entered.Lparen)
			p.binds(to)
			out = append(out, assign(to, entered.Lparen, entered))
		} else {
			out = append(out, &syntax.ExprStmt{X: entered})
		}
		n++
		if !p.takeOp(",") || paren && p.isOp(")") {
			break
		}
	}
	if paren {
		p.wantOp(")", "after the managers")
	}
	var body []syntax.Stmt
	p.within(frame{kind: withFrame, count: n}, func() { body = p.suite("after the head of \"with\"") })
	return append(append(out, body...), p.exit(n, pos)...)
}

// groups tells whether the parenthesis at the current token holds the managers of a with, rather than a part of the first one.
func (p *parser) groups() bool {
	depth := 0
	for i := p.at; i < len(p.toks)-1; i++ {
		switch p.toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return p.toks[i+1].text == ":"
			}
		}
	}
	return false
}

// block reads a suite of try as a function. What it is called is what stacks of calls leave out.
func (p *parser) block(what, where string, ends map[string]bool, params ...syntax.Expr) (fn *syntax.Ident, def *syntax.DefStmt) {
	pos := p.pos()
	f := frame{kind: tryFrame, ends: ends}
	var body []syntax.Stmt
	p.within(f, func() { body = p.suite(where) })
	fn = name(pos, p.fresh(what))
	return name(pos, fn.Name), &syntax.DefStmt{Def: pos, Name: fn, Lparen: pos, Params: params, Rparen: pos, Body: body}
}

func (p *parser) try() []syntax.Stmt {
	pos := p.next()
	var out []syntax.Stmt
	ends := map[string]bool{}
	add := func(fn *syntax.Ident, def *syntax.DefStmt) syntax.Expr {
		out = append(out, def)
		return fn
	}
	body := add(p.block("try", "after \"try\"", ends))
	handlers := &syntax.ListExpr{Lbrack: pos, Rbrack: pos}
	for p.isWord("except") {
		at := p.next()
		types := none(at)
		param := name(at, p.fresh("error"))
		if !p.isOp(":") {
			types = p.exprs()
			if p.takeWord("as") {
				param = p.ident("a name for the error")
			}
		}
		h := add(p.block("except", "after \"except\"", ends, param))
		handlers.List = append(handlers.List, &syntax.TupleExpr{Lparen: at, List: []syntax.Expr{types, h}, Rparen: at})
	}
	otherwise, finally := none(pos), none(pos)
	if len(handlers.List) > 0 && p.takeWord("else") {
		otherwise = add(p.block("else", "after \"else\"", ends))
	}
	if p.takeWord("finally") {
		finally = add(p.block("finally", "after \"finally\"", ends))
	} else if len(handlers.List) == 0 {
		p.fail(p.pos(), "expected \"except\" or \"finally\" after the block of \"try\", got %s", p.what())
	}
	result := p.fresh("result")
	out = append(out, assign(name(pos, result), pos, call(Try, pos, body, handlers, otherwise, finally)))
	for _, kind := range []string{"return", "break", "continue"} {
		if ends[kind] {
			var value syntax.Expr
			if kind == "return" {
				value = call(Signals, pos, name(pos, result))
			}
			out = append(out, &syntax.IfStmt{If: pos, Cond: call(Signaled, pos, name(pos, result), text(pos, kind)), True: p.leaving(kind, pos, value)})
		}
	}
	return out
}
