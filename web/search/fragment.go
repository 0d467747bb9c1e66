package search

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// fragment is a piece of a word that every match holds, so that the words of the index tell which lines can match. The zero
// value is no piece.
type fragment struct {
	text string // small where fold is set
	fold bool
	// left and right tell that the word begins or ends with the piece.
	left, right bool
}

// offer takes the longest piece of a word in a text that every match holds, where it is longer than the one at hand.
func (f *fragment) offer(text string, fold bool) {
	for i := 0; i < len(text); {
		if !wordBytes[text[i]] {
			i++
			continue
		}
		j := wordEnd(text, i)
		if j-i > len(f.text) {
			*f = fragment{text: text[i:j], fold: fold, left: i > 0, right: j < len(text)}
			if fold {
				f.text = lower(f.text)
			}
		}
		i = j
	}
}

// require offers the literals that every match of a regular expression holds.
func (f *fragment) require(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		fold := re.Flags&syntax.FoldCase != 0
		// Runes beyond ASCII, which may stand for broken UTF-8, and letters with a sibling there are left out. Where
		// they are, the word may go on.
		rest := string(re.Rune)
		for rest != "" {
			n := strings.IndexFunc(rest, func(r rune) bool {
				return r >= utf8.RuneSelf || fold && strings.ContainsRune("kKsS", r)
			})
			if n < 0 {
				n = len(rest)
			}
			f.offer(rest[:n], fold)
			_, size := utf8.DecodeRuneInString(rest[n:])
			rest = rest[n+size:]
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			f.require(sub)
		}
	case syntax.OpCapture, syntax.OpPlus:
		f.require(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			f.require(re.Sub[0])
		}
	default:
		// Nothing else has a piece that every match holds.
	}
}

// candidates returns the lines with a word that has the piece.
func (f fragment) candidates(x *index) lineSet {
	if f.text == "" {
		return nil
	}
	set := newLineSet(x.lines)
	if f.left && f.right && !f.fold {
		if i, ok := x.words.find(f.text); ok {
			x.words.each(i, set.add)
		}
		return set
	}
	for i := range x.words.len() {
		if f.in(x.words.key(i)) {
			x.words.each(i, set.add)
		}
	}
	return set
}

// in tells whether a word has the piece.
func (f fragment) in(word string) bool {
	if len(word) < len(f.text) {
		return false
	}
	if f.fold {
		word = lower(word)
	}
	switch {
	case f.left && f.right:
		return word == f.text
	case f.left:
		return strings.HasPrefix(word, f.text)
	case f.right:
		return strings.HasSuffix(word, f.text)
	default:
		return strings.Contains(word, f.text)
	}
}
