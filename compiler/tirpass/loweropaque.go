package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// LowerOpaqueBlock removes blocks: their buffers become allocations, their predicates
// conditionals, and loops of one iteration disappear.
var LowerOpaqueBlock = &pass.Pass{
	Name: "tir.LowerOpaqueBlock", Kind: pass.PrimFunc, Lowering: true,
	Needs:  []pass.Need{{Form: pass.OpaqueBlocks, Why: "what it lowers are blocks without iteration variables", Strict: true}},
	Gives:  []*pass.Form{pass.NoBlocks},
	Doc:    "Removes blocks: allocates their buffers, keeps their predicates as conditionals, drops loops of extent 1 and turns pragmas into attributes.",
	Config: []string{"tir.debug_keep_trivial_loop"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &opaqueLowerer{c: c, sub: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}, keepTrivial: c.ConfigBool("tir.debug_keep_trivial_loop"), aligns: storageAligns(f.Body)}
		l.m.Expr, l.m.Stmt, l.m.Buffer = l.expr, l.stmt, l.buffer
		out := f.WithBody(l.stmt(f.Body))
		return out, l.err
	}),
}

type opaqueLowerer struct {
	c           *pass.Context
	m           tir.Mapper
	sub         map[*tir.Var]tir.Expr // variables of loops that were dropped
	buffers     map[*tir.Buffer]*tir.Buffer
	keepTrivial bool
	aligns      map[*tir.Var][]dimAlign // what blocks ask of memory, which their allocations keep
	origin      ir.OriginID             // of the innermost block: what is in it comes from there too
	err         error
}

func (l *opaqueLowerer) expr(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok {
		if x, ok := l.sub[v]; ok {
			return x
		}
		return e
	}
	return l.m.MapExpr(e)
}

// buffer replaces variables of dropped loops in the definition of b.
func (l *opaqueLowerer) buffer(b *tir.Buffer) *tir.Buffer {
	out, ok := l.buffers[b]
	if !ok {
		out = b.MapExprs(l.expr)
		l.buffers[b] = out
	}
	return out
}

func (l *opaqueLowerer) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BlockRealize:
		return l.block(s)
	case *tir.For:
		return l.own(l.loop(s))
	case *tir.SeqStmt:
		return l.m.MapStmt(s)
	}
	return l.own(l.m.MapStmt(s))
}

// own gives a statement without origin that of the block around it, which will be gone.
func (l *opaqueLowerer) own(s tir.Stmt) tir.Stmt {
	if s.Meta().Origin != 0 || l.origin == 0 {
		return s
	}
	return ir.WithOrigin(s, l.origin)
}

func (l *opaqueLowerer) block(r *tir.BlockRealize) tir.Stmt {
	b := r.Block
	if l.err == nil {
		l.err = opaqueEnough(b)
	}
	outer := l.origin
	if b.Origin != 0 {
		l.origin = b.Origin
	}
	defer func() { l.origin = outer }()
	body := l.stmt(b.Body)
	for i := len(b.AllocBuffers) - 1; i >= 0; i-- {
		buf := l.buffer(b.AllocBuffers[i])
		extents := buf.AllocExtents()
		body = l.own(&tir.DeclBuffer{Base: buf.Base, Buffer: buf, Body: body})
		body = l.own(&tir.Allocate{
			Base: buf.Base, Var: buf.Data, Type: buf.DType, Extents: extents,
			Condition: tir.Bool(true), Body: body, Annotations: alignNotes(l.aligns[buf.Data]),
		})
	}
	for i := b.Annotations.Len() - 1; i >= 0; i-- {
		if key, v := b.Annotations.At(i); isPragma(key) {
			body = &tir.AttrStmt{Base: b.Base, Key: key, Value: attrExpr(v), Body: body}
		}
	}
	if !tir.IsTrue(r.Predicate) {
		body = &tir.IfThenElse{Base: r.Base, Cond: l.expr(r.Predicate), Then: body}
	}
	l.c.Rewrite("remove a block", r, body)
	return body
}

// opaqueEnough reports what of b an earlier pass should have lowered.
func opaqueEnough(b *tir.Block) error {
	switch {
	case b.Init != nil:
		return fmt.Errorf("block %q still has an init: run tir.LowerInitBlock before tir.LowerOpaqueBlock", b.Name)
	case len(b.MatchBuffers) > 0:
		return fmt.Errorf("block %q still has match_buffer %s: run tir.LowerMatchBuffer before tir.LowerOpaqueBlock", b.Name, b.MatchBuffers[0].Buffer.Name)
	}
	return nil
}

func (l *opaqueLowerer) loop(s *tir.For) tir.Stmt {
	lo, extent := l.expr(s.Min), l.expr(s.Extent)
	if tir.IsConst(extent, 1) && !l.keepTrivial && s.Kind != tir.ThreadBinding && s.Annotations.Len() == 0 {
		l.sub[s.LoopVar] = tir.CastTo(s.LoopVar.DType(), lo)
		body := l.stmt(s.Body)
		l.c.Rewrite("drop a loop of one iteration", s, body)
		return body
	}
	body := l.stmt(s.Body)
	var pragmas []int
	for i := range s.Annotations.Len() {
		if key, _ := s.Annotations.At(i); isPragma(key) {
			pragmas = append(pragmas, i)
		}
	}
	if s.Kind == tir.ThreadBinding {
		if s.Thread == nil {
			l.err = fmt.Errorf("loop %s is bound to a thread but names none", s.LoopVar.Name)
			return s
		}
		iv := &tir.IterVar{Dom: &tir.Range{Min: lo, Extent: extent}, Var: s.LoopVar, Kind: tir.ThreadIndex, ThreadTag: s.Thread.ThreadTag}
		key := "thread_extent"
		if iv.ThreadTag == "vthread" || len(iv.ThreadTag) > 8 && iv.ThreadTag[:8] == "vthread." {
			key = "virtual_thread"
		}
		out := &tir.AttrStmt{Base: s.Base, Node: iv, Key: key, Value: extent, Body: body}
		l.c.Rewrite("bind a loop to a thread", s, out)
		return out
	}
	out := s
	if lo != s.Min || extent != s.Extent || body != s.Body || len(pragmas) > 0 {
		c := *s
		c.Min, c.Extent, c.Body = lo, extent, body
		for _, i := range pragmas {
			key, _ := s.Annotations.At(i)
			c.Annotations = c.Annotations.Without(key)
		}
		out = &c
	}
	var stmt tir.Stmt = out
	for i := len(pragmas) - 1; i >= 0; i-- {
		key, v := s.Annotations.At(pragmas[i])
		stmt = &tir.AttrStmt{Base: s.Base, Node: s.LoopVar, Key: key, Value: attrExpr(v), Body: stmt}
		l.c.Rewrite("turn a pragma into an attribute", s, stmt)
	}
	return stmt
}

func isPragma(key string) bool { return len(key) > 7 && key[:7] == "pragma_" }

// attrExpr returns the value of an annotation as an expression.
func attrExpr(v ir.Value) tir.Expr {
	switch v := v.(type) {
	case tir.Expr:
		return v
	case int64:
		return tir.Int32(v)
	case bool:
		return tir.Bool(v)
	case string:
		return &tir.StringImm{Value: v}
	}
	return tir.Int32(1)
}
