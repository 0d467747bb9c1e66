package asm

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// field is the place of an operand in an encoding.
type field byte

// class is the kind and size of an operand's register.
type class byte

// tuple says how much memory an operand stands for, and with it the factor by which EVEX shortens displacements.
type tuple uint8

const (
	noMemory tuple = iota
	full           // the width
	half
	quarter
	eighth
	full32 // the width, or one element of 4 bytes spread
	full64
	half32
	ofReg    // as many bytes as the general register has
	address  // no access
	tileRows // of a tile, as many bytes apart as the index says
	fixed    // form.bytes
)

type operand struct {
	field field
	class class
}

// form is a parsed row.
type form struct {
	name               string
	legacy, vex, evex  bool
	unmasked           bool
	prefix             byte  // 0, 0x66, 0xf3, 0xf2
	opmap              uint8 // 0, 1 for 0f, 2 for 0f38, 3 for 0f3a
	wVEX, wEVEX        uint8
	opcode             byte
	ext                int8 // what stands in ModRM.reg, -1 for an operand
	w1, w2, w4, w8     bool // widths of general registers
	x, y, z            bool
	only               Width // the width where a form has one: then Inst.W is 0
	operands           []operand
	modrm              bool
	mem                tuple
	bytes              uint8 // of memory where mem is fixed
	memOnly            bool
	imm                uint8 // bytes of the immediate, the distance of a jump included
	op                 Op
	hasReg, hasV, hasM bool
	hasS, hasCond      bool
}

// forms holds the parsed table by Op.
var forms = sync.OnceValue(func() []form {
	out := make([]form, lastOp)
	for op := Op(1); op < lastOp; op++ {
		out[op] = parseRow(op, rows[op])
	}
	return out
})

var tuples = map[string]tuple{
	"full": full, "half": half, "quarter": quarter, "eighth": eighth, "f32": full32, "f64": full64, "h32": half32, "g": ofReg, "any": address, "rows": tileRows,
}

func parseRow(op Op, r row) form {
	e := strings.Fields(r.encoding)
	f := form{op: op, name: r.name, ext: -1}
	for _, k := range e[0] {
		switch k {
		case 'l':
			f.legacy = true
		case 'v':
			f.vex = true
		case 'e':
			f.evex = true
		case 'u':
			f.unmasked = true
		}
	}
	f.prefix = map[string]byte{"np": 0, "66": 0x66, "f3": 0xf3, "f2": 0xf2}[e[1]]
	f.opmap = map[string]uint8{"-": 0, "0f": 1, "0f38": 2, "0f3a": 3}[e[2]]
	switch e[3] {
	case "w1":
		f.wVEX, f.wEVEX = 1, 1
	case "i1":
		f.wEVEX = 1
	}
	code, ext, extended := strings.Cut(e[4], "/")
	n, err := strconv.ParseUint(code, 16, 8)
	if err != nil {
		panic(fmt.Sprintf("asm: row %s: %v", r.name, err))
	}
	f.opcode = byte(n)
	if extended {
		f.ext = int8(ext[0] - '0')
		f.modrm = true
	}
	for _, w := range e[5] {
		switch w {
		case 'x':
			f.x = true
		case 'y':
			f.y = true
		case 'z':
			f.z = true
		case '1':
			f.w1 = true
		case '2':
			f.w2 = true
		case '4':
			f.w4 = true
		case '8':
			f.w8 = true
		}
	}
	for _, w := range []Width{1, 2, 4, 8, X, Y, Z} {
		if f.has(w) {
			if f.only != 0 {
				f.only = 0
				break
			}
			f.only = w
		}
	}
	for _, o := range strings.Fields(r.operands) {
		o, mem, inMem := strings.Cut(o, "/")
		c := class('-')
		if len(o) > 1 {
			c = class(o[1])
		}
		f.operands = append(f.operands, operand{field(o[0]), c})
		switch o[0] {
		case 'R':
			f.hasReg, f.modrm = true, true
		case 'V':
			f.hasV = true
		case 'M':
			f.hasM, f.modrm, f.memOnly = true, true, c == '-'
			if !inMem {
				break
			}
			if f.mem = tuples[mem]; f.mem == noMemory {
				n, _ := strconv.Atoi(mem[1:])
				f.mem, f.bytes = fixed, uint8(n)
			}
		case 'S':
			f.hasS, f.imm = true, 1
		case 'I':
			f.imm = 1
		case 'J', 'T':
			f.imm = 4
		case 'Q':
			f.imm = 8
		case 'C':
			f.hasCond = true
		}
	}
	return f
}

// access is the number of bytes that the memory operand of i covers, 0 where it is an address only, or the rows of a tile.
func (f *form) access(i *Inst) int {
	if i.Spread {
		if f.mem == full64 {
			return 8
		}
		return 4
	}
	switch f.mem {
	case full, full32, full64, ofReg:
		return int(f.width(i))
	case half, half32:
		return int(f.width(i)) / 2
	case quarter:
		return int(f.width(i)) / 4
	case eighth:
		return int(f.width(i)) / 8
	case fixed:
		return int(f.bytes)
	}
	return 0
}

// has reports whether a form has a width.
func (f *form) has(w Width) bool {
	switch w {
	case 1:
		return f.w1
	case 2:
		return f.w2
	case 4:
		return f.w4
	case 8:
		return f.w8
	case X:
		return f.x
	case Y:
		return f.y
	case Z:
		return f.z
	}
	return false
}

// width is the size of an instruction of a form.
func (f *form) width(i *Inst) Width {
	if f.only != 0 {
		return f.only
	}
	return i.W
}

// Sized reports whether an instruction has several widths, of which Inst.W must name one.
func (o Op) Sized() bool { return forms()[o].sized() }

// SpreadsWords reports whether the operand of an instruction in memory may be an element of 32 bits that is spread over all lanes.
func (o Op) SpreadsWords() bool { return forms()[o].mem == full32 }
