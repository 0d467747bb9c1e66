package wasm

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// elemAccess sums up how a loop accesses one pointer: whether always at one place that does
// not change in the loop.
type elemAccess struct {
	buffer *tir.Buffer
	index  tir.Expr
	stored bool
	sure   bool // reached in every turn, so that the place surely exists
	bad    bool // elsewhere too, or in another form
}

// promotion is an element of a buffer that is kept in locals while a loop runs, as the sum
// of a reduction that the schedule left in memory.
type promotion struct {
	vars []*variable
	form value // type and form of the parts
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
		a.bad = a.bad || depth > i || a.index == nil || a.buffer.DType != b.DType || !sameIndex(a.index, indices[0])
	}
}

// depthOf is the number of loops around the definition of what e depends on; MaxInt where e
// is more than arithmetic on variables.
func (s *scanner) depthOf(e tir.Expr) int {
	depth := 0
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			depth = max(depth, s.defined[n])
		case *tir.IntImm, *tir.Cast, *tir.Ramp, *tir.Broadcast, *tir.Binary:
		default:
			depth = math.MaxInt
		}
		return depth < math.MaxInt
	})
	return depth
}

// sameIndex reports whether two indices are written alike.
func sameIndex(a, b tir.Expr) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *tir.IntImm:
		b, ok := b.(*tir.IntImm)
		return ok && a.Value == b.Value
	case *tir.Binary:
		b, ok := b.(*tir.Binary)
		return ok && a.Op == b.Op && sameIndex(a.A, b.A) && sameIndex(a.B, b.B)
	case *tir.Cast:
		b, ok := b.(*tir.Cast)
		return ok && a.Type == b.Type && sameIndex(a.Value, b.Value)
	case *tir.Ramp:
		b, ok := b.(*tir.Ramp)
		return ok && a.Lanes == b.Lanes && sameIndex(a.Start, b.Start) && sameIndex(a.Stride, b.Stride)
	case *tir.Broadcast:
		b, ok := b.(*tir.Broadcast)
		return ok && a.Lanes == b.Lanes && sameIndex(a.Value, b.Value)
	}
	return false
}

// promote runs a loop with the elements that it accumulates into kept in locals. Other
// pointers must not reach them: the function says so by tir.noalias.
func (g *gen) promote(e *loopEffects, order []*tir.Var, loop func()) {
	var kept []*tir.Var
	if e != nil && !e.opaque && !e.returns && g.noalias {
		for _, v := range order {
			a := e.elems[v]
			if a == nil || !a.stored || !a.sure || a.bad || g.slots[v] != nil || g.promoted[v] != nil || g.root(v) != v || g.pointsElsewhere(v) {
				continue
			}
			if _, outside := g.vars[v]; !outside {
				continue // allocated inside of the loop
			}
			x := g.bufferLoad(&tir.BufferLoad{Buffer: a.buffer, Indices: []tir.Expr{a.index}})
			p := &promotion{form: value{dt: x.dt, mask: x.mask}}
			for _, part := range x.parts {
				w := g.newVariable(v.Name+"_sum", part.typ)
				g.set(w, part)
				p.vars = append(p.vars, w)
			}
			g.promoted[v] = p
			kept = append(kept, v)
		}
	}
	loop()
	for _, v := range kept {
		x := g.loadPromoted(g.promoted[v])
		delete(g.promoted, v)
		a := e.elems[v]
		what := "BufferStore to " + a.buffer.Name
		g.storeLanes(g.pointer(v, what), g.flatten(a.buffer, []tir.Expr{a.index}, what), x, v, nil, what)
	}
}

// pointsElsewhere reports whether another pointer was made from v.
func (g *gen) pointsElsewhere(v *tir.Var) bool {
	for w, to := range g.roots {
		if w != v && to == v {
			return true
		}
	}
	return false
}

func (g *gen) loadPromoted(p *promotion) value {
	out := p.form
	out.parts = nil
	for _, w := range p.vars {
		out.parts = append(out.parts, g.read(w))
	}
	return out
}

func (g *gen) storePromoted(p *promotion, v value) {
	switch {
	case len(v.parts) != len(p.vars) && p.vars[0].typ == wasmbin.V128:
		v = g.pack(v.dt, g.scalars(v))
	case len(v.parts) != len(p.vars):
		v = value{dt: v.dt, parts: g.scalars(v)}
	}
	for i, w := range p.vars {
		g.set(w, v.parts[i])
	}
}
