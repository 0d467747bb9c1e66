package x86

import (
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/native/asm"
)

// What the generator uses of the middle end under shorter names.
type (
	node   = lower.Node
	region = lower.Region
	item   = lower.Item
)

// reach lets a tile use an element that it has spread for all vectors of a row of weights, and has it read the element again for another row: two loads are done in a cycle, and
// registers for elements are taken from the sums.
const reach = 40

// machineOf is what the middle end knows of the processor. Only splats of constants need the generator, for its pool.
func machineOf(g *gen) *lower.Machine {
	table := infoTable()
	m := &lower.Machine{
		Info: func(o op) lower.Info { return table[o] },
		Op: func(fn lower.Fn, bits int) op {
			switch fn {
			case lower.Extend8S, lower.Extend16S, lower.Wrap, lower.ExtendS, lower.ExtendU:
				bits = 32
			}
			return fnOp(fn, bits)
		},
		Fold: g.foldSplat,
		Int: func(bits int) lower.Type {
			if bits == 64 {
				return tI64
			}
			return tI32
		},
		Float: func(bits int) lower.Type {
			if bits == 64 {
				return tF64
			}
			return tF32
		},
		Vector:    func(bits int) lower.Type { return typeOfWidth(asm.Width(bits / 8)) },
		Quiet:     abi.LeastBudget,
		Reach:     reach,
		Vectors:   g.mod.machine.Regs,
		Transpose: g.transpose,
		Pick:      g.picked,
		// The index register's upper half is zero and the displacement has 32 bits: an address does not wrap.
		Pointer: lower.Pointer{Bits: 32, MaxOffset: math.MaxInt32, Below: abi.ReservedBytes},
	}
	if g.mod.machine.Features.AVX512 {
		m.MaxOfNumbers = g.maxOfNumbers
		m.PicksMany = 256 / 32
	}
	if g.mod.machine.Width == asm.Z {
		m.Opposite = g.opposite
	}
	if g.mod.machine.Features.AMX {
		m.Tiles = g.tiles()
	}
	return m
}

// infoTable describes all instructions, of all widths.
var infoTable = sync.OnceValue(func() []lower.Info {
	out := make([]lower.Info, 3<<codeBits)
	for i := range out {
		o := op(i)
		fn := fnOf(o)
		info := lower.Info{Fn: fn, Result: resultOf(o), Cheap: cheap(o)}
		switch {
		case fn == lower.Get, fn == lower.Set, fn == lower.Select, fn == lower.Call:
		case fn == lower.Wrap:
			info.Bits = 64
		case fn == lower.Const:
			info.Bits = 32
			if wide(o) {
				info.Bits = 64
			}
		case fn != lower.Other:
			info.Bits = 32
			if wide(o) {
				info.Bits = 64
			}
			info.Bool = fn >= lower.Eqz && fn <= lower.GeU
		case code(o) == pConstF32, code(o) == pConstF64, code(o) == pConstV:
			info.Fn = lower.Const
		case code(o) == pCompare32, code(o) == pCompare64, code(o) == pAllTrue:
			info.Bool = true
		}
		out[i] = info
	}
	return out
})

// cheap reports whether an instruction takes few enough cycles to run for nothing.
func cheap(o op) bool {
	switch fn := fnOf(o); fn {
	case lower.Other:
		switch c := code(o); c {
		case op(asm.VBROADCASTSS), op(asm.VBROADCASTSD), pSplat, pLowF32, pLowF64, pLowX, pLowY:
			return true
		}
		return false
	case lower.DivS, lower.DivU, lower.RemS, lower.RemU, lower.Call:
		return false
	}
	return true
}

// foldSplat makes vectors of constants of splats of constants.
func (g *gen) foldSplat(_ *lower.Builder, o op, x *node) *node {
	var size int
	switch code(o) {
	case op(asm.VBROADCASTSS):
		size = 4
	case op(asm.VBROADCASTSD):
		size = 8
	default:
		return nil
	}
	return g.splatConst(x.Imm, size, widthOf(o))
}

// splatConst is a constant of size bytes in all lanes of a vector.
func (g *gen) splatConst(bits uint64, size int, w asm.Width) *node {
	return g.vectorConst(strings.Repeat(bytesOfWord(bits, size), int(w)/size), w)
}

// bytesOfWord is the lowest size bytes of a word, as they lie in memory.
func bytesOfWord(bits uint64, size int) string {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return string(b[:size])
}

// vectorConst is a constant vector by its bytes.
func (g *gen) vectorConst(data string, w asm.Width) *node {
	id, ok := g.poolIDs[data]
	if !ok {
		id = uint64(len(g.pool))
		g.pool = append(g.pool, data)
		g.poolIDs[data] = id
	}
	return g.Const(vec(pConstV, w), id, 0)
}

// op returns a pure instruction.
func (g *gen) op(o op, args ...*node) *node { return g.Op(o, 0, 0, args...) }

// ins returns an instruction of the processor on scalars or on vectors of 128 bits.
func (g *gen) ins(o asm.Op, args ...*node) *node { return g.Op(op(o), 0, 0, args...) }

// vins returns an instruction of the processor on vectors of the width of its first operand.
func (g *gen) vins(o asm.Op, args ...*node) *node {
	return g.Op(ins(o, widthOfNode(args[0])), 0, 0, args...)
}

// vop is vins for other instructions.
func (g *gen) vop(c op, imm uint64, args ...*node) *node {
	return g.Op(vec(c, widthOfNode(args[0])), imm, 0, args...)
}

// imm returns an instruction with an immediate.
func (g *gen) imm(o op, imm uint64, args ...*node) *node { return g.Op(o, imm, 0, args...) }

// widthOfNode is the width of a vector.
func widthOfNode(n *node) asm.Width { return asm.Width(max(16, bytesOf(n.Type))) }

func (g *gen) i32(v int32) *node   { return g.Int(32, int64(v)) }
func (g *gen) i64(v int64) *node   { return g.Int(64, v) }
func (g *gen) f32(v float32) *node { return g.Const(pConstF32, uint64(math.Float32bits(v)), 0) }
func (g *gen) f64(v float64) *node { return g.Const(pConstF64, math.Float64bits(v), 0) }
