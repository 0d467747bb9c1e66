package asm

import (
	"math/rand/v2"
	"strings"
	"testing"
)

var testBox = Sandbox{Base: R15, Frame: RDI, BaseAt: 8, Frozen: 64, Size: 512}

// loadBase is the instruction that code for a sandbox begins with.
var loadBase = Inst{Op: MOV, W: 8, Reg: uint8(R15), InMem: true, Mem: At(RDI, 8)}

func inBox(index Reg, disp int32) Mem { return Mem{Base: R15, Index: index, Scale: 1, Disp: disp} }

// program builds code in front of a return.
func program(t *testing.T, f func(c *Code)) *Blob {
	t.Helper()
	var c Code
	start := c.Here()
	f(&c)
	c.Emit(Inst{Op: RET})
	b, err := c.Link(start)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sum is a kernel that adds what is at 0 to 1020 of the sandbox, in a loop, and stores it behind.
func sum(c *Code) {
	c.Emit(loadBase)
	c.Emit(Inst{Op: XOR, W: 4, Reg: uint8(RCX), RM: uint8(RCX)})
	c.Emit(Inst{Op: VXORPS, W: X})
	c.Align(16)
	top := c.Here()
	c.Emit(Inst{Op: VADDSS, InMem: true, Mem: inBox(RCX, 0)})
	c.Emit(Inst{Op: ADDI8, W: 4, RM: uint8(RCX), Imm: 4})
	c.Emit(Inst{Op: CMPI, W: 4, RM: uint8(RCX), Imm: 1024})
	c.JumpIf(NotEqual, top)
	c.EmitAt(Inst{Op: VMULSS}, c.Constant([]byte{0, 0, 0, 0x40}))
	c.Emit(Inst{Op: VMOVSSS, InMem: true, Mem: inBox(RCX, 0)})
}

func TestVerify(t *testing.T) {
	narrow := func(c *Code) {
		c.Emit(loadBase)
		c.Emit(Inst{Op: MOV, W: 4, Reg: uint8(RCX), InMem: true, Mem: At(RDI, 16)})
	}
	load := func(m Mem) Inst { return Inst{Op: VMOVUPS, W: Y, InMem: true, Mem: m} }
	for _, c := range []struct {
		name, want string
		code       func(c *Code)
	}{
		{"sum", "", sum},
		{"frame", "", func(c *Code) {
			c.Emit(Inst{Op: MOV, W: 8, Reg: uint8(RDX), InMem: true, Mem: At(RDI, 0)})
			c.Emit(Inst{Op: MOVS, W: 8, Reg: uint8(RDX), InMem: true, Mem: At(RDI, 504)})
		}},
		{"frame, behind its end", "touches [505, 513) of the frame", func(c *Code) {
			c.Emit(Inst{Op: MOVS, W: 8, Reg: uint8(RDX), InMem: true, Mem: At(RDI, 505)})
		}},
		{"frame, before it", "of the frame", func(c *Code) { c.Emit(load(At(RDI, -1))) }},
		{"frame, with an index", "an address is", func(c *Code) {
			narrow(c)
			c.Emit(load(Mem{Base: RDI, Index: RCX, Scale: 1}))
		}},
		{"the base's own place", "open from 64", func(c *Code) {
			c.Emit(Inst{Op: MOVS, W: 8, Reg: uint8(RDX), InMem: true, Mem: At(RDI, 8)})
		}},
		{"add to the frozen part", "open from 64", func(c *Code) {
			c.Emit(Inst{Op: ADDI8, W: 8, InMem: true, Mem: At(RDI, 8), Imm: 1})
		}},
		{"comparison with the frozen part", "", func(c *Code) {
			c.Emit(Inst{Op: CMPI8, W: 8, InMem: true, Mem: At(RDI, 8), Imm: 1})
		}},
		{"narrow index", "", func(c *Code) { narrow(c); c.Emit(load(inBox(RCX, -4))) }},
		{"no base", "need not hold the address", func(c *Code) {
			c.Emit(Inst{Op: XOR, W: 4, Reg: uint8(RCX), RM: uint8(RCX)})
			c.Emit(load(inBox(RCX, 0)))
		}},
		{"wide index", "upper half of rcx", func(c *Code) {
			narrow(c)
			c.Emit(Inst{Op: ADDI8, W: 8, RM: uint8(RCX), Imm: 4})
			c.Emit(load(inBox(RCX, 0)))
		}},
		{"index times four", "an address is", func(c *Code) { narrow(c); c.Emit(load(Mem{Base: R15, Index: RCX, Scale: 4})) }},
		{"base without index", "an address is", func(c *Code) { narrow(c); c.Emit(load(At(R15, 0))) }},
		{"index loaded in 64 bits", "upper half", func(c *Code) {
			c.Emit(loadBase)
			c.Emit(Inst{Op: MOV, W: 8, Reg: uint8(RCX), InMem: true, Mem: At(RDI, 16)})
			c.Emit(load(inBox(RCX, 0)))
		}},
		{"index widened on one of two ways", "upper half", func(c *Code) {
			narrow(c)
			over := c.Label()
			c.Emit(Inst{Op: CMPI8, W: 4, RM: uint8(RCX), Imm: 1})
			c.JumpIf(Less, over)
			c.Emit(Inst{Op: NOT, W: 8, RM: uint8(RCX)})
			c.Bind(over)
			c.Emit(load(inBox(RCX, 0)))
		}},
		{"index widened at a loop's end", "upper half", func(c *Code) {
			narrow(c)
			top := c.Here()
			c.Emit(load(inBox(RCX, 0)))
			c.Emit(Inst{Op: SUBI8, W: 8, RM: uint8(RCX), Imm: 4})
			c.JumpIf(NotEqual, top)
		}},
		{"shift by cl does not narrow", "upper half", func(c *Code) {
			c.Emit(loadBase)
			c.Emit(Inst{Op: SHLC, W: 4, RM: uint8(RBX)})
			c.Emit(load(inBox(RBX, 0)))
		}},
		{"base changed", "changes r15", func(c *Code) { c.Emit(Inst{Op: ADDI8, W: 8, RM: uint8(R15), Imm: 1}) }},
		{"base from elsewhere", "changes r15", func(c *Code) { c.Emit(Inst{Op: MOV, W: 8, Reg: uint8(R15), InMem: true, Mem: At(RDI, 16)}) }},
		{"frame changed", "changes rdi", func(c *Code) { c.Emit(Inst{Op: XOR, W: 4, Reg: uint8(RDI), RM: uint8(RDI)}) }},
		{"frame counted in a mask", "changes rdi", func(c *Code) { c.Emit(Inst{Op: KMOVWS, Reg: uint8(RDI), RM: 1}) }},
		{"stack", "belongs to Go", func(c *Code) { c.Emit(Inst{Op: ADDI8, W: 8, RM: uint8(RSP), Imm: 8}) }},
		{"stack read", "an address is", func(c *Code) { c.Emit(load(At(RSP, 8))) }},
		{"goroutine", "belongs to Go", func(c *Code) { c.Emit(Inst{Op: MOV, W: 8, Reg: uint8(R14), RM: uint8(RAX)}) }},
		{"goroutine as a source", "belongs to Go", func(c *Code) { c.Emit(Inst{Op: MOV, W: 8, Reg: uint8(RAX), RM: uint8(R14)}) }},
		{"division writes rdx", "", func(c *Code) { c.Emit(Inst{Op: DIV, W: 4, RM: uint8(RCX)}) }},
		{"division in 64 bits widens", "upper half of rdx", func(c *Code) {
			c.Emit(loadBase)
			c.Emit(Inst{Op: CDQ})
			c.Emit(Inst{Op: DIV, W: 8, RM: uint8(RCX)})
			c.Emit(load(inBox(RDX, 0)))
		}},
		{"constant written", "not written", func(c *Code) { c.EmitAt(Inst{Op: VMOVUPSS, W: X}, c.Constant(make([]byte, 16))) }},
		{"behind the constants", "whose constants", func(c *Code) { c.EmitAt(Inst{Op: VMOVUPS, W: Y}, c.Constant(make([]byte, 16))) }},
		{"code read as a constant", "whose constants", func(c *Code) { c.Emit(load(Mem{RIP: true, Disp: -16})) }},
		{"trap", "stops", func(c *Code) { c.Emit(Inst{Op: INT3}) }},
		{"address only", "", func(c *Code) { c.Emit(Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: At(RDX, 99)}) }},
	} {
		_, err := Verify(program(t, c.code), testBox)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, and not %q", c.name, err, c.want)
		}
	}
}

// TestInspect counts the bytes of the frame that code touches where it comes to.
func TestInspect(t *testing.T) {
	mov := func(op Op, w, disp int) Inst {
		return Inst{Op: op, W: Width(w), Reg: uint8(RDX), InMem: true, Mem: At(RDI, int32(disp))}
	}
	for name, c := range map[string]struct {
		want int
		code func(c *Code)
	}{
		"none":       {0, func(*Code) {}},
		"base":       {16, func(c *Code) { c.Emit(loadBase) }},
		"read":       {28, func(c *Code) { c.Emit(mov(MOV, 4, 24)); c.Emit(mov(MOV, 8, 8)) }},
		"written":    {108, func(c *Code) { c.Emit(mov(MOV, 8, 8)); c.Emit(mov(MOVS, 4, 104)) }},
		"vector":     {512, func(c *Code) { c.Emit(Inst{Op: VMOVUPSS, W: Y, InMem: true, Mem: At(RDI, 480)}) }},
		"an address": {0, func(c *Code) { c.Emit(Inst{Op: LEA, W: 8, Reg: uint8(RAX), InMem: true, Mem: At(RDI, 99)}) }},
		"behind a jump": {208, func(c *Code) {
			over := c.Label()
			c.Emit(Inst{Op: TEST, W: 4, Reg: uint8(RDX), RM: uint8(RDX)})
			c.JumpIf(NotEqual, over)
			c.Emit(mov(MOVS, 8, 200))
			c.Bind(over)
		}},
	} {
		if needs, err := Inspect(program(t, c.code), testBox); err != nil || needs.Frame != c.want {
			t.Errorf("%s: %d bytes, %v, expected %d", name, needs.Frame, err, c.want)
		}
	}
}

func TestVerifyControl(t *testing.T) {
	for name, b := range map[string]*Blob{
		"runs off the end":         {Bytes: []byte{0x90}, Text: 1, Entries: []int{0}},
		"entry in an instruction":  {Bytes: []byte{0xb8, 0xc3, 0, 0, 0, 0xc3}, Text: 6, Entries: []int{1}},
		"entry behind the code":    {Bytes: []byte{0xc3}, Text: 1, Entries: []int{1}},
		"jump into an instruction": {Bytes: []byte{0xb8, 0xc3, 0, 0, 0, 0xe9, 0xf7, 0xff, 0xff, 0xff, 0xc3}, Text: 11, Entries: []int{0}},
		"jump to the constants":    {Bytes: []byte{0xe9, 1, 0, 0, 0, 0xc3, 0xc3}, Text: 6, Entries: []int{0}},
		"call":                     {Bytes: []byte{0xe8, 0, 0, 0, 0, 0xc3}, Text: 6, Entries: []int{0}},
		"push":                     {Bytes: []byte{0x50, 0xc3}, Text: 2, Entries: []int{0}},
		"system call":              {Bytes: []byte{0x0f, 0x05, 0xc3}, Text: 3, Entries: []int{0}},
		"direction flag":           {Bytes: []byte{0xfd, 0xc3}, Text: 2, Entries: []int{0}},
		"control of floats":        {Bytes: []byte{0x0f, 0xae, 0x17, 0xc3}, Text: 4, Entries: []int{0}},
		"segment":                  {Bytes: []byte{0x64, 0x8b, 0x07, 0xc3}, Text: 4, Entries: []int{0}},
		"lock":                     {Bytes: []byte{0xf0, 0x01, 0x07, 0xc3}, Text: 4, Entries: []int{0}},
		"size":                     {Bytes: []byte{0xc3}, Text: 2, Entries: []int{0}},
	} {
		if _, err := Verify(b, testBox); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := Verify(&Blob{Bytes: []byte{0xc3}, Text: 1, Entries: []int{0}}, testBox); err != nil {
		t.Error(err)
	}
}

// TestVerifyIsLinear takes code of many loops that lose a fact each.
func TestVerifyIsLinear(t *testing.T) {
	b := program(t, func(c *Code) {
		c.Emit(loadBase)
		for range 20_000 {
			top := c.Here()
			c.Emit(Inst{Op: MOV, W: 4, Reg: uint8(RCX), RM: uint8(RAX)})
			c.Emit(Inst{Op: VMOVUPS, W: Y, InMem: true, Mem: inBox(RCX, 0)})
			c.Emit(Inst{Op: NEG, W: 8, RM: uint8(RAX)})
			c.JumpIf(NotEqual, top)
		}
	})
	v, err := verify(b, testBox)
	if err != nil {
		t.Fatal(err)
	}
	if v.steps > 4*len(v.lines) {
		t.Errorf("%d instructions took %d steps", len(v.lines), v.steps)
	}
}

func FuzzVerify(f *testing.F) {
	var c Code
	start := c.Here()
	sum(&c)
	c.Emit(Inst{Op: RET})
	b, err := c.Link(start)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes, b.Text)
	r := rand.New(rand.NewPCG(7, 8))
	all := forms()
	for range 50 {
		var code []byte
		for range 20 {
			i := random(r, &all[1+r.IntN(int(lastOp)-1)])
			code, _ = Encode(code, &i)
		}
		f.Add(code, len(code))
	}
	f.Fuzz(func(t *testing.T, code []byte, text int) {
		_, _ = Verify(&Blob{Bytes: code, Text: text, Entries: []int{0}}, testBox)
	})
}
