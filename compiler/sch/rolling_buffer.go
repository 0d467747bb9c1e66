package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// RollingBuffer has a block, which computes overlapping tiles of a buffer in a loop with its consumers, keep what the tiles before left: the
// buffer shrinks to one tile along the axis of the outermost such loop, its indices go round there, and the block skips what is there already
// (TVM's rolling_buffer).
func (s *State) RollingBuffer(b *Block, index int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	w, err := s.nthRegion(at.Block(), index, writeSide)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, err
	}
	if err := s.checkNotOutput(at, root); err != nil {
		return nil, err
	}
	d := s.deps(root.Block())
	for _, x := range append(slices.Clone(d.byDst[at.Block()]), d.bySrc[at.Block()]...) {
		if x.kind != readAfterWrite {
			return nil, s.fail("RollingBufferDependencyError", "The target block {0} is required to have only RAW dependencies", at.Block())
		}
	}
	r := &roller{s: s, at: at, root: root, old: w.Buffer, an: arith.NewAnalyzer()}
	sites := []site{at}
	for _, c := range d.consumers(at.Block()) {
		p, _ := s.below(root, c)
		sites = append(sites, p)
	}
	var ok bool
	if r.loop, ok = commonAncestor(sites).(*tir.For); !ok {
		return nil, s.fail("RollingBufferInsertionError", "rolling_buffer injection is invalid. The block {0} should be tiled so that the lca of the access location of the target buffer "+
			w.Buffer.Name+" is a for loop. ", at.Block())
	}
	r.consumers = sites[1:]
	if err := r.match(w); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.rewrite(), nil
}

// roller makes a buffer roll.
type roller struct {
	s         *State
	at, root  site
	old, now  *tir.Buffer
	loop      *tir.For // the innermost one around the block and its consumers
	consumers []site
	an        *arith.Analyzer
	tile      []*tir.Range // what the block writes in one iteration of the loop
	axis      int          // along which the buffer rolls
	over      []overlap    // of each axis
}

// overlap is how many elements of an axis the tiles of consecutive iterations of a loop share; the loop is nil if they share none.
type overlap struct {
	loop *tir.For
	n    int64
}

// relaxedTo returns what a block accesses in one iteration of the loop.
func (r *roller) relaxedTo(at site, x *tir.BufferRegion) []arith.IntSet {
	_, inner := cut(at.loops(), r.loop)
	return arith.EvalSetRegion(substRegion(x, bindings(at.Realize())).Region, arith.AsIntSets(ranges(inner[1:])))
}

// match finds the axis along which the buffer can roll.
func (r *roller) match(w *tir.BufferRegion) error {
	full := tir.FullRegion(r.old).Region
	for i, x := range r.relaxedTo(r.at, w) {
		c := x.CoverRange(full[i])
		r.tile = append(r.tile, &tir.Range{Min: r.an.Simplify(c.Min), Extent: r.an.Simplify(c.Extent)})
	}
	wrong := func() error {
		return r.s.fail("RollingBufferMatchError", fmt.Sprintf("The target buffer %s with region %s should have at least one dimension range that matches a rolling pattern such as hh.outer * stride + hh.inner. ",
			r.old.Name, script.Node(&tir.BufferRegion{Buffer: r.old, Region: r.tile}, script.Options{})), r.at.Block())
	}
	loops := r.at.loops()
	for _, x := range r.tile {
		var o overlap
		if _, constant := tir.AsInt(x.Min); !constant {
			v, stride, ok := strideOf(x.Min)
			n, known := tir.AsInt(x.Extent)
			if !ok || !known {
				return wrong()
			}
			k := slices.IndexFunc(loops, func(l *tir.For) bool { return l.LoopVar == v })
			if o.n = n - stride; o.n > 0 && k < 0 {
				return wrong()
			} else if o.n > 0 {
				o.loop = loops[k]
			}
		}
		r.over = append(r.over, o)
	}
	for _, l := range loops {
		r.axis = slices.IndexFunc(r.over, func(o overlap) bool { return o.loop == l })
		if r.axis >= 0 {
			break
		}
	}
	if len(loops) == 0 || r.axis < 0 {
		return wrong()
	}
	now := *r.old
	now.Shape = slices.Clone(now.Shape)
	now.Shape[r.axis] = r.tile[r.axis].Extent
	r.now = &now
	return nil
}

// strideOf reads v, v*n, or v*n // m, and returns v and by how much it moves at most from one value of v to the next.
func strideOf(e tir.Expr) (*tir.Var, int64, bool) {
	m := int64(1)
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpFloorDiv {
		if m, ok = tir.AsInt(b.B); !ok || m <= 0 {
			return nil, 0, false
		}
		if _, alone := b.A.(*tir.Var); alone {
			return nil, 0, false
		}
		e = b.A
	}
	if v, ok := e.(*tir.Var); ok {
		return v, 1, true
	}
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpMul {
		return nil, 0, false
	}
	v, isVar := b.A.(*tir.Var)
	n, known := tir.AsInt(b.B)
	if !isVar || !known || n <= 0 {
		return nil, 0, false
	}
	return v, (n + m - 1) / m, true
}

// check returns an error where what earlier tiles left is not what this one would compute, or not what the consumers read. TVM looks at none of
// this.
func (r *roller) check() error {
	s, b := r.s, r.at.Block()
	if err := s.checkOnlyLoops(r.at, r.root); err != nil {
		return err
	}
	store, ok := b.Body.(*tir.BufferStore)
	if !ok || store.Buffer != r.old || len(b.Writes) != 1 || len(r.old.Strides) > 0 {
		return fmt.Errorf("block %s must be one store to %s, a buffer without strides", b.Name, r.old.Name)
	}
	stored := map[*tir.Var]bool{}
	for i, e := range store.Indices {
		v, ok := e.(*tir.Var)
		if r.over[i].loop != nil && (!ok || i >= len(b.IterVars) || v != b.IterVars[i].Var) {
			return fmt.Errorf("index %d of %s in block %s must be variable %d of the block", i, r.old.Name, b.Name, i)
		}
		if ok {
			stored[v] = true
		}
	}
	for _, iv := range b.IterVars {
		if iv.Kind == tir.DataPar && !stored[iv.Var] && !tir.IsConst(iv.Dom.Extent, 1) {
			return fmt.Errorf("what block %s stores depends on %s, which is no index of %s: iterations would find what others left", b.Name, iv.Var.Name, r.old.Name)
		}
	}
	seen := map[*tir.For]bool{}
	for i, o := range r.over {
		if o.loop == nil {
			continue
		}
		if seen[o.loop] {
			return fmt.Errorf("two axes of %s move with loop %s", r.old.Name, o.loop.LoopVar.Name)
		}
		seen[o.loop] = true
		if o.loop.Kind != tir.Serial && o.loop.Kind != tir.Unrolled {
			return s.fail("NotSerialLoopKindError", "The iterations of loop {0} must run one after the other, since each needs what the one before left. However, its kind is `"+o.loop.Kind.String()+"`", o.loop)
		}
		if err := s.checkStartsAtZero(o.loop, r.an); err != nil {
			return err
		}
		if !r.an.CanProveEqual(r.place(i), tir.Sub(r.at.Realize().Values[i], r.tile[i].Min)) {
			return fmt.Errorf("variable %s of block %s does not begin with its tile", b.IterVars[i].Var.Name, b.Name)
		}
		if !r.full(i) {
			return fmt.Errorf("block %s may not store all of a tile of %s along axis %d, of which the next needs a part", b.Name, r.old.Name, i)
		}
		if c := r.cuts(i); c != nil {
			return fmt.Errorf("block %s runs only where %s, which may leave out a part of one tile of %s that the next needs", b.Name, script.Node(c, script.Options{}), r.old.Name)
		}
	}
	for _, c := range r.consumers {
		for _, x := range c.Block().Reads {
			if x.Buffer != r.old {
				continue
			}
			need, t := r.relaxedTo(c, x)[r.axis], r.tile[r.axis]
			if need.Min == nil || need.Max == nil || !r.an.CanProve(tir.GE(need.Min, t.Min)) || !r.an.CanProve(tir.LT(need.Max, tir.Add(t.Min, t.Extent))) {
				return s.fail("NotRegionCoverError", fmt.Sprintf("The block {0} may read elements of %s that block {1} does not write in the same iteration of loop {2}", r.old.Name), c.Block(), b, r.loop)
			}
		}
	}
	return r.checkAccess()
}
