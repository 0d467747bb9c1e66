package highlight

import "github.com/alecthomas/chroma/v2"

// The classes of bytes that tell how a token begins.
const (
	classOther = iota
	classSpace
	classNewline
	classLetter
	classDigit
	classQuote
	classHash
	classAt
	classPunct
	classOperator
)

// class gives the class of each byte. Bytes above 0x7f count as letters, so that
// names in any script are one token.
var class = func() (c [256]uint8) {
	set := func(bytes string, k uint8) {
		for i := range len(bytes) {
			c[bytes[i]] = k
		}
	}
	set(" \t\r", classSpace)
	set("\n", classNewline)
	set("0123456789", classDigit)
	set("\"'", classQuote)
	set("#", classHash)
	set("@", classAt)
	set("()[]{},:;.", classPunct)
	set("+-*/%=<>!&|^~", classOperator)
	for b := range 256 {
		if b >= 0x80 || b == '_' || 'a' <= b|0x20 && b|0x20 <= 'z' {
			c[b] = classLetter
		}
	}
	return c
}()

// byteSet is a set of bytes.
type byteSet [256]bool

// bytesOf returns the set of bytes for which f holds.
func bytesOf(f func(b byte) bool) (s byteSet) {
	for b := range 256 {
		s[b] = f(byte(b))
	}
	return s
}

var (
	isSpace      = bytesOf(func(b byte) bool { return class[b] == classSpace })
	isOperator   = bytesOf(func(b byte) bool { return class[b] == classOperator })
	isOther      = bytesOf(func(b byte) bool { return class[b] == classOther })
	isNotNewline = bytesOf(func(b byte) bool { return b != '\n' })
)

// maxKeyword is the length of the longest key of keywords.
const maxKeyword = 8

// keywords are the words of Python that TVMScript uses, and the names that the
// dialect gives a meaning.
var keywords = map[string]chroma.TokenType{
	"def": chroma.Keyword, "class": chroma.Keyword, "with": chroma.Keyword, "for": chroma.Keyword,
	"while": chroma.Keyword, "if": chroma.Keyword, "elif": chroma.Keyword, "else": chroma.Keyword,
	"return": chroma.Keyword, "pass": chroma.Keyword, "assert": chroma.Keyword, "as": chroma.Keyword,
	"from": chroma.KeywordNamespace, "import": chroma.KeywordNamespace,
	"in": chroma.OperatorWord, "and": chroma.OperatorWord, "or": chroma.OperatorWord, "not": chroma.OperatorWord,
	"is": chroma.OperatorWord, "lambda": chroma.Keyword, "global": chroma.Keyword, "nonlocal": chroma.Keyword,
	"True": chroma.KeywordConstant, "False": chroma.KeywordConstant, "None": chroma.KeywordConstant,
	"cls": chroma.NameBuiltinPseudo, "metadata": chroma.NameBuiltinPseudo, "range": chroma.NameBuiltin,
}
