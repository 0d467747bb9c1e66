package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// Comparisons that are assumed can imply others by a chain: from a < b and b <= c + 2 follows a < c + 2.
// Every fact is kept as lhs OP rhs + offset between two keys (a variable, an expression that is no sum,
// or zero), with strict comparisons made weak by moving the offset by one, so that offsets add up along
// a chain:
//
//	a <= b - 1, b <= c + 2   gives   a <= c + 1
//
// A question is a search from one side over the facts that are known (compare_search.go): each key is
// expanded once, and of the comparisons reached for a key only those survive that no other one implies.
// The result is a set of possible orders, of which each fact strikes some; one order left is a proof.
//
// Cost: at most the number of keys times that of facts, which is why chains are an option of the
// analyzer and not the rule. After TVM's src/arith/transitive_comparison_analyzer.cc.

// order is the set of ways in which two values may compare: bits for =, < and >.
type order uint8

const (
	isEQ     order = 1
	isLT     order = 2
	isLE     order = isEQ | isLT
	isGT     order = 4
	isGE     order = isEQ | isGT
	isNE     order = isLT | isGT
	anyOrder order = 7
)

// single reports whether there is one way at most.
func (o order) single() bool { return o&(o-1) == 0 }

// reverse is the order with the sides swapped.
func (o order) reverse() order {
	r := o & isEQ
	if o&isLT != 0 {
		r |= isGT
	}
	if o&isGT != 0 {
		r |= isLT
	}
	return r
}

func orderOf(op tir.BinaryOp) (order, bool) {
	switch op {
	case tir.OpEQ:
		return isEQ, true
	case tir.OpNE:
		return isNE, true
	case tir.OpLT:
		return isLT, true
	case tir.OpLE:
		return isLE, true
	case tir.OpGT:
		return isGT, true
	case tir.OpGE:
		return isGE, true
	}
	return anyOrder, false
}

// comparison states lhs OP rhs + off, where OP is never < or >: those become <= and >=, so
// that offsets add up along a chain.
type comparison struct {
	lhs, rhs int
	off      int64
	ord      order
}

func newComparison(lhs, rhs int, off int64, ord order) comparison {
	switch ord {
	case isLT:
		return comparison{lhs, rhs, off - 1, isLE}
	case isGT:
		return comparison{lhs, rhs, off + 1, isGE}
	}
	return comparison{lhs, rhs, off, ord}
}

func (c comparison) withLHS(key int) (comparison, bool) {
	switch key {
	case c.lhs:
		return c, true
	case c.rhs:
		return comparison{c.rhs, c.lhs, -c.off, c.ord.reverse()}, true
	}
	return c, false
}

// implies reports whether c says at least as much as o of the same two sides.
func (c comparison) implies(o comparison) bool {
	if c.ord == o.ord && c.off == o.off {
		return true
	}
	switch o.ord {
	case isLE:
		return c.off <= o.off && (c.ord == isEQ || c.ord == isLE)
	case isGE:
		return c.off >= o.off && (c.ord == isEQ || c.ord == isGE)
	case isNE:
		return c.ord == isEQ && c.off != o.off || c.ord == isLE && c.off < o.off || c.ord == isGE && c.off > o.off
	}
	return false
}

// zeroKey is the key of constants, whose values are offsets.
const zeroKey = 0

// comparisons holds the inequalities that are known, for good and in scopes. Expressions
// are named by keys.
type comparisons struct {
	knowns, scoped []comparison
	about          map[int][]comparison // knowns by each of their keys but zeroKey
	vars           map[*tir.Var]int
	exprs          []tir.Expr       // compound ones; the key is -1-index
	byHash         map[uint64][]int // keys of exprs
	pending        []binding        // what is bound and not noted yet
}

// binding is what a variable is bound to: lo (extent nil) or [lo, lo+extent).
type binding struct {
	v          *tir.Var
	lo, extent tir.Expr
}

// maxPending bounds the bindings that are not noted yet.
const maxPending = 64

// keyOf returns the key of e; with make it gives one to an expression that has none.
func (k *comparisons) keyOf(e tir.Expr, make bool) (int, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return zeroKey, true
	case *tir.Var:
		if key, ok := k.vars[e]; ok {
			return key, true
		}
		if !make {
			return 0, false
		}
		if k.vars == nil {
			k.vars = map[*tir.Var]int{}
		}
		key := len(k.vars) + 1
		k.vars[e] = key
		return key, true
	}
	h := hashOf(e)
	for _, key := range k.byHash[h] {
		if Equal(k.exprs[-1-key], e) {
			return key, true
		}
	}
	if !make {
		return 0, false
	}
	k.exprs = append(k.exprs, e)
	if k.byHash == nil {
		k.byHash = map[uint64][]int{}
	}
	key := -len(k.exprs)
	k.byHash[h] = append(k.byHash[h], key)
	return key, true
}

// know adds to what is known for good.
func (k *comparisons) know(c comparison) {
	k.knowns = append(k.knowns, c)
	if k.about == nil {
		k.about = map[int][]comparison{}
	}
	if c.lhs != zeroKey {
		k.note(c.lhs, c)
	}
	if c.rhs != zeroKey && c.rhs != c.lhs {
		k.note(c.rhs, c)
	}
}

// note adds to what is known about a key. Variables have two bounds most often.
func (k *comparisons) note(key int, c comparison) {
	list := k.about[key]
	if list == nil {
		list = make([]comparison, 0, 2)
	}
	k.about[key] = append(list, c)
}

// unbind forgets what was bound to v.
func (k *comparisons) unbind(v *tir.Var) {
	k.settle()
	k.forget(v)
}

func (k *comparisons) forget(v *tir.Var) {
	key, ok := k.vars[v]
	if !ok || !slices.ContainsFunc(k.about[key], func(c comparison) bool { return c.lhs == key }) {
		return
	}
	for _, c := range k.about[key] {
		if c.rhs != key {
			k.about[c.rhs] = slices.DeleteFunc(k.about[c.rhs], func(c comparison) bool { return c.lhs == key })
		}
	}
	k.about[key] = slices.DeleteFunc(k.about[key], func(c comparison) bool { return c.lhs == key })
	k.knowns = slices.DeleteFunc(k.knowns, func(c comparison) bool { return c.lhs == key })
}

// maxOffset bounds offsets, so that those along a chain never overflow.
const maxOffset = 1 << 53

// splitOffset takes a constant term off e; a constant becomes an offset from zero. ok is false where that is too large.
// Sums of narrow types wrap, so their terms say nothing.
func splitOffset(e tir.Expr) (x tir.Expr, off int64, ok bool) {
	x, off = e, 0
	if y, c, ok := opConst(e, tir.OpAdd); ok && isIndex(e.DType().Elem()) {
		x, off = y, c
	} else if y, c, ok := opConst(e, tir.OpSub); ok && isIndex(e.DType().Elem()) {
		x, off = y, -c
	} else if c, ok := cst(e); ok {
		off = c
	}
	return x, off, -maxOffset < off && off < maxOffset
}

// add notes the comparisons of integers in the conjunction cond, in the scope at hand.
func (k *comparisons) add(cond tir.Expr) {
	conjuncts(cond, func(e tir.Expr) {
		b := bin(e)
		ord, ok := orderOf(b.Op)
		if !ok || !operandType(b).IsInt() || SideEffect(e) > tir.Pure {
			return
		}
		if c, ok := k.pair(b.A, b.B, ord); ok {
			k.scoped = append(k.scoped, c)
		}
	})
}

// pair returns the comparison of two expressions; that of constants says nothing, nor that of numbers too large to add.
func (k *comparisons) pair(a, b tir.Expr, ord order) (c comparison, ok bool) {
	x, offX, okX := splitOffset(a)
	y, offY, okY := splitOffset(b)
	_, cx := cst(x)
	_, cy := cst(y)
	if cx && cy || !okX || !okY {
		return c, false
	}
	lhs, _ := k.keyOf(x, true)
	rhs, _ := k.keyOf(y, true)
	return newComparison(lhs, rhs, offY-offX, ord), true
}
