package cpu

import (
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// staged is a function that goes over the same rows several times, each time with what the pass before found of a row: the sums of a layer norm, the maximum and the sum of a softmax. Its passes
// are stages of a software pipeline (pipeline.go).
type staged struct {
	rows, row int64 // how many there are, and the elements of one
	stages    int64
	size      int64 // the bytes of the largest element
	lanes     int64 // how many elements of a row the turn of a pass takes, 0 before a reduction is tiled
	off       bool  // reductions have different tiles, or other ones than along rows
}

// abreastStages is how many rows of a pipeline are beside each other at most: each stage has sums of its own, and each combines its lanes while others compute.
const abreastStages = 2

// mostStages bounds the code in front of the pipeline and behind it.
const mostStages = 6

// stageRows finds whether the function goes over rows in stages that pay as a pipeline: while some of what a stage reads comes from the second cache, others compute. That takes a processor that runs
// instructions out of order over some hundred of them, and registers for the sums and constants of all stages.
func (r *rules) stageRows() {
	if !r.machine.Spreads || r.machine.Registers < manyRegisters {
		return
	}
	s := &staged{}
	results := false // something follows that is as large as all rows
	for _, b := range r.blocks {
		if r.done[b] {
			continue
		}
		k := r.at(b)
		spatial, reduce := volumes(k)
		if spatial == 0 {
			return
		}
		if isReduction(k) {
			if _, _, _, ok := sch.Combiner(k); !ok || s.rows != 0 && (s.rows != spatial || s.row != reduce) {
				return
			}
			s.rows, s.row, results = spatial, reduce, false
		} else {
			results = true
		}
		for _, list := range [][]*tir.BufferRegion{k.Reads, k.Writes} {
			for _, x := range list {
				s.size = max(s.size, int64(x.Buffer.DType.Bits+7)/8)
			}
		}
	}
	for _, b := range r.blocks {
		if r.done[b] {
			continue
		}
		switch n, terms := volumes(r.at(b)); {
		case soMany(n, terms) == soMany(s.rows, s.row):
			s.stages++
		case n != s.rows:
			return
		}
	}
	if !results || s.rows < 2*mostStages || s.stages > mostStages || s.row%r.machine.Lanes != 0 || s.row < 2*r.machine.Lanes || !s.fits(1, r.machine.L1) {
		return
	}
	r.staged = s
}

// fits reports whether memory of some bytes holds what the stages read of so many rows, and what the last one writes.
func (s *staged) fits(rows, bytes int64) bool { return (s.stages+1)*rows*s.row*s.size <= bytes }

// volumes are how many results a block has and how many terms each of them, 0 where an extent is symbolic.
func volumes(b *tir.Block) (spatial, reduce int64) {
	spatial, reduce = 1, 1
	for _, iv := range b.IterVars {
		n, _ := tir.AsInt(iv.Dom.Extent)
		if iv.Kind == tir.CommReduce {
			reduce = soMany(reduce, n)
		} else {
			spatial = soMany(spatial, n)
		}
	}
	return spatial, reduce
}

// pipelines reports whether passes over rows are to be stages of a pipeline.
func (r *rules) pipelines() bool { return r.staged != nil && !r.staged.off && !r.tiled }

// stage remembers the tile of a reduction: that of all stages must be the same, as their loops become one.
func (s *staged) stage(p *plan) {
	lanes := p.Tile[p.Vector]
	if !p.isReduced(p.Vector) || s.lanes != 0 && s.lanes != lanes || lanes == 0 || s.row%lanes != 0 || s.row/lanes < 2 {
		s.off = true
	}
	s.lanes = lanes
}

// wholeRow reports whether the axes of a block from one on are a row of the pipeline.
func (r *rules) wholeRow(b *tir.Block, from int) bool {
	if !r.pipelines() {
		return false
	}
	n := int64(1)
	for _, iv := range b.IterVars[from:] {
		c, _ := tir.AsInt(iv.Dom.Extent)
		n = soMany(n, c)
	}
	return n == r.staged.row
}
