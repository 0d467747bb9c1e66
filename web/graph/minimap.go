package graph

import (
	"bufio"
	"fmt"
	"io"

	"github.com/irscope/irscope/instruments/flow"
)

// Minimap writes the boxes of a layout, one path for each mark, as a small <svg> with the same
// view box. It says nothing to assistive technology.
func Minimap(w io.Writer, l *Layout) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="g-mini" viewBox="0 0 %d %d" aria-hidden="true" focusable="false">`, l.W, l.H)
	for _, m := range [...]flow.Mark{flow.None, flow.Same, flow.Removed, flow.Changed, flow.Added} {
		found := false
		for i := range l.Boxes {
			if l.Graph.Nodes[i].Mark != m || l.Boxes[i].Frame {
				continue // what is in a frame shows
			}
			if !found {
				fmt.Fprintf(b, `<path class="g-shape%s" d="`, markClass(m))
				found = true
			}
			x := &l.Boxes[i]
			fmt.Fprintf(b, "M%d %dh%dv%dh%dz", x.X, x.Y, x.W, x.H, -x.W)
		}
		if found {
			b.WriteString(`"/>`)
		}
	}
	b.WriteString(`</svg>`)
	return b.Flush()
}
