package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxValue bounds the nodes of what is put in the place of a let.
const maxValue = 64

// scan notes what of a function may be followed: buffers that are reached by loads and stores only, and
// variables whose meaning does not change while they are in scope.
type scan struct {
	axes    map[*tir.Buffer][]*tir.Var // positions in the buffers that are followed
	lets    map[*tir.Var]tir.Expr      // what pure lets and the variables of blocks stand for
	unknown map[*tir.Var]bool          // variables that change, or whose value is not followed
	loops   map[*tir.Var]*tir.For
	order   []*tir.For        // outer loops before inner ones
	twice   map[tir.Stmt]bool // statements that stand in several places
	refused string            // why nothing is followed

	seen     map[tir.Stmt]bool
	users    map[*tir.Var]*tir.Buffer // the buffer of a pointer
	pointers map[*tir.Var]int         // uses of variables outside of definitions and buffers
}

func newScan(f *tir.PrimFunc) *scan {
	s := &scan{
		axes: map[*tir.Buffer][]*tir.Var{}, lets: map[*tir.Var]tir.Expr{}, unknown: map[*tir.Var]bool{},
		loops: map[*tir.Var]*tir.For{}, twice: map[tir.Stmt]bool{},
		seen: map[tir.Stmt]bool{}, users: map[*tir.Var]*tir.Buffer{}, pointers: map[*tir.Var]int{},
	}
	for _, b := range f.Buffers {
		if b != nil {
			s.use(b)
		}
	}
	ir.Walk(f.Body, func(n ir.Node) bool { s.visit(n); return s.refused == "" })
	for v, b := range s.users {
		if s.pointers[v] == 0 && b.DType.Lanes == 1 && !b.DType.Scalable {
			s.axes[b] = axesOf(b)
		}
	}
	return s
}

// axesOf returns a variable for the position along each axis of b.
func axesOf(b *tir.Buffer) []*tir.Var {
	out := make([]*tir.Var, len(b.Shape))
	for i, n := range b.Shape {
		out[i] = tir.NewVar(b.Name+"_axis", n.DType())
	}
	return out
}

// use notes that b is used. Several buffers over one pointer are not followed.
func (s *scan) use(b *tir.Buffer) {
	if old := s.users[b.Data]; old != nil && old != b {
		s.pointers[b.Data] += 2
	}
	s.users[b.Data] = b
}

func (s *scan) visit(n ir.Node) {
	if st, ok := n.(tir.Stmt); ok {
		s.twice[st] = s.seen[st]
		s.seen[st] = true
	}
	switch n := n.(type) {
	case *tir.Var: // buffers are leaves: this is the pointer itself, or a plain variable
		s.pointers[n]++
	case *tir.Allocate:
		s.pointers[n.Var]-- // the definition is a child, too
	case *tir.AllocateConst:
		s.pointers[n.Var]--
	case *tir.LetStmt:
		s.let(n.Var, n.Value)
	case *tir.BufferLoad:
		s.use(n.Buffer)
	case *tir.BufferStore:
		s.use(n.Buffer)
	case *tir.DeclBuffer:
		s.use(n.Buffer)
	case *tir.Call:
		s.call(n)
	case *tir.BlockRealize:
		for i, iv := range n.Block.IterVars {
			s.let(iv.Var, n.Values[i])
		}
		for _, m := range n.Block.MatchBuffers {
			s.pointers[m.Buffer.Data] += 2
			s.pointers[m.Source.Buffer.Data] += 2
		}
	case *tir.For:
		if s.loops[n.LoopVar] != nil {
			s.refused = "two loops have one variable"
		}
		s.loops[n.LoopVar] = n
		s.order = append(s.order, n)
	case *tir.Let:
		s.unknown[n.Var] = true
	}
}

// call notes what calls do to the order of statements, and to buffers by their addresses.
func (s *scan) call(c *tir.Call) {
	switch op := c.Op.(type) {
	case *ir.Op:
		switch op {
		case tir.OpRet, tir.OpBreakLoop, tir.OpContinueLoop:
			s.refused = "a jump leaves the order of statements"
		case tir.OpAddressOf:
			if l, ok := c.Args[0].(*tir.BufferLoad); ok {
				s.pointers[l.Buffer.Data] += 2
			}
		}
	}
}

// let notes what v stands for, or that this is not followed.
func (s *scan) let(v *tir.Var, value tir.Expr) {
	value = tir.SubstExpr(value, s.lets)
	if arith.SideEffect(value) > tir.Pure || arith.LargerThan(value, maxValue) || !s.stable(value) || s.lets[v] != nil {
		s.unknown[v] = true
		delete(s.lets, v)
		return
	}
	s.lets[v] = value
}

// stable reports whether e, without its loads, means the same wherever its loop variables have the same
// values.
func (s *scan) stable(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			ok = ok && !s.unknown[n]
		case *tir.Let, *tir.Reduce, *tir.ProducerLoad:
			ok = false
		case *tir.BufferLoad:
			ok = ok && n.Predicate == nil
		case *tir.Call:
			ok = ok && tir.CallEffect(n) <= tir.ReadState
		}
		return ok
	})
	return ok
}

// fixed reports whether e is stable and reads no memory.
func (s *scan) fixed(e tir.Expr) bool { return arith.SideEffect(e) <= tir.Pure && s.stable(e) }
