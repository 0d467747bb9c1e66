package cpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// do makes an instruction, and returns its outputs.
func (r *rules) do(kind string, args ...any) ([]any, error) { return r.s.Do(sch.KindOf(kind), args...) }

// act makes an instruction without outputs.
func (r *rules) act(kind string, args ...any) error {
	_, err := r.do(kind, args...)
	return err
}

// loopsBy makes an instruction whose outputs are loops.
func (r *rules) loopsBy(kind string, args ...any) ([]*sch.Loop, error) {
	list, err := r.do(kind, args...)
	out := make([]*sch.Loop, len(list))
	for i, l := range list {
		out[i] = l.(*sch.Loop)
	}
	return out, err
}

// blocksBy makes an instruction whose outputs are blocks.
func (r *rules) blocksBy(kind string, args ...any) ([]*sch.Block, error) {
	list, err := r.do(kind, args...)
	out := make([]*sch.Block, len(list))
	for i, b := range list {
		out[i] = b.(*sch.Block)
	}
	return out, err
}

// brief is an error of a primitive on one line.
func brief(err error) error {
	var e *sch.Error
	if errors.As(err, &e) {
		return fmt.Errorf("schedule: %s: %s", e.Primitive, e.Short())
	}
	return err
}

// find refers to the blocks of the function that hold no others.
func (r *rules) find(root string) error {
	top, err := r.blocksBy("GetBlock", root, nil)
	if err != nil {
		return brief(err)
	}
	r.top = top[0]
	return r.eachLeaf(r.top, func(b *sch.Block) error {
		r.blocks = append(r.blocks, b)
		return nil
	})
}

// eachLeaf calls f with the blocks in b that hold no others, in the order in which they run.
func (r *rules) eachLeaf(b *sch.Block, f func(b *sch.Block) error) error {
	list, err := r.blocksBy("GetChildBlocks", b)
	if err != nil {
		return err
	}
	for _, c := range list {
		if holdsBlocks(r.at(c).Body) {
			err = r.eachLeaf(c, f)
		} else {
			err = f(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// at returns the block that b refers to.
func (r *rules) at(b *sch.Block) *tir.Block { return r.s.State().Known(b) }

// loop returns what l refers to. It must not have been removed.
func (r *rules) loop(l *sch.Loop) *tir.For {
	x, err := r.s.State().Stmt(l)
	if err != nil {
		panic("cpu: a rule looks at what it removed: " + err.Error())
	}
	return x.(*tir.For)
}

// extent returns the number of iterations of a loop. It must not have been removed.
func (r *rules) extent(l *sch.Loop) tir.Expr { return r.loop(l).Extent }

// loops returns the loops around a block, outermost first.
func (r *rules) loops(b *sch.Block) ([]*sch.Loop, error) { return r.loopsBy("GetLoops", b) }

// function returns the function as it stands.
func (r *rules) function() *tir.PrimFunc { return r.s.Module().Lookup("main").(*tir.PrimFunc) }

// root returns the block around all others.
func (r *rules) root() *tir.Block { return r.function().Body.(*tir.BlockRealize).Block }

// leaves returns all blocks that hold no others.
func (r *rules) leaves() []*tir.Block { return leavesOf(r.root().Body) }

// leavesOf returns the blocks below x that hold no others, in the order in which they run.
func leavesOf(x tir.Stmt) []*tir.Block {
	switch x := x.(type) {
	case *tir.SeqStmt:
		var out []*tir.Block
		for _, c := range x.Seq {
			out = append(out, leavesOf(c)...)
		}
		return out
	case *tir.For:
		return leavesOf(x.Body)
	case *tir.BlockRealize:
		if holdsBlocks(x.Block.Body) {
			return leavesOf(x.Block.Body)
		}
		return []*tir.Block{x.Block}
	}
	return nil
}

// readers returns the blocks that read a buffer, but for one.
func (r *rules) readers(x *tir.Buffer, but *tir.Block) []*tir.Block {
	var out []*tir.Block
	for _, b := range r.leaves() {
		if b != but && slices.ContainsFunc(b.Reads, func(a *tir.BufferRegion) bool { return a.Buffer == x }) {
			out = append(out, b)
		}
	}
	return out
}

// allocates reports whether the function allocates the buffer, so that primitives may
// remove it or change its layout.
func (r *rules) allocates(x *tir.Buffer) bool { return slices.Contains(r.root().AllocBuffers, x) }

// isReduction reports whether a block has an iteration variable to reduce over.
func isReduction(b *tir.Block) bool {
	return slices.ContainsFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Kind == tir.CommReduce })
}
