package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// Func returns the function as it stands.
func (s *Schedule) Func() *tir.PrimFunc { return s.fn.WithBody(s.render(s.root)) }

func (s *Schedule) render(n node) tir.Stmt {
	switch n := n.(type) {
	case *Loop:
		return &tir.For{
			Base: n.base, LoopVar: n.v, Min: tir.Const(n.v.DType(), 0), Extent: n.extent, Kind: n.kind,
			Body: s.renderKids(n), Thread: n.thread, Annotations: n.attrs,
		}
	case *Block:
		body := n.body
		if body == nil {
			body = s.renderKids(n)
		}
		pred := n.pred
		if pred == nil {
			pred = tir.Bool(true)
		}
		return &tir.BlockRealize{Base: n.base, Values: n.values, Predicate: pred, Block: &tir.Block{
			Base: n.base, IterVars: n.iters, Reads: n.reads, Writes: n.writes, Name: n.name, AllocBuffers: n.allocs,
			Annotations: n.attrs, Init: n.init, Body: body,
		}}
	case *raw:
		return n.stmt
	}
	panic("schedule: unknown kind of node")
}

func (s *Schedule) renderKids(n node) tir.Stmt {
	var list []tir.Stmt
	for _, k := range n.at().kids {
		list = append(list, s.render(k))
	}
	return tir.Seq(list...)
}

// clone copies a subtree with variables of its own.
func (s *Schedule) clone(n node) node {
	out, err := s.parse(tir.NewCopier().Stmt(s.render(n)))
	if err != nil {
		panic("schedule: a rendered tree does not parse: " + err.Error())
	}
	return out
}

// replace puts list in the place of old.
func replace(old node, list ...node) {
	p := old.at().parent
	k := slices.Index(p.at().kids, old)
	insert(p, k, list...)
	detach(old)
}

// insert puts list before kid k of p.
func insert(p node, k int, list ...node) {
	for _, n := range list {
		n.at().parent = p
	}
	p.at().kids = slices.Insert(slices.Clone(p.at().kids), k, list...)
}

// detach takes n out of its parent.
func detach(n node) {
	p := n.at().parent.at()
	k := slices.Index(p.kids, n)
	p.kids = slices.Delete(slices.Clone(p.kids), k, k+1)
	n.at().parent = nil
}

// prune takes n out, and the loops around it that have no other body.
func prune(n node) {
	for {
		p := n.at().parent
		detach(n)
		n.at().dead = true
		l, ok := p.(*Loop)
		if !ok || len(l.kids) > 0 {
			return
		}
		n = l
	}
}

// leaves calls f for each leaf block below n, in order.
func leaves(n node, f func(*Block)) {
	if b, ok := n.(*Block); ok && b.body != nil {
		f(b)
		return
	}
	for _, k := range n.at().kids {
		leaves(k, f)
	}
}

// inside reports whether n stands below (or is) top.
func inside(n, top node) bool {
	for ; n != nil; n = n.at().parent {
		if n == top {
			return true
		}
	}
	return false
}

// kidOf returns the child of top that n stands below (or is), nil if there is none.
func kidOf(n, top node) node {
	for ; n != nil; n = n.at().parent {
		if n.at().parent == top {
			return n
		}
	}
	return nil
}

// scopeOf returns the block around n.
func scopeOf(n node) *Block {
	for n = n.at().parent; n != nil; n = n.at().parent {
		if b, ok := n.(*Block); ok {
			return b
		}
	}
	return nil
}

// loopsAbove returns the loops between n and the block around it, outermost first.
func loopsAbove(n node) []*Loop {
	var out []*Loop
	for n = n.at().parent; n != nil; n = n.at().parent {
		l, ok := n.(*Loop)
		if !ok {
			break
		}
		out = append(out, l)
	}
	slices.Reverse(out)
	return out
}

// nest wraps n in loops, outermost first, and returns the outermost node.
func nest(loops []*Loop, n node) node {
	for k := len(loops) - 1; k >= 0; k-- {
		loops[k].kids = []node{n}
		n.at().parent = loops[k]
		n = loops[k]
	}
	return n
}
