package bufferflow

import "github.com/irscope/irscope/compiler/tir"

// backward walks a function against the order of execution. Its facts are about elements that are stored to
// before anything reads them, or that nothing touches any more although they are gone at the end.
type backward struct{ *flow }

// stmt returns what is unused before x, where out is unused after it. It notes what is unused after a store.
func (b *backward) stmt(x tir.Stmt, out state) state {
	b.step(1)
	switch x := x.(type) {
	case *tir.BufferStore:
		b.note(x, out)
		if t := b.touchOf(x.Buffer, x.Indices, x.Predicate); t != nil && t.exact {
			out = b.add(out, b.with(&fact{buffer: t.buffer}, t.at))
		}
		return b.computed(out, append([]tir.Expr{x.Value, x.Predicate}, x.Indices...)...)
	case *tir.Evaluate:
		if c, ok := tir.IsCallTo(x.Value, tir.OpAssume); ok {
			return b.computed(out, c.Args[0])
		}
		return b.computed(out, x.Value)
	case *tir.SeqStmt:
		for i := len(x.Seq) - 1; i >= 0; i-- {
			out = b.stmt(x.Seq[i], out)
		}
		return out
	case *tir.IfThenElse:
		b.note(x.Then, out)
		if x.Else != nil {
			b.note(x.Else, out)
		}
		yes, no := b.stmt(x.Then, out), out
		if x.Else != nil {
			no = b.stmt(x.Else, out)
		}
		return b.computed(b.join(yes, no, b.condition(x.Cond)), x.Cond)
	case *tir.For:
		touched := func(buf *tir.Buffer) bool { return len(b.accesses(x)[buf]) > 0 }
		before := b.loop(x, out, true, touched, func(s state) state { return b.stmt(x.Body, s) })
		return b.computed(before, x.Min, x.Extent)
	case *tir.While:
		b.stmt(x.Body, nil)
		return nil
	case *tir.LetStmt:
		return b.computed(b.stmt(x.Body, out), x.Value)
	case *tir.AssertStmt:
		return b.computed(b.stmt(x.Body, out), x.Cond, x.Message)
	case *tir.AttrStmt:
		if barrier(x) {
			b.stmt(x.Body, nil)
			return nil
		}
		return b.computed(b.stmt(x.Body, out), x.Value)
	case *tir.DeclBuffer:
		return b.stmt(x.Body, out)
	case *tir.Allocate:
		return b.scoped(x.Var, out, func(s state) state { return b.stmt(x.Body, s) })
	case *tir.AllocateConst:
		return b.stmt(x.Body, out)
	case *tir.BufferRealize:
		return b.scoped(x.Buffer.Data, out, func(s state) state { return b.stmt(x.Body, s) })
	case *tir.BlockRealize:
		before := b.block(x, out)
		if !tir.IsTrue(x.Predicate) {
			before = b.join(before, out, b.condition(x.Predicate))
		}
		return b.computed(before, append([]tir.Expr{x.Predicate}, x.Values...)...)
	}
	unhandled(x)
	return nil
}

// scoped walks the scope of memory that is gone after it.
func (b *backward) scoped(data *tir.Var, out state, body func(state) state) state {
	out = out.drop(owned(data))
	if buf := b.users[data]; buf != nil {
		if _, followed := b.axes[buf]; followed {
			out = b.add(out, &fact{buffer: buf, where: tir.Bool(true)})
		}
	}
	return body(out).drop(owned(data))
}

func (b *backward) block(x *tir.BlockRealize, out state) state {
	body := func(s state) state {
		s = b.stmt(x.Block.Body, s)
		if x.Block.Init != nil {
			s = b.join(b.stmt(x.Block.Init, s), s, b.starts(x))
		}
		return s
	}
	for _, buf := range x.Block.AllocBuffers {
		inner := body
		body = func(s state) state { return b.scoped(buf.Data, s, inner) }
	}
	return body(out)
}

// computed returns what is unused before the expressions are computed: not what they read, and nothing if
// that has effects.
func (b *backward) computed(out state, es ...tir.Expr) state {
	for _, e := range es {
		effect := b.reads(e, func(t *touch) {
			var left state
			for _, p := range out {
				if p.buffer == t.buffer {
					p = b.with(p, tir.And(p.where, tir.LogicalNot(t.at)))
				}
				if p != nil {
					left = append(left, p)
				}
			}
			out = left
		})
		if effect {
			return nil
		}
	}
	return out
}
