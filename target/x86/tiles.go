package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native/asm"
)

// tiles are the registers of AMX. A function gives them their shapes wherever it is entered, as the host, and kernels that it runs, may have others, and gives them up where it is left: a
// system saves those that are in use.
func (g *gen) tiles() *lower.Tiles {
	return &lower.Tiles{
		Registers: asm.Tiles, Rows: asm.MostRows, Words: asm.MostRowBytes / 4, Distance: asm.MostRowDistance,
		Shape: func(shapes []lower.TileShape) bool {
			var all [asm.Tiles]asm.Shape
			for k, s := range shapes {
				all[k] = asm.Shape{Rows: uint8(s.Rows), Bytes: uint16(4 * s.Words)}
			}
			b := string(asm.Shapes(all))
			if g.shapes == "" {
				g.shapes = b
			}
			return g.shapes == b
		},
		Zero:  func(reg int) { g.Add(item{Kind: lower.ItemTile, Op: cTileZero, Lane: uint8(reg)}) },
		Load:  func(reg int, at lower.Access, distance int64) { g.tile(cTileLoad, reg, at, distance) },
		Store: func(reg int, at lower.Access, distance int64) { g.tile(cTileStore, reg, at, distance) },
		Add: func(sum, x, y int, signedX, signedY bool) {
			g.Add(item{Kind: lower.ItemTile, Op: cTileAdd, Lane: uint8(sum), Imm: uint64(tileSum{x, y, signedX, signedY}.pack())})
		},
	}
}

func (g *gen) tile(o op, reg int, at lower.Access, distance int64) {
	n := at.Address
	if at.Offset > asm.MostTileAddress {
		n, at.Offset = g.Fn(lower.Add, n, g.i32(int32(at.Offset))), 0
	}
	g.Add(item{Kind: lower.ItemTile, Op: o, Lane: uint8(reg), Args: g.Operands(n, g.i32(int32(distance))), Imm: at.Offset})
}

// tileSum says what is multiplied, and which bytes have signs.
type tileSum struct {
	x, y             int
	signedX, signedY bool
}

func (t tileSum) pack() int64 {
	n := int64(t.x | t.y<<8)
	if t.signedX {
		n |= 1 << 16
	}
	if t.signedY {
		n |= 1 << 17
	}
	return n
}

var tileSums = [4]asm.Op{asm.TDPBUUD, asm.TDPBSUD, asm.TDPBUSD, asm.TDPBSSD}

// tile writes an item on tiles.
func (l *linear) tile(it *item) {
	i := inst{op: it.Op, dst: none, args: [3]vreg{none, none, none}, index: none, tile: it.Lane}
	if len(it.Args) > 0 {
		i.mem = boxMem
		i.index, i.disp = l.address(it.Args[0], it.Imm)
		i.Imm, _ = it.Args[1].Int()
	} else {
		i.Imm = int64(it.Imm)
	}
	l.add(i)
}

// tile writes an instruction on tiles: the address of what it moves is computed first, as the verifier wants it.
func (e *emitter) tile(i *inst) {
	switch code(i.op) {
	case cTileZero:
		e.c.Emit(asm.Inst{Op: asm.TILEZERO, Reg: i.tile})
		return
	case cTileAdd:
		e.c.Emit(asm.Inst{Op: tileSums[i.Imm>>16&3], Reg: i.tile, RM: uint8(i.Imm & 255), V: uint8(i.Imm >> 8 & 255)})
		return
	}
	o := asm.TILELOADD
	if code(i.op) == cTileStore {
		o = asm.TILESTORED
	}
	at, distance := e.scratchReg(false, 1), e.scratchReg(false, 0)
	e.c.Emit(asm.Inst{Op: asm.LEA, W: 8, Reg: at, InMem: true, Mem: e.memory(i).mem})
	e.c.Emit(asm.Inst{Op: asm.MOVI32, Reg: distance, Imm: i.Imm})
	e.c.Emit(asm.Inst{Op: o, Reg: i.tile, InMem: true, Mem: asm.Mem{Base: asm.Reg(at), Index: asm.Reg(distance), Scale: 1}})
}

// shape gives tiles their shapes, where the function uses any.
func (e *emitter) shape() {
	if e.l.g.shapes != "" {
		e.c.EmitAt(asm.Inst{Op: asm.LDTILECFG}, e.c.Constant([]byte(e.l.g.shapes)))
	}
}

// release gives them up.
func (e *emitter) release() {
	if e.l.g.shapes != "" {
		e.c.Emit(asm.Inst{Op: asm.TILERELEASE})
	}
}
