package wasm

import (
	"math"

	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// konst returns a constant, which belongs to no region.
func (g *gen) konst(op wasmbin.Op, imm, hi uint64) *node {
	k := nodeKey{op: op, imm: imm, hi: hi}
	if n := g.consts[k]; n != nil {
		return n
	}
	n := &node{op: op, imm: imm, hi: hi, typ: op.Result(), barrier: never, id: g.nextID()}
	n.nonneg = (op == wasmbin.OpI32Const && int32(imm) >= 0) || (op == wasmbin.OpI64Const && int64(imm) >= 0)
	g.consts[k] = n
	return n
}

func (g *gen) i32(v int32) *node { return g.konst(wasmbin.OpI32Const, uint64(uint32(v)), 0) }
func (g *gen) i64(v int64) *node { return g.konst(wasmbin.OpI64Const, uint64(v), 0) }
func (g *gen) f32(v float32) *node {
	return g.konst(wasmbin.OpF32Const, uint64(math.Float32bits(v)), 0)
}
func (g *gen) f64(v float64) *node { return g.konst(wasmbin.OpF64Const, math.Float64bits(v), 0) }

func (g *gen) nextID() int { g.ids++; return g.ids }

// place finds the region in which a value of args is computed: outside the loops in which none
// of args changes. What costs more than a few cycles is not taken out of a conditional, and
// what may trap stays where it is.
func (g *gen) place(args []*node, cheap, traps bool) *region {
	if traps {
		return g.cur
	}
	avail := 0
	for _, a := range args {
		if a.region != nil {
			avail = max(avail, a.region.depth)
		}
	}
	to := g.cur
	for x := g.cur; x.depth > avail; x = x.parent {
		if x.kind == loopRegion {
			to = x.parent
		} else if x.kind == branchRegion && !cheap {
			break
		}
	}
	return to
}

// maxLookup is how many regions outwards a known node is looked for. In thousands of branches in
// each other it may then be computed again, in place of looking through all of them each time.
const maxLookup = 256

// lookup finds a known node from the current region outwards.
func (g *gen) lookup(k nodeKey) *node {
	for r, n := g.cur, maxLookup; r != nil && n > 0; r, n = r.parent, n-1 {
		if n := r.known[k]; n != nil {
			if n.barrier == never {
				return n
			}
			delete(r.known, k)
		}
	}
	return nil
}

// op returns the pure instruction op on args.
func (g *gen) op(op wasmbin.Op, args ...*node) *node { return g.opImm(op, 0, 0, args...) }

// lane returns an extract_lane or replace_lane.
func (g *gen) lane(op wasmbin.Op, lane int, args ...*node) *node {
	return g.opImm(op, uint64(lane), 0, args...)
}

func (g *gen) opImm(op wasmbin.Op, imm, hi uint64, args ...*node) *node {
	if n := g.fold(op, args); n != nil {
		return n
	}
	k := nodeKey{op: op, imm: imm, hi: hi}
	switch len(args) {
	case 3:
		k.c = args[2]
		fallthrough
	case 2:
		k.b = args[1]
		fallthrough
	case 1:
		k.a = args[0]
	}
	if n := g.lookup(k); n != nil {
		return n
	}
	typ := op.Result()
	if typ == wasmbin.None {
		typ = args[0].typ
	}
	n := &node{op: op, args: args, imm: imm, hi: hi, typ: typ, barrier: never, id: g.nextID()}
	n.nonneg = resultNonneg(op, args)
	g.define(n, k, g.place(args, cheapOp(op), trapping(op, args)))
	return n
}

// pureCall returns the result of a function without effects.
func (g *gen) pureCall(f wasmbin.FuncRef, result wasmbin.ValType, args ...*node) *node {
	k := nodeKey{op: wasmbin.OpCall, callee: f}
	for i, a := range args {
		switch i {
		case 0:
			k.a = a
		case 1:
			k.b = a
		case 2:
			k.c = a
		}
	}
	if n := g.lookup(k); n != nil {
		return n
	}
	n := &node{op: wasmbin.OpCall, callee: f, args: args, typ: result, barrier: never, id: g.nextID()}
	g.define(n, k, g.place(args, false, false))
	return n
}

// define places n in region r.
func (g *gen) define(n *node, k nodeKey, r *region) {
	n.region, n.pos = r, len(r.items)
	r.items = append(r.items, item{kind: itemDef, node: n})
	r.known[k] = n
}

// trapping reports whether op on args may trap.
func trapping(op wasmbin.Op, args []*node) bool {
	switch op {
	case wasmbin.I32DivS, wasmbin.I32DivU, wasmbin.I32RemS, wasmbin.I32RemU,
		wasmbin.I64DivS, wasmbin.I64DivU, wasmbin.I64RemS, wasmbin.I64RemU:
		d := args[1]
		return !d.isConst() || d.imm == 0 || int64(d.imm) == -1 || uint32(d.imm) == math.MaxUint32
	}
	return false
}

// cheapOp reports whether op takes few enough cycles to run for nothing.
func cheapOp(op wasmbin.Op) bool {
	switch op {
	case wasmbin.F32x4Splat, wasmbin.I32x4Splat, wasmbin.F64x2Splat, wasmbin.I64x2Splat, wasmbin.I8x16Splat, wasmbin.I16x8Splat:
		return true
	}
	t := op.Result()
	return op < 0x100 && (t == wasmbin.I32 || t == wasmbin.I64) && op.NumOperands() <= 2
}

func resultNonneg(op wasmbin.Op, args []*node) bool {
	all := true
	for _, a := range args {
		all = all && a.nonneg
	}
	switch op {
	case wasmbin.I32Add, wasmbin.I32Mul, wasmbin.I32Shl, wasmbin.I64Add, wasmbin.I64Mul, wasmbin.I64Shl,
		wasmbin.I32DivS, wasmbin.I32DivU, wasmbin.I64DivS, wasmbin.I64DivU, wasmbin.I32ShrS, wasmbin.I64ShrS,
		wasmbin.I32RemS, wasmbin.I64RemS, wasmbin.I64ExtendI32S, wasmbin.I32WrapI64, wasmbin.OpSelect:
		return all
	case wasmbin.I32And, wasmbin.I64And:
		return args[0].nonneg || args[1].nonneg
	case wasmbin.I32ShrU, wasmbin.I64ShrU, wasmbin.I32RemU, wasmbin.I64RemU:
		return args[0].nonneg
	case wasmbin.I64ExtendI32U:
		return true
	}
	return op >= wasmbin.I32Eqz && op <= wasmbin.F64Ge
}

// variable is a local that changes: a scalar or vector that the function assigns.
type variable struct {
	local wasmbin.Local
	typ   wasmbin.ValType
	name  string
	live  []*node // reads that still hold
}

func (g *gen) newVariable(name string, t wasmbin.ValType) *variable {
	return &variable{local: g.f.NewLocal(name, t), typ: t, name: name}
}

// read returns the present value of v.
func (g *gen) read(v *variable) *node {
	k := nodeKey{op: wasmbin.OpLocalGet, imm: uint64(v.local)}
	if n := g.lookup(k); n != nil {
		return n
	}
	n := &node{op: wasmbin.OpLocalGet, imm: uint64(v.local), typ: v.typ, barrier: never, id: g.nextID(), unstable: true, class: v, name: v.name}
	v.live = append(v.live, n)
	g.define(n, k, g.cur)
	return n
}

// set assigns v.
func (g *gen) set(v *variable, val *node) {
	g.killVariable(v)
	g.add(item{kind: itemSet, local: v.local, args: []*node{val}})
}

func (g *gen) killVariable(v *variable) {
	kill(v.live)
	v.live = v.live[:0]
}

// kill ends the reads: whoever uses them later uses a copy made at their definition.
func kill(live []*node) {
	for _, n := range live {
		if n.barrier == never {
			n.barrier = len(n.region.items)
		}
	}
}

// stable is a local that keeps its value as long as region is running.
func (g *gen) stable(l wasmbin.Local, r *region, nonneg bool) *node {
	return &node{op: wasmbin.OpLocalGet, imm: uint64(l), typ: g.f.LocalType(l), barrier: never, id: g.nextID(), region: r, nonneg: nonneg}
}

func (g *gen) add(it item) { g.cur.items = append(g.cur.items, it) }
