package highlight

import (
	"github.com/alecthomas/chroma/v2"
)

// scanner cuts one text into tokens. Tokens never reach across a newline: an
// unterminated string ends at the end of its line, so any line can be scanned
// alone, and a window of a text needs nothing of what stands before it.
type scanner struct {
	text string
	pos  int
	// prev is the type given to the next name: chroma.NameFunction after def,
	// chroma.NameClass after class, 0 otherwise.
	prev chroma.TokenType
}

// next returns the type of the next token and its end; it must not be called at
// the end of the text. Every token has at least one byte.
func (s *scanner) next() (typ chroma.TokenType, end int) {
	t, i := s.text, s.pos
	switch c := t[i]; class[c] {
	case classSpace:
		return chroma.TextWhitespace, s.run(i+1, isSpace)
	case classNewline:
		s.prev = 0
		return chroma.TextWhitespace, i + 1
	case classLetter:
		return s.word(i)
	case classDigit:
		return number(t, i)
	case classQuote:
		return chroma.LiteralString, quoted(t, i)
	case classHash:
		return chroma.Comment, s.run(i+1, isNotNewline)
	case classAt:
		end := path(t, i+1)
		if end == i+1 {
			return chroma.Operator, end
		}
		return chroma.NameDecorator, end
	case classPunct:
		return chroma.Punctuation, i + 1
	case classOperator:
		return chroma.Operator, s.run(i+1, isOperator)
	default:
		return chroma.Text, s.run(i+1, isOther)
	}
}

// run returns the first position from i on whose byte is not in the set.
func (s *scanner) run(i int, set byteSet) int {
	for i < len(s.text) && set[s.text[i]] {
		i++
	}
	return i
}

// word scans a name, a keyword, or a dotted path below a module of the dialect.
func (s *scanner) word(i int) (chroma.TokenType, int) {
	t := s.text
	end := name(t, i)
	w := t[i:end]
	if s.prev != 0 {
		typ := s.prev
		s.prev = 0
		return typ, end
	}
	if end < len(t) && t[end] == '.' && (w == "T" || w == "R" || w == "I") {
		end = path(t, end+1)
		return dialect(t[i:end]), end
	}
	if len(w) <= maxKeyword {
		if typ, ok := keywords[w]; ok {
			switch w {
			case "def":
				s.prev = chroma.NameFunction
			case "class":
				s.prev = chroma.NameClass
			}
			return typ, end
		}
	}
	if end < len(t) {
		switch c := t[end]; {
		case c == '=' && (end+1 == len(t) || t[end+1] != '='):
			return chroma.NameAttribute, end
		case (c == '"' || c == '\'') && len(w) <= 2:
			return chroma.LiteralString, quoted(t, end)
		}
	}
	if i > 4 && t[i-1] == '.' && t[i-4:i-1] == "cls" {
		return chroma.NameFunction, end
	}
	return chroma.Name, end
}

// dialect sorts a path such as "T.Buffer" or "R.nn.conv2d": types begin with a
// capital letter, everything else is a function of the dialect.
func dialect(p string) chroma.TokenType {
	last := 0
	for i := range len(p) {
		if p[i] == '.' {
			last = i + 1
		}
	}
	if last < len(p) && p[last] >= 'A' && p[last] <= 'Z' {
		return chroma.KeywordType
	}
	return chroma.NameBuiltin
}

// name returns the end of the name that begins at i.
func name(t string, i int) int {
	for i < len(t) && (class[t[i]] == classLetter || class[t[i]] == classDigit) {
		i++
	}
	return i
}

// path returns the end of the dotted path that begins at i; a dot that no name
// follows is not part of it.
func path(t string, i int) int {
	end := name(t, i)
	for end > i && end+1 < len(t) && t[end] == '.' && class[t[end+1]] == classLetter {
		end = name(t, end+1)
	}
	return end
}

// number scans an integer or a floating-point number, also hexadecimal ones.
func number(t string, i int) (chroma.TokenType, int) {
	typ := chroma.LiteralNumberInteger
	j := i + 1
	for j < len(t) {
		switch c := t[j]; {
		case class[c] == classDigit || c == '_':
		case class[c] == classLetter && c < 0x80:
			if (c == 'e' || c == 'E') && (j+1 < len(t)) && (t[j+1] == '+' || t[j+1] == '-') {
				typ = chroma.LiteralNumberFloat
				j++
			}
		case c == '.' && typ == chroma.LiteralNumberInteger:
			typ = chroma.LiteralNumberFloat
		default:
			return typ, j
		}
		j++
	}
	return typ, j
}

// quoted returns the end of the string whose opening quote stands at i, or the
// end of the line where the string is not closed.
func quoted(t string, i int) int {
	q := t[i]
	for j := i + 1; j < len(t); j++ {
		switch t[j] {
		case q:
			return j + 1
		case '\n':
			return j
		case '\\':
			if j+1 < len(t) && t[j+1] != '\n' {
				j++
			}
		}
	}
	return len(t)
}
