package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
)

const stagePipelineDefinition = `Definition of a scope that is a stage pipeline:
- The region cover property holds for every of its child blocks
- No write-after-read dependency or opaque dependency,
- only read-after-write and write-after-write are allowed
- All the statements in the scope are schedulable statements, i.e. Block and For
`

// scopeRoot returns the block around a block or loop, and an error if there is none or, where asked for, if it is no stage pipeline.
func (s *State) scopeRoot(at site, stagePipeline bool) (site, error) {
	root, ok := at.scope()
	if !ok {
		return site{}, s.fail("RootBlockError", "The primitive does not operate on the root block")
	}
	if stagePipeline && !s.stagePipeline(root) {
		return site{}, s.fail("NotStagePipelineError", "The scope {0} is not a stage pipeline.\n"+stagePipelineDefinition, root.Block())
	}
	return root, nil
}

// dominant reports whether a block is the only writer of its outputs under the loop or block scope.
func (s *State) dominant(b *tir.Block, scope tir.Stmt) bool {
	writers := map[*tir.Buffer][]*tir.Block{}
	if _, ok := scope.(*tir.Block); ok {
		writers = s.deps(scope).writers
	} else {
		for _, r := range realizes(scope) { // what TVM counts below a loop are the blocks inside of its child blocks
			for buf, list := range depsOf(r.Block).writers {
				if writers[buf] == nil {
					writers[buf] = list
				}
			}
		}
	}
	_, writes := declared(b)
	for _, w := range writes {
		if len(writers[w.Buffer]) > 1 {
			return false
		}
	}
	return true
}

// incomplete returns the number of the first condition of a complete block that a block does not meet, 0 if it is one.
func (s *State) incomplete(b *tir.Block, scope tir.Stmt) int {
	for _, iv := range b.IterVars {
		if iv.Kind != tir.DataPar {
			return 1
		}
	}
	if !s.dominant(b, scope) {
		return 2
	}
	reads, writes := declared(b)
	for _, w := range writes {
		for _, r := range reads {
			if r.Buffer == w.Buffer {
				return 3
			}
		}
	}
	return 0
}

// notReduction returns the number of the first condition of a reduction block that a block does not meet, 0 if it is one.
func (s *State) notReduction(at site, scope tir.Stmt) int {
	b := at.Block()
	if b.Init == nil {
		return 1
	}
	if !at.isAffine() {
		return 2
	}
	for _, iv := range b.IterVars {
		if iv.Kind != tir.DataPar && iv.Kind != tir.CommReduce {
			return 3
		}
	}
	if !s.dominant(b, scope) {
		return 4
	}
	if reductionIndexesOutput(b) {
		return 5
	}
	return 0
}

// reductionIndexesOutput reports whether a reduction variable stands in an index at which the block writes.
func reductionIndexesOutput(b *tir.Block) bool {
	reduced := map[*tir.Var]bool{}
	for _, iv := range b.IterVars {
		if iv.Kind == tir.CommReduce {
			reduced[iv.Var] = true
		}
	}
	if len(reduced) == 0 {
		return false
	}
	written := map[*tir.Var]bool{} // by their memory: stores may go through views
	for _, w := range b.Writes {
		written[w.Buffer.Data] = true
	}
	found := false
	visit(b.Body, func(x tir.Stmt) bool {
		store, ok := x.(*tir.BufferStore)
		if ok && written[store.Buffer.Data] {
			used := map[*tir.Var]bool{}
			for _, i := range store.Indices {
				varsOf(i, used)
			}
			for v := range used {
				found = found || reduced[v]
			}
		}
		return !found
	})
	return found
}

const completeDefinition = `Definition of a complete block:
1) All block vars are data parallel
2) Dominant: the block is the only writer of its output, dominating the reader of its output buffers
3) No overlap between the buffers the block reads and writes`

const reductionDefinition = `Definition of a reduction block:
1) The block has the ` + "`init`" + ` statement
2) All the block bindings are quasi-affine expressions
3) All block vars are either data parallel block vars or reduction block vars
4) Dominant: the block is the only writer of its output, dominating the reader of its output buffers
5) The reduction block vars are not used to index the output buffers`

// checkComplete returns an error if a block is no complete block under the scope.
func (s *State) checkComplete(at site, scope tir.Stmt) error {
	if n := s.incomplete(at.Block(), scope); n > 0 {
		return s.fail("IncompleteBlockError", fmt.Sprintf("The block {0} is not a complete block - it violates condition #%d.\n%s", n, completeDefinition), at.Block())
	}
	return nil
}

// checkCompleteOrReduction returns an error if a block is neither under the scope.
func (s *State) checkCompleteOrReduction(at site, scope tir.Stmt) error {
	c := s.incomplete(at.Block(), scope)
	if c == 0 {
		return nil
	}
	r := s.notReduction(at, scope)
	if r == 0 {
		return nil
	}
	return s.fail("NotCompleteOrReductionBlockError", fmt.Sprintf(
		"The block {0} is not a complete block - it violates condition #%d.\n%s\nThe block is not a reduction block either - it violates condition #%d.\n%s",
		c, completeDefinition, r, reductionDefinition), at.Block())
}

// checkCompactDataflow returns an error if a block directly below a loop or block is neither complete nor a reduction under it.
func (s *State) checkCompactDataflow(root site) error {
	for _, r := range realizes(root.stmt()) {
		at, _ := s.below(root, r.Block)
		c := s.incomplete(r.Block, root.stmt())
		if c == 0 {
			continue
		}
		if n := s.notReduction(at, root.stmt()); n > 0 {
			return s.fail("NotCompactDataFlowError", fmt.Sprintf(
				"The queried subtree root {0} in SRef tree does not have compact dataflow, because its child block {1} on SRef tree is neither a local complete block nor a local reduction block.\n"+
					"It violates condition #%d as a local complete block.\n%s\nIt violates condition #%d as a local reduction block.\n%s\n", c, completeDefinition, n, reductionDefinition),
				root.stmt(), r.Block)
		}
	}
	return nil
}

// below returns where a loop or block below a site stands.
func (s *State) below(root site, x tir.Stmt) (site, bool) {
	path := find(root.stmt(), func(y tir.Stmt) bool { return y == x }, nil)
	if path == nil {
		return site{}, false
	}
	return site{root.fn, root.f, append(root.path[:len(root.path)-1:len(root.path)-1], path...)}, true
}

// checkNotOutput returns an error if a block writes what its scope does not allocate.
func (s *State) checkNotOutput(at, root site) error {
	if isOutput(at.Block(), root.Block()) {
		return s.fail("OutputBlockError", "The block {0} is an output block", at.Block())
	}
	return nil
}
