package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// Assembly as GNU as, LLVM and GCC write it, of x86 in both syntaxes and of AArch64: a label, or an instruction or directive with its
// operands, and a comment. The same sign means different things to them: # begins a comment of x86 and a number of AArch64, where it
// stands before one. The place of a word in its line tells instructions from operands.

// asm is scanner.next for assembly.
func asm(s *scanner) (chroma.TokenType, int) {
	t, i := s.text, s.pos
	rest := t[i:]
	switch c := t[i]; {
	case c == '\n':
		return chroma.TextWhitespace, i + 1
	case isSpace[c]:
		return chroma.TextWhitespace, s.run(i+1, isSpace)
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "; "), c == '#' && (firstInLine(t, i) || !immediate(t, i+1)):
		return chroma.Comment, s.run(i+1, isNotNewline)
	case c == '"':
		return chroma.LiteralString, quoted(t, i)
	case c == '%' && i+1 < len(t) && isIRName[t[i+1]]:
		return chroma.NameVariable, s.run(i+1, isIRName)
	case c == '@' && i+1 < len(t) && isIRName[t[i+1]]: // foo@PLT, @function
		return chroma.NameAttribute, s.run(i+1, isIRName)
	case (c == '$' || c == '#' || c == '-') && i+1 < len(t) && class[t[i+1]] == classDigit:
		return number(t, i+1)
	case (c == '$' || c == '#') && i+2 < len(t) && t[i+1] == '-' && class[t[i+2]] == classDigit:
		return number(t, i+2)
	case class[c] == classDigit:
		return number(t, i)
	case isIRName[c]:
		end := s.run(i+1, isIRName)
		return asmWord(t, i, end), end
	case class[c] == classOperator:
		return chroma.Operator, i + 1
	case class[c] == classPunct:
		return chroma.Punctuation, i + 1
	default:
		return chroma.Text, i + 1
	}
}

// immediate tells whether what follows a # is a number or a relocation such as :lo12:x.
func immediate(t string, i int) bool {
	return i < len(t) && (class[t[i]] == classDigit || t[i] == '-' && i+1 < len(t) && class[t[i+1]] == classDigit || t[i] == ':')
}

// firstInLine tells whether only blanks stand before a place in its line.
func firstInLine(t string, i int) bool {
	for i > 0 && isSpace[t[i-1]] {
		i--
	}
	return i == 0 || t[i-1] == '\n'
}

// asmWord is the type of a word: by its place, then by its name.
func asmWord(t string, i, end int) chroma.TokenType {
	w := t[i:end]
	first := firstInLine(t, i)
	switch {
	case first && end < len(t) && t[end] == ':', !first && strings.HasPrefix(w, ".L"):
		return chroma.NameFunction
	case first && w[0] == '.':
		return chroma.NameBuiltin
	case first:
		return chroma.Keyword
	case isRegister(w):
		return chroma.NameVariable
	case asmSizes[w]:
		return chroma.KeywordType
	}
	return chroma.Text
}

// asmSizes are the words of the syntax of Intel that say how much an operand has.
var asmSizes = map[string]bool{"BYTE": true, "WORD": true, "DWORD": true, "QWORD": true, "XMMWORD": true, "YMMWORD": true, "ZMMWORD": true, "PTR": true, "OFFSET": true}

// isRegister tells whether a word names a register where registers have no sign: x86 in the syntax of Intel, and AArch64.
func isRegister(w string) bool {
	if asmRegisters[w] {
		return true
	}
	// x0, w12, v3.4s, xmm15, r8d, p0
	name, _, _ := strings.Cut(w, ".")
	n := 0
	for n < len(name) && name[n] >= 'a' && name[n] <= 'z' {
		n++
	}
	rest := name[n:]
	if name[:n] == "r" {
		rest = strings.TrimRight(rest, "dwb")
	}
	switch name[:n] {
	case "x", "w", "v", "q", "d", "s", "h", "b", "z", "p", "r", "k", "xmm", "ymm", "zmm", "st":
		return len(rest) <= 2 && digits(rest)
	}
	return false
}

var asmRegisters = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("sp xzr wzr wsp fp lr pc rip eip cs ds es fs gs ss al ah bl bh cl ch dl dh sil dil bpl spl") {
		out[w] = true
	}
	for _, w := range strings.Fields("ax bx cx dx si di bp sp") {
		out[w], out["e"+w], out["r"+w] = true, true, true
	}
	return out
}()
