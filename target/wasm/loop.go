package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
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
		case typeOf(n) == wasmbin.I64 && typ == wasmbin.I32:
			return g.op(wasmbin.I32WrapI64, n)
		case typeOf(n) == wasmbin.I32 && typ == wasmbin.I64:
			return g.op(wasmbin.I64ExtendI32S, n)
		}
		return n
	}
	t := intOpsOf(typ == wasmbin.I64)
	lo := bound(s.Min)
	end := g.op(t.add, lo, bound(s.Extent))
	step := g.IntLike(lo, 1)
	if s.Step != nil {
		step = bound(s.Step)
	}
	lv, lok := lo.Int()
	ev, eok := end.Int()
	if lok && eok && lv >= ev {
		return
	}
	body := func() { g.loopBody(s, lo, end, step) }
	if lok && eok {
		body()
		return
	}
	g.Branch(g.op(t.ltS, lo, end), "nonempty", body, nil)
}

// loopBody writes a loop that surely runs once, with its sums in locals.
func (g *gen) loopBody(s *tir.For, lo, end, step *node) {
	eff := g.Effects.Loops[s]
	g.promote(eff, func() {
		g.Loop(lower.Loop{Name: s.LoopVar.Name, Effects: eff, Lo: lo, End: end, Step: step, Poll: g.poll, Body: func(i *node, turn *region) *region {
			v := one(s.LoopVar.DType(), i)
			if typeOf(lo) == wasmbin.I32 && s.LoopVar.DType().Bits == 64 {
				g.Linear[s.LoopVar] = g.Atom(i)
				v = one(s.LoopVar.DType(), g.op(wasmbin.I64ExtendI32S, i))
			}
			g.vars[s.LoopVar] = v
			return g.body(s, s.Body, turn)
		}})
	})
}

// body translates the body of a loop; exit is the block to leave it by, nil if nothing does.
func (g *gen) body(loop, s tir.Stmt, r *region) (exit *region) {
	if e := g.Effects.Loops[loop]; e == nil || !e.Jumps {
		g.loops = append(g.loops, loopFrame{})
		g.stmt(s)
		g.loops = g.loops[:len(g.loops)-1]
		return nil
	}
	exit = lower.NewRegion(lower.BlockRegion, r.Parent())
	next := lower.NewRegion(lower.BlockRegion, r)
	g.loops = append(g.loops, loopFrame{exit: exit, next: next})
	g.Cur = next
	g.stmt(s)
	g.Cur = r
	g.loops = g.loops[:len(g.loops)-1]
	g.Add(item{Kind: lower.ItemBlock, Body: next, Text: "next"})
	return exit
}

// whileStmt translates a loop whose condition is tested before each turn.
func (g *gen) whileStmt(s *tir.While) {
	eff := g.Effects.Loops[s]
	g.KillEffects(eff)
	outer := g.Cur
	exit := lower.NewRegion(lower.BlockRegion, outer)
	body := lower.NewRegion(lower.LoopRegion, exit)
	body.Loop = eff
	g.Cur = body
	cond := g.scalarExpr(s.Cond, "While")
	g.Add(item{Kind: lower.ItemBreak, Target: exit, Args: []*node{g.op(wasmbin.I32Eqz, cond)}})
	next := lower.NewRegion(lower.BlockRegion, body)
	g.loops = append(g.loops, loopFrame{exit: exit, next: next})
	g.Cur = next
	g.stmt(s.Body)
	g.loops = g.loops[:len(g.loops)-1]
	g.Cur = body
	g.Add(item{Kind: lower.ItemBlock, Body: next, Text: "next"})
	g.poll(eff.Body)
	g.Cur = outer
	g.CloseLoop(item{Kind: lower.ItemLoop, Body: body, Text: "while"}, exit)
}
