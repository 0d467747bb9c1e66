package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/relax"
)

// storageToken is memory that tensors use one after the other.
type storageToken struct {
	bytes int64
	place memoryPlace
	first relax.Binding // allocation before which the storage is made
	v     *relax.Var
	last  int
}

// matchRange is how many times larger one of two tensors may be that share memory.
const matchRange = 16

// assignTokens gives each tensor the best free token: the smallest that is large enough, or
// the largest smaller one, which grows; sizes more than 16 times apart do not share. This is
// the strategy of TVM's planner.
func (p *memoryPlanner) assignTokens(b *relax.BindingBlock, tensors map[*relax.Var]*plannedTensor) {
	var free []*storageToken
	release := map[int][]*storageToken{}
	for i, x := range b.Bindings {
		if t := tensors[x.Bound()]; t != nil {
			best := -1
			for k, tok := range free {
				if tok.place != t.place || tok.bytes > t.bytes*matchRange || t.bytes > tok.bytes*matchRange {
					continue
				}
				if best < 0 || betterToken(tok.bytes, free[best].bytes, t.bytes) {
					best = k
				}
			}
			if best >= 0 {
				t.token = free[best]
				free = append(free[:best], free[best+1:]...)
				t.token.bytes = max(t.token.bytes, t.bytes)
			} else {
				t.token = &storageToken{bytes: t.bytes, place: t.place, first: x}
				if p.c.Observed() {
					p.c.Declined(ruleReuse, x, whyNoToken(t, free))
				}
			}
			t.token.last = t.last
			release[t.last] = append(release[t.last], t.token)
		}
		free = append(free, release[i]...)
	}
}

// ruleReuse is the name of the rule in decisions.
const ruleReuse = "reuse storage"

// whyNoToken says why none of the free tokens serves t.
func whyNoToken(t *plannedTensor, free []*storageToken) string {
	if len(free) == 0 {
		return "no storage is free here"
	}
	for _, tok := range free {
		if tok.place == t.place {
			return fmt.Sprintf("its size of %d bytes and that of free storage, %d bytes, differ by more than a factor of %d", t.bytes, tok.bytes, matchRange)
		}
	}
	return "what is free is on another device or in another memory scope"
}

// betterToken reports whether a token of size a suits need better than one of size b.
func betterToken(a, b, need int64) bool {
	if (a >= need) != (b >= need) {
		return a >= need
	}
	if a >= need {
		return a < b
	}
	return a > b
}
