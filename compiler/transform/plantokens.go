package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
)

// storageToken is memory that tensors use one after the other.
type storageToken struct {
	size  tokenSize
	kind  tokenKind
	first relax.Binding // allocation before which the storage is made
	v     *relax.Var
}

// matchRange is how many times larger one of two tensors may be that share memory.
const matchRange = 16

// assignTokens gives each tensor the best free token of its kind: the smallest that is large enough, or
// the largest smaller one, which grows; sizes more than 16 times apart do not share. Sizes that are not known share with
// equal ones. uses are the tensors among the arguments that each binding passes; a tensor that is no argument keeps its memory. This is
// the strategy of TVM's planner.
func (p *memoryPlanner) assignTokens(b *relax.BindingBlock, tensors map[*relax.Var]*plannedTensor, uses [][]*plannedTensor) {
	free := map[tokenKind][]*storageToken{}
	for i, x := range b.Bindings {
		if t := tensors[x.Bound()]; t != nil {
			list := free[t.kind]
			best := -1
			for k, tok := range list {
				if t.refs > 0 && p.canReuse(tok, t) && (best < 0 || betterToken(tok.size.bytes, list[best].size.bytes, t.size.bytes)) {
					best = k
				}
			}
			if best >= 0 {
				t.token = list[best]
				free[t.kind] = slices.Delete(list, best, best+1)
				t.token.size.bytes = max(t.token.size.bytes, t.size.bytes)
			} else {
				t.token = &storageToken{size: t.size, kind: t.kind, first: x}
				if p.c.Observed() {
					p.c.Declined(ruleReuse, x, whyNoToken(t, free))
				}
			}
		}
		for _, t := range uses[i] {
			if t.refs--; t.refs == 0 && tensors[t.v] != nil {
				free[t.kind] = append(free[t.kind], t.token)
			}
		}
	}
}

// canReuse tells whether a tensor may use a free token of its kind.
func (p *memoryPlanner) canReuse(tok *storageToken, t *plannedTensor) bool {
	if tok.size.factor == nil && t.size.factor == nil {
		return tok.size.bytes >= t.size.bytes/matchRange && tok.size.bytes <= t.size.bytes*matchRange
	}
	return tok.size.factor != nil && t.size.factor != nil && p.bounds.CanProveEqual(tok.size.expr(), t.size.expr())
}

// ruleReuse is the name of the rule in decisions.
const ruleReuse = "reuse storage"

// whyNoToken says why none of the free tokens serves t.
func whyNoToken(t *plannedTensor, free map[tokenKind][]*storageToken) string {
	if t.refs == 0 {
		return "nothing uses the tensor, so that it is not known when its memory is free again"
	}
	if list := free[t.kind]; len(list) > 0 {
		size, other := t.size, list[0].size
		if size.factor != nil || other.factor != nil {
			return fmt.Sprintf("its size of %s bytes and that of free storage, %s bytes, are not known to be equal", relax.FormatPrim(size.expr()), relax.FormatPrim(other.expr()))
		}
		return fmt.Sprintf("its size of %d bytes and that of free storage, %d bytes, differ by more than a factor of %d", size.bytes, other.bytes, matchRange)
	}
	for _, list := range free {
		if len(list) > 0 {
			return "what is free is for another element type, on another device or in another memory scope"
		}
	}
	return "no storage is free here"
}

// betterToken reports whether a token of size a suits need better than one of size b that was free before it.
func betterToken(a, b, need int64) bool {
	if (a >= need) != (b >= need) {
		return a >= need
	}
	if a >= need {
		return a < b
	}
	return a >= b
}
