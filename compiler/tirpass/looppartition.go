package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// A loop whose extent is no multiple of its tile checks a bound in each iteration that is true in nearly
// all of them. Partitioning cuts the range where the condition becomes constant:
//
//	for i in 8:                             for i in 7:
//	  for j in 4:                             for j in 4: body
//	    if likely(i*4 + j < 30): body       for j in 4:
//	                                          if 28 + j < 30: body     (j is cut next)
//
// For each condition marked likely, DeduceBound gives an interval of the loop variable in which it
// certainly holds, and one in which it certainly fails. The intersection of the intervals of the
// conditions that hold together is the middle part, from which they are removed; what is before and
// after keeps them. If no part makes one true, the same is tried for false. Parts are partitioned again,
// as other conditions may be constant in them.
//
// The ends of the middle are expressions known before the loop starts. Where they cannot be proved to
// lie within the range, they are clamped to it, and a side with a clamped end is not cut again.
//
// Each cut copies the body up to three times, so a function has at most maxPartitions of them. After
// TVM's src/tir/transforms/loop_partition.cc.

// LoopPartition splits loops so that conditions marked as likely are constant in most parts.
var LoopPartition = &pass.Pass{
	Name: "tir.LoopPartition", Kind: pass.PrimFunc,
	Doc:    "Splits a loop into the steps where a likely condition certainly holds (or fails), without that condition, and the steps before and after. Loops with constant bounds are split if partition_const_loop asks for it or a pragma_loop_partition_hint is on them.",
	Config: []string{"tir.LoopPartition"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		cfg := c.ConfigFields("tir.LoopPartition")
		return loopPartition(c, c.Budget(), f, cfg.Bool("partition_const_loop", false), cfg.Bool("no_unroll_loop_with_extent_one", false),
			cfg.Bool("unroll_loop_with_partition_hint_no_interval", false)), nil
	}),
}

const keyPartitionHint = "pragma_loop_partition_hint"

// maxPartitions bounds the loops that one function is split into.
const maxPartitions = 64

func loopPartition(c *pass.Context, b *budget.Budget, f *tir.PrimFunc, constLoops, keepOne, unrollHinted bool) *tir.PrimFunc {
	p := &partitioner{
		ctx: c, an: arith.Bounded(b), constLoops: constLoops, keepOne: keepOne, unrollHinted: unrollHinted,
		hint: map[*tir.Var]arith.IntSet{}, relax: map[*tir.Var]arith.IntSet{}, hinted: map[*tir.Var]bool{}, left: maxPartitions,
	}
	p.m = &tir.Mapper{Stmt: p.stmt}
	return f.WithBody(dropLikely(c, p.partition(f.Body)))
}

type partitioner struct {
	ctx                               *pass.Context
	an                                *arith.Analyzer
	m                                 *tir.Mapper
	constLoops, keepOne, unrollHinted bool
	hint, relax                       map[*tir.Var]arith.IntSet
	sel                               *selection
	hinted                            map[*tir.Var]bool // also the variables of parts of loops with a hint
	left                              int
}

// partition selects the loops in s to split and splits them.
func (p *partitioner) partition(s tir.Stmt) tir.Stmt {
	old := p.sel
	p.sel = selectLoops(s, p.constLoops, p.hinted)
	out := p.stmt(s)
	p.sel = old
	return out
}

func (p *partitioner) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		p.an.BindRange(s.LoopVar, &tir.Range{Min: s.Min, Extent: s.Extent})
		if p.sel.loops[s] && s.Kind != tir.ThreadBinding && s.Step == nil {
			if out := p.split(s); out != nil {
				p.ctx.Rewrite(rulePartition, s, out)
				return out
			}
		}
		p.hint[s.LoopVar] = arith.Interval(s.Min, loopEnd(s))
		out := p.m.MapStmt(s)
		delete(p.hint, s.LoopVar)
		return out
	case *tir.SeqStmt:
		out := p.m.MapStmt(s)
		if seq, ok := out.(*tir.SeqStmt); ok && out != tir.Stmt(s) {
			return tir.Seq(seq.Seq...)
		}
		return out
	}
	return p.m.MapStmt(s)
}

// loopEnd is the last value of the variable.
func loopEnd(s *tir.For) tir.Expr {
	return tir.Sub(tir.Add(s.Min, s.Extent), tir.Const(s.Min.DType(), 1))
}

// rulePartition is the name of the rule.
const rulePartition = "split a loop"

// split splits s; nil if no condition is constant in any part of it.
func (p *partitioner) split(s *tir.For) tir.Stmt {
	if p.left <= 0 {
		p.ctx.Declinedf(rulePartition, s, "the function has been split into %d parts already, at most %d", maxPartitions, maxPartitions)
		return nil
	}
	lo, hi := s.Min, loopEnd(s)
	hinted := p.hinted[s.LoopVar]
	p.hint[s.LoopVar] = arith.Interval(lo, hi)
	f := newConditionFinder(s, hinted, p.hint, p.relax)
	f.walk(s.Body)
	delete(p.hint, s.LoopVar)
	for i, c := range f.found {
		f.found[i].set = p.simplified(c.set)
	}
	if len(f.found) == 0 {
		p.ctx.Declined(rulePartition, s, "no likely condition in it depends on the variable alone")
		return nil
	}
	middle, conds, ok := p.interval(f.found, lo, hi, true, hinted)
	value := true
	if !ok {
		middle, conds, ok = p.interval(f.found, lo, hi, false, hinted)
		value = false
	}
	if !ok {
		if hinted && p.unrollHinted && !p.pointsOutside(f.found, lo, hi) && p.an.CanProve(tir.LT(lo, hi)) {
			return s.WithKind(tir.Unrolled).WithBody(p.partition(s.Body))
		}
		p.ctx.Declined(rulePartition, s, "no likely condition is constant in a part of it")
		return nil
	}
	p.left--
	return p.cut(s, lo, hi, middle, conds, value)
}

// simplified returns set with its ends simplified by what is known of the loops around.
func (p *partitioner) simplified(set arith.IntSet) arith.IntSet {
	if set.IsPoint() {
		return arith.Point(p.an.Simplify(set.Min))
	}
	if set.HasLower() {
		set.Min = p.an.Simplify(set.Min)
	}
	if set.HasUpper() {
		set.Max = p.an.Simplify(set.Max)
	}
	return set
}

// pointsOutside reports whether the conditions hold, or fail, at single values only, none of them of the loop: its steps
// need not be told apart.
func (p *partitioner) pointsOutside(found []condition, lo, hi tir.Expr) bool {
	for _, c := range found {
		if !c.set.CanProvePoint(p.an) || p.an.CanProve(tir.And(tir.GE(c.set.Min, lo), tir.LE(c.set.Min, hi))) {
			return false
		}
	}
	return true
}

// interval intersects the intervals in which conditions have the value; it returns the
// conditions that are constant there.
func (p *partitioner) interval(found []condition, lo, hi tir.Expr, value, hinted bool) (arith.IntSet, map[tir.Expr]bool, bool) {
	loop := arith.Interval(lo, hi)
	conds := map[tir.Expr]bool{}
	var sets []arith.IntSet
	for _, c := range found {
		if c.value == value && !arith.Intersect(c.set, loop).Empty {
			sets = append(sets, c.set)
			conds[c.expr] = true
		}
	}
	if len(sets) == 0 {
		return arith.IntSet{}, nil, false
	}
	all := arith.Intersect(sets...)
	if !all.Empty || !hinted {
		return all, conds, !all.Empty
	}
	// With a hint, those that hold together as far as possible.
	all, conds = arith.Everything(), map[tir.Expr]bool{}
	for _, c := range found {
		if c.value != value || arith.Intersect(c.set, loop).Empty {
			continue
		}
		next := arith.Intersect(all, c.set)
		if next.Empty {
			break
		}
		all = next
		conds[c.expr] = true
	}
	return all, conds, len(conds) > 0
}

// cut makes the loops before, in and after the middle interval.
func (p *partitioner) cut(s *tir.For, lo, hi tir.Expr, middle arith.IntSet, conds map[tir.Expr]bool, value bool) tir.Stmt {
	d := lo.DType()
	one := tir.Const(d, 1)
	end := tir.Add(hi, one)
	begin, after := lo, end
	var pre, mid, post tir.Stmt
	recursePre, recursePost := true, true
	if middle.HasLower() {
		begin = p.an.Simplify(tir.CastTo(d, middle.Min))
		if !p.an.CanProveEqual(begin, lo) {
			n := p.an.Simplify(tir.Sub(begin, lo))
			if !p.an.CanProveGreaterEqual(n, 1) {
				begin = tir.Max(begin, lo)
				recursePre = false
			}
			if !p.an.CanProve(tir.LE(begin, end)) {
				begin = tir.Min(begin, end)
				recursePre = false
			}
			if !p.an.CanProveLess(n, 1) {
				pre = p.piece(s, s.Body, lo, tir.Sub(begin, lo))
			}
		}
	}
	if middle.HasUpper() {
		after = p.an.Simplify(tir.Add(tir.CastTo(d, middle.Max), one))
		if !p.an.CanProveEqual(after, end) {
			n := p.an.Simplify(tir.Sub(end, after))
			if !p.an.CanProveGreaterEqual(n, 1) {
				after = tir.Min(after, end)
				recursePost = false
			}
			if !p.an.CanProve(tir.GE(after, begin)) {
				after = tir.Max(after, begin)
				recursePost = false
			}
			if !p.an.CanProveLess(n, 1) {
				post = p.piece(s, s.Body, after, tir.Sub(end, after))
			}
		}
	}
	if !p.an.CanProve(tir.GE(begin, after)) {
		body := replaceConditions(s.Body, conds, value)
		mid = p.partition(p.piece(s, body, begin, tir.Sub(after, begin)))
		if pre != nil && recursePre {
			pre = p.partition(pre)
		}
		if post != nil && recursePost {
			post = p.partition(post)
		}
	}
	return tir.Seq(pre, mid, post)
}

// piece is the part of the loop s that starts at from, with a copy of body. A single step
// needs no loop.
func (p *partitioner) piece(s *tir.For, body tir.Stmt, from, extent tir.Expr) tir.Stmt {
	extent = p.an.Simplify(extent)
	if n, ok := tir.AsInt(extent); ok && n == 1 && !p.keepOne && s.Annotations.Len() == 0 {
		return p.copied(body, s.LoopVar, from)
	}
	v := *s.LoopVar
	out := *s
	out.LoopVar, out.Min, out.Extent = &v, tir.Const(s.Min.DType(), 0), extent
	out.Body = p.copied(body, s.LoopVar, tir.Add(&v, from))
	if p.hinted[s.LoopVar] {
		p.hinted[&v] = true
	}
	return &out
}

// copied is freshCopy with the hints of loops for their copies.
func (p *partitioner) copied(body tir.Stmt, v *tir.Var, value tir.Expr) tir.Stmt {
	c := tir.NewCopier()
	c.Vars[v] = value
	out := c.Stmt(body)
	if len(p.hinted) == 0 {
		return out
	}
	for old, e := range c.Vars {
		if again, ok := e.(*tir.Var); ok && old != v && p.hinted[old] {
			p.hinted[again] = true
		}
	}
	return out
}

// replaceConditions replaces the conditions by their value.
func replaceConditions(s tir.Stmt, conds map[tir.Expr]bool, value bool) tir.Stmt {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if conds[e] {
			return tir.Bool(value)
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt { return m.MapStmt(s) }
	return m.Stmt(s)
}

// dropLikely removes the marks and hints, which nothing reads any more.
func dropLikely(c *pass.Context, s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(s, reportingStmt(c, "drop a hint", func(s tir.Stmt) tir.Stmt {
		if a, ok := s.(*tir.AttrStmt); ok && a.Key == keyPartitionHint {
			return a.Body
		}
		return s
	}), reportingExpr(c, "drop likely", func(e tir.Expr) tir.Expr {
		if c, ok := tir.IsCallTo(e, tir.OpLikely); ok {
			return c.Args[0]
		}
		if ignoresPartition(e) {
			return e.(*tir.Call).Args[0]
		}
		return e
	}))
}
