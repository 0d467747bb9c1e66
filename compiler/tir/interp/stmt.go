package interp

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func noop(*frame) ctl { return ctlNext }

// stmt compiles s.
func (c *compiler) stmt(s tir.Stmt) stmtFn {
	outer := c.at
	c.at = s
	defer func() { c.at = outer }()
	switch s := s.(type) {
	case nil:
		return noop
	case *tir.SeqStmt:
		return c.seq(s)
	case *tir.For:
		return c.loop(s)
	case *tir.BufferStore:
		return c.store(s)
	case *tir.BlockRealize:
		return c.blockRealize(s)
	case *tir.Block:
		return c.blockRealize(&tir.BlockRealize{Block: s})
	case *tir.LetStmt:
		if e, ok := tir.IsCallTo(s.Value, tir.OpNDAlloc); ok {
			return c.ndAlloc(s, e)
		}
		set := c.assign(c.define(s.Var), s.Value)
		body := c.stmt(s.Body)
		return func(fr *frame) ctl {
			set(fr)
			return body(fr)
		}
	case *tir.Evaluate:
		return c.evaluate(s)
	case *tir.IfThenElse:
		cond, yes, no := c.int(s.Cond), c.branch(s.Then, 0), c.branch(s.Else, 1)
		return func(fr *frame) ctl {
			if cond(fr) != 0 {
				return yes(fr)
			}
			return no(fr)
		}
	case *tir.While:
		return c.while(s)
	case *tir.Allocate:
		return c.allocate(s)
	case *tir.AllocateConst:
		return c.allocateConst(s)
	case *tir.DeclBuffer:
		c.lookup(s.Buffer.Data)
		return c.stmt(s.Body)
	case *tir.BufferRealize:
		return c.withBuffers([]*tir.Buffer{s.Buffer}, func() stmtFn { return c.stmt(s.Body) })
	case *tir.AttrStmt:
		return c.attr(s)
	case *tir.AssertStmt:
		return c.assert(s)
	}
	panic(fmt.Sprintf("interp: unknown statement %T", s))
}

func (c *compiler) seq(s *tir.SeqStmt) stmtFn {
	if c.waitsIn(s).any() {
		return c.seqOfThreads(s)
	}
	list := make([]stmtFn, 0, len(s.Seq))
	for _, x := range s.Seq {
		if !tir.IsNoOp(x) {
			list = append(list, c.stmt(x))
		}
	}
	if len(list) == 2 {
		a, b := list[0], list[1]
		return func(fr *frame) ctl {
			if k := a(fr); k != ctlNext {
				return k
			}
			return b(fr)
		}
	}
	return func(fr *frame) ctl {
		for _, f := range list {
			if k := f(fr); k != ctlNext {
				return k
			}
		}
		return ctlNext
	}
}

func (c *compiler) loop(s *tir.For) stmtFn {
	if l, ok := launchOf(s); ok {
		return c.launch(l)
	}
	lo, n := c.int(s.Min), c.int(s.Extent)
	step := func(*frame) int64 { return 1 }
	if s.Step != nil {
		step = c.int(s.Step)
	}
	v := c.define(s.LoopVar)
	c.loops[s.LoopVar] = s
	body, begin := c.iteration(s.Body)
	name, slot := s.LoopVar.Name, v.n
	return func(fr *frame) ctl {
		first, by := lo(fr), step(fr)
		end := first + n(fr)
		if begin != nil {
			begin(fr)
		}
		if by <= 0 {
			fr.fail("loop %s has step %d, expected a positive one", name, by)
		}
		for k := first; k < end; k += by {
			fr.m.step(fr)
			fr.i[slot] = k
			switch body(fr) {
			case ctlBreak:
				return ctlNext
			case ctlReturn:
				return ctlReturn
			}
		}
		return ctlNext
	}
}

func (c *compiler) while(s *tir.While) stmtFn {
	cond := c.int(s.Cond)
	body, begin := c.iteration(s.Body)
	return func(fr *frame) ctl {
		if begin != nil {
			begin(fr)
		}
		for cond(fr) != 0 {
			fr.m.step(fr)
			switch body(fr) {
			case ctlBreak:
				return ctlNext
			case ctlReturn:
				return ctlReturn
			}
		}
		return ctlNext
	}
}

func (c *compiler) evaluate(s *tir.Evaluate) stmtFn {
	if call, ok := s.Value.(*tir.Call); ok {
		if op, ok := call.Op.(*ir.Op); ok {
			switch op.Name {
			case tir.OpBreakLoop.Name:
				return func(*frame) ctl { return ctlBreak }
			case tir.OpContinueLoop.Name:
				return func(*frame) ctl { return ctlContinue }
			case tir.OpRet.Name:
				return c.ret(call)
			case "tir.thread_return":
				return func(*frame) ctl { return ctlReturn }
			}
		}
	}
	v := c.expr(s.Value)
	lanes := max(1, int(s.Value.DType().Lanes))
	return func(fr *frame) ctl {
		for k := range lanes {
			fr.lane = k
			if v.f != nil {
				v.f(fr)
			} else {
				v.i(fr)
			}
		}
		fr.lane = 0
		return ctlNext
	}
}

func (c *compiler) ret(call *tir.Call) stmtFn {
	if len(call.Args) == 0 {
		return func(*frame) ctl { return ctlReturn }
	}
	v := c.expr(call.Args[0])
	return func(fr *frame) ctl {
		fr.has = true
		if v.f != nil {
			fr.retF = v.f(fr)
		} else {
			fr.retI = v.i(fr)
		}
		return ctlReturn
	}
}

// attr runs the body once, or once for each thread that it launches.
func (c *compiler) attr(s *tir.AttrStmt) stmtFn {
	if c.kernel == nil {
		s = inThreads(s).(*tir.AttrStmt)
	}
	if l, ok := launchOf(s); ok {
		return c.launch(l)
	}
	if r, ok := s.Node.(*tir.CommReducer); ok && s.Key == "reduce_scope" {
		outer := c.reducer
		c.reducer = r
		defer func() { c.reducer = outer }()
	}
	return c.stmt(s.Body)
}

func (c *compiler) assert(s *tir.AssertStmt) stmtFn {
	cond, body := c.int(s.Cond), c.stmt(s.Body)
	msg := "assertion failed"
	if m, ok := s.Message.(*tir.StringImm); ok {
		msg = m.Value
	}
	return func(fr *frame) ctl {
		if cond(fr) == 0 {
			a := &Assertion{msg}
			panic(&failure{fr.fn.name, a.Error(), a})
		}
		return body(fr)
	}
}
