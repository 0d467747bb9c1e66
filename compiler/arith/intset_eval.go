package arith

import "github.com/irscope/irscope/compiler/tir"

// setInfo is a set that a variable lies in by a constraint in scope.
type setInfo struct {
	v   *tir.Var
	set IntSet
}

// varRange is a range that a variable is bound to.
type varRange struct {
	v           *tir.Var
	min, extent tir.Expr
}

// sets returns the sets that variables are bound to. Those of ranges are made when someone asks: most analyzers are asked for bounds only.
func (a *Analyzer) sets() map[*tir.Var]IntSet {
	ranges := a.ranges
	a.ranges = a.ranges[:0]
	for _, x := range ranges {
		a.setVar(x.v, FromMinExtent(x.min, x.extent))
	}
	return a.varSets
}

// setVar binds v to a set.
func (a *Analyzer) setVar(v *tir.Var, s IntSet) {
	sets := a.sets()
	if sets == nil {
		sets = map[*tir.Var]IntSet{}
		a.varSets = sets
	}
	sets[v] = s
}

// setEval evaluates expressions over sets of values of variables. Variables without a set
// stand for themselves.
type setEval struct {
	a      *Analyzer
	dom    map[*tir.Var]IntSet
	infos  []setInfo
	vector bool // look into ramps and broadcasts
	depth  int
	work   int
}

// maxSetWork bounds the nodes that one evaluation visits; beyond it sets are everything.
const maxSetWork = 1 << 14

func newSetEval(a *Analyzer, dom map[*tir.Var]IntSet, vector bool) *setEval {
	return &setEval{a: a, dom: dom, vector: vector}
}

// IntSet returns the values that e takes over what is bound and assumed.
func (a *Analyzer) IntSet(e tir.Expr) IntSet {
	a.begin()
	defer a.end()
	ev := setEval{a: a, dom: a.sets(), infos: a.setInfos, vector: true}
	return ev.eval(e)
}

// EvalSet returns the values that e takes when the variables in dom take all values of
// their sets.
func EvalSet(e tir.Expr, dom map[*tir.Var]IntSet) IntSet {
	a := lend()
	out := newSetEval(a, dom, false).eval(e)
	a.giveBack()
	return out
}

// EvalSetRange is EvalSet for all values of a range.
func EvalSetRange(r *tir.Range, dom map[*tir.Var]IntSet) IntSet {
	a := lend()
	out := rangeSet(a, r, dom)
	a.giveBack()
	return out
}

func rangeSet(a *Analyzer, r *tir.Range, dom map[*tir.Var]IntSet) IntSet {
	ev := newSetEval(a, dom, false)
	if isCst(r.Extent, 1) || a.CanProveEqual(r.Extent, one(r.Extent)) {
		return ev.eval(r.Min)
	}
	end := a.Simplify(tir.Sub(tir.Add(r.Min, r.Extent), one(r.Min)))
	return ev.relax(Interval(r.Min, end))
}

// EvalSetRegion is EvalSetRange for each dimension.
func EvalSetRegion(region []*tir.Range, dom map[*tir.Var]IntSet) []IntSet {
	out := make([]IntSet, len(region))
	for i, r := range region {
		out[i] = EvalSetRange(r, dom)
	}
	return out
}

// EvalIntSet relaxes the ends of s.
func EvalIntSet(s IntSet, dom map[*tir.Var]IntSet) IntSet {
	a := lend()
	out := newSetEval(a, dom, false).relax(s)
	a.giveBack()
	return out
}

// AsIntSets turns ranges into sets.
func AsIntSets(ranges map[*tir.Var]*tir.Range) map[*tir.Var]IntSet {
	out := make(map[*tir.Var]IntSet, len(ranges))
	for v, r := range ranges {
		out[v] = SetOfRange(r)
	}
	return out
}

// relax evaluates the ends of s, which may use further variables to be relaxed. The depth
// is bounded by the number of variables, so that sets that refer to each other end.
func (ev *setEval) relax(s IntSet) IntSet {
	if s.Empty || ev.depth > len(ev.dom)+len(ev.infos) {
		return s
	}
	ev.depth++
	defer func() { ev.depth-- }()
	out := s
	if s.Min != nil {
		lo := ev.eval(s.Min)
		if lo.Empty {
			return lo
		}
		out.Min = lo.Min
		if s.IsPoint() {
			out.Max = lo.Max
			return out
		}
	}
	if s.Max != nil {
		hi := ev.eval(s.Max)
		if hi.Empty {
			return hi
		}
		out.Max = hi.Max
	}
	return out
}

func (ev *setEval) eval(e tir.Expr) IntSet {
	if ev.work++; ev.work > maxSetWork {
		return Everything()
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return Point(e)
	case *tir.Var:
		return ev.evalVar(e)
	case *tir.Binary:
		x, y := ev.eval(e.A), ev.eval(e.B)
		if x.IsPoint() && y.IsPoint() && x.Min == e.A && y.Min == e.B {
			return Point(e)
		}
		return combine(ev.a, e, x, y)
	case *tir.Not:
		if x := ev.eval(e.A); x.IsPoint() {
			if x.Min == e.A {
				return Point(e)
			}
			return Point(tir.LogicalNot(x.Min))
		}
		return Interval(tir.Bool(false), tir.Bool(true))
	case *tir.Select:
		return unionTwo(ev.eval(e.False), ev.eval(e.True))
	case *tir.Cast:
		return ev.evalCast(e)
	case *tir.Ramp:
		return ev.evalRamp(e)
	case *tir.Broadcast:
		if ev.vector {
			return ev.eval(e.Value)
		}
	case *tir.BufferLoad:
		if !e.DType().IsInteger() {
			return Everything()
		}
		for _, i := range e.Indices {
			if UsesVar(i, func(v *tir.Var) bool { _, ok := ev.dom[v]; return ok }) {
				return Everything()
			}
		}
		return Point(e)
	}
	return Everything()
}

func (ev *setEval) evalVar(v *tir.Var) IntSet {
	set, ok := ev.dom[v]
	for _, info := range ev.infos {
		if info.v != v {
			continue
		}
		if !ok {
			set, ok = info.set, true
		} else {
			set = intersectTwo(ev.a, set, info.set).simplify(ev.a)
		}
	}
	if !ok || set.IsPoint() && set.Min == tir.Expr(v) {
		return Point(v)
	}
	return ev.relax(set)
}

func (ev *setEval) evalCast(e *tir.Cast) IntSet {
	s := ev.eval(e.Value)
	switch {
	case s.IsPoint() && s.Min == e.Value:
		return Point(e)
	case s.IsPoint():
		return Point(tir.CastTo(e.Type, s.Min))
	case s.Empty || !e.Type.IsInteger() || !e.Value.DType().IsInteger():
		return Everything()
	}
	if from := e.Value.DType(); !(isIndex(e.Type) && isIndex(from)) && !fits(s.ConstBound(ev.a), from, e.Type) {
		return Everything() // it may wrap
	}
	if s.Min != nil {
		s.Min = tir.CastTo(e.Type, s.Min)
	}
	if s.Max != nil {
		s.Max = tir.CastTo(e.Type, s.Max)
	}
	return s
}

func (ev *setEval) evalRamp(e *tir.Ramp) IntSet {
	stride, ok := cst(e.Stride)
	if !ev.vector || !ok {
		return Everything()
	}
	d := e.Start.DType()
	zero, last := tir.Const(d, 0), tir.Const(d, stride*int64(e.Lanes-1))
	if stride < 0 {
		zero, last = last, zero
	}
	base := ev.eval(e.Start)
	if base.Empty {
		return base
	}
	return Interval(both(base.Min, zero, tir.Add), both(base.Max, last, tir.Add))
}

// setConstraints notes the sets that cond puts variables in.
func (a *Analyzer) setConstraints(cond tir.Expr) {
	conjuncts(cond, func(e tir.Expr) {
		b := bin(e)
		if !b.Op.IsCompare() || b.Op == tir.OpNE || !isIndex(operandType(b)) {
			return
		}
		a.setConstraint(b.A, b.B, b.Op)
		a.setConstraint(b.B, b.A, mirror(b.Op))
	})
}

func (a *Analyzer) setConstraint(lhs, limit tir.Expr, op tir.BinaryOp) {
	v, ok := lhs.(*tir.Var)
	if !ok {
		return
	}
	var set IntSet
	switch op {
	case tir.OpLE:
		set.Max = limit
	case tir.OpLT:
		set.Max = sub(limit, one(limit))
	case tir.OpGE:
		set.Min = limit
	case tir.OpGT:
		set.Min = add(limit, one(limit))
	case tir.OpEQ:
		set = Point(limit)
	}
	a.setInfos = append(a.setInfos, setInfo{v, set})
}
