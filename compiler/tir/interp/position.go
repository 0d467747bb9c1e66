package interp

import (
	"github.com/irscope/irscope/compiler/tir"
)

// Statements at which threads may wait keep the position of the thread, see thread. Those that run one after the other make it wait before each.

// seqOfThreads compiles a sequence of statements in which threads wait.
func (c *compiler) seqOfThreads(s *tir.SeqStmt) stmtFn {
	var list []stmtFn
	var step []bool
	for _, x := range s.Seq {
		if !tir.IsNoOp(x) {
			step = append(step, c.waitsIn(x).step && len(list) > 0 && s != c.update)
			list = append(list, c.stmt(x))
		}
	}
	return func(fr *frame) ctl {
		n := len(fr.pos)
		fr.pos = append(fr.pos, 0)
		out := ctlNext
		for i, f := range list {
			fr.pos[n] = int64(i)
			if step[i] {
				fr.step()
			}
			if out = f(fr); out != ctlNext {
				break
			}
		}
		fr.pos = fr.pos[:n]
		return out
	}
}

// iteration compiles the body of a loop. The loop calls begin before the first iteration, unless it is nil.
func (c *compiler) iteration(s tir.Stmt) (body stmtFn, begin func(*frame)) {
	inner := c.stmt(s)
	w := c.waitsIn(s)
	if !w.any() {
		return inner, nil
	}
	k := c.fn.nInt // counts iterations
	c.fn.nInt++
	begin = func(fr *frame) { fr.i[k] = 0 }
	return func(fr *frame) ctl {
		n := len(fr.pos)
		fr.i[k]++
		fr.pos = append(fr.pos, fr.i[k])
		if w.step && fr.i[k] > 1 {
			fr.step()
		}
		out := inner(fr)
		fr.pos = fr.pos[:n]
		return out
	}, begin
}

// branch compiles a branch of a conditional.
func (c *compiler) branch(s tir.Stmt, number int64) stmtFn {
	body := c.stmt(s)
	if !c.waitsIn(s).any() {
		return body
	}
	return func(fr *frame) ctl {
		n := len(fr.pos)
		fr.pos = append(fr.pos, number)
		out := body(fr)
		fr.pos = fr.pos[:n]
		return out
	}
}

// updateOf returns the stores of a reduction of several values, which it computes before it stores any: no other thread may come between. nil is a
// body of another form.
func updateOf(b *tir.Block) *tir.SeqStmt {
	body := b.Body
	for let, ok := body.(*tir.LetStmt); ok; let, ok = body.(*tir.LetStmt) {
		body = let.Body
	}
	seq, ok := body.(*tir.SeqStmt)
	if !ok || b.Init == nil || body == b.Body {
		return nil
	}
	for _, x := range seq.Seq {
		if _, store := x.(*tir.BufferStore); !store {
			return nil
		}
	}
	return seq
}

// initInStep is withInit for threads that run one after the other.
func initInStep(atStart []func(*frame) bool, init, body stmtFn) stmtFn {
	first := withInit(atStart, init, noop)
	return func(fr *frame) ctl {
		n := len(fr.pos)
		fr.pos = append(fr.pos, 0)
		first(fr)
		fr.pos[n] = 1
		fr.step()
		out := body(fr)
		fr.pos = fr.pos[:n]
		return out
	}
}
