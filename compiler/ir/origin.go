package ir

import (
	"reflect"
	"slices"
	"sync"
)

// OriginID numbers an entry of a module's Origins; 0 is "unknown".
type OriginID uint32

// Origin says what a node was made from: the node of the imported model, or other origins
// that a pass combined.
type Origin struct {
	Pass    string     // pass that made the node; "import" for the importer
	Name    string     // name in the source model, for imported nodes
	Op      string     // operator in the source model, for imported nodes
	Parents []OriginID // origins that the pass combined, in order
	Span    *Span
}

// Origins is the append-only table of origins that a module and all modules made from it
// share. It is safe for concurrent use. A nil table accepts nothing and knows nothing.
type Origins struct {
	mu      sync.RWMutex
	entries []Origin
	merged  map[[2]OriginID]OriginID
}

// NewOrigins returns an empty table.
func NewOrigins() *Origins {
	return &Origins{entries: make([]Origin, 1, 64), merged: map[[2]OriginID]OriginID{}}
}

// Add appends o and returns its number.
func (t *Origins) Add(o Origin) OriginID {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, o)
	return OriginID(len(t.entries) - 1)
}

// Merge returns the origin of a node that pass made from the nodes with the given
// origins: 0 of none, the origin itself of one, else an entry with them as parents.
// The same pair merged again gives the same number.
func (t *Origins) Merge(pass string, ids ...OriginID) OriginID {
	if t == nil {
		return 0
	}
	var out OriginID
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		switch {
		case id == 0 || id == out:
		case out == 0:
			out = id
		default:
			key := [2]OriginID{out, id}
			m, ok := t.merged[key]
			if !ok {
				t.entries = append(t.entries, Origin{Pass: pass, Parents: []OriginID{out, id}})
				m = OriginID(len(t.entries) - 1)
				t.merged[key] = m
			}
			out = m
		}
	}
	return out
}

// Len is the number of entries, which have the numbers from 1 to Len.
func (t *Origins) Len() int {
	if t == nil {
		return 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.entries) - 1
}

// Get returns entry id; the zero Origin for 0 and unknown numbers.
func (t *Origins) Get(id OriginID) Origin {
	if t == nil {
		return Origin{}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if int(id) >= len(t.entries) {
		return Origin{}
	}
	return t.entries[id]
}

// Roots returns the origins without parents that id goes back to, each once, in order of
// first use.
func (t *Origins) Roots(id OriginID) []OriginID {
	if t == nil || id == 0 {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []OriginID
	seen := map[OriginID]bool{}
	for todo := []OriginID{id}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id == 0 || int(id) >= len(t.entries) || seen[id] {
			continue
		}
		seen[id] = true
		parents := t.entries[id].Parents
		if len(parents) == 0 {
			out = append(out, id)
		}
		for _, p := range slices.Backward(parents) {
			todo = append(todo, p)
		}
	}
	return out
}

// Sources returns the entries of Roots.
func (t *Origins) Sources(id OriginID) []Origin {
	var out []Origin
	for _, r := range t.Roots(id) {
		out = append(out, t.Get(r))
	}
	return out
}

// WithOrigin returns a copy of n, a pointer to a node, with the given origin; n itself if it
// has that already.
func WithOrigin[N Node](n N, id OriginID) N {
	if n.Meta().Origin == id {
		return n
	}
	old := reflect.ValueOf(n).Elem()
	out := reflect.New(old.Type())
	out.Elem().Set(old)
	out.Elem().FieldByName("Base").FieldByName("Origin").SetUint(uint64(id))
	return out.Interface().(N)
}
