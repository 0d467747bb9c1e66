package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// forward walks a function in the order of execution.
type forward struct {
	*flow
	removed map[*tir.BufferStore]bool // stores that are taken to be gone
}

// stmt returns what is known after x, where in is known before it.
func (f *forward) stmt(x tir.Stmt, in state) state {
	f.note(x, in)
	switch x := x.(type) {
	case *tir.BufferStore:
		in = f.computed(in, append([]tir.Expr{x.Value}, x.Indices...)...)
		if f.removed[x] {
			return in
		}
		return f.store(in, f.touchOf(x.Buffer, x.Indices, x.Predicate), x.Value)
	case *tir.Evaluate:
		if c, ok := tir.IsCallTo(x.Value, tir.OpAssume); ok {
			return f.assume(in, c.Args[0])
		}
		return f.computed(in, x.Value)
	case *tir.SeqStmt:
		for _, s := range x.Seq {
			in = f.stmt(s, in)
		}
		return in
	case *tir.IfThenElse:
		return f.branch(x, f.computed(in, x.Cond))
	case *tir.For:
		written := func(b *tir.Buffer) bool { return f.written(x, b) }
		return f.loop(x, f.computed(in, x.Min, x.Extent), false, written, func(s state) state { return f.stmt(x.Body, s) })
	case *tir.While:
		in = in.drop(elements) // the body may store to any
		f.stmt(x.Body, in)
		return in
	case *tir.LetStmt:
		return f.stmt(x.Body, f.computed(in, x.Value))
	case *tir.AssertStmt:
		in = f.computed(in, x.Cond, x.Message)
		if c := f.condition(x.Cond); c != nil {
			in = f.add(in, f.with(&fact{}, c))
		}
		return f.stmt(x.Body, in)
	case *tir.AttrStmt:
		in = f.computed(in, x.Value)
		if barrier(x) {
			return f.stmt(x.Body, in.drop(elements)).drop(elements)
		}
		return f.stmt(x.Body, in)
	case *tir.DeclBuffer:
		return f.stmt(x.Body, in)
	case *tir.Allocate:
		return f.stmt(x.Body, in.drop(owned(x.Var))).drop(owned(x.Var))
	case *tir.AllocateConst:
		return f.stmt(x.Body, in)
	case *tir.BufferRealize:
		return f.stmt(x.Body, in.drop(owned(x.Buffer.Data))).drop(owned(x.Buffer.Data))
	case *tir.BlockRealize:
		return f.realize(x, f.computed(in, append([]tir.Expr{x.Predicate}, x.Values...)...))
	}
	unhandled(x)
	return nil
}

// elements reports whether a fact is about elements of a buffer.
func elements(p *fact) bool { return p.buffer != nil }

// computed returns what is known after the expressions are computed: nothing of buffers if that has effects.
func (f *forward) computed(in state, es ...tir.Expr) state {
	for _, e := range es {
		if f.reads(e, nil) {
			return in.drop(elements)
		}
	}
	return in
}

// store returns what is known after a store of value, nil for a value that is unknown.
func (f *forward) store(in state, t *touch, value tir.Expr) state {
	if t == nil {
		return in
	}
	var out state
	for _, p := range in {
		if p.buffer == t.buffer {
			p = f.with(p, tir.And(p.where, tir.LogicalNot(t.at)))
		}
		if p != nil {
			out = append(out, p)
		}
	}
	if !t.exact || value == nil {
		return out
	}
	for _, v := range f.values(in, t, value) {
		out = f.add(out, f.with(&fact{buffer: t.buffer, value: v.value}, tir.And(t.at, v.where)))
	}
	return out
}

// assume returns what is known where cond is taken to hold. A part may be an equality of an element, below
// conditions that read nothing.
func (f *forward) assume(in state, cond tir.Expr) state {
	for _, part := range split(nil, cond, tir.OpAnd) {
		if c := f.condition(part); c != nil {
			in = f.add(in, f.with(&fact{}, c))
			continue
		}
		when := tir.Expr(tir.Bool(true))
		var equal *tir.Binary
		atoms := 0
		for _, atom := range split(nil, part, tir.OpOr) {
			if c := f.condition(atom); c != nil {
				when = tir.And(when, tir.LogicalNot(c))
				continue
			}
			atoms++
			if b, ok := atom.(*tir.Binary); ok && b.Op == tir.OpEQ {
				equal = b
			}
		}
		if atoms == 1 && equal != nil {
			in = f.equality(in, equal, when)
		}
	}
	return in
}

// equality adds that an element has a value, if when holds.
func (f *forward) equality(in state, e *tir.Binary, when tir.Expr) state {
	load, ok := e.A.(*tir.BufferLoad)
	value := e.B
	if !ok {
		if load, ok = e.B.(*tir.BufferLoad); !ok {
			return in
		}
		value = e.A
	}
	t := f.touchOf(load.Buffer, load.Indices, load.Predicate)
	value = tir.SubstExpr(value, f.lets)
	if t == nil || !t.exact || !value.DType().IsInteger() || !f.fixed(value) || arith.LargerThan(value, maxValue) {
		return in
	}
	if value = f.inAxes(t, value); value == nil {
		return in
	}
	return f.add(in, f.with(&fact{buffer: t.buffer, value: value}, tir.And(t.at, when)))
}

func (f *forward) branch(x *tir.IfThenElse, in state) state {
	cond := f.condition(x.Cond)
	yes, no := in, in
	if arith.SideEffect(x.Cond) <= tir.ReadState {
		yes = f.assume(in, x.Cond)
		no = f.assume(in, f.a.RewriteSimplify(tir.LogicalNot(x.Cond)))
	}
	yes = f.stmt(x.Then, yes)
	if x.Else != nil {
		no = f.stmt(x.Else, no)
	}
	return f.join(yes, no, cond)
}

func (f *forward) realize(x *tir.BlockRealize, in state) state {
	if p := f.condition(x.Predicate); !tir.IsTrue(x.Predicate) {
		inside := in
		if p != nil {
			inside = f.add(in, f.with(&fact{}, p))
		}
		return f.join(f.block(x, inside), in, p)
	}
	return f.block(x, in)
}

func (f *forward) block(x *tir.BlockRealize, in state) state {
	b := x.Block
	f.note(b, in)
	fresh := func(s state) state {
		for _, buf := range b.AllocBuffers {
			s = s.drop(owned(buf.Data))
		}
		return s
	}
	in = fresh(in)
	if b.Init != nil {
		in = f.join(f.stmt(b.Init, in), in, f.starts(x))
	}
	return fresh(f.stmt(b.Body, in))
}
