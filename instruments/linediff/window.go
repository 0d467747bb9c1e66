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
	cut           bool // whether it ends before the texts do
}

// around returns the window of two texts that differ.
func around(before, after string) window {
	w := window{before: before, after: after}
	lead := commonPrefix(before, after)
	start := strings.LastIndexByte(before[:lead], '\n') + 1
	tail := commonSuffix(before[lead:], after[lead:])
	for i := 0; i < leadLines && start > 0; i++ {
		start = strings.LastIndexByte(before[:start-1], '\n') + 1
	}
	end := 0 // bytes behind the window
	if i := strings.IndexByte(before[len(before)-tail:], '\n'); tail > 0 && i >= 0 {
		end = tail - i - 1
	}
	for i := 0; i < trailLines && end > 0; i++ {
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
