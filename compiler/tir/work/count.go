package work

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// Count is the work of one call of a function.
type Count struct {
	// Flops counts floating-point additions, subtractions, multiplications, divisions, remainders, minima and maxima, for
	// each lane of a vector. A fused multiply-add counts two.
	Flops int64
	// ByteOps counts the products of bytes that T.dp4a makes, and the sums of them: eight for each word.
	ByteOps int64
	// Special counts calls of mathematical functions of floats (exp, tanh, sqrt, floor, ...), each as one. They are not in
	// Flops: what one costs depends on the target.
	Special int64
	// Read and Written are bytes of the buffers of parameters. An element counts once however often it is loaded, so this
	// is the least that must move; a function that loads fewer elements than a buffer has (a lookup in a table) counts
	// those.
	Read, Written int64
	// Bound tells that Flops, ByteOps and Special are upper bounds: part of the work depends on a condition, and the costlier branch
	// was counted.
	Bound bool
	// Partial tells that something was not counted: a while loop counts as one iteration, and calls of other functions
	// as nothing.
	Partial bool
}

// Arg is an argument of a function: the shape of a tensor, or an integer.
type Arg struct {
	Shape []int64
	Value int64
}

// maxVisits bounds the statements that are visited. Beyond it, loops whose extent depends on other loops count with the
// largest extent that they have.
const maxVisits = 200_000

// Of counts the work of a call of f, one argument for each parameter. The function must have its buffers as parameters, as it
// does before MakePackedAPI.
//
// The body is walked once: a loop multiplies what is inside of it by its extent at the sizes of the arguments. Where an
// extent depends on the variable of a loop outside, that loop is walked value by value.
func Of(f *tir.PrimFunc, args []Arg) (Count, error) {
	if len(args) != len(f.Params) {
		return Count{}, fmt.Errorf("the function has %d parameters, got %d arguments", len(f.Params), len(args))
	}
	c := &counter{vars: map[*tir.Var]interval{}, params: map[*tir.Var]*moved{}}
	for i, p := range f.Params {
		b := f.BufferOf(p)
		if b == nil {
			c.vars[p] = point(args[i].Value)
			continue
		}
		elements := int64(1)
		for _, n := range args[i].Shape {
			elements = mul(elements, n)
		}
		c.params[b.Data] = &moved{size: mul(elements, int64(b.DType.Bytes()))}
		if len(b.Shape) != len(args[i].Shape) {
			continue // a view: its sizes follow from other parameters
		}
		for k, e := range b.Shape {
			if v, ok := e.(*tir.Var); ok {
				c.vars[v] = point(args[i].Shape[k])
			}
		}
	}
	t := c.stmt(f.Body)
	out := Count{Flops: t.flops, ByteOps: t.byteOps, Special: t.special, Bound: c.bound, Partial: c.partial}
	for data, m := range c.params {
		out.Read += min(m.size, t.loads[data])
		out.Written += min(m.size, t.stores[data])
	}
	return out, nil
}

// moved is a buffer of a parameter, of size bytes.
type moved struct{ size int64 }

// total is the work of a part of the function. loads and stores count the bytes of each access, by the data of parameters.
type total struct {
	flops, byteOps, special int64
	loads, stores           map[*tir.Var]int64
}

// add adds n times u.
func (t *total) add(u total, n int64) {
	t.flops += mul(u.flops, n)
	t.byteOps += mul(u.byteOps, n)
	t.special += mul(u.special, n)
	t.loads, t.stores = addMoved(t.loads, u.loads, n), addMoved(t.stores, u.stores, n)
}

func addMoved(to, from map[*tir.Var]int64, n int64) map[*tir.Var]int64 {
	for data, bytes := range from {
		if to == nil {
			to = map[*tir.Var]int64{}
		}
		to[data] += mul(bytes, n)
	}
	return to
}

// counter walks a function. vars bounds the integer variables in scope.
type counter struct {
	vars   map[*tir.Var]interval
	params map[*tir.Var]*moved
	// visits counts statements and evals nodes of conditions and extents. loose counts loops whose extent was not known.
	visits, evals, loose int
	bound, partial       bool
}

// bind sets a variable and returns what puts back its former bounds.
func (c *counter) bind(v *tir.Var, to interval) (undo func()) {
	old, had := c.vars[v]
	c.vars[v] = to
	return func() {
		if c.vars[v] = old; !had {
			delete(c.vars, v)
		}
	}
}

func (c *counter) stmt(s tir.Stmt) (t total) {
	c.visits++
	switch s := s.(type) {
	case nil:
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			t.add(c.stmt(x), 1)
		}
	case *tir.For:
		t = c.loop(s)
	case *tir.While:
		c.partial = true
		t = c.exprs(s.Cond)
		t.add(c.stmt(s.Body), 1)
	case *tir.IfThenElse:
		t = c.choose(s.Cond, func() total { return c.stmt(s.Then) }, func() total { return c.stmt(s.Else) })
	case *tir.LetStmt:
		t = c.exprs(s.Value)
		defer c.bind(s.Var, c.valueOf(s.Value))()
		t.add(c.stmt(s.Body), 1)
	case *tir.AttrStmt:
		t = c.attr(s)
	case *tir.AssertStmt:
		t = c.exprs(s.Cond)
		t.add(c.stmt(s.Body), 1)
	case *tir.BufferStore:
		t = c.exprs(append([]tir.Expr{s.Value, s.Predicate}, s.Indices...)...)
		c.access(&t.stores, s.Buffer, int64(max(1, int(s.Value.DType().Lanes))))
	case *tir.BufferRealize:
		t = c.stmt(s.Body)
	case *tir.Allocate:
		t = c.stmt(s.Body)
	case *tir.AllocateConst:
		t = c.stmt(s.Body)
	case *tir.DeclBuffer:
		t = c.stmt(s.Body)
	case *tir.Evaluate:
		t = c.exprs(s.Value)
	case *tir.BlockRealize:
		t = c.block(s)
	case *tir.Block:
		t = c.blockBody(s)
	default:
		panic(fmt.Sprintf("work: unknown statement %T", s))
	}
	return t
}

// attr multiplies what threads of an accelerator do, which are loops in all but name.
func (c *counter) attr(s *tir.AttrStmt) (t total) {
	iv, ok := s.Node.(*tir.IterVar)
	if !ok || s.Key != tir.KeyThreadExtent && s.Key != tir.KeyVirtualThread {
		return c.stmt(s.Body)
	}
	n := c.eval(s.Value)
	defer c.bind(iv.Var, interval{0, max(0, n.hi-1)})()
	t.add(c.stmt(s.Body), max(0, n.hi))
	return t
}

// loop multiplies its body. Where the body has loops whose extent is not known for all values of the variable at once, it is
// walked value by value, as long as there are not too many.
func (c *counter) loop(s *tir.For) (t total) {
	first, n := c.eval(s.Min), c.eval(s.Extent)
	step := int64(1)
	if s.Step != nil {
		if i := c.eval(s.Step); i.isPoint() && i.lo > 0 {
			step = i.lo
		}
	}
	if !n.isPoint() {
		c.loose++
		c.bound = true
	}
	trips := max(0, (n.hi+step-1)/step)
	if trips == 0 {
		return t
	}
	loose, bound, visits := c.loose, c.bound, c.visits
	undo := c.bind(s.LoopVar, interval{first.lo, addIntervals(first, point((trips-1)*step)).hi})
	body := c.stmt(s.Body)
	undo()
	cost := int64(c.visits - visits)
	if c.loose == loose || !n.isPoint() || !first.isPoint() || mul(cost, trips) > int64(maxVisits-c.visits) {
		t.add(body, trips)
		return t
	}
	c.loose, c.bound = loose, bound
	for i := range trips {
		undo := c.bind(s.LoopVar, point(first.lo+i*step))
		t.add(c.stmt(s.Body), 1)
		undo()
	}
	return t
}

// block binds the iteration variables of a block and counts it where its predicate may hold.
func (c *counter) block(s *tir.BlockRealize) total {
	var undo []func()
	for i, iv := range s.Block.IterVars {
		undo = append(undo, c.bind(iv.Var, c.eval(s.Values[i])))
	}
	defer func() {
		for _, u := range undo {
			u()
		}
	}()
	body := func() total {
		t := c.exprs(s.Values...)
		t.add(c.blockBody(s.Block), 1)
		return t
	}
	if tir.IsTrue(s.Predicate) {
		return body()
	}
	return c.choose(s.Predicate, body, func() total { return total{} })
}

// blockBody counts a block without its predicate. An init runs with the first step of a reduction only.
func (c *counter) blockBody(b *tir.Block) total {
	t := c.stmt(b.Body)
	if b.Init == nil {
		return t
	}
	init := c.stmt(b.Init)
	if init.flops+init.byteOps+init.special > 0 {
		c.bound = true
	}
	t.add(init, 1)
	return t
}

// choose counts a condition and the branch that it selects.
func (c *counter) choose(cond tir.Expr, yes, no func() total) total {
	t := c.exprs(cond)
	t.add(c.chosen(cond, yes, no), 1)
	return t
}

// chosen counts the branch that a condition selects, and the costlier one where it may select either.
func (c *counter) chosen(cond tir.Expr, yes, no func() total) total {
	if p := c.eval(cond); p.isPoint() && p.lo != 0 {
		return yes()
	} else if p.isPoint() {
		return no()
	}
	a, b := yes(), no()
	if a.flops != b.flops || a.byteOps != b.byteOps || a.special != b.special {
		c.bound = true
	}
	return total{max(a.flops, b.flops), max(a.byteOps, b.byteOps), max(a.special, b.special), maxMoved(a.loads, b.loads), maxMoved(a.stores, b.stores)}
}

func maxMoved(a, b map[*tir.Var]int64) map[*tir.Var]int64 {
	out := addMoved(nil, a, 1)
	for data, n := range b {
		if out == nil {
			out = map[*tir.Var]int64{}
		}
		out[data] = max(out[data], n)
	}
	return out
}

// access notes lanes elements of a buffer, if it is that of a parameter.
func (c *counter) access(in *map[*tir.Var]int64, b *tir.Buffer, lanes int64) {
	if c.params[b.Data] != nil {
		*in = addMoved(*in, map[*tir.Var]int64{b.Data: lanes * int64(b.DType.Elem().Bytes())}, 1)
	}
}

// valueOf bounds a value that is bound to a variable; nothing is known of what is no integer.
func (c *counter) valueOf(e tir.Expr) interval {
	if d := e.DType(); d.IsInteger() || d.IsBool() {
		return c.eval(e)
	}
	return unknown
}
