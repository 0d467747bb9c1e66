package parse

import (
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// frame is the value of a call that opens a scope, such as T.allocate or T.block, or that
// makes a statement.
type frame struct {
	def      any                          // what the scope defines
	wrap     func(body tir.Stmt) tir.Stmt // makes the scope around its body
	stmt     tir.Stmt                     // a statement without a body
	loop     *loopHead
	block    *blockHead
	init     bool // T.init()
	dataflow bool // R.dataflow()
}

// done is the frame of a call that has had its effect.
var done = &frame{}

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
func (b *builder) tirBody(stmts []*syntax.Stmt) tir.Stmt {
	mark, outer, frame := b.env.mark(), b.tf.cur, b.tf.frame
	l := &stmtList{}
	b.tf.cur, b.tf.frame = l, mark
	for _, s := range stmts {
		if !b.guard(s, func() { b.tirStmt(s) }) {
			b.tf.cur = l
			b.poison(s)
		}
	}
	b.tf.cur, b.tf.frame = outer, frame
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
func (b *builder) poison(s *syntax.Stmt) {
	var names func(n *syntax.Node)
	names = func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Name:
			if _, ok := b.env.lookup(n.Text); !ok || s.Kind != syntax.For {
				b.env.define(n.Text, poison{})
			}
		case syntax.Tuple, syntax.List, syntax.Star:
			for _, k := range n.Kids {
				names(k)
			}
		}
	}
	for _, t := range s.Targets {
		names(t)
	}
	for _, it := range s.Items {
		if it.As != nil {
			names(it.As)
		}
	}
}

// enterFrame adds a frame that is used without "with".
func (b *builder) enterFrame(s *syntax.Stmt, f *frame) {
	switch {
	case f.stmt != nil:
		b.emit(f.stmt)
	case f.wrap != nil:
		b.scoped(f.wrap)
	case f == done:
	default:
		b.fail(s.Value, "", `this opens a scope and needs "with" before it`)
	}
}

// tirWith enters item i of a "with" and those behind it.
func (b *builder) tirWith(s *syntax.Stmt, i int) {
	if i == len(s.Items) {
		b.emit(b.tirBody(s.Body))
		return
	}
	it := s.Items[i]
	v := b.eval(it.Value)
	f, ok := v.(*frame)
	if !ok {
		b.fail(it.Value, "", `expected a scope such as T.block() after "with", got %s`, describe(v))
	}
	body := s.Body
	if i+1 < len(s.Items) {
		inner := *s
		inner.Items = s.Items[i+1:]
		body = []*syntax.Stmt{&inner}
	}
	switch {
	case f.block != nil:
		b.blockBody(s, f.block, it.As, body)
	case f.init:
		b.initBody(it.Value, body)
	case f.wrap == nil:
		b.fail(it.Value, "", "this is a statement, not a scope")
	default:
		mark := b.env.mark()
		if it.As != nil {
			if it.As.Kind == syntax.Name {
				b.named(it.As, f.def)
			} else {
				b.tirBind(s, it.As, f.def, false)
			}
		}
		body := b.tirBody(body)
		b.env.release(mark)
		b.emit(f.wrap(body))
	}
}
