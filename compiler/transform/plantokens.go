package transform

import "github.com/irscope/irscope/compiler/relax"

// storageToken is memory that tensors use one after the other.
type storageToken struct {
	bytes int64
	place memoryPlace
	first relax.Binding // allocation before which the storage is made
	v     *relax.Var
	last  int
}

// assignTokens gives each tensor the best free token: the smallest that is large enough, or
// the largest smaller one, which grows; sizes more than 16 times apart do not share. This is
// the strategy of TVM's planner.
func assignTokens(b *relax.BindingBlock, tensors map[*relax.Var]*plannedTensor) {
	const matchRange = 16
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
			}
			t.token.last = t.last
			release[t.last] = append(release[t.last], t.token)
		}
		free = append(free, release[i]...)
	}
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
