package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

// GetBlock returns the only block of that name in a function, after TVM's get_block. The root block is called "root".
func (s *State) GetBlock(name, fn string) (*State, *Block, error) {
	f, ok := s.mod.Lookup(fn).(*tir.PrimFunc)
	if !ok {
		return nil, nil, fmt.Errorf("get_block: the module has no PrimFunc %q", fn)
	}
	var found []*tir.Block
	visit(f.Body, func(x tir.Stmt) bool {
		if b, ok := x.(*tir.Block); ok && b.Name == name {
			found = append(found, b)
		}
		return true
	})
	switch len(found) {
	case 0:
		return nil, nil, s.fail("NotSingleResult", "Cannot find a block with the name: "+name)
	case 1:
		out, b := s.refer(fn, found[0])
		return out, b, nil
	}
	return nil, nil, s.fail("NotSingleResult", fmt.Sprintf("Found  %d blocks with the name: %s", len(found), name))
}

// GetLoops returns the loops around a block within its scope, outermost first.
func (s *State) GetLoops(b *Block) ([]*Loop, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	return refsOf(b.fn, at.loops()), nil
}

func refsOf(fn string, list []*tir.For) []*Loop {
	out := make([]*Loop, len(list))
	for i, l := range list {
		out[i] = &Loop{fn, l.LoopVar}
	}
	return out
}

// refs makes references to blocks of one function.
func (s *State) refs(fn string, list []*tir.Block) (*State, []*Block) {
	out := make([]*Block, len(list))
	for i, b := range list {
		s, out[i] = s.refer(fn, b)
	}
	return s, out
}

// GetChildBlocks returns the blocks inside of a *Block or *Loop that are not inside of another one there.
func (s *State) GetChildBlocks(r any) (*State, []*Block, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, nil, err
	}
	s, out := s.refs(at.fn, blocksOf(realizes(at.stmt())))
	return s, out, nil
}

func blocksOf(list []*tir.BlockRealize) []*tir.Block {
	out := make([]*tir.Block, len(list))
	for i, r := range list {
		out[i] = r.Block
	}
	return out
}

// GetProducers returns the blocks of the same scope that write what a block reads or writes before it.
func (s *State) GetProducers(b *Block) (*State, []*Block, error) {
	return s.related(b, func(d *scopeDeps, x *tir.Block) []*tir.Block { return d.producers(x) })
}

// GetConsumers returns the blocks of the same scope that read or write what a block writes after it.
func (s *State) GetConsumers(b *Block) (*State, []*Block, error) {
	return s.related(b, func(d *scopeDeps, x *tir.Block) []*tir.Block { return d.consumers(x) })
}

func (s *State) related(b *Block, of func(*scopeDeps, *tir.Block) []*tir.Block) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	s, out := s.refs(at.fn, of(s.deps(root.Block()), at.Block()))
	return s, out, nil
}

// GetOutputBlocks returns the blocks inside of a block that write a buffer which their scope does not allocate.
func (s *State) GetOutputBlocks(b *Block) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	var out []*tir.Block
	var within func(scope *tir.Block)
	within = func(scope *tir.Block) {
		for _, r := range realizes(scope) {
			if isOutput(r.Block, scope) {
				out = append(out, r.Block)
			}
			within(r.Block)
		}
	}
	within(at.Block())
	s, refs := s.refs(at.fn, out)
	return s, refs, nil
}

// isOutput reports whether a block writes a buffer that the block around it does not allocate.
func isOutput(b, scope *tir.Block) bool {
	_, writes := declared(b)
	for _, w := range writes {
		local := false
		for _, a := range scope.AllocBuffers {
			local = local || a == w.Buffer
		}
		if !local {
			return true
		}
	}
	return false
}
