package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// What an access does.
type accessKind uint8

const (
	readAccess accessKind = iota
	writeAccess
	syncAccess // a barrier
)

// memAccess is one of memory in the scope that is looked at, or a barrier.
type memAccess struct {
	kind   accessKind
	data   *tir.Var   // the memory: one buffer of all in dynamic shared memory
	own    *tir.Var   // the buffer itself
	thread *tir.Var   // the innermost thread around
	at     []tir.Expr // the index in each dimension, nil where it is not one place
	double bool       // a write to the half of a double buffer that nobody reads
}

// stmtAccesses is a statement with its accesses in order. number is that of the statement in the function, see syncWalk.
type stmtAccesses struct {
	stmt   tir.Stmt
	number int
	list   []memAccess
}

// syncWalk finds the accesses of each statement and has them planned, from the innermost statements on. Statements are known by
// numbers, in the order in which they are visited, since one node may stand in several places.
type syncWalk struct {
	scope     string
	plan      func(seq []stmtAccesses, loop bool, conditions int) []memAccess
	next      int // the number of the next statement
	threads   []*tir.IterVar
	onDevice  bool
	depth     int // of conditions around
	doubled   *tir.Var
	seq       []stmtAccesses // the statements of the present body
	now       *stmtAccesses  // the statement whose expressions are visited
	conflicts error
}

// handThreaded marks code that has its barriers.
const handThreaded = "hand_threaded"

func (w *syncWalk) number() int { w.next++; return w.next - 1 }

// body returns what the accesses of a body come to for who is around it.
func (w *syncWalk) body(s tir.Stmt, loop bool) []memAccess {
	outer := w.seq
	w.seq = nil
	w.stmt(s)
	out := w.plan(w.seq, loop, w.depth)
	w.seq = outer
	return out
}

// exprs collects the accesses of expressions for the statement s.
func (w *syncWalk) exprs(s tir.Stmt, number int, list ...tir.Expr) *stmtAccesses {
	a := &stmtAccesses{stmt: s, number: number}
	w.now = a
	for _, e := range list {
		if e != nil {
			w.expr(e)
		}
	}
	w.now = nil
	return a
}

func (w *syncWalk) push(a *stmtAccesses) {
	if len(a.list) > 0 {
		w.seq = append(w.seq, *a)
	}
}

func (w *syncWalk) stmt(s tir.Stmt) {
	number := w.number()
	switch s := s.(type) {
	case *tir.BufferStore:
		a := &stmtAccesses{stmt: s, number: number}
		w.now = a
		w.touch(writeAccess, s.Buffer.Data, s.Indices)
		w.expr(s.Value)
		for _, i := range s.Indices {
			w.expr(i)
		}
		if s.Predicate != nil {
			w.expr(s.Predicate)
		}
		w.now = nil
		w.push(a)
	case *tir.Evaluate:
		w.push(w.exprs(s, number, s.Value))
	case *tir.LetStmt:
		w.push(w.exprs(s, number, s.Value))
		w.stmt(s.Body)
	case *tir.AssertStmt:
		w.push(w.exprs(s, number, s.Cond))
		w.stmt(s.Body)
	case *tir.Allocate:
		w.push(w.exprs(s, number, append([]tir.Expr{s.Condition}, s.Extents...)...))
		w.stmt(s.Body)
	case *tir.AttrStmt:
		w.attr(s, number)
	case *tir.For:
		a := w.exprs(s, number, s.Min, s.Extent)
		a.list = append(a.list, spread(w.body(s.Body, true), s)...)
		w.push(a)
	case *tir.IfThenElse:
		w.conditional(s.Cond, func() {
			a := w.exprs(s, number, s.Cond)
			a.list = append(a.list, w.body(s.Then, false)...)
			if s.Else != nil {
				a.list = append(a.list, w.body(s.Else, false)...)
			}
			w.push(a)
		})
	case *tir.While:
		w.conditional(s.Cond, func() {
			a := w.exprs(s, number, s.Cond)
			a.list = append(a.list, w.body(s.Body, true)...)
			w.push(a)
		})
	default: // sequences, declarations, blocks
		s.EachChild(func(n ir.Node) {
			if x, ok := n.(tir.Stmt); ok {
				w.stmt(x)
			}
		})
	}
}

// conditional runs f for what depends on a condition, in which no barrier may stand unless all threads agree.
func (w *syncWalk) conditional(cond tir.Expr, f func()) {
	call, ok := cond.(*tir.Call)
	if op, named := callOp(call, ok); named && op == "tir.tvm_thread_invariant" {
		f()
		return
	}
	w.depth++
	f()
	w.depth--
}

func callOp(c *tir.Call, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	op, ok := c.Op.(*ir.Op)
	if !ok {
		return "", false
	}
	return op.Name, true
}

func (w *syncWalk) attr(s *tir.AttrStmt, number int) {
	switch iv, _ := s.Node.(*tir.IterVar); {
	case s.Key == handThreaded:
		w.next += countStmts(s.Body)
	case s.Key == "double_buffer_write":
		w.doubled, _ = s.Node.(*tir.Var)
		a := &stmtAccesses{stmt: s, number: number, list: w.body(s.Body, false)}
		for i, x := range a.list {
			a.list[i].double = a.list[i].double || x.kind == writeAccess && x.data == w.doubled
		}
		w.doubled = nil
		w.push(a)
	case (s.Key == tir.KeyThreadExtent || s.Key == "coproc_scope") && iv != nil:
		w.threads = append(w.threads, iv)
		if s.Key == tir.KeyThreadExtent && !w.onDevice {
			w.onDevice = true
			w.body(s.Body, false) // the end of the kernel is a barrier
			w.onDevice = false
		} else {
			w.stmt(s.Body)
		}
		w.threads = w.threads[:len(w.threads)-1]
	default:
		w.stmt(s.Body)
	}
}

// countStmts is how many numbers the walk would give out in s.
func countStmts(s tir.Stmt) int {
	n := 0
	ir.Walk(s, func(x ir.Node) bool {
		if _, ok := x.(tir.Stmt); ok {
			n++
		}
		return true
	})
	return n
}

// touch notes an access of the statement whose expressions are visited.
func (w *syncWalk) touch(kind accessKind, data *tir.Var, indices []tir.Expr) {
	if !w.onDevice || scopeOf(data) != w.scope {
		return
	}
	a := memAccess{kind: kind, data: data, own: data, at: make([]tir.Expr, len(indices))}
	for i, e := range indices {
		if d := e.DType(); d.Lanes <= 1 && !d.Scalable {
			a.at[i] = e
		}
	}
	w.append(a)
}

func (w *syncWalk) append(a memAccess) {
	if len(w.threads) > 0 {
		a.thread = w.threads[len(w.threads)-1].Var
	}
	w.now.list = append(w.now.list, a)
}

func (w *syncWalk) expr(e tir.Expr) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		w.touch(readAccess, e.Buffer.Data, e.Indices)
	case *tir.Call:
		switch op, _ := callOp(e, true); op {
		case tir.OpAddressOf.Name:
			if l, ok := e.Args[0].(*tir.BufferLoad); ok {
				for _, i := range l.Indices {
					w.expr(i)
				}
				return // TVM takes the address of an element for no access of it
			}
		case tir.OpAccessPtr.Name:
			w.pointer(e)
		case tir.OpStorageSync.Name:
			if scope, ok := e.Args[0].(*tir.StringImm); ok && scope.Value != "warp" {
				w.append(memAccess{kind: syncAccess})
			}
			return
		}
	}
	e.EachChild(func(n ir.Node) {
		if x, ok := n.(tir.Expr); ok {
			w.expr(x)
		}
	})
}

// pointer notes what a call may do through an address.
func (w *syncWalk) pointer(e *tir.Call) {
	if len(e.Args) != 5 {
		w.conflicts = fmt.Errorf("a call of T.tvm_access_ptr with %d arguments: it takes 5", len(e.Args))
		return
	}
	data, ok := e.Args[1].(*tir.Var)
	mask, known := tir.AsInt(e.Args[4])
	if !ok || !known {
		return
	}
	at := []tir.Expr{nil}
	if tir.IsConst(e.Args[3], 1) {
		at[0] = e.Args[2]
	}
	for i, kind := range []accessKind{readAccess, writeAccess} {
		if mask>>i&1 == 1 && w.onDevice && scopeOf(data) == w.scope {
			w.append(memAccess{kind: kind, data: data, own: data, at: at})
		}
	}
}
