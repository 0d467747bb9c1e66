package wasm

import (
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// localKey says which locals may take each other's place when their regions have ended.
type localKey struct {
	name string
	typ  wasmbin.ValType
}

// emitter writes regions as instructions.
type emitter struct {
	f      *wasmbin.Func
	kernel bool // returns an error code
	free   map[localKey][]wasmbin.Local
}

// emitBody writes the regions of a function.
func emitBody(f *wasmbin.Func, body *region, kernel bool) {
	countUses(body)
	e := &emitter{f: f, kernel: kernel, free: map[localKey][]wasmbin.Local{}}
	e.region(body)
}

func (e *emitter) region(r *region) {
	probes := findProbes(r)
	for i := range r.items {
		for _, p := range probes[i] {
			p.write(e)
		}
		it := &r.items[i]
		if it.kind == itemDef {
			if n := it.node; n.uses > 0 && !n.inlined() {
				e.hold(r, n)
			}
			continue
		}
		e.item(it)
	}
	for _, n := range r.held {
		e.release(n)
	}
}

// release gives the local of n back, once.
func (e *emitter) release(n *node) {
	if n.held {
		n.held = false
		k := n.localKey()
		e.free[k] = append(e.free[k], n.local)
	}
}

func (n *node) localKey() localKey {
	if n.name == "" {
		return localKey{"t", n.typ}
	}
	return localKey{n.name, n.typ}
}

// hold computes n into a local.
func (e *emitter) hold(r *region, n *node) {
	e.compute(n)
	key := n.localKey()
	if list := e.free[key]; len(list) > 0 {
		n.local = list[len(list)-1]
		e.free[key] = list[:len(list)-1]
	} else {
		n.local = e.f.NewLocal(key.name, n.typ)
	}
	n.held, n.left = true, n.uses
	r.held = append(r.held, n)
	e.f.LocalSet(n.local)
}

// value pushes n for one of its users. After the last of them its local is free, unless a
// user is in a loop that may come back to it.
func (e *emitter) value(n *node) {
	if !n.held {
		e.compute(n)
		return
	}
	e.f.LocalGet(n.local)
	if n.left--; n.left == 0 && !n.cross {
		e.release(n)
	}
}

// peek pushes n without counting as a user.
func (e *emitter) peek(n *node) {
	if n.held {
		e.f.LocalGet(n.local)
		return
	}
	e.compute(n)
}

func (e *emitter) compute(n *node) {
	f := e.f
	switch n.op {
	case wasmbin.OpI32Const:
		f.I32Const(int32(n.imm))
		return
	case wasmbin.OpI64Const:
		f.I64Const(int64(n.imm))
		return
	case wasmbin.OpF32Const:
		f.F32Bits(uint32(n.imm))
		return
	case wasmbin.OpF64Const:
		f.F64Bits(n.imm)
		return
	case wasmbin.OpV128Const:
		f.V128Const(n.imm, n.hi)
		return
	case wasmbin.OpLocalGet:
		f.LocalGet(wasmbin.Local(n.imm))
		return
	case wasmbin.OpGlobalGet:
		f.GlobalGet(wasmbin.UnpackGlobal(n.imm))
		return
	}
	for _, a := range n.args {
		e.value(a)
	}
	switch {
	case n.op == wasmbin.OpCall:
		f.Call(n.callee)
	case n.op == wasmbin.OpSelect:
		f.Select()
	case n.op == wasmbin.I8x16Shuffle:
		f.ShuffleBits(n.imm, n.hi)
	case n.op.AccessBytes() > 0:
		f.Mem(n.op, uint32(n.imm), n.op.AccessBytes(), uint8(n.hi))
	case n.op.HasLane():
		f.Lane(n.op, uint8(n.imm))
	default:
		f.Op(n.op)
	}
}

func (e *emitter) item(it *item) {
	f := e.f
	if it.kind != itemLoop {
		for _, a := range it.args {
			e.value(a)
		}
	}
	switch it.kind {
	case itemStore:
		f.Mem(it.op, uint32(it.imm), it.op.AccessBytes(), it.lane)
	case itemSet:
		f.LocalSet(it.local)
	case itemCall:
		f.Call(it.callee)
		if it.hasRes {
			f.LocalSet(it.local)
		}
	case itemReturn:
		f.Return()
	case itemLoop:
		l := f.Loop(it.text)
		e.region(it.body)
		for _, a := range it.args {
			e.value(a)
		}
		if len(it.args) == 0 {
			f.Br(l)
		} else {
			f.BrIf(l)
		}
		f.End()
	case itemIf:
		f.If(it.text, wasmbin.None)
		e.region(it.body)
		if it.alt != nil && len(it.alt.items) > 0 {
			f.Else()
			e.region(it.alt)
		}
		f.End()
	case itemBlock:
		it.body.label = f.Block(it.text)
		e.region(it.body)
		f.End()
	case itemBreak:
		if len(it.args) == 0 {
			f.Br(it.target.label)
		} else {
			f.BrIf(it.target.label)
		}
	case itemPoll:
		e.poll(it)
	case itemTrap:
		f.Op(wasmbin.OpUnreachable)
	case itemComment:
		f.Comment(it.text)
	}
}
