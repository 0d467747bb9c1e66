package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/web/highlight"
)

// The signs in a cell. A cell is the text of a line in which a character from firstClass on says of which class what follows is: that
// plus twice the number of the class, plus one where it is marked. A line that is marked and stands elsewhere without marks is a
// reference to that: referenceSign, its number, and pairs of columns between which it is marked. A compact line goes on with its type,
// the number of the printed line, and the columns that map it to that, each behind fieldSign; columns are differences from the ones
// before. Numbers have base 36, columns count UTF-16 units. What a text has of these characters stands behind escapeSign.
const (
	firstClass    = '\ue000'
	fieldSign     = '\uf8f0'
	referenceSign = '\uf8f1'
	escapeSign    = '\uf8ff'
)

// cells gives lines numbers.
type cells struct {
	list    []string
	index   map[string]int
	classes []string
	// lines are the cells of printed lines by their language and text.
	lines map[string]int
	bytes int
}

func newCells() *cells {
	return &cells{index: map[string]int{}, classes: []string{""}, lines: map[string]int{}}
}

// add returns the number of a line.
func (c *cells) add(language string, spans []highlight.Span, short *highlight.CompactLine) int {
	var b strings.Builder
	if plain, flips := unmarked(spans); len(flips) == 0 {
		c.spans(&b, spans)
	} else {
		b.WriteRune(referenceSign)
		number(&b, c.add(language, plain, nil))
		for _, n := range flips {
			b.WriteByte(' ')
			number(&b, n)
		}
	}
	if short != nil {
		exact, ok := c.lines[language+"\n"+short.Exact]
		if !ok {
			printed, _ := highlight.Line(language, short.Exact)
			exact = c.add(language, printed, nil)
			c.lines[language+"\n"+short.Exact] = exact
		}
		b.WriteRune(fieldSign)
		c.spans(&b, short.Type)
		b.WriteRune(fieldSign)
		number(&b, exact)
		b.WriteRune(fieldSign)
		// Of each part: its length here, how far it begins behind the last one there, its length there.
		end, to := 0, 0
		for i := 0; i+2 < len(short.Columns); i += 3 {
			e, from, until := short.Columns[i], short.Columns[i+1], short.Columns[i+2]
			for k, n := range []int{e - end, from - to, until - from} {
				if i+k > 0 {
					b.WriteByte(' ')
				}
				number(&b, n)
			}
			end, to = e, until
		}
	}
	key := b.String()
	i, ok := c.index[key]
	if !ok {
		i = len(c.list)
		c.index[key] = i
		c.list = append(c.list, key)
		c.bytes += len(key)
	}
	return i
}

func number(b *strings.Builder, n int) { b.WriteString(strconv.FormatInt(int64(n), 36)) }

// spans writes spans with their classes.
func (c *cells) spans(b *strings.Builder, spans []highlight.Span) {
	class, mark := "", false
	for _, s := range spans {
		if s.Class != class || s.Mark != mark {
			class, mark = s.Class, s.Mark
			i := slices.Index(c.classes, class)
			if i < 0 {
				i = len(c.classes)
				c.classes = append(c.classes, class)
			}
			sign := firstClass + rune(2*i)
			if mark {
				sign++
			}
			b.WriteRune(sign)
		}
		for _, r := range s.Text {
			switch {
			case r == '\n': // no line has one
				r = ' '
			case '\ue000' <= r && r <= '\uf8ff':
				b.WriteRune(escapeSign)
			}
			b.WriteRune(r)
		}
	}
}

// unmarked returns spans without their marks, those of a class joined, and the columns between which they are marked.
func unmarked(spans []highlight.Span) (plain []highlight.Span, flips []int) {
	at, marked := 0, false
	for _, s := range spans {
		if s.Mark != marked {
			marked = s.Mark
			flips = append(flips, at)
		}
		at += utf16Len(s.Text)
		if n := len(plain) - 1; n >= 0 && plain[n].Class == s.Class {
			plain[n].Text += s.Text
		} else {
			plain = append(plain, highlight.Span{Class: s.Class, Text: s.Text})
		}
	}
	if marked {
		flips = append(flips, at)
	}
	return plain, flips
}

// utf16Len returns the length of a text in UTF-16 units.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
