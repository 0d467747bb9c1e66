package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// gen is the lower.Generator of one function: it selects instructions, and the middle end says where.
type gen struct {
	*lower.Walker

	mod     *module
	wide    asm.Width    // of the widest vectors
	types   []lower.Type // of virtual registers
	area    *area        // for local arrays
	forked  bool         // within a loop whose turns run side by side
	pool    []string     // vector constants
	poolIDs map[string]uint64
	shapes  string // of tiles, "" where none is used
}

// newReg makes a virtual register.
func (g *gen) newReg(_ string, t lower.Type) lower.Reg {
	g.types = append(g.types, t)
	return lower.Reg(len(g.types) - 1)
}

// value is a scalar or a vector.
type value = lower.Value

func one(dt dtype.DType, n *node) value { return lower.One(dt, n) }

// Native is the number of lanes of element type d in a part, 0 if vectors of this type are kept as scalars. mask is the width that a bool takes. A
// short vector, of 64 or 32 bits, is the lower lanes of a part of 128 bits whose other lanes mean nothing.
func (g *gen) Native(d dtype.DType, mask int) int {
	bits := int(d.Bits)
	if d.IsBool() {
		bits = mask
	}
	return g.lanesPerPart(int(d.Lanes), bits, d)
}

func (g *gen) lanesPerPart(lanes, bits int, d dtype.DType) int {
	if bits < 8 || bits > 64 || d.IsHandle() || lanes < 2 || lower.SmallFloat(d) && bits != 16 {
		return 0
	}
	for w := int(g.wide) * 8; w >= 128; w /= 2 {
		if lanes*bits%w == 0 {
			return w / bits
		}
	}
	if lanes*bits == 64 || lanes*bits == 32 {
		return lanes
	}
	return 0
}

// partWidth is the width of the register of a part of lanes elements of so many bits.
func partWidth(lanes, bits int) asm.Width { return asm.Width(max(16, lanes*bits/8)) }

// short reports whether lanes elements of so many bits are a short vector.
func short(lanes, bits int) bool { return lanes*bits < 128 }

// Float is a constant float32 or float64.
func (g *gen) Float(d dtype.DType, v float64) *node {
	if d.Bits == 32 {
		return g.f32(float32(v))
	}
	return g.f64(v)
}
