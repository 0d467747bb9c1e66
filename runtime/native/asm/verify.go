package asm

import "fmt"

// Sandbox says what code may touch. Everything in it is in bytes.
//
// Memory is that of a device: a reservation of 4 GiB at the address in Base, with guards of Guard bytes before and behind it. It is reached only
// as [Base + index*1 + disp], where the upper half of the index register is zero, so that an address lies between Base - 2 GiB and Base + 6 GiB.
//
// The frame is a piece of memory that the caller gives for a call, at the address in Frame: code reads its first Frozen bytes, which hold the address of the device's memory among
// others, and reads and writes those from there to Size.
type Sandbox struct {
	Base, Frame  Reg
	BaseAt       int32 // where in the frame the address of the memory is
	Frozen, Size int32
}

// Verify reads the code of a blob as that of an enemy. It returns nil only if, from any entry, all that can be executed are instructions of the table that
//
//   - touch memory within the sandbox, its guards and the blob's own constants (which are only read),
//   - leave RSP, RBP and R14, which Go's runtime needs, and the direction flag and the control of floats alone, and call nothing,
//   - jump only to instructions that are checked too, and leave by a return.
//
// It does not promise that code ends, nor that divisions do not trap.
//
// It follows what is known of each general register (its upper half is zero; it is the sandbox's base) along jumps until nothing changes: linear in the
// number of instructions, times at most the number of facts that can be lost.
//
// It returns the features that a processor needs for any of its instructions.
func Verify(b *Blob, box Sandbox) (Features, error) {
	n, err := Inspect(b, box)
	return n.Features, err
}

// Needs is what code that was verified needs.
type Needs struct {
	Features Features
	Frame    int // the bytes of the frame, from its beginning, that it may touch
}

// Inspect is Verify and says more of what code needs.
func Inspect(b *Blob, box Sandbox) (Needs, error) {
	v, err := verify(b, box)
	if err != nil {
		return Needs{}, err
	}
	return Needs{Features: v.needs, Frame: v.frame}, nil
}

func verify(b *Blob, box Sandbox) (*verifier, error) {
	if b.Text < 0 || b.Text > len(b.Bytes) {
		return nil, fmt.Errorf("the code is said to have %d bytes of %d", b.Text, len(b.Bytes))
	}
	v := &verifier{box: box, bytes: b.Bytes, size: len(b.Bytes), text: b.Text, start: make([]int32, b.Text)}
	if err := v.read(b.Bytes[:b.Text]); err != nil {
		return nil, err
	}
	for _, e := range b.Entries {
		if err := v.enter(e, 0, facts{}); err != nil {
			return nil, fmt.Errorf("entry: %w", err)
		}
	}
	return v, v.run()
}

// facts are what is known at a place: bits by register.
type facts struct {
	narrow uint16 // the upper half is zero
	inside uint16 // it holds an address that LEA made within the reach of the sandbox
	short  uint16 // it holds a constant that may be the distance of rows of a tile
	base   bool   // the register of the sandbox's base holds it
	shapes int32  // where in the blob the shapes are that tiles have, 0 where they need not have any
}

func (f facts) meet(g facts) facts {
	if f.shapes != g.shapes {
		f.shapes = 0
	}
	return facts{f.narrow & g.narrow, f.inside & g.inside, f.short & g.short, f.base && g.base, f.shapes}
}

// averageLength is about how many bytes an instruction of a kernel has at least, on average: no part of what is checked.
const averageLength = 6

type line struct {
	inst    Inst
	at, end int
	seen    bool
	in      facts
}

type verifier struct {
	box        Sandbox
	bytes      []byte
	size, text int
	start      []int32 // the number of the line that starts at an offset, plus one
	lines      []line
	work       []int
	steps      int
	needs      Features
	shapes     map[int32][Tiles]Shape // by where they are
	frame      int                    // the bytes of the frame that lines seen so far touch
}

// errorAt is an error at an instruction.
func errorAt(l *line, format string, args ...any) error {
	return fmt.Errorf("%#x: %v: %s", l.at, l.inst, fmt.Sprintf(format, args...))
}

func (v *verifier) read(code []byte) error {
	v.lines = make([]line, 0, len(code)/averageLength+1)
	for at := 0; at < len(code); {
		i, n, err := Decode(code[at:])
		if err != nil {
			return fmt.Errorf("%#x: %w", at, err)
		}
		v.needs = v.needs.or(forms()[i.Op].needs(&i))
		v.lines = append(v.lines, line{inst: i, at: at, end: at + n})
		v.start[at] = int32(len(v.lines))
		at += n
	}
	return nil
}

// enter says that control may come to an offset with facts.
func (v *verifier) enter(to int, from int, f facts) error {
	if to < 0 || to >= v.text || v.start[to] == 0 {
		return fmt.Errorf("%#x: control goes to %#x, where no instruction starts", from, to)
	}
	k := int(v.start[to]) - 1
	l := &v.lines[k]
	g := f
	if l.seen {
		g = l.in.meet(f)
		if g == l.in {
			return nil
		}
	}
	l.seen, l.in = true, g
	v.work = append(v.work, k)
	return nil
}

func (v *verifier) run() error {
	for len(v.work) > 0 {
		k := v.work[len(v.work)-1]
		v.work = v.work[:len(v.work)-1]
		f := v.lines[k].in
		for {
			v.steps++
			l := &v.lines[k]
			out, err := v.step(l, f)
			if err != nil {
				return err
			}
			switch l.inst.Op {
			case RET:
			case JMP:
				if err := v.enter(l.end+int(l.inst.Imm), l.at, out); err != nil {
					return err
				}
			case JCC:
				if err := v.enter(l.end+int(l.inst.Imm), l.at, out); err != nil {
					return err
				}
				if err := v.enter(l.end, l.at, out); err != nil {
					return err
				}
			default:
				// On to the next line, unless it is known to hold with as little.
				if l.end >= v.text {
					return errorAt(l, "control runs off the end of the code")
				}
				k++
				next := &v.lines[k]
				if next.seen {
					if g := next.in.meet(out); g == next.in {
						break
					} else {
						next.in, f = g, g
					}
				} else {
					next.seen, next.in, f = true, out, out
				}
				continue
			}
			break
		}
	}
	return nil
}

// step checks an instruction and returns what is known behind it.
func (v *verifier) step(l *line, f facts) (facts, error) {
	i := &l.inst
	form := &forms()[i.Op]
	if i.Op == INT3 {
		return f, errorAt(l, "stops the program")
	}
	if i.Op.onTiles() {
		return v.tiles(l, f)
	}
	written := int8(-1)
	for k, o := range form.operands {
		if !o.class.general() {
			continue
		}
		var r uint8
		switch {
		case o.field == 'R', o.field == 'O':
			r = i.Reg
		case o.field == 'V':
			r = i.V
		case o.field == 'M' && !i.InMem:
			r = i.RM
		default:
			continue
		}
		if Reg(r) == RSP || Reg(r) == RBP || Reg(r) == R14 {
			return f, errorAt(l, "names a register that belongs to Go's runtime")
		}
		if k == 0 && !i.Op.readsOnly() {
			written = int8(r)
		}
	}
	if i.InMem {
		if err := v.memory(l, form, f); err != nil {
			return f, err
		}
	}
	switch i.Op {
	case MUL, DIV, IDIV: // RDX:RAX
		f.forget(1<<RAX | 1<<RDX)
		if i.W == 4 {
			f.narrow |= 1<<RAX | 1<<RDX
		}
		written = -1
	case CDQ:
		f.forget(1 << RDX)
		f.narrow |= 1 << RDX
	case CQO:
		f.forget(1 << RDX)
	}
	if i.Op == CQO || i.Op == CDQ || i.Op == MUL || i.Op == DIV || i.Op == IDIV {
		if v.box.Base == RAX || v.box.Base == RDX || v.box.Frame == RAX || v.box.Frame == RDX {
			return f, errorAt(l, "changes a register of the sandbox")
		}
	}
	if written < 0 {
		return f, nil
	}
	r := Reg(written)
	was, inside := f.narrow&(1<<r), v.addresses(i, f)
	f.forget(1 << r)
	switch {
	case r == v.box.Frame:
		return f, errorAt(l, "changes %v, the frame", r)
	case r == v.box.Base:
		if i.Op != MOV || i.W != 8 || !i.InMem || i.Mem != At(v.box.Frame, v.box.BaseAt) {
			return f, errorAt(l, "changes %v, which only takes the address of the memory from the frame", r)
		}
		f.base = true
	case i.Op.shifts() && i.W == 4 && i.Imm&31 == 0: // by cl, or by nothing: manuals do not agree on the upper half then, so it is what it was
		f.narrow |= was
	case form.writesNarrow(i):
		f.narrow |= 1 << r
	case i.Op == SHRI && i.Imm >= 32 && i.Imm < 64, i.Op == MOVI && i.Imm >= 0:
		f.narrow |= 1 << r
	case inside:
		f.inside |= 1 << r
	}
	if i.Op == MOVI32 && i.Imm >= 0 && i.Imm <= MostRowDistance {
		f.short |= 1 << r
	}
	return f, nil
}

// forget drops what is known of registers.
func (f *facts) forget(registers uint16) {
	f.narrow &^= registers
	f.inside &^= registers
	f.short &^= registers
}

// general reports whether an operand is a general register.
func (c class) general() bool {
	return c == 'g' || c == 'b' || c == 'w' || c == 'd' || c == 'l'
}

// readsOnly reports whether an instruction does not change its first operand.
func (o Op) readsOnly() bool {
	switch o {
	case CMP, CMPI, CMPI8, TEST:
		return true
	}
	return false
}

// shifts reports whether an instruction shifts a register by an immediate or by cl.
func (o Op) shifts() bool {
	switch o {
	case SHLI, SHRI, SARI, SHLC, SHRC, SARC:
		return true
	}
	return false
}

// writesNarrow reports whether an instruction that writes a general register clears its upper half: those of 32 bits do, conditional moves that do not
// move included.
func (f *form) writesNarrow(i *Inst) bool {
	switch c := f.operands[0].class; c {
	case 'd':
		return true
	case 'g':
		return f.width(i) == 4
	}
	return false
}

// memory checks the address of a line.
func (v *verifier) memory(l *line, form *form, f facts) error {
	i, m := &l.inst, l.inst.Mem
	n := form.access(i)
	if form.mem == address {
		return nil // lea: no access
	}
	if n == 0 {
		return errorAt(l, "touches memory of unknown size")
	}
	stores := i.storesTo(form) && i.Op != NOPL
	switch {
	case i.Op == NOPL:
		return nil // no access
	case m.RIP:
		at := l.end + int(m.Disp)
		if stores || at < v.text || at+n > v.size {
			return errorAt(l, "touches [%#x, %#x) of the blob, whose constants are [%#x, %#x) and are not written", at, at+n, v.text, v.size)
		}
		return nil
	case m.Base == v.box.Frame && m.Scale == 0:
		lo := int32(0)
		if stores {
			lo = v.box.Frozen
		}
		if m.Disp < lo || int64(m.Disp)+int64(n) > int64(v.box.Size) {
			return errorAt(l, "touches [%d, %d) of the frame, which is open from %d to %d", m.Disp, int64(m.Disp)+int64(n), lo, v.box.Size)
		}
		v.frame = max(v.frame, int(m.Disp)+n)
		return nil
	case m.Base == v.box.Base && m.Scale == 1:
		switch {
		case !f.base:
			return errorAt(l, "%v need not hold the address of the memory here", m.Base)
		case f.narrow>>m.Index&1 == 0:
			return errorAt(l, "the upper half of %v need not be zero here", m.Index)
		}
		return nil
	}
	return errorAt(l, "an address is [%v + index*1 + offset], [%v + offset] or a constant", v.box.Base, v.box.Frame)
}
