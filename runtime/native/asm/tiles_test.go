package asm

import (
	"strings"
	"testing"
)

var square = [Tiles]Shape{{16, 64}, {16, 64}, {16, 64}, {}, {8, 32}, {8, 32}}

// shaped gives tiles their shapes.
func shaped(c *Code, s [Tiles]Shape) { c.EmitAt(Inst{Op: LDTILECFG}, c.Constant(Shapes(s))) }

// tileAt makes RAX an address of the memory, and RDX a distance of rows.
func tileAt(c *Code, disp int32, distance int64) {
	c.Emit(loadBase)
	c.Emit(Inst{Op: MOV, W: 4, Reg: uint8(RCX), InMem: true, Mem: At(RDI, 16)})
	c.Emit(Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: inBox(RCX, disp)})
	c.Emit(Inst{Op: MOVI32, Reg: uint8(RDX), Imm: distance})
}

func loadTile(reg uint8, m Mem) Inst { return Inst{Op: TILELOADD, Reg: reg, InMem: true, Mem: m} }

func TestVerifyTiles(t *testing.T) {
	rows := Mem{Base: RAX, Index: RDX, Scale: 1}
	changed := func(at int, to byte) func(c *Code) {
		return func(c *Code) {
			b := Shapes(square)
			b[at] = to
			c.EmitAt(Inst{Op: LDTILECFG}, c.Constant(b))
		}
	}
	with := func(emit ...Inst) func(c *Code) {
		return func(c *Code) {
			shaped(c, square)
			tileAt(c, 0, 4096)
			for _, i := range emit {
				c.Emit(i)
			}
			c.Emit(loadTile(1, rows))
		}
	}
	for _, c := range []struct {
		name, want string
		code       func(c *Code)
	}{
		{"product", "", func(c *Code) {
			shaped(c, square)
			tileAt(c, MostTileAddress, MostRowDistance)
			c.Emit(Inst{Op: TILEZERO})
			c.Emit(loadTile(1, rows))
			c.Emit(loadTile(2, Mem{Base: RAX, Index: RDX, Scale: 1, Disp: mostTileOffset}))
			c.Emit(Inst{Op: TDPBUSD, RM: 1, V: 2})
			c.Emit(Inst{Op: TILESTORED, InMem: true, Mem: rows})
			c.Emit(Inst{Op: TILERELEASE})
		}},
		{"no shapes", "tiles need not have shapes", func(c *Code) { tileAt(c, 0, 64); c.Emit(loadTile(1, rows)) }},
		{"shapes given up", "tiles need not have shapes", func(c *Code) {
			shaped(c, square)
			c.Emit(Inst{Op: TILERELEASE})
			c.Emit(Inst{Op: TILEZERO})
		}},
		{"shapes on one of two ways", "tiles need not have shapes", func(c *Code) {
			over := c.Label()
			c.Emit(Inst{Op: TEST, W: 4, Reg: uint8(RDX), RM: uint8(RDX)})
			c.JumpIf(NotEqual, over)
			shaped(c, square)
			c.Bind(over)
			c.Emit(Inst{Op: TILEZERO})
		}},
		{"two shapes", "tiles need not have shapes", func(c *Code) {
			over := c.Label()
			shaped(c, square)
			c.Emit(Inst{Op: TEST, W: 4, Reg: uint8(RDX), RM: uint8(RDX)})
			c.JumpIf(NotEqual, over)
			shaped(c, [Tiles]Shape{{16, 64}})
			c.Bind(over)
			c.Emit(Inst{Op: TILEZERO})
		}},
		{"a tile without a shape", "the tile has no shape", func(c *Code) { shaped(c, square); c.Emit(Inst{Op: TILEZERO, Reg: 3}) }},
		{"shapes that do not fit", "shapes do not fit: 8 rows of 32 bytes", func(c *Code) { shaped(c, square); c.Emit(Inst{Op: TDPBSSD, RM: 4, V: 5}) }},
		{"a factor without a shape", "shapes do not fit", func(c *Code) { shaped(c, square); c.Emit(Inst{Op: TDPBUUD, RM: 1, V: 3}) }},
		{"shapes in the memory", "shapes of tiles are constants", func(c *Code) {
			tileAt(c, 0, 64)
			c.Emit(Inst{Op: LDTILECFG, InMem: true, Mem: inBox(RCX, 0)})
		}},
		{"shapes in the code", "shapes of tiles are constants", func(c *Code) { c.Emit(Inst{Op: LDTILECFG, InMem: true, Mem: Mem{RIP: true, Disp: -8}}) }},
		{"shapes behind the constants", "shapes of tiles are constants", func(c *Code) { c.EmitAt(Inst{Op: LDTILECFG}, c.Constant(make([]byte, 32))) }},
		{"another kind", "beside the shapes", changed(0, 2)},
		{"a row to start from", "beside the shapes", changed(1, 1)},
		{"a ninth tile", "beside the shapes", changed(rowsAt+8, 1)},
		{"too many rows", "tile 0 has 17 rows", changed(rowsAt, 17)},
		{"rows too long", "tile 1 has 16 rows of 65 bytes", changed(rowBytesAt+2, 65)},
		{"rows of bytes", "of 63 bytes", changed(rowBytesAt+2, 63)},
		{"no rows", "tile 0 has 0 rows", changed(rowsAt, 0)},
		{"an address", "", with()},
		{"changed", "rax need not hold an address", with(Inst{Op: ADDI8, W: 8, RM: uint8(RAX), Imm: 1})},
		{"not of 64 bits", "rax need not hold an address", with(Inst{Op: LEA, W: 4, Reg: uint8(RAX), InMem: true, Mem: inBox(RCX, 0)})},
		{"from another register", "rax need not hold an address", with(Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: At(R15, 0)})},
		{"of a wide index", "rax need not hold an address", with(Inst{Op: NOT, W: 8, RM: uint8(RCX)}, Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: inBox(RCX, 0)})},
		{"too far", "rax need not hold an address", with(Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: inBox(RCX, MostTileAddress+1)})},
		{"in place of its index", "", with(Inst{Op: LEA, W: 8, Reg: uint8(RCX), InMem: true, Mem: inBox(RCX, 0)}, loadTile(2, Mem{Base: RCX, Index: RDX, Scale: 1}))},
		{"a distance changed", "rdx need not hold a constant", with(Inst{Op: SHLI, W: 4, RM: uint8(RDX), Imm: 1})},
		{"a distance by nothing", "rdx need not hold a constant", with(Inst{Op: SHLI, W: 4, RM: uint8(RDX)})},
		{"a distance from memory", "rdx need not hold a constant", with(Inst{Op: MOV, W: 4, Reg: uint8(RDX), InMem: true, Mem: At(RDI, 16)})},
		{"a distance too long", "rdx need not hold a constant", with(Inst{Op: MOVI32, Reg: uint8(RDX), Imm: MostRowDistance + 1})},
		{"a distance below zero", "rdx need not hold a constant", with(Inst{Op: MOVI32, Reg: uint8(RDX), Imm: -1})},
		{"divided", "rdx need not hold a constant", with(Inst{Op: DIV, W: 4, RM: uint8(RCX)}, Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: inBox(RCX, 0)})},
		{"its sign", "rdx need not hold a constant", with(Inst{Op: CDQ})},
		{"times two", "rows of a tile lie at", with(loadTile(1, Mem{Base: RAX, Index: RDX, Scale: 2}))},
		{"before", "rows of a tile lie at", with(loadTile(1, Mem{Base: RAX, Index: RDX, Scale: 1, Disp: -1}))},
		{"behind", "rows of a tile lie at", with(loadTile(1, Mem{Base: RAX, Index: RDX, Scale: 1, Disp: mostTileOffset + 1}))},
		{"by another address", "r15 need not hold an address", with(Inst{Op: TILESTORED, InMem: true, Mem: Mem{Base: R15, Index: RDX, Scale: 1}})},
	} {
		_, err := Verify(program(t, c.code), testBox)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, and not %q", c.name, err, c.want)
		}
	}
	for _, i := range []Inst{
		{Op: TDPBSSD},
		{Op: TDPBSUD, RM: 1, V: 1},
		{Op: TDPBUSD, Reg: 2, RM: 2, V: 1},
		{Op: TDPBUUD, Reg: 2, RM: 1, V: 2}, // the same tile twice
		{Op: TILEZERO, Reg: 8},
		loadTile(1, At(RAX, 0)), // no distance of rows
	} {
		if b, err := Encode(nil, &i); err == nil {
			t.Errorf("%+v was encoded: % x", i, b)
		}
	}
}
