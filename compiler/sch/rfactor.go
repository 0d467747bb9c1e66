package sch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/reducer"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// RFactor computes a reduction in parts, one for each iteration of a loop of it: what belongs to one part goes to an element of a new buffer, and
// the block combines the parts (TVM's rfactor). axis is the place of the new dimension, negative ones count from behind. It returns the block of
// the parts; the reference to the reduction then refers to the block that combines.
func (s *State) RFactor(l *Loop, axis int) (*State, *Block, error) {
	to, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	at, err := s.onlyChild(to)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkReduction(at, root.Block()); err != nil {
		return nil, nil, err
	}
	loop := to.For()
	if loop.Kind != tir.Serial {
		return nil, nil, s.fail("NotSerialLoopKindError", "ScheduleError: The input loop {0} of rfactor is required to be `Serial`. However, the kind of {0} is `"+loop.Kind.String()+"`", loop)
	}
	f := &factoring{s: s, at: at, loop: loop, loops: at.loops()}
	if err := f.checkLoops(); err != nil {
		return nil, nil, err
	}
	if f.red, err = reducer.Of(at.Block()); err != nil {
		return nil, nil, s.noReducer(err, at.Block())
	}
	n := len(f.red.Buffers[0].Shape)
	if axis < -(n+1) || axis > n {
		return nil, nil, s.fail("FactorAxisOutOfRangeError", fmt.Sprintf(
			"The write buffer %s has %d dimension(s), so `factor_axis` is required to be in [%d, %d] for rfactor. However, the input `factor_axis` is %d, which is out of the expected range",
			f.red.Buffers[0].Name, n, -(n+1), n, axis))
	}
	if axis < 0 {
		axis += n + 1
	}
	f.axis = axis
	if err := f.check(root); err != nil {
		return nil, nil, err
	}
	f.allocate()
	part, nest := f.parts()
	became := reuse{}
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch {
		case x == tir.Stmt(at.Realize()):
			r := f.combine()
			became[at.Block()] = r.Block
			return r
		case x == tir.Stmt(f.loops[0]):
			return tir.Seq(nest, f.kept(f.loops[0], m))
		}
		switch x := x.(type) {
		case *tir.BlockRealize:
			return x
		case *tir.For:
			return f.kept(x, m)
		}
		return m.MapStmt(x)
	}
	scope := root.Block()
	now := scope.WithBody(m.Stmt(scope.Body)).WithAllocBuffers(append(slices.Clone(scope.AllocBuffers), f.buffers...))
	out, ref := s.replace(root, now, became).refer(l.fn, part)
	return out, ref, nil
}

// onlyChild returns the only block below a loop.
func (s *State) onlyChild(to site) (site, error) {
	list := realizes(to.stmt())
	if len(list) != 1 {
		word := "loop"
		if _, ok := to.stmt().(*tir.Block); ok {
			word = "block"
		}
		return site{}, s.fail("NonSingleChildBlockError", "The "+word+" {0} is required to have only one child block", to.stmt())
	}
	at, _ := s.below(to, list[0].Block)
	return at, nil
}

// noReducer is what the error of package reducer says of a block that is to be computed in parts.
func (s *State) noReducer(err error, b *tir.Block) error {
	var e *reducer.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Condition > 0 {
		return s.fail("RFactorNotApplicableError", fmt.Sprintf("RFactor cannot be applied to block {0}, because the block violates condition #%d: %s.\n%s", e.Condition, e.Why, reducer.Definition), b)
	}
	combiners := make([]string, len(e.Updates))
	for i, u := range e.Updates {
		combiners[i] = strings.TrimSpace(script.Node(u, script.Options{}))
	}
	return s.fail("NoMatchedReducerError", fmt.Sprintf(
		"No matched reducer for identity %s and combiner [%s]: %s. In this case rfactor cannot be applied.", spelled(e.Identities), strings.Join(combiners, ", "), e.Why))
}

// factoring is a reduction of a block that is computed in parts.
type factoring struct {
	s       *State
	at      site
	loop    *tir.For   // of the parts
	loops   []*tir.For // around the block, outermost first
	red     *reducer.Reduction
	axis    int
	buffers []*tir.Buffer // of the parts
}

// touched reports whether a variable of a kind of the block is bound to a loop.
func (f *factoring) touched(l *tir.For, kind tir.IterKind) bool {
	r := f.at.Realize()
	for i, iv := range r.Block.IterVars {
		if iv.Kind == kind && usesVar(r.Values[i], l.LoopVar) {
			return true
		}
	}
	return false
}

// checkLoops is TVM's LoopPropertyError.
func (f *factoring) checkLoops() error {
	s := f.s
	const class = "LoopPropertyError"
	if realizes(f.loops[0])[0].Block != f.at.Block() {
		return s.fail(class, "The first child block of the outermost loop {0} is not the reduction block.", f.loops[0])
	}
	reducing := false
	for _, l := range f.loops {
		spatial, reduces := f.touched(l, tir.DataPar), f.touched(l, tir.CommReduce)
		switch {
		case spatial && reduces:
			return s.fail(class, "It is not allowed that the loop {0} is touched by both some data parallel block iters and some reduction block iters", l)
		case spatial && l == f.loop:
			return s.fail(class, "The loop to be applied rfactor is {0}, which is required not to be touched by any data parallel block iter of the block below. "+
				"However, some of the block's data parallel block iters touch this loop", l)
		case spatial:
		case reduces:
			if !reducing {
				at, _ := f.s.locate(f.at.fn, func(x tir.Stmt) bool { return x == tir.Stmt(l) })
				if _, err := s.onlyChild(at); err != nil {
					return err
				}
				reducing = true
			}
		case reducing && !tir.IsConst(l.Extent, 1):
			return s.fail(class, "The loop {0} has extent greater than one, and is not bound to any block iter. Therefore it shouldn't appear under a reduction loop", l)
		}
	}
	return nil
}

// ofResult reports whether a condition of the block is the same for all steps of a sum: it uses only loops of spatial variables. Where it does not hold, the
// sum is not computed at all.
func (f *factoring) ofResult(cond tir.Expr) bool {
	used := map[*tir.Var]bool{}
	varsOf(cond, used)
	return !slices.ContainsFunc(f.loops, func(l *tir.For) bool {
		return used[l.LoopVar] && (!f.touched(l, tir.DataPar) || f.touched(l, tir.CommReduce))
	})
}

// firstSteps reports whether each part of a sum that is computed has a first step, in which its init runs.
func (f *factoring) firstSteps() bool {
	an := arith.NewAnalyzer()
	first := map[*tir.Var]tir.Expr{}
	for _, l := range allLoops(f.at) {
		an.BindRange(l.LoopVar, rangeOf(l))
		if l != f.loop && slices.Contains(f.loops, l) && f.touched(l, tir.CommReduce) {
			first[l.LoopVar] = l.Min
		}
	}
	for _, p := range tir.Conjuncts(nil, f.at.Realize().Predicate) {
		if !f.ofResult(p) && !an.CanProve(tir.SubstExpr(p, first)) {
			return false
		}
	}
	return true
}

// manySteps reports whether a part is a sum, with an init, and no single value.
func (f *factoring) manySteps() bool {
	r := f.at.Realize()
	for i, iv := range r.Block.IterVars {
		if iv.Kind != tir.CommReduce {
			continue
		}
		for _, l := range f.loops {
			if l != f.loop && usesVar(r.Values[i], l.LoopVar) {
				return true
			}
		}
	}
	return false
}

// check returns an error where the parts would not hold all that the reduction combines. TVM looks at none of this.
func (f *factoring) check(root site) error {
	s, r := f.s, f.at.Realize()
	if err := s.checkOnlyLoops(f.at, root); err != nil {
		return err
	}
	if err := s.checkClosed(f.at); err != nil {
		return err
	}
	if !(f.firstSteps() || s.rules && f.manySteps()) {
		return s.fail("PredicateError", "The block {0} runs under a condition, so that a part may have no first step and elements of the parts would never be written", r.Block)
	}
	if err := s.checkStartsAtZero(f.loop, arith.NewAnalyzer()); err != nil {
		return err
	}
	for _, w := range r.Block.Writes {
		if !slices.Contains(f.red.Buffers, w.Buffer) {
			return fmt.Errorf("block %s writes buffer %s, which its reduction does not update", r.Block.Name, w.Buffer.Name)
		}
	}
	if len(r.Block.AllocBuffers)+len(r.Block.MatchBuffers) > 0 {
		return fmt.Errorf("block %s has buffers of its own, which its parts could not share", r.Block.Name)
	}
	if !f.touched(f.loop, tir.CommReduce) && !tir.IsConst(f.loop.Extent, 1) {
		return s.fail("LoopPropertyError", "The loop {0} is not bound to a reduction variable of block {1}, so that its iterations repeat the reduction and are no parts of it", f.loop, r.Block)
	}
	for _, l := range f.loops {
		if l != f.loop && tir.IsConst(l.Extent, 0) && f.touched(l, tir.CommReduce) {
			return s.fail("IdleLoopError", "The loop {0}, over which block {1} reduces, has no iteration, so that no part would be written", l, r.Block)
		}
	}
	return nil
}

// allocate makes the buffers of the parts.
func (f *factoring) allocate() {
	for _, b := range f.red.Buffers {
		out := *b
		out.Data = &tir.Var{Base: b.Data.Base, Name: b.Data.Name + ".rf", Type: b.Data.Type}
		out.Name, out.Strides = b.Name+".rf", nil
		out.Shape = slices.Insert(slices.Clone(b.Shape), f.axis, f.loop.Extent)
		f.buffers = append(f.buffers, &out)
	}
}

// kept is a loop around the block that combines: those of the reduction but the one of the parts are gone.
func (f *factoring) kept(l *tir.For, m *tir.Mapper) tir.Stmt {
	if !slices.Contains(f.loops, l) {
		return l
	}
	body := m.Stmt(l.Body)
	if l != f.loop && f.touched(l, tir.CommReduce) {
		return body
	}
	return l.WithBody(body)
}
