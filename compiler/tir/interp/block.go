package interp

import (
	"github.com/irscope/irscope/compiler/tir"
)

// blockRealize compiles a block: binds its iteration variables, checks them against their
// domains, runs the init statement at the start of a reduction and then the body.
func (c *compiler) blockRealize(s *tir.BlockRealize) stmtFn {
	b := s.Block
	outer := c.block
	c.block = b.Name
	defer func() { c.block = outer }()

	var binds []func(*frame)
	var checks []func(*frame)
	var atStart []func(*frame) bool
	for k, iv := range b.IterVars {
		if k >= len(s.Values) {
			c.fail("iteration variable %s has no binding", iv.Var.Name)
		}
		if v, ok := s.Values[k].(*tir.Var); ok {
			if _, again := c.slots[iv.Var]; !again {
				c.slots[iv.Var] = c.lookup(v) // neither changes while the block runs
				defer delete(c.slots, iv.Var)
			}
		}
		slot := c.define(iv.Var)
		if v, ok := s.Values[k].(*tir.Var); !ok || c.lookup(v) != slot {
			binds = append(binds, c.assign(slot, s.Values[k]))
		}
		lo, n := c.int(iv.Dom.Min), c.int(iv.Dom.Extent)
		block, name, i := b.Name, iv.Var.Name, slot.n
		if !c.coveredBy(iv, s.Values[k]) {
			checks = append(checks, func(fr *frame) {
				if v, l := fr.i[i], lo(fr); v < l || v-l >= n(fr) {
					fr.fail("block %s: iteration variable %s = %d is outside of its domain [%d, %d)", block, name, v, l, l+n(fr))
				}
			})
		}
		if iv.Kind == tir.CommReduce {
			atStart = append(atStart, func(fr *frame) bool { return fr.i[i] == lo(fr) })
		}
	}
	pred := intFn(nil)
	if !tir.IsTrue(s.Predicate) {
		pred = c.int(s.Predicate)
	}
	body := c.withBuffers(b.AllocBuffers, func() stmtFn {
		match := c.matchBuffers(b.MatchBuffers)
		c.update = updateOf(b)
		run := c.stmt(b.Body)
		if b.Init != nil {
			if init := c.stmt(b.Init); c.waitsIn(b.Init).step {
				run = initInStep(atStart, init, run)
			} else {
				run = withInit(atStart, init, run)
			}
		}
		if match == nil {
			return run
		}
		return func(fr *frame) ctl {
			match(fr)
			return run(fr)
		}
	})
	return func(fr *frame) ctl {
		for _, set := range binds {
			set(fr)
		}
		if pred != nil && pred(fr) == 0 {
			return ctlNext
		}
		for _, check := range checks {
			check(fr)
		}
		return body(fr)
	}
}

// coveredBy reports whether iv is bound to a loop variable that ranges over iv's domain.
func (c *compiler) coveredBy(iv *tir.IterVar, bound tir.Expr) bool {
	v, ok := bound.(*tir.Var)
	if !ok || c.loops[v] == nil || c.loops[v].Step != nil {
		return false
	}
	same := func(a, b tir.Expr) bool {
		x, ok := tir.AsInt(a)
		y, ok2 := tir.AsInt(b)
		return a == b || ok && ok2 && x == y
	}
	return same(c.loops[v].Min, iv.Dom.Min) && same(c.loops[v].Extent, iv.Dom.Extent)
}

func withInit(atStart []func(*frame) bool, init, body stmtFn) stmtFn {
	return func(fr *frame) ctl {
		start := true
		for _, f := range atStart {
			start = start && f(fr)
		}
		if start {
			init(fr)
		}
		return body(fr)
	}
}

// matchBuffers binds the buffers of a block that are views of others: their data pointer,
// and the variables that stand for their strides and offset.
func (c *compiler) matchBuffers(list []*tir.MatchBufferRegion) func(*frame) {
	var steps []func(*frame)
	for _, m := range list {
		src, dst := m.Source.Buffer, m.Buffer
		from := c.lookup(src.Data).pointer
		to := c.define(dst.Data).pointer
		start := make([]tir.Expr, len(m.Source.Region))
		for k, r := range m.Source.Region {
			start[k] = r.Min
		}
		offset := c.offset(src, start, false)
		width := int64(src.DType.Bytes())
		if v, ok := dst.ElemOffset.(*tir.Var); ok {
			s := c.define(v).n
			steps = append(steps, func(fr *frame) {
				fr.bind(to, fr.i[from.slot])
				fr.i[s] = offset(fr)
			})
		} else {
			steps = append(steps, func(fr *frame) { fr.bind(to, fr.i[from.slot]+offset(fr)*width) })
		}
		steps = append(steps, c.matchStrides(m)...)
	}
	if steps == nil {
		return nil
	}
	return func(fr *frame) {
		for _, s := range steps {
			s(fr)
		}
	}
}

// matchStrides binds the stride and extent variables of a matched buffer, whose
// dimensions are the last ones of its source.
func (c *compiler) matchStrides(m *tir.MatchBufferRegion) []func(*frame) {
	var steps []func(*frame)
	src, dst := m.Source.Buffer, m.Buffer
	skip := len(m.Source.Region) - len(dst.Shape)
	if skip < 0 {
		c.fail("match_buffer %s has more dimensions than its source %s", dst.Name, src.Name)
	}
	for k, e := range dst.Shape {
		if v, ok := e.(*tir.Var); ok {
			if _, known := c.slots[v]; !known {
				steps = append(steps, c.assign(c.define(v), m.Source.Region[skip+k].Extent))
			}
		}
	}
	for k, e := range dst.Strides {
		v, ok := e.(*tir.Var)
		if !ok {
			continue
		}
		stride := tir.Expr(tir.Const(v.DType(), 1))
		if len(src.Strides) > 0 {
			stride = src.Strides[skip+k]
		} else {
			for _, d := range src.Shape[skip+k+1:] {
				stride = tir.Mul(stride, tir.CastTo(v.DType(), d))
			}
		}
		steps = append(steps, c.assign(c.define(v), stride))
	}
	if len(dst.Strides) == 0 {
		c.checkCompact(m, skip)
	}
	return steps
}

// checkCompact refuses a compact view of a region that is not contiguous: beyond its first
// dimension of extent above 1, a compact view covers its source's dimensions entirely.
func (c *compiler) checkCompact(m *tir.MatchBufferRegion, skip int) {
	src := m.Source.Buffer
	if len(src.Strides) > 0 {
		return
	}
	started := false
	for k := skip; k < len(m.Source.Region); k++ {
		e, ok := tir.AsInt(m.Source.Region[k].Extent)
		d, ok2 := tir.AsInt(src.Shape[k])
		if !ok || !ok2 {
			return
		}
		if started && e != d {
			c.fail("match_buffer %s is compact, but dimension %d of its region of %s has %d of %d elements: declare strides",
				m.Buffer.Name, k, src.Name, e, d)
		}
		started = started || e > 1
	}
}
