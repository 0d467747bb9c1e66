package lower

import "github.com/irscope/irscope/compiler/tir"

// loopFrame is a loop that break and continue may leave.
type loopFrame struct{ exit, next *Region }

// loopBits is the width in which a loop variable is kept: 32 bits where the bounds fit.
func loopBits(s *tir.For) int {
	lo, ok1 := tir.AsInt(s.Min)
	n, ok2 := tir.AsInt(s.Extent)
	if s.LoopVar.DType().Bits < 64 || ok1 && ok2 && lo > -1<<30 && lo < 1<<30 && n < 1<<30 {
		return 32
	}
	return 64
}

// forStmt translates a loop. Vectorised loops that are still there run serially, and parallel ones where the generator has no other way.
func (w *Walker) forStmt(s *tir.For) {
	d := s.LoopVar.DType()
	what := "For " + s.LoopVar.Name
	if w.tileProducts(s, nil) {
		return
	}
	if s.Kind == tir.ThreadBinding {
		w.Fail(what, "the target has no threads to bind a loop to")
	}
	if !d.IsInteger() || d.Lanes != 1 {
		w.Fail(what, "the loop variable has type %s, expected an integer", d)
	}
	bits := loopBits(s)
	bound := func(e tir.Expr) *Node {
		n := w.ScalarExpr(e, what)
		switch {
		case bits == 64:
			return w.extended(n, ExtendS)
		case w.bitsOf(n) == 64:
			return w.Fn(Wrap, n)
		}
		return n
	}
	lo := bound(s.Min)
	end := w.Fn(Add, lo, bound(s.Extent))
	step := w.IntLike(lo, 1)
	if s.Step != nil {
		step = bound(s.Step)
	}
	lv, lok := lo.Int()
	ev, eok := end.Int()
	body := func() {
		run := func(from, to *Node) { w.forBody(s, from, to, end, step) }
		if !w.gen.Fork(s, lo, end, run) {
			run(lo, end)
		}
	}
	switch {
	case !lok || !eok:
		w.Branch(w.Fn(LtS, lo, end), "nonempty", body, nil)
	case lv < ev:
		body()
	}
}

// forBody writes a loop that surely runs once, with its sums in variables: all turns or, where they run side by side, those from lo to end of them.
func (w *Walker) forBody(s *tir.For, lo, end, all, step *Node) {
	eff := w.Effects.Loops[s]
	w.promote(eff, func() {
		w.Loop(Loop{Name: s.LoopVar.Name, Effects: eff, Lo: lo, End: end, All: all, Step: step, Poll: w.gen.Poll, Body: func(i *Node, turn *Region) *Region {
			w.bindLoop(s, i)
			return w.loopBody(s, s.Body, turn)
		}})
	})
}

// bindLoop gives a loop variable its value, which may be kept in fewer bits than the variable has.
func (w *Walker) bindLoop(s *tir.For, i *Node) {
	d := s.LoopVar.DType()
	v := One(d, i)
	if w.bitsOf(i) == 32 && d.Bits == 64 {
		w.Linear[s.LoopVar] = w.Atom(i)
		v = One(d, w.Fn(ExtendS, i))
	}
	w.Vars[s.LoopVar] = v
}

// loopBody translates the body of a loop; exit is the block to leave it by, nil if nothing does.
func (w *Walker) loopBody(loop, s tir.Stmt, r *Region) (exit *Region) {
	if e := w.Effects.Loops[loop]; e == nil || !e.Jumps {
		w.inLoop(loopFrame{}, s)
		return nil
	}
	exit = NewRegion(BlockRegion, r.Parent())
	w.turn(exit, s, r)
	return exit
}

// turn translates a body that break and continue may leave, in the region r.
func (w *Walker) turn(exit *Region, s tir.Stmt, r *Region) {
	next := NewRegion(BlockRegion, r)
	w.Cur = next
	w.inLoop(loopFrame{exit: exit, next: next}, s)
	w.Cur = r
	w.Add(Item{Kind: ItemBlock, Body: next, Text: "next"})
}

func (w *Walker) inLoop(f loopFrame, s tir.Stmt) {
	w.loops = append(w.loops, f)
	w.straight(s)
	w.loops = w.loops[:len(w.loops)-1]
}

// whileStmt translates a loop whose condition is tested before each turn.
func (w *Walker) whileStmt(s *tir.While) {
	eff := w.Effects.Loops[s]
	w.KillEffects(eff)
	outer := w.Cur
	exit := NewRegion(BlockRegion, outer)
	body := NewRegion(LoopRegion, exit)
	body.Loop = eff
	w.Cur = body
	cond := w.ScalarExpr(s.Cond, "While")
	w.Add(Item{Kind: ItemBreak, Target: exit, Args: w.Operands(w.Fn(Eqz, cond))})
	w.turn(exit, s.Body, body)
	w.gen.Poll(eff.Body)
	w.Cur = outer
	w.CloseLoop(Item{Kind: ItemLoop, Body: body, Text: "while"}, exit)
}
