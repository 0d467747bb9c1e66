package cpu

import (
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

const (
	// forkWork is what a microsecond counts.
	forkWork = 1 << 15
	// copyWork is what an element counts that is read and written, without a reduction: memory is slower than arithmetic.
	copyWork = 8
	// manyTurns is what a symbolic extent is taken for.
	manyTurns = 64
	// mostWork is what more turns, and more work, are taken for, so that none overflows.
	mostWork = 1 << 50
)

// parallel has several threads run each of the outermost nests of loops, where the machine has them.
func (r *rules) parallel() error {
	if r.machine.Threads < 2 {
		return nil
	}
	blocks, err := r.blocksBy("GetChildBlocks", r.top)
	if err != nil {
		return err
	}
	seen := map[*tir.Var]bool{}
	for _, b := range blocks {
		loops, err := r.loops(b)
		if err != nil {
			return err
		}
		if len(loops) == 0 || seen[r.loop(loops[0]).LoopVar] {
			continue
		}
		seen[r.loop(loops[0]).LoopVar] = true
		if err := r.share(r.together(loops)); err != nil {
			return err
		}
	}
	return nil
}

// together returns the outermost of loops around a block that hold nothing beside each other and whose turns do not depend on each other.
func (r *rules) together(loops []*sch.Loop) []*sch.Loop {
	for k, l := range loops {
		if f := r.loop(l); f.Kind != tir.Serial {
			return loops[:k]
		}
		if _, err := r.s.State().Parallel(l); err != nil {
			return loops[:k]
		}
		if _, one := r.loop(l).Body.(*tir.For); !one {
			return loops[:k+1]
		}
	}
	return loops
}

// share runs a loop of a nest in parallel, if it has one that pays.
func (r *rules) share(nest []*sch.Loop) error {
	if len(nest) == 0 {
		return nil
	}
	turns := make([]int64, len(nest))
	for k, l := range nest {
		turns[k] = turnsOf(r.extent(l))
	}
	if k := r.machine.shares(turns, soMany(copyWork, elementsOf(r.loop(nest[0])))); k >= 0 {
		return r.act("Parallel", nest[k])
	}
	return nil
}

// shared lists the places in the order of a reduction's tiles whose loops several threads run: one at most, outside of the loop over chunks, and that over bands where there is one.
func (p *plan) shared() []int {
	if p.machine.Threads < 2 {
		return nil
	}
	turns, work := p.orderTurns()
	if len(p.Order) > 0 && p.ofBands(p.Order[0]) {
		turns = turns[:1]
	}
	if p.Chunk > 0 {
		turns = turns[:p.ChunkAt]
	}
	if i := p.machine.shares(turns, work); i >= 0 {
		return []int{i}
	}
	return nil
}

// orderTurns are the turns of the loops over tiles and over blocks of them, and what all of them compute.
func (p *plan) orderTurns() (turns []int64, work int64) {
	work = 1
	for k := range p.iters {
		work = soMany(work, p.turns(k))
	}
	turns = make([]int64, len(p.Order))
	seen := map[int]bool{}
	for i, k := range p.Order {
		tiles := (p.turns(k) + max(p.Tile[k], 1) - 1) / max(p.Tile[k], 1)
		switch {
		case len(p.Blocks) == 0 || p.Blocks[k] == 0:
			turns[i] = tiles
		case seen[k]:
			turns[i] = min(p.Blocks[k], tiles)
		default:
			turns[i] = (tiles + p.Blocks[k] - 1) / p.Blocks[k]
		}
		seen[k] = true
	}
	return turns, work
}

// turns is how many values variable k has.
func (p *plan) turns(k int) int64 { return turnsOf(p.iters[k].Dom.Extent) }

// shares chooses from the loops of a nest, given by their turns, outermost first, the one that the threads of the machine share best: with it the nest takes the smallest part of
// its time, which the thread with most turns determines, and how often the loop is begun. Of equals it is the outermost one. work is that of the nest. It returns -1 where none pays.
func (m Machine) shares(turns []int64, work int64) int {
	best, least := -1, 0.9
	for i, n := range turns {
		most := (n + m.Threads - 1) / m.Threads
		if t := float64(most)/float64(n) + float64(m.ForkWork)/float64(max(work, 1)); t < 0.98*least {
			best, least = i, t
		}
		work /= n
	}
	return best
}

// elementsOf is about how many elements are computed in a statement.
func elementsOf(x tir.Stmt) int64 {
	switch x := x.(type) {
	case *tir.For:
		return soMany(turnsOf(x.Extent), elementsOf(x.Body))
	case *tir.SeqStmt:
		n := int64(0)
		for _, c := range x.Seq {
			n = min(n+elementsOf(c), mostWork)
		}
		return n
	}
	return 1
}

// turnsOf is how many turns a loop of that extent has, at least one, and manyTurns if the extent is symbolic.
func turnsOf(extent tir.Expr) int64 {
	n, ok := tir.AsInt(extent)
	if !ok {
		return manyTurns
	}
	return min(max(n, 1), mostWork)
}

// soMany multiplies numbers of turns, or of elements.
func soMany(a, b int64) int64 {
	if b > 0 && a > mostWork/b {
		return mostWork
	}
	return a * b
}
