package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// where scans body, which runs where cond holds: a comparison there limits the loops around.
func (c *compactor) where(cond tir.Expr, body ir.Node) {
	outer := len(c.scope)
	var limit func(e tir.Expr)
	limit = func(e tir.Expr) {
		if call, ok := e.(*tir.Call); ok && isCall(call, tir.OpLikely) {
			e = call.Args[0]
		}
		b, ok := e.(*tir.Binary)
		switch {
		case !ok:
		case b.Op == tir.OpAnd:
			limit(b.A)
			limit(b.B)
		case b.Op.IsCompare() && b.Op != tir.OpNE && b.A.DType().IsInteger() && bindable(b):
			c.limits(b, outer)
		}
	}
	limit(c.an.Simplify(cond))
	c.scan(body)
	c.pop(outer)
}

// limits puts into scope what the comparison cond says of each loop in it.
func (c *compactor) limits(cond *tir.Binary, outer int) {
	for _, x := range c.scope[:outer] {
		if x.dom == nil || !arith.UsesVar(cond, func(v *tir.Var) bool { return v == x.v }) {
			continue
		}
		if s := solved(x.v, cond); s != nil {
			c.push(scopedVar{v: x.v, within: s})
		}
	}
}

// solved returns the values of v for which cond holds, in terms of the other variables in it,
// nil if that is not found. cond holds nowhere else.
func solved(v *tir.Var, cond *tir.Binary) *arith.IntSet {
	s := arith.DeduceBound(v, cond, nil, nil)
	if s.Empty || s.IsEverything() || cond.Op == tir.OpEQ && divides(cond) {
		return nil
	}
	// The answer is exact if the opposite is solved by what lies outside of it.
	if cond.Op != tir.OpEQ {
		not := arith.DeduceBound(v, tir.BinaryExpr(opposite(cond.Op), cond.A, cond.B), nil, nil)
		an := arith.NewAnalyzer()
		up := s.HasUpper() && !s.HasLower() && not.HasLower() && !not.HasUpper() && an.CanProveEqual(tir.Add(s.Max, tir.Const(s.Max.DType(), 1)), not.Min)
		down := s.HasLower() && !s.HasUpper() && not.HasUpper() && !not.HasLower() && an.CanProveEqual(tir.Sub(s.Min, tir.Const(s.Min.DType(), 1)), not.Max)
		if !up && !down {
			return nil
		}
	}
	return &s
}

// cutTo returns s without what lies outside of limit, as far as both have constant ends: an
// expression for an end would not cancel in the extent of a region.
func cutTo(s, limit arith.IntSet) arith.IntSet {
	if limit.Empty || s.Empty {
		return s
	}
	lo, hi := s.Min, s.Max
	if a, ok := constEnd(lo); ok {
		if b, ok := constEnd(limit.Min); ok && b > a {
			lo = tir.Const(lo.DType(), b)
		}
	}
	if a, ok := constEnd(hi); ok {
		if b, ok := constEnd(limit.Max); ok && b < a {
			hi = tir.Const(hi.DType(), b)
		}
	}
	a, ok1 := constEnd(lo)
	b, ok2 := constEnd(hi)
	if ok1 && ok2 && a > b {
		return s // the place is never reached
	}
	return arith.Interval(lo, hi)
}

func constEnd(e tir.Expr) (int64, bool) {
	if e == nil {
		return 0, false
	}
	return tir.AsInt(e)
}

// opposite is the comparison that holds where another one, not OpEQ, does not.
func opposite(op tir.BinaryOp) tir.BinaryOp {
	switch op {
	case tir.OpLT:
		return tir.OpGE
	case tir.OpGE:
		return tir.OpLT
	case tir.OpGT:
		return tir.OpLE
	case tir.OpLE:
		return tir.OpGT
	}
	return tir.OpEQ
}

// onlyBuffers returns, for each pointer, the one buffer over its memory; nil if there are several.
func onlyBuffers(s tir.Stmt) map[*tir.Var]*tir.Buffer {
	out := map[*tir.Var]*tir.Buffer{}
	ir.Walk(s, func(n ir.Node) bool {
		if b, ok := n.(*tir.Buffer); ok {
			if first, seen := out[b.Data]; seen && first != b {
				out[b.Data] = nil
			} else if !seen {
				out[b.Data] = b
			}
		}
		return true
	})
	return out
}

// allocate compacts the buffer over an allocation, if it is the only one there and of its form.
func (c *compactor) allocate(s *tir.Allocate) {
	for _, e := range s.Extents {
		c.scan(e)
	}
	c.scan(s.Condition)
	b := c.only[s.Var]
	fits := b != nil && b.DType == s.Type && len(b.Shape) == len(s.Extents) && c.live[b] == nil
	for i := 0; fits && i < len(s.Extents); i++ {
		fits = arith.Equal(b.Shape[i], s.Extents[i])
	}
	if fits {
		c.live[b] = &accessed{from: len(c.scope), scope: b.Scope()}
		c.data[b.Data] = b
	}
	c.scan(s.Body)
	if fits {
		c.finish(b)
	}
}

// dimAlign is a request that the stride of an axis is offset modulo factor.
type dimAlign struct{ axis, factor, offset int64 }

// keyDimAlign asks for strides: on a block as [index of what it writes, axis, factor, offset], on an allocation with -1 in front.
const keyDimAlign = "buffer_dim_align"

// storageAligns returns what the annotation buffer_dim_align of blocks and allocations asks for, by memory.
func storageAligns(s tir.Stmt) map[*tir.Var][]dimAlign {
	var out map[*tir.Var][]dimAlign
	take := func(notes *ir.Attrs, of func(i int64) *tir.Var) {
		v, _ := notes.Get(keyDimAlign)
		list, _ := v.([]ir.Value)
		for _, x := range list {
			t, _ := x.([]ir.Value)
			var k [4]int64
			ok := len(t) == 4
			for i := 0; ok && i < 4; i++ {
				k[i], ok = annotationInt(t[i])
			}
			if !ok || k[2] <= 0 {
				continue
			}
			if data := of(k[0]); data != nil {
				if out == nil {
					out = map[*tir.Var][]dimAlign{}
				}
				out[data] = append(out[data], dimAlign{k[1], k[2], k[3]})
			}
		}
	}
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Block:
			take(n.Annotations, func(i int64) *tir.Var {
				if i < 0 || i >= int64(len(n.Writes)) {
					return nil
				}
				return n.Writes[i].Buffer.Data
			})
		case *tir.Allocate:
			take(n.Annotations, func(i int64) *tir.Var {
				if i != -1 {
					return nil
				}
				return n.Var
			})
		}
		return true
	})
	return out
}

// alignNotes are the annotations of an allocation for which aligns are asked.
func alignNotes(aligns []dimAlign) *ir.Attrs {
	if len(aligns) == 0 {
		return nil
	}
	var list []ir.Value
	for _, a := range aligns {
		list = append(list, []ir.Value{int64(-1), a.axis, a.factor, a.offset})
	}
	return ir.NewAttrs(keyDimAlign, list)
}

func annotationInt(v ir.Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case tir.Expr:
		return tir.AsInt(v)
	}
	return 0, false
}

// alignedStrides returns the strides of a buffer with the given shape whose axes are aligned, nil
// if none is asked for or the shape is not known.
func alignedStrides(shape []tir.Expr, aligns []dimAlign) []tir.Expr {
	if len(aligns) == 0 {
		return nil
	}
	out := make([]tir.Expr, len(shape))
	stride := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		for _, a := range aligns {
			if a.axis == int64(i) {
				stride += (a.factor + a.offset - stride%a.factor) % a.factor
			}
		}
		out[i] = tir.Const(shape[i].DType(), stride)
		n, ok := tir.AsInt(shape[i])
		if !ok {
			return nil
		}
		stride *= n
	}
	return out
}
