package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// nextWAT is scanner.next for the text format of WebAssembly: ";;" comments,
// "(;" comments up to the end of their line, $names, dotted instructions.
func (s *scanner) nextWAT() (typ chroma.TokenType, end int) {
	t, i := s.text, s.pos
	switch c := t[i]; {
	case c == '\n':
		return chroma.TextWhitespace, i + 1
	case isSpace[c]:
		return chroma.TextWhitespace, s.run(i+1, isSpace)
	case strings.HasPrefix(t[i:], ";;"):
		return chroma.Comment, s.run(i+2, isNotNewline)
	case strings.HasPrefix(t[i:], "(;"):
		line := t[i:s.run(i, isNotNewline)]
		if j := strings.Index(line, ";)"); j >= 0 {
			return chroma.Comment, i + j + 2
		}
		return chroma.Comment, i + len(line)
	case c == '(' || c == ')':
		return chroma.Punctuation, i + 1
	case c == '"':
		return chroma.LiteralString, quoted(t, i)
	case c == '$':
		return chroma.NameVariable, s.run(i+1, isWATName)
	case class[c] == classDigit, (c == '-' || c == '+') && i+1 < len(t) && class[t[i+1]] == classDigit:
		typ, end = number(t, i)
		return typ, end
	case isWATName[c]:
		end = s.run(i+1, isWATName)
		if strings.IndexByte(t[i:end], '.') >= 0 {
			return chroma.NameBuiltin, end
		}
		if end < len(t) && t[end] == '=' {
			return chroma.NameAttribute, end
		}
		return chroma.Keyword, end
	default:
		return chroma.Text, i + 1
	}
}

// isWATName holds the bytes of identifiers and instructions.
var isWATName = bytesOf(func(b byte) bool {
	return class[b] == classLetter || class[b] == classDigit || strings.IndexByte(".$!#%&*/<>?@^`|~:+-", b) >= 0
})
