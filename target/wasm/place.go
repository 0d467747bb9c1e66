package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
)

// place says where the lanes of an access lie: lane i at element at + i*stride, or, where the
// index is no such progression, at element each[i].
type place struct {
	at     lin
	stride int64
	each   []lin
}

func (p place) lane(i int) lin {
	if p.each != nil {
		return p.each[i]
	}
	l := p.at
	l.c += int64(i) * p.stride
	return l
}

// flatten returns the place of an access in elements of the buffer's scalar type.
func (g *gen) flatten(b *tir.Buffer, indices []tir.Expr, what string) place {
	if len(indices) == 0 {
		indices = []tir.Expr{tir.Int32(0)}
	}
	at := lin{}
	if b.ElemOffset != nil {
		at = g.linear(b.ElemOffset)
	}
	n := len(indices)
	if len(b.Strides) != 0 && len(b.Strides) != n || len(b.Strides) == 0 && n > 1 && len(b.Shape) != n {
		g.fail(what, "%d indices for a buffer of %d dimensions", n, len(b.Shape))
	}
	for i, x := range indices[:n-1] {
		if x.DType().Lanes > 1 {
			g.fail(what, "index %d is a vector: only the last index may be one; run FlattenBuffer first", i)
		}
		l, ok := g.linearMul(g.linear(x), g.stride(b, i))
		if !ok {
			g.fail(what, "index %d is not an integer", i)
		}
		at = at.add(l, 1)
	}
	last := lin{c: 1}
	if len(b.Strides) == n {
		last = g.linear(b.Strides[n-1])
	}
	return g.place1(at, indices[n-1], last, int64(b.DType.Lanes))
}

// stride is the distance in elements between neighbours along dimension i.
func (g *gen) stride(b *tir.Buffer, i int) lin {
	if len(b.Strides) > 0 {
		return g.linear(b.Strides[i])
	}
	s := constLin(1)
	for _, e := range b.Shape[i+1:] {
		s, _ = g.linearMul(s, g.linear(e))
	}
	return s
}

// place1 adds the last index, which may be a vector, to the others. width is the number of
// lanes of the buffer's elements.
func (g *gen) place1(at lin, x tir.Expr, stride lin, width int64) place {
	times := func(l lin) lin {
		m, _ := g.linearMul(l, stride)
		return m.scale(width)
	}
	at = at.scale(width)
	if x.DType().Lanes == 1 {
		return place{at: at.add(times(g.linear(x)), 1), stride: 1}
	}
	if start, step, ok := g.progression(x); ok {
		step = step.scale(1)
		m, _ := g.linearMul(step, stride)
		if m.isConst() {
			p := place{at: at.add(times(start), 1), stride: m.c}
			if width > 1 {
				return g.widen(p, int(x.DType().Lanes), width)
			}
			return p
		}
	}
	v := g.expr(x)
	p := place{}
	for i := range v.lanes() {
		p.each = append(p.each, at.add(times(g.atom(one(x.DType().Elem(), g.extract(v, i)))), 1))
	}
	if width > 1 {
		return g.widen(p, v.lanes(), width)
	}
	return p
}

// widen turns a place of vector elements into the place of their lanes.
func (g *gen) widen(p place, lanes int, width int64) place {
	if p.each == nil && p.stride == 1 {
		return place{at: p.at, stride: 1}
	}
	q := place{}
	for i := range lanes {
		l := p.at
		if p.each != nil {
			l = p.each[i]
		} else {
			l.c += int64(i) * p.stride * width
		}
		for j := range width {
			m := l
			m.c += j
			q.each = append(q.each, m)
		}
	}
	return q
}

// progression recognises vector indices that step by a linear form, such as Ramp and sums of
// Ramp and Broadcast.
func (g *gen) progression(e tir.Expr) (start, step lin, ok bool) {
	switch e := e.(type) {
	case *tir.Ramp:
		if e.Start.DType().Lanes == 1 {
			return g.linear(e.Start), g.linear(e.Stride), true
		}
	case *tir.Broadcast:
		if e.Value.DType().Lanes == 1 && e.Value.DType().IsInteger() {
			return g.linear(e.Value), lin{}, true
		}
	case *tir.Cast:
		if from := e.Value.DType(); from.IsInteger() && e.Type.IsInteger() && from.Bits >= 32 && e.Type.Bits >= 32 {
			return g.progression(e.Value)
		}
	case *tir.Binary:
		if e.Op != tir.OpAdd && e.Op != tir.OpSub && e.Op != tir.OpMul || e.A.DType().Bits < 32 {
			return lin{}, lin{}, false
		}
		a, s, ok := g.progression(e.A)
		if !ok {
			return lin{}, lin{}, false
		}
		b, t, ok := g.progression(e.B)
		if !ok {
			return lin{}, lin{}, false
		}
		switch {
		case e.Op == tir.OpAdd:
			return a.add(b, 1), s.add(t, 1), true
		case e.Op == tir.OpSub:
			return a.add(b, -1), s.add(t, -1), true
		case t.isConst() && t.c == 0 && b.isConst():
			return a.scale(b.c), s.scale(b.c), true
		case s.isConst() && s.c == 0 && a.isConst():
			return b.scale(a.c), t.scale(a.c), true
		}
	}
	return lin{}, lin{}, false
}
