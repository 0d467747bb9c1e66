package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Fuse makes one loop of loops each of which is all that the one before it holds (TVM's fuse).
func (s *State) Fuse(loops []*Loop, preserveUnit bool) (*State, *Loop, error) {
	if len(loops) == 0 {
		return nil, nil, fmt.Errorf("fuse: there are no loops")
	}
	an := arith.NewAnalyzer()
	var list []*tir.For
	var first, outer site
	for i, l := range loops {
		at, err := s.loop(l)
		if err != nil {
			return nil, nil, err
		}
		loop := at.For()
		if err := s.checkPlain(loop); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			first = at
		} else if err := s.checkNested(outer, at); err != nil {
			return nil, nil, err
		}
		if err := s.checkStartsAtZero(loop, an); err != nil {
			return nil, nil, err
		}
		for _, o := range list {
			if usesVar(loop.Extent, o.LoopVar) {
				return nil, nil, s.fail("DependentLoopError", "Outer loop {0}'s `extent` is dependent on the loop variable "+o.LoopVar.Name+" of an outer loop that is to be fused with it", loop)
			}
		}
		list, outer = append(list, loop), at
	}
	name, bits := list[0].LoopVar.Name, list[0].LoopVar.DType().Bits
	for _, l := range list[1:] {
		name += "_" + l.LoopVar.Name
		bits = max(bits, l.LoopVar.DType().Bits)
	}
	d := dtype.Int32T
	d.Bits = bits
	v := &tir.Var{Base: list[0].LoopVar.Base, Name: name + "_fused", Type: tir.NewVar("", d).Type}
	sub := map[*tir.Var]tir.Expr{}
	lower, extent := tir.Expr(tir.Int32(1)), tir.Expr(tir.Int32(1))
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		var x tir.Expr
		switch {
		case tir.IsConst(l.Extent, 1):
			x = tir.Int32(0)
		case i == 0:
			x = tir.FloorDiv(v, lower)
		default:
			x = tir.FloorDiv(tir.FloorMod(v, tir.Mul(lower, l.Extent)), lower)
		}
		sub[l.LoopVar] = tir.CastTo(l.LoopVar.DType(), x)
		lower = tir.Mul(lower, l.Extent)
	}
	for _, l := range list {
		extent = tir.Mul(extent, l.Extent)
	}
	old := list[len(list)-1].Body
	body := tir.SubstStmt(old, sub)
	became := opaqueChanges(old, body)
	loop := &tir.For{Base: list[0].Base, LoopVar: v, Min: tir.Const(d, 0), Extent: tir.CastTo(d, an.Simplify(extent)), Body: body}
	now, more := simplifyBindings(loop, first.loops(), preserveUnit)
	return s.replace(first, now, became.then(more)), &Loop{loops[0].fn, v}, nil
}

// checkNested returns an error if a loop is not all that another holds.
func (s *State) checkNested(outer, inner site) error {
	up, ok := inner.up()
	if !ok || up.stmt() != outer.stmt() {
		return s.fail("OuterNotInnerParent", "The loops can't be fused because the outer loop {0} is not the parent of the inner loop {1}", outer.stmt(), inner.stmt())
	}
	if outer.For().Body != inner.stmt() {
		return s.fail("NotOnlyChildError", "The loops can't be fused because the inner loop {1} is not the only child of outer loop {0}.", outer.stmt(), inner.stmt())
	}
	return nil
}

// Merge makes one nest of nests of the same extents that follow each other below the same statement (TVM's merge). The loops given are the
// innermost ones.
func (s *State) Merge(loops []*Loop) (*State, *Loop, error) {
	if len(loops) < 2 {
		return nil, nil, fmt.Errorf("merge: expected at least two loops, got %d", len(loops))
	}
	an := arith.NewAnalyzer()
	sites := make([]site, len(loops))
	for i, l := range loops {
		at, err := s.loop(l)
		if err != nil {
			return nil, nil, err
		}
		sites[i] = at
	}
	top := commonAncestor(sites)
	root, err := s.scopeRoot(sites[0], false)
	if err != nil {
		return nil, nil, err
	}
	var nests [][]*tir.For // of each loop given, outermost first
	for i, at := range sites {
		r, err := s.scopeRoot(at, false)
		if err != nil {
			return nil, nil, err
		}
		if r.stmt() != root.stmt() {
			return nil, nil, fmt.Errorf("ScheduleError: Expected the loops to be under the same block scope")
		}
		var nest []*tir.For
		for q, ok := at, true; ok && q.stmt() != top; q, ok = q.up() {
			l, loop := q.stmt().(*tir.For)
			if !loop {
				break
			}
			if err := s.checkPlain(l); err != nil {
				return nil, nil, err
			}
			if err := s.checkStartsAtZero(l, an); err != nil {
				return nil, nil, err
			}
			nest = append([]*tir.For{l}, nest...)
		}
		for k := 1; k < len(nest); k++ {
			if nest[k-1].Body != tir.Stmt(nest[k]) {
				return nil, nil, s.fail("NotOnlyChildError", "The loops can't be fused because the inner loop {1} is not the only child of outer loop {0}.", nest[k-1], nest[k])
			}
		}
		if i > 0 {
			if len(nest) != len(nests[0]) {
				return nil, nil, fmt.Errorf("ScheduleError: Merge loop's nesting depth must be same, but not")
			}
			for k, l := range nest {
				if !an.CanProveEqual(l.Extent, nests[0][k].Extent) {
					return nil, nil, fmt.Errorf("ScheduleError: Merge loop's `extent` must be same, but not. extent=[%d,%v,%v]", k, nests[0][k].Extent, l.Extent)
				}
			}
		}
		if len(nest) == 0 {
			return nil, nil, fmt.Errorf("merge: loop %s holds another one of the loops", loops[i].v.Name)
		}
		nests = append(nests, nest)
	}
	if err := s.checkMergeable(nests, root); err != nil {
		return nil, nil, err
	}
	merged, inner, became := mergedNest(nests)
	gone := map[tir.Stmt]bool{}
	for _, n := range nests {
		gone[n[0]] = true
	}
	last := nests[len(nests)-1][0]
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch {
		case x == tir.Stmt(last):
			return merged
		case gone[x]:
			return tir.NoOp()
		}
		switch x := x.(type) {
		case *tir.BlockRealize, *tir.Block:
			return x
		case *tir.SeqStmt:
			list := make([]tir.Stmt, len(x.Seq))
			for i, c := range x.Seq {
				list[i] = m.Stmt(c)
			}
			return tir.Seq(list...)
		}
		return m.MapStmt(x)
	}
	now := root.Block().WithBody(m.Stmt(root.Block().Body))
	return s.replace(root, now, became), &Loop{loops[0].fn, inner}, nil
}

// mergedNest returns one nest over the bodies of nests, with its innermost variable. Its loops are of the kind that those of all nests are of, or serial.
func mergedNest(nests [][]*tir.For) (tir.Stmt, *tir.Var, reuse) {
	var vars []*tir.Var
	for _, l := range nests[0] {
		vars = append(vars, &tir.Var{Base: l.LoopVar.Base, Name: l.LoopVar.Name + "_m", Type: l.LoopVar.Type})
	}
	var bodies []tir.Stmt
	became := reuse{}
	for _, nest := range nests {
		sub := map[*tir.Var]tir.Expr{}
		for k, l := range nest {
			sub[l.LoopVar] = tir.CastTo(l.LoopVar.DType(), vars[k])
		}
		old := nest[len(nest)-1].Body
		body := tir.SubstStmt(old, sub)
		for a, b := range opaqueChanges(old, body) {
			became[a] = b
		}
		bodies = append(bodies, body)
	}
	out := tir.Seq(bodies...)
	for k := len(vars) - 1; k >= 0; k-- {
		l := nests[0][k]
		kind := l.Kind
		for _, nest := range nests {
			if nest[k].Kind != kind {
				kind = tir.Serial
			}
		}
		out = &tir.For{Base: l.Base, LoopVar: vars[k], Min: l.Min, Extent: l.Extent, Kind: kind, Body: out}
	}
	return out, vars[len(vars)-1], became
}

// checkMergeable returns an error if a block of one nest has to do with one of another, but row by row, or with one between the nest and its new place, that of
// the last nest: it would run before what it needs. TVM merges all the same.
func (s *State) checkMergeable(nests [][]*tir.For, root site) error {
	m := &merging{nests: nests, of: map[*tir.Block]int{}, runs: map[*tir.Block]*tir.BlockRealize{}, an: arith.NewAnalyzer()}
	of, place := m.of, map[*tir.Block]int{}
	d := s.deps(root.Block())
	for i, r := range d.blocks {
		place[r.Block] = i
	}
	last := 0
	for i, n := range nests {
		for _, r := range realizes(n[0]) {
			of[r.Block], m.runs[r.Block] = i+1, r
			if i == len(nests)-1 {
				last = place[r.Block]
			}
		}
	}
	between := func(x, moved *tir.Block) bool { return (place[x] > place[moved]) == (place[x] < last) }
	check := func(moved, x *tir.Block) error {
		if of[x] == of[moved] || of[x] == 0 && !between(x, moved) || of[x] != 0 && (of[x] > of[moved]) == (place[x] > place[moved]) && m.rowByRow(moved, x) {
			return nil
		}
		return s.fail("DependentBlocksError", "The loops can't be merged because block {0} and block {1} depend on each other and would run in another order", moved, x)
	}
	for _, r := range d.blocks {
		if of[r.Block] == 0 {
			continue
		}
		for _, x := range d.byDst[r.Block] {
			if err := check(r.Block, x.src); err != nil {
				return err
			}
		}
		for _, x := range d.bySrc[r.Block] {
			if err := check(r.Block, x.dst); err != nil {
				return err
			}
		}
	}
	return nil
}

// commonAncestor returns the lowest loop or block that all sites stand in or are.
func commonAncestor(sites []site) tir.Stmt {
	for q, ok := sites[0], true; ok; q, ok = q.up() {
		all := true
		for _, p := range sites[1:] {
			all = all && p.inside(q.stmt())
		}
		if all {
			return q.stmt()
		}
	}
	return nil
}
