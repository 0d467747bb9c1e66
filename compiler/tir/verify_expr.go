package tir

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
)

// stmt checks a statement in the current scope.
func (v *verifier) stmt(s Stmt) {
	switch s := s.(type) {
	case *SeqStmt:
		for _, x := range s.Seq {
			v.stmt(x)
		}
	case *For:
		v.loop(s)
	case *BlockRealize:
		v.realize(s)
	case *Block:
		v.block(s)
	case *LetStmt:
		v.expr(s.Value)
		if s.Var.DType() != s.Value.DType() {
			v.report(s, "variable %s of type %s is bound to a value of type %s", s.Var.Name, s.Var.DType(), s.Value.DType())
		}
		v.within(s, s.Var, s.Body)
	case *AttrStmt:
		v.attr(s)
	case *AssertStmt:
		v.expr(s.Cond)
		v.boolean(s, s.Cond, "the condition")
		v.stmt(s.Body)
	case *BufferStore:
		v.store(s)
	case *BufferRealize:
		mark := v.enter()
		if !v.visible(s.Buffer) { // of a buffer from outside it is an annotation
			v.declare(s, s.Buffer, !v.active(s.Buffer.Data))
		}
		v.stmt(s.Body)
		v.leave(mark)
	case *Allocate:
		for _, e := range s.Extents {
			v.expr(e)
			v.integer(s, e, "an extent of allocation %s", s.Var.Name)
		}
		if s.Condition != nil {
			v.expr(s.Condition)
			if !s.Condition.DType().IsBool() {
				v.boolean(s, s.Condition, "the condition of allocation "+s.Var.Name)
			}
		}
		v.within(s, s.Var, s.Body)
	case *AllocateConst:
		st := v.state(s.Var)
		st.handle = true
		v.vars.Put(s.Var, st)
		v.within(s, s.Var, s.Body)
	case *DeclBuffer:
		mark := v.enter()
		v.declare(s, s.Buffer, false)
		v.stmt(s.Body)
		v.leave(mark)
	case *Evaluate:
		v.expr(s.Value)
	case *IfThenElse:
		v.expr(s.Cond)
		v.boolean(s, s.Cond, "the condition")
		v.stmt(s.Then)
		if s.Else != nil {
			v.stmt(s.Else)
		}
	case *While:
		v.expr(s.Cond)
		v.boolean(s, s.Cond, "the condition")
		v.stmt(s.Body)
	case nil:
		v.report(nil, "a statement is missing")
	default:
		panic(fmt.Sprintf("tir: Verify does not know statement %T", s))
	}
}

// within checks a body that x is defined in.
func (v *verifier) within(at ir.Node, x *Var, body Stmt) {
	mark := v.enter()
	v.define(at, x)
	v.stmt(body)
	v.leave(mark)
}

func (v *verifier) store(s *BufferStore) {
	v.access(s, s.Buffer, s.Indices, s.Predicate)
	v.expr(s.Value)
	if want, got := accessDType(s.Buffer.DType, s.Indices), s.Value.DType(); want != got {
		v.report(s, "a value of type %s is stored to buffer %s, expected %s", got, s.Buffer.Name, want)
	}
}

// attr defines the variable of a thread; launching the same thread again is allowed.
func (v *verifier) attr(s *AttrStmt) {
	v.expr(s.Value)
	if a, ok := s.Node.(*Array); ok {
		v.array(s, a)
	}
	if iv, ok := s.Node.(*IterVar); ok && (s.Key == "thread_extent" || s.Key == "virtual_thread") && !v.active(iv.Var) {
		v.forget(iv.Var)
		v.within(s, iv.Var, s.Body)
		return
	}
	v.stmt(s.Body)
}

// forget lets a variable that was in scope be defined again.
func (v *verifier) forget(x *Var) {
	st := v.state(x)
	st.past = false
	v.vars.Put(x, st)
}

// array checks that nothing is missing in a list of nodes, and that the variables in it are defined.
func (v *verifier) array(at *AttrStmt, a *Array) {
	for i, n := range a.Items {
		switch n := n.(type) {
		case nil:
			v.report(at, "entry %d of the list that attribute %q is on is missing", i, at.Key)
		case Expr:
			v.expr(n)
		case *Array:
			v.array(at, n)
		}
	}
}

// expr checks an expression in the current scope. What was checked in this scope already,
// as shared expressions are, is not checked again.
func (v *verifier) expr(e Expr) {
	if e == nil {
		v.report(nil, "an expression is missing")
		return
	}
	switch e.(type) {
	case *IntImm, *FloatImm, *StringImm:
		return // nothing in it can be wrong
	}
	if x, ok := e.(*Var); ok {
		if st := v.state(x); !st.active {
			v.report(e, "variable %s is used but not defined here", x.Name)
		} else if st.loop && int(st.depth) < v.inner {
			v.report(e, "loop variable %s is used inside a block with iteration variables: bind it to one of them", x.Name)
		}
		return
	}
	if v.visits++; v.visits > lazyVisits {
		if v.seen == nil {
			v.seen = map[Expr]int{}
		}
		if at, ok := v.seen[e]; ok && at == v.scope+1 {
			return
		}
		v.seen[e] = v.scope + 1
	}
	switch e := e.(type) {
	case *Binary:
		v.expr(e.A)
		v.expr(e.B)
		v.types(e)
		return
	case *BufferLoad:
		v.access(e, e.Buffer, e.Indices, e.Predicate)
		return
	case *Let:
		v.expr(e.Value)
		if e.Var.DType() != e.Value.DType() {
			v.report(e, "variable %s of type %s is bound to a value of type %s", e.Var.Name, e.Var.DType(), e.Value.DType())
		}
		// One Let may stand in several places of an expression, and be simplified there in
		// different ways: its variable may be defined again outside of its scope.
		v.forget(e.Var)
		mark := v.enter()
		v.define(e, e.Var)
		v.expr(e.Body)
		v.leave(mark)
		return
	case *Reduce, *ProducerLoad:
		v.report(e, "is outside of a tensor expression")
		return
	case *Call:
		v.call(e)
		return
	}
	if v.child == nil {
		v.child = func(n ir.Node) {
			if x, ok := n.(Expr); ok {
				v.expr(x)
			}
		}
	}
	e.EachChild(v.child)
	v.types(e)
}

// types checks the types of the operands of e.
func (v *verifier) types(e Expr) {
	switch e := e.(type) {
	case *Binary:
		a, b := e.A.DType(), e.B.DType()
		switch {
		case a != b:
			v.report(e, "operands have types %s and %s", a, b)
		case e.Op == OpAnd || e.Op == OpOr:
			v.boolean(e, e.A, "an operand")
		}
	case *Not:
		v.boolean(e, e.A, "the operand")
	case *Select:
		v.boolean(e, e.Cond, "the condition")
		if a, b := e.True.DType(), e.False.DType(); a != b {
			v.report(e, "branches have types %s and %s", a, b)
		}
	case *Cast:
		if a, b := e.Value.DType(), e.Type; a.Lanes != b.Lanes || a.Scalable != b.Scalable {
			v.report(e, "a value of type %s is cast to %s", a, b)
		}
	case *Ramp:
		if a, b := e.Start.DType(), e.Stride.DType(); a != b || !a.IsInteger() {
			v.report(e, "start has type %s and stride %s, expected one integer type", a, b)
		}
		v.lanes(e, e.Lanes)
	case *Broadcast:
		v.lanes(e, e.Lanes)
	case *Shuffle:
		n := 0
		for _, x := range e.Vectors {
			n += int(x.DType().Lanes)
		}
		for _, ix := range e.Indices {
			if k, ok := AsInt(ix); !ok || k < 0 || k >= int64(n) {
				v.report(e, "a lane index is not a constant from 0 to %d", n-1)
			}
		}
	}
}

func (v *verifier) lanes(e Expr, n int) {
	if n < 1 || n > 1<<15 {
		v.report(e, "has %d lanes, expected 1 to %d", n, 1<<15)
	}
}

func (v *verifier) call(e *Call) {
	for _, a := range e.Args {
		if op, ok := e.Op.(*ir.Op); ok && op.Name == OpAddressOf.Name {
			if l, ok := a.(*BufferLoad); ok { // takes an address, reads nothing
				v.access(l, l.Buffer, l.Indices, nil)
				continue
			}
		}
		if x, ok := a.(*Var); ok && v.active(x) && e.Op == ir.Callee(OpThreadAllreduce) {
			continue // a thread that it reduces over, by the variable of its loop
		}
		v.expr(a)
	}
	op, ok := e.Op.(*ir.Op)
	if !ok {
		return
	}
	b := LookupBuiltin(op.Name)
	switch {
	case b == nil:
		v.report(e, "calls unknown intrinsic %s", op.Name)
	case b.Arity >= 0 && len(e.Args) != b.Arity:
		v.report(e, "%s has %d arguments, expected %d", op.Name, len(e.Args), b.Arity)
	case op.Name == OpIfThenElse.Name:
		v.boolean(e, e.Args[0], "the condition")
		if x, y := e.Args[1].DType(), e.Args[2].DType(); x != y || x != e.Type {
			v.report(e, "branches have types %s and %s, the result %s", x, y, e.Type)
		}
	}
}
