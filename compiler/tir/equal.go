package tir

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
)

// equalBudget bounds the nodes that one structural comparison looks at: shared nodes could
// make it exponential otherwise. Running out counts as different, which is always safe.
const equalBudget = 1 << 12

// Equal reports whether a and b are structurally the same expression over the same
// variables and buffers. It takes lets of different variables as different and allocates nothing, which ir.StructuralEqual does.
func Equal(a, b Expr) bool {
	if a == b {
		return true
	}
	n := equalBudget
	return equalRec(a, b, &n)
}

func equalRec(a, b Expr, n *int) bool {
	if a == b {
		return true
	}
	if *n--; *n < 0 || a == nil || b == nil {
		return false
	}
	switch a := a.(type) {
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && equalRec(a.B, b.B, n) && equalRec(a.A, b.A, n)
	case *IntImm:
		b, ok := b.(*IntImm)
		return ok && a.Value == b.Value && a.Type == b.Type
	case *FloatImm:
		b, ok := b.(*FloatImm)
		return ok && a.Type == b.Type && math.Float64bits(a.Value) == math.Float64bits(b.Value)
	case *StringImm:
		b, ok := b.(*StringImm)
		return ok && a.Value == b.Value
	case *Cast:
		b, ok := b.(*Cast)
		return ok && a.Type == b.Type && equalRec(a.Value, b.Value, n)
	case *Not:
		b, ok := b.(*Not)
		return ok && equalRec(a.A, b.A, n)
	case *Select:
		b, ok := b.(*Select)
		return ok && equalRec(a.Cond, b.Cond, n) && equalRec(a.True, b.True, n) && equalRec(a.False, b.False, n)
	case *Broadcast:
		b, ok := b.(*Broadcast)
		return ok && a.Lanes == b.Lanes && a.Scalable == b.Scalable && equalRec(a.Value, b.Value, n)
	case *Ramp:
		b, ok := b.(*Ramp)
		return ok && a.Lanes == b.Lanes && a.Scalable == b.Scalable && equalRec(a.Start, b.Start, n) && equalRec(a.Stride, b.Stride, n)
	case *BufferLoad:
		b, ok := b.(*BufferLoad)
		return ok && a.Buffer == b.Buffer && equalLists(a.Indices, b.Indices, n) &&
			(a.Predicate == b.Predicate || equalRec(a.Predicate, b.Predicate, n))
	case *ProducerLoad:
		b, ok := b.(*ProducerLoad)
		return ok && a.Producer == b.Producer && equalLists(a.Indices, b.Indices, n)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Type == b.Type && sameCallee(a.Op, b.Op) && CallEffect(a) <= ReadState &&
			equalLists(a.Args, b.Args, n)
	case *Let: // of one variable: what its body means is the same on both sides
		b, ok := b.(*Let)
		return ok && a.Var == b.Var && equalRec(a.Value, b.Value, n) && equalRec(a.Body, b.Body, n)
	case *Shuffle:
		b, ok := b.(*Shuffle)
		return ok && equalLists(a.Vectors, b.Vectors, n) && equalLists(a.Indices, b.Indices, n)
	}
	return false // variables differ by identity; binders of several variables are compared by identity only
}

func equalLists(a, b []Expr, n *int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalRec(a[i], b[i], n) {
			return false
		}
	}
	return true
}

func sameCallee(a, b ir.Callee) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ir.Op)
	if !ok {
		return false
	}
	y, ok := b.(*ir.Op)
	return ok && x.Name == y.Name
}
