package x86

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// gen translates one function: it selects instructions, and the middle end numbers values and places them.
type gen struct {
	*lower.Builder

	ctx  context.Context
	mod  *module
	name string
	wide asm.Width // of the widest vectors

	steps    int
	types    []lower.Type // of virtual registers
	names    []string     // hints
	vars     map[*tir.Var]value
	slots    map[*tir.Var]*slots
	promoted map[*tir.Var]value // type and form of the sums that are kept in registers
	area     *area              // for local arrays
	forked   bool               // within a loop whose turns run side by side
	loops    []loopFrame
	bound    []tir.Expr // index, and extent, of the bound that the next assertion checks
	pool     []string   // vector constants
	poolIDs  map[string]uint64
}

// loopFrame is a loop that break and continue may leave.
type loopFrame struct{ exit, next *region }

// newReg makes a virtual register.
func (g *gen) newReg(name string, t lower.Type) lower.Reg {
	g.types = append(g.types, t)
	g.names = append(g.names, name)
	return lower.Reg(len(g.types) - 1)
}

// Error says why the generator does not take a function.
type Error struct {
	Func string // function
	Node string // kind of node, with the name of its buffer or operator
	Msg  string
}

// Error names the target, the function and the node.
func (e *Error) Error() string {
	return fmt.Sprintf("target x86: function %s: %s: %s", e.Func, e.Node, e.Msg)
}

// Reason is the error without the function.
func (e *Error) Reason() string { return e.Node + ": " + e.Msg }

// fail stops the translation; generate turns the panic into the error that it carries.
func (g *gen) fail(what, format string, args ...any) {
	panic(&Error{Func: g.name, Node: what, Msg: fmt.Sprintf(format, args...)})
}

// stopped is the panic that ends the translation once the context is done, whatever the cause of that is.
type stopped struct{ cause error }

// step looks at the context once in a while.
func (g *gen) step() {
	g.steps++
	if g.steps&1023 == 0 {
		if err := context.Cause(g.ctx); err != nil {
			panic(stopped{err})
		}
	}
}

// value is a scalar or a vector. A vector that fits is kept in parts as wide as registers (see native); any other is one scalar part a lane. A vector
// of bool in parts is a mask: lanes of mask bits that are all ones or all zeros.
type value struct {
	dt     dtype.DType
	parts  []*node
	mask   int
	packed bool
}

func (v value) lanes() int { return int(v.dt.Lanes) }

// scalar returns the only part.
func (v value) scalar() *node { return v.parts[0] }

// laneBits is the width of the lanes of a packed value.
func (v value) laneBits() int {
	if v.dt.IsBool() {
		return v.mask
	}
	return int(v.dt.Bits)
}

func one(dt dtype.DType, n *node) value { return value{dt: dt, parts: []*node{n}} }

// native is the number of lanes of element type d in a part, 0 if vectors of this type are kept as scalars. mask is the width that a bool takes. A
// short vector, of 64 bits, is the lower lanes of a part of 128 bits whose other lanes mean nothing.
func (g *gen) native(d dtype.DType, mask int) int {
	bits := int(d.Bits)
	if d.IsBool() {
		bits = mask
	}
	return g.lanesPerPart(int(d.Lanes), bits, d)
}

func (g *gen) lanesPerPart(lanes, bits int, d dtype.DType) int {
	if bits != 32 && bits != 64 || d.IsHandle() || lanes < 2 || d.IsFloat() && smallFloat(d) {
		return 0
	}
	for w := int(g.wide) * 8; w >= 128; w /= 2 {
		if lanes*bits%w == 0 {
			return w / bits
		}
	}
	if lanes*bits == 64 {
		return lanes
	}
	return 0
}

// partWidth is the width of the register of a part of lanes elements of so many bits.
func partWidth(lanes, bits int) asm.Width { return asm.Width(max(16, lanes*bits/8)) }

// short reports whether lanes elements of so many bits are a short vector.
func short(lanes, bits int) bool { return lanes*bits < 128 }

// smallFloat reports whether d is a floating-point type that is kept as its bits.
func smallFloat(d dtype.DType) bool { return d.IsFloat() && d.Bits < 32 }

// valType is the type of a scalar of type d.
func (g *gen) valType(d dtype.DType, what string) lower.Type {
	switch {
	case d.IsHandle(), d.IsBool():
		return tI32
	case d.Elem() == dtype.Float32T:
		return tF32
	case d.Elem() == dtype.Float64T:
		return tF64
	case d.Elem() == dtype.Float16T, d.Elem() == dtype.BFloat16T:
		return tI32
	case d.IsInteger():
		switch d.Bits {
		case 8, 16, 32:
			return tI32
		case 64:
			return tI64
		}
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return 0
}
