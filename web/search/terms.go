package search

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// span is a place in a line, in bytes from 0; the end is exclusive.
type span struct{ from, to int }

// term is a condition on a line.
type term interface {
	// candidates returns the lines that may match, all where the index does not tell.
	candidates(x *index) lineSet
	// match tells whether a line matches, and where: at most MaxMatches places, none where the match is empty.
	match(line string) ([]span, bool)
}

// exact is a term whose candidates are the very lines that match.
type exact interface {
	term
	// occurs tells whether there are any.
	occurs(x *index) bool
}

// name is a term: a whole word.
type name string

func (t name) occurs(x *index) bool {
	_, ok := x.words.find(string(t))
	return ok
}

func (t name) candidates(x *index) lineSet {
	set := newLineSet(x.lines)
	if i, ok := x.words.find(string(t)); ok {
		x.words.each(i, set.add)
	}
	return set
}

func (t name) match(line string) (out []span, ok bool) {
	for i := 0; len(out) < MaxMatches; {
		n := strings.Index(line[i:], string(t))
		if n < 0 {
			break
		}
		from, to := i+n, i+n+len(t)
		if (from == 0 || !wordBytes[line[from-1]]) && (to == len(line) || !wordBytes[line[to]]) {
			out = append(out, span{from, to})
		}
		i = to
	}
	return out, len(out) > 0
}

// occurs implements exact.
func (o operator) occurs(x *index) bool {
	for i := range x.paths.len() {
		if o.isKey(x.paths.key(i)) {
			return true
		}
	}
	return false
}

// isKey tells whether a key of the paths of an index is the operator.
func (o operator) isKey(key string) bool {
	if def, ok := strings.CutPrefix(key, defKey("")); ok {
		return o.isDef(def)
	}
	return o.isPath(key)
}

func (o operator) candidates(x *index) lineSet {
	set := newLineSet(x.lines)
	for i := range x.paths.len() {
		if o.isKey(x.paths.key(i)) {
			x.paths.each(i, set.add)
		}
	}
	return set
}

func (o operator) match(line string) (out []span, ok bool) {
	scan(line, func(t token, from, to int) {
		if len(out) < MaxMatches && (t == tokenPath && o.isPath(line[from:to]) || t == tokenDef && o.isDef(line[from:to])) {
			out = append(out, span{from, to})
		}
	})
	return out, len(out) > 0
}

// literal is a term: text as it stands, or whatever the case of its letters.
type literal struct {
	text   string // small where fold is set
	fold   bool
	needle fragment
}

func newLiteral(text string) literal {
	l := literal{text: text, fold: strings.ToLower(text) == text}
	l.needle.offer(text, l.fold)
	return l
}

func (l literal) candidates(x *index) lineSet { return l.needle.candidates(x) }

func (l literal) match(line string) (out []span, ok bool) {
	if l.fold {
		line = lower(line)
	}
	for i := 0; len(out) < MaxMatches; {
		n := strings.Index(line[i:], l.text)
		if n < 0 {
			break
		}
		out = append(out, span{i + n, i + n + len(l.text)})
		i += n + len(l.text)
	}
	return out, len(out) > 0
}

// pattern is a term: a regular expression.
type pattern struct {
	re     *regexp.Regexp
	needle fragment
}

func newPattern(re *regexp.Regexp, tree *syntax.Regexp) pattern {
	p := pattern{re: re}
	p.needle.require(tree)
	return p
}

func (p pattern) candidates(x *index) lineSet { return p.needle.candidates(x) }

func (p pattern) match(line string) (out []span, ok bool) {
	all := p.re.FindAllStringIndex(line, MaxMatches)
	for _, at := range all {
		if at[0] < at[1] {
			out = append(out, span{at[0], at[1]})
		}
	}
	return out, all != nil
}
