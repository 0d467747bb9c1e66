package lower

import (
	"github.com/irscope/irscope/compiler/tir"
)

// Place says where the lanes of an access lie: lane i at element At + i*Stride, or, where the
// index is no such progression, at element Each[i]. Where the lanes are at known distances all the same, that is At + Apart[i].
type Place struct {
	At     Lin
	Stride int64
	Each   []Lin
	Apart  []int64
}

// Lane is the element of lane i.
func (p Place) Lane(i int) Lin {
	if p.Each != nil {
		return p.Each[i]
	}
	l := p.At
	l.C += int64(i) * p.Stride
	return l
}

// Place returns the place of an access in elements of the buffer's scalar type. what is how errors
// call the access.
func (b *Builder) Place(buf *tir.Buffer, indices []tir.Expr, what string) Place {
	if len(indices) == 0 {
		indices = []tir.Expr{tir.Int32(0)}
	}
	at := Lin{}
	if buf.ElemOffset != nil {
		at = b.Lin(buf.ElemOffset)
	}
	n := len(indices)
	if len(buf.Strides) != 0 && len(buf.Strides) != n || len(buf.Strides) == 0 && n > 1 && len(buf.Shape) != n {
		b.gen.Fail(what, "%d indices for a buffer of %d dimensions", n, len(buf.Shape))
	}
	for i, x := range indices[:n-1] {
		if x.DType().Lanes > 1 {
			b.gen.Fail(what, "index %d is a vector: only the last index may be one; run FlattenBuffer first", i)
		}
		at = at.Add(b.linMul(b.Lin(x), b.stride(buf, i)), 1)
	}
	last := Lin{C: 1}
	if len(buf.Strides) == n {
		last = b.Lin(buf.Strides[n-1])
	}
	return b.lastIndex(at, indices[n-1], last, int64(buf.DType.Lanes))
}

// stride is the distance in elements between neighbours along dimension i.
func (b *Builder) stride(buf *tir.Buffer, i int) Lin {
	if len(buf.Strides) > 0 {
		return b.Lin(buf.Strides[i])
	}
	s := Lin{C: 1}
	for _, e := range buf.Shape[i+1:] {
		s = b.linMul(s, b.Lin(e))
	}
	return s
}

// lastIndex adds the last index, which may be a vector, to the others. width is the number of
// lanes of the buffer's elements.
func (b *Builder) lastIndex(at Lin, x tir.Expr, stride Lin, width int64) Place {
	times := func(l Lin) Lin { return b.linMul(l, stride).Scale(width) }
	at = at.Scale(width)
	if x.DType().Lanes == 1 {
		return Place{At: at.Add(times(b.Lin(x)), 1), Stride: 1}
	}
	lanes := int(x.DType().Lanes)
	if start, step, ok := b.progression(x); ok {
		if m := b.linMul(step.Scale(1), stride); m.IsConst() {
			p := Place{At: at.Add(times(start), 1), Stride: m.C}
			if width > 1 {
				return p.widen(lanes, width)
			}
			return p
		}
	}
	p := Place{}
	if start, distances, ok := b.apart(x); ok && stride.IsConst() {
		p.At = at.Add(times(start), 1)
		if step, ok := evenly(distances); ok && width == 1 { // a bound that no lane meets, as in the middle of what is clamped
			return Place{At: p.At.Add(Lin{C: distances[0] * stride.C}, 1), Stride: step * stride.C}
		}
		for _, n := range distances {
			n *= stride.C * width
			p.Apart = append(p.Apart, n)
			p.Each = append(p.Each, p.At.Add(Lin{C: n}, 1))
		}
	} else {
		for _, n := range b.gen.Lanes(x) {
			p.Each = append(p.Each, at.Add(times(b.Atom(n)), 1))
		}
	}
	if width > 1 {
		return p.widen(lanes, width)
	}
	return p
}

// evenly returns how far apart distances are if it is as far from each to the next.
func evenly(distances []int64) (step int64, ok bool) {
	step = distances[1] - distances[0]
	for i := 2; i < len(distances); i++ {
		if distances[i]-distances[i-1] != step {
			return 0, false
		}
	}
	return step, true
}

// widen turns a place of vector elements into the place of their lanes.
func (p Place) widen(lanes int, width int64) Place {
	if p.Each == nil && p.Stride == 1 {
		return Place{At: p.At, Stride: 1}
	}
	q := Place{}
	for i := range lanes {
		l := p.At
		if p.Each != nil {
			l = p.Each[i]
		} else {
			l.C += int64(i) * p.Stride * width
		}
		for j := range width {
			m := l
			m.C += j
			q.Each = append(q.Each, m)
		}
	}
	return q
}

// progression recognises vector indices that step by a linear form, such as Ramp and sums of
// Ramp and Broadcast.
func (b *Builder) progression(e tir.Expr) (start, step Lin, ok bool) {
	bits := b.Machine.Pointer.Bits
	switch e := e.(type) {
	case *tir.Ramp:
		if e.Start.DType().Lanes == 1 {
			return b.Lin(e.Start), b.Lin(e.Stride), true
		}
	case *tir.Broadcast:
		if e.Value.DType().Lanes == 1 && e.Value.DType().IsInteger() {
			return b.Lin(e.Value), Lin{}, true
		}
	case *tir.Cast:
		if from := e.Value.DType(); from.IsInteger() && e.Type.IsInteger() && int(from.Bits) >= bits && int(e.Type.Bits) >= bits {
			return b.progression(e.Value)
		}
	case *tir.Binary:
		if e.Op != tir.OpAdd && e.Op != tir.OpSub && e.Op != tir.OpMul || int(e.A.DType().Bits) < bits {
			return Lin{}, Lin{}, false
		}
		x, s, ok := b.progression(e.A)
		if !ok {
			return Lin{}, Lin{}, false
		}
		y, t, ok := b.progression(e.B)
		if !ok {
			return Lin{}, Lin{}, false
		}
		switch {
		case e.Op == tir.OpAdd:
			return x.Add(y, 1), s.Add(t, 1), true
		case e.Op == tir.OpSub:
			return x.Add(y, -1), s.Add(t, -1), true
		case t.IsConst() && t.C == 0 && y.IsConst():
			return x.Scale(y.C), s.Scale(y.C), true
		case s.IsConst() && s.C == 0 && x.IsConst():
			return y.Scale(x.C), t.Scale(x.C), true
		}
	}
	return Lin{}, Lin{}, false
}
