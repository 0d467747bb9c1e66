package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvertBlocksToOpaque replaces the iteration variables of blocks by what they are bound to.
var ConvertBlocksToOpaque = &pass.Pass{
	Name: "tir.ConvertBlocksToOpaque", Kind: pass.PrimFunc, Lowering: true,
	Gives: []*pass.Form{pass.OpaqueBlocks},
	Doc:   "Substitutes the iteration variables of blocks by their bindings, so that blocks have no variables of their own.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		o := &opaquer{c: c, sub: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
		o.m.Expr, o.m.Stmt, o.m.Buffer = o.expr, o.stmt, o.buffer
		out := f.WithBody(o.stmt(f.Body))
		return out, o.err
	}),
}

// opaquer substitutes in one pass over the function: a variable is bound once, so that the
// map grows along the way and is never taken back.
type opaquer struct {
	c       *pass.Context
	m       tir.Mapper
	sub     map[*tir.Var]tir.Expr
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

func (o *opaquer) expr(e tir.Expr) tir.Expr {
	v, ok := e.(*tir.Var)
	if !ok {
		return o.m.MapExpr(e)
	}
	if x, ok := o.sub[v]; ok {
		return x
	}
	return e
}

func (o *opaquer) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := o.buffers[b]; ok {
		return out
	}
	out := b.MapExprs(func(e tir.Expr) tir.Expr {
		if e == tir.Expr(b.Data) {
			return e
		}
		return o.expr(e)
	})
	o.buffers[b] = out
	return out
}

func (o *opaquer) stmt(s tir.Stmt) tir.Stmt {
	r, ok := s.(*tir.BlockRealize)
	if !ok {
		return o.m.MapStmt(s)
	}
	b := r.Block
	if b.Init != nil && o.err == nil {
		o.err = fmt.Errorf("block %q still has an init: run tir.LowerInitBlock before tir.ConvertBlocksToOpaque", b.Name)
	}
	for _, iv := range b.IterVars {
		if r.Predicate != nil && o.err == nil && arith.UsesVar(r.Predicate, func(v *tir.Var) bool { return v == iv.Var }) {
			o.err = fmt.Errorf("variable %s is not supposed to appear in the predicate of block %q, outside of which it is not defined: use what it is bound to", iv.Var.Name, b.Name)
		}
	}
	for i, iv := range b.IterVars {
		if i < len(r.Values) {
			o.sub[iv.Var] = o.expr(r.Values[i])
		}
	}
	pred := r.Predicate
	if pred != nil {
		pred = o.expr(pred)
	}
	inner := *b
	inner.IterVars = nil
	block := o.m.MapStmt(&inner).(*tir.Block)
	if len(b.IterVars) == 0 && block == &inner && pred == r.Predicate {
		return s
	}
	out := *r
	out.Values, out.Predicate, out.Block = nil, pred, block
	if len(b.IterVars) > 0 {
		o.c.Rewrite("substitute the variables of a block", s, &out)
	}
	return &out
}
