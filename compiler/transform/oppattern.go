package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// attrOpPattern is the attribute of a kernel that says how it may be fused.
const attrOpPattern = "op_pattern"

// opPattern classifies kernels, with TVM's numbers (OpPatternKind).
type opPattern int64

// The patterns, from the one that fuses with most to the one that fuses with nothing.
const (
	patElemWise        opPattern = 0
	patBroadcast       opPattern = 1
	patInjective       opPattern = 2
	patCommReduce      opPattern = 3
	patOutEWiseFusable opPattern = 4
	patTuple           opPattern = 7
	patOpaque          opPattern = 8
)

// String returns the name of the pattern, as messages have it.
func (p opPattern) String() string {
	switch p {
	case patElemWise:
		return "elementwise"
	case patBroadcast:
		return "broadcast"
	case patInjective:
		return "injective"
	case patCommReduce:
		return "reduction"
	case patOutEWiseFusable:
		return "reduction with a fusible output"
	case patTuple:
		return "tuple"
	}
	return "opaque"
}

// OpPattern returns the name of the op_pattern of a kernel; empty where it has none.
func OpPattern(f *tir.PrimFunc) string {
	v, _ := f.Attrs.Get(attrOpPattern)
	if n, ok := v.(int64); ok {
		return opPattern(n).String()
	}
	return ""
}

// AnnotateTIROpPattern finds out how kernels may be fused.
var AnnotateTIROpPattern = &pass.Pass{
	Name: "AnnotateTIROpPattern", Kind: pass.PrimFunc,
	Doc: "Classifies each kernel by its accesses (elementwise, broadcast, injective, reduction, reduction with a fusible output, opaque) and notes the class as op_pattern, for FuseOps.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if f.Attrs.Has(attrOpPattern) {
			c.Declined(ruleClassify, f, "it has an op_pattern already")
			return f, nil
		}
		kind, opaque := kernelPattern(f)
		if opaque != nil {
			c.Declined(ruleClassify, opaque.place, opaque.why)
		}
		out := f.WithFuncAttrs(f.Attrs.With(attrOpPattern, int64(kind))).(*tir.PrimFunc)
		if c.Observed() {
			c.Rewrite("classify as "+kind.String(), f, out)
		}
		return out, nil
	}),
}

// ruleClassify is the name of the rule in decisions.
const ruleClassify = "classify by accesses"

// mismatch is a place in a kernel that breaks a condition of an analysis, and the condition.
type mismatch struct {
	place ir.Node
	why   string
}

// kernelPattern classifies a kernel: the worst of its blocks, where a block that spreads the
// result of a reduction again (softmax, layer_norm) makes it a reduction with fusible output.
// Of an opaque kernel it returns the first place that makes it opaque.
func kernelPattern(f *tir.PrimFunc) (opPattern, *mismatch) {
	blocks, opaque := leafBlocks(f.Body)
	if opaque != nil {
		return patOpaque, opaque
	}
	kind := patElemWise
	outputs := map[*tir.Buffer]bool{}
	params := map[*tir.Buffer]bool{}
	for _, b := range f.Buffers {
		if b != nil {
			params[b] = true
		}
	}
	for _, b := range blocks {
		k, opaque := blockPattern(b)
		if opaque != nil {
			return patOpaque, opaque
		}
		for _, store := range storesOf(b.Body) {
			if params[store.Buffer] {
				outputs[store.Buffer] = true
			}
		}
		if kind == patCommReduce && k <= patInjective && !rounds(b) {
			k = patOutEWiseFusable
		}
		kind = max(kind, k)
	}
	switch len(outputs) {
	case 0:
		return patOpaque, &mismatch{f, "no block writes to a buffer of a parameter"}
	case 1:
		return kind, nil
	}
	return patOpaque, &mismatch{f, "it writes to the buffers of several parameters"}
}

// rounds reports whether b only converts elements, as the last block of a reduction does that
// accumulates in a wider type than that of its result.
func rounds(b *tir.Block) bool {
	store, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return false
	}
	c, ok := store.Value.(*tir.Cast)
	if !ok {
		return false
	}
	l, ok := c.Value.(*tir.BufferLoad)
	return ok && slices.Equal(l.Indices, store.Indices)
}

// leafBlocks returns the innermost blocks of a kernel in order, or the statement that is neither a
// loop, nor a block, nor the single store of a block.
func leafBlocks(s tir.Stmt) ([]*tir.Block, *mismatch) {
	switch s := s.(type) {
	case *tir.For:
		return leafBlocks(s.Body)
	case *tir.SeqStmt:
		var all []*tir.Block
		for _, x := range s.Seq {
			list, opaque := leafBlocks(x)
			if opaque != nil {
				return nil, opaque
			}
			all = append(all, list...)
		}
		return all, nil
	case *tir.BlockRealize:
		if len(storesOf(s.Block.Body)) > 0 && len(s.Block.AllocBuffers) == 0 {
			if !tir.IsTrue(s.Predicate) {
				return nil, &mismatch{s, "the block has a predicate"}
			}
			return []*tir.Block{s.Block}, nil
		}
		if len(s.Block.IterVars) == 0 {
			return leafBlocks(s.Block.Body)
		}
		return nil, &mismatch{s.Block.Body, "the body of the block is not a single store"}
	}
	return nil, &mismatch{s, "the statement is in no block that consists of a single store"}
}

// storesOf returns the stores that the body of a block consists of, with values that it binds first: one, or several of a reduction to a
// tuple, which have the same indices. It returns nil for any other body.
func storesOf(s tir.Stmt) []*tir.BufferStore {
	switch s := s.(type) {
	case *tir.BufferStore:
		return []*tir.BufferStore{s}
	case *tir.LetStmt:
		return storesOf(s.Body)
	case *tir.SeqStmt:
		var all []*tir.BufferStore
		for _, x := range s.Seq {
			store, ok := x.(*tir.BufferStore)
			if !ok || len(all) > 0 && !slices.Equal(all[0].Indices, store.Indices) {
				return nil
			}
			all = append(all, store)
		}
		return all
	}
	return nil
}
