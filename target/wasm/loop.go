package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// loopVar is the type in which a loop variable is kept: 32 bits where the bounds fit.
func (g *gen) loopVarType(s *tir.For) wasmbin.ValType {
	d := s.LoopVar.DType()
	if d.Bits < 64 {
		return wasmbin.I32
	}
	lo, ok1 := tir.AsInt(s.Min)
	n, ok2 := tir.AsInt(s.Extent)
	if ok1 && ok2 && lo > -1<<30 && lo < 1<<30 && n < 1<<30 {
		return wasmbin.I32
	}
	return wasmbin.I64
}

// forStmt translates a loop. Parallel and vectorised loops that are still there run serially.
func (g *gen) forStmt(s *tir.For) {
	d := s.LoopVar.DType()
	if s.Kind == tir.ThreadBinding {
		g.fail("For "+s.LoopVar.Name, "the target has no threads to bind a loop to")
	}
	if !d.IsInteger() || d.Lanes != 1 {
		g.fail("For "+s.LoopVar.Name, "the loop variable has type %s, expected an integer", d)
	}
	typ := g.loopVarType(s)
	bound := func(e tir.Expr) *node {
		n := g.scalarExpr(e, "For "+s.LoopVar.Name)
		switch {
		case n.typ == wasmbin.I64 && typ == wasmbin.I32:
			return g.op(wasmbin.I32WrapI64, n)
		case n.typ == wasmbin.I32 && typ == wasmbin.I64:
			return g.op(wasmbin.I64ExtendI32S, n)
		}
		return n
	}
	t := intOpsOf(typ == wasmbin.I64)
	lo := bound(s.Min)
	end := g.op(t.add, lo, bound(s.Extent))
	step := g.intLike(lo, 1)
	if s.Step != nil {
		step = bound(s.Step)
	}
	lv, lok := constOf(lo)
	ev, eok := constOf(end)
	if lok && eok && lv >= ev {
		return
	}
	body := func() { g.loopBody(s, lo, end, step, t) }
	if lok && eok {
		body()
		return
	}
	g.branch(g.op(t.ltS, lo, end), "nonempty", body, nil)
}

// loopBody writes a loop that surely runs once: the test is at its end.
func (g *gen) loopBody(s *tir.For, lo, end, step *node, t intOps) {
	eff := g.effects[s]
	g.promote(eff, eff.order, func() { g.runLoop(s, eff, lo, end, step, t) })
}

// runLoop writes the loop itself: in strips of some turns, between which it polls, where one
// turn is too little to hide a poll.
func (g *gen) runLoop(s *tir.For, eff *loopEffects, lo, end, step *node, t intOps) {
	g.killEffects(eff)
	iv := &variable{local: g.f.NewLocal(s.LoopVar.Name, lo.typ), typ: lo.typ, name: s.LoopVar.Name}
	outer := g.cur
	g.add(item{kind: itemSet, local: iv.local, args: []*node{lo}})
	till, around := end, outer
	if eff.strip > 0 {
		around = newRegion(loopRegion, outer)
		around.loop = eff
		g.cur = around
		till = g.stripEnd(iv, end, eff.strip, t)
	}
	body := newRegion(loopRegion, around)
	body.loop = eff
	g.cur = body
	i := g.stable(iv.local, body, lo.nonneg)
	i.counter = &counter{entry: outer, body: body, lo: lo, step: step}
	iv2 := one(s.LoopVar.DType(), i)
	if lo.typ == wasmbin.I32 && s.LoopVar.DType().Bits == 64 {
		g.lins[s.LoopVar] = lin{terms: []term{{i, 1}}}
		iv2 = one(s.LoopVar.DType(), g.op(wasmbin.I64ExtendI32S, i))
	}
	g.vars[s.LoopVar] = iv2
	exit := g.body(s, s.Body, body)
	g.cur = body
	g.advanceAll(body)
	next := &node{op: t.add, args: []*node{i, step}, typ: lo.typ, barrier: never, id: g.nextID()}
	g.define(next, nodeKey{op: wasmbin.OpLocalSet, imm: uint64(iv.local)}, body)
	g.add(item{kind: itemSet, local: iv.local, args: []*node{next}})
	if eff.polls && eff.strip == 0 {
		g.poll(eff.body)
	}
	again := g.before(iv, till, t)
	g.cur = around
	g.closeLoop(item{kind: itemLoop, body: body, args: []*node{again}, text: s.LoopVar.Name}, exit)
	if around == outer {
		return
	}
	g.branch(g.before(iv, end, t), "strip", func() { g.poll(eff.body * float64(eff.strip)) }, nil)
	again = g.before(iv, end, t)
	g.cur = outer
	g.add(item{kind: itemLoop, body: around, args: []*node{again}, text: s.LoopVar.Name + "_strip"})
}

// before compares a loop variable, as it is now, with a bound.
func (g *gen) before(iv *variable, end *node, t intOps) *node {
	n := &node{op: t.ltS, args: []*node{g.fresh(iv.local, g.cur), end}, typ: wasmbin.I32, barrier: never, id: g.nextID()}
	g.define(n, nodeKey{op: wasmbin.OpLocalTee, imm: uint64(g.ids)}, g.cur)
	return n
}

// stripEnd returns where the strip that starts at iv ends: after the given number of turns, or
// at the end of the loop. iv is before end, so that their difference is right without a sign.
func (g *gen) stripEnd(iv *variable, end *node, turns int64, t intOps) *node {
	now := g.fresh(iv.local, g.cur)
	most := g.intLike(end, turns)
	rest := g.op(t.sub, end, now)
	l := g.f.NewLocal(iv.name+"_till", iv.typ)
	g.add(item{kind: itemSet, local: l, args: []*node{
		g.op(t.add, now, g.op(wasmbin.OpSelect, rest, most, g.op(t.ltU, rest, most))),
	}})
	return g.stable(l, g.cur, false)
}

// fresh reads a local as it is now, not to be shared.
func (g *gen) fresh(l wasmbin.Local, r *region) *node {
	return &node{op: wasmbin.OpLocalGet, imm: uint64(l), typ: g.f.LocalType(l), barrier: never, id: g.nextID(), region: r}
}

// closeLoop appends a loop, wrapped in a block if something breaks out of it.
func (g *gen) closeLoop(it item, exit *region) {
	if exit == nil {
		g.add(it)
		return
	}
	exit.items = append(exit.items, it)
	g.add(item{kind: itemBlock, body: exit, text: "exit"})
}

// body translates the body of a loop; exit is the block to leave it by, nil if nothing does.
func (g *gen) body(loop, s tir.Stmt, r *region) (exit *region) {
	if e := g.effects[loop]; e == nil || !e.jumps {
		g.loops = append(g.loops, loopFrame{})
		g.stmt(s)
		g.loops = g.loops[:len(g.loops)-1]
		return nil
	}
	exit = newRegion(blockRegion, r.parent)
	next := newRegion(blockRegion, r)
	g.loops = append(g.loops, loopFrame{exit: exit, next: next})
	g.cur = next
	g.stmt(s)
	g.cur = r
	g.loops = g.loops[:len(g.loops)-1]
	g.add(item{kind: itemBlock, body: next, text: "next"})
	return exit
}

// whileStmt translates a loop whose condition is tested before each turn.
func (g *gen) whileStmt(s *tir.While) {
	eff := g.effects[s]
	g.killEffects(eff)
	outer := g.cur
	exit := newRegion(blockRegion, outer)
	body := newRegion(loopRegion, exit)
	body.loop = eff
	g.cur = body
	cond := g.scalarExpr(s.Cond, "While")
	g.add(item{kind: itemBreak, target: exit, args: []*node{g.op(wasmbin.I32Eqz, cond)}})
	next := newRegion(blockRegion, body)
	g.loops = append(g.loops, loopFrame{exit: exit, next: next})
	g.cur = next
	g.stmt(s.Body)
	g.loops = g.loops[:len(g.loops)-1]
	g.cur = body
	g.add(item{kind: itemBlock, body: next, text: "next"})
	g.poll(eff.body)
	g.cur = outer
	exit.items = append(exit.items, item{kind: itemLoop, body: body, text: "while"})
	g.add(item{kind: itemBlock, body: exit, text: "exit"})
}
