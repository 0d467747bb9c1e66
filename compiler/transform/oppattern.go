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

// AnnotateTIROpPattern finds out how kernels may be fused.
var AnnotateTIROpPattern = &pass.Pass{
	Name: "AnnotateTIROpPattern", Kind: pass.PrimFunc,
	Doc: "Classifies each kernel by its accesses (elementwise, broadcast, injective, reduction, reduction with a fusible output, opaque) and notes the class as op_pattern, for FuseOps.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if f.Attrs.Has(attrOpPattern) {
			return f, nil
		}
		kind := kernelPattern(f)
		out := f.WithFuncAttrs(f.Attrs.With(attrOpPattern, int64(kind))).(*tir.PrimFunc)
		if c.Observed() {
			c.Rewrite("classify as "+kind.String(), f, out)
		}
		return out, nil
	}),
}

// kernelPattern classifies a kernel: the worst of its blocks, where a block that spreads the
// result of a reduction again (softmax, layer_norm) makes it a reduction with fusible output.
func kernelPattern(f *tir.PrimFunc) opPattern {
	blocks, ok := leafBlocks(f.Body)
	if !ok || len(blocks) == 0 {
		return patOpaque
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
		k, out := blockPattern(b)
		if k == patOpaque {
			return patOpaque
		}
		if params[out] {
			outputs[out] = true
		}
		if kind == patCommReduce && k <= patInjective && !rounds(b) {
			k = patOutEWiseFusable
		}
		kind = max(kind, k)
	}
	if len(outputs) != 1 {
		return patOpaque
	}
	return kind
}

// rounds reports whether b only converts elements, as the last block of a reduction does that
// accumulates in a wider type than that of its result.
func rounds(b *tir.Block) bool {
	store := b.Body.(*tir.BufferStore)
	c, ok := store.Value.(*tir.Cast)
	if !ok {
		return false
	}
	l, ok := c.Value.(*tir.BufferLoad)
	return ok && slices.Equal(l.Indices, store.Indices)
}

// leafBlocks returns the innermost blocks of a kernel in order. It is false for bodies with
// other statements than loops, blocks and single stores.
func leafBlocks(s tir.Stmt) ([]*tir.Block, bool) {
	switch s := s.(type) {
	case *tir.For:
		return leafBlocks(s.Body)
	case *tir.SeqStmt:
		var all []*tir.Block
		for _, x := range s.Seq {
			list, ok := leafBlocks(x)
			if !ok {
				return nil, false
			}
			all = append(all, list...)
		}
		return all, true
	case *tir.BlockRealize:
		if _, ok := s.Block.Body.(*tir.BufferStore); ok {
			if !tir.IsTrue(s.Predicate) {
				return nil, false
			}
			return []*tir.Block{s.Block}, true
		}
		if len(s.Block.IterVars) == 0 {
			return leafBlocks(s.Block.Body)
		}
	}
	return nil, false
}

// blockPattern classifies one block and returns the buffer that it writes.
func blockPattern(b *tir.Block) (opPattern, *tir.Buffer) {
	store := b.Body.(*tir.BufferStore)
	spatial := map[*tir.Var]int{}
	reduce := false
	for _, iv := range b.IterVars {
		switch iv.Kind {
		case tir.DataPar:
			spatial[iv.Var] = -1
		case tir.CommReduce:
			reduce = true
		default:
			return patOpaque, store.Buffer
		}
	}
	for i, e := range store.Indices {
		if tir.IsConst(e, 0) {
			continue
		}
		v, ok := e.(*tir.Var)
		if at, known := spatial[v]; !ok || !known || at >= 0 {
			return patOpaque, store.Buffer
		}
		spatial[v] = i
	}
	if reduce {
		return reducePattern(b, store), store.Buffer
	}
	kind, elementwise := patElemWise, false
	ir.Walk(store.Value, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			k := accessPattern(n, store, spatial)
			elementwise = elementwise || k == patElemWise
			kind = max(kind, k)
		case *tir.Call:
			if tir.CallEffect(n) > tir.Pure {
				kind = patOpaque
			}
		}
		return kind < patOpaque
	})
	if kind == patBroadcast && elementwise {
		kind = patElemWise // a bias: C[i, j] = A[i, j] + B[i]
	}
	// A value chosen by position (padding, concatenation, arange) is no elementwise function.
	if kind < patInjective && usesPosition(store.Value, spatial) {
		kind = patInjective
	}
	return kind, store.Buffer
}

// usesPosition reports whether e depends on iteration variables outside the indices of loads.
func usesPosition(e ir.Node, spatial map[*tir.Var]int) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return false
		case *tir.Var:
			if _, ok := spatial[n]; ok {
				found = true
			}
		}
		return !found
	})
	return found
}

// accessPattern classifies a load: of the element that is stored, of one that several
// stored elements share, of any one, or of one that depends on data.
func accessPattern(l *tir.BufferLoad, store *tir.BufferStore, spatial map[*tir.Var]int) opPattern {
	last, ordered, full := -1, true, len(l.Indices) == len(store.Indices)
	for i, e := range l.Indices {
		switch e := e.(type) {
		case *tir.Var:
			at, ok := spatial[e]
			if !ok || at < 0 {
				return patOpaque
			}
			if at <= last {
				ordered = false
			}
			full = full && at == i
			last = at
		case *tir.IntImm:
			if e.Value != 0 {
				ordered = false
			}
			full = full && i < len(store.Indices) && tir.IsConst(store.Indices[i], 0)
		default:
			ordered, full = false, false
			data := false
			ir.Walk(e, func(n ir.Node) bool {
				if _, ok := n.(*tir.BufferLoad); ok {
					data = true
				}
				return !data
			})
			if data {
				return patOpaque
			}
		}
	}
	switch {
	case full:
		return patElemWise
	case ordered:
		return patBroadcast
	}
	return patInjective
}
