package dialect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	py "github.com/irscope/irscope/compiler/script/syntax"
)

// maxDepth bounds how deeply a text nests, so that it exhausts no stack.
const maxDepth = 400

// Parse reads a script; name is that of the file, for messages. The error is a syntax.Error.
func Parse(name, text string) (f *syntax.File, err error) {
	errs := &py.Errors{Source: py.NewSource(name, text)}
	p := &parser{src: text, file: &name, outer: map[*syntax.DefStmt]map[string]bool{}}
	p.toks = p.tokens(py.Tokens(errs), 0)
	if errs.Failed() {
		e := errs.List[0]
		return nil, syntax.Error{Pos: p.place(int(e.At)), Msg: e.Message}
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntax.Error:
			f, err = nil, e
		default:
			panic(e)
		}
	}()
	p.push(false)
	var list []syntax.Stmt
	for !p.is(py.EOFToken) {
		list = p.statement(list)
	}
	list = p.pop(list, nil, syntax.MakePosition(&name, 1, 1))
	return &syntax.File{Path: name, Stmts: list, Options: Options()}, nil
}

// Options are what trees need of the interpreter.
func Options() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
}

// token is a token with its text and place.
type token struct {
	kind py.TokenKind
	text string
	pos  syntax.Position
	at   int32 // offset into the source
}

type parser struct {
	src    string
	file   *string
	toks   []token
	at     int
	depth  int
	count  int // of names that were made up
	scopes []*scope
	places [][2]int32                          // line and column of each byte
	outer  map[*syntax.DefStmt]map[string]bool // what functions declare nonlocal
}

// tokens places tokens that begin at an offset of the source.
func (p *parser) tokens(list []py.Token, from int) []token {
	out := make([]token, len(list))
	for i, t := range list {
		at, end := from+int(t.At), from+int(t.End)
		out[i] = token{kind: t.Kind, text: p.src[at:end], pos: p.place(at), at: int32(at)}
	}
	return out
}

// place returns the place of an offset. All are counted once, since f-strings ask for them in any order.
func (p *parser) place(at int) syntax.Position {
	if p.places == nil {
		p.places = make([][2]int32, len(p.src)+1)
		line, col := int32(1), int32(1)
		for i := 0; i < len(p.src); {
			_, n := utf8.DecodeRuneInString(p.src[i:])
			for k := range n {
				p.places[i+k] = [2]int32{line, col}
			}
			col++
			if p.src[i] == '\n' {
				line, col = line+1, 1
			}
			i += n
		}
		p.places[len(p.src)] = [2]int32{line, col}
	}
	return syntax.MakePosition(p.file, p.places[at][0], p.places[at][1])
}

func (p *parser) tok() *token { return &p.toks[p.at] }

func (p *parser) is(k py.TokenKind) bool { return p.tok().kind == k }

func (p *parser) pos() syntax.Position { return p.tok().pos }

// next moves to the next token and returns the place of the one before it.
func (p *parser) next() syntax.Position {
	pos := p.pos()
	if !p.is(py.EOFToken) {
		p.at++
	}
	return pos
}

func (p *parser) fail(pos syntax.Position, format string, args ...any) {
	panic(syntax.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// isOp tells whether the current token is an operator or bracket.
func (p *parser) isOp(s string) bool { return p.is(py.OpToken) && p.tok().text == s }

func (p *parser) takeOp(s string) bool {
	if p.isOp(s) {
		p.at++
		return true
	}
	return false
}

func (p *parser) wantOp(s, where string) syntax.Position {
	if !p.isOp(s) {
		p.fail(p.pos(), "expected %q %s, got %s", s, where, p.what())
	}
	return p.next()
}

func (p *parser) isWord(s string) bool { return p.is(py.NameToken) && p.tok().text == s }

func (p *parser) takeWord(s string) bool {
	if p.isWord(s) {
		p.at++
		return true
	}
	return false
}

// what describes the current token.
func (p *parser) what() string {
	switch t := p.tok(); t.kind {
	case py.EOFToken:
		return "the end of the script"
	case py.NewlineToken:
		return "the end of the line"
	case py.IndentToken:
		return "an indented line"
	case py.DedentToken:
		return "the end of the block"
	default:
		text := t.text
		if len(text) > 40 {
			text = strings.ToValidUTF8(text[:40], "") + "..."
		}
		return fmt.Sprintf("%q", text)
	}
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.pos(), "excessive nesting: more than %d levels", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

var keywords = []string{
	"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
	"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
}

func isKeyword(s string) bool { return slices.Contains(keywords, s) }

// ident reads a name.
func (p *parser) ident(what string) *syntax.Ident {
	t := p.tok()
	if t.kind != py.NameToken || isKeyword(t.text) {
		p.fail(t.pos, "expected %s, got %s", what, p.what())
	}
	p.at++
	return &syntax.Ident{NamePos: t.pos, Name: t.text}
}

// fresh returns a name that no script can spell.
func (p *parser) fresh(what string) string {
	p.count++
	return fmt.Sprintf("(%s %d)", what, p.count)
}

func name(pos syntax.Position, s string) *syntax.Ident { return &syntax.Ident{NamePos: pos, Name: s} }

func text(pos syntax.Position, s string) *syntax.Literal {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: pos, Raw: syntax.Quote(s, false), Value: s}
}

func number(pos syntax.Position, n int64) *syntax.Literal {
	return &syntax.Literal{Token: syntax.INT, TokenPos: pos, Raw: fmt.Sprint(n), Value: n}
}

// call is a call of a function by name.
func call(fn string, pos syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: name(pos, fn), Lparen: pos, Args: args, Rparen: pos}
}

func none(pos syntax.Position) syntax.Expr { return name(pos, "None") }

func assign(to syntax.Expr, pos syntax.Position, value syntax.Expr) *syntax.AssignStmt {
	return &syntax.AssignStmt{LHS: to, OpPos: pos, Op: syntax.EQ, RHS: value}
}
