package dialect

import (
	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// compound reads a statement with a block, and returns false if there is none.
func (p *parser) compound() ([]syntax.Stmt, bool) {
	if p.isOp("@") {
		return p.decorated(), true
	}
	if !p.is(py.NameToken) {
		return nil, false
	}
	switch p.tok().text {
	case "if":
		return []syntax.Stmt{p.ifStmt()}, true
	case "for":
		out := &syntax.ForStmt{For: p.next(), Vars: p.targets()}
		p.assignable(out.Vars, out.For)
		p.binds(out.Vars)
		if !p.takeWord("in") {
			p.fail(p.pos(), "expected \"in\" after the variables of the loop, got %s", p.what())
		}
		out.X = p.exprs()
		out.Body = p.loop("for")
		return []syntax.Stmt{out}, true
	case "while":
		out := &syntax.WhileStmt{While: p.next(), Cond: p.test()}
		out.Body = p.loop("while")
		return []syntax.Stmt{out}, true
	case "def":
		d := p.def("")
		p.bind(d.Name.Name)
		return []syntax.Stmt{d}, true
	case "class":
		return p.classStmt(nil), true
	case "with":
		return p.with(), true
	case "try":
		return p.try(), true
	case "else", "elif":
		p.fail(p.pos(), "this %q belongs to no \"if\"", p.tok().text)
	case "except", "finally":
		p.fail(p.pos(), "this %q belongs to no \"try\"", p.tok().text)
	}
	return nil, false
}

// suite reads ":" and the statements of a block.
func (p *parser) suite(where string) []syntax.Stmt {
	p.enter()
	defer p.leave()
	p.wantOp(":", where)
	if !p.is(py.NewlineToken) {
		return p.statement(nil)
	}
	p.at++
	if !p.is(py.IndentToken) {
		p.fail(p.pos(), "expected an indented block, got %s", p.what())
	}
	p.at++
	var out []syntax.Stmt
	for !p.is(py.DedentToken) && !p.is(py.EOFToken) {
		out = p.statement(out)
	}
	p.next()
	return out
}

func (p *parser) ifStmt() *syntax.IfStmt {
	p.enter()
	defer p.leave()
	out := &syntax.IfStmt{If: p.next(), Cond: p.test()}
	out.True = p.suite("after the condition")
	switch {
	case p.isWord("elif"):
		out.ElsePos = p.pos()
		out.False = []syntax.Stmt{p.ifStmt()}
	case p.isWord("else"):
		out.ElsePos = p.next()
		out.False = p.suite("after \"else\"")
	}
	return out
}

// loop reads the body of a loop.
func (p *parser) loop(what string) (body []syntax.Stmt) {
	p.within(frame{kind: loopFrame}, func() { body = p.suite("after the head of the loop") })
	if p.isWord("else") {
		p.fail(p.pos(), "%s with else is not available: set a variable before break", what)
	}
	return body
}

// params reads parameters up to a closing sign. With annotations, these are dropped.
func (p *parser) params(end string, annotated bool) []syntax.Expr {
	var out []syntax.Expr
	for !p.isOp(end) {
		pos := p.pos()
		switch {
		case p.takeOp("/"):
		case p.takeOp("*"):
			star := &syntax.UnaryExpr{OpPos: pos, Op: syntax.STAR}
			if !p.isOp(",") {
				star.X = p.param(annotated)
			}
			out = append(out, star)
		case p.takeOp("**"):
			out = append(out, &syntax.UnaryExpr{OpPos: pos, Op: syntax.STARSTAR, X: p.param(annotated)})
		default:
			id := p.param(annotated)
			if p.isOp("=") {
				out = append(out, &syntax.BinaryExpr{X: id, OpPos: p.next(), Op: syntax.EQ, Y: p.test()})
			} else {
				out = append(out, id)
			}
		}
		if !p.isOp(end) {
			p.wantOp(",", "between parameters")
		}
	}
	return out
}

func (p *parser) param(annotated bool) *syntax.Ident {
	id := p.ident("the name of a parameter")
	if annotated && p.takeOp(":") {
		p.test()
	}
	return id
}

// def reads a function. That of a method is named after its class, too.
func (p *parser) def(class string) *syntax.DefStmt {
	p.enter()
	defer p.leave()
	out := &syntax.DefStmt{Def: p.next(), Name: p.ident("the name of the function")}
	out.Lparen = p.wantOp("(", "before the parameters")
	out.Params = p.params(")", true)
	out.Rparen = p.next()
	if p.takeOp("->") {
		p.exprs()
	}
	p.push(true)
	names := paramNames(out.Params)
	for _, n := range names {
		p.scope().bound[n] = true
	}
	if class != "" {
		p.scope().method = nil
		if len(names) > 0 {
			p.scope().method = &method{class: class, self: names[0]}
		}
	}
	body := p.suite("after the parameters")
	p.outer[out] = p.scope().outer
	out.Body = p.pop(body, out.Params, out.Def)
	return out
}

// paramNames returns the names that parameters bind.
func paramNames(params []syntax.Expr) []string {
	var out []string
	for _, x := range params {
		switch y := x.(type) {
		case *syntax.BinaryExpr:
			x = y.X
		case *syntax.UnaryExpr:
			x = y.X
		}
		if id, ok := x.(*syntax.Ident); ok {
			out = append(out, id.Name)
		}
	}
	return out
}
