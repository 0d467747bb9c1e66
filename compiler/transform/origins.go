package transform

import (
	"maps"
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
	names   []string                 // of kept functions that others were equal to
	kept    map[string][]ir.OriginID // of the nodes of a kept function, in order
	others  map[string]map[ir.OriginID][]ir.OriginID
}

func newSharedOrigins(pass string, m *ir.Module) *sharedOrigins {
	return &sharedOrigins{pass: pass, origins: m.Origins(), kept: map[string][]ir.OriginID{}, others: map[string]map[ir.OriginID][]ir.OriginID{}}
}

// add notes that the function kept under name stands for other too.
func (s *sharedOrigins) add(name string, kept, other ir.Function) {
	if s.kept[name] == nil {
		s.names = append(s.names, name)
		s.kept[name], s.others[name] = originsOf(kept), map[ir.OriginID][]ir.OriginID{}
	}
	for i, id := range originsOf(other) {
		from := s.kept[name][i] // equal functions have walks of equal length
		if list := s.others[name][from]; from != 0 && (len(list) == 0 || list[len(list)-1] != id) {
			s.others[name][from] = append(list, id)
		}
	}
}

// also notes that the function kept under name stands for one whose nodes all came from id.
func (s *sharedOrigins) also(name string, kept ir.Function, id ir.OriginID) {
	if s.kept[name] == nil {
		s.add(name, kept, kept)
	}
	for from, list := range s.others[name] {
		if list[len(list)-1] != id {
			s.others[name][from] = append(list, id)
		}
	}
}

// apply gives the kept functions their origins.
func (s *sharedOrigins) apply(e *ir.Editor) {
	for _, name := range s.names {
		to := map[ir.OriginID]ir.OriginID{}
		for _, from := range slices.Sorted(maps.Keys(s.others[name])) {
			to[from] = s.origins.Merge(s.pass, append([]ir.OriginID{from}, s.others[name][from]...)...)
		}
		e.Set(name, mapOrigins(e.Lookup(name), func(id ir.OriginID) ir.OriginID {
			if to, ok := to[id]; ok {
				return to
			}
			return id
		}))
	}
}

// originsOf lists the origins of fn and the nodes below it.
func originsOf(fn ir.Function) []ir.OriginID {
	var out []ir.OriginID
	ir.Walk(fn, func(n ir.Node) bool {
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
