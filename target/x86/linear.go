package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

// linearise writes the regions of a function one after the other. A node that is used once where it stands is computed in place of its use, into the
// register that its user wants; others are held in a register of their own. Every value is computed by one instruction on registers, of which constants,
// memory operands and comparisons are folded into their users.
func linearise(g *gen, body *region) *linear {
	lower.CountUses(body)
	l := &linear{g: g, code: g.mod.insts, notes: map[int]string{}}
	l.region(body)
	l.status(native.StatusDone)
	return l
}

func (l *linear) status(s int64) {
	i := inst{op: cReturn, dst: none, index: none, args: [3]vreg{none, none, none}, imm: true, Imm: s}
	l.add(i)
}

func (l *linear) region(r *region) {
	for i := range r.Items {
		it := &r.Items[i]
		l.at = it.At
		if it.Kind != lower.ItemDef {
			l.item(it)
		} else if n := it.Node; n.Uses > 0 && !n.Inlined() {
			d := l.temp(n.Type)
			l.into(n, d)
			n.Reg, n.Held = lower.Reg(d), true
		}
	}
}

func (l *linear) item(it *item) {
	switch it.Kind {
	case lower.ItemStore:
		l.store(it)
	case lower.ItemTile:
		l.tile(it)
	case lower.ItemSet:
		l.into(it.Args[0], vreg(it.Reg))
	case lower.ItemCall:
		l.callItem(it)
	case lower.ItemReturn:
		if v, ok := it.Args[0].Int(); ok {
			l.status(v)
			return
		}
		l.emit(cReturn, none, l.value(it.Args[0]))
	case lower.ItemLoop:
		top := l.label()
		l.depth++
		l.note("loop %s", it.Text)
		l.bind(top)
		l.region(it.Body)
		l.at = it.At
		if len(it.Args) == 0 {
			l.control(cJump, 0, top)
		} else {
			l.branch(it.Args[0], top, true)
		}
		l.depth--
	case lower.ItemIf:
		no := l.label()
		l.branch(it.Args[0], no, false)
		l.region(it.Body)
		l.at = it.At
		if it.Alt != nil && len(it.Alt.Items) > 0 {
			end := l.label()
			l.control(cJump, 0, end)
			l.bind(no)
			l.region(it.Alt)
			no = end
		}
		l.bind(no)
	case lower.ItemBlock:
		end := l.label()
		it.Body.Label = int(end)
		l.region(it.Body)
		l.bind(end)
	case lower.ItemBreak:
		if len(it.Args) == 0 {
			l.control(cJump, 0, int32(it.Target.Label))
		} else {
			l.branch(it.Args[0], int32(it.Target.Label), true)
		}
	case lower.ItemPoll:
		l.add(inst{op: cPoll, dst: none, index: none, args: [3]vreg{none, none, none}, Imm: int64(it.Imm)})
	case lower.ItemComment:
	default:
		l.g.Fail("item", "kind %d is not known to linear code", it.Kind)
	}
}

// callItem writes a request, or the words of an error.
func (l *linear) callItem(it *item) {
	l.words(it.Args...)
	if it.Callee != raised {
		l.request(vreg(it.Reg), int64(it.Callee))
	}
}

// words writes operands of a status to the frame.
func (l *linear) words(args ...*node) {
	regs := make([]vreg, len(args))
	for i, a := range args { // all are computed first: they may be requests themselves
		if v, ok := a.Int(); !ok || v != int64(int32(v)) {
			regs[i] = l.value(a)
		}
	}
	for i, a := range args {
		w := inst{op: cStoreWord, dst: none, args: [3]vreg{none, none, none}, mem: frameMem, index: none, disp: native.WordsAt + 8*int32(i)}
		if v, ok := a.Int(); ok && v == int64(int32(v)) {
			w.imm, w.Imm = true, v
		} else {
			w.args[0] = regs[i]
		}
		l.add(w)
	}
}

func (l *linear) request(d vreg, status int64) {
	l.add(inst{op: cRequest, dst: d, index: none, args: [3]vreg{none, none, none}, Imm: status})
}

// hostCall asks the host for an elementary function.
func (l *linear) hostCall(n *node, d vreg) {
	l.words(append([]*node{l.g.i32(int32(uint32(n.Callee)))}, n.Args...)...)
	l.request(d, native.StatusMath)
}

func (l *linear) store(it *item) {
	i := inst{op: it.Op, dst: none, args: [3]vreg{none, none, none}, mem: boxMem}
	if v, ok := it.Args[1].Int(); ok && it.Op == pStore {
		i.imm, i.Imm = true, v
	} else {
		i.args[0] = l.value(it.Args[1])
	}
	if len(it.Args) > 2 {
		l.mask(&i, it.Args[2], 1)
	}
	i.index, i.disp = l.address(it.Args[0], it.Imm)
	l.add(i)
}

// mask is the mask of a load or a store, as argument k: its lanes as an immediate where mask registers hold constants.
func (l *linear) mask(i *inst, n *node, k int) {
	size := code(i.op) - pLoadM8
	if isStore(i.op) {
		size = code(i.op) - pStoreM8
	}
	if l.g.mod.machine.Features.AVX512 && code(n.Op) == pConstV {
		i.imm, i.Imm = true, constLanes(l.g.pool[n.Imm], 8<<size)
		return
	}
	i.args[k] = l.value(n)
}

// address returns the register and the offset of an address.
func (l *linear) address(n *node, off uint64) (vreg, int32) {
	return l.value(n), int32(off)
}

// value returns a register that holds n.
func (l *linear) value(n *node) vreg {
	switch {
	case n.Held:
		return vreg(n.Reg)
	case fnOf(n.Op) == lower.Get:
		return vreg(n.Imm)
	}
	d := l.temp(n.Type)
	l.into(n, d)
	return d
}

// operand returns n as an operand in memory of size bytes, where it is a constant or a load that is used here only.
func (l *linear) operand(i *inst, n *node, size int) bool {
	switch c := code(n.Op); {
	case c == pConstF32, c == pConstF64, c == pConstV:
		i.mem, i.index, i.disp = constMem, none, l.constant(n)
		return true
	case n.Held || !n.Inlined():
		return false
	case loadSize(n.Op) == size:
		i.index, i.disp = l.address(n.Args[0], n.Imm)
		i.mem = boxMem
		return true
	}
	return false
}

// constant is the number of a constant in the pool.
func (l *linear) constant(n *node) int32 {
	switch code(n.Op) {
	case pConstF32:
		return l.g.scalarConst(n.Imm, 4)
	case pConstF64:
		return l.g.scalarConst(n.Imm, 8)
	}
	return int32(n.Imm)
}

// scalarConst puts a scalar into the pool.
func (g *gen) scalarConst(bits uint64, size int) int32 {
	data := bytesOfWord(bits, size)
	id, ok := g.poolIDs[data]
	if !ok {
		id = uint64(len(g.pool))
		g.pool = append(g.pool, data)
		g.poolIDs[data] = id
	}
	return int32(id)
}

// loadSize is the number of bytes that a load reads to a whole register or scalar as it is, 0 for other instructions.
func loadSize(o op) int {
	switch code(o) {
	case pLoad:
		if wide(o) {
			return 8
		}
		return 4
	case pLoadF32:
		return 4
	case pLoadF64:
		return 8
	case pLoadV:
		return int(widthOf(o))
	}
	return 0
}

// isLoad reports whether an instruction reads the device's memory.
func isLoad(o op) bool {
	c := code(o)
	return c >= pLoad8U && c <= pLoadV8
}

// isStore reports whether an instruction writes it.
func isStore(o op) bool {
	c := code(o)
	return c >= pStore8 && c <= pStoreV8
}

// into computes n into a register.
func (l *linear) into(n *node, d vreg) {
	if n.At != nil {
		outer := l.at
		l.at = n.At
		defer func() { l.at = outer }()
	}
	i := inst{op: n.Op, dst: d, args: [3]vreg{none, none, none}, index: none, Imm: int64(n.Imm)}
	switch c := code(n.Op); {
	case n.Held:
		l.emit(cMove, d, vreg(n.Reg))
	case fnOf(n.Op) == lower.Get:
		l.emit(cMove, d, vreg(n.Imm))
	case n.IsConst() && n.Type <= tI64:
		v, _ := n.Int()
		i.op, i.Imm, i.imm = cConst, v, true
		l.add(i)
	case n.IsConst():
		i.op, i.mem, i.disp = vec(pLoadV, widthOfNode(n)), constMem, l.constant(n)
		switch n.Type {
		case tF32:
			i.op = pLoadF32
		case tF64:
			i.op = pLoadF64
		}
		l.add(i)
	case isLoad(n.Op):
		i.mem = boxMem
		if len(n.Args) > 1 {
			l.mask(&i, n.Args[1], 0)
		}
		i.index, i.disp = l.address(n.Args[0], n.Imm)
		l.add(i)
	case c == pWord:
		i.mem, i.disp = frameMem, int32(n.Imm)
		l.add(i)
	case c == pLowF32, c == pLowF64, c == pLowX, c == pLowY:
		l.into(n.Args[0], d)
	case fnOf(n.Op) == lower.Call:
		l.hostCall(n, d)
	case fnOf(n.Op) == lower.Select:
		l.selectInto(n, d)
	case isCondition(n):
		l.conditionInto(n, d)
	case fnOf(n.Op) != lower.Other:
		l.integer(n, d)
	default:
		l.other(i, n)
	}
}

// other writes an instruction on vectors or floats, its last argument in memory where it may be.
func (l *linear) other(i inst, n *node) {
	args := n.Args
	size := memorySize(n.Op)
	if size > 0 && commutes(n.Op) && len(args) == 2 && foldable(args[0]) && !foldable(args[1]) {
		args = []*node{args[1], args[0]}
	}
	switch {
	case code(n.Op) == pVDot:
		args = []*node{args[2], args[0], args[1]}
	case isFMA(n.Op) && args[2].IsConst() && !foldable(args[0]) && !foldable(args[1]): // a constant summand last, and first a factor that is not needed any more
		i.Imm |= summandLast
		if args[0].Held && !args[1].Held {
			args = []*node{args[1], args[0], args[2]}
		}
	case isFMA(n.Op): // the summand first, and a factor in memory last
		args = []*node{args[2], args[0], args[1]}
		if foldable(args[1]) && !foldable(args[2]) {
			args[1], args[2] = args[2], args[1]
		}
	}
	last := len(args) - 1
	for k, a := range args[:last] {
		i.args[k] = l.value(a)
	}
	a := args[last]
	switch {
	case code(n.Op) == pSplat && l.splatLoad(&i, a):
	case size > 0 && l.spread(&i, a):
	case size > 0 && l.operand(&i, a, size):
	default:
		i.args[last] = l.value(a)
	}
	l.add(i)
}

// foldable reports whether a node may become an operand in memory.
func foldable(n *node) bool {
	return n.IsConst() || !n.Held && n.Inlined() && loadSize(n.Op) > 0
}

// spread makes one element of memory in all lanes the last argument, as AVX-512 has it.
func (l *linear) spread(i *inst, n *node) bool {
	size := 0
	switch code(n.Op) {
	case op(asm.VBROADCASTSS):
		size = 4
	case op(asm.VBROADCASTSD):
		size = 8
	}
	if size == 0 || l.g.wide != asm.Z || n.Held || !n.Inlined() || n.Args[0].IsConst() || spreadSize(i.op) != size || !l.operand(i, n.Args[0], size) {
		return false
	}
	i.spread = true
	return true
}

// splatLoad makes the load of an integer of 32 or 64 bits to all lanes one instruction, as it is for floats.
func (l *linear) splatLoad(i *inst, n *node) bool {
	size, w := 1<<i.Imm, widthOf(i.op)
	if loadSize(n.Op) != size || size == 8 && w == asm.X || !l.operand(i, n, size) {
		return false
	}
	i.op, i.Imm = ins(asm.VBROADCASTSS, w), 0
	if size == 8 {
		i.op = ins(asm.VBROADCASTSD, w)
	}
	return true
}

// integer writes an integer function, with a constant as its last argument where there is such a form.
func (l *linear) integer(n *node, d vreg) {
	i := inst{op: n.Op, dst: d, args: [3]vreg{none, none, none}, index: none}
	fn, args := fnOf(n.Op), n.Args
	if fn == lower.Add || fn == lower.Mul || fn == lower.And || fn == lower.Or || fn == lower.Xor {
		if args[0].IsConst() || foldable(args[0]) && !foldable(args[1]) {
			args = []*node{args[1], args[0]}
		}
	}
	size := 4
	if wide(n.Op) {
		size = 8
	}
	switch fn {
	case lower.Wrap, lower.ExtendS, lower.ExtendU, lower.Extend8S, lower.Extend16S:
		i.args[0] = l.value(args[0])
		l.add(i)
		return
	}
	i.args[0] = l.value(args[0])
	v, ok := args[1].Int()
	divides := fn == lower.DivS || fn == lower.DivU || fn == lower.RemS || fn == lower.RemU
	shifts := fn == lower.Shl || fn == lower.ShrS || fn == lower.ShrU
	switch {
	case ok && v == int64(int32(v)) && !divides:
		i.imm, i.Imm = true, v
	case !divides && !shifts && l.operand(&i, args[1], size):
	default:
		i.args[1] = l.value(args[1])
	}
	l.add(i)
}
