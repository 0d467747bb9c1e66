package dialect

import (
	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// levels are the binary operators from those that bind least.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

var tokens = map[string]syntax.Token{
	"|": syntax.PIPE, "^": syntax.CIRCUMFLEX, "&": syntax.AMP, "<<": syntax.LTLT, ">>": syntax.GTGT, "+": syntax.PLUS, "-": syntax.MINUS,
	"*": syntax.STAR, "/": syntax.SLASH, "//": syntax.SLASHSLASH, "%": syntax.PERCENT, "~": syntax.TILDE,
	"==": syntax.EQL, "!=": syntax.NEQ, "<": syntax.LT, ">": syntax.GT, "<=": syntax.LE, ">=": syntax.GE,
	"=": syntax.EQ, "+=": syntax.PLUS_EQ, "-=": syntax.MINUS_EQ, "*=": syntax.STAR_EQ, "/=": syntax.SLASH_EQ, "//=": syntax.SLASHSLASH_EQ,
	"%=": syntax.PERCENT_EQ, "&=": syntax.AMP_EQ, "|=": syntax.PIPE_EQ, "^=": syntax.CIRCUMFLEX_EQ, "<<=": syntax.LTLT_EQ, ">>=": syntax.GTGT_EQ,
}

// startsTest tells whether an expression can begin at the current token.
func (p *parser) startsTest() bool {
	switch t := p.tok(); t.kind {
	case py.NameToken:
		return !isKeyword(t.text) || t.text == "lambda" || t.text == "not"
	case py.NumberToken, py.StringToken:
		return true
	case py.OpToken:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "...":
			return true
		}
	}
	return false
}

// exprs reads one expression, or several with commas between them, which are a tuple. In brackets a last comma may stand.
func (p *parser) exprs() syntax.Expr {
	x := p.item()
	if !p.isOp(",") {
		return p.spread([]syntax.Expr{x}, x)
	}
	list := []syntax.Expr{x}
	for p.takeOp(",") {
		if !p.startsTest() && !p.isOp("*") {
			break
		}
		list = append(list, p.item())
	}
	return p.spread(list, &syntax.TupleExpr{List: list})
}

// item reads an expression, which a star may spread.
func (p *parser) item() syntax.Expr {
	if !p.isOp("*") {
		return p.test()
	}
	pos := p.next()
	return &syntax.UnaryExpr{OpPos: pos, Op: syntax.STAR, X: p.binary(0)}
}

// spread returns display, a list or tuple of items, or where one of these has a star a sum of lists.
func (p *parser) spread(items []syntax.Expr, display syntax.Expr) syntax.Expr {
	var sum syntax.Expr
	from := 0
	add := func(x syntax.Expr, pos syntax.Position) {
		if sum == nil {
			sum = x
		} else {
			sum = &syntax.BinaryExpr{X: sum, OpPos: pos, Op: syntax.PLUS, Y: x}
		}
	}
	for i, x := range items {
		star, ok := x.(*syntax.UnaryExpr)
		if !ok || star.Op != syntax.STAR {
			continue
		}
		add(&syntax.ListExpr{Lbrack: star.OpPos, List: items[from:i:i], Rbrack: star.OpPos}, star.OpPos)
		add(call("list", star.OpPos, star.X), star.OpPos)
		from = i + 1
	}
	if sum == nil {
		return display
	}
	pos, _ := items[0].Span()
	if from < len(items) {
		add(&syntax.ListExpr{Lbrack: pos, List: items[from:], Rbrack: pos}, pos)
	}
	switch display.(type) {
	case *syntax.ListExpr:
		return sum
	case *syntax.TupleExpr:
		return call("tuple", pos, sum)
	}
	p.fail(pos, "a starred expression can stand only in a list, a tuple, or arguments")
	return nil
}

// test reads one expression.
func (p *parser) test() syntax.Expr {
	p.enter()
	defer p.leave()
	if p.isWord("lambda") {
		return p.lambda()
	}
	x := p.or()
	if p.isOp(":=") {
		p.fail(p.pos(), "assignments inside expressions (:=) are not available: assign before")
	}
	if !p.isWord("if") {
		return x
	}
	out := &syntax.CondExpr{If: p.next(), True: x, Cond: p.or()}
	if !p.isWord("else") {
		p.fail(p.pos(), "a conditional expression without \"else\": got %s", p.what())
	}
	out.ElsePos = p.next()
	out.False = p.test()
	return out
}

func (p *parser) lambda() syntax.Expr {
	out := &syntax.LambdaExpr{Lambda: p.next()}
	out.Params = p.params(":", false)
	p.wantOp(":", "after the parameters of the lambda")
	out.Body = p.test()
	return out
}

func (p *parser) or() syntax.Expr {
	x := p.and()
	for p.isWord("or") {
		pos := p.next()
		x = &syntax.BinaryExpr{X: x, OpPos: pos, Op: syntax.OR, Y: p.and()}
	}
	return x
}

func (p *parser) and() syntax.Expr {
	x := p.not()
	for p.isWord("and") {
		pos := p.next()
		x = &syntax.BinaryExpr{X: x, OpPos: pos, Op: syntax.AND, Y: p.not()}
	}
	return x
}

func (p *parser) not() syntax.Expr {
	if !p.isWord("not") {
		return p.compare()
	}
	p.enter()
	defer p.leave()
	pos := p.next()
	return &syntax.UnaryExpr{OpPos: pos, Op: syntax.NOT, X: p.not()}
}

// compare reads a comparison; a < b < c is a < b and b < c, with b computed once.
func (p *parser) compare() syntax.Expr {
	x := p.binary(0)
	var out syntax.Expr
	for {
		pos := p.pos()
		op, ok := p.comparison()
		switch {
		case !ok && out != nil:
			return out
		case !ok:
			return x
		}
		if last := p.toks[p.at-1]; last.text == "in" {
			pos = last.pos
		}
		y := p.binary(0)
		one := op(x, pos, y)
		if out == nil {
			out, x = one, y
			continue
		}
		switch x.(type) {
		case *syntax.Ident, *syntax.Literal:
		default:
			p.fail(pos, "a chain of comparisons whose middle is neither a name nor a number: write it with \"and\"")
		}
		out, x = &syntax.BinaryExpr{X: out, OpPos: pos, Op: syntax.AND, Y: one}, y
	}
}

// comparison reads the operator of a comparison.
func (p *parser) comparison() (func(x syntax.Expr, pos syntax.Position, y syntax.Expr) syntax.Expr, bool) {
	with := func(op syntax.Token) func(x syntax.Expr, pos syntax.Position, y syntax.Expr) syntax.Expr {
		return func(x syntax.Expr, pos syntax.Position, y syntax.Expr) syntax.Expr {
			return &syntax.BinaryExpr{X: copied(x), OpPos: pos, Op: op, Y: y}
		}
	}
	switch {
	case p.is(py.OpToken):
		switch s := p.tok().text; s {
		case "==", "!=", "<", ">", "<=", ">=":
			p.at++
			return with(tokens[s]), true
		}
	case p.takeWord("in"):
		return with(syntax.IN), true
	case p.isWord("not") && p.toks[p.at+1].text == "in":
		p.at += 2
		return with(syntax.NOT_IN), true
	case p.takeWord("is"):
		not := p.takeWord("not")
		return func(x syntax.Expr, pos syntax.Position, y syntax.Expr) syntax.Expr {
			var out syntax.Expr = call(Is, pos, copied(x), y)
			if not {
				out = &syntax.UnaryExpr{OpPos: pos, Op: syntax.NOT, X: out}
			}
			return out
		}, true
	}
	return nil, false
}

// copied returns a name as a node of its own: the resolver writes into each.
func copied(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		return name(x.NamePos, x.Name)
	case *syntax.Literal:
		out := *x
		return &out
	}
	return x
}

// binary reads operators of a level and those that bind more.
func (p *parser) binary(level int) syntax.Expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for p.is(py.OpToken) {
		op := p.tok().text
		if !contains(levels[level], op) {
			break
		}
		pos := p.next()
		y := p.binary(level + 1)
		if op == "@" {
			x = call(Matmul, pos, x, y)
		} else {
			x = &syntax.BinaryExpr{X: x, OpPos: pos, Op: tokens[op], Y: y}
		}
	}
	return x
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (p *parser) unary() syntax.Expr {
	p.enter()
	defer p.leave()
	if p.isOp("-") || p.isOp("+") || p.isOp("~") {
		op := tokens[p.tok().text]
		pos := p.next()
		return &syntax.UnaryExpr{OpPos: pos, Op: op, X: p.unary()}
	}
	x := p.postfix()
	if p.isOp("**") {
		pos := p.next()
		return call(Power, pos, x, p.unary())
	}
	return x
}
