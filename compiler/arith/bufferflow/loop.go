package bufferflow

import "github.com/irscope/irscope/compiler/tir"

// The rounds of a loop: after widenAfter, what holds at the border of two iterations must hold whatever the
// variable is, and after giveUpAfter nothing is known of what the body touches.
const (
	widenAfter  = 2
	giveUpAfter = 5
)

// loop returns what is known at the end of a loop, or, walking backward, at its beginning, where outside is known at the other one and body walks its body.
// touched tells which buffers the body changes the facts of, walking in this direction.
func (f *flow) loop(x *tir.For, outside state, back bool, touched func(*tir.Buffer) bool, body func(state) state) state {
	f.around = append(f.around, x)
	defer func() { f.around = f.around[:len(f.around)-1] }()
	if x.Kind == tir.ThreadBinding { // its iterations run at once
		return body(outside.drop(elements)).drop(func(p *fact) bool { return elements(p) || p.uses(x.LoopVar) })
	}
	lo, hi, some, known := f.bounds(x)
	if !known {
		outside = outside.drop(func(p *fact) bool { return elements(p) && touched(p.buffer) })
		body(outside)
		return outside
	}
	end := hi
	if back {
		end = lo
	}
	h := &border{flow: f, x: x, back: back, outside: outside, lo: lo, hi: hi, touched: touched}
	return h.leave(h.rounds(body), end, some)
}

// border computes what holds where an iteration of a loop begins, or, walking backward, where it ends, from
// what holds outside, before the loop or after it, and at the other end of an iteration.
type border struct {
	*flow
	x       *tir.For
	back    bool
	outside state
	lo, hi  tir.Expr
	touched func(*tir.Buffer) bool // what the body changes, walking in this direction
	owners  map[*tir.Buffer]tir.Expr
	ahead   state // of outside, what an iteration finds as it is there
}

// rounds walks the body of a loop until what holds at the border is stable, and returns what then holds at
// the other end of an iteration.
func (h *border) rounds(body func(state) state) (far state) {
	h.owners = map[*tir.Buffer]tir.Expr{}
	near := h.first()
	far = body(near)
	for round := 1; ; round++ {
		next := h.next(far, round)
		if h.same(near, next) {
			return far
		}
		near = next
		far = body(near)
	}
}

// changes reports whether the body may change what p says.
func (h *border) changes(p *fact) bool { return p.buffer != nil && h.touched(p.buffer) }

// owner returns the iteration that touches an element of b, nil if there may be several.
func (h *border) owner(b *tir.Buffer) tir.Expr {
	own, asked := h.owners[b]
	if !asked {
		own = h.flow.owner(h.x, b, h.back)
		h.owners[b] = own
	}
	return own
}

// first returns the first guess. An element that one iteration owns is until that, and if there is none, as it
// is outside. Of others it is a guess that the body does not change what holds of them.
func (h *border) first() state {
	v := h.x.LoopVar
	var out state
	for _, p := range h.outside {
		if !h.changes(p) || h.owner(p.buffer) == nil {
			out = append(out, p)
			continue
		}
		own := h.owner(p.buffer)
		cond := tir.Or(tir.GE(own, v), tir.LT(own, h.lo))
		if h.back {
			cond = tir.Or(tir.LE(own, v), tir.GT(own, h.hi))
		}
		if q := h.with(p, tir.And(p.where, cond)); q != nil {
			out = append(out, q)
			h.ahead = append(h.ahead, q)
		}
	}
	return out
}

// next returns the guess after far, which holds at the other end.
func (h *border) next(far state, round int) state {
	v := h.x.LoopVar
	out := append(h.outside.drop(h.changes), h.ahead...)
	if round > giveUpAfter {
		return out
	}
	for _, p := range far {
		if !h.changes(p) {
			continue
		}
		own := h.owner(p.buffer)
		if own == nil {
			continue
		}
		cond := tir.And(tir.LE(h.lo, own), tir.LT(own, v))
		if h.back {
			cond = tir.And(tir.LT(v, own), tir.LE(own, h.hi))
		}
		if q := h.substitute(p, v, own); q != nil {
			out = h.add(out, h.with(q, tir.And(q.where, cond)))
		}
	}
	for _, p := range h.between(far) {
		if round >= widenAfter && p.uses(v) {
			if p.value != nil && uses(p.value, v) {
				continue
			}
			p = h.with(p, forAll(h.a, p.where, v, h.lo, h.hi))
		}
		out = h.add(out, p)
	}
	return out
}

// between returns what holds of elements that several iterations may touch: what holds outside in the
// iteration next to it, and what the iteration before left in the others.
func (h *border) between(far state) state {
	v := h.x.LoopVar
	end, inner, from := tir.EQ(v, h.lo), tir.GT(v, h.lo), less(v)
	if h.back {
		end, inner, from = tir.EQ(v, h.hi), tir.LT(v, h.hi), tir.Add(v, tir.Const(v.DType(), 1))
	}
	var out state
	for _, p := range h.outside {
		if h.changes(p) && h.owner(p.buffer) == nil {
			out = h.add(out, h.with(p, tir.And(p.where, end)))
		}
	}
	for _, p := range far {
		if !h.changes(p) || h.owner(p.buffer) != nil {
			continue
		}
		if q := h.substitute(p, v, from); q != nil {
			out = h.add(out, h.with(q, tir.And(q.where, inner)))
		}
	}
	return out
}

// leave returns what holds outside, beyond the end of the loop where v is at. Of an element that one iteration owns, that is what holds at
// the end of that iteration. It is also among what holds at the end of the last one, but there in two parts, of the last and of those before it, which a
// condition that is simplified may not show to be one.
func (h *border) leave(far state, at tir.Expr, some bool) state {
	var out state
	for _, p := range far {
		if p.buffer == nil && p.uses(h.x.LoopVar) {
			continue
		}
		if h.changes(p) && h.owner(p.buffer) != nil {
			own := h.owner(p.buffer)
			if q := h.substitute(p, h.x.LoopVar, own); q != nil {
				out = h.add(out, h.with(q, tir.And(q.where, tir.And(tir.LE(h.lo, own), tir.LE(own, h.hi)))))
			}
			continue
		}
		if q := h.substitute(p, h.x.LoopVar, at); q != nil && !q.uses(h.x.LoopVar) {
			out = h.add(out, q)
		}
	}
	for _, p := range h.outside {
		if h.changes(p) && h.owner(p.buffer) != nil {
			own := h.owner(p.buffer)
			out = h.add(out, h.with(p, tir.And(p.where, tir.Or(tir.LT(own, h.lo), tir.GT(own, h.hi)))))
		}
	}
	if some {
		return out
	}
	return h.join(out, h.outside, h.condition(tir.GE(h.x.Extent, tir.Const(h.x.Extent.DType(), 1))))
}
