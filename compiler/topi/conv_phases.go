package topi

import (
	"slices"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// interleave puts the phases in order: read returns the element of a phase.
func (c *conv) interleave(axes []transposedAxis, read func(at, phases []tir.Expr) tir.Expr) *te.Tensor {
	out := make([]tir.Expr, c.n)
	for k, a := range axes {
		out[k] = a.out
	}
	shape := arrange(c.rpos, append([]tir.Expr{c.x.Shape[c.dpos[0]], c.features}, out...)...)
	return te.Compute("interleave", shape, func(i []tir.Expr) tir.Expr {
		at, phases := slices.Clone(i), []tir.Expr{}
		for k, a := range axes {
			if a.phases > 1 {
				y, s := i[c.rpos[2+k]], tir.Int(a.phases)
				at[c.rpos[2+k]] = tir.FloorDiv(y, s)
				phases = append(phases, tir.FloorMod(y, s))
			}
		}
		return tir.CastTo(c.Out, read(at, phases))
	})
}

// spread puts the elements of the input at the multiples of the strides behind front, with
// zeros between and around them, as far as kernels read.
func (c *conv) spread(axes []transposedAxis) *te.Tensor {
	shape := slices.Clone(c.x.Shape)
	for k, p := range c.dpos[2:] {
		a := axes[k]
		shape[p] = tir.Add(a.steps, tir.Add(tir.Mul(tir.Sub(a.window, tir.Int(1)), tir.Int(a.dilation)), tir.Int(a.most())))
	}
	return te.Compute("data_pad", shape, func(i []tir.Expr) tir.Expr {
		at := slices.Clone(i)
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

// kernelPhases is the kernel of a phase, or of all, back to front as a convolution reads it, with
// zeros for elements that some phases lack.
func (c *conv) kernelPhases(axes []transposedAxis) *te.Tensor {
	shape, phases, p := slices.Clone(c.w.Shape), phaseExtents(axes), first(c.kpos)
	for k, a := range axes {
		shape[c.kpos[2+k]] = a.window
	}
	return te.Compute("kernel_phases", inserted(shape, p, phases), func(i []tir.Expr) tir.Expr {
		phase := i[p : p+len(phases)]
		at := slices.Delete(slices.Clone(i), p, p+len(phases))
		var inside []tir.Expr
		for k, a := range axes {
			r := tir.Sub(tir.Sub(a.window, tir.Int(1)), at[c.kpos[2+k]])
			switch {
			case a.phases > 1:
				_, start := a.behind(phase[0])
				r, phase = tir.Add(tir.Mul(r, tir.Int(a.phases)), start), phase[1:]
				if a.size%a.phases != 0 {
					inside = append(inside, tir.LT(r, tir.Int(a.size)))
				}
			case a.taps != a.size: // one phase of a stride
				r = tir.Add(tir.Mul(r, tir.Int(c.Strides[k])), tir.Int(a.offset))
			}
			at[c.kpos[2+k]] = r
		}
		e := c.w.At(at...)
		if len(inside) == 0 {
			return e
		}
		return tir.IfThenElseExpr(all(inside), e, tir.Const(e.DType(), 0))
	}, te.AxisPrefix("i"))
}
