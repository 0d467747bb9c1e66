package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// DecomposeReduction gives the init of a reduction a block of its own in front of a loop, in copies of those loops at or below it that its
// results run over (TVM's decompose_reduction). It returns that block; b refers to the block that updates.
func (s *State) DecomposeReduction(b *Block, l *Loop) (*State, *Block, error) {
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
	block, loop := at.Block(), to.For()
	outer, inner := cut(at.loops(), loop)
	if inner == nil {
		return nil, nil, s.fail("LoopPositionError", "decompose_reduction expect the loop {0} to be an ancestor of block {1}", loop, block)
	}
	if err := s.checkReduction(at, root.Block()); err != nil {
		return nil, nil, err
	}
	for i, iv := range block.IterVars {
		for _, o := range outer {
			if iv.Kind == tir.CommReduce && usesVar(at.Realize().Values[i], o.LoopVar) {
				return nil, nil, s.fail("LoopHeightError",
					"ScheduleError: decompose_reduction expect the loop {0} to be higher than all the loops related to reduce block var of block {1}", loop, block)
			}
		}
	}
	d := &decomposition{s: s, at: at, to: to, root: root, inner: inner}
	if err := d.check(); err != nil {
		return nil, nil, err
	}
	init, nest, err := d.init()
	if err != nil {
		return nil, nil, err
	}
	update := *block
	update.Name, update.Init, update.Reads = block.Name+"_update", nil, nil
	for _, w := range block.Writes { // it reads its results now
		if regionOf(block.Reads, w.Buffer) == nil {
			update.Reads = append(update.Reads, w)
		}
	}
	update.Reads = append(update.Reads, block.Reads...)
	became := reuse{block: &update}
	now := tir.Seq(nest, swapAll(loop, block, &update, became))
	out, ref := s.replace(to, now, became).refer(b.fn, init)
	return out, ref, nil
}

// cut splits loops into those before one and those from it on; the latter are nil if it is not among them.
func cut(loops []*tir.For, at *tir.For) (outer, inner []*tir.For) {
	for i, l := range loops {
		if l == at {
			return loops[:i], loops[i:]
		}
	}
	return loops, nil
}

// swapAll puts one statement below x in the place of another one, and notes what became of the blocks around it.
func swapAll(x, old, by tir.Stmt, became reuse) tir.Stmt {
	m := &tir.Mapper{}
	m.Stmt = func(y tir.Stmt) tir.Stmt {
		if y == old {
			return by
		}
		out := m.MapStmt(y)
		if b, ok := y.(*tir.Block); ok && out != y {
			became[b] = out.(*tir.Block)
		}
		return out
	}
	return m.Stmt(x)
}

// checkReduction returns an error if a block is no reduction under the scope.
func (s *State) checkReduction(at site, scope tir.Stmt) error {
	if n := s.notReduction(at, scope); n > 0 {
		return s.fail("NotReductionBlockError", fmt.Sprintf("The block {0} is not a reduction block - it violates condition #%d.\n%s", n, reductionDefinition), at.Block())
	}
	return nil
}

// decomposition takes the init of a reduction out of a loop. inner are the loops from that one down to the block.
type decomposition struct {
	s            *State
	at, to, root site
	inner        []*tir.For
}

// check returns an error where the init, before the loop and not at each first step inside, would change a result. TVM looks at none of this.
func (d *decomposition) check() error {
	block := d.at.Block()
	if err := d.s.checkOnlyLoops(d.at, d.to); err != nil {
		return err
	}
	if l := repeating(d.at.Realize(), d.inner); l != nil {
		return d.s.fail("RepeatedReductionError", "The iterations of loop {0} repeat the reduction in block {1}, which would add to what the one before left: the init must stay inside", l, block)
	}
	deps := depsOf(d.root.Block())
	for _, x := range deps.byDst[block] {
		if x.kind != writeAfterRead {
			continue
		}
		if p, ok := d.s.below(d.to, x.src); ok && p.stmt() != block {
			return d.s.fail("EarlyInitError", "The block {0} in loop {1} reads what the init of block {2} would overwrite before", x.src, d.to.stmt(), block)
		}
	}
	inits := map[*tir.Buffer]bool{}
	ir.Walk(block.Init, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok {
			inits[l.Buffer] = true
		}
		return true
	})
	for _, r := range realizes(d.to.stmt()) {
		for _, w := range r.Block.Writes {
			if r.Block != block && inits[w.Buffer] {
				return d.s.fail("EarlyInitError", "The init of block {2} reads what block {0} writes in loop {1}", r.Block, d.to.stmt(), block)
			}
		}
	}
	return nil
}

// checkOnlyLoops returns an error if anything but loops and sequences stands between a block and a loop or block around it.
func (s *State) checkOnlyLoops(at, top site) error {
	for i := len(top.path); i < len(at.path)-2; i++ {
		switch x := at.path[i].(type) {
		case *tir.For, *tir.SeqStmt:
		default:
			return fmt.Errorf("block %s stands inside of a %s: only loops may be around it there", at.Block().Name, ir.TypeName(x))
		}
	}
	return nil
}
