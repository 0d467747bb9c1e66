package tir

import (
	"fmt"

	"github.com/irscope/irscope/runtime/dtype"
)

// Texture says how a buffer lies in a texture, which is memory of a GPU in pixels by depth, height and width: the elements along the last axis are
// the channels of a pixel, the axis before number Axis is the height, those in front of it are the depth, and those behind it the width.
type Texture struct {
	Axis     int
	Channels int64
	Bits     int64 // of a pixel
}

// TextureOf returns how a buffer of that shape and element type lies in the memory of a scope of textures.
func TextureOf(scope string, shape []Expr, d dtype.DType) (*Texture, error) {
	n := len(shape)
	if n < 3 {
		return nil, fmt.Errorf("a texture is a two-dimensional array of RGBA pixels: expected three dimensions or more in scope %s, got %d", scope, n)
	}
	t := &Texture{}
	switch scope {
	case "global.texture":
		t.Axis = n - 2
	case "global.texture-weight":
		t.Axis = 1
	case "global.texture-nhwc":
		t.Axis = 2
	default:
		return nil, fmt.Errorf("unknown texture lowering convention: %s: there are global.texture, global.texture-weight and global.texture-nhwc", scope)
	}
	var ok bool
	if t.Channels, ok = AsInt(shape[n-1]); !ok {
		return nil, fmt.Errorf("the last extent is the number of channels of a pixel and must be a constant, got %v", shape[n-1])
	}
	if t.Bits = t.Channels * int64(d.Bits) * int64(max(1, d.Lanes)); t.Bits != 64 && t.Bits != 128 {
		return nil, fmt.Errorf("invalid channel size: %d bits: a pixel has 64 or 128, here %d elements of %s", t.Bits, t.Channels, d)
	}
	return t, nil
}

// Split returns what in list, which has an element for each dimension, belongs to the depth, the height and the width.
func (t *Texture) Split(list []Expr) (depth, height, width []Expr) {
	return list[:t.Axis-1], list[t.Axis-1 : t.Axis], list[t.Axis : len(list)-1]
}

// Size returns the width, the height and the depth of a buffer of that shape.
func (t *Texture) Size(shape []Expr) []Expr {
	depth, height, width := t.Split(shape)
	out := make([]Expr, 3)
	for i, list := range [][]Expr{width, height, depth} {
		out[i] = Int32(1)
		for k, e := range list {
			if k == 0 {
				out[i] = e
			} else {
				out[i] = Mul(out[i], e)
			}
		}
	}
	return out
}

// The builtins of textures: texture2d_load(texture, column, row, layer, bits of a pixel, channel) and texture2d_store(..., value of a whole
// pixel).
var (
	OpTextureLoad  = LookupBuiltin("tir.texture2d_load").Op
	OpTextureStore = LookupBuiltin("tir.texture2d_store").Op
	OpNDAlloc      = LookupBuiltin("tir.nd_mem_alloc_with_scope").Op
)
