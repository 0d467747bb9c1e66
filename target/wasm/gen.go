package wasm

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// gen translates one function: it selects instructions, and the middle end numbers values and
// places them.
type gen struct {
	*lower.Builder

	ctx    context.Context
	mod    *module
	f      *wasmbin.Func
	name   string
	target target.Target
	simd   bool
	kernel bool // returns an error code

	steps    int
	vars     map[*tir.Var]value
	slots    map[*tir.Var]*slots
	promoted map[*tir.Var]value // type and form of the sums that are kept in locals
	frame    int                // bytes of the stack area in use
	loops    []loopFrame
	bound    []tir.Expr // index, and extent, of the bound that the next assertion checks
}

// loopFrame is a loop that break and continue may leave.
type loopFrame struct{ exit, next *region }

// Error says what a function asks for that the target cannot do.
type Error struct {
	Func string // function
	Node string // kind of node, with the name of its buffer or operator
	Msg  string
}

// Error names the target, the function and the node.
func (e *Error) Error() string {
	return fmt.Sprintf("target wasm: function %s: %s: %s", e.Func, e.Node, e.Msg)
}

// fail stops the translation; genFunc turns the panic into the error that it carries.
func (g *gen) fail(what, format string, args ...any) {
	panic(&Error{Func: g.name, Node: what, Msg: fmt.Sprintf(format, args...)})
}

// step looks at the context once in a while.
func (g *gen) step() {
	g.steps++
	if g.steps&1023 == 0 {
		if err := context.Cause(g.ctx); err != nil {
			panic(stopped{err})
		}
	}
}

// value is a scalar or vector. A vector that fits is kept in v128 parts (see native);
// any other is one scalar part a lane. A vector of bool in v128 parts is a mask: lanes of
// mask bits that are all ones or all zeros.
type value struct {
	dt    dtype.DType
	parts []*node
	mask  int
}

func (v value) lanes() int { return int(v.dt.Lanes) }

// scalar returns the only part.
func (v value) scalar() *node { return v.parts[0] }

// packed reports whether v is in v128 parts.
func (v value) packed() bool { return typeOf(v.parts[0]) == wasmbin.V128 }

func one(dt dtype.DType, n *node) value { return value{dt: dt, parts: []*node{n}} }

// native is the number of lanes of element type d in a v128, 0 if vectors of this type are
// kept as scalars. mask is the width that a bool takes. A short vector, of 32 or 64 bits, is
// the lower lanes of a v128 whose other lanes mean nothing.
func (g *gen) native(d dtype.DType, mask int) int {
	bits := int(d.Bits)
	if d.IsBool() {
		bits = mask
	}
	if !g.simd || bits < 8 || bits > 64 || d.IsHandle() || smallFloat(d) && bits != 16 || d.Lanes < 2 {
		return 0
	}
	n := int(d.Lanes)
	switch {
	case n%(128/bits) == 0:
		return 128 / bits
	case n*bits == 64, n*bits == 32:
		return n
	}
	return 0
}

// short reports whether lanes elements of so many bits are a short vector.
func short(lanes, bits int) bool { return lanes*bits < 128 }

// smallFloat reports whether d is a floating-point type that is kept as its bits.
func smallFloat(d dtype.DType) bool { return d.IsFloat() && d.Bits < 32 }

// valType is the wasm type of a scalar of type d.
func (g *gen) valType(d dtype.DType, what string) wasmbin.ValType {
	switch {
	case d.IsHandle(), d.IsBool():
		return wasmbin.I32
	case d.Elem() == dtype.Float32T:
		return wasmbin.F32
	case d.Elem() == dtype.Float64T:
		return wasmbin.F64
	case d.Elem() == dtype.Float16T, d.Elem() == dtype.BFloat16T:
		return wasmbin.I32
	case d.IsInteger():
		switch d.Bits {
		case 8, 16, 32:
			return wasmbin.I32
		case 64:
			return wasmbin.I64
		}
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return wasmbin.None
}
