package op

import "github.com/irscope/irscope/compiler/tensorlayout"

// layoutUnary keeps the layout of the first argument.
func layoutUnary(c *LayoutContext) *LayoutDecision {
	return decide(c.call.Attrs, c.layoutOf(0), c.layoutOf(0))
}

// layoutDropout is layoutUnary for a result of two tensors.
func layoutDropout(c *LayoutContext) *LayoutDecision {
	d := layoutUnary(c)
	d.Result = NLayout{Known: true, Fields: []NLayout{d.Result, d.Result}}
	return d
}

// layoutFirstAxis is layoutUnary for operators that work along the first axis, which must stay the first.
func layoutFirstAxis(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	if len(l) > 0 && l[0].Letter != 'A' {
		l = c.initial(0)
	}
	return decide(c.call.Attrs, l, l)
}

// layoutBinary brings both operands into one layout: that of the operand of fewer axes, those of the other in front of it, or one that splits
// axes, if the other operand fits into that without broadcasting along a part.
func layoutBinary(c *LayoutContext) *LayoutDecision {
	if _, err := c.Tensor(0); err != nil {
		return nil
	}
	if _, err := c.Tensor(1); err != nil {
		return nil
	}
	a, b := c.layoutOf(0), c.layoutOf(1)
	if (a.Blocked() || b.Blocked()) && a.Rank() == b.Rank() {
		switch {
		case len(a) >= len(b) && c.canTake(1, a):
			return decide(c.call.Attrs, a, a, a)
		case len(a) < len(b) && c.canTake(0, b):
			return decide(c.call.Attrs, b, b, b)
		}
	}
	a, b = c.plain(0), c.plain(1)
	switch {
	case len(a) == 0:
		return decide(c.call.Attrs, c.layoutOf(1), a, c.layoutOf(1))
	case len(b) == 0:
		return decide(c.call.Attrs, c.layoutOf(0), c.layoutOf(0), b)
	case len(a) <= len(b):
		l := follow(a, len(b))
		return decide(c.call.Attrs, l, a, l)
	}
	l := follow(b, len(a))
	return decide(c.call.Attrs, l, l, b)
}

// follow returns the layout of a tensor of ndim axes whose last ones are in layout l, without parts.
func follow(l tensorlayout.Layout, ndim int) tensorlayout.Layout {
	more := ndim - len(l)
	out := tensorlayout.Initial(ndim)
	for i, a := range l {
		out[more+i].Letter = a.Letter + byte(more)
	}
	return out
}

// layoutFMA brings three tensors of one shape into one layout: that on which the last two agree, or that of the first.
func layoutFMA(c *LayoutContext) *LayoutDecision {
	l := c.layoutOf(0)
	if c.layoutOf(1).Equal(c.layoutOf(2)) {
		l = c.layoutOf(1)
	}
	for i := range 3 {
		if !c.canTake(i, l) {
			l = c.initial(0)
		}
	}
	return decide(c.call.Attrs, l, l, l, l)
}
