package compact

import "strings"

// node is a token, or a bracket with what it holds. From and to are its columns in the printed line, in bytes.
type node struct {
	text     string // of a token, or the opening bracket
	from, to int
	items    []seq // between the commas of a bracket
	closed   bool  // the bracket ends on this line
	spaced   bool  // white space stands before it
}

// seq is what stands between two commas: tokens and brackets side by side.
type seq []node

func (n *node) bracket() bool { return n.text == "(" || n.text == "[" || n.text == "{" }

// columns returns where s starts and ends.
func (s seq) columns() (from, to int) {
	if len(s) == 0 {
		return 0, 0
	}
	return s[0].from, s[len(s)-1].to
}

// is reports whether s begins with these tokens.
func (s seq) is(tokens ...string) bool {
	if len(s) < len(tokens) {
		return false
	}
	for i, t := range tokens {
		if s[i].text != t {
			return false
		}
	}
	return true
}

// reader takes a line apart. Its memory serves one line after the other: what it returned is good until the next parse.
type reader struct {
	line string
	pos  int
	// open and lists are stacks of what is not complete: tokens up to the next comma, and what stands between the commas so far.
	open  []node
	lists []seq
	// nodes and seqs hold what is complete. Trees point into them.
	nodes []node
	seqs  []seq
}

// parse returns the tokens of a line from column pos on, brackets as trees, and the column where a comment begins, or the
// end of the line. A bracket that does not end on the line holds the rest of it; one that ends on it alone is a token.
func (r *reader) parse(line string, pos int) (seq, int) {
	r.line, r.pos = line, pos
	r.open, r.lists, r.nodes, r.seqs = r.open[:0], r.lists[:0], r.nodes[:0], r.seqs[:0]
	list, _ := r.items(0)
	if len(list) == 0 {
		return nil, r.pos
	}
	return list[0], r.pos
}

// items reads up to the closing bracket, which it passes, or to the end; depth 0 has none, and its commas are tokens.
func (r *reader) items(depth int) (list []seq, closed bool) {
	nodes, lists := len(r.open), len(r.lists)
	next := func() { // what was read since the last comma is complete
		r.lists = append(r.lists, completed(&r.nodes, &r.open, nodes))
	}
	for {
		start := r.pos
		for r.pos < len(r.line) && r.line[r.pos] == ' ' {
			r.pos++
		}
		if r.pos == len(r.line) || r.line[r.pos] == '#' {
			break
		}
		n := node{from: r.pos, spaced: r.pos > start}
		switch c := r.line[r.pos]; {
		case c == ',' && depth > 0:
			r.pos++
			next()
			continue
		case c == '(' || c == '[' || c == '{':
			r.pos++
			n.text = r.line[n.from:r.pos]
			n.items, n.closed = r.items(depth + 1)
		case depth > 0 && (c == ')' || c == ']' || c == '}'):
			r.pos++
			if len(r.open) > nodes {
				next()
			}
			return completed(&r.seqs, &r.lists, lists), true
		default:
			r.pos += token(r.line[r.pos:])
			n.text = r.line[n.from:r.pos]
		}
		n.to = r.pos
		r.open = append(r.open, n)
	}
	if len(r.open) > nodes {
		next()
	}
	return completed(&r.seqs, &r.lists, lists), false
}

// completed moves what a stack holds from base on to done and returns it there.
func completed[T any](done, stack *[]T, base int) []T {
	from := len(*done)
	*done = append(*done, (*stack)[base:]...)
	*stack = (*stack)[:base]
	return (*done)[from:len(*done):len(*done)]
}

// token returns the length of the token that s begins with.
func token(s string) int {
	c := s[0]
	switch {
	case c == '"' || c == '\'':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case c:
				return i + 1
			}
		}
		return len(s)
	case word(c) || c == '.' && len(s) > 1 && '0' <= s[1] && s[1] <= '9':
		i := 1
		digits := '0' <= c && c <= '9' || c == '.'
		for i < len(s) && (word(s[i]) || digits && (s[i] == '.' || (s[i] == '-' || s[i] == '+') && (s[i-1] == 'e' || s[i-1] == 'E'))) {
			i++
		}
		return i
	}
	for _, op := range []string{"->", "//", "**", "==", "!=", "<=", ">="} {
		if strings.HasPrefix(s, op) {
			return 2
		}
	}
	return 1
}

// word reports whether c may stand in a name. Letters beyond ASCII may, as in Python.
func word(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
