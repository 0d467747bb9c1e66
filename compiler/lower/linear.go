package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// Lin is an index: a sum of coefficients times nodes of the width of a pointer, plus a constant.
// Sums and products commute with truncation, so wider indices need no wider arithmetic.
type Lin struct {
	Terms []Term // not to be changed: forms share them
	C     int64
}

// Term is a node times a constant.
type Term struct {
	N *Node
	K int64
}

// maxTerms bounds a linear form; what is larger becomes one node.
const maxTerms = 12

// IsConst reports whether l has no terms.
func (l Lin) IsConst() bool { return len(l.Terms) == 0 }

// Add returns l + k*m. Forms share terms.
func (l Lin) Add(m Lin, k int64) Lin {
	switch {
	case len(m.Terms) == 0:
		return Lin{l.Terms, l.C + k*m.C}
	case len(l.Terms) == 0 && k == 1:
		return Lin{m.Terms, l.C + m.C}
	}
	out := Lin{C: l.C + k*m.C, Terms: make([]Term, len(l.Terms), len(l.Terms)+len(m.Terms))}
	copy(out.Terms, l.Terms)
	for _, t := range m.Terms {
		i := slices.IndexFunc(out.Terms, func(u Term) bool { return u.N == t.N })
		if i < 0 {
			out.Terms = append(out.Terms, Term{t.N, k * t.K})
		} else if out.Terms[i].K += k * t.K; out.Terms[i].K == 0 {
			out.Terms = slices.Delete(out.Terms, i, i+1)
		}
	}
	return out
}

// Scale returns k*l.
func (l Lin) Scale(k int64) Lin {
	if k == 0 {
		return Lin{}
	}
	return Lin{}.Add(l, k)
}

// Lin returns the scalar integer expression e as a linear form.
func (b *Builder) Lin(e tir.Expr) Lin {
	if l, ok := b.tryLin(e); ok && len(l.Terms) <= maxTerms {
		return l
	}
	return b.Atom(b.gen.Scalar(e))
}

// Atom makes a linear form of a computed scalar.
func (b *Builder) Atom(n *Node) Lin {
	switch from := b.bitsOf(n); {
	case from > b.Machine.Pointer.Bits:
		n = b.Op(b.Machine.Op(Wrap, 64), 0, 0, n)
	case from < b.Machine.Pointer.Bits:
		n = b.Op(b.Machine.Op(ExtendS, 32), 0, 0, n)
	}
	if c, ok := n.Int(); ok {
		return Lin{C: c}
	}
	return Lin{Terms: []Term{{n, 1}}}
}

// Bind notes what an integer variable is bound to, where that is linear and short.
func (b *Builder) Bind(v *tir.Var, e tir.Expr) {
	if d := e.DType(); d.IsInteger() && d.Lanes == 1 && int(d.Bits) >= b.Machine.Pointer.Bits {
		if l, ok := b.tryLin(e); ok && len(l.Terms) <= 4 {
			b.Linear[v] = l
		}
	}
}

func (b *Builder) tryLin(e tir.Expr) (Lin, bool) {
	bits := b.Machine.Pointer.Bits
	switch e := e.(type) {
	case *tir.IntImm:
		return Lin{C: e.Value}, true
	case *tir.Var:
		if l, ok := b.Linear[e]; ok {
			return l, true
		}
	case *tir.Cast:
		// Widening from the width of a pointer and truncating to it do not change its bits.
		if from := e.Value.DType(); from.IsInteger() && e.Type.IsInteger() && int(from.Bits) >= bits && int(e.Type.Bits) >= bits {
			return b.tryLin(e.Value)
		}
	case *tir.Binary:
		if d := e.A.DType(); int(d.Bits) < bits || !d.IsInteger() {
			return Lin{}, false
		}
		switch e.Op {
		case tir.OpAdd:
			return b.Lin(e.A).Add(b.Lin(e.B), 1), true
		case tir.OpSub:
			return b.Lin(e.A).Add(b.Lin(e.B), -1), true
		case tir.OpMul:
			return b.linMul(b.Lin(e.A), b.Lin(e.B)), true
		case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
			if v, ok := EvalInt(e); ok {
				return Lin{C: v}, true
			}
		}
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpShiftLeft); ok {
			if k, ok := tir.AsInt(c.Args[1]); ok && k >= 0 && k < 31 && int(c.Type.Bits) >= bits {
				return b.Lin(c.Args[0]).Scale(1 << k), true
			}
		}
	case *tir.Let:
		b.gen.BindLet(e.Var, e.Value)
		return b.Lin(e.Body), true
	}
	return Lin{}, false
}

func (b *Builder) linMul(x, y Lin) Lin {
	if x.IsConst() {
		x, y = y, x
	}
	if y.IsConst() {
		return x.Scale(y.C)
	}
	// A symbolic stride: multiply out, so that the factors of outer loops can be hoisted.
	nx, ny := len(x.Terms), len(y.Terms)
	if x.C != 0 {
		nx++
	}
	if y.C != 0 {
		ny++
	}
	if nx*ny > 4 {
		return b.Atom(b.ptr(Mul, b.LinNode(x), b.LinNode(y)))
	}
	out := Lin{C: x.C * y.C}
	out = out.Add(Lin{Terms: x.Terms}, y.C).Add(Lin{Terms: y.Terms}, x.C)
	for _, s := range x.Terms {
		for _, t := range y.Terms {
			p := b.ptr(Mul, s.N, t.N)
			out = out.Add(Lin{Terms: []Term{{p, 1}}}, s.K*t.K)
		}
	}
	return out
}
