package syntax

import "fmt"

// maxDepth bounds how deeply expressions and statements nest, so that no text exhausts the
// stack.
const maxDepth = 400

// MaxChain bounds the length of a chain of operators, which makes a tree as deep.
const MaxChain = 20000

// parser turns tokens into a syntax tree.
type parser struct {
	src      string
	toks     []token
	pos      int
	depth    int
	diags    *Errors
	script   int     // decorated functions and classes of ours around the current token
	host     []Error // errors outside of them, in a program that we need not understand
	*memory          // of the tree that is made
	outlined *memory // of the outline, while bodies are read
	kidBuf   []*Node // where lists of children are
	open     []*Node // children of the nodes around the current token, whose lists have not ended

	outline bool   // bodies of functions in modules are passed over
	module  bool   // the innermost decorated definition around the current token is a module
	passing string // the role of the definition at the current token where it is such a function, else ""
	passed  int    // bodies that were passed over
}

// syntaxError is thrown to the statement that is being read.
type syntaxError struct{}

func (p *parser) tok() *token { return &p.toks[p.pos] }

func (p *parser) text() string { t := p.tok(); return p.src[t.at:t.end] }

func (p *parser) isOp(s sign) bool { return p.tok().op == s }

func (p *parser) isWord(s string) bool {
	t := p.tok()
	return t.kind == tokName && p.src[t.at:t.end] == s
}

func (p *parser) takeOp(s sign) bool {
	if p.isOp(s) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) takeWord(s string) bool {
	if p.isWord(s) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) fail(format string, args ...any) { p.failHelp("", format, args...) }

func (p *parser) failHelp(help, format string, args ...any) {
	t := p.tok()
	if !p.afterLexError(t) {
		p.diags.Add(t.at, max(t.end, t.at+1), fmt.Sprintf(format, args...), help)
	}
	panic(syntaxError{})
}

// afterLexError reports whether the lexer found an error on the line of a token, or on that of
// the token before it, which ends the line before.
func (p *parser) afterLexError(t *token) bool {
	if len(p.diags.broken) == 0 {
		return false
	}
	line, _ := p.diags.Position(t.at)
	if p.diags.broken[line] || p.pos == 0 {
		return p.diags.broken[line]
	}
	line, _ = p.diags.Position(p.toks[p.pos-1].at)
	return p.diags.broken[line]
}

// what names the current token in an error.
func (p *parser) what() string {
	switch t := p.tok(); t.kind {
	case tokEOF:
		return "the end of the text"
	case tokNewline:
		return "the end of the line"
	case tokIndent:
		return "an indented line"
	case tokDedent:
		return "the end of the block"
	default:
		s := p.text()
		if len(s) > 20 {
			s = s[:20] + "..."
		}
		return fmt.Sprintf("%q", s)
	}
}

func (p *parser) wantOp(s sign, where string) {
	if !p.takeOp(s) {
		if p.isOp('=') {
			p.failHelp("write == to compare", "expected %q %s, got %s", s, where, p.what())
		}
		p.fail("expected %q %s, got %s", s, where, p.what())
	}
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.depth = 0 // the statement that caught it restores its own
		p.fail("this is nested more than %d levels deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// prevEnd is the end of the token before the current one.
func (p *parser) prevEnd() int32 {
	if p.pos == 0 {
		return p.toks[0].at
	}
	return p.toks[p.pos-1].end
}

func (p *parser) node(k Kind, at, end int32, text string, kids ...*Node) *Node {
	n := p.nodes.Take()
	n.Kind, n.At, n.End, n.Text = k, at, end, text
	if len(kids) > 0 {
		n.Kids = p.kids(kids...)
	}
	return n
}

// closed makes a node of the children that were put on p.open from mark on.
func (p *parser) closed(k Kind, at, end int32, mark int) *Node {
	n := p.node(k, at, end, "", p.open[mark:]...)
	p.open = p.open[:mark]
	return n
}

func (p *parser) stmt(at int32) *Stmt {
	s := p.stmts.Take()
	s.At, s.head = at, &noHead
	return s
}

// commas calls read for each part of a list whose parts end with commas, up to the bracket or
// sign that ends it. The comma behind the last part may be there or not.
func (p *parser) commas(end sign, where string, read func()) {
	for !p.isOp(end) {
		read()
		if !p.takeOp(',') {
			break
		}
	}
	p.wantOp(end, where)
}

// kids returns a copy of a list of children, in the slab.
func (p *parser) kids(kids ...*Node) []*Node {
	if cap(p.kidBuf)-len(p.kidBuf) < len(kids) {
		p.kidBuf = make([]*Node, 0, max(slabMax, len(kids)))
	}
	n := len(p.kidBuf)
	p.kidBuf = append(p.kidBuf, kids...)
	return p.kidBuf[n:len(p.kidBuf):len(p.kidBuf)]
}

// isKeyword reports whether a word is one of Python's own.
func isKeyword(s string) bool {
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
		"elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
		"not", "or", "pass", "raise", "return", "try", "while", "with", "yield":
		return true
	}
	return false
}

func (p *parser) name(what string) (string, int32, int32) {
	t := p.tok()
	s := p.text()
	if t.kind != tokName || isKeyword(s) {
		p.fail("expected %s, got %s", what, p.what())
	}
	p.pos++
	return s, t.at, t.end
}
