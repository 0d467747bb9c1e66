package wasmbin

import "fmt"

// encode returns the body of f: locals, instructions, end.
func (f *Func) encode() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	if !f.closed {
		return nil, fmt.Errorf("function %s: %d blocks are still open", f.Name, len(f.frames))
	}
	b := f.appendLocals(nil)
	depth := map[Label]int{}
	open := make([]Label, 1, 8)
	for i := range f.body {
		in := &f.body[i]
		switch in.Op {
		case opComment:
			continue
		case OpBlock, OpLoop, OpIf:
			depth[Label(in.Imm)] = len(open)
			open = append(open, Label(in.Imm))
		case OpEnd:
			open = open[:len(open)-1]
		case OpBr, OpBrIf:
			b = appendU(append(b, byte(in.Op)), uint64(len(open)-1-depth[Label(in.Imm)]))
			continue
		}
		b = f.appendInstr(b, in)
	}
	f.size = len(b)
	return b, nil
}

// appendLocals declares the locals as runs of one type, in order.
func (f *Func) appendLocals(b []byte) []byte {
	ls := f.locals[len(f.Type.Params):]
	var runs []byte
	n := 0
	for i := 0; i < len(ls); {
		j := i
		for j < len(ls) && ls[j].typ == ls[i].typ {
			j++
		}
		runs = append(appendU(runs, uint64(j-i)), byte(ls[i].typ))
		n++
		i = j
	}
	return append(appendU(b, uint64(n)), runs...)
}

func (f *Func) appendInstr(b []byte, in *Instr) []byte {
	if p := in.Op >> 8; p != 0 {
		b = appendU(append(b, byte(p)), uint64(byte(in.Op)))
	} else {
		b = append(b, byte(in.Op))
	}
	switch in.Op.info().imm {
	case immBlock:
		if in.Op == OpElse || in.Op == OpEnd {
			return b
		}
		if in.Type == None {
			return append(b, 0x40)
		}
		return append(b, byte(in.Type))
	case immCall:
		imported, index := unpackRef(in.Imm)
		return appendU(b, uint64(f.mod.funcIndex(FuncRef{imported, index})))
	case immGlobal:
		imported, index := unpackRef(in.Imm)
		return appendU(b, uint64(f.mod.globalIndex(GlobalRef{imported, index})))
	case immLocal:
		return appendU(b, in.Imm)
	case immMem:
		return appendU(append(b, in.Align), in.Imm)
	case immMemLane:
		return append(appendU(append(b, in.Align), in.Imm), in.Lane)
	case immLane:
		return append(b, in.Lane)
	case immShuffle, immV128:
		return appendLE(appendLE(b, in.Imm, 8), in.Hi, 8)
	case immI32:
		return appendS(b, int64(int32(in.Imm)))
	case immI64:
		return appendS(b, int64(in.Imm))
	case immF32:
		return appendLE(b, in.Imm, 4)
	case immF64:
		return appendLE(b, in.Imm, 8)
	case immZero:
		return append(b, 0)
	case immZeroZero:
		return append(b, 0, 0)
	}
	if in.Op == OpSelect && in.Type == V128 {
		b = append(b[:len(b)-1], 0x1c, 1, byte(V128))
	}
	return b
}
