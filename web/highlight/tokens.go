package highlight

import "strings"

// A line as a tree: its tokens in order, where a bracket holds what stands between its commas. Word marks compare such trees, so
// that a mark covers a whole token, argument or list, and never half of one. A line that is no code has a tree too: brackets that
// do not close hold the rest of it, and those that only close are tokens.

// node is a token, or a bracket with what it holds: the bytes from to to-1 of the line.
type node struct {
	from, to int
	// hash is that of the text of a token; of a bracket that of all that it holds.
	hash uint64
	// head is what an aligned node must have in common: the hash of a token, the kind of a bracket.
	head  uint64
	items []item
	// bracket tells that the node is one, empty ones too.
	bracket bool
	// size counts the bytes that are not blank, without commas.
	size int
	// says tells that there is more than punctuation in it.
	says bool
}

// item is what stands between two commas. There is at least one node in it.
type item struct {
	nodes []node
	hash  uint64
}

func (x item) from() int { return x.nodes[0].from }
func (x item) to() int   { return x.nodes[len(x.nodes)-1].to }

// FNV-1a, over bytes and over hashes.
const (
	hashOffset uint64 = 14695981039346656037
	hashPrime  uint64 = 1099511628211
)

func hashText(s string) uint64 {
	h := hashOffset
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

func hashNodes(nodes []node) uint64 {
	h := hashOffset
	for _, n := range nodes {
		h = (h ^ n.hash) * hashPrime
		h ^= h >> 29
	}
	return h
}

// treeReader takes a line apart, in one pass.
type treeReader struct {
	line string
	pos  int
	// value tells that what was read last ends a value, so that a sign that follows is an operator.
	value bool
}

// parseTree returns the nodes of a line.
func parseTree(line string) []node {
	r := &treeReader{line: line}
	nodes, _ := r.nodes(0)
	return nodes
}

// nodes reads up to a comma or closing bracket, which it leaves; at depth 0 these are tokens. It reports whether it read to the end.
func (r *treeReader) nodes(depth int) (out []node, end bool) {
	for {
		for r.pos < len(r.line) && isSpace[r.line[r.pos]] {
			r.pos++
		}
		if r.pos == len(r.line) {
			return out, true
		}
		c := r.line[r.pos]
		switch {
		case depth > 0 && (c == ',' || c == ')' || c == ']' || c == '}'):
			return out, false
		case c == '(' || c == '[' || c == '{':
			out = append(out, r.group(depth))
		default:
			from := r.pos
			r.pos = r.token()
			text := r.line[from:r.pos]
			h := hashText(text)
			out = append(out, node{from: from, to: r.pos, hash: h, head: h, size: len(text), says: !punctuation(text)})
		}
	}
}

// group reads a bracket with what it holds.
func (r *treeReader) group(depth int) node {
	n := node{from: r.pos, bracket: true, size: 1}
	n.head = hashText(r.line[r.pos : r.pos+1])
	n.hash = n.head
	r.pos++
	for {
		r.value = false
		nodes, end := r.nodes(depth + 1)
		if len(nodes) > 0 {
			x := item{nodes, hashNodes(nodes)}
			n.items = append(n.items, x)
			n.hash = (n.hash ^ x.hash) * hashPrime
			for _, k := range nodes {
				n.size += k.size
				n.says = n.says || k.says
			}
		}
		if end {
			break
		}
		r.pos++
		if r.line[r.pos-1] != ',' {
			n.size++
			break
		}
	}
	r.value = true
	n.to = r.pos
	return n
}

// token returns the end of the token at pos: a name, a number with its sign, a string, an operator, or one other character.
func (r *treeReader) token() int {
	t, i := r.line, r.pos
	value := r.value
	r.value = true
	switch c := t[i]; {
	case class[c] == classLetter:
		return name(t, i)
	case class[c] == classDigit:
		_, end := number(t, i)
		return end
	case class[c] == classQuote:
		return quoted(t, i)
	case (c == '-' || c == '+') && !value && i+1 < len(t) && class[t[i+1]] == classDigit:
		_, end := number(t, i+1)
		return end
	}
	r.value = false
	for _, op := range []string{"->", "//", "**", "==", "!=", "<=", ">=", "&&", "||"} {
		if strings.HasPrefix(t[i:], op) {
			return i + 2
		}
	}
	return i + 1
}

// punctuation reports whether a token says nothing by itself: brackets, commas, points, the signs of assignments and results.
func punctuation(text string) bool {
	switch text {
	case "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "->", "#", "@", "\\":
		return true
	}
	return false
}
