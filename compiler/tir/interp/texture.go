package interp

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A texture lies in memory by layers, rows and pixels, so the elements of a buffer in it have the order that they have in any buffer.

// noteTexture notes how b lies in a texture, if its pointer is one and has its dimensions still.
func (c *compiler) noteTexture(b *tir.Buffer) {
	if !strings.Contains(scopeOf(b.Data), "texture") {
		return
	}
	if t, err := tir.TextureOf(scopeOf(b.Data), b.Shape, b.DType); err == nil {
		c.textures[b.Data] = append(reversed(t.Size(b.Shape)), tir.Int(t.Channels))
	}
}

func reversed(list []tir.Expr) []tir.Expr {
	slices.Reverse(list)
	return list
}

// ndAlloc compiles let v = nd_mem_alloc_with_scope(scope, dimensions, shape[, bits of a pixel]): memory as long as the body runs.
func (c *compiler) ndAlloc(s *tir.LetStmt, e *tir.Call) stmtFn {
	if len(e.Args) < 3 || elemOf(s.Var) == (dtype.DType{}) {
		c.fail("%s needs a scope, the number of dimensions and a shape, and a pointer to elements of a known type", e.Op.CalleeName())
	}
	shape, ok := tir.IsCallTo(e.Args[2], tir.OpStackMakeShape)
	if !ok {
		c.fail("%s needs its shape as %s", e.Op.CalleeName(), tir.OpStackMakeShape.Name)
	}
	a := &tir.Allocate{Base: s.Base, Var: s.Var, Type: elemOf(s.Var), Extents: shape.Args, Body: s.Body}
	if len(e.Args) > 3 {
		bits, ok := tir.AsInt(e.Args[3])
		if width := int64(a.Type.Bits); !ok || width == 0 || bits%width != 0 || len(shape.Args) != 3 {
			c.fail("%s needs the width, the height and the depth of a texture, and whole elements of %s in a pixel", e.Op.CalleeName(), a.Type)
		}
		dims := append(reversed(slices.Clone(shape.Args)), tir.Int(bits/int64(a.Type.Bits)))
		c.textures[s.Var], a.Extents = dims, dims
	}
	return c.allocate(a)
}

// pixel returns the buffer over the texture that e accesses, and the layer, row and column of the pixel.
func (c *compiler) pixel(e *tir.Call) (*tir.Buffer, []tir.Expr) {
	c.count(e, 6, 6)
	v := c.pointerArg(e, 0)
	dims := c.textures[v]
	if dims == nil {
		c.fail("%s: %s is no texture whose extents are known", e.Op.CalleeName(), v.Name)
	}
	return &tir.Buffer{Data: v, DType: elemOf(v), Shape: dims, Name: v.Name}, []tir.Expr{e.Args[3], e.Args[2], e.Args[1]}
}

// textureLoad is texture2d_load(texture, column, row, layer, bits, channel).
func (c *compiler) textureLoad(e *tir.Call) value {
	b, at := c.pixel(e)
	return c.expr(tir.Load(b, append(at, e.Args[5])...))
}

// textureStore is texture2d_store(texture, column, row, layer, bits, pixel).
func (c *compiler) textureStore(e *tir.Call) tir.Stmt {
	b, at := c.pixel(e)
	n, _ := tir.AsInt(b.Shape[3])
	if lanes := int64(e.Args[5].DType().Lanes); lanes != n {
		c.fail("%s stores a pixel whole, with %d channels, here it gets %d", e.Op.CalleeName(), n, lanes)
	}
	return tir.Store(b, e.Args[5], append(at, &tir.Ramp{Start: tir.Int32(0), Stride: tir.Int32(1), Lanes: int(n)})...)
}
