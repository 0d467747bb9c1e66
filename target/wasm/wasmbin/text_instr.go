package wasmbin

import (
	"fmt"
	"math"
	"strconv"
)

// arity is the number of operands of in and whether it leaves a value.
func (p *textPrinter) arity(in *Instr) (int, bool) {
	switch in.Op {
	case OpCall:
		imported, index := unpackRef(in.Imm)
		t, err := p.f.mod.funcType(FuncRef{imported, index})
		if err != nil {
			return 0, false
		}
		return len(t.Params), len(t.Results) > 0
	case OpReturn:
		return len(p.f.Type.Results), false
	}
	info := in.Op.info()
	return len(info.pops), info.push != ""
}

// head is the instruction with its immediates.
func (p *textPrinter) head(in *Instr) string {
	s := in.Op.String()
	switch in.Op.info().imm {
	case immLocal:
		return s + " $" + p.locals[in.Imm]
	case immLabel:
		return s + " $" + p.labels[in.Imm]
	case immCall:
		imported, index := unpackRef(in.Imm)
		return s + " $" + textName(p.f.mod.funcName(FuncRef{imported, index}))
	case immGlobal:
		imported, index := unpackRef(in.Imm)
		return s + " $" + textName(p.f.mod.global(GlobalRef{imported, index}).name)
	case immMem, immMemLane:
		if in.Imm != 0 {
			s += " offset=" + strconv.FormatUint(in.Imm, 10)
		}
		if a := 1 << in.Align; a != in.Op.AccessBytes() {
			s += " align=" + strconv.Itoa(a)
		}
		if in.Op.info().imm == immMemLane {
			s += " " + strconv.Itoa(int(in.Lane))
		}
	case immLane:
		return s + " " + strconv.Itoa(int(in.Lane))
	case immI32:
		return s + " " + strconv.Itoa(int(int32(in.Imm)))
	case immI64:
		return s + " " + strconv.FormatInt(int64(in.Imm), 10)
	case immF32:
		return s + " " + textFloat(float64(math.Float32frombits(uint32(in.Imm))), 32)
	case immF64:
		return s + " " + textFloat(math.Float64frombits(in.Imm), 64)
	case immV128:
		for i := range 4 {
			w := in.Imm
			if i > 1 {
				w = in.Hi
			}
			if i == 0 {
				s += " i32x4"
			}
			s += fmt.Sprintf(" 0x%08x", uint32(w>>(32*(i&1))))
		}
	case immShuffle:
		for i := range 16 {
			w := in.Imm
			if i > 7 {
				w = in.Hi
			}
			s += " " + strconv.Itoa(int(byte(w>>(8*(i&7)))))
		}
	}
	return s
}
