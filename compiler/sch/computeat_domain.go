package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// varDomain is what a variable of a block must run over: dom, of which only what lies in bound is wanted. nil is not known, or without a bound.
type varDomain struct{ dom, bound *arith.IntSet }

func unionOf(a, b *arith.IntSet) *arith.IntSet {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	u := arith.Union(*a, *b)
	return &u
}

func (d *varDomain) union(o varDomain) {
	d.dom, d.bound = unionOf(d.dom, o.dom), unionOf(d.bound, o.bound)
}

func tidied(x arith.IntSet, an *arith.Analyzer) arith.IntSet {
	if x.Min != nil {
		x.Min = an.Simplify(x.Min)
	}
	if x.Max != nil {
		x.Max = an.Simplify(x.Max)
	}
	return x
}

// simplify drops the bound where the domain lies in it, and narrows the domain to it where that gives constants.
func (d *varDomain) simplify(an *arith.Analyzer) {
	if d.dom == nil {
		if d.bound.Min != nil && d.bound.Max != nil {
			b := tidied(*d.bound, an)
			d.dom, d.bound = &b, nil
		}
		return
	}
	dom, bound := tidied(*d.dom, an), tidied(*d.bound, an)
	both := tidied(arith.Intersect(dom, bound), an)
	d.dom, d.bound = &dom, &bound
	same := func(a, b arith.IntSet) bool {
		return a.Min != nil && b.Min != nil && a.Max != nil && b.Max != nil && an.CanProveEqual(a.Min, b.Min) && an.CanProveEqual(a.Max, b.Max)
	}
	switch {
	case same(dom, both):
		d.bound = nil
	case same(bound, both):
		d.dom, d.bound = &bound, nil
	case both.Min != nil && both.Max != nil && !tir.Symbolic(both.Min) && !tir.Symbolic(both.Max):
		d.dom, d.bound = &both, nil
	}
}

// nothing reports whether a set is known to be empty.
func nothing(x arith.IntSet) bool {
	if x.Min == nil || x.Max == nil {
		return false
	}
	lo, ok := tir.AsInt(x.Min)
	hi, known := tir.AsInt(x.Max)
	return ok && known && hi < lo
}

// domains returns what the variables of the block must run over to provide what the needed blocks require in one iteration of the loop.
func (m *mover) domains(s *State) ([]*varDomain, error) {
	b, local := m.at.Block(), locals(m.root.Block())
	provided, required := b.Writes, func(x *tir.Block) []*tir.BufferRegion { return withHidden(x, x.Reads, x.Writes, local) }
	if !m.forward {
		provided, required = b.Reads, func(x *tir.Block) []*tir.BufferRegion { return x.Writes }
		for _, r := range withHidden(b, b.Reads, b.Writes, local)[len(b.Reads):] {
			for _, x := range m.needed {
				if regionOf(x.Writes, r.Buffer) != nil {
					return nil, fmt.Errorf("ScheduleError: block %s reads %s, which block %s writes, and does not say so: how much of it a turn of the loop needs is not known", b.Name, r.Buffer.Name, x.Name)
				}
			}
		}
	}
	gives, wants := map[*tir.Buffer][][]arith.IntSet{}, map[*tir.Buffer][][]arith.IntSet{}
	var order []*tir.Buffer
	for _, r := range provided {
		if gives[r.Buffer] == nil {
			order = append(order, r.Buffer)
		}
		gives[r.Buffer] = append(gives[r.Buffer], setsOf(r.Region))
	}
	for _, x := range m.needed {
		at, _ := s.below(m.to, x)
		loops := at.loops()
		outer := allLoops(m.to)
		for i, l := range loops {
			if l == m.to.For() {
				outer = append(outer, l)
				loops = loops[i+1:]
				break
			}
		}
		sub, guarded := bindings(at.Realize()), at.guarded(m.to.For())
		for _, r := range required(x) {
			if gives[r.Buffer] == nil {
				continue
			}
			dom := ranges(loops)
			if m.forward {
				dom = relaxed(loops, outer, r.Buffer)
			}
			w := arith.EvalSetRegion(substRegion(r, sub).Region, arith.AsIntSets(dom))
			for i := range w {
				if guarded && (readsMemory(w[i].Min) || readsMemory(w[i].Max)) { // in loops around the block nothing guards what is read
					w[i] = arith.Everything()
				}
			}
			wants[r.Buffer] = append(wants[r.Buffer], w)
		}
	}
	doms := map[*tir.Var]*varDomain{}
	for _, iv := range b.IterVars {
		doms[iv.Var] = &varDomain{}
	}
	for _, buf := range order {
		if len(wants[buf]) == 0 {
			continue
		}
		g, w := gives[buf][0], wants[buf][0]
		if len(gives[buf]) > 1 {
			g = arith.UnionRegion(gives[buf])
		}
		if len(wants[buf]) > 1 {
			w = arith.UnionRegion(wants[buf])
		}
		if slices.ContainsFunc(w, nothing) {
			// A loop that never runs asks for nothing, of which there are no bounds: the block keeps its own.
			for _, iv := range b.IterVars {
				own := arith.SetOfRange(iv.Dom)
				doms[iv.Var].union(varDomain{dom: &own})
			}
			continue
		}
		w = slices.Clone(w)
		for i, x := range w {
			if x.Min == nil || x.Max == nil { // indices that no interval holds: all of the dimension
				w[i] = arith.FromMinExtent(tir.Const(buf.Shape[i].DType(), 0), buf.Shape[i])
			}
			if g[i].Min == nil || g[i].Max == nil {
				return nil, fmt.Errorf("dimension %d of what block %s provides of buffer %s has no bounds", i, b.Name, buf.Name)
			}
		}
		if m.affine(buf, g, w, doms) {
			continue
		}
		if err := m.dimwise(buf, g, w, doms); err != nil {
			return nil, err
		}
	}
	var out []*varDomain
	for _, iv := range b.IterVars {
		d := doms[iv.Var]
		own := arith.SetOfRange(iv.Dom)
		if d.bound == nil {
			d.bound = &own
		} else {
			x := arith.Intersect(*d.bound, own)
			d.bound = &x
		}
		d.simplify(m.an)
		if d.dom == nil {
			return nil, fmt.Errorf("what variable %s of block %s must run over is not known", iv.Var.Name, b.Name)
		}
		out = append(out, d)
	}
	return out, nil
}

// guarded reports whether a condition keeps a block from some iterations of the loops from one of those around it on.
func (p site) guarded(from *tir.For) bool {
	for _, x := range slices.Backward(p.path) {
		switch x := x.(type) {
		case *tir.For:
			if x == from {
				return false
			}
		case *tir.IfThenElse:
			return true
		case *tir.BlockRealize:
			if !tir.IsTrue(x.Predicate) {
				return true
			}
		}
	}
	return false
}

// readsMemory reports whether e depends on what is in memory.
func readsMemory(e tir.Expr) bool { return e != nil && arith.SideEffect(e) > tir.Pure }

func setsOf(region []*tir.Range) []arith.IntSet {
	out := make([]arith.IntSet, len(region))
	for i, r := range region {
		out[i] = arith.SetOfRange(r)
	}
	return out
}

// lastIndex returns the greatest index of a dimension, at least 0.
func lastIndex(n tir.Expr) tir.Expr {
	return tir.Max(tir.Sub(n, tir.Const(n.DType(), 1)), tir.Const(n.DType(), 0))
}

// affine inverts the map from the variables to the element that the block provides; false if it provides more than one, or the map has no inverse.
func (m *mover) affine(buf *tir.Buffer, provided, required []arith.IntSet, doms map[*tir.Var]*varDomain) bool {
	var at, lo, hi, zero, last []tir.Expr
	for i, x := range provided {
		if !x.CanProvePoint(m.an) {
			return false
		}
		at = append(at, x.Min)
		lo, hi = append(lo, required[i].Min), append(hi, required[i].Max)
		zero, last = append(zero, tir.Const(buf.Shape[i].DType(), 0)), append(last, lastIndex(buf.Shape[i]))
	}
	res := arith.DetectIterMap(at, domains(m.at.Block()), tir.Bool(true), arith.Bijective, m.an, false)
	if len(res.Indices) == 0 {
		return false
	}
	between := func(lo, hi []tir.Expr) map[*tir.Var]*arith.IntSet {
		a, err := arith.InverseAffineIterMap(res.Indices, lo)
		if err != nil {
			return nil
		}
		b, err := arith.InverseAffineIterMap(res.Indices, hi)
		if err != nil {
			return nil
		}
		// A variable that is a remainder takes other values, too, where those that are quotients change between the two ends. TVM leaves them out.
		index, reach := make([]tir.Expr, len(lo)), map[*tir.Var]arith.IntSet{}
		for i := range lo {
			v := tir.NewVar("at", lo[i].DType())
			index[i], reach[v] = v, arith.Interval(lo[i], hi[i])
		}
		all, err := arith.InverseAffineIterMap(res.Indices, index)
		if err != nil {
			return nil
		}
		out := map[*tir.Var]*arith.IntSet{}
		for v, x := range a {
			set := arith.Interval(m.an.Simplify(tir.Min(x, b[v])), m.an.Simplify(tir.Max(x, b[v])))
			sure := tidied(arith.EvalSet(all[v], reach), m.an)
			if sure.Min == nil || sure.Max == nil {
				return nil
			}
			if !m.an.CanProve(tir.GE(sure.Min, set.Min)) || !m.an.CanProve(tir.LE(sure.Max, set.Max)) {
				set = sure
			}
			out[v] = &set
		}
		return out
	}
	dom, bound := between(lo, hi), between(zero, last)
	if dom == nil || bound == nil {
		return false
	}
	for v, x := range dom {
		if doms[v] != nil {
			doms[v].union(varDomain{x, bound[v]})
		}
	}
	return true
}

// dimwise solves for one variable in each dimension.
func (m *mover) dimwise(buf *tir.Buffer, provided, required []arith.IntSet, doms map[*tir.Var]*varDomain) error {
	for i, n := range buf.Shape {
		p, r := provided[i], required[i]
		equal := func() bool { return m.an.CanProveEqual(p.Min, r.Min) && m.an.CanProveEqual(p.Max, r.Max) }
		if p.CanProvePoint(m.an) && !tir.Symbolic(p.Min) {
			if !equal() {
				return fmt.Errorf("block %s provides element %v of dimension %d of buffer %s, but others are required", m.at.Block().Name, p.Min, i, buf.Name)
			}
			continue
		}
		v, d, ok := m.solve(p, r, lastIndex(n))
		if !ok {
			return fmt.Errorf("ValueError: BufferRegion pattern match failed: dimension %d of buffer %s as block %s accesses it", i, buf.Name, m.at.Block().Name)
		}
		if doms[v] != nil {
			doms[v].union(d)
		} else if !equal() {
			return fmt.Errorf("what block %s accesses of dimension %d of buffer %s does not depend on its own variables", m.at.Block().Name, i, buf.Name)
		}
	}
	return nil
}
