package asm

import (
	"encoding/binary"
	"fmt"
)

// Shape is that of a tile: rows of so many bytes, both 0 for one that is not used.
type Shape struct {
	Rows  uint8
	Bytes uint16
}

// Limits of shapes, of which each of Tiles registers has one.
const (
	Tiles        = 8
	MostRows     = 16
	MostRowBytes = 64
)

// shapesBytes is the size of what LDTILECFG reads: the number of the kind, the row to start from, 14 bytes that are zero, the bytes of rows of 16 tiles, and their rows.
const (
	shapesBytes = 64
	rowBytesAt  = 16
	rowsAt      = 48
)

// Shapes is what LDTILECFG reads to give tiles their shapes.
func Shapes(shapes [Tiles]Shape) []byte {
	b := make([]byte, shapesBytes)
	b[0] = 1
	for k, s := range shapes {
		binary.LittleEndian.PutUint16(b[rowBytesAt+2*k:], s.Bytes)
		b[rowsAt+k] = s.Rows
	}
	return b
}

// shapesOf reads shapes, which must be whole: others make LDTILECFG, or the instructions on tiles, trap.
func shapesOf(b []byte) (out [Tiles]Shape, err error) {
	for k := range out {
		s := Shape{Rows: b[rowsAt+k], Bytes: binary.LittleEndian.Uint16(b[rowBytesAt+2*k:])}
		if s.Rows > MostRows || s.Bytes > MostRowBytes || s.Bytes%4 != 0 || (s.Rows == 0) != (s.Bytes == 0) {
			return out, fmt.Errorf("tile %d has %d rows of %d bytes, expected up to %d rows of up to %d, by words", k, s.Rows, s.Bytes, MostRows, MostRowBytes)
		}
		out[k] = s
	}
	if string(b) != string(Shapes(out)) {
		return out, fmt.Errorf("bytes beside the shapes of %d tiles are not what they must be", Tiles)
	}
	return out, nil
}

// What tiles load and store lies at [Base + offset], [Base + Index + offset] and so on: the base register holds an address within the reach of the sandbox, as LEA
// makes it of the sandbox's base, a register whose upper half is zero and an offset up to MostTileAddress, and the index register a constant, the distance of
// rows. The limits are such that all rows lie in the guards.
const (
	MostRowDistance = 1<<16 - 1
	MostTileAddress = 1<<31 - 1 - mostTileOffset - MostRows*(MostRowDistance+1)
	mostTileOffset  = 1 << 20
)

// tiles checks an instruction on tiles, and returns what is known behind it.
func (v *verifier) tiles(l *line, f facts) (facts, error) {
	i := &l.inst
	switch i.Op {
	case LDTILECFG:
		at := l.end + int(i.Mem.Disp)
		if !i.Mem.RIP || at < v.text || at+shapesBytes > v.size {
			return f, errorAt(l, "shapes of tiles are constants")
		}
		shapes, err := shapesOf(v.bytes[at : at+shapesBytes])
		if err != nil {
			return f, errorAt(l, "%v", err)
		}
		if v.shapes == nil {
			v.shapes = map[int32][Tiles]Shape{}
		}
		f.shapes = int32(at)
		v.shapes[f.shapes] = shapes
		return f, nil
	case TILERELEASE:
		f.shapes = 0
		return f, nil
	}
	if f.shapes == 0 {
		return f, errorAt(l, "tiles need not have shapes here")
	}
	shapes := v.shapes[f.shapes]
	d := shapes[i.Reg]
	switch i.Op {
	case TILEZERO:
	case TILELOADD, TILESTORED:
		m := i.Mem
		switch {
		case m.RIP || m.Scale != 1 || m.Disp < 0 || m.Disp > mostTileOffset:
			return f, errorAt(l, "rows of a tile lie at [address + distance*1 + offset], with an offset up to %d", mostTileOffset)
		case f.inside>>m.Base&1 == 0:
			return f, errorAt(l, "%v need not hold an address of the memory here", m.Base)
		case f.short>>m.Index&1 == 0:
			return f, errorAt(l, "%v need not hold a constant from 0 to %d here", m.Index, MostRowDistance)
		}
	default:
		x, y := shapes[i.RM], shapes[i.V]
		if y.Rows == 0 || uint16(y.Rows)*4 != x.Bytes || d.Rows != x.Rows || d.Bytes != y.Bytes {
			return f, errorAt(l, "shapes do not fit: %d rows of %d bytes, by %d of %d, to %d of %d", x.Rows, x.Bytes, y.Rows, y.Bytes, d.Rows, d.Bytes)
		}
	}
	if d.Rows == 0 {
		return f, errorAt(l, "the tile has no shape here")
	}
	return f, nil
}

// addresses reports whether an instruction makes an address from which rows of tiles may be reached.
func (v *verifier) addresses(i *Inst, f facts) bool {
	m := i.Mem
	return i.Op == LEA && i.W == 8 && m.Base == v.box.Base && m.Scale == 1 && f.base && f.narrow>>m.Index&1 == 1 && m.Disp <= MostTileAddress
}

// onTiles reports whether an instruction is one of AMX.
func (o Op) onTiles() bool { return o >= LDTILECFG && o <= TDPBUUD }
