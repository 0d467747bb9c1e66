package lower

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// Promotion of accumulators: a reduction reads, adds to and writes the same element in each turn, and the
// addition waits for the store and load of the turn before. The element is kept in a variable while the
// loop runs, read before and written behind it:
//
//	for k: C[i] = C[i] + A[i, k]*B[k]      c = C[i]; for k: c = c + A[i, k]*B[k]; C[i] = c
//
// That is right only if all accesses to the buffer in the loop are to that one element, written with the
// same index of variables defined outside (bad), if no other pointer reaches it (NoAlias,
// pointsElsewhere), if the loop neither calls something that may read it nor leaves the function in
// between (opaque, returns), and if the element is accessed in every turn (sure): reading C[i] ahead in
// a loop that would not touch it might be out of bounds.
//
// The scan notes each access once for every loop around it, so the cost is accesses times depth.

// elemAccess sums up how a loop accesses one pointer: whether always at one place that does
// not change in the loop.
type elemAccess struct {
	buffer *tir.Buffer
	index  tir.Expr
	stored bool
	sure   bool // reached in every turn, so that the place surely exists
	bad    bool // elsewhere too, or in another form
}

// Accumulator is an element of a buffer, or a vector of them, that a loop may keep in variables
// while it runs, as the sum of a reduction that the schedule left in memory.
type Accumulator struct {
	Pointer *tir.Var
	Buffer  *tir.Buffer
	Index   tir.Expr
}

// Accumulators returns what the loop e accumulates into, in the order of its stores. Other
// pointers must not reach it: the function says so by NoAlias. outside reports whether a pointer
// is defined where the loop starts.
func (b *Builder) Accumulators(e *LoopEffects, outside func(*tir.Var) bool) []Accumulator {
	if e == nil || e.opaque || e.returns || !b.NoAlias {
		return nil
	}
	var out []Accumulator
	for _, v := range e.order {
		a := e.elems[v]
		if a == nil || !a.stored || !a.sure || a.bad || b.Instead[v] != nil || b.Root(v) != v || b.pointsElsewhere(v) || !outside(v) {
			continue
		}
		out = append(out, Accumulator{v, a.buffer, a.index})
	}
	return out
}

// pointsElsewhere reports whether another pointer was made from v.
func (b *Builder) pointsElsewhere(v *tir.Var) bool {
	for w, to := range b.Effects.roots {
		if w != v && to == v {
			return true
		}
	}
	return false
}

// touch notes an access for all loops around it.
func (s *scanner) touch(b *tir.Buffer, indices []tir.Expr, masked, store bool) {
	if len(s.stack) == 0 {
		return
	}
	depth := math.MaxInt
	if len(indices) == 1 && !masked {
		depth = s.depthOf(indices[0])
	}
	for i, e := range s.stack {
		a := e.elems[b.Data]
		if a == nil {
			a = &elemAccess{buffer: b}
			if depth <= i {
				a.index = indices[0]
			}
			e.elems[b.Data] = a
		}
		a.stored = a.stored || store
		a.sure = a.sure || s.cond == e.cond
		a.bad = a.bad || depth > i || a.index == nil || a.buffer.DType != b.DType || !tir.Equal(a.index, indices[0])
	}
}

// depthOf is the number of loops around the definition of what e depends on; MaxInt where e
// is more than arithmetic on variables.
func (s *scanner) depthOf(e tir.Expr) int {
	depth := 0
	switch e := e.(type) {
	case *tir.Var:
		depth = s.defined[e]
	case *tir.IntImm:
	case *tir.Cast:
		depth = s.depthOf(e.Value)
	case *tir.Ramp:
		depth = max(s.depthOf(e.Start), s.depthOf(e.Stride))
	case *tir.Broadcast:
		depth = s.depthOf(e.Value)
	case *tir.Binary:
		depth = max(s.depthOf(e.A), s.depthOf(e.B))
	default:
		depth = math.MaxInt
	}
	return depth
}
