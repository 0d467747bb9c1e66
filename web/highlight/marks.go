package highlight

import "znkr.io/diff"

// maxWords bounds the lines whose words are compared.
const maxWords = 1500

// markWords returns for each byte range boundary of two lines which words differ:
// the offsets at which the marking flips, beginning unmarked. It reports false
// where the lines have too little in common for marks to say something.
func markWords(a, b string) (flipsA, flipsB []int, ok bool) {
	ws, vs := words(a), words(b)
	if len(ws) > maxWords || len(vs) > maxWords {
		return nil, nil, false
	}
	var fa, fb flips
	common := 0
	for _, e := range diff.Edits(ws, vs) {
		switch e.Op {
		case diff.Match:
			fa.step(len(e.X), false)
			fb.step(len(e.X), false)
			if !isSpace[e.X[0]] {
				common += len(e.X)
			}
		case diff.Delete:
			fa.step(len(e.X), true)
		case diff.Insert:
			fb.step(len(e.Y), true)
		}
	}
	if 5*common < max(len(a), len(b)) {
		return nil, nil, false
	}
	return fa.at, fb.at, true
}

// flips collects the offsets at which a mark begins or ends.
type flips struct {
	at  []int
	pos int
	on  bool
}

func (f *flips) step(n int, mark bool) {
	if mark != f.on {
		f.at, f.on = append(f.at, f.pos), mark
	}
	f.pos += n
}

// applyMarks cuts spans at the flips and marks every second piece.
func applyMarks(spans []Span, at []int) []Span {
	if len(at) == 0 {
		return spans
	}
	out := make([]Span, 0, len(spans)+len(at))
	pos, on := 0, false
	for _, s := range spans {
		for text := s.Text; text != ""; {
			n := len(text)
			for len(at) > 0 && at[0] <= pos {
				on, at = !on, at[1:]
			}
			if len(at) > 0 && at[0] < pos+n {
				n = at[0] - pos
			}
			out = appendSpan(out, Span{Class: s.Class, Text: text[:n], Mark: on})
			text, pos = text[n:], pos+n
		}
	}
	return out
}
