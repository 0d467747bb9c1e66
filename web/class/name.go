package class

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the length of a nickname in characters; maxMarks is how many marks may stand on one of them.
const (
	maxName  = 24
	maxMarks = 2
)

// Name returns a nickname as it is shown, or an error with ErrForm in it. It has no character that cannot be seen, among them those that
// turn the direction of a text, and no tower of marks, so that it stays in its row.
func Name(text string) (string, error) {
	if len(text) > 10*maxName {
		return "", fmt.Errorf("a nickname has at most %d characters: this one %w", maxName, ErrForm)
	}
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("a nickname must be text: this one %w", ErrForm)
	}
	name := strings.Join(strings.Fields(text), " ")
	marks, letters := 0, 0
	for _, r := range name {
		switch {
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			return "", fmt.Errorf("a nickname with the character %U %w", r, ErrForm)
		case unicode.IsMark(r):
			if marks++; marks > maxMarks {
				return "", fmt.Errorf("a nickname with more than %d marks on a character %w", maxMarks, ErrForm)
			}
			continue
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r):
			letters++
		}
		marks = 0
	}
	switch {
	case letters == 0:
		return "", fmt.Errorf("a nickname without a letter or digit %w", ErrForm)
	case utf8.RuneCountInString(name) > maxName:
		return "", fmt.Errorf("a nickname has at most %d characters: this one %w", maxName, ErrForm)
	}
	return name, nil
}

// fold returns what two nicknames have in common that look alike but for capitals and blanks.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' {
			return -1
		}
		// The least of the letters that differ in their case alone.
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// line returns a text in one line of at most so many bytes, without what cannot be seen.
func line(text string, most int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	for len(text) > most {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}
