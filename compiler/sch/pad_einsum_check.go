package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// pattern checks the padding, and that the block accesses each buffer at one element, whose indices are variables and constants.
func (e *einsum) pattern(padding []int) error {
	block := e.at.Block()
	valid := len(padding) == len(block.IterVars)
	for _, n := range padding {
		valid = valid && n > 0
	}
	if !valid {
		return e.s.fail("InvalidPaddingError", fmt.Sprintf("The padding for the block {0} are invalid. It should be a list of %d positive integers. Got %v", len(block.IterVars), padding), block)
	}
	seen := map[*tir.Buffer]bool{}
	for _, r := range append(slices.Clone(block.Reads), block.Writes...) {
		simple := !seen[r.Buffer]
		seen[r.Buffer] = true
		for _, x := range r.Region {
			_, isVar := x.Min.(*tir.Var)
			_, isConst := tir.AsInt(x.Min)
			simple = simple && tir.IsConst(x.Extent, 1) && (isVar || isConst)
		}
		if !simple {
			return e.s.fail("NonEinsumError", "The block {0} not a computation of Einsum pattern.", block)
		}
	}
	return nil
}

// check returns an error where the padding would change a result. TVM looks at none of this.
func (e *einsum) check(root site) error {
	s, block := e.s, e.at.Block()
	if err := s.checkOnlyLoops(e.at, root); err != nil {
		return err
	}
	if err := s.checkClosed(e.at); err != nil {
		return err
	}
	if len(realizes(block)) > 0 || len(block.AllocBuffers)+len(block.MatchBuffers) > 0 {
		return s.fail("NonEinsumError", "The block {0} holds other blocks or buffers of its own: it is not a computation of Einsum pattern.", block)
	}
	for _, l := range loadsIn(block) {
		if regionOf(block.Reads, l.Buffer) == nil && regionOf(block.Writes, l.Buffer) == nil { // as behind a cache_index
			return s.fail("NonEinsumError", "The block {0} does not declare that it reads "+l.Buffer.Name+", which would not be padded", block)
		}
	}
	for _, x := range statements(root.Block().Body) {
		if e.at.inside(x) {
			for _, r := range realizesIn(x) {
				if r.Block != block {
					return s.fail("SharedLoopError", "The loops of block {0}, which would grow, hold block {1}, too", block, r.Block)
				}
			}
		}
	}
	for i, iv := range block.IterVars {
		if e.extents[iv.Var] == nil {
			continue
		}
		if !tir.IsConst(iv.Dom.Min, 0) {
			return fmt.Errorf("variable %s of block %s does not begin at 0, so that it cannot be padded", iv.Var.Name, block.Name)
		}
		if err := e.checkBinding(i); err != nil {
			return err
		}
	}
	for _, r := range append(slices.Clone(block.Reads), block.Writes...) {
		if !e.grows(r) {
			continue
		}
		for i, x := range r.Region {
			if n, ok := tir.AsInt(x.Min); ok && n != 0 {
				return fmt.Errorf("block %s accesses %s at %d in dimension %d, which its padded copy would not have", block.Name, r.Buffer.Name, n, i)
			}
		}
	}
	if err := e.checkRead(); err != nil {
		return err
	}
	if err := e.checkWritten(); err != nil {
		return err
	}
	if err := e.checkDivisors(); err != nil {
		return err
	}
	return e.checkNeutral()
}

// checkBinding returns an error if a variable that grows does not run over its domain, or a loop that grows with it binds others, too.
func (e *einsum) checkBinding(i int) error {
	block, run := e.at.Block(), e.at.Realize()
	iv := block.IterVars[i]
	v, _ := run.Values[i].(*tir.Var)
	l := loopOf(e.at.loops(), v)
	if l == nil {
		if m := (&mover{at: e.at}); !m.surelyCovers(i) {
			return e.s.fail("PartialDomainError", fmt.Sprintf("The block {0} may run over a part of the domain of %s only, which is to be padded", iv.Var.Name), block)
		}
		return nil
	}
	if !tir.IsConst(l.Min, 0) || !e.an.CanProveEqual(l.Extent, iv.Dom.Extent) {
		return e.s.fail("PartialDomainError", fmt.Sprintf("The loop {0} runs over a part of the domain of %s only, which is to be padded", iv.Var.Name), l)
	}
	for k, value := range run.Values {
		if k != i && usesVar(value, v) {
			return e.s.fail("SharedLoopError", fmt.Sprintf("The loop {0}, which would grow, binds %s besides %s", block.IterVars[k].Var.Name, iv.Var.Name), l)
		}
	}
	return nil
}

// checkDivisors returns an error if the block divides integers by what it reads from a buffer that grows, which has zeros then.
func (e *einsum) checkDivisors() error {
	block := e.at.Block()
	var err error
	ir.Walk(block.Body, func(n ir.Node) bool {
		d, ok := n.(*tir.Binary)
		if !ok || !d.DType().IsInteger() || !slices.Contains([]tir.BinaryOp{tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod}, d.Op) {
			return err == nil
		}
		ir.Walk(d.B, func(n ir.Node) bool {
			if l, ok := n.(*tir.BufferLoad); ok {
				if r := regionOf(block.Reads, l.Buffer); r != nil && e.grows(r) {
					err = e.s.fail("NotNeutralError", "The block {0} divides by what it reads from "+l.Buffer.Name+", which would be padded with zeros", block)
				}
			}
			return err == nil
		})
		return err == nil
	})
	return err
}

// checkRead returns an error if the block leaves out the end of a buffer that grows: the padded domain would read that, and not zeros.
func (e *einsum) checkRead() error {
	block := e.at.Block()
	doms := domains(block)
	for _, r := range block.Reads {
		if !e.grows(r) {
			continue
		}
		for i, x := range r.Region {
			v, _ := x.Min.(*tir.Var)
			if dom := doms[v]; e.extents[v] != nil && dom != nil && !e.an.CanProveEqual(dom.Extent, r.Buffer.Shape[i]) {
				return e.s.fail("PartialReadError", fmt.Sprintf("The block {0} does not read all of dimension %d of buffer %s, the rest of which is not zero as padding has to be", i, r.Buffer.Name), block)
			}
		}
	}
	return nil
}

// checkWritten returns an error if the block does not write all of a buffer that grows: what it leaves would be overwritten.
func (e *einsum) checkWritten() error {
	block := e.at.Block()
	doms := domains(block)
	for _, w := range block.Writes {
		if !e.grows(w) {
			continue
		}
		for i, x := range w.Region {
			v, _ := x.Min.(*tir.Var)
			if dom := doms[v]; tir.IsConst(x.Min, 0) && tir.IsConst(w.Buffer.Shape[i], 1) || dom != nil && tir.IsConst(dom.Min, 0) && e.an.CanProveEqual(dom.Extent, w.Buffer.Shape[i]) {
				continue
			}
			return e.s.fail("PartialWriteError", fmt.Sprintf("The block {0} does not write all of dimension %d of buffer %s, the rest of which would be overwritten", i, w.Buffer.Name), block)
		}
		if !storesAll(block, w, e.an) {
			return e.s.fail("PartialWriteError", "The body of block {0} may leave elements of buffer "+w.Buffer.Name+" out, which would be overwritten", block)
		}
		if m := (&mover{at: e.at}); !m.coversDomain() {
			return e.s.fail("PartialWriteError", "The block {0} does not run for all of its domain, so that what it leaves of buffer "+w.Buffer.Name+" would be overwritten", block)
		}
	}
	return nil
}

// checkNeutral returns an error if steps that a padded reduction gains change the result: the block must be a sum, and what it adds 0 where what
// it reads is.
func (e *einsum) checkNeutral() error {
	block := e.at.Block()
	for _, iv := range block.IterVars {
		if e.extents[iv.Var] == nil {
			continue
		}
		if iv.Kind == tir.DataPar {
			if !usedIn(block.Writes, iv.Var) {
				return e.s.fail("NonEinsumError", fmt.Sprintf("The block {0} does not write at %s, so that its padded domain would repeat what it does", iv.Var.Name), block)
			}
			continue
		}
		zero := map[*tir.Buffer]bool{}
		for _, r := range block.Reads {
			for _, x := range r.Region {
				zero[r.Buffer] = zero[r.Buffer] || x.Min == tir.Expr(iv.Var)
			}
		}
		store, ok := block.Body.(*tir.BufferStore)
		var sum *tir.Binary
		if ok && store.Predicate == nil {
			sum, _ = store.Value.(*tir.Binary)
		}
		ok = sum != nil && sum.Op == tir.OpAdd
		if ok {
			own, load := sum.A.(*tir.BufferLoad)
			ok = load && own.Buffer == store.Buffer && slices.EqualFunc(own.Indices, store.Indices, tir.Equal)
		}
		if ok {
			m := &tir.Mapper{}
			m.Expr = func(x tir.Expr) tir.Expr {
				if l, isLoad := x.(*tir.BufferLoad); isLoad && zero[l.Buffer] {
					return tir.Const(l.DType(), 0)
				}
				return m.MapExpr(x)
			}
			ok = isZero(e.an.Simplify(m.Expr(sum.B)))
		}
		if !ok {
			return e.s.fail("NotNeutralError", fmt.Sprintf("The block {0} reduces over %s by more than a sum of products of what it reads there: zeros in what is added to its domain would change the result", iv.Var.Name), block)
		}
	}
	return nil
}

// usedIn reports whether a variable stands in each of the regions.
func usedIn(list []*tir.BufferRegion, v *tir.Var) bool {
	for _, r := range list {
		if !slices.ContainsFunc(r.Region, func(x *tir.Range) bool { return usesVar(x.Min, v) }) {
			return false
		}
	}
	return true
}

// isZero reports whether an expression is 0, or a product with such a factor.
func isZero(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value == 0
	case *tir.FloatImm:
		return e.Value == 0
	case *tir.Cast:
		return isZero(e.Value)
	case *tir.Binary:
		return e.Op == tir.OpMul && (isZero(e.A) || isZero(e.B))
	}
	return false
}

// loadsIn lists the loads in a block.
func loadsIn(b *tir.Block) []*tir.BufferLoad {
	var out []*tir.BufferLoad
	ir.Walk(b, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok {
			out = append(out, l)
		}
		return true
	})
	return out
}
