package wasm

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// lin is an index: sum of coefficients times 32-bit nodes, plus a constant. Addresses have 32
// bits, and sums and products commute with truncation, so 64-bit indices need no 64-bit
// arithmetic.
type lin struct {
	terms []term
	c     int64
}

type term struct {
	n *node
	k int64
}

// maxTerms bounds a linear form; what is larger becomes one node.
const maxTerms = 12

func constLin(c int64) lin { return lin{c: c} }

func (l lin) isConst() bool { return len(l.terms) == 0 }

func (l lin) add(m lin, k int64) lin {
	out := lin{c: l.c + k*m.c, terms: slices.Clone(l.terms)}
	for _, t := range m.terms {
		i := slices.IndexFunc(out.terms, func(u term) bool { return u.n == t.n })
		if i < 0 {
			out.terms = append(out.terms, term{t.n, k * t.k})
		} else if out.terms[i].k += k * t.k; out.terms[i].k == 0 {
			out.terms = slices.Delete(out.terms, i, i+1)
		}
	}
	return out
}

func (l lin) scale(k int64) lin {
	if k == 0 {
		return lin{}
	}
	return lin{}.add(l, k)
}

// linear returns the scalar integer expression e as a linear form.
func (g *gen) linear(e tir.Expr) lin {
	if l, ok := g.tryLinear(e); ok && len(l.terms) <= maxTerms {
		return l
	}
	return g.atom(g.expr(e))
}

// atom makes a linear form of a computed scalar.
func (g *gen) atom(v value) lin {
	n := v.scalar()
	if n.typ == wasmbin.I64 {
		n = g.op(wasmbin.I32WrapI64, n)
	}
	if n.op == wasmbin.OpI32Const {
		return constLin(int64(int32(n.imm)))
	}
	return lin{terms: []term{{n, 1}}}
}

func (g *gen) tryLinear(e tir.Expr) (lin, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return constLin(e.Value), true
	case *tir.Var:
		if l, ok := g.lins[e]; ok {
			return l, true
		}
	case *tir.Cast:
		// Widening from 32 bits and truncating to 32 or more do not change the low 32 bits.
		if from := e.Value.DType(); from.IsInteger() && e.Type.IsInteger() && from.Bits >= 32 && e.Type.Bits >= 32 {
			return g.tryLinear(e.Value)
		}
	case *tir.Binary:
		if d := e.A.DType(); d.Bits < 32 || !d.IsInteger() {
			return lin{}, false
		}
		switch e.Op {
		case tir.OpAdd:
			return g.linear(e.A).add(g.linear(e.B), 1), true
		case tir.OpSub:
			return g.linear(e.A).add(g.linear(e.B), -1), true
		case tir.OpMul:
			return g.linearMul(g.linear(e.A), g.linear(e.B))
		case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
			if v, ok := evalInt(e); ok {
				return constLin(v), true
			}
		}
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpShiftLeft); ok {
			if k, ok := tir.AsInt(c.Args[1]); ok && k >= 0 && k < 31 && c.Type.Bits >= 32 {
				return g.linear(c.Args[0]).scale(1 << k), true
			}
		}
	case *tir.Let:
		g.bindLet(e.Var, e.Value)
		return g.linear(e.Body), true
	}
	return lin{}, false
}

func (g *gen) linearMul(a, b lin) (lin, bool) {
	if a.isConst() {
		a, b = b, a
	}
	if b.isConst() {
		return a.scale(b.c), true
	}
	// A symbolic stride: multiply out, so that the factors of outer loops can be hoisted.
	na, nb := len(a.terms), len(b.terms)
	if a.c != 0 {
		na++
	}
	if b.c != 0 {
		nb++
	}
	if na*nb > 4 {
		return g.atom(one(dtype.Int32T, g.op(wasmbin.I32Mul, g.linNode(a), g.linNode(b)))), true
	}
	out := constLin(a.c * b.c)
	out = out.add(lin{terms: a.terms}, b.c).add(lin{terms: b.terms}, a.c)
	for _, x := range a.terms {
		for _, y := range b.terms {
			p := g.op(wasmbin.I32Mul, x.n, y.n)
			out = out.add(lin{terms: []term{{p, 1}}}, x.k*y.k)
		}
	}
	return out, true
}

// linNode computes a linear form as one 32-bit node.
func (g *gen) linNode(l lin) *node { return g.sum(nil, l.terms, l.c) }

// sum adds terms to base (which may be nil), those of outer loops first, and a constant.
func (g *gen) sum(base *node, terms []term, c int64) *node {
	terms = slices.Clone(terms)
	depth := func(n *node) int {
		if n.region == nil {
			return 0
		}
		return n.region.depth
	}
	slices.SortStableFunc(terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(depth(a.n), depth(b.n)), cmp.Compare(a.n.id, b.n.id))
	})
	if c != 0 && base != nil {
		base, c = g.op(wasmbin.I32Add, base, g.i32(int32(c))), 0
	}
	for _, t := range terms {
		if base != nil {
			if p := g.advance(base, t.n, t.k); p != nil {
				base = p
				continue
			}
		}
		x := g.times(t.n, t.k)
		if base == nil {
			base = x
		} else {
			base = g.op(wasmbin.I32Add, base, x)
		}
	}
	if base == nil {
		return g.i32(int32(c))
	}
	return g.op(wasmbin.I32Add, base, g.i32(int32(c)))
}

func (g *gen) times(n *node, k int64) *node {
	switch {
	case k == 1:
		return n
	case k > 1 && k&(k-1) == 0 && k < 1<<31:
		s := int32(0)
		for k>>s != 1 {
			s++
		}
		return g.op(wasmbin.I32Shl, n, g.i32(s))
	}
	return g.op(wasmbin.I32Mul, n, g.i32(int32(k)))
}

// address returns base plus the linear form as a node and a constant offset for the memory
// instruction. wasm adds the offset without wrapping, so a constant is split off only where
// the rest cannot be negative. name is that of the memory, for the printed text.
func (g *gen) address(base *node, l lin, name string) (*node, uint32) {
	n, off := g.split(base, l)
	if n.name == "" && name != "" && !n.leaf() {
		n.name = name + "_at"
	}
	return n, off
}

func (g *gen) split(base *node, l lin) (*node, uint32) {
	for _, t := range l.terms {
		if !t.n.nonneg || t.k < 0 {
			return g.sum(base, l.terms, l.c), 0
		}
	}
	const window = 1 << 12
	low := tir.FloorDivInt(l.c, window) * window
	if l.c >= 0 {
		low = 0
	}
	if l.c >= 1<<31 || low < -abi.ReservedBytes {
		return g.sum(base, l.terms, l.c), 0
	}
	return g.sum(base, l.terms, low), uint32(l.c - low)
}
