package linediff

import "strings"

// Most texts that are compared begin and end alike: a pass changes a few lines of a function. A window is the part around the lines that differ,
// and only that is cut into lines and compared. The differ gives the same for it as for the whole texts: it sets common lines at both ends aside
// itself, and looks back at fewer than leadLines of them to find where among equal lines a change is best shown. Behind the change it looks at as many
// as the change could be moved down, which settled checks.

const (
	leadLines  = 128 // the differ moves a change by 100 lines at most, and looks at 20 blank lines beyond
	trailLines = 64
	trailSeen  = 24 // lines behind the lowest place of a change that the differ may look at
)

// window is the part of two texts around what differs.
type window struct {
	before, after string
	line          int  // lines in front of it
	lead          int  // lines of it that are in front of what differs
	cut           bool // whether it ends before the texts do
}

// ends are the bytes of whole lines that two texts have in common at the beginning and at the end.
type ends struct{ lead, tail int }

// endsOf returns what two texts that differ have in common.
func endsOf(before, after string) ends {
	n := commonPrefix(before, after)
	e := ends{lead: strings.LastIndexByte(before[:n], '\n') + 1, tail: commonSuffix(before[n:], after[n:])}
	x, y := len(before)-e.tail, len(after)-e.tail
	if begins(before, x) && begins(after, y) {
		return e
	}
	if i := strings.IndexByte(before[x:], '\n'); i >= 0 {
		e.tail -= i + 1
	} else {
		e.tail = 0
	}
	return e
}

// begins reports whether a line of s begins at i.
func begins(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// window returns the part of the texts around what differs, with as many lines above and below.
func (e ends) window(before, after string, above, below int) window {
	var w window
	start, end := e.lead, e.tail
	for ; w.lead < above && start > 0; w.lead++ {
		start = strings.LastIndexByte(before[:start-1], '\n') + 1
	}
	for i := 0; i < below && end > 0; i++ {
		end -= strings.IndexByte(before[len(before)-end:], '\n') + 1
		if !strings.Contains(before[len(before)-end:], "\n") {
			end = 0 // the last line may have no end
		}
	}
	w.line, w.cut = strings.Count(before[:start], "\n"), end > 0
	w.before, w.after = before[start:len(before)-end], after[start:len(after)-end]
	return w
}

// settled reports whether blocks, those of w, are those of the whole texts: none could be moved down to where the window ends.
func (w window) settled(blocks []Block) bool {
	if !w.cut {
		return true
	}
	x, y := len(blocks)-1, len(blocks)-1
	for x >= 0 && blocks[x].X0 == blocks[x].X1 {
		x--
	}
	for y >= 0 && blocks[y].Y0 == blocks[y].Y1 {
		y--
	}
	return (x < 0 || lowest(Lines(w.before), blocks[x].X0, blocks[x].X1)) && (y < 0 || lowest(Lines(w.after), blocks[y].Y0, blocks[y].Y1))
}

// lowest reports whether the lines from start to end, moved down past lines equal to theirs, stay trailSeen lines away from the end.
func lowest(lines []string, start, end int) bool {
	for end < len(lines) && lines[start] == lines[end] {
		start, end = start+1, end+1
	}
	return end+trailSeen <= len(lines)
}

// step is how many bytes are compared at once.
const step = 64

func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+step <= n && a[i:i+step] == b[i:i+step] {
		i += step
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+step <= n && a[len(a)-i-step:len(a)-i] == b[len(b)-i-step:len(b)-i] {
		i += step
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
