package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a parsed query. It is immutable.
type Query struct {
	terms     []term
	questions []question
	pass, fn  []*regexp.Regexp
}

// question asks for steps.
type question struct {
	kind string // one of the keys below that ask
	name string
	what exact
}

// The keys of terms.
const (
	keyName    = "name"
	keyOp      = "op"
	keyPass    = "pass"
	keyFn      = "fn"
	keyGone    = "gone"
	keyBorn    = "born"
	keyTouches = "touches"
)

// keys returns all keys with the form of their values, in the order in which errors list them.
func keys() []string {
	return []string{keyName + ":lv12", keyOp + ":conv2d", keyPass + ":Fuse*", keyFn + ":main", keyGone + ":conv2d", keyBorn + ":fused_add", keyTouches + ":lv12"}
}

// SyntaxError says what is wrong with a query and where.
type SyntaxError struct {
	// Pos counts bytes from 0.
	Pos     int
	Message string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("query, column %d: %s", e.Pos+1, e.Message)
}

// parser reads a query from left to right.
type parser struct {
	text string
	pos  int
	out  Query
}

// Parse reads a query; its language is described in docs/protocol.md. The error is a *SyntaxError.
func Parse(text string) (*Query, error) {
	p := &parser{text: text}
	if len(text) > MaxQuery {
		return nil, p.wrong(MaxQuery, "a query is limited to %d bytes; this one has %d", MaxQuery, len(text))
	}
	if !utf8.ValidString(text) {
		return nil, p.wrong(0, "the query is not valid UTF-8")
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
		return nil, p.wrong(i, "a query is one line of text and cannot contain the control character %q", text[i])
	}
	for n := 0; ; n++ {
		for p.pos < len(text) && blank(text[p.pos]) {
			p.pos++
		}
		if p.pos == len(text) {
			if n == 0 {
				return nil, p.wrong(0, `the query is empty, want text, "quoted text", /regexp/, or one of %s`, strings.Join(keys(), ", "))
			}
			return &p.out, nil
		}
		if n == MaxTerms {
			return nil, p.wrong(p.pos, "a query is limited to %d terms; put text with spaces in quotes", MaxTerms)
		}
		if err := p.term(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) wrong(pos int, format string, args ...any) error {
	return &SyntaxError{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// term reads one term, which begins at p.pos.
func (p *parser) term() error {
	switch p.text[p.pos] {
	case '"':
		return p.quoted()
	case '/':
		return p.regexp()
	}
	from := p.pos
	for p.pos < len(p.text) && !blank(p.text[p.pos]) {
		p.pos++
	}
	word := p.text[from:p.pos]
	key, value, ok := strings.Cut(word, ":")
	if !ok || key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") != "" || value == "" && !known(key) {
		p.out.terms = append(p.out.terms, newLiteral(word))
		return nil
	}
	return p.keyed(from, key, value)
}

// known tells whether a key is one of ours.
func known(key string) bool {
	return slices.ContainsFunc(keys(), func(k string) bool { return strings.HasPrefix(k, key+":") })
}

// keyed adds the term key:value, which begins at from.
func (p *parser) keyed(from int, key, value string) error {
	at := from + len(key) + 1
	if !known(key) {
		return p.wrong(from, `%q is not a key, want one of %s; to search for this text, put it in quotes: %q`, key, strings.Join(keys(), ", "), key+":"+value)
	}
	if value == "" {
		return p.wrong(at, "%s: needs a value right after the colon", key)
	}
	switch key {
	case keyPass, keyFn:
		re, err := glob(value)
		if err != nil {
			return p.wrong(at, "%s:%s: %v", key, value, err)
		}
		if key == keyPass {
			p.out.pass = append(p.out.pass, re)
		} else {
			p.out.fn = append(p.out.fn, re)
		}
		return nil
	}
	if bad := strings.IndexFunc(value, func(r rune) bool { return r < utf8.RuneSelf && r != '.' && !wordBytes[r] }); bad >= 0 {
		return p.wrong(at+bad, "%s: want a name of letters, digits, and underscores, with dots for an operator, not %q; put other text in quotes", key, value[bad])
	}
	if strings.Contains("."+value+".", "..") {
		return p.wrong(at, "%s:%s: the words around each dot are missing, want a name such as nn.conv2d", key, value)
	}
	var what exact = name(value)
	switch dotted := strings.Contains(value, "."); {
	case key == keyName && dotted:
		return p.wrong(at+strings.Index(value, "."), "name: want one word; for the operator, write op:%s", value)
	case key == keyOp || dotted:
		what = newOperator(value)
	}
	if key == keyName || key == keyOp {
		p.out.terms = append(p.out.terms, what)
	} else {
		p.out.questions = append(p.out.questions, question{key, value, what})
	}
	return nil
}

// glob compiles a pattern with * and ?. Without capitals it matches in any case.
func glob(pattern string) (*regexp.Regexp, error) {
	flags := "(?s)"
	if strings.ToLower(pattern) == pattern {
		flags = "(?si)"
	}
	expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.Compile(flags + "^" + expr + "$")
}

// quoted reads "text", in which \" and \\ stand for the second character.
func (p *parser) quoted() error {
	from := p.pos
	var b strings.Builder
	for i := from + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text) && (p.text[i+1] == '"' || p.text[i+1] == '\\'):
			i++
			b.WriteByte(p.text[i])
		case c == '"':
			if b.Len() == 0 {
				return p.wrong(from, "the quoted text is empty")
			}
			p.out.terms = append(p.out.terms, newLiteral(b.String()))
			return p.end(i + 1)
		default:
			b.WriteByte(c)
		}
	}
	return p.wrong(from, `the quoted text is not terminated, want a closing "`)
}

// end ends a term at i, where a blank or the end of the query must follow.
func (p *parser) end(i int) error {
	p.pos = i
	if i < len(p.text) && !blank(p.text[i]) {
		return p.wrong(i, "want a space between two terms, not %q", p.text[i:i+1])
	}
	return nil
}

// regexp reads /expression/ or /expression/i, in which \/ is a slash.
func (p *parser) regexp() error {
	from := p.pos
	end := from + 1
	for ; end < len(p.text) && p.text[end] != '/'; end++ {
		if p.text[end] == '\\' {
			end++
		}
	}
	if end >= len(p.text) {
		return p.wrong(from, `the regular expression is not terminated, want a closing /; to search for text with a slash, put it in quotes`)
	}
	expr, flags := p.text[from+1:end], syntax.Perl
	end++
	if end < len(p.text) && p.text[end] == 'i' {
		flags |= syntax.FoldCase
		end++
	}
	if expr == "" {
		return p.wrong(from, "the regular expression is empty")
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return p.wrong(from+1, "%v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	tree = tree.Simplify()
	prog, err := syntax.Compile(tree)
	if err != nil {
		return p.wrong(from+1, "%v", err)
	}
	if len(prog.Inst) > MaxProgram {
		return p.wrong(from+1, "the regular expression compiles to %d instructions; the limit is %d; repeat less", len(prog.Inst), MaxProgram)
	}
	if flags&syntax.FoldCase != 0 {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return p.wrong(from+1, "%v", err)
	}
	p.out.terms = append(p.out.terms, newPattern(re, tree))
	return p.end(end)
}
