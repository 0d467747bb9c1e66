package dialect

import (
	"slices"
	"strings"

	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// scripted are the decorators under which a function or class is TVMScript.
var scripted = []string{"ir_module", "I.ir_module", "R.function", "T.prim_func", "R.rewriter", "prim_func"}

// decorated reads decorators and what they stand before. Those behind which TVMScript stands make a module of its text.
func (p *parser) decorated() []syntax.Stmt {
	start := p.tok()
	var decorators []syntax.Expr
	for p.isOp("@") {
		p.at++
		d := p.test()
		decorators = append(decorators, d)
		if !p.is(py.NewlineToken) {
			p.fail(p.pos(), "expected the end of the line after the decorator, got %s", p.what())
		}
		p.at++
		if dotted := spelled(d); slices.ContainsFunc(scripted, func(s string) bool {
			return dotted == s || strings.Contains(s, ".") && dotted == "tvm.script."+s || s == "ir_module" && dotted == "tvm.script.ir_module"
		}) {
			return p.tvmScript(start)
		}
	}
	switch {
	case p.isWord("def"):
		d := p.def("")
		p.bind(d.Name.Name)
		return append([]syntax.Stmt{d}, p.decorate(d.Name.Name, name(d.Def, d.Name.Name), decorators)...)
	case p.isWord("class"):
		return p.classStmt(decorators)
	}
	p.fail(p.pos(), "expected a function or class after the decorator, got %s", p.what())
	return nil
}

// spelled returns the dotted name of a decorator, without its arguments.
func spelled(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.CallExpr:
		return spelled(x.Fn)
	case *syntax.DotExpr:
		return spelled(x.X) + "." + x.Name.Name
	case *syntax.Ident:
		return x.Name
	}
	return ""
}

// decorate assigns to a variable what decorators, the innermost last, make of a value.
func (p *parser) decorate(to string, value syntax.Expr, decorators []syntax.Expr) []syntax.Stmt {
	pos, _ := value.Span()
	for i := len(decorators) - 1; i >= 0; i-- {
		pos, _ = decorators[i].Span()
		value = &syntax.CallExpr{Fn: decorators[i], Lparen: pos, Args: []syntax.Expr{value}, Rparen: pos}
	}
	return []syntax.Stmt{assign(name(pos, to), pos, value)}
}

// tvmScript skips a function or class and hands on its text, with as many empty lines before it that its places are those of the script.
func (p *parser) tvmScript(start *token) []syntax.Stmt {
	for p.isOp("@") {
		for !p.is(py.NewlineToken) && !p.is(py.EOFToken) {
			p.at++
		}
		p.next()
	}
	if !p.isWord("def") && !p.isWord("class") {
		p.fail(p.pos(), "expected a function or class after the decorator, got %s", p.what())
	}
	p.at++
	id := p.ident("a name")
	for !p.is(py.NewlineToken) && !p.is(py.EOFToken) {
		p.at++
	}
	p.next()
	if p.is(py.IndentToken) {
		for depth := 0; ; p.at++ {
			if p.is(py.IndentToken) {
				depth++
			} else if p.is(py.DedentToken) {
				depth--
			}
			if depth == 0 || p.is(py.EOFToken) {
				break
			}
		}
		p.next()
	}
	from := strings.LastIndexByte(p.src[:start.at], '\n') + 1
	source := strings.Repeat("\n", int(start.pos.Line)-1) + p.src[from:p.toks[p.at-1].at]
	p.bind(id.Name)
	return []syntax.Stmt{assign(id, start.pos, call(Script, start.pos, text(start.pos, source), text(start.pos, id.Name)))}
}

// classStmt reads a class: its methods become functions, and a call makes the class of them.
func (p *parser) classStmt(decorators []syntax.Expr) []syntax.Stmt {
	p.enter()
	defer p.leave()
	pos := p.next()
	id := p.ident("the name of the class")
	bases := &syntax.TupleExpr{Lparen: pos, Rparen: pos}
	if p.takeOp("(") {
		for !p.isOp(")") {
			bases.List = append(bases.List, p.test())
			if p.isOp("=") {
				p.fail(p.pos(), "metaclasses are not available")
			}
			if !p.isOp(")") {
				p.wantOp(",", "between the bases of the class")
			}
		}
		p.at++
	}
	self := p.fresh("class " + id.Name)
	b := &classBody{p: p, class: id.Name, self: self, members: &syntax.DictExpr{Lbrace: pos, Rbrace: pos}, doc: none(pos)}
	b.read()
	p.bind(id.Name)
	made := call(Class, pos, text(pos, id.Name), b.doc, bases, b.members)
	out := append(b.defs, assign(name(pos, self), pos, made))
	return append(out, p.decorate(id.Name, name(pos, self), decorators)...)
}

// classBody is the body of a class that is being read.
type classBody struct {
	p           *parser
	class, self string
	defs        []syntax.Stmt
	members     *syntax.DictExpr
	doc         syntax.Expr
}

func (b *classBody) read() {
	p := b.p
	p.wantOp(":", "after the head of the class")
	if !p.is(py.NewlineToken) {
		b.member()
		return
	}
	p.at++
	if !p.is(py.IndentToken) {
		p.fail(p.pos(), "expected an indented block, got %s", p.what())
	}
	p.at++
	for !p.is(py.DedentToken) && !p.is(py.EOFToken) {
		b.member()
	}
	p.next()
}

// member reads a method, an attribute, the docstring, or nothing.
func (b *classBody) member() {
	p := b.p
	var decorators []syntax.Expr
	for p.isOp("@") {
		p.at++
		decorators = append(decorators, p.test())
		if !p.is(py.NewlineToken) {
			p.fail(p.pos(), "expected the end of the line after the decorator, got %s", p.what())
		}
		p.at++
	}
	pos := p.pos()
	switch {
	case p.isWord("def"):
		d := p.def(b.self)
		plain := d.Name.Name
		d.Name.Name = b.class + "." + plain
		var value syntax.Expr = name(d.Name.NamePos, d.Name.Name)
		for i := len(decorators) - 1; i >= 0; i-- {
			value = &syntax.CallExpr{Fn: decorators[i], Lparen: pos, Args: []syntax.Expr{value}, Rparen: pos}
		}
		b.defs = append(b.defs, d)
		b.add(d.Name.NamePos, plain, value)
		return
	case decorators != nil:
		p.fail(pos, "expected a method after the decorator, got %s", p.what())
	case p.takeWord("pass"), p.takeOp("..."):
	case p.is(py.StringToken):
		if x, ok := p.strings().(*syntax.Literal); ok {
			b.doc = x
		}
	case p.is(py.NameToken) && !isKeyword(p.tok().text):
		id := p.ident("the name of an attribute")
		if p.takeOp(":") {
			p.test()
		}
		if p.isOp("=") {
			p.at++
			b.add(id.NamePos, id.Name, p.exprs())
		}
	default:
		p.fail(pos, "a class holds methods and attributes, got %s", p.what())
	}
	if !p.is(py.NewlineToken) && !p.is(py.EOFToken) {
		p.fail(p.pos(), "expected the end of the line, got %s", p.what())
	}
	p.next()
}

func (b *classBody) add(pos syntax.Position, key string, value syntax.Expr) {
	for _, e := range b.members.List {
		if e := e.(*syntax.DictEntry); e.Key.(*syntax.Literal).Value == key {
			e.Value = value // the last one counts
			return
		}
	}
	b.members.List = append(b.members.List, &syntax.DictEntry{Key: text(pos, key), Colon: pos, Value: value})
}

// super is super() in a method.
func (p *parser) super(pos syntax.Position) syntax.Expr {
	m := p.scope().method
	if m == nil {
		p.fail(pos, "super() stands outside of a method")
	}
	return call(Super, pos, name(pos, m.class), name(pos, m.self))
}
