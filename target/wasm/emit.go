package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/codegen"
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
	mod    *module
	kernel bool // returns an error code
	free   map[localKey][]lower.Reg
	// vectors counts the locals in use that are vectors.
	vectors int
	// at is the statement that instructions are for.
	at      tir.Stmt
	origins *codegen.Origins
	raised  raised
}

// emitBody writes the regions of a function.
func emitBody(f *wasmbin.Func, body *region, kernel, polls bool, mod *module, origins *codegen.Origins) {
	lower.CountUses(body)
	e := &emitter{f: f, mod: mod, kernel: kernel, free: map[localKey][]lower.Reg{}, origins: origins}
	if kernel && polls {
		e.begin()
	}
	if kernel && mod.raise != nil {
		e.openRaised()
		defer e.closeRaised()
	}
	e.region(body)
	e.standFor(nil)
}

// standFor says which statement the instructions from here on are for.
func (e *emitter) standFor(s tir.Stmt) {
	e.at = s
	e.origins.Note(e.f.Len(), s)
}

func (e *emitter) region(r *region) {
	e.items(r, len(r.Items))
	e.close(r)
}

// items writes the first n items of a region.
func (e *emitter) items(r *region, n int) {
	probes := e.mod.probes.find(r)
	for i := range r.Items[:n] {
		if len(probes[i]) > 0 {
			e.standFor(nil)
		}
		for _, p := range probes[i] {
			p.write(e)
		}
		it := &r.Items[i]
		e.standFor(it.At)
		if it.Kind == lower.ItemDef {
			if n := it.Node; n.Uses > 0 && !n.Inlined() {
				if n.At != nil {
					e.standFor(n.At)
				}
				e.hold(r, n)
			}
			continue
		}
		e.item(it)
	}
}

// close gives back what the values of a region are in.
func (e *emitter) close(r *region) {
	for _, n := range r.Held {
		e.release(n)
	}
}

// release gives the local of n back, once.
func (e *emitter) release(n *node) {
	if n.Held {
		n.Held = false
		k := localKeyOf(n)
		if k.typ == wasmbin.V128 {
			e.vectors--
		}
		e.free[k] = append(e.free[k], n.Reg)
	}
}

func localKeyOf(n *node) localKey {
	if n.Name == "" {
		return localKey{"t", typeOf(n)}
	}
	return localKey{n.Name, typeOf(n)}
}

// hold computes n into a local.
func (e *emitter) hold(r *region, n *node) {
	e.compute(n)
	key := localKeyOf(n)
	if list := e.free[key]; len(list) > 0 {
		n.Reg = list[len(list)-1]
		e.free[key] = list[:len(list)-1]
	} else {
		n.Reg = lower.Reg(e.f.NewLocal(key.name, key.typ))
	}
	if key.typ == wasmbin.V128 {
		e.vectors++
	}
	n.Held, n.Left = true, n.Uses
	r.Held = append(r.Held, n)
	e.f.LocalSet(wasmbin.Local(n.Reg))
}

// value pushes n for one of its users. After the last of them its local is free, unless a
// user is in a loop that may come back to it.
func (e *emitter) value(n *node) {
	if !n.Held {
		e.compute(n)
		return
	}
	e.f.LocalGet(wasmbin.Local(n.Reg))
	if n.Left--; n.Left == 0 && !n.Cross {
		e.release(n)
	}
}

// peek pushes n without counting as a user.
func (e *emitter) peek(n *node) {
	if n.Held {
		e.f.LocalGet(wasmbin.Local(n.Reg))
		return
	}
	e.compute(n)
}

func (e *emitter) compute(n *node) {
	if outer := e.at; n.At != nil && n.At != outer {
		e.standFor(n.At)
		defer e.standFor(outer)
	}
	f := e.f
	op := opOf(n)
	switch op {
	case wasmbin.OpI32Const:
		f.I32Const(int32(n.Imm))
		return
	case wasmbin.OpI64Const:
		f.I64Const(int64(n.Imm))
		return
	case wasmbin.OpF32Const:
		f.F32Bits(uint32(n.Imm))
		return
	case wasmbin.OpF64Const:
		f.F64Bits(n.Imm)
		return
	case wasmbin.OpV128Const:
		f.V128Const(n.Imm, n.Hi)
		return
	case wasmbin.OpLocalGet:
		f.LocalGet(wasmbin.Local(n.Imm))
		return
	case wasmbin.OpGlobalGet:
		f.GlobalGet(wasmbin.UnpackGlobal(n.Imm))
		return
	}
	for _, a := range n.Args {
		e.value(a)
	}
	switch {
	case opOf(n) == wasmbin.OpCall:
		f.Call(wasmbin.UnpackFunc(uint64(n.Callee)))
	case opOf(n) == wasmbin.OpSelect:
		f.Select()
	case opOf(n) == wasmbin.I8x16Shuffle:
		f.ShuffleBits(n.Imm, n.Hi)
	case opOf(n).AccessBytes() > 0:
		f.Mem(opOf(n), uint32(n.Imm), opOf(n).AccessBytes(), uint8(n.Hi))
	case opOf(n).HasLane():
		f.Lane(opOf(n), uint8(n.Imm))
	default:
		f.Op(opOf(n))
	}
}

func (e *emitter) item(it *item) {
	f := e.f
	if it.Kind != lower.ItemLoop {
		for _, a := range it.Args {
			e.value(a)
		}
	}
	switch it.Kind {
	case lower.ItemStore:
		f.Mem(wasmbin.Op(it.Op), uint32(it.Imm), wasmbin.Op(it.Op).AccessBytes(), it.Lane)
	case lower.ItemSet:
		f.LocalSet(wasmbin.Local(it.Reg))
	case lower.ItemCall:
		f.Call(wasmbin.UnpackFunc(uint64(it.Callee)))
		if it.HasRes {
			f.LocalSet(wasmbin.Local(it.Reg))
		}
	case lower.ItemReturn:
		f.Return()
	case lower.ItemLoop:
		e.loop(it)
	case lower.ItemIf:
		if e.raises(it) {
			return
		}
		f.If(it.Text, wasmbin.None)
		e.region(it.Body)
		e.standFor(it.At)
		if it.Alt != nil && len(it.Alt.Items) > 0 {
			f.Else()
			e.region(it.Alt)
			e.standFor(it.At)
		}
		f.End()
	case lower.ItemBlock:
		it.Body.Label = int(f.Block(it.Text))
		e.region(it.Body)
		e.standFor(it.At)
		f.End()
	case lower.ItemBreak:
		if len(it.Args) == 0 {
			f.Br(wasmbin.Label(it.Target.Label))
		} else {
			f.BrIf(wasmbin.Label(it.Target.Label))
		}
	case lower.ItemPoll:
		e.poll(it)
	case lower.ItemTrap:
		f.Op(wasmbin.OpUnreachable)
	case lower.ItemComment:
		f.Comment(it.Text)
	}
}

// loop writes a loop. wazero 1.12 takes everything behind a loop that is reached by no other way for a part of it: what the loop reads
// keeps its registers there for good. Where so few are left that it spills a register in the middle of an instruction that it
// translates to several, as v128.bitselect or i64x2.mul, it later loads what was in it at first. So where vectors are in use another
// way leads around the loop, though never taken: a memory without pages.
func (e *emitter) loop(it *item) {
	f := e.f
	around := e.vectors > 0 && len(it.Args) > 0
	if around {
		past := f.Block("past")
		f.Op(wasmbin.MemorySize)
		f.Op(wasmbin.I32Eqz)
		f.BrIf(past)
	}
	l := f.Loop(it.Text)
	e.region(it.Body)
	e.standFor(it.At)
	for _, a := range it.Args {
		e.value(a)
	}
	if len(it.Args) == 0 {
		f.Br(l)
	} else {
		f.BrIf(l)
	}
	f.End()
	if around {
		f.End()
	}
}
