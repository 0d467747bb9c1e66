package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// checkInjective returns an error if an index map may lead two points of the domain of a block to one: the copy would mix them up. TVM does not
// look.
func (s *State) checkInjective(b *tir.Block, indices []tir.Expr) error {
	used := map[*tir.Var]bool{}
	for _, e := range indices {
		varsOf(e, used)
	}
	doms := map[*tir.Var]*tir.Range{}
	for _, iv := range b.IterVars {
		if used[iv.Var] {
			doms[iv.Var] = iv.Dom
		}
	}
	if len(doms) == 0 || len(arith.DetectIterMap(indices, doms, tir.Bool(true), arith.Bijective, arith.NewAnalyzer(), false).Indices) > 0 {
		return nil
	}
	// Variables alone, or split by a divisor that need not divide the extent.
	whole := map[*tir.Var]bool{}
	split := map[*tir.Var]map[tir.BinaryOp]int64{}
	for _, e := range indices {
		switch e := e.(type) {
		case *tir.Var:
			whole[e] = true
		case *tir.Binary:
			v, isVar := e.A.(*tir.Var)
			n, known := tir.AsInt(e.B)
			if isVar && known && n > 0 {
				if split[v] == nil {
					split[v] = map[tir.BinaryOp]int64{}
				}
				split[v][e.Op] = n
			}
		}
	}
	for _, v := range tir.VarsByName(doms) {
		d, m := split[v][tir.OpFloorDiv], split[v][tir.OpFloorMod]
		if !whole[v] && (d == 0 || d != m) {
			return s.fail("NotInjectiveError", fmt.Sprintf("The index map may lead different values of the block itervar %s of block {0} to one index", v.Name), b)
		}
	}
	return nil
}

// checkUnguarded returns an error if a block reads a buffer under a condition, or at places that are data and not known for all values of its axes, and the indices may lie outside: a copy of all that
// it may read would read beyond the buffer. TVM makes the copy all the same.
func (s *State) checkUnguarded(at, root site, buf *tir.Buffer, indices []tir.Expr) error {
	b := at.Block()
	guarded := false
	for _, e := range indices {
		guarded = guarded || readsMemory(e) && !at.reaches(root, e)
	}
	ir.Walk(b.Body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.IfThenElse, *tir.Select:
			guarded = true
		case *tir.Call:
			guarded = guarded || n.Op == ir.Callee(tir.OpIfThenElse)
		}
		return !guarded
	})
	if !guarded {
		return nil
	}
	an := arith.NewAnalyzer()
	for _, iv := range b.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	for i, e := range indices {
		if !an.CanProve(tir.And(tir.GE(e, tir.Const(e.DType(), 0)), tir.LT(e, buf.Shape[i]))) {
			return s.fail("GuardedAccessError", fmt.Sprintf("The block {0} reads buffer %s under a condition, or at a place that is data and computed for some of its axes only, and index %d may lie outside of it elsewhere", buf.Name, i), b)
		}
	}
	return nil
}

// reaches reports whether a block surely runs for all values of those of its axes that stand in e.
func (p site) reaches(root site, e tir.Expr) bool {
	for i := len(root.path); i < len(p.path)-1; i++ {
		if conditional(p.path[i]) {
			return false
		}
	}
	used := map[*tir.Var]bool{}
	varsOf(e, used)
	realize := p.Realize()
	var shape []tir.Expr
	var region []*tir.Range
	var all []arith.IntSet
	for i, iv := range p.Block().IterVars {
		if used[iv.Var] {
			shape = append(shape, tir.Add(iv.Dom.Min, iv.Dom.Extent))
			region = append(region, &tir.Range{Min: realize.Values[i], Extent: tir.Const(iv.Var.DType(), 1)})
			all = append(all, arith.SetOfRange(iv.Dom))
		}
	}
	an := arith.NewAnalyzer()
	sets, ok := arith.EstimateRegionLowerBound(region, ranges(p.loops()), realize.Predicate, an)
	return ok && producerCovers(shape, sets, all, an)
}

// accessIndices returns the indices at which a block without blocks inside accesses a buffer, always the same.
func (s *State) accessIndices(b *tir.Block, buf *tir.Buffer) ([]tir.Expr, error) {
	if len(realizes(b)) > 0 {
		return nil, s.fail("NotLeafBlockError", "The target block {0} is not a leaf block.", b)
	}
	wrong := func(why string) error {
		return s.fail("InvalidBufferAccessError", "The target buffer "+buf.Name+" should be accessed in the leaf block {0} via BufferLoad or BufferStore. "+
			"The indices should be the same if there are multiple accesses to the target buffer. "+why, b)
	}
	var out []tir.Expr
	var err error
	add := func(x *tir.Buffer, indices []tir.Expr) {
		if x != buf {
			return
		}
		if out == nil {
			out = indices
		}
		for i, e := range indices {
			if !tir.Equal(e, out[i]) {
				err = wrong("Multiple buffer accesses have non-unique indices.")
			}
		}
	}
	look := func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			add(n.Buffer, n.Indices)
		case *tir.BufferStore:
			add(n.Buffer, n.Indices)
		case *tir.Var:
			if n == buf.Data {
				err = wrong("Opaque buffer accesses found.")
			}
		}
		return err == nil
	}
	ir.Walk(b.Body, look)
	if err == nil && out == nil {
		err = wrong("No buffer accesses found.")
	}
	if err == nil && b.Init != nil {
		ir.Walk(b.Init, look)
	}
	return out, err
}
