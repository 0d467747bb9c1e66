package tirpass

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// termKey identifies a constant by its type and bits, and an operation by its kind and the numbers of its operands.
// Without pointers and strings it is soon hashed.
type termKey struct {
	kind  termKind
	op    tir.BinaryOp
	dtype dtype.DType
	a, b  int32
	bits  uint64 // of a constant
}

type termKind uint8

const (
	termInt termKind = iota
	termFloat
	termCast
	termBinary
)

// cseTerm stands for all expressions that compute the same.
type cseTerm struct {
	id       int32
	e        tir.Expr // the first of them
	closed   bool     // free of variables of Let expressions
	eligible bool     // may get a variable
	uses     int      // how often it would be computed
	at       int      // innermost statement around its uses
	operands [2]*cseTerm
	v        *tir.Var // set if it gets a variable
}

// term numbers e; nil if it may not be moved, then the terms inside of it are used by the
// current statement.
func (c *cser) term(e tir.Expr) *cseTerm {
	if constant(e) {
		return c.make(e)
	}
	if t, ok := c.of.Get(e); ok {
		if t == nil {
			c.inside(e) // a shared node is computed at each of its places
		}
		return t
	}
	t := c.make(e)
	c.of.Put(e, t)
	if t == nil {
		c.inside(e)
	}
	return t
}

// constant reports whether e is a number, whose term is found by what it is.
func constant(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}

// make returns the term of e, whose operands must be terms.
func (c *cser) make(e tir.Expr) *cseTerm {
	switch e := e.(type) {
	case *tir.Var:
		t := c.next(e) // a variable is one node
		t.closed = !c.inLet[e]
		return t
	case *tir.IntImm:
		return c.number(termKey{kind: termInt, dtype: e.Type, bits: uint64(e.Value)}, e)
	case *tir.FloatImm:
		return c.number(termKey{kind: termFloat, dtype: e.Type, bits: math.Float64bits(e.Value)}, e)
	case *tir.Cast:
		if c.movable(e.Value) {
			a := c.term(e.Value)
			return c.compute(termKey{kind: termCast, dtype: e.Type, a: a.id}, e, a, nil)
		}
	case *tir.Binary:
		if mayTrap(e) || !c.movable(e.A) || !c.movable(e.B) {
			return nil
		}
		a, b := c.term(e.A), c.term(e.B)
		k := termKey{kind: termBinary, op: e.Op, a: a.id, b: b.id}
		if c.normal != nil && (e.Op == tir.OpAdd || e.Op == tir.OpMul) && k.a > k.b {
			k.a, k.b = k.b, k.a // of floats too
		}
		return c.compute(k, e, a, b)
	}
	return nil
}

// movable reports whether e is a term, without using anything.
func (c *cser) movable(e tir.Expr) bool {
	if constant(e) {
		return true
	}
	if t, ok := c.of.Get(e); ok {
		return t != nil
	}
	t := c.make(e)
	c.of.Put(e, t)
	return t != nil
}

// mayTrap reports whether e divides by what may be zero, so that it must stay behind its guards.
func mayTrap(e *tir.Binary) bool {
	switch e.Op {
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		d, ok := tir.AsInt(e.B)
		return !e.DType().IsFloat() && (!ok || d == 0)
	}
	return false
}

// inside notes the uses of the terms in e, which is none itself.
func (c *cser) inside(e tir.Expr) {
	if l, ok := e.(*tir.Let); ok {
		c.inLet[l.Var] = true
		c.root(l.Value)
		c.root(l.Body)
		return
	}
	if c.child == nil {
		c.child = func(n ir.Node) {
			if x, ok := n.(tir.Expr); ok {
				c.root(x)
			}
		}
	}
	e.EachChild(c.child)
}

// compute numbers an operation. Vectors get no variable: they are cheap to make and their
// patterns (Ramp, Broadcast) mean something to code generators.
func (c *cser) compute(k termKey, e tir.Expr, a, b *cseTerm) *cseTerm {
	closed := a.closed && (b == nil || b.closed)
	eligible := closed && e.DType().Lanes <= 1
	name := ""
	if eligible && c.normal != nil {
		name = c.normal.name(e)
	}
	t := c.ids[k]
	if name != "" {
		t = c.named[name]
	}
	if t != nil {
		return t
	}
	t = c.next(e)
	t.operands, t.closed, t.eligible = [2]*cseTerm{a, b}, closed, eligible
	if name != "" {
		c.named[name] = t
	} else {
		c.ids[k] = t
	}
	return t
}

// number returns the term of a constant.
func (c *cser) number(k termKey, e tir.Expr) *cseTerm {
	t := c.ids[k]
	if t == nil {
		t = c.next(e)
		c.ids[k] = t
	}
	return t
}

// next returns a new term.
func (c *cser) next(e tir.Expr) *cseTerm {
	if len(c.room) == 0 {
		c.room = make([]cseTerm, max(16, min(len(c.terms), 256)))
	}
	t := &c.room[0]
	c.room = c.room[1:]
	t.id, t.e, t.closed = int32(len(c.terms)+1), e, true
	c.terms = append(c.terms, t)
	return t
}
