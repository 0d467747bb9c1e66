package relax

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
)

// frame is a sequence of blocks under construction: the body of a function or a branch.
type frame struct {
	fn       *Function // nil for branches
	name     string    // of fn
	blocks   []*BindingBlock
	open     []Binding
	dataflow bool
	args     map[Expr]*Var // what nested expressions were bound to, while that is visible
	base     ir.Base       // of the current block
	like     *BindingBlock // what the current block takes the place of, may be nil
	kept     int           // bindings of like that it has so far, while it has no others
}

// BeginDataflow starts a dataflow block in the innermost sequence.
func (b *BlockBuilder) BeginDataflow() {
	b.closeBlock()
	b.top().dataflow = true
}

// EndDataflow ends the dataflow block. What follows is bound in an ordinary block.
func (b *BlockBuilder) EndDataflow() { b.closeBlock() }

// InDataflow reports whether a dataflow block is open.
func (b *BlockBuilder) InDataflow() bool { return len(b.frames) > 0 && b.top().dataflow }

// beginLike starts a block that takes the place of blk. Where it gets the bindings of blk and
// no others, blk itself is taken.
func (b *BlockBuilder) beginLike(blk *BindingBlock) {
	b.closeBlock()
	f := b.top()
	f.dataflow, f.base, f.like = blk.Dataflow, blk.Base, blk
}

// Collect runs f in the current block, but returns the bindings that it emits and its result in normal form instead of adding them.
// f must not begin or end blocks.
func (b *BlockBuilder) Collect(f func() (Expr, error)) ([]Binding, Expr, error) {
	outer, depth := b.top(), len(b.frames)
	b.frames = append(b.frames, &frame{fn: outer.fn, name: outer.name, dataflow: outer.dataflow, base: outer.base})
	defer func() { b.frames = b.frames[:depth] }()
	e, err := f()
	if err == nil && e != nil {
		e, err = b.Normalize(e)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(b.frames) != depth+1 || len(b.top().blocks) > 0 {
		return nil, nil, errors.New("a block was begun or ended")
	}
	return b.top().open, e, nil
}

// closeBlock ends the current block; an empty one leaves no trace, unless it was empty before.
func (b *BlockBuilder) closeBlock() { b.top().close() }

func (f *frame) close() {
	switch like := f.like; {
	case like != nil && f.open == nil && f.kept == len(like.Bindings):
		f.blocks = append(f.blocks, like)
	case like != nil && f.open == nil && f.kept > 0:
		f.blocks = append(f.blocks, &BindingBlock{Base: f.base, Bindings: like.Bindings[:f.kept:f.kept], Dataflow: f.dataflow})
	case len(f.open) > 0:
		f.blocks = append(f.blocks, &BindingBlock{Base: f.base, Bindings: f.open, Dataflow: f.dataflow})
	}
	if f.dataflow {
		f.args = nil
	}
	f.open, f.dataflow, f.base, f.like, f.kept = nil, false, ir.Base{}, nil, 0
}

// startsAt says where the current block is, if nothing is in it yet.
func (f *frame) startsAt(base ir.Base) {
	if f.like == nil && len(f.open) == 0 {
		f.base = base
	}
}

// add appends a binding to the current block. As long as the block is like another nothing is
// copied.
func (f *frame) add(bind Binding) {
	if f.like != nil && f.open == nil {
		old := f.like.Bindings
		if f.kept < len(old) && old[f.kept] == bind {
			f.kept++
			return
		}
		f.open = append(make([]Binding, 0, len(old)+4), old[:f.kept]...)
	}
	f.open = append(f.open, bind)
}

func (b *BlockBuilder) top() *frame {
	if len(b.frames) == 0 {
		panic("relax: BlockBuilder used outside of a function: call BeginFunction or BeginSeq first")
	}
	return b.frames[len(b.frames)-1]
}

// mark returns where the frame stands: how many blocks are closed, and how many bindings the
// current one has.
func (f *frame) mark() [2]int { return [2]int{len(f.blocks), len(f.current())} }

// current returns the bindings of the current block.
func (f *frame) current() []Binding {
	if f.like != nil && f.open == nil {
		return f.like.Bindings[:f.kept:f.kept]
	}
	return f.open
}

// since returns what was added since the frame stood at mark.
func (f *frame) since(mark [2]int) []Binding {
	var out []Binding
	skip := mark[1]
	for _, b := range f.blocks[mark[0]:] {
		out = append(out, b.Bindings[skip:]...)
		skip = 0
	}
	return append(out, f.current()[skip:]...)
}

// settle notes the names, values and extents of what was emitted since the last call. Whatever
// asks for one of them calls it first.
func (b *BlockBuilder) settle() {
	for i := 0; i < len(b.unread); i++ {
		switch n := b.unread[i].(type) {
		case *Function: // all names of it are taken, also those that come after the current binding
			b.parameters(n.Params)
			EachBinding(n.Body, func(_ *BindingBlock, bind Binding) { b.names.reserve(bind.Bound().Name) })
		case *VarBinding:
			b.names.reserve(n.Var.Name)
			b.bound[n.Var] = n.Value
		case *MatchCast:
			b.names.reserve(n.Var.Name)
			b.markSizes(n.SInfo)
		}
	}
	b.unread = b.unread[:0]
}
