package dumps

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutEscapes appends a line without the escape sequences of terminals (ECMA-48): ESC [ ... up to a letter, ESC ] ... up to BEL or
// ESC \, and ESC with one character.
func withoutEscapes(dst, line []byte) []byte {
	for i := 0; i < len(line); {
		if line[i] != 0x1b {
			dst = append(dst, line[i])
			i++
			continue
		}
		i++
		if i == len(line) {
			break
		}
		kind := line[i]
		i++
		switch kind {
		case '[':
			for i < len(line) && (line[i] < 0x40 || line[i] > 0x7e) {
				i++
			}
			i++
		case ']':
			for i < len(line) && line[i] != 0x07 && line[i] != 0x1b {
				i++
			}
			i++
			if i <= len(line) && line[i-1] == 0x1b && i < len(line) && line[i] == '\\' {
				i++
			}
		}
	}
	return dst
}

// clean returns a text that any page and any JSON can hold: valid UTF-8 without control characters and without characters that
// turn the direction of text. Each of those is written as what it is, such as <U+202E>, so that two texts that differ in one still
// differ. It counts what it replaced.
func clean(text []byte) (string, int) {
	for i, c := range text {
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return cleanFrom(text, i)
		}
	}
	return string(text), 0
}

func cleanFrom(text []byte, from int) (string, int) {
	var out strings.Builder
	out.Grow(len(text) + 16)
	out.Write(text[:from])
	replaced := 0
	for i := from; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteString("<0x" + strconv.FormatUint(uint64(text[i])|0x100, 16)[1:] + ">")
			replaced++
		case r == '\n', r == '\t', !unicode.IsControl(r) && !turns(r):
			out.Write(text[i : i+n])
		default:
			out.WriteString("<U+" + strings.ToUpper(strconv.FormatInt(int64(r)|0x10000, 16)[1:]) + ">")
			replaced++
		}
		i += n
	}
	return out.String(), replaced
}

// turns tells whether a character changes the direction of the text around it, or separates lines for a browser only.
func turns(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

// maxName is the number of bytes of a name that are kept.
const maxName = 160

// cleanName returns a name of a pass or a function that fits a row.
func cleanName(name []byte) string {
	if len(name) > 4*maxName {
		name = name[:4*maxName]
	}
	s, _ := clean(name)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxName {
		cut := maxName
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if s == "" {
		return "unnamed"
	}
	return s
}
