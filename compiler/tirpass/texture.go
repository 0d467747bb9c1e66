package tirpass

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A texture is memory of a GPU in pixels of four channels, by depth, height and width. A buffer in the scope of textures has its last axis as the
// channels; the scope says which of the others are which.

// ruleTextureAlloc is the name of a rule.
const ruleTextureAlloc = "ask the runtime for a texture"

func isTexture(scope string) bool { return strings.Contains(scope, "texture") }

// InjectTextureAlloc has the runtime allocate textures.
var InjectTextureAlloc = &pass.Pass{
	Name: "tir.backend.adreno.InjectTextureAlloc", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces allocations in scopes of textures by nd_mem_alloc_with_scope, which asks the runtime for a texture of the width, height and depth to which the extents multiply.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		var failed error
		an := arith.Bounded(c.Budget())
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			a, ok := s.(*tir.Allocate)
			if !ok || !isTexture(scopeOf(a.Var)) {
				return m.MapStmt(s)
			}
			t, err := tir.TextureOf(scopeOf(a.Var), a.Extents, a.Type)
			if err != nil {
				failed = fmt.Errorf("%s: %w", a.Var.Name, err)
				return s
			}
			size := t.Size(a.Extents)
			for i, e := range size {
				size[i] = an.Simplify(e)
			}
			out := allocateND(a, m.Stmt(a.Body), size, tir.Int(int64(t.Bits)))
			c.Rewrite(ruleTextureAlloc, a, out)
			return out
		}
		body := m.Stmt(f.Body)
		return f.WithBody(body), failed
	}),
}

// TextureFlatten makes accesses to textures calls of their intrinsics.
var TextureFlatten = &pass.Pass{
	Name: "tir.backend.adreno.TextureFlatten", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Replaces loads and stores of buffers in scopes of textures by texture2d_load and texture2d_store, at the column, the row and the layer of a pixel, and T.realize of such buffers by a request to the runtime. A store writes a pixel whole, so it has to be in a vectorized loop over the channels.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		t := &textureFlattener{c: c, an: arith.Bounded(c.Budget()), given: map[*tir.Buffer]bool{}, whole: map[*tir.Var]int64{}}
		for _, b := range f.Buffers {
			t.given[b] = true
		}
		t.bind(f.Body)
		t.m.Expr, t.m.Stmt = tir.Memo(t.expr), t.stmt
		body := t.stmt(f.Body)
		return f.WithBody(body), t.err
	}),
}

type textureFlattener struct {
	c     *pass.Context
	an    *arith.Analyzer
	m     tir.Mapper
	given map[*tir.Buffer]bool // buffers of parameters
	whole map[*tir.Var]int64   // variables that take all values from 0 below this number at once, as those of vectorized loops
	err   error
}

// bind tells the analyzer what is known of variables, and finds those of vectorized loops.
func (t *textureFlattener) bind(s tir.Stmt) {
	ir.Walk(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			t.an.BindRange(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
			if k, ok := tir.AsInt(n.Extent); ok && n.Kind == tir.Vectorized && tir.IsConst(n.Min, 0) {
				t.whole[n.LoopVar] = k
			}
		case *tir.AttrStmt:
			if iv := n.BoundThread(); iv != nil {
				t.an.BindRange(iv.Var, &tir.Range{Min: tir.Const(n.Value.DType(), 0), Extent: n.Value})
			}
		case *tir.BlockRealize:
			for i, iv := range n.Block.IterVars {
				t.an.BindRange(iv.Var, iv.Dom)
				if v, ok := n.Values[i].(*tir.Var); ok && t.whole[v] > 0 {
					t.whole[iv.Var] = t.whole[v]
				}
			}
		case tir.Expr:
			return false
		}
		return true
	})
}

func (t *textureFlattener) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.BufferRealize:
		if isTexture(s.Buffer.Scope()) && !t.given[s.Buffer] {
			return t.realize(s)
		}
	case *tir.BufferStore:
		if isTexture(s.Buffer.Scope()) {
			return t.store(s)
		}
	}
	return t.m.MapStmt(s)
}

// realize returns s as a request to the runtime.
func (t *textureFlattener) realize(s *tir.BufferRealize) tir.Stmt {
	extents := make([]tir.Expr, len(s.Bounds))
	for i, r := range s.Bounds {
		extents[i] = r.Extent
	}
	x, err := tir.TextureOf(s.Buffer.Scope(), extents, s.Buffer.DType)
	if err != nil {
		return t.fail(s, s.Buffer, err)
	}
	value := ndAllocCall(s.Base, s.Buffer.Scope(), x.Size(extents), tir.Int(x.Bits))
	out := &tir.LetStmt{Base: s.Base, Var: s.Buffer.Data, Value: value, Body: t.stmt(s.Body)}
	t.c.Rewrite(ruleTextureAlloc, s, out)
	return out
}

func (t *textureFlattener) fail(s tir.Stmt, b *tir.Buffer, err error) tir.Stmt {
	if t.err == nil {
		t.err = fmt.Errorf("buffer %s: %w", b.Name, err)
	}
	return s
}

// pixel returns the arguments that say which pixel is accessed.
func (t *textureFlattener) pixel(b *tir.Buffer, indices []tir.Expr) (args []tir.Expr, x *tir.Texture, err error) {
	if x, err = tir.TextureOf(b.Scope(), b.Shape, b.DType); err != nil {
		return nil, nil, err
	}
	depth, height, width := x.Split(b.Shape)
	layer, row, column := x.Split(ir.MapSame(indices, t.m.Expr))
	return []tir.Expr{b.Data, t.offset(width, column), t.offset(height, row), t.offset(depth, layer), tir.Int32(x.Bits)}, x, nil
}

// offset returns the number of the element at these indices of that shape.
func (t *textureFlattener) offset(shape, indices []tir.Expr) tir.Expr {
	if len(indices) == 0 {
		return tir.Int32(0)
	}
	out := indices[0]
	for i := 1; i < len(indices); i++ {
		out = t.an.Simplify(tir.Add(tir.Mul(out, tir.CastTo(out.DType(), shape[i])), indices[i]))
	}
	return out
}

func (t *textureFlattener) store(s *tir.BufferStore) tir.Stmt {
	args, x, err := t.pixel(s.Buffer, s.Indices)
	switch channel := s.Indices[len(s.Indices)-1]; {
	case err != nil:
		return t.fail(s, s.Buffer, err)
	case s.Predicate != nil:
		return t.fail(s, s.Buffer, errors.New("a store to a texture under a predicate is not supported: pixels are written whole"))
	case !t.all(channel, x.Channels):
		return t.fail(s, s.Buffer, fmt.Errorf("a store to a texture writes a pixel whole: expected the last index to be the variable of a vectorized loop over all %d channels, got %v", x.Channels, channel))
	}
	value := &tir.Call{Base: s.Base, Type: dtype.HandleT, Op: tir.OpTextureStore, Args: append(args, t.m.Expr(s.Value))}
	out := &tir.Evaluate{Base: s.Base, Value: value}
	t.c.Rewrite("store to a texture", s, out)
	return out
}

// all reports whether e stands for all channels, in their order.
func (t *textureFlattener) all(e tir.Expr, channels int64) bool {
	if r, ok := e.(*tir.Ramp); ok {
		return tir.IsConst(r.Start, 0) && tir.IsConst(r.Stride, 1) && int64(r.Lanes) == channels
	}
	v, ok := e.(*tir.Var)
	return ok && t.whole[v] == channels
}

func (t *textureFlattener) expr(e tir.Expr) tir.Expr {
	l, ok := e.(*tir.BufferLoad)
	if !ok || !isTexture(l.Buffer.Scope()) {
		return t.m.MapExpr(e)
	}
	args, _, err := t.pixel(l.Buffer, l.Indices)
	if err == nil && l.Predicate != nil {
		err = errors.New("a load from a texture under a predicate is not supported")
	}
	if err != nil {
		t.fail(nil, l.Buffer, err)
		return e
	}
	out := &tir.Call{Base: l.Base, Type: l.DType(), Op: tir.OpTextureLoad, Args: append(args, t.m.Expr(l.Indices[len(l.Indices)-1]))}
	t.c.Rewrite("load from a texture", l, out)
	return out
}
