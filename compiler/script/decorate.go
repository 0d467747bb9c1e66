package script

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/compiler/ir"
)

// shownLine is a line that is underlined, numbered and commented on.
type shownLine struct {
	text  string
	node  ir.Node
	under [][2]int // columns in bytes
	above []string // comments
}

// decorated returns t with what the options add for the eyes.
func (p *printer) decorated(t *Text) *Text {
	lines, starts := splitLines(t)
	if p.track != nil {
		p.underline(lines, starts)
		p.annotate(lines, starts)
	}
	var all []shownLine
	for _, l := range lines {
		for _, c := range l.above {
			indent := len(l.text) - len(strings.TrimLeft(l.text, " "))
			all = append(all, shownLine{text: l.text[:indent] + "# " + c})
		}
		all = append(all, l)
	}
	return p.assemble(all)
}

func splitLines(t *Text) (lines []shownLine, starts []int) {
	for i, text := range strings.Split(strings.TrimSuffix(t.Source, "\n"), "\n") {
		l := shownLine{text: text}
		if i < len(t.Lines) {
			l.node = t.Lines[i]
		}
		lines = append(lines, l)
	}
	return lines, lineStarts(t.Source)[:len(lines)]
}

// lineAt returns the number of the line that holds the byte at.
func lineAt(starts []int, at int) int {
	i, found := slices.BinarySearch(starts, at)
	if !found {
		i--
	}
	return i
}

// underline notes the columns of each line that are marked. Indentation and comments are not.
func (p *printer) underline(lines []shownLine, starts []int) {
	for _, x := range p.track.targets {
		if x.noted {
			continue
		}
		for _, m := range p.track.places(x) {
			for i := lineAt(starts, m.start); i < len(lines) && starts[i] < m.end; i++ {
				text := lines[i].text
				last := len(text)
				if k, ok := slices.BinarySearch(p.track.comments, starts[i]); !ok && k < len(p.track.comments) && p.track.comments[k] < starts[i]+last {
					last = p.track.comments[k] - starts[i]
				}
				from := max(m.start-starts[i], len(text)-len(strings.TrimLeft(text, " ")))
				if to := min(m.end-starts[i], last); from < to {
					lines[i].under = append(lines[i].under, [2]int{from, to})
				}
			}
		}
	}
}

// annotate puts comments behind lines, or above those that begin a statement with a body.
func (p *printer) annotate(lines []shownLine, starts []int) {
	type comment struct {
		line int
		text string
	}
	var list []comment
	for _, x := range p.track.targets {
		if !x.noted {
			continue
		}
		for _, m := range p.track.places(x) {
			list = append(list, comment{lineAt(starts, m.start), x.note})
		}
	}
	slices.SortStableFunc(list, func(a, b comment) int { return cmp.Or(a.line-b.line, strings.Compare(a.text, b.text)) })
	for _, c := range slices.Compact(list) {
		l := &lines[c.line]
		head := strings.TrimLeft(l.text, " ")
		if strings.Contains(c.text, "\n") || strings.HasSuffix(head, ":") || strings.HasPrefix(head, "@") || strings.HasPrefix(head, "#") {
			l.above = append(l.above, strings.Split(c.text, "\n")...)
			continue
		}
		at := len(l.text)
		if k, _ := slices.BinarySearch(p.track.comments, starts[c.line]); k < len(p.track.comments) && p.track.comments[k] < starts[c.line]+at {
			at = p.track.comments[k] - starts[c.line]
		}
		l.text = l.text[:at] + "  # " + c.text + l.text[at:]
	}
}

// minCut is the least number of lines that are left out: a note takes a line itself.
const minCut = 2

// assemble puts the lines together with their numbers and underlines, without those that
// are far from any underline.
func (p *printer) assemble(lines []shownLine) *Text {
	keep := p.context(lines)
	width := 0
	if p.opts.PrintLineNumbers {
		width = len(strconv.Itoa(len(lines))) + 1
	}
	var b strings.Builder
	out := &Text{}
	for i := 0; i < len(lines); {
		if !keep[i] {
			n := 0
			for i < len(lines) && !keep[i] {
				i++
				n++
			}
			b.WriteString("(... " + strconv.Itoa(n) + " lines skipped ...)\n")
			out.Lines = append(out.Lines, nil)
			continue
		}
		l := &lines[i]
		if width > 0 {
			n := strconv.Itoa(i + 1)
			b.WriteString(strings.Repeat(" ", width-1-len(n)) + n + " ")
		}
		b.WriteString(l.text + "\n")
		out.Lines = append(out.Lines, l.node)
		if carets := caretLine(l); carets != "" {
			b.WriteString(strings.Repeat(" ", width) + carets + "\n")
			out.Lines = append(out.Lines, nil)
		}
		i++
	}
	out.Source = b.String()
	return out
}

// context says which lines are shown.
func (p *printer) context(lines []shownLine) []bool {
	keep := make([]bool, len(lines))
	n := p.opts.NumContextLines
	end, any := 0, false // lines before end are decided
	show := func(from, to int) {
		if from-end < minCut {
			from = end
		}
		for i := from; i < to; i++ {
			keep[i] = true
		}
		end = max(end, to)
	}
	if n != nil {
		for i := range lines {
			if len(lines[i].under) > 0 {
				any = true
				show(max(i-*n, end), min(i+*n+1, len(lines)))
			}
		}
	}
	if !any || len(lines)-end < minCut {
		show(end, len(lines))
	}
	return keep
}

// caretLine returns ^ below the marked columns of a line, "" if none are.
func caretLine(l *shownLine) string {
	if len(l.under) == 0 {
		return ""
	}
	var b strings.Builder
	for at := 0; at < len(l.text); {
		c := byte(' ')
		for _, u := range l.under {
			if at >= u[0] && at < u[1] {
				c = '^'
			}
		}
		b.WriteByte(c)
		_, n := utf8.DecodeRuneInString(l.text[at:])
		at += n
	}
	return strings.TrimRight(b.String(), " ")
}
