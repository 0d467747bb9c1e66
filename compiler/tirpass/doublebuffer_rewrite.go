package tirpass

import (
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// doubleBuffering rewrites the loops that fill buffers for themselves. Iteration i reads the half i % 2, and fills the other one for i + 1; the
// first half is filled in front of the loop.
type doubleBuffering struct {
	c       *pass.Context
	m       tir.Mapper
	split   int64
	of      map[*tir.Var]*doubleBuffer
	buffers map[*tir.Buffer]*tir.Buffer
	fill    map[*tir.For][]tir.Stmt // what is in front of a loop
	allocs  map[*tir.For][]tir.Stmt // allocations and declarations around it
	err     error
}

// buffer returns b with room for two halves.
func (d *doubleBuffering) buffer(b *tir.Buffer) *tir.Buffer {
	x := d.of[b.Data]
	if x == nil {
		return b
	}
	if out := d.buffers[b]; out != nil {
		return out
	}
	out := *b
	out.Shape = []tir.Expr{tir.Add(b.Shape[0], x.stride)}
	d.buffers[b] = &out
	return &out
}

// at returns an index into a half.
func (x *doubleBuffer) at(half, index tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(half, tir.CastTo(half.DType(), x.stride)), index)
}

func (d *doubleBuffering) expr(e tir.Expr) tir.Expr {
	e = d.m.MapExpr(e)
	l, ok := e.(*tir.BufferLoad)
	if !ok {
		return e
	}
	x := d.of[l.Buffer.Data]
	if x == nil {
		return e
	}
	half := tir.FloorMod(x.loop.LoopVar, tir.Const(x.loop.LoopVar.DType(), 2))
	return l.WithIndices([]tir.Expr{x.at(half, l.Indices[0])})
}

func (d *doubleBuffering) stmt(s tir.Stmt) tir.Stmt {
	d.c.Budget().Spend(1)
	switch s := s.(type) {
	case *tir.BufferStore:
		out := d.m.MapStmt(s).(*tir.BufferStore)
		if x := d.of[s.Buffer.Data]; x != nil {
			return out.WithIndices([]tir.Expr{x.at(x.write, out.Indices[0])})
		}
		return out
	case *tir.Allocate:
		if x := d.of[s.Var]; x != nil {
			return d.allocate(s, x)
		}
	case *tir.AttrStmt:
		if v, ok := s.Node.(*tir.Var); ok && s.Key == keyDoubleBuffer {
			if x := d.of[v]; x != nil {
				return d.producer(s, v, x)
			}
			return d.stmt(s.Body)
		}
	case *tir.For:
		return d.loop(s)
	}
	return d.m.MapStmt(s)
}

// allocate moves an allocation of twice the size in front of the loop.
func (d *doubleBuffering) allocate(s *tir.Allocate, x *doubleBuffer) tir.Stmt {
	twice := tir.Mul(s.Extents[0], tir.Const(s.Extents[0].DType(), 2))
	around := []tir.Stmt{s.WithExtents([]tir.Expr{twice})}
	body := s.Body
	if decl, ok := body.(*tir.DeclBuffer); ok && decl.Buffer.Data == s.Var {
		around = append(around, decl.WithBuffer(d.buffer(decl.Buffer)))
		body = decl.Body
	}
	d.allocs[x.loop] = append(d.allocs[x.loop], around...)
	return d.stmt(body)
}

// producer fills the half of the next iteration, and notes what fills that of the first.
func (d *doubleBuffering) producer(s *tir.AttrStmt, v *tir.Var, x *doubleBuffer) tir.Stmt {
	i := x.loop.LoopVar
	num := func(n int64) tir.Expr { return tir.Const(i.DType(), n) }
	half := tir.NewVar(i.Name+"_db", i.DType())
	x.write = half
	body := d.stmt(s.Body)
	first := tir.SubstStmt(body, map[*tir.Var]tir.Expr{half: num(0), i: num(0)})
	if !tir.IsConst(x.loop.Extent, 1) {
		first = d.guarded(x.loop.Extent, first)
	}
	d.fill[x.loop] = append(d.fill[x.loop], first)
	next := tir.Add(i, num(1))
	body = tir.SubstStmt(body, map[*tir.Var]tir.Expr{half: tir.FloorMod(next, num(2)), i: next})
	body = &tir.AttrStmt{Base: s.Base, Node: v, Key: keyDoubleBufferWrite, Value: tir.Int32(1), Body: body}
	out := &tir.IfThenElse{Base: s.Base, Cond: tir.LT(next, x.loop.Extent), Then: body}
	d.c.Rewrite("fill the half of the next iteration", s, out)
	return out
}

// guarded runs s if a loop of that extent runs at all, which is known of constants.
func (d *doubleBuffering) guarded(extent tir.Expr, s tir.Stmt) tir.Stmt {
	if n, ok := tir.AsInt(extent); ok {
		if n > 0 {
			return s
		}
		return tir.NoOp()
	}
	return &tir.IfThenElse{Base: s.Meta(), Cond: tir.LT(tir.Const(extent.DType(), 0), extent), Then: s}
}

func (d *doubleBuffering) loop(s *tir.For) tir.Stmt {
	out := d.m.MapStmt(s)
	fills := d.fill[s]
	if len(fills) == 0 {
		return out
	}
	if d.split > 0 {
		out = d.parts(out.(*tir.For))
	}
	out = tir.Seq(append(fills, out)...)
	around := d.allocs[s]
	for i := len(around) - 1; i >= 0; i-- {
		switch a := around[i].(type) {
		case *tir.Allocate:
			out = a.WithBody(out)
		case *tir.DeclBuffer:
			out = a.WithBody(out)
		}
	}
	d.c.Rewrite("buffer twice", s, out)
	return out
}

// parts cuts a loop into parts of as many iterations as the option says. Whole parts fill the next half without asking whether there is
// one, once simplified; what is left runs after them, and fills nothing: it holds the last iteration.
func (d *doubleBuffering) parts(s *tir.For) tir.Stmt {
	i := s.LoopVar
	num := func(n int64) tir.Expr { return tir.Const(i.DType(), n) }
	outer := tir.NewVar(i.Name+"_outer", i.DType())
	count := tir.FloorDiv(tir.Max(tir.Sub(s.Extent, num(1)), num(0)), num(d.split))
	var whole, rest []tir.Stmt
	for k := range d.split {
		at := tir.Add(tir.Mul(outer, num(d.split)), num(k))
		whole = append(whole, tir.SubstStmt(s.Body, map[*tir.Var]tir.Expr{i: at}))
	}
	tail := withoutWrites(s.Body)
	for k := range d.split {
		at := tir.Add(tir.Mul(count, num(d.split)), num(k))
		rest = append(rest, &tir.IfThenElse{Base: s.Base, Cond: tir.LT(at, s.Extent), Then: tir.SubstStmt(tail, map[*tir.Var]tir.Expr{i: at})})
	}
	loop := *s
	loop.LoopVar, loop.Extent, loop.Body = outer, count, tir.Seq(whole...)
	return tir.Seq(append([]tir.Stmt{&loop}, rest...)...)
}

// withoutWrites removes the marks of what fills the next half.
func withoutWrites(s tir.Stmt) tir.Stmt {
	m := &tir.Mapper{}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		if a, ok := s.(*tir.AttrStmt); ok && a.Key == keyDoubleBufferWrite {
			return m.Stmt(a.Body)
		}
		return m.MapStmt(s)
	}
	return m.Stmt(s)
}
