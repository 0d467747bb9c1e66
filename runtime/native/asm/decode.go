package asm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// encodings of the table by prefix kind, mandatory prefix, map and opcode.
type key struct {
	kind   byte // l, v, e
	prefix byte
	opmap  uint8
	opcode byte
}

var byKey = sync.OnceValue(func() map[key][]*form {
	out := map[key][]*form{}
	all := forms()
	for i := range all[1:] {
		f := &all[i+1]
		add := func(kind, opcode byte) {
			k := key{kind, f.prefix, f.opmap, opcode}
			out[k] = append(out[k], f)
		}
		codes := 1
		switch {
		case f.hasCond:
			codes = 16
		case len(f.operands) > 0 && f.operands[0].field == 'O':
			codes = 8
		}
		for c := range codes {
			if f.legacy {
				add('l', f.opcode+byte(c))
			}
		}
		if f.vex {
			add('v', f.opcode)
		}
		if f.evex {
			add('e', f.opcode)
		}
	}
	return out
})

var errShort = errors.New("the code ends within an instruction")

// raw is what stands in front of ModRM.
type raw struct {
	key
	w, r, x, b, r4, v4, v, l, z, s, mask uint8
	n                                    int // bytes read
}

// Decode reads the instruction at the start of b and its length. It accepts what Encode gives, and nothing else: not other instructions, not another encoding of
// the same one.
func Decode(b []byte) (Inst, int, error) {
	p, err := prefixes(b)
	if err != nil {
		return Inst{}, 0, err
	}
	for _, f := range byKey()[p.key] {
		i, n, err := f.decode(b, p)
		if err != nil {
			if errors.Is(err, errShort) {
				return Inst{}, 0, err
			}
			continue
		}
		var buf [16]byte
		e, err := Encode(buf[:0], &i)
		if err == nil && bytes.Equal(e, b[:n]) {
			return i, n, nil
		}
	}
	return Inst{}, 0, fmt.Errorf("% x is no instruction that kernels have", b[:min(len(b), 12)])
}

func prefixes(b []byte) (raw, error) {
	p := raw{key: key{kind: 'l'}}
	next := func() byte {
		p.n++
		if p.n > len(b) {
			return 0
		}
		return b[p.n-1]
	}
	c := next()
	switch c {
	case 0xc5:
		c = next()
		p.kind, p.opmap, p.r = 'v', 1, ^c>>7
		p.vexLast(c &^ 0x80)
		p.opcode = next()
	case 0xc4:
		c = next()
		p.kind, p.opmap, p.r, p.x, p.b = 'v', c&31, ^c>>7, ^c>>6&1, ^c>>5&1
		c = next()
		p.w = c >> 7
		p.vexLast(c &^ 0x80)
		p.opcode = next()
	case 0x62:
		c = next()
		p.kind, p.opmap, p.r, p.x, p.b, p.r4 = 'e', c&15, ^c>>7, ^c>>6&1, ^c>>5&1, ^c>>4&1
		c = next()
		p.w, p.v, p.prefix = c>>7, ^c>>3&15, mandatory(c&3)
		c = next()
		p.z, p.l, p.s, p.v4, p.mask = c>>7, c>>5&3, c>>4&1, ^c>>3&1, c&7
		p.opcode = next()
	default:
		if c == 0x66 || c == 0xf2 || c == 0xf3 {
			p.prefix = c
			c = next()
		}
		if c&0xf0 == 0x40 {
			p.w, p.r, p.x, p.b = c>>3&1, c>>2&1, c>>1&1, c&1
			c = next()
		}
		if c == 0x0f {
			p.opmap = 1
			if c = next(); c == 0x38 || c == 0x3a {
				p.opmap = 2 + c>>1&1
				c = next()
			}
		}
		p.opcode = c
	}
	if p.n > len(b) {
		return p, errShort
	}
	return p, nil
}

func mandatory(pp uint8) byte { return [4]byte{0, 0x66, 0xf3, 0xf2}[pp] }

func (p *raw) vexLast(c byte) { p.v, p.l, p.prefix = ^c>>3&15, c>>2&1, mandatory(c&3) }

// decode fills an instruction of a form. What does not fit shows when it is encoded again.
func (f *form) decode(b []byte, p raw) (Inst, int, error) {
	i := Inst{Op: f.op, V: p.v | p.v4<<4, Mask: Mask(p.mask), Zeroing: p.z != 0, Spread: p.s != 0}
	switch {
	case f.only != 0:
	case f.legacy && f.w4 && p.w == 0:
		i.W = 4
	case f.legacy && f.w8:
		i.W = 8
	case !f.legacy:
		i.W = [4]Width{X, Y, Z, 0}[p.l]
	}
	if f.hasCond {
		i.Cond = Cond(p.opcode & 15)
	}
	if len(f.operands) > 0 && f.operands[0].field == 'O' {
		i.Reg = p.opcode&7 | p.b<<3
	}
	n := p.n
	if f.modrm {
		if n >= len(b) {
			return i, 0, errShort
		}
		c := b[n]
		n++
		if f.ext >= 0 && c>>3&7 != uint8(f.ext) {
			return i, 0, errors.New("another instruction")
		}
		if f.hasReg {
			i.Reg = c>>3&7 | p.r<<3 | p.r4<<4
		}
		if c>>6 == 3 {
			i.RM = c&7 | p.b<<3
			if p.kind == 'e' {
				i.RM |= p.x << 4
			}
		} else {
			i.InMem = true
			scale := int32(1)
			if p.kind == 'e' {
				scale = max(1, int32(f.access(&i)))
			}
			var err error
			if i.Mem, n, err = readMem(b, n, c, p, scale); err != nil {
				return i, 0, err
			}
		}
	}
	if n+int(f.imm) > len(b) {
		return i, 0, errShort
	}
	switch {
	case f.hasS:
		i.Imm = int64(b[n] >> 4)
	case f.imm == 1:
		i.Imm = int64(int8(b[n]))
	case f.imm == 4:
		i.Imm = int64(int32(binary.LittleEndian.Uint32(b[n:])))
	case f.imm == 8:
		i.Imm = int64(binary.LittleEndian.Uint64(b[n:]))
	}
	return i, n + int(f.imm), nil
}

func readMem(b []byte, n int, c byte, p raw, scale int32) (Mem, int, error) {
	var m Mem
	mod, rm := c>>6, c&7
	base := rm
	if rm == 4 {
		if n >= len(b) {
			return m, 0, errShort
		}
		s := b[n]
		n++
		base = s & 7
		if index := s>>3&7 | p.x<<3; index != 4 {
			m.Index, m.Scale = Reg(index), 1<<(s>>6)
		}
	}
	m.Base = Reg(base | p.b<<3)
	bytes := 0
	switch {
	case mod == 0 && rm == 5:
		m.Base, m.RIP, bytes = 0, true, 4
	case mod == 1:
		bytes = 1
	case mod == 2:
		bytes = 4
	}
	if n+bytes > len(b) {
		return m, 0, errShort
	}
	switch bytes {
	case 1:
		m.Disp = int32(int8(b[n])) * scale
	case 4:
		m.Disp = int32(binary.LittleEndian.Uint32(b[n:]))
	}
	return m, n + bytes, nil
}
