package syntax

// TokenKind says what a Token is.
type TokenKind = tokenKind

// The kinds of tokens.
const (
	EOFToken     = tokEOF
	NewlineToken = tokNewline // the end of a logical line
	IndentToken  = tokIndent
	DedentToken  = tokDedent
	NameToken    = tokName // a name or keyword
	NumberToken  = tokNumber
	StringToken  = tokString // with its prefix and quotes
	OpToken      = tokOp     // an operator or bracket
)

// Token is a range of a text: what the lexer of this package makes of Python, for readers of more of the language than Parse accepts.
type Token struct {
	Kind    TokenKind
	At, End int32
}

// Tokens returns the tokens of errs.Text, the last of which is an EOFToken, and adds what is wrong with the text to errs.
func Tokens(errs *Errors) []Token {
	list, _ := lex(errs.Text, errs)
	out := make([]Token, len(list))
	for i, t := range list {
		out[i] = Token{Kind: t.kind, At: t.at, End: t.end}
	}
	return out
}
