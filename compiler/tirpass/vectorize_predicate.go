package tirpass

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// keyPredication is the config key that asks for predicates on loads and stores.
const keyPredication = "tir.enable_buffer_level_predication"

// predicates reports whether conditions become predicates: if the config says so, or, if it says nothing, for targets
// with vectors of scalable length, which have instructions for it.
func predicates(c *pass.Context, f *tir.PrimFunc) bool {
	if c.Config.Values().Has(keyPredication) {
		return c.ConfigBool(keyPredication)
	}
	return scalableVectors(f.Attrs.Str(ir.AttrTarget, ""))
}

// someLanes reports whether a target has instructions that read and write some lanes of a vector alone, at no cost where these are constants: AVX-512 and AVX2.
func someLanes(text string) bool {
	return strings.Contains(text, "x86") && slices.ContainsFunc(features(text), func(name string) bool { return name == "+avx2" || name == "+avx512f" })
}

// features are the words of a target's text.
func features(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,=\"'()[]:{}", r) })
}

// scalableVectors reports whether a target has vectors of scalable length: SVE of aarch64, V of riscv.
func scalableVectors(text string) bool {
	for _, name := range features(text) {
		if name == "+sve" && strings.Contains(text, "aarch64") || name == "+v" && strings.Contains(text, "riscv") {
			return true
		}
	}
	return false
}

// predicated returns then, the vectorized statement of a branch on cond, with the condition as the predicate of each access:
//
//	if i*4 + [0, 1, 2, 3] < 14: B[i*4 : i*4 + 4] = A[i*4 : i*4 + 4]
//
// loads and stores under get_active_lane_mask(i*4, 14). It returns nil if cond is not a ramp with stride 1 below a
// limit, if an access starts elsewhere than the ramp, or if something else happens in it than accesses. After
// TryPredicateBufferAccesses in TVM's src/tir/transforms/vectorize_loop.cc, which looks at accesses only.
func predicated(cond tir.Expr, then tir.Stmt) tir.Stmt {
	lt, ok := cond.(*tir.Binary)
	if !ok || lt.Op != tir.OpLT {
		return nil
	}
	ramp, ok := lt.A.(*tir.Ramp)
	if !ok || !tir.IsConst(ramp.Stride, 1) {
		return nil
	}
	limit := lt.B
	if b, ok := limit.(*tir.Broadcast); ok {
		limit = b.Value
	}
	if !limit.DType().IsScalar() {
		return nil
	}
	p := newPredicator(func(indices []tir.Expr) bool {
		at, ok := indices[0].(*tir.Ramp)
		return ok && len(indices) == 1 && at.Lanes == ramp.Lanes && arith.Equal(at.Start, ramp.Start)
	})
	p.mask = &tir.Call{
		Base: cond.Meta(), Type: dtype.BoolT.LikeVector(ramp.DType()),
		Op: tir.LookupBuiltin("tir.get_active_lane_mask").Op, Args: []tir.Expr{ramp.Start, limit},
	}
	out := p.stmt(then)
	if !p.ok || p.accesses == 0 {
		return nil
	}
	return out
}

// predicator gives accesses a predicate.
type predicator struct {
	m        tir.Mapper
	along    func(indices []tir.Expr) bool   // whether an access can have it
	without  func(load *tir.BufferLoad) bool // whether a load needs none; nil: each needs one
	mask     tir.Expr
	accesses int
	ok       bool
}

func newPredicator(along func(indices []tir.Expr) bool) *predicator {
	p := &predicator{along: along, ok: true}
	p.m.Stmt, p.m.Expr = p.stmt, p.expr
	return p
}

// access notes an access and reports whether it can have the predicate.
func (p *predicator) access(indices []tir.Expr, already tir.Expr) bool {
	p.accesses++
	p.ok = p.ok && already == nil && p.along(indices)
	return p.ok
}

func (p *predicator) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.SeqStmt, *tir.LetStmt:
		return p.m.MapStmt(s)
	case *tir.BufferStore:
		out := p.m.MapStmt(s).(*tir.BufferStore)
		if p.access(out.Indices, s.Predicate) {
			return out.WithPredicate(p.mask)
		}
		return out
	}
	p.ok = false
	return s
}

func (p *predicator) expr(e tir.Expr) tir.Expr {
	out := p.m.MapExpr(e)
	switch n := out.(type) {
	case *tir.BufferLoad:
		if p.without != nil && n.Predicate == nil && p.without(n) {
			return n
		}
		if p.access(n.Indices, n.Predicate) {
			return n.WithPredicate(p.mask)
		}
	case *tir.Binary:
		p.ok = p.ok && !mayTrap(n) // a lane that is off reads 0
	case *tir.Call:
		p.ok = p.ok && arith.SideEffect(n) <= tir.ReadState
	}
	return out
}

// onLanes returns then, the vectorized store of a branch on cond, of which the lanes are constants, with the condition as its predicate. What it loads of memory that all lanes may read needs none; other loads
// run along the lanes. It returns nil where that does not hold.
func (v *vectorizer) onLanes(cond tir.Expr, then tir.Stmt) tir.Stmt {
	st, ok := then.(*tir.BufferStore)
	if !ok || st.Predicate != nil || !constantLanes(cond) || !alongLanes(st.Indices, cond) {
		return nil
	}
	p := newPredicator(func(indices []tir.Expr) bool { return alongLanes(indices, cond) })
	p.mask = cond
	p.without = func(load *tir.BufferLoad) bool {
		return v.allInside(load) || load.Indices[len(load.Indices)-1].DType().IsScalar()
	}
	out := p.stmt(st)
	if !p.ok {
		return nil
	}
	return out
}

// constantLanes reports whether a condition is that constants at equal distances are less than another one, and holds in the first lane.
func constantLanes(cond tir.Expr) bool {
	lt, ok := cond.(*tir.Binary)
	if !ok || lt.Op != tir.OpLT {
		return false
	}
	ramp, ok := lt.A.(*tir.Ramp)
	if !ok {
		return false
	}
	limit, ok := lt.B.(*tir.Broadcast)
	if !ok {
		return false
	}
	_, even := tir.AsInt(ramp.Stride)
	first, known := tir.AsInt(ramp.Start)
	end, constant := tir.AsInt(limit.Value)
	return even && known && constant && first < end
}

// alongLanes reports whether an access is to elements side by side, one for each lane of a condition.
func alongLanes(indices []tir.Expr, cond tir.Expr) bool {
	ramp, ok := indices[len(indices)-1].(*tir.Ramp)
	return ok && tir.IsConst(ramp.Stride, 1) && ramp.Lanes == int(cond.DType().Lanes)
}

// allInside reports whether all lanes of a load are surely in bounds: elements side by side of a flat buffer.
func (v *vectorizer) allInside(l *tir.BufferLoad) bool {
	ramp, ok := l.Indices[0].(*tir.Ramp)
	if !ok || len(l.Indices) != 1 || !tir.IsConst(ramp.Stride, 1) {
		return false
	}
	d := ramp.Start.DType()
	return v.an.CanProve(tir.LE(tir.Const(d, 0), ramp.Start)) && v.an.CanProve(tir.LE(tir.Add(ramp.Start, tir.Const(d, int64(ramp.Lanes))), tir.CastTo(d, l.Buffer.Shape[0])))
}
