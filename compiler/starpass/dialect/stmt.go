package dialect

import (
	"strings"

	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// statement reads a statement, or several on a line, and appends them.
func (p *parser) statement(out []syntax.Stmt) []syntax.Stmt {
	switch p.tok().kind {
	case py.NewlineToken:
		p.at++
		return out
	case py.IndentToken:
		p.fail(p.pos(), "this line is indented, but belongs to no block")
	case py.DedentToken:
		p.at++
		return out
	}
	p.enter()
	defer p.leave()
	if list, ok := p.compound(); ok {
		return append(out, list...)
	}
	for {
		out = append(out, p.simple()...)
		if !p.takeOp(";") || p.is(py.NewlineToken) || p.is(py.EOFToken) {
			break
		}
	}
	if !p.is(py.NewlineToken) && !p.is(py.EOFToken) {
		p.fail(p.pos(), "expected the end of the line, got %s", p.what())
	}
	p.next()
	return out
}

// simple reads a statement without a block.
func (p *parser) simple() []syntax.Stmt {
	t := p.tok()
	if t.kind == py.NameToken {
		switch t.text {
		case "return":
			p.at++
			var value syntax.Expr
			if p.startsTest() || p.isOp("*") {
				value = p.exprs()
			}
			return p.leaving("return", t.pos, value)
		case "break", "continue":
			p.at++
			return p.leaving(t.text, t.pos, nil)
		case "pass":
			p.at++
			return []syntax.Stmt{&syntax.BranchStmt{Token: syntax.PASS, TokenPos: t.pos}}
		case "assert":
			return p.assertion()
		case "raise":
			return p.raise()
		case "import", "from":
			return p.imports()
		case "del":
			return p.del()
		case "nonlocal":
			p.at++
			for more := true; more; more = p.takeOp(",") {
				p.nonlocal(p.ident("the name of a variable"))
			}
			return []syntax.Stmt{&syntax.BranchStmt{Token: syntax.PASS, TokenPos: t.pos}}
		case "global":
			p.fail(t.pos, "global is not available: functions cannot assign variables of the top level; return the value, or change a list or dict")
		case "yield", "await", "async":
			p.fail(t.pos, "%s is not available: return a list", t.text)
		case "load":
			if p.toks[p.at+1].text == "(" && p.toks[p.at+2].kind == py.StringToken {
				p.fail(t.pos, "load is not available: a script is one file, and the input module is the variable mod")
			}
		}
	}
	x := p.exprs()
	switch next := p.tok(); {
	case next.kind != py.OpToken:
	case next.text == "=":
		return p.assigns(x)
	case next.text == ":":
		p.at++
		p.test()
		if !p.isOp("=") {
			return []syntax.Stmt{&syntax.BranchStmt{Token: syntax.PASS, TokenPos: next.pos}}
		}
		return p.assigns(x)
	case strings.HasSuffix(next.text, "=") && tokens[next.text] != 0 && tokens[next.text] >= syntax.PLUS_EQ:
		p.at++
		p.binds(x)
		return []syntax.Stmt{&syntax.AssignStmt{LHS: x, OpPos: next.pos, Op: tokens[next.text], RHS: p.exprs()}}
	case next.text == "**=" || next.text == "@=":
		p.at++
		if _, ok := x.(*syntax.Ident); !ok {
			p.fail(next.pos, "%s needs a variable on its left", next.text)
		}
		p.binds(x)
		op := strings.TrimSuffix(next.text, "=")
		return []syntax.Stmt{assign(x, next.pos, call(op, next.pos, copied(x), p.exprs()))}
	}
	return []syntax.Stmt{&syntax.ExprStmt{X: x}}
}

// assigns reads the rest of an assignment, which may have several targets.
func (p *parser) assigns(x syntax.Expr) []syntax.Stmt {
	targets := []syntax.Expr{x}
	var at []syntax.Position
	var value syntax.Expr
	for p.isOp("=") {
		at = append(at, p.next())
		value = p.exprs()
		if p.isOp("=") {
			targets = append(targets, value)
		}
	}
	for i, t := range targets {
		p.assignable(t, at[i])
		p.binds(t)
	}
	if len(targets) == 1 {
		return []syntax.Stmt{assign(x, at[0], value)}
	}
	once := p.fresh("value")
	out := []syntax.Stmt{assign(name(at[0], once), at[0], value)}
	for i, t := range targets {
		out = append(out, assign(t, at[i], name(at[i], once)))
	}
	return out
}

// assignable refuses what the resolver would take for something else.
func (p *parser) assignable(x syntax.Expr, pos syntax.Position) {
	switch x := x.(type) {
	case *syntax.Ident, *syntax.IndexExpr, *syntax.DotExpr:
	case *syntax.ParenExpr:
		p.assignable(x.X, pos)
	case *syntax.TupleExpr:
		for _, e := range x.List {
			p.assignable(e, pos)
		}
	case *syntax.ListExpr:
		for _, e := range x.List {
			p.assignable(e, pos)
		}
	default:
		p.fail(pos, "only variables, fields, entries, and lists of these can be assigned")
	}
}

func (p *parser) assertion() []syntax.Stmt {
	pos := p.next()
	cond := p.test()
	message := none(pos)
	if p.takeOp(",") {
		message = p.test()
	}
	fails := &syntax.ExprStmt{X: call(Assert, pos, message)}
	return []syntax.Stmt{&syntax.IfStmt{If: pos, Cond: &syntax.UnaryExpr{OpPos: pos, Op: syntax.NOT, X: cond}, True: []syntax.Stmt{fails}}}
}

func (p *parser) raise() []syntax.Stmt {
	pos := p.next()
	what, from := none(pos), none(pos)
	if p.startsTest() {
		what = p.test()
		if p.takeWord("from") {
			from = p.test()
		}
	}
	return []syntax.Stmt{&syntax.ExprStmt{X: call(Raise, pos, what, from)}}
}

// del reads the removal of entries.
func (p *parser) del() []syntax.Stmt {
	pos := p.next()
	var out []syntax.Stmt
	for more := true; more; more = p.takeOp(",") {
		x, ok := p.postfix().(*syntax.IndexExpr)
		if !ok {
			p.fail(pos, "del removes entries only, as in del d[key]")
		}
		out = append(out, &syntax.ExprStmt{X: &syntax.CallExpr{
			Fn: &syntax.DotExpr{X: x.X, Dot: pos, Name: name(pos, "pop")}, Lparen: pos, Args: []syntax.Expr{x.Y}, Rparen: pos,
		}})
	}
	return out
}

// imports reads "import a.b as c, d" or "from a import b as c, d".
func (p *parser) imports() []syntax.Stmt {
	from := p.isWord("from")
	pos := p.next()
	var out []syntax.Stmt
	add := func(path string, to *syntax.Ident) {
		p.bind(to.Name)
		out = append(out, assign(to, pos, call(Import, pos, text(pos, path), text(pos, to.Name))))
	}
	if !from {
		for more := true; more; more = p.takeOp(",") {
			first, path := p.path()
			if p.takeWord("as") {
				add(path, p.ident("a name"))
			} else {
				add(first.Name, first)
			}
		}
		return out
	}
	if p.isOp(".") || p.isOp("...") {
		p.fail(p.pos(), "a script is one file: it cannot import from a folder")
	}
	_, path := p.path()
	if !p.takeWord("import") {
		p.fail(p.pos(), "expected \"import\", got %s", p.what())
	}
	if p.isOp("*") {
		p.fail(p.pos(), "import * is not available: name what is used")
	}
	paren := p.takeOp("(")
	for {
		item := p.ident("a name to import")
		to := item
		if p.takeWord("as") {
			to = p.ident("a name")
		}
		if path != "__future__" {
			add(path+":"+item.Name, to)
		}
		if !p.takeOp(",") || paren && p.isOp(")") {
			break
		}
	}
	if paren {
		p.wantOp(")", "after the names")
	}
	return append(out, &syntax.BranchStmt{Token: syntax.PASS, TokenPos: pos})
}

// path reads the name of a module.
func (p *parser) path() (first *syntax.Ident, path string) {
	first = p.ident("the name of a module")
	path = first.Name
	for p.takeOp(".") {
		path += "." + p.ident("the name of a module").Name
	}
	return first, path
}
