package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Filter is a writer of text in which nothing steers a terminal: names and texts come from models that others made, and an escape sequence
// in one could clear the screen, change its title or show other words than those that are there. Such characters are written
// as \u001b, which means the same in JSON and in TVMScript's strings.
type Filter struct {
	W    io.Writer
	tail []byte // the beginning of a character whose rest has not come
}

// Write implements io.Writer.
func (p *Filter) Write(data []byte) (int, error) {
	text := append(p.tail, data...)
	p.tail = nil
	if cut := incomplete(text); cut > 0 {
		p.tail = append(p.tail, text[len(text)-cut:]...)
		text = text[:len(text)-cut]
	}
	if _, err := io.WriteString(p.W, Plain(string(text))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// incomplete returns the number of bytes at the end of a text that begin a character and do not complete it.
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Plain returns a text with what steers a terminal spelled out.
func Plain(text string) string {
	if strings.IndexFunc(text, steers) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && strings.HasPrefix(text[i:], "\uFFFD"):
			b.WriteRune(r)
		case r == utf8.RuneError:
			fmt.Fprintf(&b, "\\u%04x", text[i]) // no UTF-8
		case steers(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers tells whether a character steers a terminal: control characters but for the ends of lines and tabs, and those that
// change the direction of text or hide in it. A byte that is no UTF-8 counts as well.
func steers(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	case r == 0x061c, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return false
}
