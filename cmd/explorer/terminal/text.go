package terminal

import (
	"strings"
	"unicode/utf8"
)

// Middle returns a text of at most n characters: a longer one loses its middle, so that the ends, which tell names apart, stay, and
// the indentation.
func Middle(text string, n int) string {
	have := utf8.RuneCountInString(text)
	switch {
	case have <= n:
		return text
	case n <= 0:
		return ""
	}
	r := []rune(text)
	lead := min(have-len([]rune(strings.TrimLeft(text, " "))), n-1)
	head := lead + (n-lead)/2
	return string(r[:head]) + "…" + string(r[have-(n-1-head):])
}

// End returns a text of at most n characters: a longer one loses its end.
func End(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:max(0, n-1)]) + "…"
}

// Wrap returns a paragraph in lines of at most width characters, each but the first after indent. Words are separated by spaces; one
// that is longer than a line keeps a line of its own.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
			b.WriteString(lead)
			used = len(lead)
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}
