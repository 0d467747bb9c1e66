package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// define notes that a variable of the left side is one of the right, which has the range dom there.
func (m *matcher) define(l, r *tir.Var, dom *tir.Range) bool {
	if l == r {
		return true
	}
	if was, ok := m.vars[l]; ok {
		return was == tir.Expr(r)
	}
	m.vars[l] = r
	if dom != nil {
		m.an.BindRange(r, dom)
	}
	return true
}

func (m *matcher) buffer(l, r *tir.Buffer) bool {
	if l == r {
		return true
	}
	if was := m.buffers[r]; was != nil {
		return was == l || m.differ("CompareBuffer buffer mismatch: %s vs %s", l.Name, r.Name)
	}
	if !m.define(l.Data, r.Data, nil) || l.DType != r.DType || l.Scope() != r.Scope() {
		return m.differ("CompareBuffer buffer mismatch. data: %s vs %s, dtypes: %s vs %s, scope(): %s vs %s", l.Data.Name, r.Data.Name, l.DType, r.DType, l.Scope(), r.Scope())
	}
	m.buffers[r] = l
	return true
}

// across returns an expression of the left side in the variables of the right.
func (m *matcher) across(e tir.Expr) tir.Expr { return substTyped(e, m.vars) }

func (m *matcher) provably(l, r tir.Expr) bool {
	if l.DType() != r.DType() {
		r = tir.CastTo(l.DType(), r)
	}
	return m.an.CanProveEqual(m.across(l), r)
}

func (m *matcher) region(l, r *tir.BufferRegion) bool {
	if !m.buffer(l.Buffer, r.Buffer) {
		return m.differ("CompareBufferRegion returning false due to buffer mismatch: lhs->buffer=%s vs rhs->buffer=%s", l.Buffer.Name, r.Buffer.Name)
	}
	offset := len(l.Region) - len(r.Region)
	if offset < 0 {
		return m.differ("CompareBufferRegion returning false because buffer region sizes do not match: lhs->region.size()=%d vs rhs->region.size()=%d", len(l.Region), len(r.Region))
	}
	base, known := m.base[l.Buffer]
	if !known && !m.scope {
		return m.differ("CompareBufferRegion: the outermost block does not declare buffer %s", l.Buffer.Name)
	}
	for i, x := range l.Region {
		if i < offset && !tir.IsConst(x.Extent, 1) {
			return m.differ("CompareBufferRegion returning false because buffer extent high-dim region must be element-wise. lhs->region[i]->extent=%s", show(x.Extent))
		}
		if i >= offset && !m.provably(x.Extent, r.Region[i-offset].Extent) {
			return m.differ("CompareBufferRegion buffer extent mismatch: lhs->region[i + offset]=%s vs rhs->region[i]=%s", show(x.Extent), show(r.Region[i-offset].Extent))
		}
		switch {
		case !known:
			base = append(base, x.Min)
		case i < offset:
			if !m.left.CanProveEqual(base[i], x.Min) {
				return m.differ("Buffer base index consistency check failed due to unequal index base: indices_base[i]=%s vs lhs->region[i]->min=%s", show(base[i]), show(x.Min))
			}
		case !m.provably(m.left.Simplify(tir.Sub(x.Min, base[i])), r.Region[i-offset].Min):
			return m.differ("CompareBufferRegion buffer region min mismatch. lhs->region[i + offset]=%s vs rhs->region[i]=%s", show(x.Min), show(r.Region[i-offset].Min))
		}
	}
	m.base[l.Buffer] = base
	return true
}

// access compares two loads or stores.
func (m *matcher) access(l *tir.Buffer, li []tir.Expr, r *tir.Buffer, ri []tir.Expr) bool {
	if !m.buffer(l, r) {
		return false
	}
	base, known := m.base[l]
	if !known && slices.Equal(li, nil) && len(ri) == 0 {
		return true
	}
	offset := len(li) - len(ri)
	if offset < 0 || len(base) != len(li) {
		return m.differ("CompareBufferAccess returning false because buffer indices sizes do not match: lhs->indices.size()=%d vs rhs->indices.size()=%d", len(li), len(ri))
	}
	for i, e := range li {
		if i < offset {
			if !m.left.CanProveEqual(e, base[i]) {
				return m.differ("Buffer base index consistency check failed due to unequal index base: indices_base[i]=%s vs lhs->indices[i]=%s", show(base[i]), show(e))
			}
			continue
		}
		if !m.provably(m.left.Simplify(tir.Sub(e, base[i])), ri[i-offset]) {
			return m.differ("CompareBufferAccess buffer indices mismatch. lhs->indices[i + offset]=%s vs rhs->indices[i]=%s", show(e), show(ri[i-offset]))
		}
	}
	return true
}
