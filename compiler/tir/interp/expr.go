package interp

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// int compiles an expression of an integer, bool or handle type.
func (c *compiler) int(e tir.Expr) intFn {
	v := c.expr(e)
	if v.i == nil {
		c.fail("an integer or bool is needed where a %s stands", e.DType())
	}
	return v.i
}

func (c *compiler) float(e tir.Expr) floatFn {
	v := c.expr(e)
	if v.f == nil {
		c.fail("a float is needed where a %s stands", e.DType())
	}
	return v.f
}

func (c *compiler) ints(es []tir.Expr) []intFn {
	out := make([]intFn, len(es))
	for k, e := range es {
		out[k] = c.int(e)
	}
	return out
}

// expr compiles e.
func (c *compiler) expr(e tir.Expr) value {
	switch e := e.(type) {
	case *tir.Var:
		return c.variable(e)
	case *tir.IntImm:
		n := e.Value
		return value{i: func(*frame) int64 { return n }}
	case *tir.FloatImm:
		x := e.Value
		if r := rounder(e.Type); r != nil {
			x = r(x)
		}
		return value{f: func(*frame) float64 { return x }}
	case *tir.StringImm:
		text := e.Value
		return value{i: func(fr *frame) int64 { return fr.m.add(&region{text: text, data: append([]byte(text), 0)}) }}
	case *tir.Cast:
		return c.cast(e.Type, e.Value.DType(), c.expr(e.Value))
	case *tir.Binary:
		return c.binary(e)
	case *tir.Not:
		a := c.int(e.A)
		return value{i: func(fr *frame) int64 { return 1 - a(fr) }}
	case *tir.Select:
		return c.choose(e.Cond, e.True, e.False)
	case *tir.BufferLoad:
		return c.load(e)
	case *tir.Ramp:
		return c.ramp(e)
	case *tir.Broadcast:
		return atLane(c.expr(e.Value), int(e.Value.DType().Lanes), nil)
	case *tir.Let:
		set := c.assign(c.define(e.Var), e.Value)
		body := c.expr(e.Body)
		if body.f != nil {
			return value{f: func(fr *frame) float64 { set(fr); return body.f(fr) }}
		}
		return value{i: func(fr *frame) int64 { set(fr); return body.i(fr) }}
	case *tir.Call:
		return c.intrinsic(e)
	case *tir.Shuffle:
		return c.shuffle(e)
	case *tir.ProducerLoad:
		c.fail("reads tensor %s of a tensor expression: create the PrimFunc first (te.CreatePrimFunc)", e.Producer.ProducerName())
	case *tir.Reduce:
		c.fail("contains a reduction of a tensor expression: create the PrimFunc first (te.CreatePrimFunc)")
	}
	panic(fmt.Sprintf("interp: unknown expression %T", e))
}

func (c *compiler) variable(v *tir.Var) value {
	s := c.lookup(v)
	n := s.n
	switch {
	case s.float && s.lanes == 1:
		return value{f: func(fr *frame) float64 { return fr.f[n] }}
	case s.float:
		return value{f: func(fr *frame) float64 { return fr.f[n+fr.lane] }}
	case s.lanes == 1:
		return value{i: func(fr *frame) int64 { return fr.i[n] }}
	}
	return value{i: func(fr *frame) int64 { return fr.i[n+fr.lane] }}
}

// atLane evaluates v at lane pick(lane), lane modulo n where pick is nil. The lane is put
// back afterwards.
func atLane(v value, n int, pick func(fr *frame, lane int) int) value {
	if pick == nil {
		if n <= 1 {
			return v
		}
		pick = func(_ *frame, lane int) int { return lane % n }
	}
	if v.f != nil {
		return value{f: func(fr *frame) float64 {
			save := fr.lane
			fr.lane = pick(fr, save)
			x := v.f(fr)
			fr.lane = save
			return x
		}}
	}
	return value{i: func(fr *frame) int64 {
		save := fr.lane
		fr.lane = pick(fr, save)
		x := v.i(fr)
		fr.lane = save
		return x
	}}
}

func (c *compiler) ramp(e *tir.Ramp) value {
	n := max(1, int(e.Start.DType().Lanes))
	d := e.DType()
	start, stride := atLane(c.expr(e.Start), n, nil), atLane(c.expr(e.Stride), n, nil)
	if start.i == nil || stride.i == nil {
		c.fail("a ramp of type %s: only integers make ramps", d)
	}
	return value{i: func(fr *frame) int64 { return wrap(d, start.i(fr)+int64(fr.lane/n)*stride.i(fr)) }}
}

// shuffle picks lane Indices[k] of the concatenated vectors for lane k.
func (c *compiler) shuffle(e *tir.Shuffle) value {
	type source struct {
		v    value
		lane int
	}
	var all []source
	for _, x := range e.Vectors {
		v := c.expr(x)
		for k := range max(1, int(x.DType().Lanes)) {
			all = append(all, source{v, k})
		}
	}
	picks := make([]value, len(e.Indices))
	for k, ix := range e.Indices {
		n, ok := tir.AsInt(ix)
		if !ok || n < 0 || n >= int64(len(all)) {
			c.fail("a shuffle index must be a constant from 0 to %d", len(all)-1)
		}
		lane := all[n].lane
		picks[k] = atLane(all[n].v, 0, func(*frame, int) int { return lane })
	}
	if len(picks) == 1 {
		return picks[0]
	}
	if e.DType().IsFloat() {
		return value{f: func(fr *frame) float64 { return picks[fr.lane].f(fr) }}
	}
	return value{i: func(fr *frame) int64 { return picks[fr.lane].i(fr) }}
}

// choose computes only the value that cond selects.
func (c *compiler) choose(cond, yes, no tir.Expr) value {
	p, a, b := c.int(cond), c.expr(yes), c.expr(no)
	if (a.f != nil) != (b.f != nil) {
		c.fail("the branches of a conditional have types %s and %s", yes.DType(), no.DType())
	}
	if a.f != nil {
		return value{f: func(fr *frame) float64 {
			if p(fr) != 0 {
				return a.f(fr)
			}
			return b.f(fr)
		}}
	}
	return value{i: func(fr *frame) int64 {
		if p(fr) != 0 {
			return a.i(fr)
		}
		return b.i(fr)
	}}
}
