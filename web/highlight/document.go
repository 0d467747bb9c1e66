package highlight

import (
	"strings"
	"sync"

	"github.com/irscope/irscope/instruments/compact"
)

// cutSign stands behind a line that is cut.
const cutSign = " …"

// Document is a text with the places where its lines begin. It is immutable and
// may be used by several goroutines.
type Document struct {
	text     string
	language string
	// starts holds the offset of each line, and at the end the offset behind the
	// last line with its newline counted, whether it is there or not.
	starts []int32
	// compact is the compact form, made when it is asked for; nil where no line has one.
	compact func() *compact.Text
}

// NewDocument returns the document of a text of at most 1 GiB in one of the
// languages of instruments/event; other languages are shown without colours.
func NewDocument(language, text string) *Document {
	d := &Document{text: text, language: language}
	d.compact = sync.OnceValue(func() *compact.Text {
		if !hasCompact(d) {
			return nil
		}
		return compact.Open(d.text)[0]
	})
	if text == "" {
		d.starts = []int32{0}
		return d
	}
	d.starts = make([]int32, 1, strings.Count(text, "\n")+2)
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 {
			d.starts = append(d.starts, int32(len(text)+1))
			break
		}
		i += j + 1
		d.starts = append(d.starts, int32(i))
	}
	return d
}

// Text returns the whole text.
func (d *Document) Text() string { return d.text }

// Language returns the language of the text.
func (d *Document) Language() string { return d.language }

// Len returns the number of lines. The empty text has none, and a newline at the
// very end begins no other line.
func (d *Document) Len() int { return len(d.starts) - 1 }

// Size returns the bytes of memory that the document holds, about.
func (d *Document) Size() int { return len(d.text) + 4*len(d.starts) + 64 + compactSize(d) }

// Line returns line i, from 0, without its newline.
func (d *Document) Line(i int) string { return d.text[d.starts[i] : d.starts[i+1]-1] }

// AppendRows appends lines from to from+count-1, from 0, as a JSON list of rows of spans, and in the compact form behind it the list
// of their CompactLines, null for lines as they are printed: [...],"compact":[...]. What lies outside of the text is left out.
func (d *Document) AppendRows(dst []byte, form Form, from, count int) []byte {
	from = min(max(from, 0), d.Len())
	to := from + min(max(count, 0), d.Len()-from)
	var short *compact.Text
	if form == Compact {
		short = d.compact()
	}
	var lines []*CompactLine
	dst = append(dst, '[')
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		c := show(d, short, i).cell(d.language, nil, nil)
		if c.cut {
			c.spans = append(c.spans, Span{Text: cutSign})
		}
		dst = appendSpans(dst, c.spans)
		lines = append(lines, c.short)
	}
	dst = append(dst, ']')
	if short == nil {
		return dst
	}
	dst = append(dst, `,"compact":[`...)
	for i, c := range lines {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c == nil {
			dst = append(dst, "null"...)
		} else {
			dst = appendCompact(dst, c)
		}
	}
	return append(dst, ']')
}
