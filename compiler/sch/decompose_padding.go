package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// DecomposePadding splits a block that stores a value in part of its domain and a constant elsewhere: a block in front of the loop stores the
// constant everywhere, and b the values, in that part only (TVM's decompose_padding). It returns the block of the constant.
func (s *State) DecomposePadding(b *Block, l *Loop) (*State, *Block, error) {
	out, fills, err := s.decomposePadding(b, l, func(p *padding, inner []*tir.For) ([]*tir.Block, tir.Stmt, error) {
		fill, nest := p.constant(inner)
		return []*tir.Block{fill}, nest, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return out, fills[0], nil
}

// decomposePadding splits a block that pads. What stores the constant, in the loops from l on, is made by fill: blocks, and the statement that holds them.
func (s *State) decomposePadding(b *Block, l *Loop, fill func(p *padding, inner []*tir.For) ([]*tir.Block, tir.Stmt, error)) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	to, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkComplete(at, root.Block()); err != nil {
		return nil, nil, err
	}
	loops := at.loops()
	_, inner := cut(loops, to.For())
	if inner == nil {
		return nil, nil, s.fail("LoopPositionError", "decompose_padding expect the loop {0} to be an ancestor of block {1}", to.For(), at.Block())
	}
	p := &padding{s: s, at: at, loops: loops, an: arith.NewAnalyzer()}
	for _, o := range loops {
		p.an.BindRange(o.LoopVar, rangeOf(o))
	}
	if err := p.match(); err != nil {
		return nil, nil, err
	}
	if err := p.check(to, root); err != nil {
		return nil, nil, err
	}
	fills, filled, err := fill(p, inner)
	if err != nil {
		return nil, nil, err
	}
	// What follows narrows the innermost loops that hold nothing but the block.
	chain, was := []*tir.For{}, tir.Stmt(at.Realize())
	for i := len(inner) - 1; i >= 0 && inner[i].Body == was; i-- {
		chain, was = inner[i:], inner[i]
	}
	values, bounded := p.inBound(chain)
	became := reuse{at.Block(): bounded}
	now := tir.Seq(filled, swapAll(to.For(), was, values, became))
	out := s.replace(to, now, became)
	refs := make([]*Block, len(fills))
	for i, f := range fills {
		out, refs[i] = out.refer(b.fn, f)
	}
	return out, refs, nil
}

// padding is what a block pads: within region, where pred holds, it stores value, elsewhere a constant.
type padding struct {
	s          *State
	at         site
	loops      []*tir.For
	an         *arith.Analyzer
	store      *tir.BufferStore
	value, pad tir.Expr
	pred       tir.Expr // of the loops
	region     []*tir.Range
}

// match reads the pattern.
func (p *padding) match() error {
	b, r := p.at.Block(), p.at.Realize()
	wrong := func(why string) error {
		return p.s.fail("PaddingPatternMatchError", "ScheduleError: decompose_padding expect the block {0} to match padding pattern\n  "+why, b)
	}
	var ok bool
	if p.store, ok = b.Body.(*tir.BufferStore); !ok || p.store.Predicate != nil || b.Init != nil || len(b.AllocBuffers)+len(b.MatchBuffers) > 0 {
		return wrong("Block body expect a BufferStore to the write buffer")
	}
	call, ok := tir.IsCallTo(p.store.Value, tir.OpIfThenElse)
	if !ok {
		return wrong("Value of BufferStore expect to be constrained by a padding predicate")
	}
	p.value, p.pad = call.Args[1], call.Args[2]
	switch p.pad.(type) {
	case *tir.IntImm, *tir.FloatImm:
	default:
		return wrong("Pad value should be constant")
	}
	if arith.SideEffect(p.value) > tir.ReadState {
		return wrong("Inbound computation should not have side-effect")
	}
	p.pred = tir.Bool(true)
	for _, c := range tir.Conjuncts(nil, tir.And(tir.SubstExpr(call.Args[0], bindings(r)), r.Predicate)) {
		if likely, ok := tir.IsCallTo(c, tir.OpLikely); ok {
			c = likely.Args[0]
		}
		p.pred = tir.And(p.pred, c)
	}
	p.pred = p.an.Simplify(p.pred)
	if p.an.CanProve(p.pred) {
		return wrong("The in-bound predicate is trivial")
	}
	sums := arith.DetectIterMap(r.Values, ranges(p.loops), p.pred, arith.Surjective, p.an, false).Indices
	if len(sums) == 0 {
		return wrong("Block iters are not independent wrt padding condition")
	}
	for _, sum := range sums {
		switch {
		case len(sum.Args) == 0:
			p.region = append(p.region, &tir.Range{Min: sum.Base, Extent: tir.Const(sum.Base.DType(), 1)})
		case len(sum.Args) > 1:
			return wrong("Block iters are not independent wrt padding condition")
		case !p.an.CanProveEqual(sum.Args[0].Scale, tir.Const(sum.Args[0].Scale.DType(), 1)):
			return wrong("Strided iteration is not supported")
		default:
			p.region = append(p.region, &tir.Range{Min: sum.Base, Extent: sum.Args[0].Extent})
		}
	}
	return nil
}

// check returns an error where the constant, stored before, would change a result. TVM does not look at this.
func (p *padding) check(to, root site) error {
	b := p.at.Block()
	if err := p.s.checkOnlyLoops(p.at, to); err != nil {
		return err
	}
	if err := p.s.checkClosed(p.at); err != nil {
		return err
	}
	alone := map[*tir.Var]bool{}
	for _, e := range p.store.Indices {
		if v, ok := e.(*tir.Var); ok {
			alone[v] = true
		}
	}
	for _, iv := range b.IterVars {
		if alone[iv.Var] || tir.IsConst(iv.Dom.Extent, 1) {
			continue
		}
		if len(arith.DetectIterMap(p.store.Indices, domains(b), tir.Bool(true), arith.Bijective, p.an, false).Indices) == 0 {
			return p.s.fail("NotInjectiveError", fmt.Sprintf("The block {0} may store to one element for different values of %s, of which the last one would no longer win", iv.Var.Name), b)
		}
		break
	}
	for _, x := range depsOf(root.Block()).byDst[b] {
		if q, ok := p.s.below(to, x.src); ok && x.kind == writeAfterRead && q.stmt() != b {
			return p.s.fail("EarlyInitError", "The block {0} in loop {1} reads what the constant of block {2} would overwrite before", x.src, to.stmt(), b)
		}
	}
	return nil
}

// constant makes the block that stores the constant, in copies of loops.
func (p *padding) constant(loops []*tir.For) (*tir.Block, tir.Stmt) {
	b, r := p.at.Block(), p.at.Realize()
	sub := map[*tir.Var]tir.Expr{}
	now := func(e tir.Expr) tir.Expr { return p.an.Simplify(tir.SubstExpr(e, sub)) }
	out := &tir.Block{Base: b.Base, Name: b.Name + "_pad_const"}
	for _, iv := range b.IterVars {
		v := *iv.Var
		sub[iv.Var] = &v
		out.IterVars = append(out.IterVars, &tir.IterVar{Base: iv.Base, Dom: iv.Dom, Var: &v})
	}
	out.Writes = p.regions(b.Writes, now)
	out.Body = p.store.WithValue(p.pad).WithIndices(mapExprs(p.store.Indices, now))
	vars := make([]*tir.Var, len(loops))
	for i, l := range loops {
		v := *l.LoopVar
		vars[i], sub[l.LoopVar] = &v, &v
	}
	var nest tir.Stmt = &tir.BlockRealize{Base: r.Base, Values: mapExprs(r.Values, now), Predicate: now(r.Predicate), Block: out}
	for i := len(loops) - 1; i >= 0; i-- {
		nest = &tir.For{Base: loops[i].Base, LoopVar: vars[i], Min: now(loops[i].Min), Extent: now(loops[i].Extent), Body: nest}
	}
	return out, nest
}

// inBound makes the block that stores the values, in loops that are narrowed to where it does if they are bound to its variables directly.
func (p *padding) inBound(loops []*tir.For) (tir.Stmt, *tir.Block) {
	b, r := p.at.Block(), p.at.Realize()
	doms := ranges(loops)
	sub := map[*tir.Var]tir.Expr{}
	out := &tir.Block{Base: b.Base, Name: b.Name, Annotations: b.Annotations}
	values := make([]tir.Expr, len(r.Values))
	var indirect []int
	for i, iv := range b.IterVars {
		v := *iv.Var
		dom := &tir.Range{Min: tir.Const(v.DType(), 0), Extent: p.region[i].Extent}
		out.IterVars = append(out.IterVars, &tir.IterVar{Base: iv.Base, Dom: dom, Var: &v})
		sub[iv.Var] = tir.Add(&v, p.region[i].Min)
		loop, direct := r.Values[i].(*tir.Var)
		if direct && doms[loop] != nil {
			doms[loop] = dom
			values[i] = loop
			sub[loop] = tir.Add(loop, p.region[i].Min)
			continue
		}
		values[i] = tir.Sub(r.Values[i], p.region[i].Min)
		indirect = append(indirect, i)
	}
	an := arith.NewAnalyzer()
	for _, l := range p.loops {
		d := rangeOf(l)
		if own := doms[l.LoopVar]; own != nil {
			d = own
		}
		an.BindRange(l.LoopVar, d)
	}
	now := func(e tir.Expr) tir.Expr { return an.Simplify(tir.SubstExpr(e, sub)) }
	for _, i := range indirect {
		values[i] = an.Simplify(values[i])
	}
	out.Reads, out.Writes = p.regions(b.Reads, now), p.regions(b.Writes, now)
	out.Body = p.store.WithValue(now(p.value)).WithIndices(mapExprs(p.store.Indices, now))
	var nest tir.Stmt = &tir.BlockRealize{Base: r.Base, Values: values, Predicate: now(p.pred), Block: out}
	for i := len(loops) - 1; i >= 0; i-- {
		l := *loops[i]
		l.Min, l.Extent, l.Body = doms[l.LoopVar].Min, doms[l.LoopVar].Extent, nest
		nest = &l
	}
	return nest, out
}

// regions maps the bounds of regions.
func (p *padding) regions(list []*tir.BufferRegion, f func(tir.Expr) tir.Expr) []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		region := make([]*tir.Range, len(r.Region))
		for k, x := range r.Region {
			region[k] = &tir.Range{Base: x.Base, Min: f(x.Min), Extent: f(x.Extent)}
		}
		out[i] = r.WithRegion(region)
	}
	return out
}

func mapExprs(list []tir.Expr, f func(tir.Expr) tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}
