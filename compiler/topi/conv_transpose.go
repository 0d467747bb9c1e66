package topi

import (
	"slices"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// convTransposePhases is the gradient of Conv with respect to its data: each element of the input,
// multiplied by the kernel, is added to the result at the multiples of the strides. Axis I of
// the weights is that of the input channels, O that of the output channels of a group.
//
// Result y takes input i by kernel element r where y + before = i stride + r dilation. With a
// stride s above 1 and no dilation, the y with one remainder p = y mod s (a phase) take the kernel
// elements q, q+s, q+2s, ... only, where q = (p + before) mod s: each phase is a plain convolution of the
// padded input (the block data_pad) with an s-th of the kernel (kernel_phases), and the block
// interleave puts the phases in order. All phases have as many results. This multiplies an s-th of what the input with s-1 zeros
// between its elements would take. One block computes all phases where they have equally many
// kernel elements or are many, and else one each.
func convTransposePhases(c *conv) *te.Tensor {
	var axes []transposedAxis
	count, equal := int64(1), true
	for k, p := range c.dpos[2:] {
		a := c.transposedAxis(k, c.x.Shape[p])
		axes, count = append(axes, a), count*a.phases
		equal = equal && (a.phases == 1 || a.size%a.phases == 0)
	}
	spread := c.spread(axes)
	switch {
	case count == 1:
		return c.phase(axes, spread)
	case equal || count > maxPhaseBlocks:
		all := c.phase(axes, spread)
		return c.interleave(axes, func(at, phases []tir.Expr) tir.Expr {
			return all.At(inserted(at, first(c.rpos), phases)...)
		})
	}
	return c.interleave(axes, c.phaseBlocks(axes, spread))
}

// maxPhaseBlocks is up to how many phases get a block each.
const maxPhaseBlocks = 4

// transposedAxis is how one spatial axis is computed, by one phase or by all of them.
type transposedAxis struct {
	phases     int64    // that one block computes, along an axis of their own; 1 for no such axis
	size, taps int64    // kernel elements of all phases, 0 if symbolic, and of one
	window     tir.Expr // the taps
	steps, out tir.Expr // results of a phase and of all
	shift      int64    // how far the kernel elements of phase 0 start behind the first
	stride     int64    // between the input's elements in data_pad
	dilation   int64    // between the elements that a kernel takes there
	front      tir.Expr // zeros in front of the input, negative to leave some of it out
	skip       int64    // elements in front of the first that the phase takes
	offset     int64    // of the phase in the kernel
}

// behind is how many elements behind those of phase 0 a phase reads, and at which of its elements the kernel starts.
func (a transposedAxis) behind(phase tir.Expr) (read, start tir.Expr) {
	switch {
	case a.shift == 0:
		return tir.Int(0), phase
	case a.phases == 2: // the phase that starts with the other kernel element is also the one that reads behind
		return phase, tir.Sub(tir.Int(1), phase)
	}
	s, at := tir.Int(a.phases), tir.Add(phase, tir.Int(a.shift))
	return tir.FloorDiv(at, s), tir.FloorMod(at, s)
}

// most is how many elements behind those of phase 0 any phase reads.
func (a transposedAxis) most() int64 {
	if a.shift > 0 {
		return 1
	}
	return 0
}

func (c *conv) transposedAxis(k int, n tir.Expr) transposedAxis {
	s, d, before := c.Strides[k], c.Dilation[k], c.Before[k]
	span := tir.Mul(tir.Sub(c.kernel[k], tir.Int(1)), tir.Int(d))
	inner := tir.Mul(tir.Sub(n, tir.Int(1)), tir.Int(s))
	out := tir.Add(tir.Add(inner, span), tir.Int(1+c.OutputPadding[k]-before-c.After[k]))
	size, known := tir.AsInt(c.kernel[k])
	a := transposedAxis{phases: 1, size: size, taps: size, window: c.kernel[k], steps: out, out: out, stride: s, dilation: d}
	if s == 1 || d > 1 || !known {
		a.front = tir.Sub(span, tir.Int(before))
		return a
	}
	a.phases, a.stride = s, 1
	a.taps = (size + s - 1) / s
	a.window = tir.Int(a.taps)
	a.shift = (before%s + s) % s
	a.steps = tir.FloorDiv(tir.Add(out, tir.Int(s-1)), tir.Int(s))
	a.front = tir.Int(a.taps - 1 - (before-a.shift)/s) // whole steps of all phases are left out
	return a
}

// first is where the axes of the phases stand: in front of the spatial ones.
func first(pos []int) int { return slices.Min(pos[2:]) }

// inserted returns list with more from position k on.
func inserted(list []tir.Expr, k int, more []tir.Expr) []tir.Expr {
	return slices.Insert(slices.Clone(list), k, more...)
}

// phaseExtents are the extents of the axes of the phases.
func phaseExtents(axes []transposedAxis) []tir.Expr {
	var out []tir.Expr
	for _, a := range axes {
		if a.phases > 1 {
			out = append(out, tir.Int(a.phases))
		}
	}
	return out
}

// phase computes one phase, or all along axes of their own.
func (c *conv) phase(axes []transposedAxis, spread *te.Tensor) *te.Tensor {
	kernel := c.kernelPhases(axes)
	rc := te.ReduceAxis("rc", c.channels)
	perGroup := c.w.Shape[c.kpos[0]]
	window, steps := make([]*tir.IterVar, c.n), make([]tir.Expr, c.n)
	for k, a := range axes {
		window[k], steps[k] = te.ReduceAxis(windowNames[k], a.window), a.steps
	}
	phases, at := phaseExtents(axes), first(c.rpos)
	names := make([]string, len(c.rpos))
	for k, p := range c.rpos {
		names[p] = append([]string{"nn", "ff"}, spatialNames...)[k]
	}
	names = slices.Insert(names, at, []string{"py", "px", "pz"}[:len(phases)]...)
	shape := arrange(c.rpos, append([]tir.Expr{c.x.Shape[c.dpos[0]], c.features}, steps...)...)
	return te.Compute(c.name, inserted(shape, at, phases), func(i []tir.Expr) tir.Expr {
		p := slices.Clone(i[at : at+len(phases)])
		each := p
		i = slices.Delete(slices.Clone(i), at, at+len(phases))
		n, ff := i[c.rpos[0]], i[c.rpos[1]]
		ci, fo := tir.Expr(rc.Var), ff
		if c.Groups > 1 {
			ci = tir.Add(tir.Mul(tir.FloorDiv(ff, perGroup), c.channels), rc.Var)
			fo = tir.FloorMod(ff, perGroup)
		}
		in, k := []tir.Expr{n, ci}, []tir.Expr{fo, ci}
		for d, a := range axes {
			step := tir.Add(i[c.rpos[2+d]], tir.Mul(window[d].Var, tir.Int(a.dilation)))
			if a.phases > 1 {
				behind, _ := a.behind(p[0])
				step, p = tir.Add(step, behind), p[1:]
			}
			in, k = append(in, tir.Add(step, tir.Int(a.skip))), append(k, window[d].Var)
		}
		w := kernel.At(inserted(arrange(c.kpos, k...), first(c.kpos), each)...)
		data := tir.CastTo(c.Out, spread.At(arrange(c.dpos, in...)...))
		return te.Sum(tir.Mul(data, tir.CastTo(c.Out, w)), append([]*tir.IterVar{rc}, window...)...)
	}, te.AxisNames(names...))
}

// phaseBlocks computes each phase by a block of its own, with as many kernel elements as it has;
// a phase without one is 0. It returns how to read the result.
func (c *conv) phaseBlocks(axes []transposedAxis, spread *te.Tensor) func(at, phases []tir.Expr) tir.Expr {
	type block struct {
		t     *te.Tensor // nil for zeros
		phase []int64    // along the axes that have phases
	}
	var blocks []block
	var visit func(fixed []transposedAxis, phase []int64, zero bool)
	visit = func(fixed []transposedAxis, phase []int64, zero bool) {
		k := len(fixed)
		if k == len(axes) {
			b := block{phase: slices.Clone(phase)}
			if !zero {
				b.t = c.phase(fixed, spread)
			}
			blocks = append(blocks, b)
			return
		}
		a := axes[k]
		if a.phases == 1 {
			visit(append(slices.Clone(fixed), a), phase, zero)
			return
		}
		for p := range a.phases {
			one := a
			one.phases, one.offset = 1, (p+a.shift)%a.phases
			one.taps = (a.size - one.offset + a.phases - 1) / a.phases
			one.window, one.skip = tir.Int(one.taps), a.taps-one.taps+(p+a.shift)/a.phases
			visit(append(slices.Clone(fixed), one), append(slices.Clone(phase), p), zero || one.taps == 0)
		}
	}
	visit(nil, nil, false)
	return func(at, phases []tir.Expr) tir.Expr {
		var out tir.Expr
		for _, b := range slices.Backward(blocks) {
			e := tir.Const(c.Out, 0)
			if b.t != nil {
				e = b.t.At(at...)
			}
			var here []tir.Expr
			for k, p := range b.phase {
				here = append(here, tir.EQ(phases[k], tir.Int(p)))
			}
			if out == nil {
				out = tir.CastTo(c.Out, e)
			} else {
				out = tir.IfThenElseExpr(all(here), tir.CastTo(c.Out, e), out)
			}
		}
		return out
	}
}
