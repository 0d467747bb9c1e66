package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
)

// loopVarType is the type in which a loop variable is kept: 32 bits where the bounds fit.
func (g *gen) loopVarType(s *tir.For) lower.Type {
	d := s.LoopVar.DType()
	if d.Bits < 64 {
		return tI32
	}
	lo, ok1 := tir.AsInt(s.Min)
	n, ok2 := tir.AsInt(s.Extent)
	if ok1 && ok2 && lo > -1<<30 && lo < 1<<30 && n < 1<<30 {
		return tI32
	}
	return tI64
}

// forStmt translates a loop. Vectorised loops that are still there run serially.
func (g *gen) forStmt(s *tir.For) {
	d := s.LoopVar.DType()
	what := "For " + s.LoopVar.Name
	if s.Kind == tir.ThreadBinding {
		g.fail(what, "the target has no threads to bind a loop to")
	}
	if !d.IsInteger() || d.Lanes != 1 {
		g.fail(what, "the loop variable has type %s, expected an integer", d)
	}
	typ := g.loopVarType(s)
	bound := func(e tir.Expr) *node {
		n := g.scalarExpr(e, what)
		switch {
		case n.Type == tI64 && typ == tI32:
			return g.conv(lower.Wrap, n)
		case n.Type == tI32 && typ == tI64:
			return g.conv(lower.ExtendS, n)
		}
		return n
	}
	lo := bound(s.Min)
	end := g.fn(lower.Add, lo, bound(s.Extent))
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
	if g.forks(s, typ) {
		body = func() { g.fork(s, lo, end, step) }
	}
	if lok && eok {
		body()
		return
	}
	g.Branch(g.fn(lower.LtS, lo, end), "nonempty", body, nil)
}

// loopBody writes a loop that surely runs once, with its sums in registers.
func (g *gen) loopBody(s *tir.For, lo, end, step *node) {
	eff := g.Effects.Loops[s]
	g.promote(eff, func() {
		g.Loop(lower.Loop{Name: s.LoopVar.Name, Effects: eff, Lo: lo, End: end, Step: step, Poll: g.poll, Body: func(i *node, turn *region) *region {
			v := one(s.LoopVar.DType(), i)
			if lo.Type == tI32 && s.LoopVar.DType().Bits == 64 {
				g.Linear[s.LoopVar] = g.Atom(i)
				v = one(s.LoopVar.DType(), g.conv(lower.ExtendS, i))
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
	g.Add(item{Kind: lower.ItemBreak, Target: exit, Args: []*node{g.fn(lower.Eqz, cond)}})
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
