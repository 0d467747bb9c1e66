package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
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
// prepare checks everything before anything changes, so that a refusal leaves the schedule as it was; build
// then makes the loops anew in place of the old ones. Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008), explains the shape of the loops and the packing of operands.

// TileSpec says how TileReduction computes a reduction block: in tiles of results that are
// kept in local memory until they are done. Iteration variables are named by their numbers.
type TileSpec struct {
	// Order lists the spatial variables, outermost tile loop first.
	Order []int
	// Tile is the extent of the tile along each variable, 0 or 1 for none. A tile must not be
	// larger than a constant extent. Where it does not divide a constant extent the last tile
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
	// Unroll marks reduction variables whose loops are unrolled, innermost ones.
	Unroll []bool
	// Factor unrolls the innermost other reduction loop by so many steps.
	Factor int64
	// Splat lists loads that do not depend on Vector, to be spread over the lanes of a vector
	// once a tile; Pack lists loads to be copied to where a tile reads them in order.
	Splat, Pack []*tir.BufferLoad
	// Run, where it is not 0, says that the block adds terms that it converts to a wider type:
	// they are added in their own type for so many steps of the innermost loop, and then to the
	// sums.
	Run int64
}

// Tiled holds the blocks that TileReduction made: copies, the start of a tile, its update
// and the block that writes results, which is the old block.
type Tiled struct {
	Copies              []*Block
	Init, Update, Write *Block
}

// TileReduction computes a reduction block tile by tile, as spec says. It stands for this
// sequence of primitives on a block whose loops are as they were created: split and reorder
// of its loops, cache_write of the results to local memory, reverse_compute_at of the copy,
// decompose_reduction, reindex_cache_read with compute_at for the loads listed, rfactor where
// Vector is a reduction variable, vectorize and unroll. The block must combine one value by
// a commutative operation.
func (s *Schedule) TileReduction(b *Block, spec TileSpec) (*Tiled, error) {
	t := &tiler{s: s, b: b, spec: spec, buf: map[*tir.BufferLoad]*packed{}}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	return t.build(), nil
}

// axis is an iteration variable of the block under way.
type axis struct {
	offset, extent tir.Expr
	loopVar        *tir.Var // of the loop that it was bound to
	kind           tir.IterKind
	tile           int64    // 1 for none
	outer          *tir.Var // over tiles, or over all of the extent where it is not tiled
	symbolic       bool     // the last tile may have to be cut off
	whole          bool     // symbolic, but the last tile starts earlier
}

type tiler struct {
	s     *Schedule
	b     *Block
	spec  TileSpec
	axes  []*axis
	op    tir.BinaryOp
	value tir.Expr
	store *tir.BufferStore
	start tir.Expr // value of the init
	dot   bool
	acc   *tir.Buffer
	sums  *tir.Buffer // with runs: the sums of whole runs
	outer map[int]*tir.Var
	buf   map[*tir.BufferLoad]*packed
	out   Tiled
}

func (t *tiler) prepare() error {
	const prim = "tile_reduction"
	b, spec := t.b, t.spec
	if err := check(prim, b); err != nil {
		return err
	}
	var ok bool
	t.op, t.value, t.store, ok = Combiner(b)
	init, isStore := b.init.(*tir.BufferStore)
	if !ok || !isStore || !tir.IsTrue(b.pred) {
		return fail(prim, b, nil, "it does not combine one value from an init on by a commutative operation")
	}
	t.start = init.Value
	if spec.Run > 0 {
		c, ok := t.value.(*tir.Cast)
		if !ok || t.op != tir.OpAdd {
			return fail(prim, b, nil, "it does not add terms that it converts")
		}
		t.value = c.Value
	}
	loops := loopsAbove(b)
	if len(loops) == 0 || !single(loops) {
		return fail(prim, b, nil, "its loops are not serial or hold other blocks")
	}
	used := map[*Loop]bool{}
	for k, iv := range b.iters {
		a := &axis{offset: tir.Const(iv.Var.DType(), 0), kind: iv.Kind, tile: 1}
		switch v := b.values[k].(type) {
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
		case a.loopVar == nil && tir.IsConst(b.values[k], 0), a.loopVar == nil && tir.IsConst(iv.Dom.Extent, 1):
			a.extent, a.offset = tir.Const(iv.Var.DType(), 1), b.values[k]
		case l == nil || used[l] || usesAny(a.offset, loops):
			return fail(prim, b, nil, "%s is not bound to a loop of its own", iv.Var.Name)
		default:
			used[l] = true
			a.extent = l.extent
		}
		if iv.Kind != tir.DataPar && !(arith.Equal(a.offset, iv.Dom.Min) && arith.Equal(a.extent, iv.Dom.Extent)) {
			return fail(prim, b, nil, "%s does not reduce over all of its domain, so that the init may not run", iv.Var.Name)
		}
		if k < len(spec.Tile) {
			a.tile = max(spec.Tile[k], 1)
		}
		if n, ok := tir.AsInt(a.extent); ok && a.tile > n && iv.Kind == tir.DataPar {
			return fail(prim, b, nil, "the tile of %s is %d, its extent %d", iv.Var.Name, a.tile, n)
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
		return fail(prim, b, nil, "it has loops that no iteration variable is bound to")
	}
	if spec.Vector < 0 || spec.Vector >= len(b.iters) || spec.Lanes < 1 || t.axes[spec.Vector].tile%spec.Lanes != 0 {
		return fail(prim, b, nil, "the tile of the vector variable is not a multiple of %d lanes", spec.Lanes)
	}
	t.dot = b.iters[spec.Vector].Kind != tir.DataPar
	if t.dot && !neutral(t.op, t.start) {
		return fail(prim, b, nil, "its init is not neutral, so that lanes cannot start from it")
	}
	if spec.Run > 0 && !neutral(t.op, t.start) {
		return fail(prim, b, nil, "its init is not neutral, so that runs cannot start from it")
	}
	if v := t.axes[spec.Vector]; v.symbolic && !t.dot {
		return fail(prim, b, nil, "the vector variable has a symbolic extent: use loop_partition first, or say that it holds a whole tile")
	}
	seen := map[int]bool{}
	for _, k := range append(slices.Clone(spec.Order), spec.Reduce...) {
		if k < 0 || k >= len(t.axes) || seen[k] {
			return fail(prim, b, nil, "the order of its variables is not a permutation")
		}
		seen[k] = true
	}
	for k, a := range t.axes {
		if !seen[k] && !tir.IsConst(a.extent, 1) {
			return fail(prim, b, nil, "%s is not in the order", b.iters[k].Var.Name)
		}
	}
	return nil
}

func usesAny(e tir.Expr, loops []*Loop) bool {
	return arith.UsesVar(e, func(v *tir.Var) bool { return loopOf(loops, v) != nil })
}

// neutral reports whether combining with e any number of times changes nothing more than
// combining once.
func neutral(op tir.BinaryOp, e tir.Expr) bool {
	n, isInt := tir.AsInt(e)
	f, isFloat := e.(*tir.FloatImm)
	switch op {
	case tir.OpAdd:
		return isInt && n == 0 || isFloat && f.Value == 0
	case tir.OpMul:
		return isInt && n == 1 || isFloat && f.Value == 1
	}
	return true // min, max, and, or: combining twice with one value is combining once
}

// base is the first index of tile o of an axis.
func (a *axis) base(o tir.Expr) tir.Expr {
	if a.tile == 1 {
		return tir.Add(a.offset, o)
	}
	d := a.extent.DType()
	at := tir.Mul(o, tir.Const(d, a.tile))
	if n, ok := tir.AsInt(a.extent); ok && n%a.tile != 0 {
		at = tir.Min(at, tir.Const(d, n-a.tile))
	} else if a.whole {
		at = tir.Min(at, tir.Sub(a.extent, tir.Const(d, a.tile)))
	}
	return tir.Add(a.offset, at)
}

// clamp keeps an index of a symbolic axis within it.
func (a *axis) clamp(e tir.Expr) tir.Expr {
	if !a.symbolic {
		return e
	}
	one := tir.Const(e.DType(), 1)
	return tir.Min(e, tir.Sub(tir.Add(a.offset, a.extent), one))
}

func (a *axis) tiles() tir.Expr {
	if a.tile == 1 {
		return a.extent
	}
	p := tir.Const(a.extent.DType(), a.tile)
	if n, ok := tir.AsInt(a.extent); ok {
		return tir.Const(a.extent.DType(), (n+a.tile-1)/a.tile)
	}
	if !a.symbolic && !a.whole {
		return arith.NewAnalyzer().Simplify(tir.FloorDiv(a.extent, p))
	}
	return tir.FloorDiv(tir.Add(a.extent, tir.Const(a.extent.DType(), a.tile-1)), p)
}
