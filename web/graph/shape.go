package graph

import (
	"fmt"

	"github.com/irscope/irscope/instruments/flow"
)

// form is the outline of a kind of node.
type form uint8

const (
	rounded  form = iota
	pill          // what comes in
	house         // what goes out: a tip at the bottom
	note          // a corner cut off
	routine       // a second line on the left and the right, as flow charts show a subroutine
	octagon       // all corners cut off
	slanted       // sides that lean
	hexagon       // sides with a tip
	cylinder      // what is stored
	square        // no corner changed
	stack         // two sheets
)

// shapeOf is the outline of a box. In a loop nest all sides are straight: texts begin at the left.
func (l *Layout) shapeOf(i int) form {
	k := l.Graph.Nodes[i].Kind
	switch {
	case l.Parents == nil, k == flow.Block:
		return formOf(k)
	case l.Boxes[i].Frame, k == flow.Loop, k == flow.Group:
		return rounded
	case k == flow.Alloc:
		return octagon
	case k == flow.Let:
		return note
	}
	return square
}

func formOf(k flow.Kind) form {
	switch k {
	case flow.Param, flow.Function:
		return pill
	case flow.Return:
		return house
	case flow.Constant, flow.Let:
		return note
	case flow.Kernel, flow.Block:
		return routine
	case flow.Call:
		return octagon
	case flow.Packed, flow.Eval:
		return slanted
	case flow.Shape, flow.Control:
		return hexagon
	case flow.Memory, flow.Alloc:
		return cylinder
	case flow.Tuple, flow.Store:
		return square
	case flow.Group:
		return stack
	}
	return rounded // operators, loops, and kinds that are not known here
}

// sideOf is the width that a shape takes from its text on each side, lidOf the height that
// it takes above and below together.
func sideOf(k flow.Kind) int {
	switch formOf(k) {
	case routine, octagon:
		return 4
	case slanted, hexagon:
		return 8
	case stack:
		return 3
	}
	return 0
}

func lidOf(k flow.Kind) int {
	switch formOf(k) {
	case cylinder, house:
		return 8
	case stack:
		return 6
	}
	return 0
}

// textTop is where the first line of text begins.
func textTop(k flow.Kind) int {
	if formOf(k) == cylinder {
		return padY + 7
	}
	if formOf(k) == stack {
		return padY + 6
	}
	return padY
}

// outlinePath draws an outline of w by h pixels, in pixels from the edge of it.
func outlinePath(f form, w, h, inset int) string {
	x, y := inset, inset
	w, h = w-2*inset, h-2*inset
	switch f {
	case pill:
		return roundRect(x, y, w, h, min(h/2, 16))
	case house:
		return fmt.Sprintf("M%d %dh%dv%dl%d 8l%d -8z", x, y, w, h-8, -w/2, w/2-w)
	case note:
		return fmt.Sprintf("M%d %dh%dl8 8v%dh%dz", x, y, w-8, h-8, -w)
	case routine:
		d := roundRect(x, y, w, h, 2)
		if inset == 0 {
			d += fmt.Sprintf("M5 0v%dM%d 0v%d", h, w-5, h)
		}
		return d
	case octagon:
		return fmt.Sprintf("M%d %dh%dl7 7v%dl-7 7h%dl-7 -7v%dz", x+7, y, w-14, h-14, 14-w, 14-h)
	case slanted:
		return fmt.Sprintf("M%d %dh%dl-8 %dh%dz", x+8, y, w-8, h, 8-w)
	case hexagon:
		return fmt.Sprintf("M%d %dh%dl8 %dl-8 %dh%dl-8 %dz", x+8, y, w-16, h/2, h-h/2, 16-w, h/2-h)
	case cylinder:
		d := fmt.Sprintf("M%d %dv%da%d 4 0 0 0 %d 0v%da%d 4 0 0 0 %d 0z", x, y+4, h-8, w/2, w, 8-h, w/2, -w)
		if inset == 0 {
			d += fmt.Sprintf("M0 4a%d 4 0 0 0 %d 0", w/2, w)
		}
		return d
	case square:
		return roundRect(x, y, w, h, 0)
	case stack:
		d := roundRect(x, y+4, w-4, h-4, 3)
		if inset == 0 {
			d += fmt.Sprintf("M4 4v-4h%dv%dh-4", w-4, h-4)
		}
		return d
	}
	return roundRect(x, y, w, h, 6)
}

func roundRect(x, y, w, h, r int) string {
	if r == 0 {
		return fmt.Sprintf("M%d %dh%dv%dh%dz", x, y, w, h, -w)
	}
	return fmt.Sprintf("M%d %dh%da%d %d 0 0 1 %d %dv%da%d %d 0 0 1 %d %dh%da%d %d 0 0 1 %d %dv%da%d %d 0 0 1 %d %dz",
		x+r, y, w-2*r, r, r, r, r, h-2*r, r, r, -r, r, 2*r-w, r, r, -r, -r, 2*r-h, r, r, r, -r)
}
