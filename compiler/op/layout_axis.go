package op

import (
	"slices"

	"github.com/irscope/irscope/compiler/tensorlayout"
)

// layoutAxis follows the layout of the first argument without parts, and gives the attribute axis of the call the new place of the axis.
func layoutAxis(c *LayoutContext) *LayoutDecision {
	axis, ok := c.Int("axis")
	l := c.plain(0)
	if !ok || len(l) == 0 {
		return nil
	}
	return decide(c.with("axis", at(l, axis)), l, l)
}

// layoutPRelu is layoutAxis for an operator with a slope for each channel.
func layoutPRelu(c *LayoutContext) *LayoutDecision {
	d := layoutAxis(c)
	if d != nil {
		d.Args = append(d.Args, Leaf(c.layoutOf(1)))
	}
	return d
}

// layoutBatchNorm is layoutAxis for batch_norm, whose result has the running statistics too.
func layoutBatchNorm(c *LayoutContext) *LayoutDecision {
	d := layoutAxis(c)
	if d == nil {
		return nil
	}
	d.Result = NLayout{Known: true, Fields: []NLayout{d.Result, Leaf(c.initial(3)), Leaf(c.initial(4))}}
	return c.paramsToo(d, 5)
}

// paramsToo leaves the arguments from 1 to n-1 in the layouts of the module.
func (c *LayoutContext) paramsToo(d *LayoutDecision, n int) *LayoutDecision {
	for i := 1; i < n; i++ {
		d.Args = append(d.Args, Leaf(c.initial(i)))
	}
	return d
}

// layoutNorm follows the layout of the data without parts, and gives the attribute axes, and channel_axis where there is one, their new places.
// The axes must stay in their order, since the parameters, of which there are n-1, have them in theirs.
func layoutNorm(n int) InferLayoutFunc {
	return func(c *LayoutContext) *LayoutDecision {
		axes, _ := c.Ints("axes")
		l := c.plain(0)
		if len(l) == 0 {
			return nil
		}
		if !slices.IsSorted(allAt(l, axes)) {
			l = c.initial(0)
		}
		attrs := c.with("axes", allAt(l, axes))
		if channel, ok := c.Int("channel_axis"); ok {
			attrs = c.set(attrs, "channel_axis", at(l, channel))
		}
		return c.paramsToo(decide(attrs, l, l), n)
	}
}

// layoutReduce follows any layout: of an axis that is split, the parts are reduced too. The result has the axes that are left.
func layoutReduce(c *LayoutContext) *LayoutDecision {
	l := c.layoutOf(0)
	list, given := c.Ints("axis")
	if !given {
		for i := range l.Rank() {
			list = append(list, int64(i))
		}
	}
	gone := map[byte]bool{}
	n := int64(l.Rank())
	split := false
	for _, a := range list {
		letter := byte('A' + (a%n+n)%n)
		gone[letter] = true
		split = split || l.Factor(letter) > 1
	}
	keep := c.Bool("keepdims")
	if keep && split { // the axis of extent 1 has no parts
		l = c.initial(0)
	}
	axes := []int64{}
	rest := tensorlayout.Layout{}
	for i, a := range l {
		switch {
		case gone[a.Letter]:
			axes = append(axes, int64(i))
		default:
			left := a
			for letter := range gone {
				if letter < a.Letter {
					left.Letter--
				}
			}
			rest = append(rest, left)
		}
	}
	if keep {
		rest = l
	}
	return decide(c.with("axis", axes), rest, l)
}

// layoutGather brings data and indices into the layout of the data, or of the indices if the data is in that of the module.
func layoutGather(c *LayoutContext) *LayoutDecision {
	axis, ok := c.Int("axis")
	l := c.plain(0)
	if l.Equal(c.initial(0)) {
		l = c.plain(1)
	}
	if !ok || len(l) == 0 {
		return nil
	}
	return decide(c.with("axis", at(l, axis)), l, l, l)
}

// layoutScatterElements brings data, indices and updates into one layout: that on which the last two agree, or that of the data.
func layoutScatterElements(c *LayoutContext) *LayoutDecision {
	axis, ok := c.Int("axis")
	l := c.plain(0)
	if c.layoutOf(1).Equal(c.layoutOf(2)) {
		l = c.plain(1)
	}
	if !ok || len(l) == 0 {
		return nil
	}
	return decide(c.with("axis", at(l, axis)), l, l, l, l)
}

// layoutScatterND brings updates with as many axes as the data into its layout, if the axes that the indices count along stay in front.
func layoutScatterND(c *LayoutContext) *LayoutDecision {
	l, updates := c.plain(0), c.initial(2)
	indices, ok := c.dims(1)
	same := ok && len(indices) > 0 && len(l) == len(updates)
	if same {
		same = len(indices)-1 <= len(l)
		for i := 0; same && i < len(indices)-1; i++ {
			same = l[i] == c.initial(0)[i]
		}
	}
	if !same {
		return decide(c.call.Attrs, c.initial(0), c.initial(0), c.layoutOf(1), updates)
	}
	return decide(c.call.Attrs, l, l, c.layoutOf(1), l)
}
