package sch

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// CutLoop splits the iterations of a loop in two parts: as many as there are whole multiples of a number, or the first ones if cut says how many, and, in a copy behind, the
// rest. It is no primitive of TVM's, whose loop_partition knows constant extents only and puts blocks around the parts.
func (s *State) CutLoop(l *Loop, multiple, cut int64) (*State, []*Loop, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	loop := at.For()
	if err := s.checkPlain(loop); err != nil {
		return nil, nil, err
	}
	an := shapeAnalyzer(at.f)
	for _, o := range allLoops(at) {
		an.BindRange(o.LoopVar, rangeOf(o))
	}
	if err := s.checkStartsAtZero(loop, an); err != nil {
		return nil, nil, err
	}
	if loop.Kind != tir.Serial || loop.Step != nil && !tir.IsConst(loop.Step, 1) {
		return nil, nil, s.fail("NotSerialError", "The loop {0} cannot be cut: its iterations do not run one after the other", loop)
	}
	extent, d := loop.Extent, loop.LoopVar.DType()
	if multiple < 1 || multiple > math.MaxInt32 {
		return nil, nil, s.fail("OutOfRangeError", fmt.Sprintf("The loop {0} cannot be cut: %d is no number of iterations", multiple), loop)
	}
	n, constant := tir.AsInt(extent)
	if cut != 0 && (!constant || cut < 0 || cut >= n) {
		return nil, nil, s.fail("EmptyPartError", fmt.Sprintf("The loop {0} cannot be cut behind %d iterations: it needs a constant number of them that is larger", cut), loop)
	}
	if constant && cut == 0 && (n < multiple || n%multiple == 0) {
		return nil, nil, s.fail("EmptyPartError", fmt.Sprintf("The loop {0} of %d iterations cannot be cut at a multiple of %d: a part would be empty", n, multiple), loop)
	}
	if err := s.checkNoRestart(at); err != nil {
		return nil, nil, err
	}
	if zero := tir.Const(extent.DType(), 0); !an.CanProveWith(tir.GE(extent, zero), arith.SymbolicBound) {
		extent = tir.Max(extent, zero)
	}
	c := tir.Const(extent.DType(), multiple)
	whole := tir.Mul(tir.FloorDiv(extent, c), c)
	if cut > 0 {
		whole = tir.Const(extent.DType(), cut)
	}
	copier, names := tir.NewCopier(), namesOf(at.f)
	v := &tir.Var{Base: loop.LoopVar.Base, Name: loop.LoopVar.Name, Type: loop.LoopVar.Type}
	copier.Vars[loop.LoopVar] = tir.Add(tir.CastTo(d, whole), v)
	rest := tir.RewriteStmt(copier.Stmt(loop.Body), func(x tir.Stmt) tir.Stmt {
		if b, ok := x.(*tir.Block); ok {
			return b.WithName(names.fresh(b.Name))
		}
		return x
	}, nil)
	first, second := *loop, *loop
	first.Extent = whole
	second.LoopVar, second.Extent, second.Body = v, an.Simplify(tir.Sub(extent, whole)), rest
	return s.replace(at, tir.Seq(&first, &second), nil), []*Loop{l, {l.fn, v}}, nil
}
