package arith

import (
	"hash/maphash"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// noBin stands for an expression that is no Binary, so that rules need no nil checks.
var noBin = &tir.Binary{Op: 255}

// bin views e as a Binary; the Op of what is none equals no operation.
func bin(e tir.Expr) *tir.Binary {
	if b, ok := e.(*tir.Binary); ok {
		return b
	}
	return noBin
}

// cst returns the value of a scalar integer or bool constant, 0 for another e.
func cst(e tir.Expr) (int64, bool) {
	if c, ok := e.(*tir.IntImm); ok && !beyond(c) {
		return c.Value, true
	}
	return 0, false
}

// beyond reports whether c is a number of uint64 that no int64 holds. The rules take it for an expression like others.
func beyond(c *tir.IntImm) bool { return c.Value < 0 && c.Type.Code == dtype.UInt }

// isCst reports whether e is the scalar constant v.
func isCst(e tir.Expr, v int64) bool {
	c, ok := e.(*tir.IntImm)
	return ok && c.Value == v
}

// opConst matches (x op c) with a constant on the right. For another e x is nil, which Equals nothing,
// and c is 0.
func opConst(e tir.Expr, op tir.BinaryOp) (x tir.Expr, c int64, ok bool) {
	b, isBin := e.(*tir.Binary)
	if !isBin || b.Op != op {
		return nil, 0, false
	}
	imm, isImm := b.B.(*tir.IntImm)
	if !isImm || beyond(imm) {
		return nil, 0, false
	}
	return b.A, imm.Value, true
}

// isIndex reports whether values of type d are indices: scalar int32 or int64, for which
// overflow is ruled out.
func isIndex(d dtype.DType) bool {
	return d.Code == dtype.Int && d.IsScalar() && (d.Bits == 64 || d.Bits == 32)
}

// total reports whether the operands of a comparison are ordered totally, so that the
// negation of < is >= and x == x holds. Floats are not: a NaN compares false with all.
func total(b *tir.Binary) bool { return !operandType(b).IsFloat() }

// operandType is the type of the operands of b, taken from the side that is cheaper to ask.
func operandType(b *tir.Binary) dtype.DType {
	switch y := b.B.(type) {
	case *tir.IntImm:
		return y.Type
	case *tir.Var:
		return y.DType()
	}
	return b.A.DType()
}

// Equal is tir.Equal, which the rules ask often.
func Equal(a, b tir.Expr) bool { return tir.Equal(a, b) }

var hashSeed = maphash.MakeSeed()

// hashOf returns a hash that is the same for expressions that are Equal. It looks at the first
// nodes of large ones.
func hashOf(e tir.Expr) uint64 {
	n := 64
	return hashRec(e, &n)
}

func hashRec(e tir.Expr, n *int) uint64 {
	if *n--; *n < 0 {
		return 0
	}
	switch e := e.(type) {
	case *tir.Binary:
		return maphash.Comparable(hashSeed, [...]uint64{uint64(e.Op), hashRec(e.B, n), hashRec(e.A, n)})
	case *tir.IntImm:
		return maphash.Comparable(hashSeed, e.Value)
	case *tir.Var:
		return maphash.Comparable(hashSeed, e)
	case *tir.Cast:
		return maphash.Comparable(hashSeed, [...]uint64{hashRec(e.Value, n)})
	}
	return 5
}

// SideEffect returns the strongest effect of anything that e computes.
func SideEffect(e tir.Expr) tir.Effect {
	switch e := e.(type) { // most of what is asked for
	case *tir.IntImm, *tir.FloatImm, *tir.Var:
		return tir.Pure
	case *tir.Binary:
		a := SideEffect(e.A)
		if a < tir.OpaqueCall {
			a = max(a, SideEffect(e.B))
		}
		return a
	}
	worst := tir.Pure
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad, *tir.ProducerLoad:
			worst = max(worst, tir.ReadState)
		case *tir.Call:
			worst = max(worst, tir.CallEffect(n))
		}
		return worst < tir.OpaqueCall
	})
	return worst
}

// UsesVar reports whether any variable in e satisfies f.
func UsesVar(e tir.Expr, f func(*tir.Var) bool) bool {
	switch e := e.(type) { // most of what is asked for
	case *tir.IntImm, *tir.FloatImm:
		return false
	case *tir.Var:
		return f(e)
	case *tir.Binary:
		return UsesVar(e.A, f) || UsesVar(e.B, f)
	}
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && !found {
			found = f(v)
		}
		return !found
	})
	return found
}

func isMinMax(b *tir.Binary) bool { return b.Op == tir.OpMin || b.Op == tir.OpMax }

// samePair reports whether x and y have the same two operands in some order.
func samePair(x, y *tir.Binary) bool {
	return Equal(x.A, y.A) && Equal(x.B, y.B) || Equal(x.A, y.B) && Equal(x.B, y.A)
}
