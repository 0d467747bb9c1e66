package dialect

import (
	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// postfix reads an atom with its fields, calls and subscripts.
func (p *parser) postfix() syntax.Expr {
	x := p.atom()
	for {
		switch {
		case p.isOp("."):
			dot := p.next()
			x = &syntax.DotExpr{X: x, Dot: dot, Name: p.ident("the name of a field")}
		case p.isOp("("):
			x = p.call(x)
		case p.isOp("["):
			x = p.subscript(x)
		default:
			return x
		}
	}
}

func (p *parser) call(fn syntax.Expr) syntax.Expr {
	out := &syntax.CallExpr{Fn: fn, Lparen: p.next()}
	for !p.isOp(")") {
		out.Args = append(out.Args, p.arg())
		if !p.isOp(")") {
			p.wantOp(",", "between arguments")
		}
	}
	out.Rparen = p.next()
	if id, ok := fn.(*syntax.Ident); ok && id.Name == "super" && len(out.Args) == 0 {
		return p.super(id.NamePos)
	}
	return out
}

func (p *parser) arg() syntax.Expr {
	for _, op := range []string{"*", "**"} {
		if p.isOp(op) {
			pos := p.next()
			return &syntax.UnaryExpr{OpPos: pos, Op: map[string]syntax.Token{"*": syntax.STAR, "**": syntax.STARSTAR}[op], X: p.test()}
		}
	}
	x := p.test()
	switch {
	case p.isOp("="):
		if _, ok := x.(*syntax.Ident); !ok {
			p.fail(p.pos(), "an argument by name has the form name=value")
		}
		eq := p.next()
		return &syntax.BinaryExpr{X: x, OpPos: eq, Op: syntax.EQ, Y: p.test()}
	case p.isWord("for"): // a generator
		start, _ := x.Span()
		return p.clauses(&syntax.Comprehension{Lbrack: start, Body: x}, ")")
	}
	return x
}

func (p *parser) subscript(x syntax.Expr) syntax.Expr {
	lbrack := p.next()
	var lo, hi, step syntax.Expr
	if !p.isOp(":") {
		y := p.exprs()
		if p.isOp("]") {
			return &syntax.IndexExpr{X: x, Lbrack: lbrack, Y: y, Rbrack: p.next()}
		}
		lo = y
	}
	p.wantOp(":", "in the slice, or a closing bracket")
	if !p.isOp(":") && !p.isOp("]") {
		hi = p.test()
	}
	if p.takeOp(":") && !p.isOp("]") {
		step = p.test()
	}
	return &syntax.SliceExpr{X: x, Lbrack: lbrack, Lo: lo, Hi: hi, Step: step, Rbrack: p.wantOp("]", "after the slice")}
}

func (p *parser) atom() syntax.Expr {
	t := p.tok()
	switch t.kind {
	case py.NameToken:
		return p.ident("an expression")
	case py.NumberToken:
		return p.numeral()
	case py.StringToken:
		return p.strings()
	case py.OpToken:
		switch t.text {
		case "[":
			return p.list()
		case "{":
			return p.braces()
		case "(":
			return p.parens()
		case "...":
			return none(p.next())
		}
	}
	p.fail(t.pos, "expected an expression, got %s", p.what())
	return nil
}

func (p *parser) list() syntax.Expr {
	out := &syntax.ListExpr{Lbrack: p.next()}
	for !p.isOp("]") {
		x := p.item()
		if p.isWord("for") && len(out.List) == 0 {
			c := p.clauses(&syntax.Comprehension{Lbrack: out.Lbrack, Body: x}, "]")
			p.next()
			return c
		}
		out.List = append(out.List, x)
		if !p.isOp("]") {
			p.wantOp(",", "between the entries of the list")
		}
	}
	out.Rbrack = p.next()
	return p.spread(out.List, out)
}

func (p *parser) parens() syntax.Expr {
	lparen := p.next()
	if p.isOp(")") {
		return &syntax.TupleExpr{Lparen: lparen, Rparen: p.next()}
	}
	if p.isOp("*") {
		x := p.exprs()
		return &syntax.ParenExpr{Lparen: lparen, X: x, Rparen: p.wantOp(")", "after the tuple")}
	}
	if p.isWord("yield") {
		p.fail(p.pos(), "generators are not available: return a list")
	}
	x := p.exprs()
	if p.isWord("for") {
		c := p.clauses(&syntax.Comprehension{Lbrack: lparen, Body: x}, ")")
		p.wantOp(")", "after the generator")
		return c
	}
	return &syntax.ParenExpr{Lparen: lparen, X: x, Rparen: p.wantOp(")", "after the expression")}
}

// braces reads a dictionary or a set.
func (p *parser) braces() syntax.Expr {
	lbrace := p.next()
	if p.isOp("}") {
		return &syntax.DictExpr{Lbrace: lbrace, Rbrace: p.next()}
	}
	if !p.isOp("**") {
		first := p.item()
		if !p.isOp(":") {
			return p.set(lbrace, first)
		}
		entry := p.entry(first)
		if p.isWord("for") {
			c := p.clauses(&syntax.Comprehension{Curly: true, Lbrack: lbrace, Body: entry}, "}")
			p.next()
			return c
		}
		return p.dict(lbrace, entry)
	}
	return p.dict(lbrace, nil)
}

func (p *parser) entry(key syntax.Expr) *syntax.DictEntry {
	return &syntax.DictEntry{Key: key, Colon: p.wantOp(":", "after the key"), Value: p.test()}
}

// dict reads the entries of a dictionary; with **other in it, it is a union.
func (p *parser) dict(lbrace syntax.Position, first syntax.Expr) syntax.Expr {
	one := &syntax.DictExpr{Lbrace: lbrace, Rbrace: lbrace}
	if first != nil {
		one.List = append(one.List, first)
	}
	var sum syntax.Expr = one
	comma := first != nil
	for {
		if comma && !p.isOp("}") {
			p.wantOp(",", "between the entries of the dictionary")
		}
		comma = true
		if p.isOp("}") {
			break
		}
		if p.isOp("**") {
			pos := p.next()
			sum = &syntax.BinaryExpr{X: sum, OpPos: pos, Op: syntax.PIPE, Y: p.binary(0)}
			one = nil
			continue
		}
		if one == nil {
			one = &syntax.DictExpr{Lbrace: p.pos(), Rbrace: p.pos()}
			sum = &syntax.BinaryExpr{X: sum, OpPos: p.pos(), Op: syntax.PIPE, Y: one}
		}
		one.List = append(one.List, p.entry(p.test()))
	}
	rbrace := p.next()
	if one != nil {
		one.Rbrace = rbrace
	}
	return sum
}

// set reads a set, which Starlark makes of a list.
func (p *parser) set(lbrace syntax.Position, first syntax.Expr) syntax.Expr {
	if p.isWord("for") {
		c := p.clauses(&syntax.Comprehension{Lbrack: lbrace, Body: first}, "}")
		p.next()
		return call("set", lbrace, c)
	}
	list := []syntax.Expr{first}
	for !p.isOp("}") {
		p.wantOp(",", "between the entries of the set")
		if !p.isOp("}") {
			list = append(list, p.item())
		}
	}
	return call("set", lbrace, p.spread(list, &syntax.ListExpr{Lbrack: lbrace, List: list, Rbrack: p.next()}))
}

// clauses reads the rest of a comprehension up to its closing bracket, or to the comma behind a generator that is one of several arguments.
func (p *parser) clauses(c *syntax.Comprehension, end string) syntax.Expr {
	for !p.isOp(end) {
		switch {
		case p.isWord("for"):
			f := &syntax.ForClause{For: p.next(), Vars: p.targets()}
			if !p.isWord("in") {
				p.fail(p.pos(), "expected \"in\" after the variables, got %s", p.what())
			}
			f.In = p.next()
			f.X = p.or()
			c.Clauses = append(c.Clauses, f)
		case p.isWord("if"):
			c.Clauses = append(c.Clauses, &syntax.IfClause{If: p.next(), Cond: p.or()})
		case p.isOp(",") && end == ")": // a generator that is one of several arguments
			c.Rbrack = p.pos()
			return c
		default:
			p.fail(p.pos(), "expected %q, for, or if, got %s", end, p.what())
		}
	}
	c.Rbrack = p.pos()
	return c
}

// targets reads the variables of a loop.
func (p *parser) targets() syntax.Expr {
	x := p.postfix()
	if !p.isOp(",") {
		return x
	}
	list := []syntax.Expr{x}
	for p.takeOp(",") {
		if p.isWord("in") {
			break
		}
		list = append(list, p.postfix())
	}
	return &syntax.TupleExpr{List: list}
}
