package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// compute_at moves a producer to its consumers: in place of computing all of a buffer first, each
// iteration of a consumer's loop computes just what it reads, while it is still in cache.
//
//	for i in 66: B[i] = A[i]*2                 for i in 64:
//	for i in 64: for j in 3: C[i] += B[i+j]      for j in 3: B[i+j] = A[i+j]*2
//	                                             for j in 3: C[i] += B[i+j]
//
// What must be computed is the union of the regions that the consumers below the loop read, with the
// loops below relaxed to intervals (region.go). New loops over that region are made for the producer, its
// iteration variables bound to them, and a condition added where the region may reach beyond the buffer.
// Overlapping regions compute elements again, as above; that is right because a block that is moved
// depends on nothing that the loop changes, which the checks before the move (movable, settled) establish.
// reverse_compute_at is the same with the roles of producer and consumer swapped. After TVM's
// src/tir/schedule/primitive/compute_at.cc.

// ComputeAt moves a producer into a loop around all its consumers, where it computes only
// what they read in one iteration. It must write single elements at its own iteration
// variables, to buffers that the function allocates.
func (s *Schedule) ComputeAt(b *Block, l *Loop) error {
	const prim = "compute_at"
	if err := s.movable(prim, b, l); err != nil {
		return err
	}
	consumers := s.GetConsumers(b)
	if len(consumers) == 0 {
		return fail(prim, b, l, "nothing reads what it writes")
	}
	at := len(l.kids)
	for _, c := range consumers {
		k := kidOf(c, l)
		if k == nil {
			return fail(prim, b, l, "consumer %s is outside of the loop", c.name)
		}
		if !s.before(b, c) {
			return fail(prim, b, l, "consumer %s does not run after the block", c.name)
		}
		at = min(at, slices.Index(l.kids, k))
	}
	if err := s.settled(prim, b, l); err != nil {
		return err
	}
	doms, err := s.domains(prim, b, l, consumers, false)
	if err != nil {
		return err
	}
	s.move(b, l, at, doms)
	return nil
}

// ReverseComputeAt moves a consumer into a loop around all its producers, where it uses what
// they wrote in one iteration. It must read single elements at its own iteration variables.
// Iteration variables that no producer determines run over their whole domain.
func (s *Schedule) ReverseComputeAt(b *Block, l *Loop) error {
	const prim = "reverse_compute_at"
	if err := s.movable(prim, b, l); err != nil {
		return err
	}
	var producers []*Block
	at := 0
	for _, p := range s.GetProducers(b) {
		k := kidOf(p, l)
		if k == nil {
			if !s.before(p, l) {
				return fail(prim, b, l, "producer %s runs after the loop", p.name)
			}
			continue
		}
		for i, iv := range p.iters {
			for n := node(l); n != nil; n = n.at().parent {
				if up, ok := n.(*Loop); ok && iv.Kind != tir.DataPar && usesLoop(p.values[i], up) {
					return fail(prim, b, l, "producer %s does not finish its reduction in one iteration of loop %s", p.name, up.v.Name)
				}
			}
		}
		producers = append(producers, p)
		at = max(at, slices.Index(l.kids, k)+1)
	}
	if len(producers) == 0 {
		return fail(prim, b, l, "no producer is in the loop")
	}
	for _, p := range producers {
		for _, w := range p.writes {
			if n := len(s.writers[w.Buffer]); n != 1 {
				return fail(prim, b, l, "%d blocks write %s", n, w.Buffer.Name)
			}
		}
	}
	for _, c := range s.GetConsumers(b) {
		if !s.before(b, c) {
			return fail(prim, b, l, "consumer %s does not run after the block", c.name)
		}
	}
	if err := s.settled(prim, b, l); err != nil {
		return err
	}
	if err := startsFor(prim, b, l); err != nil {
		return err
	}
	doms, err := s.domains(prim, b, l, producers, true)
	if err != nil {
		return err
	}
	s.move(b, l, at, doms)
	return nil
}

// startsFor refuses a reduction that may be empty where loop l, or one around it, may be so
// too: its initial value would not be written then.
func startsFor(prim string, b *Block, l *Loop) error {
	an := ranges(l)
	some := func(e tir.Expr) bool { return an.CanProve(tir.GT(e, tir.Const(e.DType(), 0))) }
	empty := slices.ContainsFunc(b.iters, func(iv *tir.IterVar) bool { return iv.Kind == tir.CommReduce && !some(iv.Dom.Extent) })
	for n := node(l); empty && n != nil; n = n.at().parent {
		if up, ok := n.(*Loop); ok && !some(up.extent) {
			return fail(prim, b, l, "it may reduce over nothing, and loop %s may have no iteration to write its initial value in", up.v.Name)
		}
	}
	return nil
}

func (s *Schedule) movable(prim string, b *Block, l *Loop) error {
	if err := check(prim, b, l); err != nil {
		return err
	}
	if scopeOf(b) != scopeOf(l) {
		return fail(prim, b, l, "the block and the loop are in different blocks")
	}
	if inside(b, l) {
		return fail(prim, b, l, "the block is already in the loop")
	}
	if !tir.IsTrue(b.pred) {
		return fail(prim, b, l, "the block runs under a condition")
	}
	for _, w := range b.writes {
		if n := len(s.writers[w.Buffer]); n != 1 {
			return fail(prim, b, l, "%d blocks write %s", n, w.Buffer.Name)
		}
		if b.init == nil && slices.Contains(s.readers[w.Buffer], b) {
			return fail(prim, b, l, "the block updates what %s holds already", w.Buffer.Name)
		}
	}
	for _, up := range slices.Backward(loopsAbove(b)) {
		if len(up.kids) != 1 || up.kind != tir.Serial {
			return fail(prim, b, l, "loop %s around the block is %s or holds other blocks", up.v.Name, up.kind)
		}
	}
	return complete(prim, b, l)
}

// domains returns what each iteration variable of b must run over in one iteration of l so
// that what the others access in it is computed (or used).
func (s *Schedule) domains(prim string, b *Block, l *Loop, others []*Block, reverse bool) ([]*tir.Range, error) {
	an := ranges(l)
	doms := make([]*tir.Range, len(b.iters))
	mine, theirs := b.writes, false
	if reverse {
		mine, theirs = b.reads, true
	}
	for _, r := range mine {
		var list []*Block
		for _, o := range others {
			regions := o.reads
			if theirs {
				regions = o.writes
			}
			if slices.ContainsFunc(regions, func(x *tir.BufferRegion) bool { return x.Buffer == r.Buffer }) {
				list = append(list, o)
			}
		}
		if len(list) == 0 {
			continue
		}
		if !reverse && s.home[r.Buffer] == nil {
			return nil, fail(prim, b, l, "it writes %s, which the function does not allocate", r.Buffer.Name)
		}
		part := touched(r.Buffer, list, theirs, l, an)
		for k, x := range r.Region {
			v, ok := x.Min.(*tir.Var)
			if !ok || !tir.IsConst(x.Extent, 1) {
				if _, c := tir.AsInt(x.Min); c && tir.IsConst(x.Extent, 1) {
					continue
				}
				return nil, fail(prim, b, l, "it accesses axis %d of %s at something other than an iteration variable", k, r.Buffer.Name)
			}
			i := b.iter(v)
			if i < 0 {
				return nil, fail(prim, b, l, "index %d of %s is not an iteration variable", k, r.Buffer.Name)
			}
			if doms[i] == nil {
				doms[i] = inType(part[k], v.DType()) // the axis may be counted in another type
			} else if reverse && doms[i] != part[k] {
				return nil, fail(prim, b, l, "%s is determined by more than one access", v.Name)
			}
		}
	}
	for i, iv := range b.iters {
		if doms[i] != nil && iv.Kind == tir.CommReduce && !(arith.Equal(doms[i].Min, iv.Dom.Min) && arith.Equal(doms[i].Extent, iv.Dom.Extent)) {
			return nil, fail(prim, b, l, "one iteration of the loop holds only a part of what %s reduces over", iv.Var.Name)
		}
		if doms[i] == nil {
			doms[i] = iv.Dom
		}
	}
	return doms, nil
}

func (s *Schedule) move(b *Block, l *Loop, at int, doms []*tir.Range) {
	prune(b)
	b.dead = false
	insert(l, at, s.rebind(b, doms, ranges(l)))
}
