package linediff

import (
	"math/bits"
	"strings"
)

// token is a piece of a line up to end; name tells that it names a value.
type token struct {
	end  int
	name bool
}

// nextToken returns the token of s that begins at i; at the end of s it ends at i.
func nextToken(s string, i int) token {
	if i >= len(s) {
		return token{end: i}
	}
	start := i
	switch c := s[i]; {
	case c == '"':
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		return token{end: min(i+1, len(s))}
	case c == '#': // a comment is text
		return token{end: len(s)}
	case c >= '0' && c <= '9':
		for i++; i < len(s) && (wordByte[s[i]] || s[i] == '.'); i++ {
		}
		return token{end: i}
	case wordByte[c]:
		for i++; i < len(s) && wordByte[s[i]]; i++ {
		}
		return token{i, valueName(s, start, i)}
	}
	for i++; i < len(s) && signByte[s[i]]; i++ {
	}
	return token{end: i}
}

// shapeHash returns a hash of a line without its names, and of a number: lines that differ in names only have
// the same.
func shapeHash(number uint64, s string) uint64 {
	h, start := number, 0
	for i := 0; i < len(s); {
		t := nextToken(s, i)
		if t.name {
			h = mix(mixText(h, s[start:i]), 0)
			start = t.end
		}
		i = t.end
	}
	return mixText(h, s[start:])
}

// mixText adds a text and its length to a hash.
func mixText(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for len(s) >= 8 {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	last := uint64(0)
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return mix(h, last)
}

// mix adds a number to a hash.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xd6e8feb86659fd93)
	return hi ^ lo ^ h
}

// valueName reports whether the word at s[i:j] names a value: it is no keyword, no attribute,
// not called, and no name of an argument.
func valueName(s string, i, j int) bool {
	if i > 0 && s[i-1] == '.' || j < len(s) && (s[j] == '(' || s[j] == '=' && !strings.HasPrefix(s[j:], "==")) {
		return false
	}
	return j-i > maxKeyword || !keyword(s[i:j])
}

// maxKeyword is the length of the longest keyword.
const maxKeyword = len("import")

// definitions calls found with the names that a line of TVMScript defines: variables of a loop,
// parameters, what a value is assigned to or a buffer is named with "as".
func definitions(s string, found func(name string)) {
	s = strings.TrimLeft(s, " ")
	if rest, ok := strings.CutPrefix(s, "for "); ok {
		head, _, _ := strings.Cut(rest, " in ")
		names(head, found)
		return
	}
	if strings.HasPrefix(s, "def ") {
		for head, rest, ok := strings.Cut(s, ": "); ok; head, rest, ok = strings.Cut(rest, ": ") {
			names(head[strings.LastIndexAny(head, "( ,")+1:], found)
		}
		return
	}
	if strings.Contains(s, " as ") {
		i := strings.LastIndex(s, " as ")
		names(strings.TrimSuffix(s[i+len(" as "):], ":"), found)
		return
	}
	end := 0
	for end < len(s) && (wordByte[s[end]] || s[end] == ',' || s[end] == ' ') {
		end++
	}
	if strings.HasPrefix(s[end:], ": ") {
		names(s[:end], found)
	} else if end > 0 && strings.HasPrefix(s[end-1:], " = ") {
		names(s[:end-1], found)
	}
}

// Bound returns the name that a line of TVMScript binds or stores to, or "def " and the name of the function that it begins; "" for none.
func Bound(s string) string {
	s = strings.TrimLeft(s, " ")
	start := 0
	if strings.HasPrefix(s, "def ") {
		start = len("def ")
	}
	end := start
	for end < len(s) && wordByte[s[end]] {
		end++
	}
	rest := s[end:]
	switch {
	case end == start || start == 0 && keyword(s[:end]):
	case start > 0, strings.HasPrefix(rest, " = "), strings.HasPrefix(rest, ": "), strings.HasPrefix(rest, "["):
		return s[:end]
	}
	return ""
}

// names calls found with the parts of "a" or "a, b".
func names(s string, found func(string)) {
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			found(name)
		}
	}
}

// keyword reports whether a word of TVMScript names no value.
func keyword(word string) bool {
	switch word {
	case "and", "as", "assert", "class", "def", "else", "False", "for", "from", "if", "import", "in", "is", "lambda", "None", "not", "or",
		"pass", "return", "True", "while", "with", "T", "R", "I", "cls":
		return true
	}
	return false
}

// signByte tells which bytes are neither part of a word nor the first of a string or a comment.
var signByte = func() (is [256]bool) {
	for c := range is {
		is[c] = !wordByte[c] && c != '"' && c != '#'
	}
	return is
}()

// wordByte tells which bytes are part of a word; those of other scripts are.
var wordByte = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
	}
	return is
}()
