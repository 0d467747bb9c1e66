package schedule

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// Error is a primitive that does not apply. Nothing was changed.
type Error struct {
	Primitive string
	Block     string // "" if it is about no block
	Loop      string // "" if it is about no loop
	Reason    string
}

// Error names primitive, block and loop and says why.
func (e *Error) Error() string {
	at := ""
	if e.Block != "" {
		at += " block " + e.Block
	}
	if e.Loop != "" {
		at += " loop " + e.Loop
	}
	return fmt.Sprintf("schedule: %s%s: %s", e.Primitive, at, e.Reason)
}

func fail(prim string, b *Block, l *Loop, format string, args ...any) error {
	e := &Error{Primitive: prim, Reason: fmt.Sprintf(format, args...)}
	if b != nil {
		e.Block = b.name
	}
	if l != nil {
		e.Loop = l.v.Name
	}
	return e
}

// check reports handles of what was removed.
func check(prim string, nodes ...node) error {
	for _, n := range nodes {
		if n.at().dead {
			switch n := n.(type) {
			case *Loop:
				return fail(prim, nil, n, "the loop was removed by an earlier primitive")
			case *Block:
				return fail(prim, n, nil, "the block was removed by an earlier primitive")
			}
		}
	}
	return nil
}

// Root returns the root block.
func (s *Schedule) Root() *Block { return s.root }

// Blocks returns all leaf blocks in the order in which they run.
func (s *Schedule) Blocks() []*Block {
	var out []*Block
	leaves(s.root, func(b *Block) { out = append(out, b) })
	return out
}

// GetBlock returns the block of that name (TVM: get_block, get_sblock).
func (s *Schedule) GetBlock(name string) (*Block, error) {
	if name == s.root.name {
		return s.root, nil
	}
	for _, b := range s.Blocks() {
		if b.name == name {
			return b, nil
		}
	}
	return nil, fail("get_block", nil, nil, "there is no block %q", name)
}

// GetLoops returns the loops around a block up to the next block, outermost first.
func (s *Schedule) GetLoops(b *Block) []*Loop { return loopsAbove(b) }

// GetChildBlocks returns the blocks directly below a block.
func (s *Schedule) GetChildBlocks(b *Block) []*Block {
	var out []*Block
	var visit func(n node)
	visit = func(n node) {
		for _, k := range n.at().kids {
			if c, ok := k.(*Block); ok {
				out = append(out, c)
				continue
			}
			visit(k)
		}
	}
	visit(b)
	return out
}

// GetProducers returns the blocks that write what b reads, each once.
func (s *Schedule) GetProducers(b *Block) []*Block {
	var out []*Block
	for _, r := range b.reads {
		out = addBlocks(out, s.writers[r.Buffer], b)
	}
	return out
}

// GetConsumers returns the blocks that read what b writes, each once.
func (s *Schedule) GetConsumers(b *Block) []*Block {
	var out []*Block
	for _, w := range b.writes {
		out = addBlocks(out, s.readers[w.Buffer], b)
	}
	return out
}

func addBlocks(out, list []*Block, but *Block) []*Block {
next:
	for _, x := range list {
		if x == but {
			continue
		}
		for _, y := range out {
			if y == x {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// Allocates reports whether the function allocates the buffer, so that primitives may
// remove it or change its layout.
func (s *Schedule) Allocates(x *tir.Buffer) bool { return s.home[x] != nil }

// Nests returns the top-level nests of the root block as lists of their leaf blocks.
func (s *Schedule) Nests() [][]*Block {
	var out [][]*Block
	for _, k := range s.root.kids {
		var list []*Block
		leaves(k, func(b *Block) { list = append(list, b) })
		out = append(out, list)
	}
	return out
}

// ReadersOf returns the blocks that read a buffer.
func (s *Schedule) ReadersOf(x *tir.Buffer) []*Block { return s.readers[x] }

// Predicate returns the condition under which an instance of the block runs, nil for none.
func (b *Block) Predicate() tir.Expr { return b.pred }
