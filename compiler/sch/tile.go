package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// TileReduction is the schedule of matrix products, convolutions and pooling on CPUs: results are computed
// in tiles small enough for registers, since each element that is loaded is then used for a row or a column
// of results.
//
//	for i in 64: for j in 64: for k in 64:     for io in 16: for jo in 8:
//	  C[i, j] += A[i, k]*B[k, j]                 acc[4, 8] = 0
//	                                             for k in 64: for i in 4: for j in 8 (vector):
//	                                               acc[i, j] += A[io*4 + i, k]*B[k, jo*8 + j]
//	                                             C[io*4.., jo*8..] = acc
//
// The inner loops over the tile are unrolled and its last axis runs over vector lanes, so acc becomes
// registers (see package lower). The invariant is that each result is initialized, updated once for
// each point of the reduction and written, in that order, inside of one tile.
//
// The rest of the code is about edges. A tile that does not divide a constant extent starts earlier and
// computes some results twice (base), which is harmless as both write the same value. A symbolic extent
// cannot know whether there is room to start earlier: its last tile is cut off when it is written and its
// reads are clamped (clamp), unless the caller promises Whole. Where the vector runs over the reduction
// (dot products), lanes hold partial results that are combined at the end, and what does not fill a vector
// goes to the first lane. Sums in a narrower type are flushed to wider ones every Run steps (tile_runs.go).
//
// prepare checks everything; build then makes the loops anew in place of the old ones. Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008), explains the shape of the loops and the packing of operands.

// TileSpec says how TileReduction computes a reduction block: in tiles of results that are
// kept in local memory until they are done. Iteration variables are named by their numbers.
type TileSpec struct {
	// Order lists the spatial variables, outermost tile loop first. One with an entry in Blocks stands there twice: where the loop over its
	// blocks is, and where that over the tiles of a block is.
	Order []int
	// Blocks says how many tiles make a block along each variable, 0 for none. It has an entry for each, or none. What a tile reads of other
	// variables between the two loops is read once for all tiles of a block, which has the size of a cache.
	Blocks []int64
	// Tile is the extent of the tile along each variable, 0 or 1 for none. A tile must not be
	// larger than a constant extent, but one vector may stick out: its last lanes start from the init, combine nothing, and are not written.
	// Where a tile does not divide a constant extent the last one
	// starts earlier and computes some results again; where the extent is symbolic the last
	// tile is cut off when it is written, but see Whole.
	Tile []int64
	// Whole lists spatial variables whose extent is at least their tile whenever the block runs,
	// so that also of a symbolic extent the last tile can start earlier. The caller sees to it.
	Whole []int
	// Vector is the variable whose tile runs over vector lanes. If it is a reduction variable
	// each lane reduces a part, and the parts are combined at the end.
	Vector int
	// Lanes is the number of lanes of one vector; it divides the tile of Vector.
	Lanes int64
	// Reduce lists the reduction variables, outermost loop first.
	Reduce []int
	// Unroll lists reduction variables whose loops are unrolled, innermost ones.
	Unroll []int
	// Factor unrolls the innermost other reduction loop by so many steps.
	Factor int64
	// Splat lists loads, by their number in Loads of the value that is combined, that do not depend on Vector,
	// to be spread over the lanes of a vector once a tile; Pack lists loads to be copied to where a tile reads
	// them in order.
	Splat, Pack []int
	// Run, where it is not 0, says that the block adds terms that it converts to a wider type:
	// they are added in their own type for so many steps of the innermost loop, and then to the
	// sums.
	Run int64
	// Parallel lists places in Order whose loops are parallel: tiles do not depend on each other.
	Parallel []int
	// Chunk, where it is not 0, says how many steps along the first variable of Reduce are taken at a time, for all tiles of the loops from place ChunkAt of Order
	// on: what these read of the factors has the size of a cache then (tile_chunk.go). It divides the extent.
	Chunk   int64
	ChunkAt int
	// Slide, where it is not empty, is a spatial variable, and a reduction variable over the columns of windows that lie along it: columns are reduced once for
	// all results of a tile (tile_slide.go).
	Slide []int
	// ByResult says that a result, or a vector of them, takes all unrolled steps before the next one of its tile does, and not each step all results.
	ByResult bool
	// Matrix leaves the loops within a tile to the code generator, which knows instructions for matrices (tir.AttrTileProducts): they are serial, and the sums lie in memory.
	Matrix bool
}

// TileReduction computes a reduction block tile by tile, as spec says, and returns the block that writes results. It is no primitive of TVM's, and
// stands for this sequence of them on a block whose loops are as they were created: split and reorder of its loops, cache_write of the results to
// local memory, reverse_compute_at of the copy, decompose_reduction, reindex_cache_read with compute_at for the loads listed, rfactor where Vector is
// a reduction variable, vectorize and unroll. The block must combine one value by a commutative operation.
//
// Blocks of the epilogue, a beginning of what Epilogue returns, are computed by the block that writes results, and removed.
func (s *State) TileReduction(b *Block, spec TileSpec, epilogue []*Block) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	t := &tiler{s: s, at: at, b: at.Block(), spec: spec, names: namesOf(at.f), number: map[*tir.BufferLoad]int{}, copies: map[int]*packed{}}
	if err := t.prepare(); err != nil {
		return nil, nil, err
	}
	if err := t.checkEpilogue(root, epilogue); err != nil {
		return nil, nil, err
	}
	nest, write := t.build()
	change := map[tir.Stmt]tir.Stmt{nestSite(at).stmt(): nest}
	gone := map[*tir.Buffer]bool{}
	st := t.store
	for _, c := range t.epilogue {
		change[nestSite(c).stmt()] = tir.NoOp()
		gone[st.Buffer] = true
		st = c.Block().Body.(*tir.BufferStore)
	}
	out, ref := s.replaceNests(root, change, reuse{t.b: write}, gone, t.allocs).refer(b.fn, write)
	return out, ref, nil
}

type tiler struct {
	s      *State
	at     site
	b      *tir.Block
	spec   TileSpec
	names  blockNames
	axes   []*axis
	order  []int // the spatial variables of the order, each once
	op     tir.BinaryOp
	value  tir.Expr
	store  *tir.BufferStore
	start  tir.Expr // value of the init
	dot    bool
	acc    *tir.Buffer
	sums   *tir.Buffer // with runs: the sums of whole runs
	parts  *tir.Buffer // with chunks: the sums of the chunks before
	chunk  *tir.Var    // with chunks: the number of the one under way, nil if there is one only
	inside []*tir.For  // with chunks: the loops over tiles inside of that over chunks, of the nest under way
	outer  map[int]*tir.Var
	allocs []*tir.Buffer
	loads  []*tir.BufferLoad // of the value
	number map[*tir.BufferLoad]int
	copies map[int]*packed // of loads
	slide  *slide          // with columns: while they are reduced
	// epilogue are the blocks that are computed where results are written.
	epilogue []site
}

// fail returns an error about the block.
func (t *tiler) fail(format string, args ...any) error {
	return t.s.fail("NotTileableError", "The block {0} cannot be tiled: "+fmt.Sprintf(format, args...), t.b)
}

// prepare checks everything, and derives what build needs.
func (t *tiler) prepare() error {
	b := t.b
	var ok bool
	t.op, t.value, t.store, ok = Combiner(b)
	init, isStore := b.Init.(*tir.BufferStore)
	if !ok || !isStore || !tir.IsTrue(t.at.Realize().Predicate) || len(b.MatchBuffers)+len(b.AllocBuffers) > 0 {
		return t.fail("it does not combine one value from an init on by a commutative operation")
	}
	t.start = init.Value
	t.loads = Loads(t.value, t.number)
	if t.spec.Run > 0 {
		c, ok := t.value.(*tir.Cast)
		if !ok || t.op != tir.OpAdd {
			return t.fail("it does not add terms that it converts")
		}
		t.value = c.Value
	}
	if err := t.bind(); err != nil {
		return err
	}
	return t.checkSpec()
}

// bind finds the loop of each iteration variable.
func (t *tiler) bind() error {
	b, spec, loops := t.b, t.spec, t.at.loops()
	if len(loops) == 0 || !plainNest(loops) {
		return t.fail("its loops are not serial or hold other blocks")
	}
	if err := t.s.checkClosed(t.at); err != nil {
		return err
	}
	used := map[*tir.For]bool{}
	for k, iv := range b.IterVars {
		a := &axis{offset: tir.Const(iv.Var.DType(), 0), kind: iv.Kind, tile: 1}
		value := t.at.Realize().Values[k]
		switch v := value.(type) {
		case *tir.Var:
			a.loopVar = v
		case *tir.Binary:
			if v.Op == tir.OpAdd {
				for _, x := range [][2]tir.Expr{{v.A, v.B}, {v.B, v.A}} {
					if y, ok := x[1].(*tir.Var); ok && loopOf(loops, y) != nil {
						a.offset, a.loopVar = x[0], y
					}
				}
			}
		}
		l := loopOf(loops, a.loopVar)
		switch {
		case iv.Kind != tir.DataPar && iv.Kind != tir.CommReduce:
			return t.fail("%s is %s", iv.Var.Name, iv.Kind)
		case a.loopVar == nil && tir.IsConst(value, 0), a.loopVar == nil && tir.IsConst(iv.Dom.Extent, 1):
			a.extent, a.offset = tir.Const(iv.Var.DType(), 1), value
		case l == nil || used[l] || usesLoops(a.offset, loops):
			return t.fail("%s is not bound to a loop of its own", iv.Var.Name)
		default:
			used[l] = true
			a.extent = l.Extent
		}
		if iv.Kind != tir.DataPar && !(arith.Equal(a.offset, iv.Dom.Min) && arith.Equal(a.extent, iv.Dom.Extent)) {
			return t.fail("%s does not reduce over all of its domain, so that the init may not run", iv.Var.Name)
		}
		if k < len(spec.Tile) {
			a.tile = max(spec.Tile[k], 1)
		}
		if n, ok := tir.AsInt(a.extent); ok && a.tile > n && iv.Kind == tir.DataPar {
			if a.out = k == spec.Vector && a.tile == spec.Lanes; !a.out {
				return t.fail("the tile of %s is %d, its extent %d", iv.Var.Name, a.tile, n)
			}
		} else if !ok {
			d := a.extent.DType()
			a.symbolic = !arith.NewAnalyzer().CanProve(tir.EQ(tir.FloorMod(a.extent, tir.Const(d, a.tile)), tir.Const(d, 0)))
			if a.symbolic && slices.Contains(spec.Whole, k) && iv.Kind == tir.DataPar {
				a.symbolic, a.whole = false, true
			}
		}
		t.axes = append(t.axes, a)
	}
	if len(used) != len(loops) {
		return t.fail("it has loops that no iteration variable is bound to")
	}
	return nil
}

// maxTile bounds the elements of a tile, which are to stay in registers.
const maxTile = 1 << 16

// checkSpec checks what is asked for.
func (t *tiler) checkSpec() error {
	b, spec := t.b, t.spec
	size := int64(1)
	for _, a := range t.axes {
		if a.tile > maxTile || a.tile*size > maxTile {
			return t.fail("a tile of more than %d elements is too large", maxTile)
		}
		size *= a.tile
	}
	for _, i := range spec.Parallel {
		if i < 0 || i >= len(spec.Order) {
			return t.fail("its order has %d places, and no place %d whose loop could be parallel", len(spec.Order), i)
		}
	}
	if spec.Vector < 0 || spec.Vector >= len(b.IterVars) || spec.Lanes < 1 || t.axes[spec.Vector].tile%spec.Lanes != 0 {
		return t.fail("the tile of the vector variable is not a multiple of %d lanes", spec.Lanes)
	}
	t.dot = b.IterVars[spec.Vector].Kind != tir.DataPar
	if t.dot && !neutral(t.op, t.start) {
		return t.fail("its init is not neutral, so that lanes cannot start from it")
	}
	if spec.Run > 0 && !neutral(t.op, t.start) {
		return t.fail("its init is not neutral, so that runs cannot start from it")
	}
	if v := t.axes[spec.Vector]; v.symbolic && !t.dot {
		return t.fail("the vector variable has a symbolic extent: use cut_loop first, or say that it holds a whole tile")
	}
	if t.axes[spec.Vector].out && (spec.Run > 0 || spec.Chunk > 0 || len(spec.Splat)+len(spec.Pack) > 0 || len(spec.Slide) > 0 && spec.Slide[0] == spec.Vector) {
		return t.fail("its vector sticks out, where sums are taken in runs or chunks, a load is copied, or columns lie along it")
	}
	for _, x := range slices.Concat(spec.Splat, spec.Pack) {
		if x < 0 || x >= len(t.loads) {
			return t.fail("it has %d loads, and no load %d", len(t.loads), x)
		}
		if Guarded(t.value, t.loads[x]) {
			return t.fail("load %d, of %s, runs under a condition, which a copy of it would not", x, t.loads[x].Buffer.Name)
		}
	}
	if err := t.blocks(); err != nil {
		return err
	}
	if spec.Matrix && (t.dot || spec.Run > 0 || spec.Chunk > 0 || len(spec.Slide) > 0 || len(spec.Unroll) > 0 || spec.Factor > 1) {
		return t.fail("the loops of a tile that the code generator takes as a whole are not cut nor unrolled")
	}
	if err := t.checkChunk(); err != nil {
		return err
	}
	if err := t.checkSlide(); err != nil {
		return err
	}
	seen := map[int]bool{}
	for i, k := range slices.Concat(t.order, spec.Reduce) {
		if k < 0 || k >= len(t.axes) || seen[k] || (t.axes[k].kind == tir.DataPar) != (i < len(t.order)) {
			return t.fail("the order of its variables is not a permutation")
		}
		seen[k] = true
	}
	for k, a := range t.axes {
		if !seen[k] && !tir.IsConst(a.extent, 1) {
			return t.fail("%s is not in the order", b.IterVars[k].Var.Name)
		}
	}
	return nil
}

// blocks takes the loops over blocks out of the order.
func (t *tiler) blocks() error {
	spec, times := t.spec, map[int]int{}
	if n := len(spec.Blocks); n != 0 && n != len(t.axes) {
		return t.fail("it has %d variables, and blocks are given for %d", len(t.axes), n)
	}
	for i := len(spec.Order) - 1; i >= 0; i-- {
		k := spec.Order[i]
		if times[k]++; times[k] == 1 {
			t.order = append(t.order, k)
			continue
		}
		if k < 0 || k >= len(spec.Blocks) || spec.Blocks[k] < 1 || times[k] > 2 {
			return t.fail("variable %d stands in the order more often than its loops", k)
		}
	}
	slices.Reverse(t.order)
	for k, n := range spec.Blocks {
		if n == 0 {
			continue
		}
		if _, ok := tir.AsInt(t.axes[k].extent); !ok || n < 0 || times[k] != 2 {
			return t.fail("%s has blocks of %d tiles: they need a constant extent, and two places in the order", t.b.IterVars[k].Var.Name, n)
		}
	}
	return nil
}

// Guarded reports whether a load in e runs under a condition only.
func Guarded(e tir.Expr, load *tir.BufferLoad) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		args := []tir.Expr(nil)
		switch n := n.(type) {
		case *tir.Call:
			if _, ok := tir.IsCallTo(n, tir.OpIfThenElse); ok {
				args = n.Args[1:]
			}
		case *tir.Binary:
			if n.Op == tir.OpAnd || n.Op == tir.OpOr {
				args = []tir.Expr{n.B}
			}
		}
		for _, a := range args {
			ir.Walk(a, func(n ir.Node) bool {
				found = found || n == ir.Node(load)
				return !found
			})
		}
		return !found
	})
	return found
}
