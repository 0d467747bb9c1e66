package asm

import (
	"bytes"
	"strings"
	"testing"
)

// TestEncodeRefuses gives instructions that the table does not allow.
func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		inst Inst
		want string
	}{
		{Inst{}, "no instruction has the number 0"},
		{Inst{Op: lastOp}, "no instruction has the number"},
		{Inst{Op: VADDPS}, "has no form of 0 bytes"},
		{Inst{Op: VADDPS, W: 8}, "has no form of 8 bytes"},
		{Inst{Op: VADDSS, W: X}, "has no form of 16 bytes"},
		{Inst{Op: VADDPS, W: X, Reg: 32}, "has no register 32"},
		{Inst{Op: ADD, W: 8, RM: 16}, "has no register 16"},
		{Inst{Op: KMOVW, Reg: 8}, "has no register 8"},
		{Inst{Op: VBLENDVPS, W: X, Imm: 16}, "has no register 16"},
		{Inst{Op: VSQRTPS, W: X, V: 1}, "operands that its form lacks"},
		{Inst{Op: RET, Reg: 1}, "operands that its form lacks"},
		{Inst{Op: ADD, W: 8, Mem: At(RAX, 8)}, "operands that its form lacks"},
		{Inst{Op: TEST, W: 8, InMem: true}, "no form with memory"},
		{Inst{Op: VMOVSS}, "needs an operand in memory"},
		{Inst{Op: ADD, W: 4, Cond: Equal}, "has no condition"},
		{Inst{Op: JCC, Cond: 16}, "has no condition"},
		{Inst{Op: ADD, W: 4, Imm: 1}, "has no immediate"},
		{Inst{Op: VSHUFPS, W: X, Imm: 128}, "has no immediate 128"},
		{Inst{Op: VSHUFPS, W: X, Imm: -129}, "has no immediate -129"},
		{Inst{Op: JMP, Imm: 1 << 31}, "has no immediate"},
		{Inst{Op: ADDI, W: 4, Imm: 127}, "form of its own"},
		{Inst{Op: CMPI, W: 4, Imm: -128}, "form of its own"},
		{Inst{Op: IMULI, W: 4, Imm: 5}, "form of its own"},
		{Inst{Op: MOVABS, Imm: -1}, "32 bits do not hold"},
		{Inst{Op: VADDPS, W: X, Mask: 8}, "cannot be masked"},
		{Inst{Op: VADDPS, W: X, Zeroing: true}, "cannot be masked"},
		{Inst{Op: VPAND, W: X, Mask: 1}, "cannot be masked"},
		{Inst{Op: VMOVUPSS, W: X, Mask: 1, Zeroing: true, InMem: true}, "cannot be masked"},
		{Inst{Op: VCMPPSK, W: X, Mask: 1, Zeroing: true}, "cannot be masked"},
		{Inst{Op: VADDPS, W: X, Spread: true}, "no spread element"},
		{Inst{Op: VPADDB, W: X, Spread: true, InMem: true}, "no spread element"},
		{Inst{Op: VPAND, W: X, Reg: 16}, "no form with a mask, a spread element, 512 bits or registers above 15"},
		{Inst{Op: ADD, W: 4, InMem: true, Mem: Mem{Index: RSP, Scale: 1}}, "rsp cannot be an index"},
		{Inst{Op: ADD, W: 4, InMem: true, Mem: Mem{Index: RCX, Scale: 3}}, "a scale is"},
		{Inst{Op: ADD, W: 4, InMem: true, Mem: Mem{Index: RCX}}, "an index has a scale"},
		{Inst{Op: ADD, W: 4, InMem: true, Mem: Mem{RIP: true, Base: RCX}}, "has no registers"},
	} {
		b, err := Encode([]byte{1}, &c.inst)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, and not %q", c.inst, err, c.want)
		}
		if !bytes.Equal(b, []byte{1}) {
			t.Errorf("%+v: wrote % x", c.inst, b)
		}
	}
	for _, i := range []Inst{
		{Op: VSHUFPS, W: X, Imm: 127},
		{Op: VSHUFPS, W: X, Imm: -128},
		{Op: ADDI, W: 4, Imm: 128},
		{Op: ADDI, W: 4, Imm: -129},
		{Op: MOVABS, Imm: 1 << 31},
		{Op: JMP, Imm: 1<<31 - 1},
	} {
		if _, err := Encode(nil, &i); err != nil {
			t.Errorf("%+v: %v", i, err)
		}
	}
}

func TestText(t *testing.T) {
	for want, i := range map[string]Inst{
		"vaddps zmm1{k2}{z}, zmm31, dword ptr [rax+rcx*4-8]{1to16}": {Op: VADDPS, W: Z, Reg: 1, V: 31, Mask: 2, Zeroing: true, Spread: true, InMem: true, Mem: Mem{Base: RAX, Index: RCX, Scale: 4, Disp: -8}},
		"vcvtps2pd ymm1, dword ptr [rax]{1to4}":                     {Op: VCVTPS2PD, W: Y, Reg: 1, Spread: true, InMem: true},
		"vpmovdb xmmword ptr [r15+rbx*1], zmm3":                     {Op: VPMOVDB, W: Z, Reg: 3, InMem: true, Mem: Mem{Base: R15, Index: RBX, Scale: 1}},
		"movzx eax, byte ptr [rip+64]":                              {Op: MOVZXB, InMem: true, Mem: Mem{RIP: true, Disp: 64}},
		"setbe sil":                                                 {Op: SET, Cond: BelowEq, RM: uint8(RSI)},
		"mov word ptr [rdi], r9w":                                   {Op: MOVSW, Reg: uint8(R9), InMem: true, Mem: At(RDI, 0)},
		"jne +16":                                                   {Op: JCC, Cond: NotEqual, Imm: 16},
		"kandw k1, k2, k3":                                          {Op: KANDW, Reg: 1, V: 2, RM: 3},
		"shl r10, cl":                                               {Op: SHLC, W: 8, RM: uint8(R10)},
		"ret":                                                       {Op: RET},
	} {
		if got := i.String(); got != want {
			t.Errorf("%q, and not %q", got, want)
		}
		if _, err := Encode(nil, &i); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	jump := Inst{Op: JMP, Imm: 3}
	if got := jump.Text("loop"); got != "jmp loop" {
		t.Errorf("%q", got)
	}
	if got := (Inst{}).String() + Op(0).Name() + lastOp.Name() + VADDPS.Name(); got != "???vaddps" {
		t.Errorf("%q", got)
	}
}

func TestCode(t *testing.T) {
	var c Code
	entry, end := c.Here(), c.Label()
	c.Emit(Inst{Op: RET})
	c.Align(16)
	if c.Len() != 16 {
		t.Errorf("aligned to %d", c.Len())
	}
	for n := range 20 {
		c.Emit(Inst{Op: RET})
		for range n % 16 {
			c.Emit(Inst{Op: NOP})
		}
		c.Align(32)
		if c.Len()%32 != 0 {
			t.Fatalf("aligned to %d", c.Len())
		}
	}
	c.Jump(end)
	c.Emit(Inst{Op: INT3})
	c.Bind(end)
	x, y := c.Constant([]byte{1, 2, 3, 4}), c.Constant(make([]byte, 32))
	if c.Constant([]byte{1, 2, 3, 4}) != x || x == y {
		t.Error("equal constants are one, others are not")
	}
	c.EmitAt(Inst{Op: VPSHUFD, W: X, Imm: 7}, y)
	c.EmitAt(Inst{Op: VMOVSS}, x)
	c.Emit(Inst{Op: RET})
	b, err := c.Link(entry)
	if err != nil {
		t.Fatal(err)
	}
	// The constants stand where the instructions look for them, each aligned.
	at := 0
	for at < b.Text {
		i, n, err := Decode(b.Bytes[at:])
		if err != nil {
			t.Fatal(err)
		}
		at += n
		if i.InMem && i.Mem.RIP {
			to := at + int(i.Mem.Disp)
			switch i.Op {
			case VPSHUFD:
				if to%32 != 0 || !bytes.Equal(b.Bytes[to:to+32], make([]byte, 32)) {
					t.Errorf("%v: the constant is not at %d", i, to)
				}
			case VMOVSS:
				if to%4 != 0 || !bytes.Equal(b.Bytes[to:to+4], []byte{1, 2, 3, 4}) {
					t.Errorf("%v: the constant is not at %d", i, to)
				}
			}
		}
		if i.Op == JMP {
			if next, _, _ := Decode(b.Bytes[at+int(i.Imm):]); next.Op != VPSHUFD {
				t.Errorf("the jump goes to %v", next)
			}
		}
	}
	for name, f := range map[string]func(c *Code){
		"a label that is used is bound nowhere": func(c *Code) { c.Jump(c.Label()) },
		"has no form of 3 bytes":                func(c *Code) { c.Emit(Inst{Op: ADD, W: 3}); c.Emit(Inst{Op: RET}) },
		"has no form of 0 bytes":                func(c *Code) { c.EmitAt(Inst{Op: VMOVUPS}, c.Here()); c.Align(64) },
	} {
		var c Code
		f(&c)
		if _, err := c.Link(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, and not %q", err, name)
		}
	}
	var open Code
	if _, err := open.Link(open.Label()); err == nil {
		t.Error("an entry without a place was linked")
	}
}

func TestFeatures(t *testing.T) {
	avx2, avx512 := Features{AVX2: true}, Features{AVX2: true, AVX512: true}
	vnni := Features{AVX2: true, AVX512: true, VNNI: true}
	amx := Features{AVX2: true, AVX512: true, AMX: true}
	for _, c := range []struct {
		inst Inst
		want Features
	}{
		{Inst{Op: ADD, W: 8}, Features{}},
		{Inst{Op: TZCNT, W: 8}, avx2},
		{Inst{Op: VADDPS, W: Y}, avx2},
		{Inst{Op: VADDPS, W: Z}, avx512},
		{Inst{Op: VADDPS, W: X, Reg: 16}, avx512},
		{Inst{Op: VADDPS, W: X, Mask: 1}, avx512},
		{Inst{Op: VMOVDQU32, W: X}, avx512},
		{Inst{Op: KANDW}, avx512},
		{Inst{Op: KMOVWS}, avx512},
		{Inst{Op: VPDPBUSD, W: X}, vnni},
		{Inst{Op: TILERELEASE}, amx},
	} {
		var code Code
		start := code.Here()
		code.Emit(c.inst)
		code.Emit(Inst{Op: RET})
		b, err := code.Link(start)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Verify(b, testBox); err != nil || got != c.want {
			t.Errorf("%v needs %v, %v; expected %v", c.inst, got, err, c.want)
		}
	}
	both := vnni.or(amx)
	all := []Features{{}, avx2, avx512, vnni, both}
	for i, f := range all {
		for j, g := range all {
			if f.Has(g) != (i >= j) {
				t.Errorf("%v has %v: %v", f, g, f.Has(g))
			}
		}
	}
	if amx.Has(vnni) || vnni.Has(amx) || vnni.Lacks(both) != (Features{AMX: true}) {
		t.Errorf("%v and %v do not hold each other", vnni, amx)
	}
	if got := both.String() + " " + (Features{}).String(); got != "+avx2,+fma,+f16c,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+amx-tile,+amx-int8 no features" {
		t.Error(got)
	}
}

// TestVerifyOtherBoxes has the sandbox in registers that divisions write.
func TestVerifyOtherBoxes(t *testing.T) {
	for _, op := range []Op{CDQ, CQO, MUL, DIV, IDIV} {
		i := Inst{Op: op}
		if op != CDQ && op != CQO {
			i.W, i.RM = 8, uint8(RCX)
		}
		b := program(t, func(c *Code) { c.Emit(i) })
		for _, r := range []Reg{RAX, RDX} {
			for _, box := range []Sandbox{{Base: r, Frame: RDI, Size: 64}, {Base: R15, Frame: r, Size: 64}} {
				if _, err := Verify(b, box); err == nil || !strings.Contains(err.Error(), "register of the sandbox") {
					t.Errorf("%v with %+v: %v", i, box, err)
				}
			}
		}
		if _, err := Verify(b, testBox); err != nil {
			t.Errorf("%v: %v", i, err)
		}
	}
}

// TestNarrow lists instructions behind which the upper half of a register is known to be zero, and others.
func TestNarrow(t *testing.T) {
	rm := func(op Op, w Width, imm int64) Inst { return Inst{Op: op, W: w, RM: uint8(RBX), Imm: imm} }
	for _, c := range []struct {
		reg  Reg
		inst Inst
		want bool
	}{
		{RBX, rm(MOVI, 0, 5), true},
		{RBX, rm(MOVI, 0, -5), false},
		{RBX, Inst{Op: MOVI32, Reg: uint8(RBX), Imm: -1}, true},
		{RBX, Inst{Op: MOVABS, Reg: uint8(RBX), Imm: 1 << 40}, false},
		{RBX, rm(SHRI, 8, 32), true},
		{RBX, rm(SHRI, 8, 63), true},
		{RBX, rm(SHRI, 8, 31), false},
		{RBX, rm(SHRI, 8, 64), false},
		{RBX, rm(SHLI, 8, 40), false},
		{RBX, rm(SARI, 8, 40), false},
		{RBX, rm(SHLI, 4, 1), true},
		{RBX, rm(SHLI, 4, 31), true},
		{RBX, rm(SHLI, 4, 32), false},
		{RBX, rm(SHRI, 4, 0), false},
		{RBX, rm(SARC, 4, 0), false},
		{RBX, Inst{Op: CMOV, W: 4, Reg: uint8(RBX), Cond: Equal}, true},
		{RBX, Inst{Op: CMOV, W: 8, Reg: uint8(RBX), Cond: Equal}, false},
		{RBX, Inst{Op: SET, RM: uint8(RBX), Cond: Equal}, false},
		{RBX, Inst{Op: MOVZXB, Reg: uint8(RBX)}, true},
		{RBX, Inst{Op: MOVSXB, W: 8, Reg: uint8(RBX)}, false},
		{RBX, Inst{Op: MOVSXD, Reg: uint8(RBX)}, false},
		{RBX, Inst{Op: VMOVDS, RM: uint8(RBX)}, true},
		{RBX, Inst{Op: VMOVQS, RM: uint8(RBX)}, false},
		{RBX, Inst{Op: KMOVWS, Reg: uint8(RBX)}, true},
		{RBX, Inst{Op: KMOVQS, Reg: uint8(RBX)}, false},
		{RBX, Inst{Op: CMP, W: 4, Reg: uint8(RBX)}, false},
		{RBX, Inst{Op: LEA, W: 4, Reg: uint8(RBX), InMem: true}, true},
		{RBX, Inst{Op: LEA, W: 8, Reg: uint8(RBX), InMem: true}, false},
		{RDX, Inst{Op: CDQ}, true},
		{RDX, Inst{Op: CQO}, false},
		{RAX, rm(DIV, 4, 0), true},
		{RDX, rm(DIV, 4, 0), true},
		{RAX, rm(DIV, 8, 0), false},
		{RBX, rm(DIV, 4, 0), false},
	} {
		b := program(t, func(k *Code) {
			k.Emit(loadBase)
			k.Emit(c.inst)
			k.Emit(Inst{Op: VMOVUPS, W: X, InMem: true, Mem: inBox(c.reg, 0)})
		})
		if _, err := Verify(b, testBox); (err == nil) != c.want {
			t.Errorf("%v: the upper half of %v is taken for zero: %v (%v)", c.inst, c.reg, err == nil, err)
		}
		// What was narrow before is not after an instruction that widens.
		b = program(t, func(k *Code) {
			k.Emit(loadBase)
			k.Emit(Inst{Op: XOR, W: 4, Reg: uint8(c.reg), RM: uint8(c.reg)})
			k.Emit(c.inst)
			k.Emit(Inst{Op: VMOVUPS, W: X, InMem: true, Mem: inBox(c.reg, 0)})
		})
		keeps := c.want || c.inst.Op == CMP || c.inst.Op == DIV && c.reg == RBX || c.inst.W == 4 && c.inst.Op.shifts()
		if _, err := Verify(b, testBox); (err == nil) != keeps {
			t.Errorf("%v: the upper half of %v, zero before, is taken for zero: %v (%v)", c.inst, c.reg, err == nil, err)
		}
	}
}
