package transform

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// mapOrigins returns fn with the origins of the function, its bindings, calls, variables,
// buffers and statements mapped by f, which must map 0 to 0.
func mapOrigins(fn ir.Function, f func(ir.OriginID) ir.OriginID) ir.Function {
	switch fn := fn.(type) {
	case *relax.Function:
		m := relaxOrigins(f)
		return ir.WithOrigin(m.MapFunction(fn), f(fn.Origin))
	case *tir.PrimFunc:
		return tirOrigins(f).MapFunc(ir.WithOrigin(fn, f(fn.Origin)))
	}
	return fn
}

func relaxOrigins(f func(ir.OriginID) ir.OriginID) *relax.Mapper {
	m := &relax.Mapper{}
	m.Renew(func(v *relax.Var) *relax.Var { return ir.WithOrigin(v, f(v.Origin)) })
	expr := m.Expr
	m.Expr = func(e relax.Expr) relax.Expr {
		e = expr(e)
		if c, ok := e.(*relax.Call); ok {
			return ir.WithOrigin(relax.Expr(c), f(c.Meta().Origin))
		}
		return e
	}
	m.Binding = func(b relax.Binding) relax.Binding {
		b = m.MapBinding(b)
		return ir.WithOrigin(b, f(b.Meta().Origin))
	}
	return m
}

// tirOrigins maps the origins of statements and of buffers other than those in keep.
func tirOrigins(f func(ir.OriginID) ir.OriginID, keep ...*tir.Buffer) *tir.Mapper {
	buffers := map[*tir.Buffer]*tir.Buffer{}
	for _, b := range keep {
		buffers[b] = b
	}
	m := &tir.Mapper{}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if buffers[b] == nil {
			buffers[b] = ir.WithOrigin(b, f(b.Origin))
		}
		return buffers[b]
	}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr { return m.MapExpr(e) })
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		s = m.MapStmt(s)
		return ir.WithOrigin(s, f(s.Meta().Origin))
	}
	return m
}

// sharedOrigins collects what functions that were found to be equal came from, so that the
// one that stays comes from all of them, and so does each of its nodes.
type sharedOrigins struct {
	pass    string
	origins *ir.Origins
	kept    []*keptOrigins // of functions that others were equal to
	byName  map[string]*keptOrigins
}

// keptOrigins are the origins of a function that others were equal to.
type keptOrigins struct {
	name  string
	own   []ir.OriginID // those of its nodes, each once
	place []int         // of the nodes in order: where in own their origins are, -1 for none
	more  [][]ir.OriginID
}

func newSharedOrigins(pass string, m *ir.Module) *sharedOrigins {
	return &sharedOrigins{pass: pass, origins: m.Origins(), byName: map[string]*keptOrigins{}}
}

// of returns what is known of the function that is kept under name.
func (s *sharedOrigins) of(name string, kept ir.Function) *keptOrigins {
	k := s.byName[name]
	if k != nil {
		return k
	}
	k = &keptOrigins{name: name}
	places := map[ir.OriginID]int{0: -1}
	for _, id := range appendOrigins(nil, kept) {
		at, ok := places[id]
		if !ok {
			at = len(k.own)
			places[id] = at
			k.own = append(k.own, id)
		}
		k.place = append(k.place, at)
	}
	k.more = make([][]ir.OriginID, len(k.own))
	s.byName[name] = k
	s.kept = append(s.kept, k)
	return k
}

// note adds an origin to those of the nodes that came from own[at].
func (k *keptOrigins) note(at int, id ir.OriginID) {
	if list := k.more[at]; len(list) == 0 || list[len(list)-1] != id {
		k.more[at] = append(list, id)
	}
}

// add notes that the function kept under name stands for other too.
func (s *sharedOrigins) add(name string, kept, other ir.Function) {
	s.addFrom(name, kept, appendOrigins(nil, other))
}

// addFrom is add for a function whose nodes have these origins.
func (s *sharedOrigins) addFrom(name string, kept ir.Function, ids []ir.OriginID) {
	k := s.of(name, kept)
	for i, at := range k.place { // equal functions have walks of equal length
		if at >= 0 {
			k.note(at, ids[i])
		}
	}
}

// also notes that the function kept under name stands for one whose nodes all came from id.
func (s *sharedOrigins) also(name string, kept ir.Function, id ir.OriginID) {
	k := s.of(name, kept)
	for at, own := range k.own {
		if len(k.more[at]) == 0 {
			k.more[at] = append(k.more[at], own)
		}
		k.note(at, id)
	}
}

// apply gives the kept functions their origins.
func (s *sharedOrigins) apply(e *ir.Editor) {
	for _, k := range s.kept {
		name, to := k.name, map[ir.OriginID]ir.OriginID{}
		for _, at := range k.inOrder() {
			from := k.own[at]
			to[from] = s.origins.Merge(s.pass, append([]ir.OriginID{from}, k.more[at]...)...)
		}
		e.Set(name, mapOrigins(e.Lookup(name), func(id ir.OriginID) ir.OriginID {
			if to, ok := to[id]; ok {
				return to
			}
			return id
		}))
	}
}

// inOrder returns the places in own, by origin.
func (k *keptOrigins) inOrder() []int {
	out := make([]int, len(k.own))
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(k.own[a], k.own[b]) })
	return out
}

// appendOrigins lists the origins of a node and the nodes below it.
func appendOrigins(out []ir.OriginID, n ir.Node) []ir.OriginID {
	ir.Walk(n, func(n ir.Node) bool {
		switch n.(type) {
		case relax.StructInfo:
			return false // may be shared, or not, in equal functions
		case tir.Expr:
			return false
		}
		out = append(out, n.Meta().Origin)
		return true
	})
	return out
}
