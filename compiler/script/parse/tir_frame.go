package parse

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// stmtList collects the statements of a frame. A scope without "with" takes in all that
// follows: it starts a new segment.
type stmtList struct {
	done []segment
	cur  []tir.Stmt
}

type segment struct {
	before []tir.Stmt
	wrap   func(tir.Stmt) tir.Stmt
}

func (b *builder) emit(s tir.Stmt) { b.tf.cur.cur = append(b.tf.cur.cur, s) }

// scoped makes the rest of the frame the body of a scope.
func (b *builder) scoped(wrap func(tir.Stmt) tir.Stmt) {
	l := b.tf.cur
	l.done = append(l.done, segment{l.cur, wrap})
	l.cur = nil
}

// tirBody builds the statements of a frame.
func (b *builder) tirBody(stmts []*stmt) tir.Stmt {
	mark, outer := b.env.mark(), b.tf.cur
	l := &stmtList{}
	b.tf.cur = l
	for _, s := range stmts {
		if !b.guard(s, func() { b.tirStmt(s) }) {
			b.tf.cur = l
			b.poison(s)
		}
	}
	b.tf.cur = outer
	b.env.release(mark)
	if len(l.cur) == 0 && len(stmts) > 0 { // nothing but pass
		base := b.stmtBase(stmts[len(stmts)-1])
		l.cur = append(l.cur, &tir.Evaluate{Base: base, Value: &tir.IntImm{Base: base, Type: dtype.Int32T}})
	}
	body := sequence(l.cur)
	for i := len(l.done) - 1; i >= 0; i-- {
		seg := &l.done[i]
		body = sequence(append(seg.before, seg.wrap(body)))
	}
	return body
}

// sequence runs statements in order, those that do nothing included: the text has them.
func sequence(list []tir.Stmt) tir.Stmt {
	var flat []tir.Stmt
	for _, s := range list {
		if q, ok := s.(*tir.SeqStmt); ok {
			flat = append(flat, q.Seq...)
		} else {
			flat = append(flat, s)
		}
	}
	switch len(flat) {
	case 0:
		return tir.NoOp()
	case 1:
		return flat[0]
	}
	return &tir.SeqStmt{Seq: flat}
}

// poison defines what a statement that failed would have defined, so that its uses are not
// reported as well.
func (b *builder) poison(s *stmt) {
	var names func(n *node)
	names = func(n *node) {
		switch n.kind {
		case nName:
			if _, ok := b.env.lookup(n.s); !ok || s.kind != sFor {
				b.env.define(n.s, poison{})
			}
		case nTuple, nList, nStar:
			for _, k := range n.kids {
				names(k)
			}
		}
	}
	for _, t := range s.targets {
		names(t)
	}
	for _, it := range s.items {
		if it.as != nil {
			names(it.as)
		}
	}
}

// enterFrame adds a frame that is used without "with".
func (b *builder) enterFrame(s *stmt, f *frame) {
	switch {
	case f.stmt != nil:
		setStmtSpan(f.stmt, b.stmtBase(s))
		b.emit(f.stmt)
	case f.wrap != nil:
		b.scoped(f.wrap)
	case f.kind == "done":
	default:
		b.fail(s.value, "", `this opens a scope and needs "with" before it`)
	}
}

// tirWith enters item i of a "with" and those behind it.
func (b *builder) tirWith(s *stmt, i int) {
	if i == len(s.items) {
		b.emit(b.tirBody(s.body))
		return
	}
	it := s.items[i]
	v := b.eval(it.value)
	f, ok := v.(*frame)
	if !ok {
		b.fail(it.value, "", `expected a scope such as T.block() after "with", got %s`, describe(v))
	}
	body := s.body
	if i+1 < len(s.items) {
		inner := *s
		inner.items = s.items[i+1:]
		body = []*stmt{&inner}
	}
	switch f.kind {
	case "block":
		b.blockBody(s, f.block, it.as, body)
	case "init":
		b.initBody(it.value, body)
	default:
		if f.wrap == nil {
			b.fail(it.value, "", "this is a statement, not a scope")
		}
		mark := b.env.mark()
		if it.as != nil {
			switch it.as.kind {
			case nName:
				b.named(it.as, f.def)
			default:
				b.tirBind(s, it.as, f.def, false)
			}
		}
		body := b.tirBody(body)
		b.env.release(mark)
		b.emit(f.wrap(body))
	}
}
