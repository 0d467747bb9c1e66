package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvTranspose is the gradient of Conv with respect to its data: each element of the input,
// multiplied by the kernel, is added to the result at the multiples of the strides. Axis I of
// the weights is that of the input channels, O that of the output channels of a group.
//
// Result y takes input i by kernel element r where y + before = i stride + r dilation. With a
// stride s above 1 and no dilation, the y with one remainder p = (y + before) mod s (a phase)
// take the kernel elements p, p+s, p+2s, ... only. So the block of the convolution computes all
// phases, each as a plain convolution of the padded input (the block data_pad) with a kernel of
// an s-th of the elements (kernel_phases), and a block behind it puts the phases in order. It
// multiplies an s-th of what the input with s-1 zeros between its elements would take.
func ConvTranspose(x, w *te.Tensor, o ConvOpts) (*te.Tensor, error) {
	c, err := newConv("_transpose", x, w, o)
	if err != nil {
		return nil, err
	}
	perGroup := c.w.Shape[c.kpos[0]]
	c.channels = tir.FloorDiv(c.w.Shape[c.kpos[1]], tir.Int(c.Groups))
	c.features = tir.Mul(perGroup, tir.Int(c.Groups))
	var axes []*transposedAxis
	for k, p := range c.dpos[2:] {
		axes = append(axes, c.transposedAxis(k, c.x.Shape[p]))
	}
	spread, kernel := c.spread(axes), c.flipped(axes)
	rc := te.ReduceAxis("rc", c.channels)
	window := make([]*tir.IterVar, c.n)
	shape := make([]tir.Expr, c.n)
	var phases []tir.Expr
	for k, a := range axes {
		window[k], shape[k] = te.ReduceAxis(windowNames[k], a.taps), a.steps
		if a.phases > 1 {
			phases = append(phases, tir.Int(a.phases))
		}
	}
	first, names := c.phaseAxis(c.rpos), []string{"nn", "ff"}
	names = append(names, spatialNames[:c.n]...)
	order := make([]string, len(names))
	for k, p := range c.rpos {
		order[p] = names[k]
	}
	order = append(append(append([]string{}, order[:first]...), []string{"py", "px", "pz"}[:len(phases)]...), order[first:]...)
	extents := arrange(c.rpos, append([]tir.Expr{c.x.Shape[c.dpos[0]], c.features}, shape...)...)
	total := te.Compute(c.name, inserted(extents, first, phases), func(i []tir.Expr) tir.Expr {
		phase := i[first : first+len(phases)]
		i = append(append([]tir.Expr{}, i[:first]...), i[first+len(phases):]...)
		n, ff := i[c.rpos[0]], i[c.rpos[1]]
		ci, fo := tir.Expr(rc.Var), ff
		if c.Groups > 1 {
			ci = tir.Add(tir.Mul(tir.FloorDiv(ff, perGroup), c.channels), rc.Var)
			fo = tir.FloorMod(ff, perGroup)
		}
		in, at := []tir.Expr{n, ci}, []tir.Expr{fo, ci}
		for k, a := range axes {
			in = append(in, tir.Add(i[c.rpos[2+k]], tir.Mul(window[k].Var, tir.Int(a.dilation))))
			at = append(at, window[k].Var)
		}
		wk := inserted(arrange(c.kpos, at...), c.phaseAxis(c.kpos), phase)
		return dot(tir.Mul(spread.At(arrange(c.dpos, in...)...), kernel.At(wk...)), append([]*tir.IterVar{rc}, window...)...)
	}, te.AxisNames(order...), inRuns())
	if len(phases) == 0 {
		return converted(total, c.Out), nil
	}
	extents = append([]tir.Expr{}, extents...)
	for k, a := range axes {
		extents[c.rpos[2+k]] = a.out
	}
	return te.Compute("interleave", extents, func(i []tir.Expr) tir.Expr {
		at, phase := append([]tir.Expr{}, i...), []tir.Expr{}
		for k, a := range axes {
			if a.phases > 1 {
				y := tir.Add(i[c.rpos[2+k]], tir.Int(a.shift))
				at[c.rpos[2+k]] = tir.FloorDiv(y, tir.Int(a.phases))
				phase = append(phase, tir.FloorMod(y, tir.Int(a.phases)))
			}
		}
		return tir.CastTo(c.Out, total.At(inserted(at, first, phase)...))
	}), nil
}

// transposedAxis is how one spatial axis is computed.
type transposedAxis struct {
	stride, dilation int64    // between the elements that stand in data_pad and that a kernel reads
	phases           int64    // results that follow each other in different phases; 1 for none
	taps             tir.Expr // kernel elements of a phase
	kernel           tir.Expr // kernel elements of all
	steps, out       tir.Expr // results of a phase and of all
	shift            int64    // of the first result, in its phases
	front            tir.Expr // zeros in front of the input, negative to leave some of it out
}

func (c *conv) transposedAxis(k int, n tir.Expr) *transposedAxis {
	s, d, before := c.Strides[k], c.Dilation[k], c.Before[k]
	span := tir.Mul(tir.Sub(c.kernel[k], tir.Int(1)), tir.Int(d))
	inner := tir.Mul(tir.Sub(n, tir.Int(1)), tir.Int(s))
	out := tir.Add(tir.Add(inner, span), tir.Int(1+c.OutputPadding[k]-before-c.After[k]))
	size, known := tir.AsInt(c.kernel[k])
	if s == 1 || d > 1 || !known {
		return &transposedAxis{
			stride: s, dilation: d, phases: 1, taps: c.kernel[k], kernel: c.kernel[k], steps: out, out: out,
			front: tir.Sub(span, tir.Int(before)),
		}
	}
	taps := (size + s - 1) / s
	shift := (before%s + s) % s
	skipped := (before - shift) / s // whole steps of all phases
	steps := tir.Add(tir.FloorDiv(tir.Add(out, tir.Int(shift-1)), tir.Int(s)), tir.Int(1))
	return &transposedAxis{
		stride: 1, dilation: 1, phases: s, taps: tir.Int(taps), kernel: c.kernel[k], steps: steps, out: out,
		shift: shift, front: tir.Int(taps - 1 - skipped),
	}
}

// phaseAxis is where the axes of the phases stand: in front of the spatial ones.
func (c *conv) phaseAxis(pos []int) int {
	first := pos[2]
	for _, p := range pos[2:] {
		first = min(first, p)
	}
	return first
}

// inserted returns list with more from position k on.
func inserted(list []tir.Expr, k int, more []tir.Expr) []tir.Expr {
	return append(append(append([]tir.Expr{}, list[:k]...), more...), list[k:]...)
}

// spread puts the elements of the input at the multiples of the strides behind front, with
// zeros between and around them, as far as kernels read.
func (c *conv) spread(axes []*transposedAxis) *te.Tensor {
	shape := append([]tir.Expr{}, c.x.Shape...)
	for k, p := range c.dpos[2:] {
		a := axes[k]
		shape[p] = tir.Add(a.steps, tir.Mul(tir.Sub(a.taps, tir.Int(1)), tir.Int(a.dilation)))
	}
	return te.Compute("data_pad", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		var inside []tir.Expr
		for k, p := range c.dpos[2:] {
			a := axes[k]
			n, s := c.x.Shape[p], tir.Int(a.stride)
			off := tir.Sub(i[p], a.front)
			at[p] = tir.FloorDiv(off, s)
			if a.stride == 1 { // bounds of an iteration variable, as a schedule wants them
				inside = append(inside, tir.LE(a.front, i[p]), tir.LT(i[p], tir.Add(n, a.front)))
				continue
			}
			inside = append(inside, tir.LE(tir.Int(0), off), tir.LT(off, tir.Mul(n, s)), tir.EQ(tir.FloorMod(off, s), tir.Int(0)))
		}
		e := c.x.At(at...)
		return tir.IfThenElseExpr(all(inside), e, tir.Const(e.DType(), 0))
	}, te.AxisPrefix("i"))
}

// flipped is the kernel back to front, as a convolution reads it; taken apart into phases where
// there are any, with zeros for elements that some phases lack.
func (c *conv) flipped(axes []*transposedAxis) *te.Tensor {
	first := c.phaseAxis(c.kpos)
	shape := append([]tir.Expr{}, c.w.Shape...)
	var phases []tir.Expr
	for k, a := range axes {
		shape[c.kpos[2+k]] = a.taps
		if a.phases > 1 {
			phases = append(phases, tir.Int(a.phases))
		}
	}
	return te.Compute("kernel_phases", inserted(shape, first, phases), func(i []tir.Expr) tir.Expr {
		phase := i[first : first+len(phases)]
		at := append(append([]tir.Expr{}, i[:first]...), i[first+len(phases):]...)
		var inside []tir.Expr
		for k, a := range axes {
			p := c.kpos[2+k]
			at[p] = tir.Sub(tir.Sub(a.taps, tir.Int(1)), at[p])
			if a.phases == 1 {
				continue
			}
			at[p] = tir.Add(tir.Mul(at[p], tir.Int(a.phases)), phase[0])
			phase = phase[1:]
			if n, _ := tir.AsInt(a.kernel); n%a.phases != 0 {
				inside = append(inside, tir.LT(at[p], a.kernel))
			}
		}
		e := c.w.At(at...)
		if len(inside) == 0 {
			return e
		}
		return tir.IfThenElseExpr(all(inside), e, tir.Const(e.DType(), 0))
	}, te.AxisPrefix("i"))
}
