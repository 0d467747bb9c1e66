package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// layoutConcat brings all tensors into the layout of the first; if some are in one that splits an axis and all fit into that, into that.
func layoutConcat(c *LayoutContext) *LayoutDecision {
	ts, err := c.Tensors(0)
	fields := c.args[0].Fields
	if err != nil || len(fields) == 0 || len(fields[0].Tensor) == 0 {
		return nil
	}
	l := fields[0].Tensor
	var blocked, plain tensorlayout.Layout
	for _, f := range fields {
		switch {
		case f.Tensor.Blocked() && blocked == nil:
			blocked = f.Tensor
		case !f.Tensor.Blocked() && plain == nil:
			plain = f.Tensor
		}
	}
	if blocked != nil {
		// TVM takes the one that splits only if all tensors are in such a layout.
		if l = blocked; plain != nil {
			l = plain
		}
		for _, t := range ts {
			if !c.fits(t, Leaf(l)) {
				l = tensorlayout.Initial(l.Rank())
			}
		}
	}
	axis, _ := c.Int("axis")
	each := NLayout{Known: true}
	for range fields {
		each.Fields = append(each.Fields, Leaf(l))
	}
	return &LayoutDecision{Args: []NLayout{each}, Result: Leaf(l), Attrs: c.with("axis", at(l, axis))}
}

// layoutStack brings all tensors into the layout of the first without parts. The new axis stands where the one was that now follows it.
func layoutStack(c *LayoutContext) *LayoutDecision {
	fields := c.args[0].Fields
	if len(fields) == 0 || fields[0].Tensor == nil {
		return nil
	}
	l := fields[0].Tensor
	if l.Blocked() {
		l = tensorlayout.Initial(l.Rank())
	}
	axis, _ := c.Int("axis")
	n := int64(len(l)) + 1
	axis = (axis%n + n) % n
	place := n - 1
	if axis < n-1 {
		place = at(l, axis)
	}
	result := tensorlayout.Layout{}
	for i := range n {
		switch {
		case i == place:
			result = append(result, tensorlayout.Axis{Letter: byte('A' + axis)})
		default:
			from := i
			if i > place {
				from--
			}
			a := l[from]
			if a.Letter >= byte('A'+axis) {
				a.Letter++
			}
			result = append(result, a)
		}
	}
	each := NLayout{Known: true}
	for range fields {
		each.Fields = append(each.Fields, Leaf(l))
	}
	return &LayoutDecision{Args: []NLayout{each}, Result: Leaf(result), Attrs: c.with("axis", place)}
}

// layoutExpandDims inserts the axes where the attribute says.
func layoutExpandDims(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	list, _ := c.Ints("axis")
	n := int64(len(l) + len(list))
	isNew := make([]bool, n)
	for _, a := range list {
		isNew[(a%n+n)%n] = true
	}
	var old []byte // the letters in the result of the axes of the argument
	for i, is := range isNew {
		if !is {
			old = append(old, byte('A'+i))
		}
	}
	result := tensorlayout.Initial(int(n))
	next := 0
	for i := range result {
		if !isNew[i] {
			result[i].Letter = old[l[next].Letter-'A']
			next++
		}
	}
	return decide(c.call.Attrs, result, l)
}

// layoutPermuteDims permutes from whatever layout the argument is in, so that the result is in that of the module.
func layoutPermuteDims(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	order, given := c.Ints("axes")
	if !given {
		for i := len(l) - 1; i >= 0; i-- {
			order = append(order, int64(i))
		}
	}
	return decide(c.with("axes", allAt(l, order)), tensorlayout.Initial(len(l)), l)
}

// layoutSplit follows any layout in which the parts of the result fit too. Where the axis has parts, indices count blocks; TVM leaves them as they are.
func layoutSplit(c *LayoutContext) *LayoutDecision {
	axis, _ := c.Int("axis")
	s, err := c.Op.Infer(c.call, c.InferContext)
	tuple, ok := s.(*relax.TupleStructInfo)
	if err != nil || !ok || len(c.initial(0)) == 0 {
		return nil
	}
	l := c.layoutOf(0)
	for _, f := range tuple.Fields {
		if !c.fits(f, Leaf(l)) {
			l = c.initial(0)
		}
	}
	result := NLayout{Known: true}
	for range tuple.Fields {
		result.Fields = append(result.Fields, Leaf(l))
	}
	attrs := c.with("axis", at(l, axis))
	if _, sections := c.Int("indices_or_sections"); !sections {
		cuts, _ := c.Ints("indices_or_sections")
		n := int64(len(c.initial(0)))
		block := l.Factor(byte('A' + (axis%n+n)%n))
		blocks := make([]int64, len(cuts))
		for i, at := range cuts {
			blocks[i] = at / block
		}
		attrs = c.set(attrs, "indices_or_sections", blocks)
	}
	return &LayoutDecision{Args: []NLayout{Leaf(l)}, Result: result, Attrs: attrs}
}

// layoutSqueeze drops axes of extent 1.
func layoutSqueeze(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	list, given := c.Ints("axis")
	if !given {
		d, ok := c.dims(0)
		if !ok {
			return nil
		}
		for i, e := range d {
			if tir.IsConst(e, 1) {
				list = append(list, int64(i))
			}
		}
	}
	gone := make([]bool, len(l))
	for _, a := range list {
		n := int64(len(l))
		gone[(a%n+n)%n] = true
	}
	axes := []int64{}
	result := tensorlayout.Layout{}
	for i, a := range l {
		if gone[a.Letter-'A'] {
			axes = append(axes, int64(i))
			continue
		}
		for k := range a.Letter - 'A' {
			if gone[k] {
				a.Letter--
			}
		}
		result = append(result, a)
	}
	return decide(c.with("axis", axes), result, l)
}

// layoutRepeat is layoutAxis; without an axis, the elements are counted in the order of the module.
func layoutRepeat(c *LayoutContext) *LayoutDecision {
	if _, ok := c.Int("axis"); ok {
		return layoutAxis(c)
	}
	return nil
}

// layoutTile moves the repeats to where their axes are.
func layoutTile(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	list, _ := c.Ints("repeats")
	more := max(0, len(list)-len(l))
	repeats := append([]int64{}, list[:more]...)
	for _, a := range l {
		i := int(a.Letter-'A') - (len(l) - (len(list) - more)) // the last entries are those of the last axes
		if i >= 0 {
			repeats = append(repeats, list[more+i])
		} else {
			repeats = append(repeats, 1)
		}
	}
	return decide(c.with("repeats", repeats), follow(l, more+len(l)), l)
}

// layoutStridedSlice gives the axes their new places.
func layoutStridedSlice(c *LayoutContext) *LayoutDecision {
	l := c.plain(0)
	list, ok, err := c.prims(1)
	axes, static := relax.StaticInts(list)
	if err != nil || !ok || !static || len(l) == 0 && len(axes) > 0 {
		return nil
	}
	d := decide(c.call.Attrs, l, l)
	d.NewArgs = map[int]relax.Expr{1: primTuple(relax.Ints(allAt(l, axes)))}
	return d
}

// layoutKept leaves the first argument in the layout of the module.
func layoutKept(c *LayoutContext) *LayoutDecision {
	return decide(c.call.Attrs, c.initial(0), c.initial(0))
}
