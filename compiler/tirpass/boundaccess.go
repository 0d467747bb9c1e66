package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// accessChecks collects the checks that the expressions of one statement need, in the order in
// which the accesses are made: an index that is read from memory is checked first.
type accessChecks struct {
	b      *boundChecker
	at     tir.Stmt
	guards []guard
	list   []boundCheck
}

// maxGuards bounds the conditions and lets around an access in its expression: each check repeats
// them.
const maxGuards = 32

// guard is what an access inside an expression stands under: a condition on which it is made,
// or a variable that is bound around it.
type guard struct {
	cond tir.Expr
	let  *tir.Let
}

func (c *accessChecks) exprs(list ...tir.Expr) {
	for _, e := range list {
		c.expr(e)
	}
}

// under collects the checks of e, which is computed only if cond holds.
func (c *accessChecks) under(g guard, e tir.Expr) {
	c.guards = append(c.guards, g)
	c.expr(e)
	c.guards = c.guards[:len(c.guards)-1]
}

func (c *accessChecks) expr(e tir.Expr) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		c.exprs(e.Indices...)
		if e.Predicate != nil {
			c.expr(e.Predicate)
		}
		c.access("load from", e, e.Buffer, e.Indices, e.Predicate)
		return
	case *tir.Let:
		c.expr(e.Value)
		c.under(guard{let: e}, e.Body)
		return
	case *tir.Select:
		c.choice(e.Cond, e.True, e.False)
		return
	case *tir.Binary:
		if e.Op == tir.OpAnd || e.Op == tir.OpOr {
			c.expr(e.A)
			when := e.A
			if e.Op == tir.OpOr {
				when = tir.LogicalNot(e.A)
			}
			c.under(guard{cond: when}, e.B)
			return
		}
	case *tir.Call:
		if x, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			c.choice(x.Args[0], x.Args[1], x.Args[2])
			return
		}
		if x, ok := tir.IsCallTo(e, tir.OpAddressOf); ok { // reads nothing
			if l, ok := x.Args[0].(*tir.BufferLoad); ok {
				c.exprs(l.Indices...)
				return
			}
		}
	}
	e.EachChild(func(n ir.Node) {
		if x, ok := n.(tir.Expr); ok {
			c.expr(x)
		}
	})
}

func (c *accessChecks) choice(cond, yes, no tir.Expr) {
	c.expr(cond)
	c.under(guard{cond: cond}, yes)
	c.under(guard{cond: tir.LogicalNot(cond)}, no)
}

// access checks the indices of an access of each lane that its predicate allows.
func (c *accessChecks) access(verb string, at ir.Node, buf *tir.Buffer, indices []tir.Expr, mask tir.Expr) {
	if len(indices) != len(buf.Shape) {
		return // what the verifier finds
	}
	found := len(c.list)
	defer func() {
		if len(c.list) == found && len(c.guards) <= maxGuards {
			c.b.ctx.Declined(ruleCheck, at, "it is proven to be within bounds")
		}
	}()
	if len(c.guards) > maxGuards {
		c.b.ctx.Declinedf(ruleCheck, at, "it is under %d conditions, more than %d", int64(len(c.guards)), maxGuards)
		c.b.unchecked++
		return
	}
	lanes := 1
	for _, g := range c.guards {
		if g.cond != nil {
			lanes = max(lanes, int(g.cond.DType().Lanes))
		}
	}
	for _, ix := range indices {
		lanes = max(lanes, int(ix.DType().Lanes))
	}
	if r, ok := ends(indices, mask, c.guards); ok && lanes > 2 {
		// An arithmetic sequence is within bounds if both of its ends are.
		c.lane(verb, at, buf, indices, nil, 0)
		c.lane(verb, at, buf, indices, nil, r-1)
		return
	}
	for l := range lanes {
		c.lane(verb, at, buf, indices, mask, l)
	}
}

// ends reports whether an access in vectors, all of whose lanes are made, goes along a sequence:
// its last index is a ramp by a constant. n is the number of lanes.
func ends(indices []tir.Expr, mask tir.Expr, guards []guard) (n int, ok bool) {
	if len(indices) == 0 || !tir.IsTrue(mask) {
		return 0, false
	}
	for _, g := range guards {
		if g.cond != nil && g.cond.DType().Lanes > 1 {
			return 0, false
		}
	}
	for _, ix := range indices[:len(indices)-1] {
		if ix.DType().Lanes > 1 {
			return 0, false
		}
	}
	r, ok := indices[len(indices)-1].(*tir.Ramp)
	if !ok {
		return 0, false
	}
	_, ok = tir.AsInt(r.Stride)
	return r.Lanes, ok
}

// lane checks one lane of an access, under the conditions on which that lane is made. A lane that
// cannot be told apart from the others is not checked.
func (c *accessChecks) lane(verb string, at ir.Node, buf *tir.Buffer, indices []tir.Expr, mask tir.Expr, l int) {
	idx := make([]tir.Expr, len(indices))
	for i, ix := range indices {
		x, ok := laneOf(ix, l)
		if !ok {
			c.b.unchecked++
			return
		}
		idx[i] = x
	}
	guards := make([]guard, 0, len(c.guards)+1)
	for _, g := range c.guards {
		if g.cond != nil {
			cond, ok := laneOf(g.cond, l)
			if !ok {
				c.b.unchecked++
				return
			}
			g.cond = cond
		}
		guards = append(guards, g)
	}
	if !tir.IsTrue(mask) {
		cond, ok := laneOf(mask, l)
		if !ok {
			c.b.unchecked++
			return
		}
		guards = append(guards, guard{cond: cond})
	}
	c.element(verb, at, buf, idx, guards)
}

// element checks the access to one element: each index against its extent, and where the buffer is
// a view of others or has strides, the place in memory too.
func (c *accessChecks) element(verb string, at ir.Node, buf *tir.Buffer, idx []tir.Expr, guards []guard) {
	for d, x := range idx {
		k, constant := tir.AsInt(x)
		n, static := tir.AsInt(buf.Shape[d])
		switch {
		case constant && static:
			c.check(buf, guards, x, buf.Shape[d], boundText(at, verb, buf, "index %d is outside of dimension %d, whose extent is %d", k, d, n))
		case static:
			c.check(buf, guards, x, buf.Shape[d], boundText(at, verb, buf, "the index is outside of dimension %d, whose extent is %d", d, n))
		default:
			c.check(buf, guards, x, buf.Shape[d], boundText(at, verb, buf, "the index is outside of dimension %d", d))
		}
	}
	if src := c.b.views[buf]; src != nil {
		c.element(verb, at, src.Buffer, offset(src, idx), guards)
		return
	}
	c.place(verb, at, buf, guards, idx)
}

// place checks that an element of buf is within the memory behind its data pointer, where
// its indices alone do not tell.
func (c *accessChecks) place(verb string, at ir.Node, buf *tir.Buffer, guards []guard, idx []tir.Expr) {
	mem, ok := c.b.memory[buf.Data]
	if !ok {
		c.b.unchecked++ // a pointer of which nothing is known
		return
	}
	plain := len(buf.Strides) == 0 && (buf.ElemOffset == nil || tir.IsConst(buf.ElemOffset, 0))
	if mem.name == buf.Name && plain {
		return
	}
	width, own := int64(buf.DType.Bytes()), int64(mem.elem.Bytes())
	wide := func(e tir.Expr) tir.Expr { return tir.CastTo(dtype.Int64T, e) }
	if width == 0 || own == 0 {
		return
	}
	room := wide(mem.elems)
	if width != own {
		room = tir.FloorDiv(tir.Mul(room, tir.Const(dtype.Int64T, own)), tir.Const(dtype.Int64T, width))
	}
	if plain && c.b.An.CanProve(tir.LE(wide(elements(buf.Shape)), room)) {
		return
	}
	off := wide(tir.Int32(0))
	if buf.ElemOffset != nil {
		off = wide(buf.ElemOffset)
	}
	step := wide(tir.Int32(1))
	for d := len(idx) - 1; d >= 0; d-- {
		s := step
		if len(buf.Strides) == len(idx) {
			s = wide(buf.Strides[d])
		}
		off = tir.Add(off, tir.Mul(wide(idx[d]), s))
		step = tir.Mul(step, wide(buf.Shape[d]))
	}
	off, room = c.b.An.Simplify(off), c.b.An.Simplify(room)
	c.check(buf, guards, off, room, boundText(at, verb, buf, "the element lies outside of the memory of %s", mem.name))
}
