package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// This file collects, and plancarried.go answers, the question of planalloc.go: does a loop carry the
// contents of a buffer from one iteration to a later one? It does unless each read finds what the same
// iteration wrote. Accesses are kept with the chain of loops, conditions and steps of sequences around
// them, which says for two of them whether one certainly ran before the other, and with the region that
// they touch, written over loop variables. Everything that cannot be described (a pointer, an indirect
// index, too large an expression) becomes "any part": the answer is then "carries", which keeps the
// allocation outside and is always right.

// carriers knows all accesses to the buffers that a function allocates, and answers which
// loops carry the contents of a buffer from one iteration to a later one.
type carriers struct {
	accesses map[*tir.Buffer][]*bufferAccess
	jumps    bool // break or continue: a statement need not run because those before it did
	lets     map[*tir.Var]bool

	root  func(*tir.Buffer) *tir.Buffer
	views map[*tir.Buffer]*tir.BufferRegion
	sub   map[*tir.Var]tir.Expr // iteration variables and short lets, by what they are bound to
	at    *accessScope
	block *tir.Block // innermost

	filled *tir.Var // a pointer to a fragment of fills elements that the instruction at hand fills
	fills  int64
}

// bufferAccess is a read or write in all iterations of the loops around it.
type bufferAccess struct {
	write bool
	// region is what one iteration accesses, over the variables of the loops around. nil: any part.
	region []*tir.Range
	// exact: one iteration writes all of region: one element, or what an instruction fills.
	exact bool
	at    *accessScope
}

type scopeKind uint8

const (
	loopScope  scopeKind = iota // a For
	whileScope                  // a While
	condScope                   // a condition that holds
	stepScope                   // one of several statements that run one after the other
)

// accessScope is one of the things around a statement, linked outward.
type accessScope struct {
	up    *accessScope
	depth int
	kind  scopeKind
	stmt  tir.Stmt   // the loop, or what the steps are of
	dom   *tir.Range // of a loop
	loop  *tir.For   // of a loop
	cond  tir.Expr   // of a condition
	index int        // of a step
}

// maxCarriedExpr bounds the expressions that are substituted for variables: a chain of lets
// can stand for an expression that is exponentially long.
const maxCarriedExpr = 256

func findCarriers(f *tir.PrimFunc, root func(*tir.Buffer) *tir.Buffer) *carriers {
	c := &carriers{
		accesses: map[*tir.Buffer][]*bufferAccess{}, lets: map[*tir.Var]bool{}, root: root,
		views: map[*tir.Buffer]*tir.BufferRegion{}, sub: map[*tir.Var]tir.Expr{},
	}
	c.walk(f.Body)
	return c
}

// within walks n inside of scope s.
func (c *carriers) within(s accessScope, n ir.Node) {
	old := c.at
	s.up = old
	if old != nil {
		s.depth = old.depth + 1
	}
	c.at = &s
	c.walk(n)
	c.at = old
}

func (c *carriers) walk(n ir.Node) {
	switch n := n.(type) {
	case *tir.For:
		c.walk(n.Min)
		c.walk(n.Extent)
		dom := &tir.Range{Min: c.expr(n.Min), Extent: c.expr(n.Extent)}
		c.within(accessScope{kind: loopScope, stmt: n, loop: n, dom: dom}, n.Body)
		return
	case *tir.While:
		c.within(accessScope{kind: whileScope, stmt: n}, &tir.IfThenElse{Cond: n.Cond, Then: n.Body})
		return
	case *tir.IfThenElse:
		c.walk(n.Cond)
		cond := c.expr(n.Cond)
		c.within(accessScope{kind: condScope, cond: cond}, n.Then)
		if n.Else != nil {
			c.within(accessScope{kind: condScope, cond: tir.LogicalNot(cond)}, n.Else)
		}
		return
	case *tir.SeqStmt:
		for i, s := range n.Seq {
			c.within(accessScope{kind: stepScope, stmt: n, index: i}, s)
		}
		return
	case *tir.LetStmt:
		c.walk(n.Value)
		c.let(n.Var, n.Value)
		c.walk(n.Body)
		return
	case *tir.Let:
		c.walk(n.Value)
		c.let(n.Var, n.Value)
		c.walk(n.Body)
		return
	case *tir.BlockRealize:
		c.realize(n)
		return
	case *tir.BufferStore:
		for _, e := range n.Indices {
			c.walk(e)
		}
		c.walk(n.Value)
		c.element(n.Buffer, n.Indices, true, n.Predicate == nil)
		return
	case *tir.BufferLoad:
		for _, e := range n.Indices {
			c.walk(e)
		}
		c.element(n.Buffer, n.Indices, false, false)
		return
	case *tir.Var:
		c.pointer(n)
		return
	case *tir.DeclBuffer:
		c.walk(n.Body)
		return
	case *tir.Call:
		switch n.Op {
		case tir.OpBreakLoop, tir.OpContinueLoop:
			c.jumps = true
		case tir.OpIfThenElse:
			c.walk(n.Args[0])
			cond := c.expr(n.Args[0])
			c.within(accessScope{kind: condScope, cond: cond}, n.Args[1])
			c.within(accessScope{kind: condScope, cond: tir.LogicalNot(cond)}, n.Args[2])
			return
		}
		if v, size := fragmentFilled(n); v != nil {
			c.filled, c.fills = v, size
			n.EachChild(c.walk)
			c.filled = nil
			return
		}
	}
	n.EachChild(c.walk)
}

// let notes the value of v where it is short and does not depend on memory.
func (c *carriers) let(v *tir.Var, value tir.Expr) {
	if e := c.expr(value); size(e) <= maxCarriedExpr && !readsMemory(e) {
		c.sub[v] = e
		return
	}
	c.lets[v] = true
}

func (c *carriers) realize(r *tir.BlockRealize) {
	b := r.Block
	for _, v := range r.Values {
		c.walk(v)
	}
	if r.Predicate != nil {
		c.walk(r.Predicate)
	}
	var first tir.Expr = tir.Bool(true) // where the init runs
	for i, iv := range b.IterVars {
		if i >= len(r.Values) {
			break
		}
		c.let(iv.Var, r.Values[i])
		if iv.Kind == tir.CommReduce {
			first = tir.And(first, tir.EQ(iv.Var, tir.CastTo(iv.Var.DType(), iv.Dom.Min)))
		}
	}
	for _, m := range b.MatchBuffers {
		c.views[m.Buffer] = c.source(m.Source)
	}
	outer := c.block
	c.block = b
	body := b.Body
	if b.Init != nil {
		body = &tir.SeqStmt{Seq: []tir.Stmt{&tir.IfThenElse{Cond: first, Then: b.Init}, b.Body}}
	}
	if r.Predicate == nil || tir.IsTrue(r.Predicate) {
		c.walk(body)
	} else {
		c.within(accessScope{kind: condScope, cond: c.expr(r.Predicate)}, body)
	}
	c.block = outer
}

// source returns the region that a view shows of the buffer that is no view itself.
func (c *carriers) source(r *tir.BufferRegion) *tir.BufferRegion {
	out := &tir.BufferRegion{Buffer: r.Buffer, Region: make([]*tir.Range, len(r.Region))}
	for i, x := range r.Region {
		out.Region[i] = &tir.Range{Min: c.expr(x.Min), Extent: c.expr(x.Extent)}
	}
	if of := c.views[r.Buffer]; of != nil {
		return through(of, out)
	}
	return out
}

// through returns the region of a view as a region of what it shows: of.
func through(of, r *tir.BufferRegion) *tir.BufferRegion {
	n := len(of.Region) - len(r.Region)
	if n < 0 {
		return &tir.BufferRegion{Buffer: of.Buffer}
	}
	region := slices.Clone(of.Region)
	for i, y := range r.Region {
		region[n+i] = &tir.Range{Min: tir.Add(of.Region[n+i].Min, tir.CastTo(of.Region[n+i].Min.DType(), y.Min)), Extent: y.Extent}
	}
	return &tir.BufferRegion{Buffer: of.Buffer, Region: region}
}

// element notes an access to one element, or to several where an index is a vector.
func (c *carriers) element(b *tir.Buffer, indices []tir.Expr, write, exact bool) {
	root := c.root(b)
	if root == nil {
		return
	}
	r := &tir.BufferRegion{Buffer: b}
	for _, e := range indices {
		e = c.expr(e)
		if e.DType().Lanes > 1 || !e.DType().IsInteger() {
			c.note(&bufferAccess{write: write}, root)
			return
		}
		r.Region = append(r.Region, &tir.Range{Min: e, Extent: tir.Const(e.DType(), 1)})
	}
	if of := c.views[b]; of != nil {
		r = through(of, r)
	}
	if r.Buffer != root || len(r.Region) != len(root.Shape) { // other indices into the same memory
		c.note(&bufferAccess{write: write}, root)
		return
	}
	c.note(&bufferAccess{write: write, region: r.Region, exact: exact}, root)
}

// pointer notes that something gets the pointer v: the block says what it does with it, or
// it may do everything.
func (c *carriers) pointer(v *tir.Var) {
	b := c.root(&tir.Buffer{Data: v})
	if b == nil {
		return
	}
	said := false
	if c.block != nil {
		for i, list := range [][]*tir.BufferRegion{c.block.Reads, c.block.Writes} {
			for _, x := range list {
				if c.root(x.Buffer) != b {
					continue
				}
				said = true
				a := &bufferAccess{write: i == 1}
				if r := c.source(x); r.Buffer == b && len(r.Region) == len(b.Shape) {
					a.region = r.Region
					a.exact = a.write && v == c.filled && elementsIn(r.Region) == c.fills
				}
				c.note(a, b)
			}
		}
	}
	if !said {
		c.note(&bufferAccess{}, b)
		c.note(&bufferAccess{write: true}, b)
	}
}

// fragmentFilled returns the pointer to the fragment of a matrix that a call fills as a whole, and how many elements that has.
func fragmentFilled(n *tir.Call) (*tir.Var, int64) {
	op, ok := n.Op.(*ir.Op)
	if !ok || op.Name != "tir.tvm_load_matrix_sync" && op.Name != "tir.tvm_fill_fragment" || len(n.Args) < 4 {
		return nil, 0
	}
	v, ok := n.Args[0].(*tir.Var)
	if !ok {
		return nil, 0
	}
	var size [3]int64 // m, n, k: the fragment is of two of them
	for i := range size {
		if size[i], ok = tir.AsInt(n.Args[1+i]); !ok {
			return nil, 0
		}
	}
	if size[0] != size[1] || size[1] != size[2] {
		return nil, 0
	}
	return v, size[0] * size[1]
}

// elementsIn counts those of a region, 0 where that is not known.
func elementsIn(region []*tir.Range) int64 {
	n := int64(1)
	for _, r := range region {
		x, ok := tir.AsInt(r.Extent)
		if !ok || x < 0 || x > 1<<20 || n > 1<<20 {
			return 0
		}
		n *= x
	}
	return n
}

// note records an access. A region that depends on memory can be any.
func (c *carriers) note(a *bufferAccess, b *tir.Buffer) {
	for _, r := range a.region {
		if size(r.Min)+size(r.Extent) > maxCarriedExpr || readsMemory(r.Min) || readsMemory(r.Extent) {
			a.region, a.exact = nil, false
			break
		}
	}
	a.at = c.at
	c.accesses[b] = append(c.accesses[b], a)
}

func (c *carriers) expr(e tir.Expr) tir.Expr { return tir.SubstExpr(e, c.sub) }

// readsMemory reports whether the value of e depends on more than its variables.
func readsMemory(e tir.Expr) bool { return arith.SideEffect(e) > tir.Pure }

// size counts the nodes of e as a tree, up to a little more than maxCarriedExpr.
func size(e tir.Expr) int {
	n := 0
	ir.Walk(e, func(ir.Node) bool { n++; return n <= maxCarriedExpr })
	return n
}
