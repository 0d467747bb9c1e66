package lower

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Effects is what one reading of a function finds out.
type Effects struct {
	Loops map[tir.Stmt]*LoopEffects
	// Cost is the number of operations, roughly, that a run of the function leaves to its callers.
	Cost float64

	roots  map[*tir.Var]*tir.Var // pointers bound to other pointers
	allocs map[*tir.Var]*allocUse
}

// LoopEffects is what one turn of a loop may do, and what the loop costs.
type LoopEffects struct {
	Jumps bool    // has a break or continue of its own
	Polls bool    // takes its cost off the budget
	Outer bool    // there are loops inside
	Strip int64   // turns between two polls; 0 is one
	After float64 // operations that the loop takes off the budget when it has ended
	Body  float64 // operations of one turn, roughly, that are not taken off the budget
	Work  float64 // all operations of one turn, with few turns of loops inside whose number is not known

	writes map[*tir.Var]bool // data pointers that are stored through
	cells  bool              // writes memory that belongs to no buffer
	opaque bool              // may write anything
	// asserts says that a turn may end at an assertion: what is read behind it may not exist
	// where that fails, and is not read ahead.
	asserts bool

	returns bool                     // may leave the function
	ends    bool                     // may return from it, and not by an error
	elems   map[*tir.Var]*elemAccess // by pointer
	order   []*tir.Var               // keys of writes, in order
	cond    int                      // scanner.cond where the loop stands
}

// ScanOptions say what a scan must know of the generator.
type ScanOptions struct {
	Step   func()               // called for each node, to look whether to stop
	Callee func(*tir.Call) bool // the call goes to another function of the module
	Quiet  float64              // operations that a loop may run without a poll; 0 means about a million
}

// Scan reads the body of a function.
func Scan(body tir.Stmt, opts ScanOptions) *Effects {
	out := &Effects{Loops: map[tir.Stmt]*LoopEffects{}, roots: map[*tir.Var]*tir.Var{}, allocs: map[*tir.Var]*allocUse{}}
	s := &scanner{Effects: out, opts: opts, defined: map[*tir.Var]int{}}
	s.child = func(n ir.Node) { s.sum += s.scan(n) }
	out.Cost = s.scan(body)
	return out
}

// scanner collects the effects of all loops of a function and the uses of its allocations.
type scanner struct {
	*Effects
	opts    ScanOptions
	stack   []*LoopEffects
	defined map[*tir.Var]int // number of loops around the definition of a variable
	cond    int              // conditionals around the current place that may be passed over
	taken   float64          // operations so far that loops take off the budget

	child func(ir.Node) // adds the cost of a node to sum
	sum   float64
}

// scan walks n and returns its cost.
func (s *scanner) scan(n ir.Node) float64 {
	s.opts.Step()
	switch n := n.(type) {
	case *tir.For:
		trips := math.Inf(1)
		k, ok := tir.AsInt(n.Extent)
		if ok && n.Step == nil {
			trips = float64(max(k, 0))
		}
		s.defined[n.LoopVar] = len(s.stack) + 1
		head := s.scan(n.Min) + s.scan(n.Extent)
		if ok && k > 0 {
			return s.loop(n, n.Body, trips, head)
		}
		return s.maybe(func() float64 { return s.loop(n, n.Body, trips, head) })
	case *tir.While:
		return s.maybe(func() float64 { return s.loop(n, n.Body, math.Inf(1), 0, n.Cond) })
	case *tir.IfThenElse:
		c := s.scan(n.Cond)
		return c + s.maybe(func() float64 {
			c := s.scan(n.Then)
			if n.Else != nil {
				c += s.scan(n.Else)
			}
			return c
		})
	case *tir.Allocate:
		s.allocs[n.Var] = &allocUse{alloc: n}
		c := 0.0
		for _, e := range n.Extents {
			c += s.scan(e)
		}
		return c + s.scan(n.Body)
	case *tir.LetStmt:
		s.pointer(n.Var, n.Value)
		s.defined[n.Var] = len(s.stack)
		return s.scan(n.Value) + s.scan(n.Body)
	case *tir.Let:
		s.pointer(n.Var, n.Value)
		s.defined[n.Var] = math.MaxInt // not visible outside of its expression
		return s.scan(n.Value) + s.scan(n.Body)
	case *tir.AssertStmt:
		for _, e := range s.stack {
			e.asserts = true
		}
		return 1 + s.scan(n.Cond) + s.maybe(func() float64 { return s.scan(n.Body) })
	case *tir.AttrStmt:
		c := 0.0
		if n.Key == tir.KeyBoundIndex || n.Key == tir.KeyBoundExtent {
			c = s.scan(n.Value) // for an error
		}
		return c + s.scan(n.Body)
	case *tir.BufferStore:
		for _, e := range s.stack {
			if !e.writes[n.Buffer.Data] {
				e.writes[n.Buffer.Data] = true
				e.order = append(e.order, n.Buffer.Data)
			}
		}
		s.touch(n.Buffer, n.Indices, n.Predicate != nil, true)
		s.access(n.Buffer, n.Indices, n.Predicate, true)
		return lanesCost(n.Value) + s.scan(n.Value) + s.exprs(n.Indices)
	case *tir.BufferLoad:
		s.touch(n.Buffer, n.Indices, n.Predicate != nil, false)
		s.access(n.Buffer, n.Indices, n.Predicate, false)
		return lanesCost(n) + s.exprs(n.Indices)
	case *tir.Var:
		if u := s.allocs[n]; u != nil {
			u.escapes = true
		}
		return 0
	case *tir.Call:
		s.call(n)
		if c, ok := tir.IsCallTo(n, tir.OpIfThenElse); ok && len(c.Args) == 3 {
			cost := 1 + s.scan(c.Args[0])
			return cost + s.maybe(func() float64 { return s.exprs(c.Args[1:]) })
		}
	}
	c := 1.0
	if call, ok := n.(*tir.Call); ok && s.opts.Callee(call) {
		c = TurnCost // what a function may leave to its callers
	}
	outer := s.sum
	s.sum = c
	n.EachChild(s.child)
	c, s.sum = s.sum, outer
	return c
}

// lanesCost is what a read or write of e's type costs: one for each four lanes.
func lanesCost(e tir.Expr) float64 { return 1 + float64(e.DType().Lanes/4) }

// maybe scans what does not run for sure.
func (s *scanner) maybe(f func() float64) float64 {
	s.cond++
	c := f()
	s.cond--
	return c
}

func (s *scanner) exprs(xs []tir.Expr) float64 {
	c := 0.0
	for _, x := range xs {
		c += s.scan(x)
	}
	return c
}

func (s *scanner) loop(key, body tir.Stmt, trips, head float64, extra ...tir.Expr) float64 {
	e := &LoopEffects{writes: map[*tir.Var]bool{}, elems: map[*tir.Var]*elemAccess{}, cond: s.cond}
	s.Loops[key] = e
	for _, x := range s.stack {
		x.Outer = true
	}
	s.stack = append(s.stack, e)
	before := s.taken
	s.taken = 0
	e.Body = 1 + s.scan(body) + s.exprs(extra)
	e.Work = e.Body + s.taken
	s.stack = s.stack[:len(s.stack)-1]
	f, ok := key.(*tir.For)
	left := e.plan(trips, ok && e.inStrips(f), s.opts.Quiet)
	s.taken = before + max(0, someTurns(trips)*e.Work-left)
	return head + left
}

// someTurns is how many turns a loop has where their number is not known.
func someTurns(trips float64) float64 {
	if math.IsInf(trips, 1) {
		return 16
	}
	return trips
}

func (s *scanner) call(n *tir.Call) {
	op, ok := n.Op.(*ir.Op)
	if !ok {
		s.opaque()
		return
	}
	switch op.Name {
	case tir.OpStructSet.Name:
		for _, e := range s.stack {
			e.cells = true
		}
	case tir.OpBreakLoop.Name, tir.OpContinueLoop.Name:
		if k := len(s.stack); k > 0 {
			s.stack[k-1].Jumps = true
		}
	case tir.OpAddressOf.Name:
		if l, ok := n.Args[0].(*tir.BufferLoad); ok {
			if u := s.allocs[l.Buffer.Data]; u != nil {
				u.escapes = true
			}
		}
	case tir.OpRet.Name, tir.OpThrowLastError.Name:
		for _, e := range s.stack {
			e.returns = true
			e.ends = e.ends || op.Name == tir.OpRet.Name
		}
	case tir.OpStackAlloca.Name, tir.OpAllocWorkspace.Name, tir.OpFreeWorkspace.Name:
	default:
		if tir.CallEffect(n) == tir.OpaqueCall {
			s.opaque()
		}
	}
}

func (s *scanner) opaque() {
	for _, e := range s.stack {
		e.opaque = true
	}
}

// pointer records that v points into what another pointer points at.
func (s *scanner) pointer(v *tir.Var, e tir.Expr) {
	if !v.DType().IsHandle() {
		return
	}
	switch e := e.(type) {
	case *tir.Var:
		s.roots[v] = e
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpAddressOf); ok {
			if l, ok := c.Args[0].(*tir.BufferLoad); ok {
				s.roots[v] = l.Buffer.Data
			}
		} else if op, ok := e.Op.(*ir.Op); ok && op.Name == "tir.handle_add_byte_offset" {
			s.pointer(v, e.Args[0])
		}
	}
}
