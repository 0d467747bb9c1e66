package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/irscope/irscope/instruments/event"
)

// The IR of other compilers is much alike: values, symbols, labels and attributes begin with signs of their own, what is left are
// instructions and types. One scanner with a table of differences does for all of them; the lexers that chroma has for some of these
// languages take 100 times as long.

// irForm is what tells the languages apart.
type irForm struct {
	comment string                                 // the sign of a comment up to the end of its line
	words   bool                                   // a word that is no type is an instruction
	values  string                                 // signs of a value without a sign: "v" and a number
	columns bool                                   // a word behind a blank and a tab is an instruction
	scan    func(*scanner) (chroma.TokenType, int) // instead of all that
}

var irForms = map[string]irForm{
	event.LangLLVM:   {comment: ";", words: true},
	event.LangMIR:    {comment: ";"},
	event.LangMLIR:   {comment: "//"},
	event.LangHLO:    {comment: "//"},
	event.LangGIMPLE: {comment: ";;"},
	event.LangRTL:    {comment: ";;"},
	event.LangGoSSA:  {values: "vb", columns: true},
	event.LangAsm:    {scan: asm},
}

// next is scanner.next for the language.
func (f irForm) next(s *scanner) (chroma.TokenType, int) {
	if f.scan != nil {
		return f.scan(s)
	}
	t, i := s.text, s.pos
	switch c := t[i]; {
	case c == '\n':
		return chroma.TextWhitespace, i + 1
	case isSpace[c]:
		return chroma.TextWhitespace, s.run(i+1, isSpace)
	case f.comment != "" && strings.HasPrefix(t[i:], f.comment):
		return chroma.Comment, s.run(i+1, isNotNewline)
	case c == '"':
		return chroma.LiteralString, quoted(t, i)
	case irSigns[c] != 0 && i+1 < len(t) && (isIRName[t[i+1]] || t[i+1] == '"'):
		if t[i+1] == '"' {
			return irSigns[c], quoted(t, i+1)
		}
		return irSigns[c], s.run(i+1, isIRName)
	case class[c] == classDigit, c == '-' && i+1 < len(t) && class[t[i+1]] == classDigit:
		return number(t, i)
	case isIRName[c]:
		end := s.run(i+1, isIRName)
		return f.word(t, i, end), end
	case class[c] == classOperator:
		return chroma.Operator, i + 1
	case class[c] == classPunct:
		return chroma.Punctuation, i + 1
	default:
		return chroma.Text, i + 1
	}
}

// word is the type of a name without a sign.
func (f irForm) word(t string, i, end int) chroma.TokenType {
	w := t[i:end]
	switch {
	case isIRType(w):
		return chroma.KeywordType
	case f.columns && i > 1 && t[i-1] == '\t' && t[i-2] == ' ':
		return chroma.Keyword
	case f.values != "" && len(w) > 1 && strings.IndexByte(f.values, w[0]) >= 0 && digits(w[1:]):
		return chroma.NameVariable
	case end < len(t) && t[end] == ':' && (i == 0 || t[i-1] == '\n'):
		return chroma.NameFunction // a label at the beginning of its line
	case f.words && w[0] >= 'a' && w[0] <= 'z':
		return chroma.Keyword
	case strings.IndexByte(w, '.') > 0:
		return chroma.NameBuiltin
	case irWords[w]:
		return chroma.Keyword
	case end < len(t) && t[end] == '(':
		return chroma.NameBuiltin
	}
	return chroma.Text
}

// irSigns are the signs that begin names, and what those name.
var irSigns = [256]chroma.TokenType{
	'%': chroma.NameVariable, '$': chroma.NameVariable, '@': chroma.NameFunction, '^': chroma.NameFunction,
	'#': chroma.NameAttribute, '!': chroma.NameAttribute,
}

// irWords are the words that other languages than LLVM's mark: what declares and what jumps.
var irWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`module func return ENTRY ROOT HloModule if else goto while for switch successors liveins implicit killed
		dead renamable Plain If Ret Defer First Exit insn note code_label jump_insn call_insn barrier set use clobber parallel`) {
		out[w] = true
	}
	return out
}()

// isIRType tells whether a word is an element type or a type that takes others: i32, f32, u8, tensor, ptr.
func isIRType(w string) bool {
	switch w {
	case "float", "double", "half", "bfloat", "void", "ptr", "label", "index", "memref", "tensor", "vector", "int", "long", "unsigned", "char", "pred", "mem", "bool", "uintptr", "metadata":
		return true
	}
	for _, lead := range [...]string{"i", "f", "s", "u", "bf", "si", "ui", "c", "int", "uint", "float"} {
		if rest, ok := strings.CutPrefix(w, lead); ok && rest != "" && digits(rest) {
			return true
		}
	}
	return false
}

func digits(s string) bool {
	for i := range len(s) {
		if class[s[i]] != classDigit {
			return false
		}
	}
	return s != ""
}

// isIRName holds the bytes of names.
var isIRName = bytesOf(func(b byte) bool {
	return class[b] == classLetter || class[b] == classDigit || b == '.' || b == '_' || b == '$'
})
