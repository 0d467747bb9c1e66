package linediff

import "strings"

// Many passes add or remove a function, or change a line of it. Then there is one way to show the difference, which needs no differ.

// maxPairs is how many pairs of lines are compared to find that there is one way.
const maxPairs = 1 << 10

// plain reports whether all lines of two texts between their ends differ, in one block that cannot be shown further up or down.
func (e ends) plain(before, after string) (Block, bool) {
	xs, ys := before[e.lead:len(before)-e.tail], after[e.lead:len(after)-e.tail]
	b := Block{X1: CountLines(xs), Y1: CountLines(ys)}
	if b.X1*b.Y1 > maxPairs || e.slides(before) || e.slides(after) {
		return b, false
	}
	for xs != "" {
		var x string
		x, xs = cutLine(xs)
		for rest := ys; rest != ""; {
			var y string
			if y, rest = cutLine(rest); x == y {
				return b, false
			}
		}
	}
	return b, true
}

// slides reports whether the lines of s between the ends would be the same one line further up or down.
func (e ends) slides(s string) bool {
	mid := s[e.lead : len(s)-e.tail]
	if mid == "" {
		return false
	}
	first, _ := cutLine(mid)
	next, _ := cutLine(s[len(s)-e.tail:])
	return first == next || lastLine(mid) == lastLine(s[:e.lead])
}

// cutLine returns the first line of s, with its newline, and the rest.
func cutLine(s string) (line, rest string) {
	i := strings.IndexByte(s, '\n') + 1
	if i == 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// lastLine returns the last line of s, with its newline.
func lastLine(s string) string {
	if s == "" {
		return ""
	}
	return s[strings.LastIndexByte(s[:len(s)-1], '\n')+1:]
}
