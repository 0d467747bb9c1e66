package asm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Code collects the instructions of a blob, and behind them its constants. Labels stand for places in it, which jumps and addresses may name before
// they are bound.
//
// Its layout is that which Verify expects: instructions from 0 to Text, then constants.
type Code struct {
	buf    []byte
	labels []int // offsets, -1 for those not bound
	fixes  []fix
	consts map[string]Label
	pool   []constant
	err    error
}

// Label is a place in a Code.
type Label int

// fix is a distance of 4 bytes at an offset, counted from an end of an instruction.
type fix struct {
	at, end int
	label   Label
}

type constant struct {
	label Label
	data  string
	align int
}

// Len is the number of bytes of code so far.
func (c *Code) Len() int { return len(c.buf) }

// Label makes a label, which Bind puts somewhere.
func (c *Code) Label() Label {
	c.labels = append(c.labels, -1)
	return Label(len(c.labels) - 1)
}

// Bind puts a label at the end of the code so far.
func (c *Code) Bind(l Label) { c.labels[l] = len(c.buf) }

// Here makes a label at the end of the code so far.
func (c *Code) Here() Label {
	l := c.Label()
	c.Bind(l)
	return l
}

// Emit appends an instruction. The first one that the table does not allow makes Link fail.
func (c *Code) Emit(i Inst) {
	b, err := Encode(c.buf, &i)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("at %#x: %w", len(c.buf), err)
	}
	c.buf = b
}

// Jump appends a jump to a label.
func (c *Code) Jump(l Label) {
	c.Emit(Inst{Op: JMP})
	c.fixes = append(c.fixes, fix{len(c.buf) - 4, len(c.buf), l})
}

// JumpIf appends a jump to a label where a condition holds.
func (c *Code) JumpIf(cond Cond, l Label) {
	c.Emit(Inst{Op: JCC, Cond: cond})
	c.fixes = append(c.fixes, fix{len(c.buf) - 4, len(c.buf), l})
}

// EmitAt appends an instruction whose memory operand is what stands at a label, by RIP.
func (c *Code) EmitAt(i Inst, l Label) {
	i.InMem, i.Mem = true, Mem{RIP: true}
	start := len(c.buf)
	c.Emit(i)
	if c.err != nil {
		return
	}
	imm := int(forms()[i.Op].imm)
	if len(c.buf)-start < 4+imm {
		return
	}
	c.fixes = append(c.fixes, fix{len(c.buf) - imm - 4, len(c.buf), l})
}

// Constant is the label of data behind the code, aligned to its length rounded up to a power of two, at most 64. Equal data is stored once.
func (c *Code) Constant(data []byte) Label {
	if l, ok := c.consts[string(data)]; ok {
		return l
	}
	if c.consts == nil {
		c.consts = map[string]Label{}
	}
	l := c.Label()
	c.consts[string(data)] = l
	align := 1
	for align < len(data) && align < 64 {
		align *= 2
	}
	c.pool = append(c.pool, constant{l, string(data), align})
	return l
}

// Align appends instructions that do nothing up to a multiple of n bytes.
func (c *Code) Align(n int) {
	for left := (n - len(c.buf)%n) % n; left > 0 && c.err == nil; {
		switch {
		case left >= 7:
			c.Emit(Inst{Op: NOPL, InMem: true, Mem: Mem{Base: RAX, Disp: 1 << 20}})
		case left >= 4 && left != 6:
			c.Emit(Inst{Op: NOPL, InMem: true, Mem: Mem{Base: RAX, Disp: 1}})
		case left >= 3:
			c.Emit(Inst{Op: NOPL, InMem: true, Mem: Mem{Base: RAX}})
		default:
			c.Emit(Inst{Op: NOP})
		}
		left = (n - len(c.buf)%n) % n
	}
}

// Blob is linked code.
type Blob struct {
	Bytes []byte
	// Text is the number of bytes of instructions; constants follow, behind int3 up to their alignment.
	Text int
	// Entries are the offsets of the labels that Link was given.
	Entries []int
}

// Link resolves labels and appends constants; entries are the labels at which the code may be entered.
func (c *Code) Link(entries ...Label) (*Blob, error) {
	if c.err != nil {
		return nil, c.err
	}
	b := &Blob{Bytes: c.buf, Text: len(c.buf)}
	for _, k := range c.pool {
		for len(b.Bytes)%k.align != 0 {
			b.Bytes = append(b.Bytes, 0xcc)
		}
		c.labels[k.label] = len(b.Bytes)
		b.Bytes = append(b.Bytes, k.data...)
	}
	for _, f := range c.fixes {
		to := c.labels[f.label]
		if to < 0 {
			return nil, errors.New("a label that is used is bound nowhere")
		}
		binary.LittleEndian.PutUint32(b.Bytes[f.at:], uint32(int32(to-f.end)))
	}
	for _, l := range entries {
		if c.labels[l] < 0 {
			return nil, errors.New("the label of an entry is bound nowhere")
		}
		b.Entries = append(b.Entries, c.labels[l])
	}
	return b, nil
}
