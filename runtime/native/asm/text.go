package asm

import (
	"fmt"
	"strings"
)

var (
	names64 = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	names32 = [16]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
	names16 = [16]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"}
	names8  = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}
	conds   = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}
)

func (r Reg) String() string { return names64[r&15] }

// Name is the instruction's name in the manual; conditional ones lack their condition.
func (o Op) Name() string {
	if o == 0 || o >= lastOp {
		return "?"
	}
	return rows[o].name
}

// String is the instruction in Intel's syntax, as GNU as reads it behind .intel_syntax noprefix. Jumps show their distance from the
// instruction's end.
func (i Inst) String() string { return i.Text("") }

// Text is String with a jump's target, or the address by RIP, named.
func (i Inst) Text(target string) string {
	if i.Op == 0 || i.Op >= lastOp {
		return "?"
	}
	f := &forms()[i.Op]
	var s strings.Builder
	s.WriteString(f.name)
	if f.hasCond {
		s.WriteString(conds[i.Cond&15])
	}
	n := 0
	for _, o := range f.operands {
		if o.field == 'C' {
			continue
		}
		if n == 0 {
			s.WriteByte(' ')
		} else {
			s.WriteString(", ")
		}
		i.operand(&s, f, o, target)
		if n == 0 && i.Mask != 0 {
			fmt.Fprintf(&s, "{k%d}", i.Mask)
			if i.Zeroing {
				s.WriteString("{z}")
			}
		}
		n++
	}
	return s.String()
}

func (i *Inst) operand(s *strings.Builder, f *form, o operand, target string) {
	switch o.field {
	case 'R', 'O':
		s.WriteString(o.class.name(i.Reg, f.width(i)))
	case 'V':
		s.WriteString(o.class.name(i.V, f.width(i)))
	case 'S':
		s.WriteString(o.class.name(uint8(i.Imm), f.width(i)))
	case 'L':
		s.WriteString("cl")
	case 'M':
		if !i.InMem {
			s.WriteString(o.class.name(i.RM, f.width(i)))
			return
		}
		n := f.access(i)
		if f.mem == fixed && n > int(f.width(i)) { // shapes of tiles, which no register holds
			n = 0
		}
		s.WriteString(map[int]string{0: "", 1: "byte ptr ", 2: "word ptr ", 4: "dword ptr ", 8: "qword ptr ", 16: "xmmword ptr ", 32: "ymmword ptr ", 64: "zmmword ptr "}[n])
		if i.Mem.RIP && target != "" {
			fmt.Fprintf(s, "[rip+%s]", target)
			return
		}
		s.WriteString(i.Mem.String())
		if i.Spread {
			w := int(f.width(i))
			if f.mem == half32 {
				w /= 2
			}
			fmt.Fprintf(s, "{1to%d}", w/n)
		}
	case 'T':
		if target != "" {
			s.WriteString(target)
			return
		}
		fmt.Fprintf(s, "%+d", i.Imm)
	default:
		fmt.Fprintf(s, "%d", i.Imm)
	}
}

func (m Mem) String() string {
	s := "[" + m.Base.String()
	if m.RIP {
		s = "[rip"
	}
	if m.Scale != 0 {
		s += fmt.Sprintf("+%s*%d", m.Index, m.Scale)
	}
	if m.Disp != 0 || m.RIP {
		s += fmt.Sprintf("%+d", m.Disp)
	}
	return s + "]"
}

// name is a register of a class in an operation of a width.
func (c class) name(n uint8, w Width) string {
	switch c {
	case 'h':
		w = max(w/2, X)
	case 'q', 'e':
		w = max(w/map[class]Width{'q': 4, 'e': 8}[c], X)
	case 'x':
		w = X
	case 'y':
		w = Y
	case 'k':
		return fmt.Sprintf("k%d", n)
	case 't':
		return fmt.Sprintf("tmm%d", n)
	case 'b':
		return names8[n&15]
	case 'w':
		return names16[n&15]
	case 'd':
		return names32[n&15]
	case 'l':
		return names64[n&15]
	case 'g':
		switch w {
		case 1:
			return names8[n&15]
		case 2:
			return names16[n&15]
		case 8:
			return names64[n&15]
		}
		return names32[n&15]
	}
	switch w {
	case Y:
		return fmt.Sprintf("ymm%d", n)
	case Z:
		return fmt.Sprintf("zmm%d", n)
	}
	return fmt.Sprintf("xmm%d", n)
}
