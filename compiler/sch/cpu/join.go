package cpu

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// join merges nests of loops that follow each other, as those of a softmax, where they go over the same rows: a row then stays in the first cache from one to the next. It leaves
// functions alone that have products, or windows, whose loops are in order for the caches already.
func (r *rules) join() error {
	if !r.sums || r.tiled {
		return nil
	}
	blocks, err := r.blocksBy("GetChildBlocks", r.top)
	if err != nil {
		return err
	}
	var last []*sch.Loop // those of the nest before, as far as they hold nothing else
	seen := map[*tir.Var]bool{}
	for _, b := range blocks {
		loops, err := r.loops(b)
		if err != nil {
			return err
		}
		if len(loops) == 0 {
			last = nil
			continue
		}
		if seen[r.loop(loops[0]).LoopVar] {
			continue
		}
		nest := r.perfect(loops)
		if len(nest) > 0 && len(last) > 0 {
			merged, err := r.mergeRows(last, nest)
			if err != nil {
				return err
			}
			if merged != nil {
				nest = []*sch.Loop{merged}
			}
		}
		if len(nest) > 0 {
			seen[r.loop(nest[0]).LoopVar] = true
		} else {
			seen[r.loop(loops[0]).LoopVar] = true
		}
		last = nest
	}
	return nil
}

// perfect returns the outermost loops around a block that hold nothing beside each other: serial ones, or one that threads share.
func (r *rules) perfect(loops []*sch.Loop) []*sch.Loop {
	for k, l := range loops {
		f := r.loop(l)
		if f.Kind != tir.Serial && (f.Kind != tir.Parallel || k > 0) {
			return loops[:k]
		}
		if _, one := f.Body.(*tir.For); !one || f.Kind == tir.Parallel {
			return loops[:k+1]
		}
	}
	return loops
}

// mergeRows merges two nests over as many of their outer loops as go over the same rows, if that pays and may be. It returns the loop over rows, nil where there is none.
func (r *rules) mergeRows(a, b []*sch.Loop) (*sch.Loop, error) {
	for i := len(a); i >= 1; i-- {
		for j := len(b); j >= 1; j-- {
			if arith.NewAnalyzer().CanProveEqual(r.turnsOf(a[:i]), r.turnsOf(b[:j])) {
				if out, err := r.mergeTurns(a, b, turns{i, 1}, turns{j, 1}); out != nil || err != nil {
					return out, err
				}
			}
		}
	}
	for i := range a {
		for j := range b {
			if n, m := r.rowsEach(a[:i+1], b[:j+1]); n > 0 {
				if out, err := r.mergeTurns(a, b, turns{i + 1, n}, turns{j + 1, m}); out != nil || err != nil {
					return out, err
				}
			}
		}
	}
	return nil, nil
}

// turns are those of the outermost loops of a nest, of which so many make one.
type turns struct {
	loops int
	rows  int64
}

// mergeTurns merges two nests over turns that are as many, if that pays and may be; nil where not.
func (r *rules) mergeTurns(a, b []*sch.Loop, x, y turns) (*sch.Loop, error) {
	bytes, row := r.handedOn(a, b, tir.FloorDiv(r.turnsOf(a[:x.loops]), tir.Int(x.rows)))
	if row == 0 {
		return nil, nil
	}
	at, before := leavesOf(r.loop(b[0])), len(r.s.Trace())
	out, err := r.tryMerge(a, b, x, y)
	if out == nil || err != nil { // they may not be merged
		for len(r.s.Trace()) > before {
			if err := r.s.Undo(); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	r.explainRows(at[0].Body, bytes, row)
	return out, nil
}

func (r *rules) tryMerge(a, b []*sch.Loop, x, y turns) (*sch.Loop, error) {
	one, err := r.fused(a, x)
	if err != nil {
		return nil, err
	}
	two, err := r.fused(b, y)
	if err != nil {
		return nil, err
	}
	return r.mergeLoops([]*sch.Loop{one, two})
}

// mergeLoops makes one loop of some, each of which is serial or shared by threads; all are shared if one is. nil where one cannot be.
func (r *rules) mergeLoops(list []*sch.Loop) (*sch.Loop, error) {
	if slices.ContainsFunc(list, func(l *sch.Loop) bool { return r.loop(l).Kind == tir.Parallel }) {
		for _, l := range list {
			if r.loop(l).Kind == tir.Serial && r.act("Parallel", l) != nil {
				return nil, nil
			}
		}
	}
	out, err := r.loopsBy("Merge", list)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// turnsOf is how often what some loops hold runs.
func (r *rules) turnsOf(loops []*sch.Loop) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, l := range loops {
		n = tir.Mul(n, tir.CastTo(n.DType(), r.extent(l)))
	}
	return n
}

// rowsEach returns how many rows a turn has in each of two nests whose turns are then as many, as one nest may combine several rows in a turn; 0 where there is no such number.
func (r *rules) rowsEach(a, b []*sch.Loop) (n, m int64) {
	i, ok := tir.AsInt(arith.SimplifyAlone(r.turnsOf(a)))
	j, also := tir.AsInt(arith.SimplifyAlone(r.turnsOf(b)))
	switch {
	case !ok || !also || i < 1 || j < 1:
	case i > j && i%j == 0 && i/j <= mostBeside:
		return i / j, 1
	case j > i && j%i == 0 && j/i <= mostBeside:
		return 1, j / i
	}
	return 0, 0
}

// fused is the one loop that the outermost loops of a nest make, over its turns.
func (r *rules) fused(nest []*sch.Loop, t turns) (*sch.Loop, error) {
	l := nest[0]
	if t.loops > 1 {
		out, err := r.loopsBy("Fuse", nest[:t.loops], true)
		if err != nil {
			return nil, err
		}
		l = out[0]
	}
	if t.rows == 1 {
		return l, nil
	}
	two, err := r.split(l, t.rows)
	if err != nil {
		return nil, err
	}
	return two[0], r.abreast(two[1])
}

// abreast takes the rows of a turn step by step together where what they read is the same for all of them, as the factors of a layer norm: it is loaded once then.
func (r *rules) abreast(rows *sch.Loop) error {
	over := r.loop(rows)
	if inner, ok := over.Body.(*tir.For); !ok || inner.Kind != tir.Serial {
		return nil
	}
	blocks, err := r.blocksBy("GetChildBlocks", rows)
	if err != nil || len(blocks) != 1 || !r.pipelines() && !r.sharedByRows(blocks[0], over) {
		return err
	}
	loops, err := r.loops(blocks[0])
	if err != nil {
		return err
	}
	at := slices.IndexFunc(loops, func(l *sch.Loop) bool { return r.loop(l) == over })
	if r.act("Reorder", []*sch.Loop{loops[at+1], rows}) != nil {
		return nil
	}
	return r.act("Unroll", rows)
}

// sharedByRows reports whether a block reads something that is the same for all turns of a loop around it, and differs along others.
func (r *rules) sharedByRows(b *sch.Block, rows *tir.For) bool {
	k, of := r.at(b), map[*tir.Var]bool{}
	ir.Walk(rows, func(n ir.Node) bool {
		if x, ok := n.(*tir.BlockRealize); ok && x.Block == k {
			for i, v := range x.Values {
				of[k.IterVars[i].Var] = uses(v, rows.LoopVar)
			}
		}
		_, expr := n.(tir.Expr)
		return !expr
	})
	return slices.ContainsFunc(k.Reads, func(x *tir.BufferRegion) bool {
		along := false
		for _, d := range x.Region {
			for v, row := range of {
				if !uses(d.Min, v) {
					continue
				}
				if row {
					return false
				}
				along = true
			}
		}
		return along
	})
}

// handedOn returns how many bytes the largest tensor takes that both nests access and that the first cache does not keep, and a row of it of so many, which half of that cache keeps; 0 and 0 where
// there is none. Symbolic extents are taken as the number of rows.
func (r *rules) handedOn(a, b []*sch.Loop, rows tir.Expr) (all, row int64) {
	buffers := map[*tir.Buffer]bool{}
	for _, k := range leavesOf(r.loop(a[0])) {
		for _, x := range append(k.Reads[:len(k.Reads):len(k.Reads)], k.Writes...) {
			buffers[x.Buffer] = true
		}
	}
	half := r.machine.L1 / 2
	for _, k := range leavesOf(r.loop(b[0])) {
		for _, x := range append(k.Reads[:len(k.Reads):len(k.Reads)], k.Writes...) {
			if !buffers[x.Buffer] || x.Buffer.Scope() == "local" {
				continue
			}
			n, known := int64(x.Buffer.DType.Bits+7)/8, true
			for _, d := range x.Buffer.Shape {
				if c, ok := tir.AsInt(d); ok {
					n = soMany(n, c)
				} else {
					known = false
				}
			}
			one := n
			if c, ok := tir.AsInt(arith.SimplifyAlone(rows)); ok && known {
				one = (n + c - 1) / max(c, 1)
			} else {
				n = mostWork
			}
			if n > half && one <= half && n > all {
				all, row = n, max(one, 1)
			}
		}
	}
	return all, row
}

// explainRows tells the watcher that nests were merged.
func (r *rules) explainRows(at tir.Stmt, all, row int64) {
	if r.watch == nil {
		return
	}
	text := "a tensor of symbolic extents"
	if all < mostWork {
		text = "a tensor of " + bytes(float64(all))
	}
	r.applied(ruleRows, at)
	r.watch.Took(ruleRows, at, fmt.Sprintf("the nest before goes over the same rows: %s is handed on, of which a row of %s stays in the %s of the first cache", text, bytes(float64(row)), bytes(float64(r.machine.L1))))
}
