package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// shapeAnalyzer returns an analyzer that knows that the extents of the function's buffers are not negative.
func shapeAnalyzer(f *tir.PrimFunc) *arith.Analyzer {
	an := arith.NewAnalyzer()
	an.MarkShapes(f)
	return an
}

// TransformBlockLayout makes new variables of a block, and loops, of the old ones as a bijective map says (TVM's transform_block_layout). The block is
// alone in the loops around it, and bound to their variables in order.
func (s *State) TransformBlockLayout(b *Block, m *tir.IndexMap) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	an := shapeAnalyzer(at.f)
	block := at.Block()
	loops := at.loops()
	for _, l := range loops {
		if err := s.checkStartsAtZero(l, an); err != nil {
			return nil, err
		}
	}
	if len(loops) > 0 {
		if err := s.checkAloneIn(at, loops[0]); err != nil {
			return nil, err
		}
	}
	if _, ok := at.up(); !ok {
		return nil, s.fail("RootBlockError", "The primitive does not operate on the root block")
	}
	if err := s.checkTrivialBinding(at, loops); err != nil {
		return nil, err
	}
	if len(m.Initial) != len(block.IterVars) {
		return nil, s.fail("IndexMapNotApplicableToBlockIterError", fmt.Sprintf(
			"The index map %s can't be applied to block iters of {0} because the number of parameters mismatch. Expected: %d, actual: %d",
			mapText(m), len(m.Initial), len(block.IterVars)), block)
	}
	var vars, extents []tir.Expr
	kinds := map[*tir.Var]tir.IterKind{}
	for i, iv := range block.IterVars {
		if !an.CanProveEqual(iv.Dom.Min, tir.Const(iv.Dom.Min.DType(), 0)) {
			return nil, fmt.Errorf("variable %s of block %s does not begin at 0", iv.Var.Name, block.Name)
		}
		if !an.CanProveEqual(loops[i].Extent, iv.Dom.Extent) { // TVM does not look
			return nil, fmt.Errorf("loop %s does not run over all of the domain of variable %s of block %s, as the new loops would", loops[i].LoopVar.Name, iv.Var.Name, block.Name)
		}
		vars, extents = append(vars, iv.Var), append(extents, iv.Dom.Extent)
		kinds[iv.Var] = iv.Kind
	}
	mapped := mapIndices(m, vars, an)
	reach, err := mapShape(m, extents, an)
	if err != nil {
		return nil, err
	}
	var ivs []*tir.IterVar
	var now []tir.Expr
	for i, e := range mapped {
		v := tir.NewVar(fmt.Sprintf("v%d", i), e.DType())
		kind, ok := tir.DataPar, true
		if !tir.IsConst(reach[i], 1) {
			kind, ok = kindOf(e, kinds)
		}
		if !ok {
			return nil, s.fail("OpaqueNewIterTypeError", "Cannot detect the block iter type for new iter value "+script.Node(e, script.Options{})+
				" in {0} because it contains more than one type of original iter vars.", block)
		}
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(e.DType(), 0), Extent: tir.CastTo(e.DType(), reach[i])}, Var: v, Kind: kind})
		now = append(now, v)
	}
	back, err := bijectiveInverse(TypedMap(m, extents), extents, an)
	if err != nil {
		return nil, s.fail("NotBijectiveAffineIndexMapError", "The index map "+mapText(m)+" is not bijective affine.")
	}
	if len(loops) == 0 && len(ivs) > 0 {
		return nil, fmt.Errorf("block %s has no loops, and the map makes %d of them", block.Name, len(ivs))
	}
	sub := map[*tir.Var]tir.Expr{}
	for i, e := range mapIndices(back, now, an) {
		sub[block.IterVars[i].Var] = tir.CastTo(block.IterVars[i].Var.DType(), e)
	}
	inner := tir.SubstStmt(block.WithIterVars(nil), sub).(*tir.Block)
	became := opaqueChanges(block.Body, inner.Body)
	out, more := simplifyAccesses(inner.WithIterVars(ivs), an)
	became = became.then(more)
	became[block] = out
	var values []tir.Expr
	var axes []*tir.Var
	for i, iv := range ivs {
		ax := tir.NewVar(fmt.Sprintf("ax%d", i), iv.Var.DType())
		axes, values = append(axes, ax), append(values, ax)
	}
	old := map[*tir.Var]tir.Expr{} // the loops of before; TVM leaves their variables in the predicate
	for i, e := range mapIndices(back, values, an) {
		old[loops[i].LoopVar] = tir.CastTo(loops[i].LoopVar.DType(), e)
	}
	var body tir.Stmt = at.Realize().WithValues(values).WithPredicate(an.Simplify(tir.SubstExpr(at.Realize().Predicate, old))).WithBlock(out)
	for i := len(axes) - 1; i >= 0; i-- {
		body = &tir.For{LoopVar: axes[i], Min: tir.Const(axes[i].DType(), 0), Extent: tir.CastTo(axes[i].DType(), reach[i]), Body: body}
	}
	if len(loops) == 0 {
		return s.replaceRealize(at, body, became), nil
	}
	top, _ := s.below(rootSite(at), loops[0])
	return s.replace(top, body, became), nil
}

// kindOf returns the kind that all variables of a block in an expression have; ok is false if there are none or several.
func kindOf(e tir.Expr, kinds map[*tir.Var]tir.IterKind) (kind tir.IterKind, ok bool) {
	used := map[*tir.Var]bool{}
	varsOf(e, used)
	for v := range used {
		k, known := kinds[v]
		if !known {
			continue
		}
		if ok && k != kind {
			return 0, false
		}
		kind, ok = k, true
	}
	return kind, ok && kind != tir.Opaque
}

// checkAloneIn returns an error if a loop around a block holds another one, or anything beside the loops to the block.
func (s *State) checkAloneIn(at site, loop *tir.For) error {
	if len(realizes(loop)) != 1 {
		return s.fail("NonSingleChildBlockError", "The loop {0} is required to have only one child block", loop)
	}
	for x := loop.Body; ; {
		switch y := x.(type) {
		case *tir.For:
			x = y.Body
			continue
		case *tir.BlockRealize:
			return nil
		}
		return s.fail("NotOnlyChildError", "The loop {0} holds more than the block {1} and loops", loop, at.Block())
	}
}

// checkTrivialBinding returns an error if the variables of a block are not bound to those of the loops around it in order.
func (s *State) checkTrivialBinding(at site, loops []*tir.For) error {
	values := at.Realize().Values
	ok := len(values) == len(loops)
	for i := 0; ok && i < len(loops); i++ {
		ok = values[i] == tir.Expr(loops[i].LoopVar)
	}
	if !ok {
		return s.fail("NotTrivialBindingError", "The binding values of the {0} are not variables of outer loops.", at.Block())
	}
	return nil
}
