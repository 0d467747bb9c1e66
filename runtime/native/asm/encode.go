package asm

import (
	"encoding/binary"
	"fmt"
)

// Encode appends the bytes of an instruction. Each instruction has one encoding: VEX where registers below 16, no mask and no spread element allow it (of
// two bytes where it may be), EVEX otherwise; immediates and displacements of 8 bits where the values fit; jumps of 32 bits. An instruction that
// the table does not allow is an error.
func Encode(b []byte, i *Inst) ([]byte, error) {
	if i.Op == 0 || i.Op >= lastOp {
		return b, fmt.Errorf("no instruction has the number %d", i.Op)
	}
	f := &forms()[i.Op]
	if err := f.check(i); err != nil {
		return b, fmt.Errorf("%s: %w", f.name, err)
	}
	if f.legacy {
		return f.encodeLegacy(b, i), nil
	}
	if f.vex && !f.needsEVEX(i) {
		return f.encodeVEX(b, i), nil
	}
	if !f.evex {
		return b, fmt.Errorf("%s: has no form with a mask, a spread element, 512 bits or registers above 15", f.name)
	}
	return f.encodeEVEX(b, i), nil
}

// sized reports whether a form has several widths, of which an instruction must name one.
func (f *form) sized() bool { return f.only == 0 && (f.w4 || f.x || f.y) }

// isVec reports whether an operand is a vector.
func (c class) isVec() bool {
	return c == 'v' || c == 'x' || c == 'y' || c == 'h' || c == 'q' || c == 'e'
}

// limit is how many registers a class has.
func (c class) limit() uint8 {
	switch {
	case c.isVec():
		return 32
	case c == 'k', c == 't':
		return 8
	}
	return 16
}

// check says what of an instruction its form does not allow, fields without meaning included.
func (f *form) check(i *Inst) error {
	if f.only != 0 && i.W != 0 || f.only == 0 && i.W != 0 && !f.has(i.W) || i.W == 0 && f.sized() {
		return fmt.Errorf("has no form of %d bytes", i.W)
	}
	var reg, v, rm uint8
	for _, o := range f.operands {
		n := uint8(0)
		switch o.field {
		case 'R', 'O':
			n, reg = i.Reg, i.Reg
		case 'V':
			n, v = i.V, i.V
		case 'M':
			if i.InMem {
				if f.mem == noMemory {
					return fmt.Errorf("has no form with memory")
				}
				continue
			}
			if f.memOnly {
				return fmt.Errorf("needs an operand in memory")
			}
			n, rm = i.RM, i.RM
		case 'S':
			if i.Imm < 0 || i.Imm > 15 {
				return fmt.Errorf("has no register %d", i.Imm)
			}
		}
		if n >= o.class.limit() {
			return fmt.Errorf("has no register %d", n)
		}
		// SPL, BPL, SIL and DIL need a prefix that AH, CH, DH and BH forbid; all byte operands have it here.
	}
	switch {
	case i.Reg != reg, i.V != v, i.RM != rm, i.InMem && !f.hasM, !i.InMem && i.Mem != (Mem{}):
		return fmt.Errorf("has operands that its form lacks")
	case f.op >= TDPBSSD && f.op <= TDPBUUD && (i.Reg == i.RM || i.Reg == i.V || i.RM == i.V):
		return fmt.Errorf("needs three different tiles")
	case i.Cond > 15, !f.hasCond && i.Cond != 0:
		return fmt.Errorf("has no condition %d", i.Cond)
	case f.imm == 0 && i.Imm != 0, f.imm == 1 && !f.hasS && (i.Imm < -128 || i.Imm > 127), f.imm == 4 && i.Imm != int64(int32(i.Imm)):
		return fmt.Errorf("has no immediate %d", i.Imm)
	case (f.op == ADDI || f.op == ORI || f.op == ANDI || f.op == SUBI || f.op == XORI || f.op == CMPI || f.op == IMULI) && i.Imm >= -128 && i.Imm <= 127:
		return fmt.Errorf("has a form of its own for the immediate %d", i.Imm)
	case f.op == MOVABS && i.Imm == int64(int32(i.Imm)):
		return fmt.Errorf("is for immediates that 32 bits do not hold")
	case i.Mask > 7 || i.Zeroing && i.Mask == 0 || i.Mask != 0 && (!f.evex || f.unmasked), i.Zeroing && (f.storesOrMasks() || i.storesTo(f)):
		return fmt.Errorf("cannot be masked so")
	case i.Spread && (!i.InMem || f.mem != full32 && f.mem != full64 && f.mem != half32):
		return fmt.Errorf("has no spread element")
	}
	if i.InMem {
		if f.mem == tileRows && i.Mem.Scale == 0 {
			return fmt.Errorf("needs an index, the distance of the rows of a tile")
		}
		return i.Mem.check()
	}
	return nil
}

// storesOrMasks reports whether the result is a mask.
func (f *form) storesOrMasks() bool { return len(f.operands) > 0 && f.operands[0].class == 'k' }

// storesTo reports whether the result goes to memory.
func (i *Inst) storesTo(f *form) bool {
	return i.InMem && len(f.operands) > 0 && f.operands[0].field == 'M' && f.op != CMPI && f.op != CMPI8
}

func (m Mem) check() error {
	switch {
	case m.RIP && (m.Base != 0 || m.Index != 0 || m.Scale != 0):
		return fmt.Errorf("an address by RIP has no registers")
	case m.Base > 15 || m.Index > 15 || m.Scale == 0 && m.Index != 0:
		return fmt.Errorf("an address has registers below 16, and an index has a scale")
	case m.Scale != 0 && m.Scale != 1 && m.Scale != 2 && m.Scale != 4 && m.Scale != 8:
		return fmt.Errorf("a scale is 1, 2, 4 or 8, not %d", m.Scale)
	case m.Scale != 0 && m.Index == RSP:
		return fmt.Errorf("rsp cannot be an index")
	}
	return nil
}

// needsEVEX reports whether VEX cannot express an instruction that has both forms.
func (f *form) needsEVEX(i *Inst) bool {
	if f.width(i) == Z || i.Mask != 0 || i.Spread {
		return true
	}
	for _, o := range f.operands {
		if !o.class.isVec() {
			continue
		}
		switch o.field {
		case 'R':
			if i.Reg > 15 {
				return true
			}
		case 'V':
			if i.V > 15 {
				return true
			}
		case 'M':
			if !i.InMem && i.RM > 15 {
				return true
			}
		}
	}
	return false
}

// bits returns the high bits of the register fields: bit 3 of reg, index and base or rm, and bit 4 of reg and rm.
func (i *Inst) bits() (r, x, b, r4, x4 uint8) {
	r, r4 = i.Reg>>3&1, i.Reg>>4
	if i.InMem {
		return r, uint8(i.Mem.Index) >> 3, uint8(i.Mem.Base) >> 3, r4, 0
	}
	return r, 0, i.RM >> 3 & 1, r4, i.RM >> 4
}

func (f *form) encodeLegacy(b []byte, i *Inst) []byte {
	r, x, bb, _, _ := i.bits()
	low := uint8(0)
	if len(f.operands) > 0 && f.operands[0].field == 'O' {
		bb, r, low = i.Reg>>3, 0, i.Reg&7
	}
	if f.prefix != 0 {
		b = append(b, f.prefix)
	}
	w := uint8(0)
	if f.width(i) == 8 {
		w = 1
	}
	// Byte registers from 4 on are those of the low bytes only behind a prefix.
	byteReg := false
	for _, o := range f.operands {
		if o.class == 'b' && (o.field == 'R' && i.Reg >= 4 || o.field == 'M' && !i.InMem && i.RM >= 4) {
			byteReg = true
		}
	}
	if rex := 0x40 | w<<3 | r<<2 | x<<1 | bb; rex != 0x40 || byteReg {
		b = append(b, rex)
	}
	switch f.opmap {
	case 1:
		b = append(b, 0x0f)
	case 2:
		b = append(b, 0x0f, 0x38)
	case 3:
		b = append(b, 0x0f, 0x3a)
	}
	b = append(b, f.opcode|low|uint8(i.Cond))
	return f.rest(b, i, 1)
}

// pp is the mandatory prefix as VEX and EVEX number it.
func (f *form) pp() uint8 {
	switch f.prefix {
	case 0x66:
		return 1
	case 0xf3:
		return 2
	case 0xf2:
		return 3
	}
	return 0
}

func (f *form) encodeVEX(b []byte, i *Inst) []byte {
	r, x, bb, _, _ := i.bits()
	l := uint8(0)
	if f.width(i) == Y {
		l = 1
	}
	last := ^i.V&15<<3 | l<<2 | f.pp()
	if f.opmap == 1 && f.wVEX == 0 && x == 0 && bb == 0 {
		b = append(b, 0xc5, (^r&1)<<7|last, f.opcode)
	} else {
		b = append(b, 0xc4, (^r&1)<<7|(^x&1)<<6|(^bb&1)<<5|f.opmap, f.wVEX<<7|last, f.opcode)
	}
	return f.rest(b, i, 1)
}

func (f *form) encodeEVEX(b []byte, i *Inst) []byte {
	r, x, bb, r4, x4 := i.bits()
	if x4 != 0 { // bit 4 of a register in rm stands where the index's bit does
		x = 1
	}
	var ll, z, s uint8
	switch f.width(i) {
	case Y:
		ll = 1
	case Z:
		ll = 2
	}
	if i.Zeroing {
		z = 1
	}
	if i.Spread {
		s = 1
	}
	b = append(b, 0x62,
		(^r&1)<<7|(^x&1)<<6|(^bb&1)<<5|(^r4&1)<<4|f.opmap,
		f.wEVEX<<7|^i.V&15<<3|4|f.pp(),
		z<<7|ll<<5|s<<4|(^i.V>>4&1)<<3|uint8(i.Mask),
		f.opcode)
	n := int32(f.access(i))
	if n == 0 {
		n = 1
	}
	return f.rest(b, i, n)
}

// rest appends ModRM, SIB, the displacement (in units of n bytes where it has 8 bits) and the immediate.
func (f *form) rest(b []byte, i *Inst, n int32) []byte {
	if f.modrm {
		reg := i.Reg & 7
		if f.ext >= 0 {
			reg = uint8(f.ext)
		}
		reg <<= 3
		if i.InMem {
			b = appendMem(b, reg, i.Mem, n)
		} else {
			b = append(b, 0xc0|reg|i.RM&7)
		}
	}
	switch {
	case f.hasS:
		b = append(b, uint8(i.Imm)<<4)
	case f.imm == 1:
		b = append(b, uint8(i.Imm))
	case f.imm == 4:
		b = binary.LittleEndian.AppendUint32(b, uint32(i.Imm))
	case f.imm == 8:
		b = binary.LittleEndian.AppendUint64(b, uint64(i.Imm))
	}
	return b
}

func appendMem(b []byte, reg uint8, m Mem, n int32) []byte {
	if m.RIP {
		return binary.LittleEndian.AppendUint32(append(b, reg|5), uint32(m.Disp))
	}
	base := uint8(m.Base) & 7
	mod, short := uint8(2), int32(0)
	switch {
	case m.Disp == 0 && base != 5:
		mod = 0
	case m.Disp%n == 0 && m.Disp/n >= -128 && m.Disp/n <= 127:
		mod, short = 1, m.Disp/n
	}
	switch {
	case m.Scale != 0:
		ss := uint8(0)
		for 1<<ss < m.Scale {
			ss++
		}
		b = append(b, mod<<6|reg|4, ss<<6|uint8(m.Index)&7<<3|base)
	case base == 4:
		b = append(b, mod<<6|reg|4, 0x24)
	default:
		b = append(b, mod<<6|reg|base)
	}
	switch mod {
	case 1:
		b = append(b, uint8(short))
	case 2:
		b = binary.LittleEndian.AppendUint32(b, uint32(m.Disp))
	}
	return b
}
