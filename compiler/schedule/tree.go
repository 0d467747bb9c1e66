package schedule

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// node is a *Loop, a *Block or a *raw.
type node interface{ at() *place }

// place is where a node stands in the tree.
type place struct {
	parent node
	kids   []node
	dead   bool
}

func (p *place) at() *place { return p }

// Loop is a handle for a loop. It counts from 0 to Extent.
type Loop struct {
	place
	base   ir.Base
	v      *tir.Var
	extent tir.Expr
	kind   tir.ForKind
	thread *tir.IterVar
	attrs  *ir.Attrs
}

// Name returns the name of the loop variable.
func (l *Loop) Name() string { return l.v.Name }

// Var returns the loop variable.
func (l *Loop) Var() *tir.Var { return l.v }

// Extent returns the number of iterations.
func (l *Loop) Extent() tir.Expr { return l.extent }

// Kind returns how the iterations run.
func (l *Loop) Kind() tir.ForKind { return l.kind }

// Block is a handle for a block.
type Block struct {
	place
	base          ir.Base
	name          string
	iters         []*tir.IterVar
	values        []tir.Expr
	pred          tir.Expr
	allocs        []*tir.Buffer
	attrs         *ir.Attrs
	init, body    tir.Stmt // body is nil where the block has kids
	reads, writes []*tir.BufferRegion
}

// Name returns the name of the block, unique within the function.
func (b *Block) Name() string { return b.name }

// Iters returns the iteration variables. The slice must not be changed.
func (b *Block) Iters() []*tir.IterVar { return b.iters }

// Body returns the body of a block without blocks inside, nil for others.
func (b *Block) Body() tir.Stmt { return b.body }

// Init returns the statement that starts a reduction, nil if there is none.
func (b *Block) Init() tir.Stmt { return b.init }

// Reads returns the regions that the block reads, over its iteration variables.
func (b *Block) Reads() []*tir.BufferRegion { return b.reads }

// Writes returns the regions that the block writes, over its iteration variables.
func (b *Block) Writes() []*tir.BufferRegion { return b.writes }

// Attrs returns the annotations, nil if there are none.
func (b *Block) Attrs() *ir.Attrs { return b.attrs }

// IsReduction reports whether the block has an iteration variable to reduce over.
func (b *Block) IsReduction() bool {
	for _, iv := range b.iters {
		if iv.Kind == tir.CommReduce {
			return true
		}
	}
	return false
}

// raw is a statement outside of all leaf blocks that does nothing.
type raw struct {
	place
	stmt tir.Stmt
}

// Schedule is a function under transformation. It is not safe for concurrent use.
type Schedule struct {
	fn      *tir.PrimFunc
	root    *Block
	names   map[string]int
	readers map[*tir.Buffer][]*Block
	writers map[*tir.Buffer][]*Block
	home    map[*tir.Buffer]*Block // which block allocates a buffer
	origins *ir.Origins            // nil: blocks keep the origins that they have
}

// SetOrigins names the table that the origins of the function are numbers in, so that what
// takes in another block gets the origins of both.
func (s *Schedule) SetOrigins(t *ir.Origins) { s.origins = t }

// New takes f apart. It fails for a function whose body is no block, which has other
// statements than loops and sequences around its blocks, or blocks with views.
func New(f *tir.PrimFunc) (*Schedule, error) {
	s := &Schedule{
		fn: f, names: map[string]int{}, readers: map[*tir.Buffer][]*Block{},
		writers: map[*tir.Buffer][]*Block{}, home: map[*tir.Buffer]*Block{},
	}
	r, ok := f.Body.(*tir.BlockRealize)
	if !ok || len(r.Block.IterVars) > 0 {
		return nil, fmt.Errorf("schedule: the body is a %T, expected a root block without iteration variables", f.Body)
	}
	n, err := s.parse(r)
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	s.root = n.(*Block)
	if s.root.body != nil {
		return nil, fmt.Errorf("schedule: the root block contains no blocks")
	}
	return s, nil
}

// parse builds the tree of a statement.
func (s *Schedule) parse(x tir.Stmt) (node, error) {
	switch x := x.(type) {
	case *tir.For:
		l := &Loop{base: x.Base, v: x.LoopVar, extent: x.Extent, kind: x.Kind, thread: x.Thread, attrs: x.Annotations}
		body := x.Body
		if x.Step != nil && !tir.IsConst(x.Step, 1) {
			return nil, fmt.Errorf("loop %s has a step: run CanonicalizeLoop first", x.LoopVar.Name)
		}
		if !tir.IsConst(x.Min, 0) {
			l.v = &tir.Var{Base: x.LoopVar.Base, Name: x.LoopVar.Name, Type: x.LoopVar.Type}
			body = tir.SubstStmt(body, map[*tir.Var]tir.Expr{x.LoopVar: tir.Add(x.Min, l.v)})
		}
		return l, s.parseInto(l, body)
	case *tir.BlockRealize:
		return s.parseBlock(x)
	}
	if hasRealize(x) {
		return nil, fmt.Errorf("a %T encloses a block: only loops, blocks and sequences can", x)
	}
	if !tir.IsNoOp(x) {
		return nil, fmt.Errorf("a %T is outside of all blocks", x)
	}
	return &raw{stmt: x}, nil
}

func (s *Schedule) parseBlock(x *tir.BlockRealize) (node, error) {
	k := x.Block
	if len(k.MatchBuffers) > 0 {
		return nil, fmt.Errorf("block %s has views of buffers: run LowerMatchBuffer first", k.Name)
	}
	b := &Block{
		base: k.Base, name: s.fresh(k.Name), iters: k.IterVars, values: slices.Clone(x.Values), pred: x.Predicate, allocs: k.AllocBuffers,
		attrs: k.Annotations, init: k.Init, reads: k.Reads, writes: k.Writes,
	}
	for _, x := range b.allocs {
		s.home[x] = b
	}
	if hasRealize(k.Body) {
		return b, s.parseInto(b, k.Body)
	}
	b.body = k.Body
	s.index(b)
	return b, nil
}

func (s *Schedule) parseInto(p node, body tir.Stmt) error {
	list := []tir.Stmt{body}
	if seq, ok := body.(*tir.SeqStmt); ok {
		list = seq.Seq
	}
	for _, x := range list {
		n, err := s.parse(x)
		if err != nil {
			return err
		}
		n.at().parent = p
		p.at().kids = append(p.at().kids, n)
	}
	return nil
}

// hasRealize reports whether a block is realized below x.
func hasRealize(x tir.Stmt) bool {
	found := false
	ir.Walk(x, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.BlockRealize:
			found = true
		case tir.Expr:
			return false
		}
		return !found
	})
	return found
}

// fresh returns name, with a number behind it where it is taken.
func (s *Schedule) fresh(name string) string {
	n, taken := s.names[name]
	s.names[name] = n + 1
	if !taken {
		return name
	}
	return s.fresh(fmt.Sprintf("%s_%d", name, n))
}

// index notes which buffers a leaf block reads and writes.
func (s *Schedule) index(b *Block) {
	for _, r := range b.reads {
		s.readers[r.Buffer] = append(s.readers[r.Buffer], b)
	}
	for _, r := range b.writes {
		s.writers[r.Buffer] = append(s.writers[r.Buffer], b)
	}
}

func (s *Schedule) unindex(b *Block) {
	for _, r := range b.reads {
		s.readers[r.Buffer] = dropped(s.readers[r.Buffer], b)
	}
	for _, r := range b.writes {
		s.writers[r.Buffer] = dropped(s.writers[r.Buffer], b)
	}
}

func dropped(list []*Block, b *Block) []*Block {
	out := make([]*Block, 0, len(list))
	for _, x := range list {
		if x != b {
			out = append(out, x)
		}
	}
	return out
}

// setBody gives a leaf block another body and derives its regions.
func (s *Schedule) setBody(b *Block, init, body tir.Stmt) {
	s.unindex(b)
	b.init, b.body = init, body
	k := &tir.Block{IterVars: b.iters, AllocBuffers: b.allocs, Init: init, Body: body}
	b.reads, b.writes, _ = region.OfBlock(k, nil)
	s.index(b)
}
