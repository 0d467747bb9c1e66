package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tensorlayout"
)

// attrLayout returns the layout that an attribute says, nil if it splits an axis: such calls stay as they are.
func (c *LayoutContext) attrLayout(name string) tensorlayout.Layout {
	l, err := tensorlayout.Parse(c.Str(name))
	if err != nil || l.Blocked() {
		return nil
	}
	return l
}

// layoutConv brings data and weights into the desired layouts. Where there are none, or they do not fit, the attributes follow the layouts that
// the arguments are in, and the result follows the data.
func layoutConv(c *LayoutContext) *LayoutDecision {
	data, kernel, out := c.attrLayout("data_layout"), c.attrLayout("kernel_layout"), c.attrLayout("out_layout")
	if data == nil || kernel == nil || out == nil {
		return nil
	}
	initial := tensorlayout.Initial(len(data))
	if c.Desired != nil {
		want := [3]tensorlayout.Layout{c.Desired[0], c.Desired[1], c.Desired[0]}
		if len(c.Desired) == 3 {
			want[2] = c.Desired[2]
		}
		x, err := want[0].Rename(data, initial)
		w, err2 := want[1].Rename(kernel, initial)
		y, err3 := want[2].Rename(out, initial)
		if err != nil || err2 != nil || err3 != nil {
			return nil
		}
		if c.canTake(0, x) && c.canTake(1, w) && c.resultFits(y) {
			return decide(c.convAttrs(want[0], want[1], want[2]), y, x, w)
		}
	}
	x, w := c.plain(0), c.plain(1)
	if c.Desired != nil {
		x, w = initial, initial
	}
	return decide(c.convAttrs(renamed(x, initial, data), renamed(w, initial, kernel), renamed(x, initial, out)), x, x, w)
}

// resultFits reports whether the result of the call is known to fit into l.
func (c *LayoutContext) resultFits(l tensorlayout.Layout) bool {
	s, err := c.Op.Infer(c.call, c.InferContext)
	return err == nil && c.fits(s, Leaf(l))
}

// renamed is Layout.Rename for layouts of the same axes.
func renamed(l, from, to tensorlayout.Layout) tensorlayout.Layout {
	out, err := l.Rename(from, to)
	if err != nil {
		panic("op: " + err.Error())
	}
	return out
}

func (c *LayoutContext) convAttrs(data, kernel, out tensorlayout.Layout) *ir.Attrs {
	return c.set(c.set(c.with("data_layout", data.String()), "kernel_layout", kernel.String()), "out_layout", out.String())
}

// wholeImages is the layout of the data of a call that has it in layout in, if that splits no axis of the images.
func (c *LayoutContext) wholeImages(in tensorlayout.Layout) tensorlayout.Layout {
	l, initial := c.layoutOf(0), tensorlayout.Initial(len(in))
	for k, a := range in {
		if a.Letter != 'N' && a.Letter != 'C' && l.Factor(initial[k].Letter) > 1 {
			return initial
		}
	}
	return l
}

// layoutPool follows the layout of the data, also one that splits an axis that no window moves along.
func layoutPool(c *LayoutContext) *LayoutDecision {
	in, out := c.attrLayout("layout"), c.attrLayout("out_layout")
	if in == nil || out == nil {
		return nil
	}
	l, initial := c.wholeImages(in), tensorlayout.Initial(len(in))
	if l.Blocked() && !in.Equal(out) {
		l = initial
	}
	attrs := c.set(c.with("layout", renamed(l, initial, in).String()), "out_layout", renamed(l, initial, out).String())
	return decide(attrs, l, l)
}

// layoutResize brings images into the desired layout, or follows that which they are in. TVM's does not follow one that splits channels.
func layoutResize(c *LayoutContext) *LayoutDecision {
	in := c.attrLayout("layout")
	if in == nil {
		return nil
	}
	l, initial := c.plain(0), tensorlayout.Initial(len(in))
	if c.Blocks {
		l = c.wholeImages(in)
	}
	if c.Desired != nil {
		var err error
		if l, err = c.Desired[0].Rename(in, initial); err != nil {
			return nil
		}
	}
	return decide(c.with("layout", renamed(l, initial, in).String()), l, l)
}
